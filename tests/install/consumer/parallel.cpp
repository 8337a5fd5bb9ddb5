// A program of another project, on libregraft_mpi.
#include <mpi.h>

#include <array>
#include <cstdio>

#include "regraft/core/exact_sum.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/ft/reduce.hpp"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    bool right = false;
    {
        regraft::ft::Communicator comm(MPI_COMM_WORLD);
        std::array<regraft::ExactSum, 1> sums;
        sums[0].add(1.0);
        regraft::ft::all_reduce(comm, sums);
        right = sums[0].value() == static_cast<double>(comm.size());
        if (comm.leads()) std::printf("%zu ranks: %s\n", comm.size(), right ? "right" : "wrong");
    }
    MPI_Finalize();
    return right ? 0 : 1;
}
