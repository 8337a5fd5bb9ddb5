// Calls that the shield does not carry out: passed on while nobody has died, refused by name afterwards.
#pragma once

#include <mpi.h>

#include "shield/session/families.hpp"
#include "shield/session/watchdog.hpp"

namespace regraft::shield {

/// MPI_SUCCESS: the call may be tried. Else a member of the communicator has died, or, for windows and files, anybody
/// of the job, and this is what the call returns, of which the program was told; or the job ends, as
/// REGRAFT_SHIELD_UNSUPPORTED says. reason: why the shield does not carry it out.
int guard(char const* call, char const* reason, MPI_Comm comm);
int guard(char const* call, char const* reason, MPI_Comm comm, MPI_Comm other);
int guard(char const* call, char const* reason, MPI_Win window);
int guard(char const* call, char const* reason, MPI_File file);

/// What a call returns that has returned code: the program's error handler was told. If it says that somebody has died
/// in the call, that is refused as above: others may wait in it for this one, and would for ever.
int judge(char const* call, MPI_Comm comm, int code);
int judge(char const* call, MPI_Comm comm, MPI_Comm other, int code);
int judge(char const* call, MPI_Win window, int code);
int judge(char const* call, MPI_File file, int code);

/// Returns when all members who live have come to the present call of all of them. In it, a repair reaches nobody: so
/// who dies before it is found here, and who has to wait for something else first is not waited for there.
void meet(MPI_Comm comm);

/// While the call is MPI's.
class Passing {
public:
    Passing() { Watchdog::note_passed(Entry::current()->caller()); }
    Passing(Passing const&) = delete;
    Passing& operator=(Passing const&) = delete;
    ~Passing() { Watchdog::note_passed(nullptr); }
};

/// What MPI has made of a communicator inherits the error handler that the program has set there. Its return code.
int inherit(MPI_Comm parent, MPI_Comm const* made, int code);

}  // namespace regraft::shield
