// Windows are MPI's own, and usable while all members live. Their members have a communicator of the shield, to meet on
// before they call MPI.
#pragma once

#include <mpi.h>

namespace regraft::shield {

/// The communicator of a window that is being made. Collective over the members of comm, from which the window is made;
/// none if comm is not shielded.
class WindowFace {
public:
    explicit WindowFace(MPI_Comm comm);
    WindowFace(WindowFace const&) = delete;
    WindowFace& operator=(WindowFace const&) = delete;
    /// Frees the communicator, unless a window has it.
    ~WindowFace();

    /// Returns code, which says whether the window was made. If so, the window gets the communicator.
    int give(MPI_Win const* window, int code);

private:
    MPI_Comm face_ = MPI_COMM_NULL;
};

/// Lets the window's members meet, as meet(MPI_Comm) does.
void meet(MPI_Win window);

}  // namespace regraft::shield
