// Lets what the library throws leave main: without arguments the failure that REGRAFT_FAIL plans, outside of the loop
// that survives; with `other-common` a difference between members, and with `two-threads` a broken contract.
#include <mpi.h>

#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/ft/derived.hpp"

using namespace regraft;

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (argc == 1) std::signal(SIGABRT, SIG_DFL);  // without MPI's report of where it was
    if (char const* const plan = std::getenv("REGRAFT_FAIL")) ft::set_failure_plan(ft::parse_failure_plan(plan));
    {
        ft::Communicator comm(MPI_COMM_WORLD);
        if (argc > 1 && std::string_view(argv[1]) == "two-threads") {
            if (comm.leads()) std::thread([&] { comm.agree(); }).detach();
            if (comm.leads()) comm.agree();  // the other rank never comes, so both threads are there sooner or later
            int never = 0;
            MPI_Recv(&never, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            std::abort();
        } else if (argc > 1) {
            checkpoint::Snapshot snapshot(comm);
            int step = comm.self() == PeId{2} ? 8 : 7, number = 1;
            snapshot.add_common("number", number);
            snapshot.add_common("step", step);
            snapshot.commit();
        }
        ft::Derived const copy = ft::dup(comm);
    }
    MPI_Finalize();
}
