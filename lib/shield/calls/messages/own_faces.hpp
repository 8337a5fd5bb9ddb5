// Communicators of persistent collectives. These collectives are made in the same order on all members, but started in
// any order. So each has its own communicator, on which nothing else can be confused with it.
#pragma once

#include <mpi.h>

#include <memory>

#include "shield/lanes/lane.hpp"

namespace regraft::shield {

class OwnFace {
public:
    /// Takes a communicator that another collective has given up on all members, or a duplicate. Takes comm itself if
    /// it is not shielded or cannot be duplicated. Collective over the members of comm.
    explicit OwnFace(MPI_Comm comm);
    OwnFace(OwnFace const&) = delete;
    OwnFace& operator=(OwnFace const&) = delete;
    ~OwnFace();

    /// The communicator, with the error handler that comm has now.
    MPI_Comm face() const;

private:
    MPI_Comm comm_;
    MPI_Comm face_;
    std::shared_ptr<bool> is_used_;
};

/// Frees the communicators of persistent collectives, except those in use, because the program's communicator is freed.
/// Collective.
void release_own_faces(Lane& lane);

}  // namespace regraft::shield
