// Snapshots beside their floor: one memcpy of the state, and MPI moving it once to the partner, in buffers that are
// there already. An MPI job; rank 0 reports. Every iteration times a commit and the floor in turn.
//
//   commit    of S bytes on each PE, names and sizes as before
//   rollback  all go back to the last commit, and none has died; beside the memcpy alone, without a floor, because that
//             does not take two PEs
//   restore   after a death: rollback, the dead's state to its holders, and copies anew
//
//   kept      a commit in files of /dev/shm (SnapshotOptions::keep), and one in private memory in turn; then a reopen
//
// pairwise: copies on partners at even distances; erasure: by a code that survives as many deaths, beside the same
// floor. differential_N: commits of which N percent of the chunks have changed, that send what has changed or all, in
// turn. files: the same state in a file of each PE (checkpoint::Files), beside two copies of the file that the PE makes
// itself in the same folder. _compressed and _checked: the same, compressed or with checksums, beside the floor of what
// is neither.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "job.hpp"
#include "regraft/checkpoint/files.hpp"
#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/core/random.hpp"
#include "regraft/ft/collectives.hpp"
#include "store_memory.hpp"

namespace {

using namespace regraft;
using bench::largest;
using bench::median;
using bench::quantile;
using bench::resident_bytes;
using bench::timed;
using checkpoint::Snapshot;
using checkpoint::SnapshotOptions;

struct Config {
    std::string suffix;  // of the operation
    std::string variant;
    std::uint64_t mebibytes;  // of each PE
    std::uint32_t copies;
    SnapshotOptions options;

    std::uint64_t bytes() const { return mebibytes << 20; }
    std::string name(std::string const& operation, std::size_t pes) const {
        return operation + suffix + "/" + variant + "/bytes:" + std::to_string(bytes()) +
               "/pes:" + std::to_string(pes) + "/replicas:" + std::to_string(copies) + "/collective";
    }
};

/// One memcpy, and the bytes once to each partner.
class Floor {
public:
    Floor(ft::Communicator& comm, std::span<double const> state, std::uint32_t copies)
        : comm_(comm), state_(std::as_bytes(state)), buffer_(state_.size()), received_((copies - 1) * state_.size()) {
        auto const size = comm.size();
        sent_.resize(size);
        received_from_.resize(size);
        places_.resize(size);
        same_place_.resize(size);
        auto const self = comm.position(comm.self());
        for (std::uint32_t copy = 1; copy < copies; ++copy) {
            auto const distance = copy * size / copies;
            sent_[(self + distance) % size] = static_cast<int>(state_.size());
            received_from_[(self + size - distance) % size] = static_cast<int>(state_.size());
        }
        int place = 0;
        for (std::size_t i = 0; i < size; ++i) {
            places_[i] = place;
            place += received_from_[i];
        }
    }

    void copy() { std::memcpy(buffer_.data(), state_.data(), state_.size()); }
    void by_alltoallv() {
        copy();
        MPI_Alltoallv(buffer_.data(), sent_.data(), same_place_.data(), MPI_BYTE, received_.data(),
                      received_from_.data(), places_.data(), MPI_BYTE, comm_.native());
    }
    void by_messages() {
        copy();
        std::vector<MPI_Request> requests;
        for (int i = 0; i < static_cast<int>(comm_.size()); ++i) {
            auto const rank = static_cast<std::size_t>(i);
            if (received_from_[rank] == 0) continue;
            MPI_Irecv(received_.data() + places_[rank], received_from_[rank], MPI_BYTE, i, 1, comm_.native(),
                      &requests.emplace_back());
        }
        for (int i = 0; i < static_cast<int>(comm_.size()); ++i) {
            auto const rank = static_cast<std::size_t>(i);
            if (sent_[rank] == 0) continue;
            MPI_Isend(buffer_.data(), sent_[rank], MPI_BYTE, i, 1, comm_.native(), &requests.emplace_back());
        }
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }

private:
    ft::Communicator& comm_;
    std::span<std::byte const> state_;
    std::vector<std::byte> buffer_, received_;
    std::vector<int> sent_, received_from_, places_, same_place_;
};

/// The state of a PE: a smooth field, in 16 entities.
class State {
public:
    State(ft::Communicator& comm, std::uint64_t bytes) : values_(bytes / sizeof(double)), right_(values_.size()) {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            auto const x = static_cast<float>(i) / 5000 + static_cast<float>(value(comm.self()));
            values_[i] = static_cast<double>(std::sin(x));
        }
        right_ = values_;
    }
    void add_to(Snapshot& snapshot, PeId self) {
        for (std::size_t i = 0; i < parts; ++i) {
            auto const part = std::span(values_).subspan(values_.size() * i / parts, values_.size() / parts);
            snapshot.add(name(self, i), part);
        }
    }
    void tell(Snapshot& snapshot, PeId self, std::span<std::uint64_t const> changed) const {
        auto const of_part = values_.size() / parts;
        for (std::size_t i = 0; i < parts; ++i) snapshot.changed(name(self, i), 0, 0);
        for (auto const i : changed) {
            auto const part = std::min(i / of_part, parts - 1);
            snapshot.changed(name(self, part), (i - part * of_part) * sizeof(double), sizeof(double));
        }
    }
    std::span<double> values() { return values_; }
    void scramble() { std::fill(values_.begin(), values_.end(), 1.5); }
    bool is_right() const { return values_ == right_; }

private:
    static constexpr std::size_t parts = 16;
    static std::string name(PeId self, std::size_t part) {
        return "block " + std::to_string(value(self)) + "." + std::to_string(part);
    }
    std::vector<double> values_, right_;
};

void report(benchmark::State& state, std::vector<double> const& ours, std::array<std::vector<double>, 2> const& floor) {
    auto const least = std::min(median(floor[0]), median(floor[1]));
    state.counters["s_per_call"] = median(ours);
    state.counters["s_per_call_10th"] = quantile(ours, 0.1);
    state.counters["s_per_call_90th"] = quantile(ours, 0.9);
    state.counters["s_per_alltoallv"] = median(floor[0]);
    state.counters["s_per_point_to_point"] = median(floor[1]);
    state.counters["over_floor"] = median(ours) / least;
    // The ratio when no other program wants the cores.
    state.counters["over_floor_10th"] =
        quantile(ours, 0.1) / std::min(quantile(floor[0], 0.1), quantile(floor[1], 0.1));
}

void measure_commit(benchmark::State& state, ft::Communicator& comm, Config const& config) {
    auto const before = resident_bytes();
    State values(comm, config.bytes());
    auto const beside = resident_bytes() - before;
    Snapshot snapshot(comm, config.options);
    values.add_to(snapshot, comm.self());
    snapshot.commit();
    snapshot.commit();
    auto const after = resident_bytes();
    Floor floor(comm, values.values(), config.copies);
    floor.by_alltoallv();
    floor.by_messages();
    std::vector<double> ours;
    std::array<std::vector<double>, 2> peers;
    checkpoint::CommitReport last;
    double create_ms = 0;
    for (auto _ : state) {
        ours.push_back(timed(comm, [&] { last = snapshot.commit(); }));
        peers[0].push_back(timed(comm, [&] { floor.by_alltoallv(); }));
        peers[1].push_back(timed(comm, [&] { floor.by_messages(); }));
        state.SetIterationTime(ours.back());
        create_ms += largest(comm, last.create_ms);
    }
    values.scramble();
    static_cast<void>(snapshot.restore());
    if (largest(comm, values.is_right() ? 0 : 1) != 0) state.SkipWithError("wrong bytes");
    report(state, ours, peers);
    auto const size = static_cast<double>(config.bytes());
    auto const formula = 2 * config.copies * size;
    state.counters["create_ms"] = create_ms / static_cast<double>(ours.size());
    state.counters["stored_over_state"] = static_cast<double>(last.stored_bytes) / size;
    state.counters["held_over_formula"] = largest(comm, static_cast<double>(snapshot.bytes_held()) / formula);
    state.counters["resident_over_formula"] = largest(comm, static_cast<double>(after - before - beside) / formula);
}

/// Changes one value in each of so many chunks, drawn at random.
class Changing {
public:
    Changing(State& values, PeId self, double share) : values_(values.values()), share_(share), random_(value(self)) {}
    /// The numbers of these values.
    std::vector<std::uint64_t> step() {
        std::uint64_t const chunk = SnapshotOptions().chunk_bytes / sizeof(double);
        auto const chunks = values_.size() / chunk;
        std::vector<std::uint64_t> all(chunks);
        std::iota(all.begin(), all.end(), 0);
        shuffle(std::span(all), random_);
        all.resize(static_cast<std::size_t>(std::ceil(static_cast<double>(chunks) * share_)));
        for (auto& i : all) i = i * chunk + random_.below(chunk);
        for (auto const i : all) values_[i] += 1;
        return all;
    }

private:
    std::span<double> values_;
    double share_;
    Random random_;
};

/// Two snapshots of the same state, of which one sends what has changed.
void measure_differential(benchmark::State& state, ft::Communicator& comm, Config const& config, double share,
                          bool told) {
    State values(comm, config.bytes());
    auto options = config.options;
    options.differential = SnapshotOptions::Differential::never;
    Snapshot whole(comm, options);
    options.differential = SnapshotOptions::Differential::always;
    options.told = SnapshotOptions::Told::trusted;
    Snapshot differential(comm, options);
    for (auto* const snapshot : {&whole, &differential}) values.add_to(*snapshot, comm.self());
    Changing changing(values, comm.self(), share);
    auto const step = [&] {
        auto const changed = changing.step();
        if (told) values.tell(differential, comm.self(), changed);
    };
    checkpoint::CommitReport last;
    auto const commit = [&](Snapshot& snapshot) { return timed(comm, [&] { last = snapshot.commit(); }); };
    for (int i = 0; i < 4; ++i) {  // until all memory is there
        step();
        static_cast<void>(commit(whole) + commit(differential));
    }
    std::vector<double> ours, theirs;
    double create_ms = 0;
    for (auto _ : state) {
        step();
        theirs.push_back(commit(whole));
        ours.push_back(commit(differential));
        state.SetIterationTime(ours.back());
        create_ms += largest(comm, last.create_ms);
    }
    std::vector<double> const right(values.values().begin(), values.values().end());
    for (auto* const snapshot : {&whole, &differential}) {
        values.scramble();
        static_cast<void>(snapshot->restore());
        bool const holds = std::ranges::equal(values.values(), right);
        if (largest(comm, holds ? 0 : 1) != 0) state.SkipWithError("wrong bytes");
    }
    state.counters["s_per_call"] = median(ours);
    state.counters["create_ms"] = create_ms / static_cast<double>(ours.size());
    state.counters["s_per_whole"] = median(theirs);
    state.counters["over_whole"] = median(ours) / median(theirs);
    state.counters["held_over_whole"] =
        static_cast<double>(differential.bytes_held()) / static_cast<double>(whole.bytes_held());
}

void measure_rollback(benchmark::State& state, ft::Communicator& comm, Config const& config) {
    State values(comm, config.bytes());
    Snapshot snapshot(comm, config.options);
    values.add_to(snapshot, comm.self());
    snapshot.commit();
    Floor floor(comm, values.values(), config.copies);
    floor.copy();
    std::vector<double> ours, copies;
    for (auto _ : state) {
        ours.push_back(timed(comm, [&] { static_cast<void>(snapshot.restore()); }));
        copies.push_back(timed(comm, [&] { floor.copy(); }));
        state.SetIterationTime(ours.back());
    }
    if (largest(comm, values.is_right() ? 0 : 1) != 0) state.SkipWithError("wrong bytes");
    state.counters["s_per_call"] = median(ours);
    state.counters["s_per_memcpy"] = median(copies);
}

/// Commits the same state in files of the node's memory and in private memory, and reopens it at the end.
void measure_kept(benchmark::State& state, ft::Communicator& comm, Config const& config) {
    auto number = static_cast<std::uint64_t>(getpid());
    ft::broadcast(comm, std::as_writable_bytes(std::span(&number, 1)), comm.members().front());
    auto options = config.options;
    options.keep = store::Keep{"/dev/shm", "bench-" + std::to_string(number), "snapshot"};
    State values(comm, config.bytes());
    std::optional<Snapshot> kept(std::in_place, comm, options);
    Snapshot beside(comm, config.options);
    for (auto* const snapshot : {&*kept, &beside}) {
        values.add_to(*snapshot, comm.self());
        snapshot->commit();
        snapshot->commit();
    }
    std::vector<double> in_files, in_memory;
    for (auto _ : state) {
        in_files.push_back(timed(comm, [&] { kept->commit(); }));
        in_memory.push_back(timed(comm, [&] { beside.commit(); }));
        state.SetIterationTime(in_files.back());
    }
    kept.emplace(comm, options);
    values.add_to(*kept, comm.self());
    values.scramble();
    auto const own = [](std::span<checkpoint::Orphan const> orphans, std::span<checkpoint::Survivor const>) {
        std::vector<PeId> homes;
        for (auto const& orphan : orphans) homes.push_back(orphan.home);
        return homes;
    };
    std::optional<checkpoint::OpenReport> report;
    auto const reopened = timed(comm, [&] { report = kept->reopen({.deal = own}); });
    if (largest(comm, report && values.is_right() ? 0 : 1) != 0) state.SkipWithError("wrong bytes");
    kept->discard();
    state.counters["s_per_call"] = median(in_files);
    state.counters["s_per_private"] = median(in_memory);
    state.counters["over_private"] = median(in_files) / median(in_memory);
    state.counters["s_per_reopen"] = reopened;
}

/// Commits a file of each PE in the node's memory, and copies it twice.
void measure_files(benchmark::State& state, ft::Communicator& comm, Config const& config) {
    namespace fs = std::filesystem;
    auto number = static_cast<std::uint64_t>(getpid());
    ft::broadcast(comm, std::as_writable_bytes(std::span(&number, 1)), comm.members().front());
    auto const own = std::to_string(value(comm.self()));
    State values(comm, config.bytes());
    checkpoint::Files files(comm,
                            {.folder = "/dev/shm/regraft-bench-" + std::to_string(number), .snapshot = config.options});
    Snapshot beside(comm, config.options);
    beside.add("state " + own, values.values());
    auto const path = files.route("state " + own);
    auto const bytes = std::as_bytes(values.values());
    auto const commit = [&] { return timed(comm, [&] { static_cast<void>(files.commit()); }); };
    auto const copy = [&](char const* ending) {
        fs::copy_file(path, fs::path(path) += ending, fs::copy_options::overwrite_existing);
    };
    auto const copy_twice = [&] {
        return timed(comm, [&] {
            copy(".1");
            copy(".2");
        });
    };
    std::ofstream(path).write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    for (int i = 0; i < 3; ++i) static_cast<void>(commit() + copy_twice() + timed(comm, [&] { beside.commit(); }));
    std::vector<double> ours, copied, in_memory;
    for (auto _ : state) {
        copied.push_back(copy_twice());
        ours.push_back(commit());
        in_memory.push_back(timed(comm, [&] { beside.commit(); }));
        state.SetIterationTime(ours.back());
    }
    std::ofstream(path, std::ios::trunc) << "another state";
    static_cast<void>(files.restore());
    std::vector<char> restored(bytes.size());
    std::ifstream(path).read(restored.data(), static_cast<std::streamsize>(restored.size()));
    bool const holds = std::memcmp(restored.data(), bytes.data(), bytes.size()) == 0;
    if (largest(comm, holds ? 0 : 1) != 0) state.SkipWithError("wrong bytes");
    for (auto const* const ending : {".1", ".2"}) fs::remove(fs::path(path) += ending);
    files.discard();
    state.counters["s_per_call"] = median(ours);
    state.counters["s_per_copied_twice"] = median(copied);
    state.counters["over_copied_twice"] = median(ours) / median(copied);
    state.counters["over_memory"] = median(ours) / median(in_memory);
}

/// The last member dies. Once in a job for each configuration.
void measure_restore(benchmark::State& state, ft::Communicator& comm, Config const& config) {
    static ft::FailPoint death("bench:death");
    State values(comm, config.bytes());
    Snapshot snapshot(comm, config.options);
    values.add_to(snapshot, comm.self());
    snapshot.commit();
    ft::set_failure_plan({{"bench:death", comm.members().back(), 0}});
    try {
        comm.reach(death);
        for (;;) comm.check(MPI_Barrier(comm.native()), "MPI_Barrier");
    } catch (ft::ProcessFailure const&) {
        static_cast<void>(comm.shrink());
    }
    std::vector<std::vector<double>> adopted;
    adopted.reserve(16);
    auto const adopt = [&](std::string const& name) { snapshot.add(name, adopted.emplace_back()); };
    checkpoint::RestoreReport report;
    for (auto _ : state) {
        state.SetIterationTime(timed(comm, [&] { report = snapshot.restore({.adopt = adopt}); }));
    }
    if (largest(comm, values.is_right() && report.adopted.size() == 16 ? 0 : 1) != 0) {
        state.SkipWithError("wrong bytes");
    }
    state.counters["plan_ms"] = largest(comm, report.plan_ms);
    state.counters["load_ms"] = largest(comm, report.load_ms);
    state.counters["apply_ms"] = largest(comm, report.apply_ms);
    state.counters["redundancy_ms"] = largest(comm, report.redundancy_ms);
}

std::vector<Config> configs(std::string_view pace, std::size_t num_pes) {
    using Form = SnapshotOptions::Form;
    std::vector<Config> all;
    auto const sizes =
        pace == "full" ? std::vector<std::uint64_t>{1, 16} : std::vector<std::uint64_t>{pace == "short" ? 4U : 1U};
    auto const most = static_cast<std::uint32_t>(num_pes);
    for (auto const mebibytes : sizes) {
        for (std::uint32_t const copies : {2, 3}) {
            if (copies > most || (copies > 2 && pace == "smoke")) continue;
            all.push_back({"", "pairwise", mebibytes, copies, {.redundancy = checkpoint::pairwise(copies)}});
        }
        all.push_back({"_compressed", "pairwise", mebibytes, std::min(2U, most), {.form = Form::compressed}});
        all.push_back(
            {"_checked", "pairwise", mebibytes, std::min(2U, most), {.integrity = store::Integrity::checked}});
        if (num_pes >= 4) all.push_back({"", "erasure_3_1", mebibytes, 2, {.redundancy = erasure::Code(3, 1)}});
    }
    return all;
}

using Measurement = void (*)(benchmark::State&, ft::Communicator&, Config const&);

void add(std::string const& operation, Measurement measurement, ft::Communicator& comm, Config const& config,
         std::size_t pes, int iterations) {
    benchmark::RegisterBenchmark(
        config.name(operation, pes).c_str(),
        [measurement, &comm, config](benchmark::State& state) { measurement(state, comm, config); })
        ->Iterations(iterations)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
}

std::vector<Config> differential_configs(std::string_view pace) {
    std::vector<Config> all;
    auto const sizes =
        pace == "full" ? std::vector<std::uint64_t>{1, 64} : std::vector<std::uint64_t>{pace == "short" ? 16U : 1U};
    for (auto const mebibytes : sizes) {
        all.push_back({"", "pairwise", mebibytes, 2, {}});
        all.push_back({"_checked", "pairwise", mebibytes, 2, {.integrity = store::Integrity::checked}});
    }
    return all;
}

void add_differential(ft::Communicator& comm, Config const& config, int iterations) {
    struct Kind {
        int percent;
        bool told;
    };
    for (auto const& [percent, told] :
         {Kind{1, false}, Kind{1, true}, Kind{10, false}, Kind{10, true}, Kind{100, false}}) {
        auto const operation = "differential_" + std::to_string(percent) + (told ? "_told" : "");
        auto const name = config.name(operation, comm.size());
        benchmark::RegisterBenchmark(name.c_str(),
                                     [&comm, config, percent = percent, told = told](benchmark::State& state) {
                                         measure_differential(state, comm, config, percent / 100.0, told);
                                     })
            ->Iterations(iterations)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
    }
}

}  // namespace

int main(int argc, char** argv) {
    return bench::job(argc, argv, [](std::string const& pace, ft::Communicator& comm) {
        auto const all = configs(pace, comm.size());
        int const few = pace == "smoke" ? 1 : 7;
        int const many = pace == "full" ? 21 : few;
        for (auto const& config : all) {
            bool const main = config.suffix.empty() && config.variant == "pairwise";
            add("commit", measure_commit, comm, config, comm.size(), main ? many : few);
        }
        for (auto const& config : all) add("rollback", measure_rollback, comm, config, comm.size(), few);
        for (auto const& config : all) {
            if (config.variant == "pairwise") add("kept", measure_kept, comm, config, comm.size(), few);
        }
        for (auto const& config : all) {
            if (config.variant == "pairwise" && config.copies == 2) {
                add("files", measure_files, comm, config, comm.size(), few);
            }
        }
        for (auto const& config : differential_configs(pace)) {
            if (comm.size() > 1) add_differential(comm, config, few);
        }
        // A rank dies in each, so the largest state comes first, and then there are fewer.
        auto const plain = std::find_if(all.rbegin(), all.rend(), [](auto const& c) {
            return c.suffix.empty() && c.variant == "pairwise" && c.copies == 2;
        });
        if (comm.size() > 2) add("restore", measure_restore, comm, *plain, comm.size(), 1);
        benchmark::AddCustomContext("clock", "real_time");
        benchmark::AddCustomContext("drawing", "floor");
        benchmark::AddCustomContext("mean_mebibytes", "1,16");
    });
}
