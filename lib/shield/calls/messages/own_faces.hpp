// Communicators of persistent collectives. These are made in the same order everywhere, but started in any: so each has
// one of its own, on which there is nothing else to confuse it with.
#pragma once

#include <mpi.h>

#include <memory>

#include "shield/engine/lane.hpp"

namespace regraft::shield {

class OwnFace {
public:
    /// Collective over the members of comm. Some other's that has been destroyed on all of them, or a duplicate. comm
    /// itself if the shield has nothing to do with it, or it cannot be duplicated.
    explicit OwnFace(MPI_Comm comm);
    OwnFace(OwnFace const&) = delete;
    OwnFace& operator=(OwnFace const&) = delete;
    ~OwnFace();

    /// With the error handler that comm has now.
    MPI_Comm face() const;

private:
    MPI_Comm comm_;
    MPI_Comm face_;
    std::shared_ptr<bool> is_used_;
};

/// The communicator is freed: so are those of its persistent collectives, but for those in use. Collective.
void release_own_faces(Lane& lane);

}  // namespace regraft::shield
