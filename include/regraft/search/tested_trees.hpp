// Trees that are tested on sites that are spread over the PEs: log-likelihoods of sites are computed once for each tree
// and then resampled (RELL, Kishino et al. 1990).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/resampling.hpp"
#include "regraft/search/tree_tests.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// The patterns of this PE in each partition, among those of all PEs. `all` must live as long as this.
struct LocalPatterns {
    SiteSampler const& all;                        // draws from the patterns of all PEs
    std::vector<std::vector<std::uint64_t>> mine;  // numbers of this PE's patterns, [partition][local pattern]

    /// The weight in the data of local pattern i of a partition.
    std::uint32_t weight(std::size_t partition, std::size_t i) const { return all.weights()[mine[partition][i]]; }
};

/// The log-likelihood of each of this PE's patterns, [partition][local pattern], evaluated at the edge of h. The
/// weighted sum over all PEs is that of the tree: if sites were left out, the sites of the partition share the
/// correction evenly. Collective if sites were left out.
std::vector<std::vector<double>> pattern_loglh(DistributedLikelihood& likelihood, LocalPatterns const& patterns,
                                               msa::HalfEdge h = 0);

/// The log-likelihoods of this PE's patterns under each tree. All PEs add the same trees in the same order, then call
/// compare.
class TestedTrees {
public:
    /// Starts without trees.
    explicit TestedTrees(LocalPatterns patterns) : patterns_(std::move(patterns)) {}

    /// Adds the tree of a likelihood. Collective if sites were left out.
    void add(DistributedLikelihood& likelihood);
    /// Compares the trees on the sites of all PEs, which makes contest(). likelihood: any of those added; only its PEs
    /// and its grid count. Collective. O(trees^2 * local patterns).
    void compare(DistributedLikelihood& likelihood);

    /// The number of trees that were added.
    std::size_t num_trees() const { return loglh_.size(); }
    /// The comparison. Precondition: compare was called after the last tree was added.
    Contest const& contest() const { return *contest_; }
    /// The number of samples that are made at once, which follows from the numbers of trees and patterns.
    std::uint32_t batch() const;
    /// The log-likelihood of each tree in each sample, [sample][tree]. One reduction. Collective.
    std::vector<std::vector<double>> resample(DistributedLikelihood& likelihood, SampleNumbers const& numbers) const;

private:
    std::vector<double> deviations(DistributedLikelihood& likelihood, std::size_t tree,
                                   std::span<std::vector<double> const> sums) const;

    LocalPatterns patterns_;
    std::vector<std::vector<std::vector<double>>> loglh_;  // [tree][partition][local pattern]
    std::optional<Contest> contest_;
};

/// The samples that a search for tests makes.
struct TestSamples {
    TestedTrees const* trees = nullptr;  // compared; must live as long as the search
    SampleSize size{};                   // of each sample
    std::uint32_t count = 0;             // number of samples
    std::uint64_t seed = 1;              // determines all samples
};

}  // namespace regraft::search
#pragma GCC visibility pop
