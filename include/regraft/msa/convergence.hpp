// Decides when there are enough bootstrap replicates.
#pragma once

#include <cstddef>
#include <cstdint>

#include "regraft/msa/splits.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// What counts as enough replicates, and how it is tested.
struct ConvergenceOptions {
    double cutoff = 0.03;               // largest relative distance of two halves that counts as close
    std::uint32_t permutations = 1000;  // number of halvings that are tried; at least one
    std::uint64_t seed = 1;             // of the random halvings
    std::uint32_t threads = 1;          // the result is the same for any number
};

/// The outcome of a test.
struct Convergence {
    double mean_distance = 0;     // relative distance of two halves, mean over all permutations: from 0 to 1
    std::uint32_t num_close = 0;  // number of permutations whose halves differ by at most the cutoff
    bool is_reached = false;      // whether there are enough replicates
};

/// Number of replicates between two tests in a search with automatic stopping.
inline constexpr std::size_t convergence_interval = 50;

/// The weighted Robinson-Foulds criterion (Pattengale et al. 2010), as RAxML-NG's autoMRE applies it. Each permutation
/// deals the replicates to two halves at random, and each half gets an extended majority-rule consensus. The distance
/// of the halves is the sum of |a - b| over the splits of either consensus, where a and b are the numbers of trees of
/// each half with the split, 0 for a half whose consensus lacks it. The relative distance is that divided by replicates
/// / 2 times the number of splits of both consensus trees. The replicates have converged if 99 % of the permutations
/// are close and the sum of their distances is at most what the cutoff allows; they never have if there are fewer than
/// two. Replicates in the same order and the same seed give the same bits. O(permutations (splits of all replicates +
/// sizes of the sides without taxon 0 of all different splits)).
Convergence convergence(SplitSets const& replicates, ConvergenceOptions const& options = {});

}  // namespace regraft::msa
#pragma GCC visibility pop
