// Requests of messages, as other calls make and see them.
#pragma once

#include <mpi.h>

#include "shield/session/buffer.hpp"

namespace regraft::shield {

/// A request that is complete, and tells that nothing came from there. The return code of MPI.
int complete_request(int from, int tag, MPI_Request* request);
/// Instead of a receive from the dead that is started: such a request, or an error and none.
int start_nothing(MPI_Comm face, Buffer const& buffer, int from, int tag, MPI_Request* request);
/// The request receives a message from there on this face.
void expect_message(MPI_Request request, MPI_Comm face, Buffer const& buffer, int from, int tag);
/// Whether a message is under way on this face.
bool has_messages(MPI_Comm face);

}  // namespace regraft::shield
