// Trees with nodes of any degree: consensus trees, and trees of other programs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/msa/tree.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// An unrooted tree with an inner node, node 0, as its top. A node has a larger number than its parent. Inner nodes
/// have two children or more, node 0 three or more, so every inner edge is a different split. Edge v, v >= 1, is the
/// one above node v.
struct GeneralTree {
    static constexpr std::uint32_t no_taxon = ~std::uint32_t{0};  // value of taxon at inner nodes

    std::vector<std::uint32_t> parent;  // per node, less than its own number; node 0's is 0
    std::vector<std::uint32_t> taxon;   // per node; no_taxon at inner nodes; every taxon below num_taxa() once
    std::vector<double> length;         // per edge; NaN where there is none
    std::vector<std::string> label;     // per edge, for example its support; or empty

    /// The number of tips and inner nodes.
    std::uint32_t num_nodes() const { return static_cast<std::uint32_t>(parent.size()); }
    /// The number of tips. O(nodes).
    std::uint32_t num_taxa() const;
    /// Whether it is a taxon. Precondition: node < num_nodes().
    bool is_tip(std::uint32_t node) const { return taxon[node] != no_taxon; }
    /// The children of all nodes, in the order of their numbers. O(nodes).
    Csr<std::uint32_t> children() const;
};

/// The edges between inner nodes, in increasing order.
std::vector<std::uint32_t> inner_edges(GeneralTree const& tree);

/// The same tree with another inner node as node 0; lengths and labels stay with their edges. Nodes are numbered in
/// pre-order. O(nodes).
GeneralTree hung_up_at(GeneralTree const& tree, std::uint32_t node);

/// The same tree with the node as node 0 where the outgroup is attached: the inner node on the other side of the edge
/// that separates the outgroup from all other taxa. Throws InputError if there is no such edge, with taxon_names in the
/// message. Precondition: the outgroup has distinct taxa below num_taxa(). O(nodes).
GeneralTree hung_up_at(GeneralTree const& tree, std::span<std::uint32_t const> outgroup,
                       std::span<std::string const> taxon_names);

/// The same tree without some inner edges: the children of a node whose edge is removed become children of its parent.
/// Nodes keep their order. Precondition: no removed edge is above a tip; node 0 has no edge. O(nodes).
GeneralTree without_edges(GeneralTree const& tree, std::span<std::uint32_t const> removed);

/// A binary tree in the general form.
struct GeneralForm {
    GeneralTree tree;                         // node 0 is the neighbour of tip 0
    std::vector<std::uint32_t> node_of_edge;  // per edge, in the order of Tree::edges()
};

/// Converts a tree, with the lengths of one set. Preconditions: the tree is complete, set < num_length_sets(). O(n).
GeneralForm to_general(Tree const& tree, std::uint32_t set = 0);

}  // namespace regraft::msa
#pragma GCC visibility pop
