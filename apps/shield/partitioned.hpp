// Partitioned messages, which the shield does not carry out itself.
#pragma once

#include <mpi.h>

namespace regraft::shield {

/// Ends this process if the request is that of a partitioned message whose partner is dead: MPI may wait for ever.
void guard_partitioned(char const* call, MPI_Request request);
/// The request is freed.
void forget_partitioned(MPI_Request request);

}  // namespace regraft::shield
