// The cost of saving and of opening a store, beside its floor: plain pwrite, fsync and rename of the same bytes over
// the files before, and plain pread, by all ranks at once into and from the same number of files. An MPI job; rank 0
// reports. Every iteration times the floor and the store in turn.
//
//   save  writes a generation, and removes the one before
//   open  reads the last generation into new memory
//   going_on  saves a snapshot while the program computes as long as a save takes, beside one that waits for the save
//   first
//
// one_file: all ranks share a file. file_each: each rank has its own. --folder=DIR: the files are written into a new
// folder in DIR, which is removed in the end; without it, in the system's folder of temporary files.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include "job.hpp"
#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/core/random.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/store/replicated_store.hpp"

namespace {

using namespace regraft;
using bench::median;
using bench::quantile;
namespace fs = std::filesystem;

constexpr std::uint64_t block_bytes = 64;

struct Config {
    std::uint64_t mebibytes;  // of each PE
    bool shared;              // all PEs write into one file
    int pairs;                // of the store and its floor

    std::uint64_t bytes() const { return mebibytes << 20; }
    std::string name(std::string const& operation, std::uint32_t pes) const {
        return operation + "/" + (shared ? "one_file" : "file_each") + "/bytes:" + std::to_string(bytes()) +
               "/pes:" + std::to_string(pes) + "/replicas:" + std::to_string(std::min(2U, pes)) + "/collective";
    }
};

void require(bool done, char const* what) {
    if (done) return;
    std::perror(what);
    std::abort();
}

/// A new folder that all members share, until the end.
class Folder {
public:
    Folder(ft::Communicator& comm, fs::path const& place) : comm_(comm) {
        auto id = static_cast<std::uint64_t>(getpid());
        MPI_Bcast(&id, 1, MPI_UINT64_T, 0, comm.native());
        path_ = place / ("store_disk_" + std::to_string(id));
        if (comm.leads()) fs::create_directories(path_);
        MPI_Barrier(comm.native());
    }
    ~Folder() {
        MPI_Barrier(comm_.native());
        std::error_code ignored;
        if (comm_.leads()) fs::remove_all(path_, ignored);
    }
    Folder(Folder const&) = delete;
    Folder& operator=(Folder const&) = delete;

    fs::path const& path() const { return path_; }

private:
    ft::Communicator& comm_;
    fs::path path_;
};

/// The bytes of all members in files of their own, or in one, by system calls alone: without checksums, and only a
/// single file is replaced as a whole.
class PlainFiles {
public:
    PlainFiles(ft::Communicator& comm, fs::path const& folder, bool shared, std::uint64_t bytes_each)
        : comm_(comm),
          renames_(!shared || comm.leads()),
          path_(folder / (shared ? "plain" : "plain." + std::to_string(value(comm.self())))),
          begin_(shared ? value(comm.self()) * bytes_each : 0) {}

    void write(std::span<std::byte const> bytes) const {
        auto const unfinished = path_.string() + ".tmp";
        int const file = open(unfinished.c_str(), O_WRONLY | O_CREAT, 0666);
        require(file >= 0, unfinished.c_str());
        for (std::uint64_t at = 0; at < bytes.size(); at += chunk) {
            auto const part = bytes.subspan(at, std::min(chunk, bytes.size() - at));
            auto const written = pwrite(file, part.data(), part.size(), static_cast<off_t>(begin_ + at));
            require(written == static_cast<ssize_t>(part.size()), "pwrite");
        }
        require(fsync(file) == 0 && close(file) == 0, "fsync");
        MPI_Barrier(comm_.native());
        if (renames_) fs::rename(unfinished, path_);
        MPI_Barrier(comm_.native());
    }
    std::vector<std::byte> read(std::uint64_t size) const {
        std::vector<std::byte> out(size);
        int const file = open(path_.c_str(), O_RDONLY);
        require(file >= 0, path_.c_str());
        for (std::uint64_t at = 0; at < size; at += chunk) {
            auto const part = std::span(out).subspan(at, std::min(chunk, size - at));
            auto const count = pread(file, part.data(), part.size(), static_cast<off_t>(begin_ + at));
            require(count == static_cast<ssize_t>(part.size()), "pread");
        }
        close(file);
        return out;
    }

private:
    static constexpr std::uint64_t chunk = 1 << 20;
    ft::Communicator& comm_;
    bool renames_;
    fs::path path_;
    std::uint64_t begin_;
};

/// The same bytes in a store and in plain files. Both were written once, so that all timed calls replace or read what
/// is there.
class Subject {
public:
    Subject(ft::Communicator& comm, fs::path const& place, Config const& config)
        : comm_(comm),
          folder_(comm, place),
          data_(config.bytes()),
          store_(comm),
          plain_(comm, folder_.path(), config.shared, config.bytes()),
          options_{.files = config.shared ? 1 : static_cast<std::uint32_t>(comm.size()), .kept = 1} {
        for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = static_cast<std::byte>(i * 2654435761U >> 13);
        auto const size = static_cast<std::uint32_t>(comm.size());
        auto const blocks = config.bytes() / block_bytes;
        BlockRange const mine{BlockId{value(comm.self()) * blocks}, BlockId{(value(comm.self()) + 1) * blocks}};
        store_.submit(placement::ModK(blocks * size, size, std::min(2U, size)), mine, data_, block_bytes);
        write();
        save();
    }

    void write() { plain_.write(data_); }
    void save() { static_cast<void>(store_.save(archive(), options_)); }
    void read() { was_read_ = plain_.read(data_.size()); }
    void open() { was_opened_ = store::open(comm_, archive()); }
    /// Whether all members have read and opened last what they had written.
    bool is_right() const {
        bool const right = was_read_ == data_ && std::ranges::equal(was_opened_.bytes, data_);
        return bench::largest(comm_, right ? 0 : 1) == 0;
    }
    /// Frees what was read and opened last, which is no part of reading and opening.
    void forget() {
        was_read_ = {};
        was_opened_ = {};
    }

private:
    fs::path archive() const { return folder_.path() / "archive"; }

    ft::Communicator& comm_;
    Folder folder_;
    std::vector<std::byte> data_, was_read_;
    store::ReplicatedStore store_;
    store::Opened was_opened_;
    PlainFiles plain_;
    store::SaveOptions options_;
};

/// Times of the floor and of the store, in turn.
struct Pairs {
    std::vector<double> plain, ours, ratios;

    void add(double floor, double store) {
        plain.push_back(floor);
        ours.push_back(store);
        ratios.push_back(store / floor);
    }
    void report(benchmark::State& state) const {
        state.counters["s_per_call"] = median(ours);
        state.counters["s_per_call_10th"] = quantile(ours, 0.1);
        state.counters["s_per_call_90th"] = quantile(ours, 0.9);
        state.counters["s_per_plain"] = median(plain);
        // Ratios of neighbouring pairs, because other programs use the disk, too.
        state.counters["over_floor"] = median(ratios);
    }
};

void measure_save(benchmark::State& state, ft::Communicator& comm, fs::path const& place, Config const& config) {
    Subject subject(comm, place, config);
    Pairs pairs;
    for (auto _ : state) {
        auto const floor = bench::timed(comm, [&] { subject.write(); });
        auto const store = bench::timed(comm, [&] { subject.save(); });
        state.SetIterationTime(store);
        pairs.add(floor, store);
    }
    subject.read();
    subject.open();
    if (!subject.is_right()) state.SkipWithError("wrong bytes");
    pairs.report(state);
}

void measure_open(benchmark::State& state, ft::Communicator& comm, fs::path const& place, Config const& config) {
    Subject subject(comm, place, config);
    Pairs pairs;
    bool right = true;
    for (auto _ : state) {
        auto const floor = bench::timed(comm, [&] { subject.read(); });
        auto const store = bench::timed(comm, [&] { subject.open(); });
        state.SetIterationTime(store);
        pairs.add(floor, store);
        right = subject.is_right() && right;
        subject.forget();
    }
    if (!right) state.SkipWithError("wrong bytes");
    pairs.report(state);
}

/// Computes as often as it is told.
void compute(std::uint64_t rounds, std::uint64_t& sum) {
    for (std::uint64_t i = 0; i < rounds; ++i) sum = mix(sum + i);
    benchmark::DoNotOptimize(sum);
}

/// What a save costs a program that computes, if the program waits for it, and if it does not.
void measure_going_on(benchmark::State& state, ft::Communicator& comm, fs::path const& place, Config const& config) {
    Folder folder(comm, place);
    auto const archive = folder.path() / "archive";
    store::SaveOptions const options{.files = config.shared ? 1 : static_cast<std::uint32_t>(comm.size()), .kept = 1};
    std::vector<std::byte> bytes(config.bytes());
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 2654435761U >> 13);
    auto const right = bytes;
    checkpoint::Snapshot snapshot(comm);
    snapshot.add(std::to_string(value(comm.self())), bytes);
    snapshot.commit();
    static_cast<void>(snapshot.save(archive, options));
    std::uint64_t sum = 0;
    auto const save_s = bench::timed(comm, [&] { static_cast<void>(snapshot.save(archive, options)); });
    auto const million_s = bench::timed(comm, [&] { compute(1'000'000, sum); });
    auto const rounds = static_cast<std::uint64_t>(1e6 * std::max(1.0, save_s / million_s));
    std::vector<double> alone, blocking, going_on;
    for (auto _ : state) {
        alone.push_back(bench::timed(comm, [&] { compute(rounds, sum); }));
        blocking.push_back(bench::timed(comm, [&] {
            static_cast<void>(snapshot.save(archive, options));
            compute(rounds, sum);
        }));
        going_on.push_back(bench::timed(comm, [&] {
            auto saving = snapshot.start_save(archive, options);
            compute(rounds, sum);
            static_cast<void>(saving.wait());
        }));
        state.SetIterationTime(going_on.back());
    }
    bytes.clear();
    static_cast<void>(snapshot.open(archive));
    if (bench::largest(comm, bytes == right ? 0 : 1) != 0) state.SkipWithError("wrong bytes");
    state.counters["s_computing"] = median(alone);
    state.counters["s_per_call"] = median(blocking) - median(alone);
    state.counters["s_going_on"] = median(going_on) - median(alone);
    state.counters["over_save"] = (median(going_on) - median(alone)) / (median(blocking) - median(alone));
}

std::vector<Config> configs(std::string_view pace) {
    std::vector<Config> all;
    for (bool const shared : {true, false}) {
        if (pace == "smoke") {
            all.push_back({1, shared, 1});
        } else if (pace == "short") {
            all.push_back({4, shared, 5});
        } else {
            all.push_back({16, shared, 15});
            all.push_back({64, shared, 9});
        }
    }
    return all;
}

fs::path folder_of(int argc, char** argv) {
    constexpr std::string_view option = "--folder=";
    for (int i = 1; i < argc; ++i) {
        std::string_view const argument = argv[i];
        if (argument.starts_with(option)) return argument.substr(option.size());
    }
    return fs::temp_directory_path();
}

}  // namespace

int main(int argc, char** argv) {
    auto const place = folder_of(argc, argv);
    return bench::job(argc, argv, [&place](std::string const& pace, ft::Communicator& comm) {
        using Measurement = void (*)(benchmark::State&, ft::Communicator&, fs::path const&, Config const&);
        std::pair<char const*, Measurement> const operations[] = {
            {"save", measure_save}, {"open", measure_open}, {"going_on", measure_going_on}};
        for (auto const& config : configs(pace)) {
            for (auto const& [name, measure] : operations) {
                benchmark::RegisterBenchmark(config.name(name, static_cast<std::uint32_t>(comm.size())).c_str(),
                                             [measure = measure, &comm, &place, config](benchmark::State& state) {
                                                 measure(state, comm, place, config);
                                             })
                    ->Iterations(config.pairs)
                    ->UseManualTime()
                    ->Unit(benchmark::kMillisecond);
            }
        }
        benchmark::AddCustomContext("clock", "real_time");
        benchmark::AddCustomContext("drawing", "floor");
        benchmark::AddCustomContext("floor", "plain writes and reads");
        benchmark::AddCustomContext("mean_pes", "1,2,4");
        benchmark::AddCustomContext("mean_mebibytes", "4,16,64");
    });
}
