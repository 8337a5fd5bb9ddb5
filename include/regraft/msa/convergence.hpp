// When there are enough bootstrap replicates.
#pragma once

#include <cstddef>
#include <cstdint>

#include "regraft/msa/splits.hpp"

namespace regraft::msa {

struct ConvergenceOptions {
    double cutoff = 0.03;               // two halves may differ by this, relatively
    std::uint32_t permutations = 1000;  // halvings that are tried; at least one
    std::uint64_t seed = 1;
    std::uint32_t threads = 1;  // the result is the same for any number
};

struct Convergence {
    double mean_distance = 0;     // relative, of two halves, over all permutations: from 0 to 1
    std::uint32_t num_close = 0;  // permutations whose halves differ by no more than the cutoff
    bool is_reached = false;      // there are enough replicates
};

/// How often a search with automatic stopping asks.
inline constexpr std::size_t convergence_interval = 50;

/// The weighted Robinson-Foulds criterion (Pattengale et al. 2010), as RAxML-NG's autoMRE applies it. Each permutation
/// deals the replicates to two halves at random, and each half gets an extended majority-rule consensus. The distance
/// of the halves is the sum over the splits of either consensus of |a - b|: how many trees of each half have the split,
/// 0 for a half whose consensus lacks it. Relatively, it is divided by replicates / 2 times the number of splits of
/// both consensus trees. Converged: 99 % of the permutations are close, and the sum of their distances is no more than
/// the cutoff allows. Never with fewer than two replicates. Replicates of the same order and the same seed give the
/// same bits. O(permutations (splits of all replicates + sizes of the sides without taxon 0 of all different splits)).
Convergence convergence(SplitSets const& replicates, ConvergenceOptions const& options = {});

}  // namespace regraft::msa
