// spread REPLICAS STEPS: keeps numbers in the store, node-aware by placement::over_nodes, and agrees STEPS times, 5 ms
// apart, on ranks that may die meanwhile. After deaths all numbers are loaded. The leading rank prints `at work` after
// some steps, what each recovery found, and at the end a result.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "regraft/ft/nodes.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/node_aware.hpp"
#include "regraft/store/replicated_store.hpp"

using namespace regraft;

namespace {

constexpr std::uint64_t enough = 20;  // steps after which all ranks are at work
constexpr std::uint64_t num_blocks = 8'000;

void submit(ft::Communicator& comm, store::ReplicatedStore& store, std::uint32_t replicas) {
    auto const size = static_cast<std::uint32_t>(comm.size());
    auto const mine = even_part<BlockId>(num_blocks, comm.position(comm.self()), size);
    std::vector<std::uint64_t> numbers(mine.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = value(mine.first) + i;
    auto const placement = placement::over_nodes(placement::ModK(num_blocks, size, replicas), ft::node_ids(comm));
    store.submit(placement, mine, std::as_bytes(std::span(numbers)), sizeof(std::uint64_t));
}

/// Loads all numbers on all ranks, repairs, and then says what was lost or wrong.
void recover(ft::Communicator const& comm, store::ReplicatedStore& store, std::size_t died) {
    BlockRange const all{BlockId{0}, BlockId{num_blocks}};
    std::vector<std::uint64_t> numbers(num_blocks);
    auto const report = store.load(std::span(&all, 1), std::as_writable_bytes(std::span(numbers)),
                                   {.lost = store::LoadOptions::Lost::left});
    std::uint64_t lost = 0;
    for (auto const& range : report.lost) lost += range.size();
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < num_blocks; ++i) wrong += numbers[i] == i ? 0U : 1U;
    static_cast<void>(store.repair());
    if (comm.leads())
        std::printf("%zu died: %llu lost, %llu wrong\n", died, static_cast<unsigned long long>(lost),
                    static_cast<unsigned long long>(wrong)),
            std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    auto const replicas = static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10));
    auto const steps = std::strtoull(argv[2], nullptr, 10);
    MPI_Init(&argc, &argv);
    {
        ft::Communicator comm(MPI_COMM_WORLD);
        store::ReplicatedStore store(comm);
        std::uint64_t step = 0;
        auto const compute = [&] {
            if (store.num_blocks() == 0) submit(comm, store, replicas);
            while (step < steps) {
                ExactSum sum;
                ft::all_reduce(comm, std::span(&sum, 1));  // notices deaths
                comm.agree();
                if (++step == enough && comm.leads()) std::printf("at work\n"), std::fflush(stdout);
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
        };
        ft::resilient(comm, compute, [&](ft::Failure const& failure) { recover(comm, store, failure.lost.size()); });
        if (comm.leads()) std::printf("result from %zu of %u ranks\n", comm.size(), comm.num_founders());
    }
    MPI_Finalize();
}
