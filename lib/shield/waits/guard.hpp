// Calls that the shield does not carry out: they are passed on while no member has died, and refused by name
// afterwards.
#pragma once

#include <mpi.h>

#include "shield/session/families.hpp"
#include "shield/session/watchdog.hpp"

namespace regraft::shield {

/// Checks whether a call may be passed on. MPI_SUCCESS: it may be tried. Otherwise a member of the communicator has
/// died (for windows and files: any process of the job), and the call returns this code, which the program was told; or
/// the job ends, as REGRAFT_SHIELD_UNSUPPORTED says. reason: why the shield does not carry it out.
int guard(char const* call, char const* reason, MPI_Comm comm);
int guard(char const* call, char const* reason, MPI_Comm comm, MPI_Comm other);
int guard(char const* call, char const* reason, MPI_Win window);
int guard(char const* call, char const* reason, MPI_File file);

/// The code that a passed-on call returns after it returned `code`; the program's error handler was told. If the code
/// means that a process has died in the call, the call is refused as above: others may wait in it for this process, and
/// would for ever.
int outcome_of(char const* call, MPI_Comm comm, int code);
int outcome_of(char const* call, MPI_Comm comm, MPI_Comm other, int code);
int outcome_of(char const* call, MPI_Win window, int code);
int outcome_of(char const* call, MPI_File file, int code);

/// Returns when all living members have come to the present call of all members. A repair reaches no process inside
/// that call. So a process that died before is found here, and a process that has to wait for something else first is
/// not waited for inside the call.
void meet(MPI_Comm comm);

/// Marks a call of MPI as passed on as long as it lives.
class Passing {
public:
    Passing() { Watchdog::note_passed(Entry::current()->caller()); }
    Passing(Passing const&) = delete;
    Passing& operator=(Passing const&) = delete;
    ~Passing() { Watchdog::note_passed(nullptr); }
};

/// Gives a communicator that MPI has made the error handler that the program has set on the parent. Returns code.
int inherit(MPI_Comm parent, MPI_Comm const* made, int code);

}  // namespace regraft::shield
