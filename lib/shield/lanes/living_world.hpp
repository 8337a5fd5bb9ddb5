// A communicator of all living processes, on which some of them make communicators.
#pragma once

#include <mpi.h>

#include <vector>

#include "regraft/core/ids.hpp"

namespace regraft::shield {

/// A hidden communicator of all processes that lived at the end of the last repair. Repairs make it anew and do not
/// revoke it.
struct LivingWorld {
    MPI_Comm comm = MPI_COMM_NULL;
    std::vector<PeId> members;  // by rank

    /// Precondition: a member. O(size).
    int rank_of(PeId member) const;
    /// Makes others that wait on the living world leave it too, because a process has died there.
    void leave() const;
    /// Makes it anew without the dead. Returns the old communicator, for the caller to free. Collective over the living
    /// members, uniform.
    MPI_Comm renew(PeId self);
};

}  // namespace regraft::shield
