// A communicator without the dead, which all its members have and in which nobody waits for the dead.
#pragma once

#include <mpi.h>

#include <optional>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"

namespace regraft::ft {

/// The members of next by rank, if all of them have got the same from a backend::shrink() of damaged and none of them
/// is known to be dead; else nothing, on all of them, and next is of no use. Nobody may use next before. before: the
/// members of damaged, ascending. next may be MPI_COMM_NULL. Collective over the living, uniform.
std::optional<std::vector<PeId>> introduce(MPI_Comm damaged, MPI_Comm next, PeId self, std::span<PeId const> before);

/// One time in hundreds a shrink goes wrong; more than so many in a row are no accident.
constexpr int most_renewals = 100;

}  // namespace regraft::ft
