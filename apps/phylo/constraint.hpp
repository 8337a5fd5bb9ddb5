// Trees that a search must agree with: splits of some tips that every tree has to have.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::phylo {

/// A tree of some of the tips, not necessarily resolved, as its splits. Tips that it does not have may be anywhere.
class Constraint {
public:
    /// tips: those that it has; groups: for each of its inner edges the tips of either side. Preconditions: tips are
    /// distinct; groups are of them, and could be of one tree. O(size of all groups).
    Constraint(std::uint32_t num_tips, std::vector<std::uint32_t> tips, std::vector<std::vector<std::uint32_t>> groups);

    /// Whether the tree has all splits, tips that are anywhere left aside. O(num_tips).
    bool allows(msa::Tree const& tree) const;

    /// A tree that it allows, otherwise random: what it leaves unresolved is joined and tips that it does not have are
    /// added at random places. All lengths are Tree::default_length.
    msa::Tree random_tree(std::uint64_t seed) const;

    /// Different bytes for constraints that differ.
    void write(ByteWriter& out) const;

private:
    friend class Fences;
    /// Per half-edge a hash of the constrained tips in the subtree at its node, its own edge cut; 0: none.
    std::vector<std::uint64_t> hashes(msa::Tree const& tree) const;
    /// The same for both sides of a split.
    std::uint64_t split(std::uint64_t hash) const;

    std::uint32_t num_tips_;
    std::vector<std::uint32_t> tips_;
    std::vector<std::vector<std::uint32_t>> groups_;  // the sides without tips_[0], smaller ones first
    std::vector<std::uint64_t> tip_hashes_;           // per tip; 0: not constrained
    std::uint64_t all_ = 0;                           // hash of all constrained tips
    std::unordered_set<std::uint64_t> splits_;
};

/// Where subtrees must not go in a tree that complies with a constraint. What a subtree crosses on its way loses its
/// split, and no other edge has it if there are constrained tips left and right behind the edge, in front of it and in
/// the subtree.
class Fences {
public:
    /// None without a constraint; else O(num_tips). Precondition: the constraint allows the tree.
    Fences(Constraint const* constraint, msa::Tree const& tree);

    /// Whether the subtree behind h must not cross the edge of x towards x's node and go on.
    bool hinder(msa::HalfEdge h, msa::HalfEdge x) const {
        if (hashes_.empty() || !stops_[x]) return false;
        auto const moved = all_ ^ hashes_[h];
        return moved != 0 && moved != (all_ ^ hashes_[x]);
    }

private:
    std::uint64_t all_ = 0;
    std::vector<std::uint64_t> hashes_;  // of the constraint
    std::vector<bool>
        stops_;  // per half-edge: its edge has a split that must stay, and only this edge seen from beyond
};

}  // namespace regraft::phylo
