// Communicators that the shield does not know: of two groups, and what is merged from such. Their messages are MPI's.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>

namespace regraft::shield {

/// For Waiting and Looking: who waits for a message there goes on only if a rank of MPI_COMM_WORLD does something.
/// Nothing: others are members, too, and may send at any time.
std::optional<std::size_t> awaited_there(MPI_Comm comm);
/// Nothing has come yet. If a member is dead and nobody who lives makes a step, the job ends: MPI would wait for ever.
void end_if_in_vain(MPI_Comm comm);
/// Whether the rank, of the other group if there are two, is known to be dead.
bool is_dead_there(MPI_Comm comm, int rank);

/// The request was started there, and is over.
void note_started(MPI_Request request, MPI_Comm comm);
void note_ended(MPI_Request request);
bool has_started_any();
/// Where it was started; MPI_COMM_NULL: not there.
MPI_Comm place_of_request(MPI_Request request);

}  // namespace regraft::shield
