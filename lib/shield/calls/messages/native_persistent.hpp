// Persistent requests that the shield leaves to MPI: partitioned messages.
#pragma once

#include <mpi.h>

namespace regraft::shield {

/// Whether there are any.
bool has_natives();
/// Whether the request is one that has been started before and is not active now.
bool is_inactive_native(MPI_Request request);
/// Ends this process if the request is that of a partitioned message whose partner is dead: MPI may wait for ever.
void guard_partner(char const* call, MPI_Request request);
/// Is called when what was started is over, or when the request is freed.
void end_native(MPI_Request request);
void forget_native(MPI_Request request);

}  // namespace regraft::shield
