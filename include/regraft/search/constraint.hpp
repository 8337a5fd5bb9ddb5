// Constraints of a search: splits of some tips that every tree must have.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/msa/tree.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// A tree of some of the tips, which may have multifurcations, represented by its splits. Other tips may be anywhere.
class Constraint {
public:
    /// num_tips: of the trees of the search. tips: those that the constraint has. groups: for each of its inner edges,
    /// the tips of one side. Preconditions: tips are distinct; groups contain only these and fit into one tree. O(size
    /// of all groups).
    Constraint(std::uint32_t num_tips, std::vector<std::uint32_t> tips, std::vector<std::vector<std::uint32_t>> groups);

    /// Whether the tree has all splits of the constraint, when tips that are not in the constraint are ignored.
    /// O(num_tips).
    bool allows(msa::Tree const& tree) const;

    /// A random tree that the constraint allows: multifurcations are resolved at random, and other tips are added at
    /// random places. All lengths are Tree::default_length.
    msa::Tree random_tree(std::uint64_t seed) const;

    /// Writes bytes that differ for different constraints.
    void write(ByteWriter& out) const;

private:
    friend class Fences;
    /// Per half-edge, a hash of the constrained tips in the subtree at its node, with its own edge cut; 0: none.
    std::vector<std::uint64_t> hashes(msa::Tree const& tree) const;
    /// A number for the split, from the hash of either of its sides.
    std::uint64_t split(std::uint64_t hash) const;

    std::uint32_t num_tips_;
    std::vector<std::uint32_t> tips_;
    std::vector<std::vector<std::uint32_t>> groups_;  // the sides without tips_[0], smaller ones first
    std::vector<std::uint64_t> tip_hashes_;           // per tip; 0: not constrained
    std::uint64_t all_ = 0;                           // hash of all constrained tips
    std::unordered_set<std::uint64_t> splits_;
};

/// The edges that subtrees must not cross when they are moved in a tree that complies with a constraint. When a subtree
/// is moved across an edge, that edge loses its split. No other edge has this split if there are constrained tips in
/// four parts: left and right behind the edge, in front of it, and in the subtree.
class Fences {
public:
    /// Without a constraint there are no fences; otherwise O(num_tips). Precondition: the constraint allows the tree.
    Fences(Constraint const* constraint, msa::Tree const& tree);

    /// Whether the subtree behind h must not cross the edge of x towards x's node and beyond.
    bool hinder(msa::HalfEdge h, msa::HalfEdge x) const {
        if (hashes_.empty() || !stops_[x]) return false;
        auto const moved = all_ ^ hashes_[h];
        return moved != 0 && moved != (all_ ^ hashes_[x]);
    }

private:
    std::uint64_t all_ = 0;
    std::vector<std::uint64_t> hashes_;  // those of the constraint
    std::vector<bool>
        stops_;  // per half-edge: its edge has a split that must stay, and no other edge behind it has the same
};

}  // namespace regraft::search
#pragma GCC visibility pop
