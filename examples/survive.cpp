// Sums a million numbers that lie in the memory of the ranks. Rank 1 dies; the sum is the same, bit for bit. It is so,
// too, if rank 3 dies, which keeps the same blocks: blocks that no rank has any more are made again.
#include <mpi.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

#include "regraft/assign/balance.hpp"
#include "regraft/assign/reassign.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/store/replicated_store.hpp"

using namespace regraft;

namespace {

std::vector<std::uint64_t> const sites{0, 1'000'000};  // one partition; every site is a block of eight bytes

/// The input itself; other programs would read a file here.
void make_input(BlockRange blocks, std::span<std::byte> bytes) {
    for (auto id = blocks.first; id < blocks.last; id = advance(id, 1)) {
        double const number = 1 / (1 + static_cast<double>(value(id)));
        std::memcpy(bytes.data() + (value(id) - value(blocks.first)) * sizeof number, &number, sizeof number);
    }
}

/// Every rank makes its part of the input and gives it to the store, which keeps each block on two ranks.
void submit_input(ft::Communicator const& comm, store::ReplicatedStore& store) {
    auto const size = static_cast<std::uint32_t>(comm.size());
    auto const mine = even_part<BlockId>(sites[1], comm.position(comm.self()), size);
    std::vector<std::byte> input(mine.size() * sizeof(double));
    make_input(mine, input);
    placement::ModK const placement(sites[1], size, std::min(2U, size));
    store.submit(placement, mine, input, sizeof(double));
}

std::vector<double> load(store::ReplicatedStore& store, std::span<assign::Work const> work) {
    std::vector<BlockRange> wanted;
    for (auto const& piece : work)
        wanted.push_back({BlockId{value(piece.sites.first)}, BlockId{value(piece.sites.last)}});
    std::vector<double> numbers(assign::num_sites(work));
    auto const report = store.load(wanted, std::as_writable_bytes(std::span(numbers)), {.reread = make_input});
    for (auto const& lost : report.lost)
        std::fprintf(stderr, "lost, and made again: %llu sites\n", static_cast<unsigned long long>(lost.size()));
    return numbers;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    // More deaths, to try: survive "reduce:before:3:0" kills rank 3 where it comes to the sum.
    if (argc > 1) ft::set_failure_plan(ft::parse_failure_plan(argv[1]));
    {
        // [README begins]
        ft::Communicator comm(MPI_COMM_WORLD);
        store::ReplicatedStore store(comm);
        auto work = assign::balance(sites, comm.members(), comm.num_founders());  // which rank computes on which sites

        auto const compute = [&] {
            if (store.version() == 0) submit_input(comm, store);
            auto const numbers = load(store, work[value(comm.self())]);
            if (comm.self() == PeId{1} && comm.size() > 1) raise(SIGKILL);
            ExactSum sum;  // exact: the same bits however the sites are dealt
            for (double x : numbers) sum.add(x);
            ft::all_reduce(comm, std::span(&sum, 1));
            return sum.value();
        };
        auto const recover = [&](ft::Failure const&) {  // survivors take over the sites of the dead, and their copies
            work = assign::reassign(work, comm.members()).after;
            auto const repaired = store.repair();
            if (comm.leads()) std::printf("%.1f MB copied\n", 1e-6 * static_cast<double>(repaired.bytes_copied));
        };
        double const sum = ft::resilient(comm, compute, recover);

        if (comm.leads()) std::printf("%.17g from %zu of %u ranks\n", sum, comm.size(), comm.num_founders());
        // [README ends]
    }
    MPI_Finalize();
}
