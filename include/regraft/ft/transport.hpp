// How bytes travel between the members of a communicator.
#pragma once

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::ft {

/// The calls of MPI that carry blocks.
enum class Transport {
    /// Blocking MPI_Alltoallv: survives deaths on every Open MPI 5 that was measured, also over TCP.
    collective,
    /// Rounds of point-to-point messages; in a round a PE sends to one partner and receives from one. Only safe where
    /// the canary for point-to-point messages passes (docs/mpi/failure-model.md).
    rounds,
};

}  // namespace regraft::ft
#pragma GCC visibility pop
