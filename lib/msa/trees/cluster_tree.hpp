// A tree that is built by inserting one split after the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/msa/splits.hpp"

namespace regraft::msa {

/// A tree of n tips that starts as a star. Nodes 0 .. n-1 are the tips, n is the root, and others are numbered in the
/// order of their insertion.
class ClusterTree {
public:
    explicit ClusterTree(std::uint32_t num_tips);

    /// Puts the taxa on the side without taxon 0 below a new node, unless an inserted split contradicts this one.
    /// Returns whether it was inserted. Precondition: at least two of these taxa, and the split was not inserted
    /// before. O(these taxa).
    bool insert(SplitView split);

    std::uint32_t num_tips() const { return num_tips_; }
    std::uint32_t num_nodes() const { return static_cast<std::uint32_t>(parent_.size()); }
    /// The parent of each node; the root is its own parent.
    std::span<std::uint32_t const> parents() const { return parent_; }
    /// Whether no more splits fit.
    bool is_resolved() const { return num_nodes() == 2 * num_tips_ - 2; }

private:
    std::uint32_t num_tips_;
    std::vector<std::uint32_t> parent_;
    std::vector<std::uint32_t> size_;     // per node: tips below it
    std::vector<std::uint32_t> covered_;  // per node: tips below it that are in the split; 0 between calls
    std::vector<std::uint32_t> full_;     // nodes all of whose tips are in the split, children first
    std::vector<std::uint32_t> touched_;  // the parents of these nodes
};

}  // namespace regraft::msa
