// Alignments compressed along a tree beside general compressors at their strongest: size, speed, and access to sites.
//
// msa_bench [--short] [FILE...] [--benchmark_...]: generated alignments and those of data/, or only the files given.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "peers.hpp"
#include "regraft/codec/compressed_alignment.hpp"
#include "regraft/codec/guide_tree.hpp"
#include "regraft/codec/rgm.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/alignment.hpp"
#include "support/msa/alignment_instances.hpp"

namespace {

using namespace regraft;
using bench::Bytes;
using bench::Peer;

// ---- Clocks

/// The number of cores of this machine.
int num_cores() {
    return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void use_threads([[maybe_unused]] int count) {
#ifdef _OPENMP
    omp_set_num_threads(count);
#endif
}

using Clock = double (*)();

/// CPU seconds, of all threads together.
double cpu_time() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double wall_clock() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The least time of a call, over as many as make a tenth of a second, at most 100, because other programs interrupt.
template <class Body>
double seconds_of(Clock clock, Body body) {
    double least = 0;
    double sum = 0;
    for (int i = 0; i == 0 || (sum < 0.1 && i < 100); ++i) {
        auto const begin = clock();
        body();
        auto const seconds = clock() - begin;
        least = i == 0 ? seconds : std::min(least, seconds);
        sum += seconds;
    }
    return least;
}

// ---- Alignments

struct Set {
    std::string name;
    std::uint64_t num_taxa;
    std::uint64_t num_sites;
    std::function<msa::Alignment()> make;
};

Set generated(std::string name, test::AlignmentSize size, msa::Alignment (*make)(test::AlignmentSize)) {
    return {std::move(name), size.num_taxa, size.num_sites, [=] { return make(size); }};
}

/// Throws InputError.
Set from_file(std::filesystem::path const& path) {
    auto const read = std::make_shared<msa::Alignment const>(msa::read_alignment(path));
    return {path.stem().string(), read->num_taxa(), read->num_sites(), [read] { return *read; }};
}

std::vector<Set> samples() {
    std::vector<Set> out;
    for (auto const* name : {"globins", "primates", "elongation", "vertebrates"})
        out.push_back(from_file(std::filesystem::path(REGRAFT_DATA) / (std::string(name) + ".phy")));
    return out;
}

std::vector<Set> short_sets() {
    auto out = samples();
    out.push_back(generated("dna", {500, 1200}, test::dna));
    out.push_back(generated("messy_dna", {300, 1000}, test::messy_dna));
    out.push_back(generated("gappy_dna", {300, 1000}, test::gappy_dna));
    out.push_back(generated("amino_acids", {200, 1000}, test::amino_acids));
    out.push_back(generated("low_diversity", {300, 6000}, test::low_diversity));
    out.push_back(generated("random_dna", {200, 1000}, test::random_dna));
    return out;
}

std::vector<Set> all_sets() {
    auto out = samples();
    std::vector<std::string_view> const others{"low_diversity", "random_text", "constant", "all_gaps"};
    for (auto const& [name, make] : test::alignment_families) {
        if (std::ranges::count(others, name) == 0) out.push_back(generated(std::string(name), {500, 1200}, make));
    }
    out.push_back(generated("low_diversity", {3000, 29'903}, test::low_diversity));
    for (std::uint32_t const taxa : {100, 300, 1000, 3000, 10'000})
        out.push_back(generated("taxa_" + std::to_string(taxa), {taxa, 1200}, test::dna));
    for (std::uint64_t const sites : {1000, 3000, 10'000, 30'000})
        out.push_back(generated("sites_" + std::to_string(sites), {500, sites}, test::dna));
    return out;
}

/// The alignments of a set that are compressed.
struct Input {
    explicit Input(Set const& set) : alignment(set.make()) {
        columns.reserve(alignment.cells.size());
        for (std::size_t site = 0; site < alignment.num_sites(); ++site)
            for (std::size_t row = 0; row < alignment.num_taxa(); ++row) columns.push_back(alignment.cell(row, site));
        use_threads(1);
        tree_seconds = seconds_of(cpu_time, [&] { tree = codec::guide_tree(alignment); });
    }
    msa::Alignment alignment;
    std::vector<char> columns;  // column by column
    codec::RootedTree tree;
    double tree_seconds;  // of finding it
};

/// The input of one set at a time: benchmarks of a set follow each other.
Input const& input_of(Set const& set) {
    static std::string name;
    static std::unique_ptr<Input> input;
    if (name != set.name) {
        input.reset();
        input = std::make_unique<Input>(set);
        name = set.name;
    }
    return *input;
}

double megabytes(Set const& set) {
    return 1e-6 * static_cast<double>(set.num_taxa) * static_cast<double>(set.num_sites);
}

/// Counters of all algorithms; speed is in cells, which are as many bytes of text.
void count(benchmark::State& state, Set const& set, std::size_t bytes, double encode_seconds) {
    state.counters["taxa"] = static_cast<double>(set.num_taxa);
    state.counters["sites"] = static_cast<double>(set.num_sites);
    state.counters["bytes"] = static_cast<double>(bytes);
    state.counters["bits_per_cell"] = 8e-6 * static_cast<double>(bytes) / megabytes(set);
    state.counters["encode_MB_per_s"] = megabytes(set) / encode_seconds;
    state.counters["decode_MB_per_s"] =
        benchmark::Counter(megabytes(set), benchmark::Counter::kIsIterationInvariantRate);
}

// ---- Peers

enum class Order { rows, columns };

void run_peer(benchmark::State& state, Set const& set, Peer const& peer, Order order) {
    auto const& input = input_of(set);
    auto const& text = order == Order::rows ? input.alignment.cells : input.columns;
    static std::string known;  // repetitions decompress the same
    static Bytes bytes;
    static double encode_seconds;
    auto const key = std::string(peer.name) + (order == Order::rows ? "/rows/" : "/columns/") + set.name;
    if (key != known) encode_seconds = seconds_of(cpu_time, [&] { bytes = peer.compress(text); });
    known = key;

    std::vector<char> out(text.size());
    peer.decompress(bytes, out);
    if (out != text) return state.SkipWithError("does not give the text back");
    for (auto _ : state) {
        peer.decompress(bytes, out);
        benchmark::ClobberMemory();
    }
    count(state, set, bytes.size(), encode_seconds);
}

// ---- Ours

codec::CellGrid rows_of(std::vector<char>& cells, std::uint64_t num_sites) {
    return {cells.data(), num_sites, 1};
}

SiteRange all_sites(codec::CompressedAlignment const& compressed) {
    return {SiteId{0}, SiteId{compressed.num_sites()}};
}

/// The times of a few consecutive sites, anywhere in the alignment.
struct Access {
    double median = 0;
    double most = 0;
};

double median(std::vector<double> values) {
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

Access access_time(codec::CompressedAlignment const& compressed, std::uint64_t num_sites) {
    num_sites = std::min(num_sites, compressed.num_sites());
    auto const num_places = compressed.num_sites() / num_sites;
    auto const step = std::max<std::uint64_t>(1, num_places / 500) * num_sites;
    std::vector<char> out(compressed.num_taxa() * num_sites);
    std::vector<double> times;
    for (std::uint64_t first = 0; first + num_sites <= compressed.num_sites(); first += step) {
        double least = 0;
        for (int i = 0; i < 3; ++i) {
            auto const begin = wall_clock();
            compressed.decode({SiteId{first}, SiteId{first + num_sites}}, rows_of(out, num_sites));
            auto const seconds = wall_clock() - begin;
            least = i == 0 ? seconds : std::min(least, seconds);
        }
        times.push_back(least);
    }
    return {median(times), std::ranges::max(times)};
}

/// An alignment in compressed form, and the time and memory that it takes.
struct Packed {
    Packed(Input const& input, codec::Kind kind)
        : compressed(input.alignment.names, input.tree, encode(input, kind), input.alignment.num_sites()) {
        use_threads(1);
        encode_seconds = seconds_of(cpu_time, [&] { encode(input, kind); });
        auto const one = seconds_of(wall_clock, [&] { encode(input, kind); });
        decode_seconds = seconds_of(wall_clock, [&] { decode(); });
        access = access_time(compressed, 16);
        use_threads(num_cores());
        encode_speedup = one / seconds_of(wall_clock, [&] { encode(input, kind); });
        decode_speedup = decode_seconds / seconds_of(wall_clock, [&] { decode(); });
        use_threads(1);

        codec::write_rgm(compressed, {},
                         [&](std::span<std::byte const> part) { file.insert(file.end(), part.begin(), part.end()); });
        codec::RgmFile const written(codec::bytes_in_memory(file, "memory"));
        for (auto const& layer : written.layers())
            if (layer.name == "names") name_bytes += static_cast<std::size_t>(layer.bits / 8);
    }

    static codec::EncodedColumns encode(Input const& input, codec::Kind kind) {
        return codec::encode_columns(input.alignment, input.tree, {.kind = kind});
    }
    void decode() { compressed.decode(all_sites(compressed), rows_of(cells, compressed.num_sites())); }

    codec::CompressedAlignment compressed;
    std::vector<char> cells = std::vector<char>(compressed.num_taxa() * compressed.num_sites());
    double encode_seconds, decode_seconds;
    double encode_speedup, decode_speedup;  // on all cores
    Access access;
    Bytes file;
    std::size_t name_bytes = 0;
};

void run_ours(benchmark::State& state, Set const& set, codec::Kind kind) {
    auto const& input = input_of(set);
    static std::string known;
    static std::unique_ptr<Packed> packed;
    auto const key = std::to_string(static_cast<int>(kind)) + set.name;
    if (key != known) packed = std::make_unique<Packed>(input, kind);
    known = key;

    packed->decode();
    if (packed->cells != input.alignment.cells) return state.SkipWithError("does not give the cells back");
    for (auto _ : state) {
        packed->decode();
        benchmark::ClobberMemory();
    }
    count(state, set, packed->file.size() - packed->name_bytes, packed->encode_seconds);
    state.counters["bytes_with_names"] = static_cast<double>(packed->file.size());
    state.counters["tree_MB_per_s"] = megabytes(set) / input.tree_seconds;
    state.counters["encode_speedup"] = packed->encode_speedup;
    state.counters["decode_speedup"] = packed->decode_speedup;
    state.counters["s_per_16_sites"] = packed->access.median;
    state.counters["s_per_16_sites_most"] = packed->access.most;
}

// ---- Registration

void add(Set const& set) {
    auto const name_end = "/" + set.name + "/cells:" + std::to_string(set.num_taxa * set.num_sites);
    auto const add_one = [&](std::string const& name, auto run) {
        benchmark::RegisterBenchmark((name + name_end).c_str(), run)->Unit(benchmark::kMillisecond);
    };
    add_one("native", [set](benchmark::State& state) { run_ours(state, set, codec::Kind::native); });
    add_one("thesis", [set](benchmark::State& state) { run_ours(state, set, codec::Kind::thesis); });
    for (auto const& peer : bench::peers()) {
        for (auto const order : {Order::rows, Order::columns}) {
            auto const* const suffix = order == Order::rows ? "_rows" : "_columns";
            add_one(std::string(peer.name) + suffix,
                    [set, &peer, order](benchmark::State& state) { run_peer(state, set, peer, order); });
        }
    }
}

std::string labels() {
    std::string out = "native=regraft,thesis=thesis";
    auto const add_label = [&](Peer const& peer, std::string_view order) {
        out.append(",")
            .append(peer.name)
            .append("_")
            .append(order)
            .append("=")
            .append(peer.label)
            .append(" ")
            .append(order);
    };
    for (auto const& peer : bench::peers()) {
        add_label(peer, "rows");
        add_label(peer, "columns");
    }
    return out;
}

/// Takes the options that Google Benchmark does not know.
std::vector<Set> parse_sets(int& argc, char** argv) {
    bool is_short = false;
    std::vector<Set> sets;
    int kept = 1;
    for (int i = 1; i < argc; ++i) {
        std::string_view const word = argv[i];
        if (word == "--short") {
            is_short = true;
        } else if (!word.starts_with("-")) {
            sets.push_back(from_file(word));
        } else {
            argv[kept++] = argv[i];
        }
    }
    argc = kept;
    if (!sets.empty()) return sets;
    return is_short ? short_sets() : all_sets();
}

}  // namespace

int main(int argc, char** argv) try {
    for (auto const& set : parse_sets(argc, argv)) add(set);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::AddCustomContext("clock", "cpu_time");
    benchmark::AddCustomContext("drawing", "compression");
    benchmark::AddCustomContext("subject", "native");
    benchmark::AddCustomContext("labels", labels());
    benchmark::AddCustomContext("threads", std::to_string(num_cores()));
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
} catch (InputError const& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 2;
}
