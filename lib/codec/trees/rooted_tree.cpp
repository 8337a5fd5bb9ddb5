// Roots unrooted trees at their middle.
#include "regraft/codec/rooted_tree.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "codec/trees/pre_order.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::codec {
namespace {

using msa::HalfEdge;
using msa::Tree;

/// The inner node for which the sum of the subtrees' sizes is least. Moving the root over an edge towards the larger
/// part pays as long as that part has more tips, so it is the node of which no side has more than half of the tips.
msa::Node middle(Tree const& tree, std::vector<std::uint32_t> const& tips) {
    auto const is_middle = [&](msa::Node v) {
        auto h = tree.half_edge(v);
        std::uint32_t most = 0;
        for (int i = 0; i < 3; ++i, h = tree.next(h)) most = std::max(most, tips[tree.back(h)]);
        return 2 * std::uint64_t{most} <= tree.num_tips();
    };
    auto v = tree.num_tips();
    while (!is_middle(v)) ++v;
    return v;
}

}  // namespace

RootedTree hang_up(Tree const& tree) {
    REGRAFT_EXPECTS(tree.is_complete());
    auto const tips = tips_behind(tree);
    PreOrder out(tree.num_nodes());
    struct Subtree {
        HalfEdge top;  // the half-edge at the subtree's own side; at the root any of the three
        std::uint32_t parent;
    };
    auto const root = tree.half_edge(middle(tree, tips));
    std::vector<Subtree> open{{root, 0}};
    while (!open.empty()) {
        auto const [top, parent] = open.back();
        open.pop_back();
        if (tree.is_tip(top)) {
            out.add_tip(parent, tree.node(top));
            continue;
        }
        auto const node = out.add(parent);
        std::array<HalfEdge, 3> const below{tree.back(tree.next(top)), tree.back(tree.next(tree.next(top))),
                                            tree.back(top)};
        std::vector<HalfEdge> children(below.begin(), below.begin() + (top == root ? 3 : 2));
        // Smaller subtrees come first, and so tips before inner nodes; the stack reverses the order.
        std::ranges::sort(children,
                          [&](HalfEdge a, HalfEdge b) { return tips[a] != tips[b] ? tips[a] > tips[b] : a > b; });
        for (auto const child : children) open.push_back({child, node});
    }
    return out.take();
}

RootedTree trivial_tree(std::uint32_t num_tips) {
    REGRAFT_EXPECTS(num_tips == 1 || num_tips == 2);
    if (num_tips == 1) return {.parent = {0}, .first_tip = {0}, .last_tip = {1}, .row_of_tip = {0}};
    return {.parent = {0, 0, 0}, .first_tip = {0, 0, 1}, .last_tip = {2, 1, 2}, .row_of_tip = {0, 1}};
}

}  // namespace regraft::codec
