// Renews a communicator without the dead, such that all members have the same one and none waits on it for the dead.
#pragma once

#include <mpi.h>

#include <optional>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"

namespace regraft::ft {

/// The members of next by rank, if all of them have got the same communicator from a backend::shrink() of damaged and
/// none of them is known to be dead. Otherwise nothing, on all of them, and next is of no use. next must not be used
/// before. before: the members of damaged, ascending. next may be MPI_COMM_NULL. Collective over the living, uniform.
std::optional<std::vector<PeId>> introduce(MPI_Comm damaged, MPI_Comm next, PeId self, std::span<PeId const> before);

/// One shrink in hundreds goes wrong; more than this many in a row are no accident.
constexpr int most_renewals = 100;

}  // namespace regraft::ft
