// How well the supports of two halves of some replicates agree.
#pragma once

#include <span>

#include "regraft/msa/tree.hpp"

namespace regraft::phylo {

/// A correlation of halves below this says that more replicates are needed.
inline constexpr double enough_agreement = 0.99;

/// Pearson's correlation between the shares of the even and of the odd replicates that have each split, over all splits
/// that any of them has; 1 if all splits are in all of them, or if there are none. Precondition: at least two trees.
double agreement_of_halves(std::span<msa::Tree const> replicates);

}  // namespace regraft::phylo
