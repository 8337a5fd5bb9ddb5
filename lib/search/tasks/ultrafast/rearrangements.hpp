// Rearrangements of one tree, and by how much each of them raises the log-likelihood of each replicate.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/msa/tree.hpp"
#include "regraft/search/constraint.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/ultrafast.hpp"

namespace regraft::search {

/// A replicate does not change for less, in log-likelihood.
inline constexpr double least_gain_of_change = 1e-3;

/// By how much the log-likelihood of each replicate is higher with these pattern_loglh than with others. One reduction,
/// collective.
std::vector<double> gains_of_replicates(DistributedLikelihood& likelihood, ReplicateWeights const& weights,
                                        std::span<std::vector<double> const> values,
                                        std::span<std::vector<double> const> others);

/// Finds the rearrangements that some replicate may prefer. The likelihood's tree stays as it is.
class Rearrangements {
public:
    /// Keeps references to both. Collective.
    Rearrangements(DistributedLikelihood& likelihood, Replicates const& replicates)
        : likelihood_(likelihood),
          replicates_(replicates),
          tree_(likelihood.tree()),
          before_(pattern_loglh(likelihood, replicates.patterns)),
          raises_(replicates.weights.count()) {}

    /// Adds the parts in which another tree differs. Collective.
    void add_parts_of(msa::Tree const& other);
    /// Adds moves of the subtree behind h beyond the neighbouring edges. Collective.
    void add_moves_of(msa::HalfEdge h);

    /// Makes those that raise the log-likelihood of a replicate, the best first, leaving out those that change a node
    /// where one before has changed the tree. tree: the likelihood's. Returns by how much they raise the
    /// log-likelihood, as if none depended on another. Not collective.
    double make(msa::Tree& tree, std::uint32_t replicate, Constraint const* constraint) const;

private:
    /// A change of the tree.
    struct Rearrangement {
        msa::TreeUndo move;
        std::vector<msa::Node> nodes;  // where the tree changes
        std::vector<msa::Node> way;    // from the old place of a subtree to the new one
    };
    /// A rearrangement that raises the log-likelihood of a replicate.
    struct Raise {
        double gain;  // in log-likelihood
        std::size_t rearrangement;
    };
    /// An edge into which a subtree may be inserted.
    struct Target {
        msa::HalfEdge edge;
        std::vector<msa::Node> way;  // from the old place
    };

    std::vector<Target> promising(msa::HalfEdge h, std::array<msa::HalfEdge, 2> const& ends, double loglh);
    void add(std::span<msa::HalfEdge const> edges, std::vector<msa::Node> way);

    DistributedLikelihood& likelihood_;
    Replicates const& replicates_;
    msa::Tree const tree_;
    std::vector<std::vector<double>> before_;  // pattern_loglh of the tree
    std::vector<Rearrangement> all_;           // those that raise some replicate
    std::vector<std::vector<Raise>> raises_;   // per replicate
};

}  // namespace regraft::search
