#include "trees/tree_layout.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "regraft/core/contracts.hpp"

namespace regraft::phylo {
namespace {

using msa::HalfEdge;
using msa::Tree;

/// The tip that is farthest from another one, ties going to the lowest, and its distance.
struct Farthest {
    HalfEdge tip = 0;
    double distance = 0;
};

/// Finds the tip that is farthest from a given one.
Farthest farthest_from(Tree const& tree, HalfEdge from) {
    auto const order = msa::postorder(tree, tree.back(from));
    std::vector<double> distance(tree.num_half_edges());
    distance[order.back()] = tree.length(from);
    Farthest result{from, 0};
    for (auto i = order.size(); i-- > 0;) {
        auto const g = order[i];
        if (tree.is_tip(g)) {
            bool const is_farther = distance[g] > result.distance;
            if (is_farther || (distance[g] == result.distance && g < result.tip)) result = {g, distance[g]};
            continue;
        }
        for (auto h = tree.next(g); h != g; h = tree.next(h)) distance[tree.back(h)] = distance[g] + tree.length(h);
    }
    return result;
}

/// The half-edges on the path from tip a to tip b, each pointing back to a.
std::vector<HalfEdge> path(Tree const& tree, HalfEdge a, HalfEdge b) {
    std::vector<HalfEdge> towards(tree.num_half_edges());  // per half-edge that points towards a: the next one on the
                                                           // path
    auto const order = msa::postorder(tree, tree.back(a));
    for (auto const g : order) {
        for (auto h = tree.next(g); h != g; h = tree.next(h)) towards[tree.back(h)] = g;
    }
    std::vector<HalfEdge> result;
    for (auto g = b; g != order.back(); g = towards[g]) result.push_back(g);
    result.push_back(order.back());
    std::ranges::reverse(result);
    return result;
}

struct Children {
    HalfEdge upper = 0;
    HalfEdge lower = 0;
};

/// Puts the smaller subtree above; ties go to the one with the lowest tip.
class Ladder {
public:
    explicit Ladder(Tree const& tree, std::span<HalfEdge const> order)
        : tree_(tree), size_(tree.num_half_edges()), lowest_(tree.num_half_edges()) {
        for (auto const g : order) {
            size_[g] = 1;
            lowest_[g] = tree.is_tip(g) ? g : tree.num_tips();
            for (auto h = tree.next(g); h != g; h = tree.next(h)) {
                size_[g] += size_[tree.back(h)];
                lowest_[g] = std::min(lowest_[g], lowest_[tree.back(h)]);
            }
        }
    }
    Children sorted(HalfEdge a, HalfEdge b) const {
        return std::pair(size_[a], lowest_[a]) < std::pair(size_[b], lowest_[b]) ? Children{a, b} : Children{b, a};
    }
    Children children(HalfEdge g) const {
        return sorted(tree_.back(tree_.next(g)), tree_.back(tree_.next(tree_.next(g))));
    }

private:
    Tree const& tree_;
    std::vector<std::uint32_t> size_;
    std::vector<HalfEdge> lowest_;
};

/// Gives tips their rows from the top, depth first.
void number_rows(Tree const& tree, Ladder const& ladder, Children const& at_root, Layout& layout) {
    std::vector<HalfEdge> stack{at_root.lower, at_root.upper};
    double next = 0;
    while (!stack.empty()) {
        auto const g = stack.back();
        stack.pop_back();
        if (tree.is_tip(g)) {
            layout.row[g] = next++;
            continue;
        }
        auto const [upper, lower] = ladder.children(g);
        stack.push_back(lower);
        stack.push_back(upper);
    }
}

}  // namespace

DrawnRoot midpoint(Tree const& tree) {
    auto const a = farthest_from(tree, 0).tip;
    auto const [b, length] = farthest_from(tree, a);
    if (length == 0) return {0, 0};
    double before = 0;
    for (auto const h : path(tree, a, b)) {
        auto const after = before + tree.length(h);
        if (after >= length / 2) return {h, after - length / 2};
        before = after;
    }
    return {b, 0};  // reached only by the rounding of sums
}

DrawnRoot above(Tree const& tree, std::span<std::uint32_t const> outgroup) {
    REGRAFT_EXPECTS(!outgroup.empty() && outgroup.size() < tree.num_tips());
    auto const tips = msa::tips_behind(tree);
    std::vector<std::uint32_t> found(tree.num_half_edges());  // number of these that are in the outgroup
    for (auto const tip : outgroup) found[tip] = 1;
    for (auto const g : msa::postorder(tree, tree.back(0))) {
        for (auto h = tree.next(g); h != g; h = tree.next(h)) found[g] += found[tree.back(h)];
        found[tree.back(g)] = static_cast<std::uint32_t>(outgroup.size()) - found[g];
    }
    std::optional<HalfEdge> best;
    for (HalfEdge h = 0; h < tree.num_half_edges(); ++h) {
        if (found[h] == outgroup.size() && (!best || tips[h] < tips[*best])) best = h;
    }
    REGRAFT_EXPECTS(best.has_value());  // false only if the outgroup is all tips or none
    return {*best, tree.length(*best) / 2};
}

Layout make_layout(Tree const& tree, DrawnRoot const& root) {
    auto const other = tree.back(root.h);
    Layout layout;
    layout.order = msa::postorder(tree, root.h);
    auto const rest = msa::postorder(tree, other);
    layout.order.insert(layout.order.end() - 1, rest.begin(), rest.end() - 1);
    layout.order.push_back(other);
    layout.depth.resize(tree.num_half_edges());
    layout.row.resize(tree.num_half_edges());

    Ladder const ladder(tree, layout.order);
    layout.depth[root.h] = root.distance;
    layout.depth[other] = tree.length(root.h) - root.distance;
    for (auto i = layout.order.size(); i-- > 0;) {
        auto const g = layout.order[i];
        layout.deepest = std::max(layout.deepest, layout.depth[g]);
        for (auto h = tree.next(g); h != g; h = tree.next(h))
            layout.depth[tree.back(h)] = layout.depth[g] + tree.length(h);
    }
    number_rows(tree, ladder, ladder.sorted(root.h, other), layout);
    for (auto const g : layout.order) {
        if (tree.is_tip(g)) continue;
        auto const [upper, lower] = ladder.children(g);
        layout.row[g] = (layout.row[upper] + layout.row[lower]) / 2;
    }
    layout.root_row = (layout.row[root.h] + layout.row[other]) / 2;
    return layout;
}

}  // namespace regraft::phylo
