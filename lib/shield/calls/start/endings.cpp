// Ends of a process without MPI_Finalize. Otherwise the others would not notice: MPI reports a process that is killed,
// but not always one that exits.
#include <mpi.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launch/rank.h"
#include "shield/session/session.hpp"

namespace regraft::shield {
namespace {

/// Whether this process, and not a fork of it, is between MPI_Init and MPI_Finalize.
bool is_in_job() {
    auto& it = session();
    return it.shield != nullptr && it.board->mine().process == getpid();
}

constexpr int seen = 0xff;

/// Leaves the part of an exit code that others see.
void leave_code(int code) {
    session().board->mine().exit_code = code & seen;
}

[[noreturn]] void die() {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

void leave(char const* how, int code) {
    if (!is_in_job()) return;
    say(how,
        "this rank exits with code " + std::to_string(code) + " without MPI_Finalize: the others treat it as dead");
    leave_code(code);
    std::fflush(nullptr);
    die();
}

int code_of_quick_exit = 0;

/// Registered before the program registers anything for its exit, so that the program's functions run first.
__attribute__((constructor)) void watch_exit() {
    on_exit(
        [](int code, void*) {
            leave("exit", code);
            if (session().finalized == getpid()) regraft_rank_ends("finalized", code & seen);
        },
        nullptr);
    at_quick_exit([] { leave("quick_exit", code_of_quick_exit); });
}

}  // namespace
}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_Abort(MPI_Comm comm, int code) {
    auto const& it = session();
    if (it.shield == nullptr) return PMPI_Abort(comm, code);
    if (!it.policy.abort_ends_job) {
        say(located("MPI_Abort"), "this rank ends, and no other does, with code " + std::to_string(code));
        die();
    }
    if (!has_launcher()) return PMPI_Abort(comm, code);
    end_job((code & 0xff) == 0 ? 1 : code & 0xff, located("MPI_Abort"),
            "the program ends the job with code " + std::to_string(code), CodeOf::program);
}

__attribute__((visibility("default"))) void quick_exit(int code) noexcept {
    code_of_quick_exit = code;
    reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "quick_exit"))(code);
    __builtin_unreachable();
}
// Signal handlers call them, so nothing is printed.
__attribute__((visibility("default"))) void _exit(int code) {
    if (is_in_job()) {
        leave_code(code);
        die();
    }
    for (;;) syscall(SYS_exit_group, code);
}
__attribute__((visibility("default"))) void _Exit(int code) {
    _exit(code);
}
}
