// Sums a million numbers that lie in the memory of the ranks. Rank 1 dies, and the sum is the same, bit for bit.
#include <mpi.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <vector>

#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/store/replicated_store.hpp"

using namespace regraft;

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        ft::Communicator comm(MPI_COMM_WORLD);
        store::ReplicatedStore store(comm);
        auto const compute = [&] {
            auto const n = 1'000'000U, ranks = static_cast<unsigned>(comm.size());
            auto const mine = even_part<BlockId>(n, comm.position(comm.self()), ranks);  // this rank adds up these
            std::vector<double> numbers(mine.size());
            auto const bytes = std::as_writable_bytes(std::span(numbers));
            if (store.version() == 0) {  // the input, each number on two ranks; other programs would read a file here
                for (auto i = 0U; i < numbers.size(); ++i) numbers[i] = 1 / double(value(mine.first) + i + 1);
                store.submit(placement::ModK(n, ranks, std::min(2U, ranks)), mine, bytes, sizeof(double));
            }
            static_cast<void>(store.load(std::span(&mine, 1), bytes));  // from the ranks that have them
            if (comm.self() == PeId{1} && ranks > 1) std::raise(SIGKILL);
            ExactSum sum;  // exact: the same bits however the numbers are dealt
            for (double const number : numbers) sum.add(number);
            ft::all_reduce(comm, std::span(&sum, 1));
            return sum.value();
        };
        auto const recover = [&](ft::Failure const&) { static_cast<void>(store.repair()); };  // two copies again
        double const sum = ft::resilient(comm, compute, recover);
        if (comm.leads()) std::printf("%.17g from %zu of %u ranks\n", sum, comm.size(), comm.num_founders());
    }
    MPI_Finalize();
}
