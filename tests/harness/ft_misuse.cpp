// Derives a communicator outside of the loop that survives, where the failure plan of REGRAFT_FAIL has a death.
#include <mpi.h>

#include <csignal>
#include <cstdlib>

#include "regraft/ft/derived.hpp"

using namespace regraft;

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    std::signal(SIGABRT, SIG_DFL);  // without MPI's report of where it was
    if (char const* const plan = std::getenv("REGRAFT_FAIL")) ft::set_failure_plan(ft::parse_failure_plan(plan));
    {
        ft::Communicator comm(MPI_COMM_WORLD);
        ft::Derived const copy = ft::dup(comm);
    }
    MPI_Finalize();
}
