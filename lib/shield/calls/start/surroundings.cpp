#include "shield/calls/start/surroundings.hpp"
#include <mpi.h>

#include <mpi-ext.h>

#include <dlfcn.h>

#include "shield/calls/collectives/collective_requests.hpp"
#include "shield/calls/files/files.hpp"
#include "shield/calls/start/fortran.hpp"
#include "shield/session/report.hpp"
#include "shield/session/session.hpp"
#include "shield/waits/proxies.hpp"

namespace regraft::shield {
namespace {

bool survives_failures() {
    int* value = nullptr;
    int found = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_FT, &value, &found);
    return found != 0 && *value != 0;
}

/// A call of MPI that another library answers before the shield, such as a profiler that is linked into the program: it
/// goes to MPI's profiling interface past the shield. Empty: there is none.
std::string answered_before_us() {
    Dl_info ours{};
    dladdr(reinterpret_cast<void*>(&what_is_in_the_way), &ours);
    for (auto const& family : families()) {
        Dl_info first{};
        void* const function = dlsym(RTLD_DEFAULT, family.name);
        if (function != nullptr && dladdr(function, &first) != 0 && first.dli_fbase != ours.dli_fbase)
            return std::string(family.name) + " is a function of " + first.dli_fname;
    }
    return {};
}

}  // namespace

std::string what_is_in_the_way() {
    if (!survives_failures())
        return "MPI was not started so that it survives failures; start the job by regraft-shield or mpirun --with-ft "
               "ulfm";
    if (!take_calls_of_fortran()) return "the shield cannot intercept the calls of MPI from Fortran (libmpi_mpifh)";
    if (auto const call = answered_before_us(); !call.empty()) return call + ", which calls MPI past the shield";
    return {};
}

void stand_aside(char const* call) {
    auto& it = session();
    if (it.shield == nullptr) return;
    if (has_collectives_under_way() || has_proxies() || has_files())
        refuse(call,
               "the program handles failures itself from here on, but has nonblocking collectives, persistent requests "
               "or files that only the shield can complete");
    if (it.shield->living().front() == it.shield->self()) {
        say(call, "the program handles failures itself: the shield does nothing from here on");
        report_aside(call);
    }
    it.shield->lanes().give_handlers_back();
    it.watchdog.reset();
    it.shield.reset();
}

}  // namespace regraft::shield

using namespace regraft::shield;

// Functions that programs need to survive by themselves.
extern "C" {

int MPIX_Comm_agree(MPI_Comm comm, int* flag) {
    stand_aside("MPIX_Comm_agree");
    return PMPIX_Comm_agree(comm, flag);
}

int MPIX_Comm_iagree(MPI_Comm comm, int* flag, MPI_Request* request) {
    stand_aside("MPIX_Comm_iagree");
    return PMPIX_Comm_iagree(comm, flag, request);
}

int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm* made) {
    stand_aside("MPIX_Comm_shrink");
    return PMPIX_Comm_shrink(comm, made);
}
}
