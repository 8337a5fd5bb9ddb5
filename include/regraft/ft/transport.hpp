// How bytes travel between the members of a communicator.
#pragma once

namespace regraft::ft {

enum class Transport {
    /// By blocking MPI_Alltoallv: survives deaths on every Open MPI 5 measured, also over TCP.
    collective,
    /// By rounds of point-to-point messages, in each of which a PE sends to one partner and receives from one: only
    /// where the canary for point-to-point messages passes (docs/failure-model.md).
    rounds,
};

}  // namespace regraft::ft
