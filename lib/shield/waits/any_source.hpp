// Receives and probes from any source while members are dead: whether they wait on, or get an obituary, an empty
// message of a dead member, once per communicator.
#pragma once

#include <mpi.h>

#include <optional>

#include "shield/engine/lane.hpp"

namespace regraft::shield {

/// How a call asks for messages: it waits until one comes, or it returns at once.
enum class Look { polls, waits };

/// False: nobody gets an obituary, as far as is known.
bool may_mourn();
/// Nothing has come yet for a receive or probe from any source: the dead member of which it gets an obituary now. None:
/// it waits on. To be asked again and again. suspended: MPI has said so of the request.
std::optional<int> find_obituary(Lane const& lane, Look look, bool suspended);
/// The same where MPI never says anything of deaths: for probes, and for requests that are not tested.
std::optional<int> look_for_obituary(Lane const& lane, Look look);
/// Nothing has come yet for a probe: the dead member of which it finds an empty message now. From any source: its
/// obituary. From a dead rank for which it looks again and again: that one, when nobody who lives makes a step.
std::optional<int> find_dead(Lane const& lane, Look look, int from);
/// Whether so many receives, of which the program tests whether all are over, can each get one now.
bool has_obituaries(Lane const& lane, int wanted);
/// A receive gets it.
void deliver_obituary(Lane const& lane, int dead);
/// A probe has found it: it is the next for probes and receives from any source.
void probe_obituary(Lane const& lane, int dead);
/// A receive from this rank has begun: it gets the obituary that a probe has found.
void receive_probed(Lane const& lane, int from);
/// A message has come.
void end_wait(Lane const& lane);
/// The communicator is freed.
void forget_the_dead(LaneId lane);

/// Cancels a receive. If a message came before, the code with which it is over.
std::optional<int> withdraw(MPI_Request* request, MPI_Status* status);

}  // namespace regraft::shield
