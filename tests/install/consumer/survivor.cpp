// A program of somebody else whose ranks may die: survivor [VICTIM].
#include <mpi.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "regraft/core/exact_sum.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/ft/reduce.hpp"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        using namespace regraft;
        ft::Communicator comm(MPI_COMM_WORLD);
        if (argc > 1 && value(comm.self()) == static_cast<unsigned>(std::atoi(argv[1]))) raise(SIGKILL);
        auto const count = [&] {
            std::array<ExactSum, 1> sums;
            sums[0].add(1.0);
            ft::all_reduce(comm, sums);
            return sums[0].value();
        };
        double living = 0;
        while (living == 0) {
            try {
                living = count();
            } catch (ft::ProcessFailure const&) {
                static_cast<void>(comm.shrink());
            }
        }
        bool const right = living == static_cast<double>(comm.size());
        if (comm.leads())
            std::printf("%zu of %u ranks: %s\n", comm.size(), comm.num_founders(), right ? "right" : "wrong");
    }
    MPI_Finalize();
}
