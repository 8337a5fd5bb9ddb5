// Constant sites that are not in the alignment, but whose numbers are known, as where only the sites of genomes that
// vary were kept.
#pragma once

#include <cstdint>
#include <span>

#include "input/check.hpp"

namespace regraft::phylo {

/// Appends a column for each base whose number is not 0. The number is the weight of the column. numbers: of A, C, G
/// and T. Throws InputError unless the sites have one partition, or if all sites are too many.
void append_constant_sites(std::span<std::uint32_t const> numbers, CheckedInput& input);

/// Throws InputError unless the model is one of DNA, and one that does not correct for such sites. Precondition: there
/// is one partition, and its model was added.
void check_takes_constant_sites(CheckedInput const& input);

/// Takes the appended columns out of a partition of the input.
void take_constant_sites_out(CheckedInput const& input, msa::PartitionSpec& partition);

/// Warns if no site is constant and no model says that such sites were left out.
void find_only_varying(CheckedInput& input);

}  // namespace regraft::phylo
