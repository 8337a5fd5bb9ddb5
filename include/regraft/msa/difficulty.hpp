// How hard it is to find the best tree of an alignment.
#pragma once

#include <cstdint>

#include "regraft/msa/parsimony.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// A forecast from a few trees that are short by parsimony: how many splits differ in two of them on average, as a
/// share of all their splits. 0: all short trees are the same, and so a search will find the best tree at once; 1: no
/// two have a split in common. This is one of the features from which Pythia forecasts difficulty (Haag et al. 2022).
/// The same for any number of threads. sum: as for stepwise_addition and shorten_by_spr, if others have a part of the
/// sites; all get the same number. Precondition: at least 3 taxa. O(taxa^2 * sites).
double difficulty(ParsimonySites const& sites, std::uint64_t seed, SumOverParts const& sum = {});

}  // namespace regraft::msa
#pragma GCC visibility pop
