// Functions for messages: ranks on faces, the dead, and waiting.
#pragma once

#include <mpi.h>

#include "ft/backend.hpp"
#include "shield/lanes/fail_points.hpp"
#include "shield/session/buffer.hpp"
#include "shield/session/session.hpp"

namespace regraft::shield {

/// Whether a code means that the partner of a message is dead.
inline bool is_of_the_dead(int code) {
    return code != MPI_SUCCESS && ft::backend::is_process_failure(class_of(code));
}
/// Whether a code means that a receive from any source waits for an acknowledgement of deaths.
inline bool is_suspended(int code) {
    return code != MPI_SUCCESS && ft::backend::is_suspended(class_of(code));
}
bool all_others_dead(Lane const& lane);
/// Whether no more messages can come from a rank or MPI_ANY_SOURCE.
bool can_not_send(Lane const& lane, int from);
inline bool is_out_of_range(Lane const& lane, int rank) {
    return rank >= static_cast<int>(lane.size());
}
/// Whether the rank was dead when the face was made, so that it has none there.
inline bool is_not_on_face(Lane const& lane, int rank) {
    return rank >= 0 && lane.on_face(rank) == Lane::gone;
}
/// Whether a message to the rank has no living receiver. A repair may know that before MPI does.
inline bool is_lost(Lane const& lane, int rank) {
    return rank >= 0 && (!lane.lives(rank) || is_not_on_face(lane, rank));
}

/// Is called at the begin of each call: takes part in a repair if one was called.
inline void enter_message_call() {
    auto& shield = *session().shield;
    reach(call_points.call, shield.self());
    reach(call_points.inside, shield.self());
    shield.help();
}
/// The handle that MPI gives to requests that are complete when they are started, such as most small sends.
/// MPI_REQUEST_NULL: MPI has no such handle.
MPI_Request complete_at_once();
/// Takes the place of a receive from the dead: sets *status. Returns MPI_SUCCESS, or an error that the program has yet
/// to be told.
int receive_nothing(Lane const& lane, Buffer const& buffer, int from, int tag, MPI_Status* status);
/// Takes the place of a receive or probe from any source: the obituary of a dead member, or the error of the policy.
/// Returns as receive_nothing.
int receive_obituary(Lane const& lane, Buffer const& buffer, int dead, int tag, MPI_Status* status);
/// Is called for a message that has come: replaces the rank on the face in the status by that of the program.
void translate(Lane const& lane, MPI_Status* status);
/// Sets the status to that of an empty message, as from a process that sent none.
void set_empty(MPI_Status* status, int from, int tag);
/// Sets the status to that of an inactive request.
void set_inactive(MPI_Status* status);

}  // namespace regraft::shield
