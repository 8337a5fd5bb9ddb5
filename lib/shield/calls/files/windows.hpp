// Windows are MPI's own, while all live. Their members have a communicator here, to come together before they call MPI.
#pragma once

#include <mpi.h>

namespace regraft::shield {

/// The communicator of a window that is being made. Collective over the members of comm, from which it is made; none if
/// that is not shielded.
class WindowFace {
public:
    explicit WindowFace(MPI_Comm comm);
    WindowFace(WindowFace const&) = delete;
    WindowFace& operator=(WindowFace const&) = delete;
    /// Frees it, if no window has it.
    ~WindowFace();

    /// code, which says whether the window is made. If so, it gets the communicator.
    int give(MPI_Win const* window, int code);

private:
    MPI_Comm face_ = MPI_COMM_NULL;
};

/// As meet(MPI_Comm), of the window's members.
void meet(MPI_Win window);

}  // namespace regraft::shield
