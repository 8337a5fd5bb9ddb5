// Requests of messages, as other calls make and see them.
#pragma once

#include <mpi.h>

#include "shield/session/buffer.hpp"

namespace regraft::shield {

/// Makes a complete request, which says that nothing came from that rank. Returns the code of MPI.
int complete_request(int from, int tag, MPI_Request* request);
/// Takes the place of a receive from the dead that is started: makes such a request, or returns an error without a
/// request.
int start_nothing(MPI_Comm face, Buffer const& buffer, int from, int tag, MPI_Request* request);
/// Registers the request as a receive from that rank on this face.
void expect_message(MPI_Request request, MPI_Comm face, Buffer const& buffer, int from, int tag);
/// Whether a message is under way on this face.
bool has_messages(MPI_Comm face);

}  // namespace regraft::shield
