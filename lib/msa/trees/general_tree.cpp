#include "regraft/msa/general_tree.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "msa/text/text.hpp"
#include "msa/trees/preorder.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::msa {
namespace {

constexpr double no_length = std::numeric_limits<double>::quiet_NaN();

/// The number of counted taxa below each node.
std::vector<std::uint32_t> count_below(GeneralTree const& tree, std::vector<bool> const& is_counted) {
    std::vector<std::uint32_t> below(tree.num_nodes());
    for (auto v = tree.num_nodes(); v-- > 1;) {
        if (tree.is_tip(v) && is_counted[tree.taxon[v]]) ++below[v];
        below[tree.parent[v]] += below[v];
    }
    return below;
}

/// The inner node at which the taxa are attached as a subtree of their own.
std::optional<std::uint32_t> attachment(GeneralTree const& tree, std::span<std::uint32_t const> taxa) {
    std::vector<bool> is_in(tree.num_taxa());
    for (auto const t : taxa) {
        REGRAFT_EXPECTS(t < is_in.size() && !is_in[t]);
        is_in[t] = true;
    }
    auto const in = count_below(tree, is_in);
    is_in.flip();
    auto const out = count_below(tree, is_in);
    for (auto v = tree.num_nodes(); v-- > 1;) {
        if (in[v] == taxa.size() && out[v] == 0) return tree.parent[v];
        if (in[v] == 0 && out[v] + taxa.size() == tree.num_taxa()) return tree.is_tip(v) ? tree.parent[v] : v;
    }
    return std::nullopt;
}

/// The first three of these taxa, and how many more there are.
std::string list_of(std::span<std::uint32_t const> taxa, std::span<std::string const> taxon_names) {
    std::string list;
    for (auto const t : taxa.first(std::min<std::size_t>(taxa.size(), 3)))
        list += (list.empty() ? "" : ", ") + in_quotes(taxon_names[t]);
    if (taxa.size() > 3) list += " and " + std::to_string(taxa.size() - 3) + " more";
    return list;
}

/// The taxa that the smallest clade with the outgroup has besides it. A clade is one side of an edge. O(nodes).
std::vector<std::uint32_t> others_of_clade(GeneralTree const& tree, std::span<std::uint32_t const> outgroup) {
    std::vector<bool> is_in(tree.num_taxa());
    for (auto const t : outgroup) is_in[t] = true;
    auto const in = count_below(tree, is_in);
    is_in.flip();  // is now whether a taxon is another one
    auto const out = count_below(tree, is_in);
    auto least = tree.num_taxa();
    std::uint32_t edge = 0;
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) {
        if (in[v] != 0 && in[v] != outgroup.size()) continue;
        auto const others = in[v] == 0 ? out[0] - out[v] : out[v];
        if (others < least) std::tie(least, edge) = std::tuple(others, v);
    }
    std::vector<bool> is_below(tree.num_nodes());
    std::vector<std::uint32_t> others;
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) {
        is_below[v] = v == edge || is_below[tree.parent[v]];
        if (tree.is_tip(v) && is_in[tree.taxon[v]] && is_below[v] == (in[edge] != 0)) others.push_back(tree.taxon[v]);
    }
    std::ranges::sort(others);
    return others;
}

}  // namespace

std::uint32_t GeneralTree::num_taxa() const {
    return static_cast<std::uint32_t>(taxon.size() - static_cast<std::size_t>(std::ranges::count(taxon, no_taxon)));
}

Csr<std::uint32_t> GeneralTree::children() const {
    return children_of(parent);
}

std::vector<std::uint32_t> inner_edges(GeneralTree const& tree) {
    std::vector<std::uint32_t> edges;
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) {
        if (!tree.is_tip(v)) edges.push_back(v);
    }
    return edges;
}

GeneralTree hung_up_at(GeneralTree const& tree, std::uint32_t node) {
    REGRAFT_EXPECTS(node < tree.num_nodes() && !tree.is_tip(node));
    // On the way up to the old root, edges change direction: the one above v becomes the one above v's old parent.
    auto parent = tree.parent;
    std::vector<std::uint32_t> edge(tree.num_nodes());
    for (std::uint32_t v = 0; v < edge.size(); ++v) edge[v] = v;
    for (auto v = node; v != 0; v = tree.parent[v]) {
        parent[tree.parent[v]] = v;
        edge[tree.parent[v]] = v;
    }
    parent[node] = node;

    GeneralTree hung;
    auto const order = preorder(parent, node);
    for (auto const [v, parent_position] : order) {
        bool const is_root = v == node;
        hung.parent.push_back(parent_position);
        hung.taxon.push_back(tree.taxon[v]);
        hung.length.push_back(is_root ? no_length : tree.length[edge[v]]);
        if (!tree.label.empty()) hung.label.push_back(is_root ? "" : tree.label[edge[v]]);
    }
    return hung;
}

GeneralTree without_edges(GeneralTree const& tree, std::span<std::uint32_t const> removed) {
    std::vector<bool> is_removed(tree.num_nodes());
    for (auto const v : removed) {
        REGRAFT_EXPECTS(v > 0 && v < tree.num_nodes() && !tree.is_tip(v));
        is_removed[v] = true;
    }
    GeneralTree result;
    std::vector<std::uint32_t> number(tree.num_nodes());  // of the node that has the place of each in the result
    for (std::uint32_t v = 0; v < tree.num_nodes(); ++v) {
        auto const parent = number[tree.parent[v]];
        number[v] = is_removed[v] ? parent : result.num_nodes();
        if (is_removed[v]) continue;
        result.parent.push_back(v == 0 ? 0 : parent);
        result.taxon.push_back(tree.taxon[v]);
        result.length.push_back(tree.length[v]);
        if (!tree.label.empty()) result.label.push_back(tree.label[v]);
    }
    return result;
}

GeneralTree hung_up_at(GeneralTree const& tree, std::span<std::uint32_t const> outgroup,
                       std::span<std::string const> taxon_names) {
    REGRAFT_EXPECTS(taxon_names.size() == tree.num_taxa());
    if (outgroup.empty() || outgroup.size() >= tree.num_taxa()) {
        throw InputError("the outgroup has " + std::to_string(outgroup.size()) + " of the " +
                         std::to_string(tree.num_taxa()) + " taxa, expected at least one, but not all");
    }
    auto const node = attachment(tree, outgroup);
    if (node) return hung_up_at(tree, *node);
    throw InputError("the outgroup " + list_of(outgroup, taxon_names) +
                     " is not a clade: no edge of the tree cuts these taxa off from the others; the smallest clade "
                     "with them also has " +
                     list_of(others_of_clade(tree, outgroup), taxon_names));
}

GeneralForm to_general(Tree const& tree, std::uint32_t set) {
    REGRAFT_EXPECTS(tree.is_complete() && set < tree.num_length_sets());
    auto const edges = tree.edges();
    std::vector<std::uint32_t> number(tree.num_half_edges());
    for (std::uint32_t i = 0; i < edges.size(); ++i) number[edges[i]] = number[tree.back(edges[i])] = i;

    GeneralForm form;
    form.node_of_edge.resize(edges.size());
    auto& [parent, taxon, length, label] = form.tree;
    auto const add = [&](HalfEdge h, std::uint32_t above) {
        parent.push_back(above);
        taxon.push_back(tree.is_tip(h) ? h : GeneralTree::no_taxon);
        length.push_back(parent.size() == 1 ? no_length : tree.length(h, set));
        return static_cast<std::uint32_t>(parent.size() - 1);
    };
    auto const root = tree.back(0);
    add(root, 0);
    std::vector<std::pair<HalfEdge, std::uint32_t>> pending;  // half-edges that lead to their parent, and the parent's
                                                              // number
    auto const push_children = [&](HalfEdge h, std::uint32_t v) {
        for (auto x = tree.next(h); x != h; x = tree.next(x)) pending.emplace_back(tree.back(x), v);
    };
    push_children(root, 0);
    pending.emplace_back(0, 0);
    while (!pending.empty()) {
        auto const [h, above] = pending.back();
        pending.pop_back();
        auto const v = add(h, above);
        form.node_of_edge[number[h]] = v;
        push_children(h, v);
    }
    return form;
}

}  // namespace regraft::msa
