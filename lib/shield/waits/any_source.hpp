// Receives and probes from any source while members are dead: they wait on, or get an obituary. An obituary is an empty
// message of a dead member; each dead member sends one per communicator.
#pragma once

#include <mpi.h>

#include <optional>

#include "shield/lanes/lane.hpp"

namespace regraft::shield {

/// How a call asks for messages: it waits until one comes, or it returns at once.
enum class Look { polls, waits };

/// Whether obituaries are possible. False: none is due, as far as is known.
bool may_mourn();
/// Is called repeatedly while nothing has come for a receive or probe from any source. Returns the dead member whose
/// obituary it gets now; none: it waits on. suspended: MPI has reported the request as suspended.
std::optional<int> find_obituary(Lane const& lane, Look look, bool suspended);
/// The same for calls where MPI never reports deaths: for probes, and for requests that are not tested.
std::optional<int> look_for_obituary(Lane const& lane, Look look);
/// Is called while nothing has come for a probe. Returns the dead member whose empty message it finds now. From any
/// source: its obituary. From a dead rank for which it looks repeatedly: that rank, if no living process makes a step.
std::optional<int> find_dead(Lane const& lane, Look look, int from);
/// Whether `wanted` receives can each get an obituary now, when the program tests whether all of them are over.
bool has_obituaries(Lane const& lane, int wanted);
/// A receive gets the obituary.
void deliver_obituary(Lane const& lane, int dead);
/// A probe has found the obituary. It is the next one for probes and receives from any source.
void probe_obituary(Lane const& lane, int dead);
/// A receive from this rank has begun: it gets the obituary that a probe has found.
void receive_probed(Lane const& lane, int from);
/// Is called when a message has come.
void end_wait(Lane const& lane);
/// Is called when the communicator is freed.
void forget_the_dead(LaneId lane);

/// Cancels a receive. Returns the code with which it is over if a message came before.
std::optional<int> withdraw(MPI_Request* request, MPI_Status* status);

}  // namespace regraft::shield
