// steps NUMBER: sums numbers that lie in the store NUMBER times, 5 ms apart, on ranks that may die meanwhile. The
// leading rank prints `at work` after some steps, a line for each recovery, and at the end a result, the same bits
// whatever died.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "regraft/assign/balance.hpp"
#include "regraft/assign/reassign.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/store/replicated_store.hpp"

using namespace regraft;

namespace {

constexpr std::uint64_t enough = 20;  // steps after which all ranks are at work
constexpr std::uint32_t replicas = 3;
std::vector<std::uint64_t> const sites{0, 20'000};

void submit_input(ft::Communicator const& comm, store::ReplicatedStore& store) {
    auto const size = static_cast<std::uint32_t>(comm.size());
    auto const mine = even_part<BlockId>(sites[1], comm.position(comm.self()), size);
    std::vector<double> input(mine.size());
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = 1 / (1 + static_cast<double>(value(mine.first) + i));
    placement::ModK const placement(sites[1], size, std::min(replicas, size));
    store.submit(placement, mine, std::as_bytes(std::span(input)), sizeof(double));
}

std::vector<double> load(store::ReplicatedStore& store, std::span<assign::Work const> work) {
    std::vector<BlockRange> wanted;
    for (auto const& piece : work)
        wanted.push_back({BlockId{value(piece.sites.first)}, BlockId{value(piece.sites.last)}});
    std::vector<double> numbers(assign::num_sites(work));
    auto const report = store.load(wanted, std::as_writable_bytes(std::span(numbers)));
    if (!report.lost.empty()) std::printf("lost: some numbers\n");
    return numbers;
}

/// The sum of one step of one rank.
ExactSum part_of(std::span<double const> numbers, std::uint64_t step) {
    ExactSum sum;
    for (double number : numbers) sum.add(number / (1 + static_cast<double>(step)));
    return sum;
}

double run(ft::Communicator& comm, std::uint64_t steps) {
    store::ReplicatedStore store(comm);
    auto work = assign::balance(sites, comm.members(), comm.num_founders());
    std::uint64_t step = 0;  // the same on all ranks after a recovery, because all finish a step or none does
    double result = 0;

    auto const compute = [&] {
        if (store.num_blocks() == 0) submit_input(comm, store);
        auto const numbers = load(store, work[value(comm.self())]);
        while (step < steps) {
            ExactSum sum = part_of(numbers, step);
            ft::all_reduce(comm, std::span(&sum, 1));
            comm.agree();
            result = result / 2 + sum.value();
            if (++step == enough && comm.leads()) std::printf("at work\n"), std::fflush(stdout);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return result;
    };
    auto const recover = [&](ft::Failure const& failure) {
        work = assign::reassign(work, comm.members()).after;
        static_cast<void>(store.repair());
        if (comm.leads()) std::printf("%zu died\n", failure.lost.size()), std::fflush(stdout);
    };
    return ft::resilient(comm, compute, recover);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    MPI_Init(&argc, &argv);
    {
        ft::Communicator comm(MPI_COMM_WORLD);
        double const result = run(comm, std::strtoull(argv[1], nullptr, 10));
        if (comm.leads()) std::printf("result %.17g from %zu of %u ranks\n", result, comm.size(), comm.num_founders());
    }
    MPI_Finalize();
}
