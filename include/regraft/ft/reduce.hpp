// Reductions over the members whose result does not depend on how many there are or who holds what.
#pragma once

#include <span>

#include "regraft/core/exact_sum.hpp"
#include "regraft/core/fixed_sum.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::ft {

/// Replaces each sum by the exact sum over all members (limbs added as integers in one MPI_Allreduce). The same length
/// on all members. Collective; not uniform: after a failure some may have the result and others ProcessFailure.
void all_reduce(Communicator& comm, std::span<ExactSum> sums);

/// The same for sums of one scale: 24 bytes each in one MPI_Allreduce, and a second one if there are strays.
void all_reduce(Communicator& comm, std::span<FixedSum> sums);

}  // namespace regraft::ft
