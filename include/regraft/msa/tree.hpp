// Unrooted binary trees whose tips are taxa, as half-edges with stable numbers, and the moves of a topology search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/bytes.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// One end of an edge. Tip t < n has the half-edge t; inner node v, n <= v < 2n - 2, has n + 3 (v - n) + {0, 1, 2}.
using HalfEdge = std::uint32_t;
/// A tip (0 .. n-1, the taxon's number) or an inner node (n .. 2n-3).
using Node = std::uint32_t;

/// The value of back() for a half-edge that is not connected.
inline constexpr HalfEdge no_half_edge = ~HalfEdge{0};

/// The state before a move: the former neighbours and lengths of the half-edges it touched.
struct TreeUndo {
    std::vector<HalfEdge> touched;  // the half-edges whose neighbours or lengths changed
    std::vector<HalfEdge> back;     // per touched half-edge
    std::vector<double> lengths;    // per touched half-edge and length set
};

/// An unrooted binary tree of n tips. Numbers never change, so a copy of the arrays is the tree, bit by bit. An edge
/// has one length per length set: one set shared by all partitions, or one per partition. Cheap to copy: three arrays
/// of O(n).
///
/// While a tree is being built or a subtree is pruned, some half-edges are unconnected: their back is no_half_edge.
class Tree {
public:
    static constexpr double default_length = 0.1;  // in expected changes per site; of edges whose length nobody knows

    /// Nodes that are not connected, all lengths 0. Preconditions: 3 <= num_tips < 2^30, num_length_sets >= 1.
    explicit Tree(std::uint32_t num_tips, std::uint32_t num_length_sets = 1);

    /// The number of tips, n.
    std::uint32_t num_tips() const { return num_tips_; }
    /// Tips and inner nodes: 2n - 2.
    std::uint32_t num_nodes() const { return 2 * num_tips_ - 2; }
    /// Two per edge: 4n - 6.
    std::uint32_t num_half_edges() const { return 4 * num_tips_ - 6; }
    /// The edges of a complete tree: 2n - 3.
    std::uint32_t num_edges() const { return 2 * num_tips_ - 3; }
    /// The number of lengths of each edge, at least 1.
    std::uint32_t num_length_sets() const { return num_length_sets_; }

    /// Whether h is at a tip.
    bool is_tip(HalfEdge h) const { return h < num_tips_; }
    /// The node at which h is.
    Node node(HalfEdge h) const { return is_tip(h) ? h : num_tips_ + (h - num_tips_) / 3; }
    /// The lowest half-edge of a node.
    HalfEdge half_edge(Node v) const { return v < num_tips_ ? v : num_tips_ + 3 * (v - num_tips_); }
    /// The other end of h's edge.
    HalfEdge back(HalfEdge h) const { return back_[h]; }
    /// The next half-edge around the same node, cyclically; h itself at a tip.
    HalfEdge next(HalfEdge h) const {
        if (is_tip(h)) return h;
        return (h - num_tips_) % 3 == 2 ? h - 2 : h + 1;
    }
    /// Whether h has an edge.
    bool is_connected(HalfEdge h) const { return back_[h] != no_half_edge; }
    /// The edges, each as its lower half-edge, in increasing order.
    std::vector<HalfEdge> edges() const;
    /// Whether all half-edges are connected and form one tree.
    bool is_complete() const;

    /// The length of h's edge in expected changes per site; 0 if h is not connected.
    double length(HalfEdge h, std::uint32_t set = 0) const { return lengths_[index(h, set)]; }
    /// Sets the length for both ends. Precondition: h is connected.
    void set_length(HalfEdge h, double length, std::uint32_t set = 0) {
        lengths_[index(h, set)] = lengths_[index(back_[h], set)] = length;
    }
    /// The same topology with `count` length sets, each equal to set 0.
    Tree with_length_sets(std::uint32_t count) const;

    /// Makes an edge with the same length in all sets. Precondition: a != b, neither is connected.
    void connect(HalfEdge a, HalfEdge b, double length = default_length);

    /// Exchanges two subtrees, with their edges, across the inner edge h: the one behind next(h) and the one behind
    /// next(back(h)) (variant 0) or next(next(back(h))) (variant 1). Precondition: both ends of h are inner nodes.
    TreeUndo nni(HalfEdge h, std::uint32_t variant);
    /// Cuts off the subtree behind h: an edge joins the other two neighbours of h's node, with the sum of their
    /// lengths. h stays connected to the subtree; next(h) and next(next(h)) are unconnected until regraft(h, ...).
    /// Precondition: h is at an inner node, and all three half-edges of that node are connected.
    TreeUndo prune(HalfEdge h);
    /// Inserts the pruned h into `edge`, whose lengths are halved: next(h) is joined to `edge`, next(next(h)) to its
    /// former back. Precondition: h was pruned, and `edge` is connected and not within the pruned subtree.
    TreeUndo regraft(HalfEdge h, HalfEdge edge);
    /// The present neighbours and lengths of half-edges, for undo.
    TreeUndo remember(std::span<HalfEdge const> touched) const;
    /// Takes back a move exactly, bit by bit. Several moves are taken back in reverse order.
    void undo(TreeUndo const& move);

    /// Writes the tree as it is, unconnected half-edges included.
    void write(ByteWriter& out) const;
    /// Reads a tree that write wrote. Throws InputError if it is no tree; unconnected half-edges are allowed.
    static Tree read(ByteReader& in);

    friend bool operator==(Tree const&, Tree const&) = default;

private:
    std::size_t index(HalfEdge h, std::uint32_t set) const { return std::size_t{h} * num_length_sets_ + set; }
    void detach(HalfEdge h);
    void join(HalfEdge a, HalfEdge b);

    std::uint32_t num_tips_;
    std::uint32_t num_length_sets_;
    std::vector<HalfEdge> back_;
    std::vector<double> lengths_;  // [half-edge][set], the same at both ends
};

/// The half-edges of the subtree at h's own side (with h's edge cut) that point towards h, children before parents; h
/// is the last one. The children of g are back(next(g)) and back(next(next(g))). O(size), no recursion.
std::vector<HalfEdge> postorder(Tree const& tree, HalfEdge h);

/// The move that makes `from` equal `to`, for Tree::undo. Precondition: the same number of tips and length sets.
/// O(tips).
TreeUndo difference(Tree const& from, Tree const& to);

/// Per half-edge, the number of tips at its own side of its edge. O(tips).
std::vector<std::uint32_t> tips_behind(Tree const& tree);

/// All edges, each as its end towards tip 0. An edge comes before those behind it, and among these the smaller subtree
/// comes first. So at any time, visited edges with unvisited ones behind them exist at no more than log2(n) places.
std::vector<HalfEdge> preorder_edges(Tree const& tree);

}  // namespace regraft::msa
#pragma GCC visibility pop
