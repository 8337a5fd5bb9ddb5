// Updates of a replicated store beside submits of everything: two stores of the same rows, of which one sends only what
// has changed, in turn. An MPI job; rank 0 reports.
//
//   update_N  N percent of the blocks of each PE have changed, in runs of 4 KiB drawn at random
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "job.hpp"
#include "regraft/core/random.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/store/replicated_store.hpp"

namespace {

using namespace regraft;

constexpr std::uint64_t block_bytes = 64, run_blocks = 64;

/// The blocks that a PE submits, and how they change.
class Changing {
public:
    Changing(PeId pe, std::uint64_t blocks)
        : part_{BlockId{value(pe) * blocks}, BlockId{(value(pe) + 1) * blocks}}, random_(value(pe)) {
        bytes_.resize(blocks * block_bytes);
        for (auto& byte : bytes_) byte = static_cast<std::byte>(random_.below(256));
    }

    /// Changes so many percent, and returns the blocks.
    std::vector<BlockRange> step(int percent) {
        std::vector<std::uint64_t> runs(part_.size() / run_blocks);
        std::iota(runs.begin(), runs.end(), 0);
        shuffle(std::span(runs), random_);
        runs.resize((runs.size() * static_cast<std::uint64_t>(percent) + 99) / 100);
        std::ranges::sort(runs);
        std::vector<BlockRange> changed;
        for (auto const run : runs) {
            auto const first = advance(part_.first, run * run_blocks);
            changed.push_back({first, advance(first, run_blocks)});
            for (auto& byte : bytes_of(changed.back())) byte ^= std::byte{0x5a};
        }
        return changed;
    }
    std::span<std::byte> bytes_of(BlockRange blocks) {
        return std::span(bytes_).subspan((value(blocks.first) - value(part_.first)) * block_bytes,
                                         blocks.size() * block_bytes);
    }
    BlockRange part() const { return part_; }
    std::vector<std::byte> const& bytes() const { return bytes_; }

private:
    BlockRange part_;
    Random random_;
    std::vector<std::byte> bytes_;
};

void measure(benchmark::State& state, ft::Communicator& comm, std::uint64_t mebibytes, int percent) {
    auto const pes = static_cast<std::uint32_t>(comm.size());
    auto const blocks = (mebibytes << 20) / block_bytes;
    auto const self = value(comm.self());
    Changing mine(comm.self(), blocks), others(PeId{(self + pes / 2) % pes}, blocks);  // those of a PE far away
    store::ReplicatedStore whole(comm), updated(comm);
    auto const submit = [&](store::ReplicatedStore& store) {
        store.submit(placement::ModK(blocks * pes, pes, std::min(2U, pes)), mine.part(), mine.bytes(), block_bytes);
    };
    for (int i = 0; i < 2; ++i) submit(whole);  // until all memory is there
    submit(updated);
    struct Step {
        std::vector<BlockRange> changed;
        std::vector<std::byte> bytes;
    };
    auto const step = [&] {
        Step made{mine.step(percent), {}};
        static_cast<void>(others.step(percent));
        for (auto const& range : made.changed) {
            auto const bytes = mine.bytes_of(range);
            made.bytes.insert(made.bytes.end(), bytes.begin(), bytes.end());
        }
        return made;
    };
    auto const is_right = [&] {
        std::vector<std::byte> out(others.bytes().size());
        static_cast<void>(updated.load(std::vector{others.part()}, out));
        return bench::largest(comm, out == others.bytes() ? 0 : 1) == 0;
    };
    auto const [changed, bytes] = step();
    static_cast<void>(updated.update(changed, bytes));
    if (!is_right()) return state.SkipWithError("wrong bytes");
    std::vector<double> ours, theirs;
    for (auto _ : state) {
        auto const next = step();
        theirs.push_back(bench::timed(comm, [&] { submit(whole); }));
        ours.push_back(bench::timed(comm, [&] { static_cast<void>(updated.update(next.changed, next.bytes)); }));
        state.SetIterationTime(ours.back());
    }
    if (!is_right()) return state.SkipWithError("wrong bytes after all updates");
    state.counters["s_per_call"] = bench::median(ours);
    state.counters["s_per_submit"] = bench::median(theirs);
    state.counters["over_submit"] = bench::median(ours) / bench::median(theirs);
    state.counters["held_over_whole"] = static_cast<double>(updated.bytes_held() + updated.bytes_spare()) /
                                        static_cast<double>(whole.bytes_held() + whole.bytes_spare());
}

}  // namespace

int main(int argc, char** argv) {
    return bench::job(argc, argv, [](std::string const& pace, ft::Communicator& comm) {
        std::uint64_t const mebibytes = pace == "smoke" ? 1 : 16;
        for (int const percent : {1, 10, 100}) {
            auto const name = "update_" + std::to_string(percent) + "/mod_k/bytes:" + std::to_string(mebibytes << 20) +
                              "/pes:" + std::to_string(comm.size()) + "/replicas:2/collective";
            benchmark::RegisterBenchmark(
                name.c_str(),
                [&, mebibytes, percent](benchmark::State& state) { measure(state, comm, mebibytes, percent); })
                ->Iterations(pace == "full" ? 11 : 1)
                ->UseManualTime()
                ->Unit(benchmark::kMillisecond);
        }
        benchmark::AddCustomContext("clock", "real_time");
    });
}
