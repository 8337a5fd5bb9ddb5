// Reductions over the members. The result depends neither on the number of members nor on which member holds what.
#pragma once

#include <cstdint>
#include <span>

#include "regraft/core/exact_sum.hpp"
#include "regraft/core/fixed_sum.hpp"
#include "regraft/ft/derived.hpp"

#pragma GCC visibility push(default)
namespace regraft::ft {

/// Replaces each sum by the exact sum over all participants (limbs added as integers in one MPI_Allreduce). All
/// participants pass the same number of sums. Collective; not uniform: after a failure some may have the result and
/// others ProcessFailure.
void all_reduce(Participants who, std::span<ExactSum> sums);

/// The same for sums of one scale: 24 bytes each in one MPI_Allreduce, and a second one if there are strays.
void all_reduce(Participants who, std::span<FixedSum> sums);

/// The same for whole numbers, modulo 2^64, any number of them.
void all_reduce(Participants who, std::span<std::uint64_t> sums);

/// Whether all participants give the same number. Collective; not uniform, as all_reduce.
[[nodiscard]] bool all_equal(Participants who, std::uint64_t number);

}  // namespace regraft::ft
#pragma GCC visibility pop
