// Trees that are tested on sites that are spread over the PEs: log-likelihoods of sites, resampled.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "regraft/search/alrt.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/resampling.hpp"
#include "regraft/search/tree_tests.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// The patterns of this PE in each partition, among those of all PEs. `all` must live as long as this.
struct LocalPatterns {
    SiteSampler const& all;                        // draws from the patterns of all PEs
    std::vector<std::vector<std::uint64_t>> mine;  // numbers of this PE's patterns, per partition

    /// The weight of one of them in the data.
    std::uint32_t weight(std::size_t partition, std::size_t i) const { return all.weights()[mine[partition][i]]; }
};

/// The log-likelihood of each of this PE's patterns, [partition][pattern], such that all sites together have that of
/// the tree: if sites were left out, the sites of the partition share the correction evenly. It is evaluated at the
/// edge of h. Collective if sites were left out.
std::vector<std::vector<double>> pattern_loglh(DistributedLikelihood& likelihood, LocalPatterns const& patterns,
                                               msa::HalfEdge h = 0);

/// The log-likelihoods of this PE's patterns under each tree. The PEs of a likelihood add the same trees.
class TestedTrees {
public:
    /// Starts without trees.
    explicit TestedTrees(LocalPatterns patterns) : patterns_(std::move(patterns)) {}

    /// Adds the tree of a likelihood. Collective if sites were left out.
    void add(DistributedLikelihood& likelihood);
    /// Compares the trees on the sites of all PEs. likelihood: any of them. Collective.
    void compare(DistributedLikelihood& likelihood);

    /// The number of trees that were added.
    std::size_t num_trees() const { return loglh_.size(); }
    /// Precondition: compared.
    Contest const& contest() const { return *contest_; }
    /// The number of samples that are made at once, which follows from the numbers of trees and patterns.
    std::uint32_t batch() const;
    /// The log-likelihood of each tree in each sample, [sample][tree]. Collective.
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
    SampleSize size{};                   // of all samples
    std::uint32_t count = 0;             // number of samples
    std::uint64_t seed = 1;              // from which the samples follow
};

}  // namespace regraft::search
#pragma GCC visibility pop
