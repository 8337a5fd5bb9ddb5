// The replicated store beside its floor: MPI moving the very same bytes between the same pairs of ranks, in buffers
// that are there already. An MPI job; rank 0 reports. Every iteration times the store and its peers in turn.
//
//   first_submit    into a new store, into memory that no process touched before
//   submit          a new version, into the memory of the one before the last
//   load_all        every PE loads what its neighbour half the machine away submitted
//   load_one        the survivors of one death load what the dead had submitted, in equal parts
//   load_one_known  the same, where all know what each wants
//   repair          after one death, all lost replicas are made again
//
// Erasure codes are beside the floor of replication that survives as many deaths.
//
// Deaths are simulated: what is timed begins after the shrink.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "job.hpp"
#include "regraft/ft/failure_plan.hpp"
#include "regraft/load/plan.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/permuted.hpp"
#include "regraft/store/erasure_store.hpp"
#include "regraft/store/replicated_store.hpp"
#include "store_floor.hpp"
#include "store_memory.hpp"

namespace {

using namespace regraft;
using namespace regraft::bench;

constexpr std::uint64_t block_bytes = 64;

struct Config {
    std::uint64_t mebibytes;  // that each PE submits
    std::uint32_t replicas;
    std::uint64_t range_bytes;  // ranges of Permuted; 0: ModK
    std::uint32_t data_pieces;  // of an erasure code with replicas - 1 parities; 0: replication
    store::Transport transport;

    std::uint64_t blocks_per_pe() const { return (mebibytes << 20) / block_bytes; }
    std::string name(std::uint32_t num_pes) const {
        auto const placement = data_pieces != 0
                                   ? "erasure_" + std::to_string(data_pieces) + "_" + std::to_string(replicas - 1)
                               : range_bytes == 0 ? "mod_k"
                                                  : "permuted_" + std::to_string(range_bytes >> 10) + "K";
        auto const by = transport == store::Transport::collective ? "collective" : "rounds";
        return placement + "/bytes:" + std::to_string(mebibytes << 20) + "/pes:" + std::to_string(num_pes) +
               "/replicas:" + std::to_string(replicas) + "/" + by;
    }
};

/// A job with all ranks alive, its data and a store, until a rank dies.
class Job {
public:
    explicit Job(Config const& config) : config_(config), comm_(MPI_COMM_WORLD) {
        renew_store();
        mine_ = part(comm_.self());
        data_.resize(mine_.size() * block_bytes);
        fill(mine_, data_);
    }
    ft::Communicator& comm() { return comm_; }
    void renew_store() {
        store_.reset();
        coded_.reset();
        if (config_.data_pieces == 0) {
            store_.emplace(comm_, store::Options{.transport = config_.transport});
        } else {
            coded_.emplace(comm_, store::ErasureOptions{.transport = config_.transport});
        }
    }
    std::uint64_t bytes_held() const { return store_ ? store_->bytes_held() : coded_->bytes_held(); }
    store::LoadReport load(std::span<BlockRange const> wanted, std::span<std::byte> out) {
        return store_ ? store_->load(wanted, out) : coded_->load(wanted, out);
    }
    store::LoadReport load(CsrView<BlockRange> wanted, std::span<std::byte> out) {
        return store_ ? store_->load(wanted, out) : coded_->load(wanted, out);
    }
    BlockRange part(PeId pe) const {
        auto const blocks = config_.blocks_per_pe();
        return {BlockId{value(pe) * blocks}, BlockId{(value(pe) + 1) * blocks}};
    }
    placement::Any placement() const {
        auto const num_pes = comm_.num_founders();
        auto const blocks = config_.blocks_per_pe() * num_pes;
        if (config_.range_bytes == 0) return placement::ModK(blocks, num_pes, config_.replicas);
        return placement::Permuted(blocks, num_pes, config_.replicas,
                                   {.range_blocks = config_.range_bytes / block_bytes});
    }
    void submit() {
        if (store_) {
            store_->submit(placement(), mine_, data_, block_bytes);
        } else {
            coded_->submit({config_.data_pieces, config_.replicas - 1}, mine_, data_, block_bytes);
        }
    }
    /// Returns whether nothing was lost. plan: that of replicas.
    bool repair(repair::Plan& plan) {
        if (coded_) return coded_->repair().lost.empty();
        plan = store_->repair();
        return plan.lost.empty() && plan.least_copies >= std::min<std::uint64_t>(config_.replicas, comm_.size());
    }
    BlockSizes sizes() const { return {placement().shape().num_blocks, block_bytes}; }
    placement::Directory directory() const {
        std::vector<PeId> founders;
        for (std::uint32_t i = 0; i < comm_.num_founders(); ++i) founders.push_back(PeId{i});
        placement::Directory result(placement(), founders);
        result.retain(comm_.members());
        return result;
    }

    /// The last rank dies; false on that rank.
    bool lose_one() {
        static ft::FailPoint death("bench:death");
        ft::set_failure_plan({{"bench:death", PeId{comm_.num_founders() - 1}, 0}});
        try {
            comm_.reach(death);
        } catch (ft::Departed const&) {
            return false;
        } catch (ft::ProcessFailure const&) {
            static_cast<void>(comm_.shrink());
        }
        ft::set_failure_plan({});
        return true;
    }

    /// The blocks that every PE wants when all load, or when the survivors share what the dead had submitted.
    Csr<BlockRange> all_wanted() const {
        Csr<BlockRange> wanted;
        auto const p = comm_.num_founders();
        for (std::uint32_t i = 0; i < p; ++i) wanted.push_row(std::vector{part(PeId{(i + p / 2) % p})});
        return wanted;
    }
    Csr<BlockRange> wanted_of_dead() const {
        auto const dead = part(PeId{comm_.num_founders() - 1});
        Csr<BlockRange> wanted;
        for (std::size_t i = 0; i < comm_.size(); ++i) {
            auto const share = even_part<BlockId>(dead.size(), i, comm_.size());
            wanted.push_row(std::vector{
                BlockRange{advance(dead.first, value(share.first)), advance(dead.first, value(share.last))}});
        }
        wanted.end_row();  // the dead one's
        return wanted;
    }

    static void fill(BlockRange blocks, std::span<std::byte> bytes) {
        auto const words = bytes.size() / 8;
        auto const first = value(blocks.first) * block_bytes / 8;
        for (std::uint64_t i = 0; i < words; ++i) {
            std::uint64_t const word = (first + i) * 0x9e3779b97f4a7c15ULL;
            std::memcpy(bytes.data() + 8 * i, &word, 8);
        }
    }
    static bool is_right(BlockRange blocks, std::span<std::byte const> bytes) {
        std::vector<std::byte> expected(bytes.size());
        fill(blocks, expected);
        return std::equal(bytes.begin(), bytes.end(), expected.begin());
    }

private:
    Config config_;
    ft::Communicator comm_;
    std::optional<store::ReplicatedStore> store_;  // or
    std::optional<store::ErasureStore> coded_;
    BlockRange mine_;
    std::vector<std::byte> data_;
};

/// Bytes from each member to each, by the placement, a load plan or a repair plan.
ByteMatrix matrix_of_submit(Job& job) {
    ByteMatrix matrix(job.comm().size());
    auto const directory = job.directory();
    for (auto const pe : job.comm().members()) {
        directory.visit(job.part(pe), [&](placement::Run const& run) {
            for (auto const holder : run.holders) matrix.add(value(pe), value(holder), run.blocks.size() * block_bytes);
        });
    }
    return matrix;
}

ByteMatrix matrix_of_load(Job& job, CsrView<BlockRange> wanted) {
    ByteMatrix matrix(job.comm().size());
    auto const plan = load::plan(job.directory(), job.sizes(), {}, job.comm().members(), wanted);
    for (auto const* transfers : {&plan.senders.transfers, &plan.senders.local}) {
        for (auto const& transfer : *transfers)
            matrix.add(value(transfer.sender), value(transfer.receiver), transfer.blocks.size() * block_bytes);
    }
    return matrix;
}

ByteMatrix matrix_of_repair(Job& job) {
    ByteMatrix matrix(job.comm().size());
    for (auto const& step : repair::plan(job.directory(), job.sizes(), job.comm().members()).steps) {
        for (auto const& copy : step.copies)
            matrix.add(value(copy.sender), value(copy.receiver), copy.blocks.size() * block_bytes);
    }
    return matrix;
}

/// The counters that a kind of benchmark adds, and whether its result was right.
struct Outcome {
    double seconds = 0;
    bool right = true;
    std::vector<std::pair<std::string, double>> counters;
};

/// The operation that is measured, and how often it can be measured on one job.
struct Subject {
    std::function<bool(Job&)> prepare;  // false on ranks that take no part
    std::function<ByteMatrix(Job&)> matrix;
    std::function<Outcome(Job&)> operation;
    enum { once, many_times } on_a_job = many_times;
};

/// Iterations time the operation and then its peers. A communicator's first messages take longer: they are not timed.
void measure(benchmark::State& state, Config const& config, Subject const& subject) {
    std::vector<double> ours;
    std::array<std::vector<double>, num_peers> peers;
    Outcome outcome;
    std::uint64_t bytes_between = 0;
    std::optional<Job> job;
    std::optional<Floor> floor;
    bool takes_part = false;
    for (auto _ : state) {
        if (!job || subject.on_a_job == Subject::once) {
            job.emplace(config);
            takes_part = subject.prepare(*job);
            if (takes_part) {
                auto const matrix = subject.matrix(*job);
                bytes_between = matrix.between();
                floor.emplace(matrix, job->comm().position(job->comm().self()));
                for (auto const peer : {Peer::alltoallv, Peer::point_to_point}) floor->run(peer, job->comm().native());
            }
        }
        if (takes_part) {
            outcome = subject.operation(*job);
            ours.push_back(outcome.seconds);
            for (std::size_t i = 0; i < num_peers; ++i) {
                peers[i].push_back(
                    bench::timed(job->comm(), [&] { floor->run(static_cast<Peer>(i), job->comm().native()); }));
            }
        }
        int wrong = outcome.right ? 0 : 1;
        MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        state.SetIterationTime(takes_part ? ours.back() : 1);
        if (wrong != 0) {
            state.SkipWithError("wrong bytes");
            break;
        }
    }
    for (std::size_t i = 0; i < num_peers; ++i) {
        state.counters["s_per_" + std::string(name_of(static_cast<Peer>(i)))] = median(peers[i]);
    }
    auto const warm = std::min(median(peers[0]), median(peers[1]));
    state.counters["s_per_call"] = median(ours);
    state.counters["s_per_call_10th"] = quantile(ours, 0.1);
    state.counters["s_per_call_90th"] = quantile(ours, 0.9);
    // Without messages there is no floor.
    if (bytes_between > 0) state.counters["over_floor"] = median(ours) / warm;
    state.counters["bytes_between"] = static_cast<double>(bytes_between);
    for (auto const& [name, number] : outcome.counters) state.counters[name] = number;
}

std::uint64_t submitted(Config const& config) {
    return config.mebibytes << 20;
}

/// Whether all members can load what their neighbour submitted.
bool can_be_loaded(Job& job) {
    auto const wanted = job.all_wanted();
    auto const mine = wanted[job.comm().position(job.comm().self())];
    std::vector<std::byte> out(mine.front().size() * block_bytes);
    return job.load(wanted, out).lost.empty() && Job::is_right(mine.front(), out);
}

Outcome timed_submit(Config const& config, Job& job) {
    Outcome outcome;
    auto const before = resident_bytes();
    reset_peak();
    outcome.seconds = bench::timed(job.comm(), [&] { job.submit(); });
    auto const ideal = static_cast<double>(config.replicas * submitted(config));
    outcome.counters = {
        {"peak_over_ideal", bench::largest(job.comm(), static_cast<double>(peak_bytes() - before) / ideal)},
        {"held_over_ideal", bench::largest(job.comm(), static_cast<double>(job.bytes_held()) / ideal)}};
    outcome.right = can_be_loaded(job);
    return outcome;
}

Outcome timed_load(Job& job, CsrView<BlockRange> wanted, bool known) {
    auto const mine = wanted[job.comm().position(job.comm().self())];
    std::vector<std::byte> out(mine.front().size() * block_bytes);
    store::LoadReport report;
    Outcome outcome;
    outcome.seconds = bench::timed(job.comm(), [&] { report = known ? job.load(wanted, out) : job.load(mine, out); });
    outcome.right = report.lost.empty() && Job::is_right(mine.front(), out);
    auto const bound = static_cast<double>(std::max<std::uint64_t>(1, report.most_sent_bound));
    outcome.counters = {{"busiest_over_bound", static_cast<double>(report.most_sent) / bound}};
    return outcome;
}

bool submit_twice(Job& job) {
    job.submit();
    job.submit();
    return true;
}

bool submit_only(Job& job) {
    job.submit();
    return true;
}

bool submit_and_lose_one(Job& job) {
    job.submit();
    return job.lose_one();
}

void measure_first_submit(benchmark::State& state, Config const& config) {
    measure(state, config,
            {[](Job&) { return true; }, matrix_of_submit,
             [&](Job& job) {
                 job.renew_store();
                 return timed_submit(config, job);
             }});
}

void measure_submit(benchmark::State& state, Config const& config) {
    measure(state, config, {submit_twice, matrix_of_submit, [&](Job& job) { return timed_submit(config, job); }});
}

void measure_load_all(benchmark::State& state, Config const& config) {
    measure(state, config,
            {submit_only, [](Job& job) { return matrix_of_load(job, job.all_wanted()); },
             [](Job& job) { return timed_load(job, job.all_wanted(), false); }});
}

void measure_load_one(benchmark::State& state, Config const& config) {
    measure(state, config,
            {submit_and_lose_one, [](Job& job) { return matrix_of_load(job, job.wanted_of_dead()); },
             [](Job& job) { return timed_load(job, job.wanted_of_dead(), false); }});
}

void measure_load_one_known(benchmark::State& state, Config const& config) {
    measure(state, config,
            {submit_and_lose_one, [](Job& job) { return matrix_of_load(job, job.wanted_of_dead()); },
             [](Job& job) { return timed_load(job, job.wanted_of_dead(), true); }});
}

Outcome timed_repair(Config const& config, Job& job) {
    Outcome outcome;
    repair::Plan plan;
    outcome.seconds = bench::timed(job.comm(), [&] { outcome.right = job.repair(plan); });
    if (config.data_pieces == 0 && plan.bytes_copied > 0) {
        auto const mean = static_cast<double>(plan.bytes_copied) / static_cast<double>(job.comm().size());
        outcome.counters = {
            {"receiver_over_mean", static_cast<double>(plan.most_received) / mean},
            {"sender_over_mean", static_cast<double>(plan.most_sent) / mean},
            {"copied_over_missing", static_cast<double>(plan.bytes_copied) / static_cast<double>(plan.bytes_missing)}};
    }
    return outcome;
}

void measure_repair(benchmark::State& state, Config const& config) {
    measure(
        state, config,
        {submit_and_lose_one, matrix_of_repair, [&](Job& job) { return timed_repair(config, job); }, Subject::once});
}

std::vector<Config> configs(std::string_view pace, std::uint32_t num_pes) {
    using store::Transport;
    std::vector<Config> all;
    std::vector<std::uint64_t> const sizes =
        pace == "full" ? std::vector<std::uint64_t>{1, 4, 16} : std::vector<std::uint64_t>{pace == "short" ? 4U : 1U};
    for (auto const mebibytes : sizes) {
        for (std::uint32_t const replicas : {2, 4}) {
            if (replicas > num_pes || (replicas > 2 && pace != "full")) continue;
            for (std::uint64_t const range : {0, 256, 64}) {
                bool const extra = range == 64;  // shorter ranges, other transport: at the largest size only
                if (extra && (mebibytes != 16 || pace != "full")) continue;
                all.push_back({mebibytes, replicas, range << 10, 0, Transport::collective});
                if (!extra && (mebibytes == 16 || pace != "full"))
                    all.push_back({mebibytes, replicas, range << 10, 0, Transport::rounds});
            }
        }
        for (std::uint32_t const parities : {1, 2}) {  // as many deaths are survived as with parities + 1 replicas
            if (num_pes >= 8) all.push_back({mebibytes, parities + 1, 256 << 10, 4, Transport::collective});
        }
    }
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    return bench::job(argc, argv, [](std::string const& pace, ft::Communicator& comm) {
        auto const num_pes = static_cast<std::uint32_t>(comm.size());
        using Function = void (*)(benchmark::State&, Config const&);
        std::pair<char const*, Function> const operations[] = {{"first_submit", measure_first_submit},
                                                               {"submit", measure_submit},
                                                               {"load_all", measure_load_all},
                                                               {"load_one", measure_load_one},
                                                               {"load_one_known", measure_load_one_known},
                                                               {"repair", measure_repair}};
        for (auto const& config : configs(pace, num_pes)) {
            for (auto const& [name, function] : operations) {
                benchmark::RegisterBenchmark((std::string(name) + "/" + config.name(num_pes)).c_str(), function, config)
                    ->Iterations(pace == "full"    ? 9
                                 : pace == "short" ? 5
                                                   : 1)
                    ->UseManualTime()
                    ->Unit(benchmark::kMillisecond);
            }
        }
        benchmark::AddCustomContext("clock", "real_time");
        benchmark::AddCustomContext("drawing", "floor");
    });
}
