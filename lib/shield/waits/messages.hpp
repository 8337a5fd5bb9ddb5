// What messages have in common: ranks on faces, the dead, and waiting.
#pragma once

#include <mpi.h>

#include "ft/backend.hpp"
#include "shield/engine/fail_points.hpp"
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
/// Whether no message can come from there any more. from: a rank or MPI_ANY_SOURCE.
bool can_not_send(Lane const& lane, int from);
inline bool is_out_of_range(Lane const& lane, int rank) {
    return rank >= static_cast<int>(lane.size());
}
/// Whether the rank was dead already when the face was made, so that it has none there.
inline bool is_not_on_face(Lane const& lane, int rank) {
    return rank >= 0 && lane.on_face(rank) == Lane::gone;
}
/// Whether a message to the rank has nobody who takes it. A repair may know so before MPI does.
inline bool is_lost(Lane const& lane, int rank) {
    return rank >= 0 && (!lane.lives(rank) || is_not_on_face(lane, rank));
}

/// At the beginning of each call: takes part in a repair if one was called.
inline void enter_message_call() {
    auto& shield = *session().shield;
    reach(call_points.call, shield.self());
    reach(call_points.inside, shield.self());
    shield.help();
}
/// The handle that MPI gives to whatever is complete when it is started, such as most small sends. MPI_REQUEST_NULL: it
/// has no such.
MPI_Request complete_at_once();
/// Instead of a receive from the dead: sets *status. MPI_SUCCESS, or an error, of which the program is still to be
/// told.
int receive_nothing(Lane const& lane, Buffer const& buffer, int from, int tag, MPI_Status* status);
/// Instead of a receive or probe from any source: the obituary of a dead member, or the error of the policy. As
/// receive_nothing.
int receive_obituary(Lane const& lane, Buffer const& buffer, int dead, int tag, MPI_Status* status);
/// A message has come: replaces the rank on the face in the status by that of the program.
void translate(Lane const& lane, MPI_Status* status);
/// Says nothing of a message, as from a process that sent none.
void set_empty(MPI_Status* status, int from, int tag);
/// Says that there was nothing to wait for.
void set_inactive(MPI_Status* status);

}  // namespace regraft::shield
