// Communicators that the shield does not know: those of two groups, and those merged from such. Their messages are
// MPI's own.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>

namespace regraft::shield {

/// The bytes to pass to Waiting and Looking for a message there: a process that waits for it goes on only if a rank of
/// MPI_COMM_WORLD does something. None: there are other members, too, which may send at any time.
std::optional<std::size_t> awaited_there(MPI_Comm comm);
/// Is called while nothing has come. If a member is dead and no living process makes a step, the job ends, because MPI
/// would wait for ever.
void end_if_in_vain(MPI_Comm comm);
/// Whether the rank is known to be dead; the rank is in the other group if there are two.
bool is_dead_there(MPI_Comm comm, int rank);

/// Note that the request was started there, and that it is over.
void note_started(MPI_Request request, MPI_Comm comm);
void note_ended(MPI_Request request);
bool has_started_any();
/// The communicator where it was started; MPI_COMM_NULL: it is none of these.
MPI_Comm place_of_request(MPI_Request request);

}  // namespace regraft::shield
