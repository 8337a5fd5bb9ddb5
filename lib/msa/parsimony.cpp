#include "regraft/msa/parsimony.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "msa/half_edge_sets.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"

namespace regraft::msa {
namespace {

/// Where a taxon may go, and what it costs there.
struct Place {
    std::uint64_t cost = std::numeric_limits<std::uint64_t>::max();
    HalfEdge edge = no_half_edge;  // the lower of its half-edges
    friend auto operator<=>(Place const&, Place const&) = default;
};

/// A tree with some of the taxa.
class GrowingTree {
public:
    GrowingTree(ParsimonySites::Planes const& planes, std::array<std::uint32_t, 3> const& first_tips);
    void add(std::uint32_t tip);
    Tree take() { return std::move(tree_); }

private:
    HalfEdge best_edge(std::uint32_t tip) const;

    HalfEdgeSets sets_;
    Tree tree_;
    Node next_inner_;
    std::vector<HalfEdge> edges_;
};

GrowingTree::GrowingTree(ParsimonySites::Planes const& planes, std::array<std::uint32_t, 3> const& first_tips)
    : sets_(planes),
      tree_(planes.num_taxa()),
      next_inner_(planes.num_taxa()),
      edges_(first_tips.begin(), first_tips.end()) {
    auto h = tree_.half_edge(next_inner_++);
    for (auto tip : first_tips) tree_.connect(tip, std::exchange(h, tree_.next(h)));
    sets_.update(tree_, h, {});
}

void GrowingTree::add(std::uint32_t tip) {
    auto const edge = best_edge(tip);
    // What is now behind either end of the edge gets a new half-edge in front, with a higher number.
    edges_.insert(edges_.end(), {tree_.back(edge), tip});
    auto const h = tree_.half_edge(next_inner_++);
    tree_.connect(h, tip);
    tree_.regraft(h, edge);
    sets_.update(tree_, h, {});
}

/// The edge with the least cost; the lowest among equals.
HalfEdge GrowingTree::best_edge(std::uint32_t tip) const {
    Place best;
#pragma omp parallel if (edges_.size() * sets_.num_planes() >= planes_for_threads)
    {
        Place found;
#pragma omp for schedule(static) nowait
        for (std::size_t i = 0; i < edges_.size(); ++i) {
            auto const edge = edges_[i];
            // Equal costs have to be exact.
            auto const limit = found.edge == no_half_edge ? found.cost : found.cost + 1;
            auto const cost = insertion_cost(sets_.groups(), sets_[edge], sets_[tree_.back(edge)], sets_[tip], limit);
            found = std::min(found, {cost, edge});
        }
#pragma omp critical
        best = std::min(best, found);
    }
    return best.edge;
}

std::vector<std::uint32_t> shuffled_tips(std::uint32_t num_tips, std::uint64_t seed) {
    std::vector<std::uint32_t> tips(num_tips);
    std::iota(tips.begin(), tips.end(), 0U);
    Random random(seed);
    shuffle(std::span(tips), random);
    return tips;
}

void reset_lengths(Tree& tree) {
    for (auto edge : tree.edges()) tree.set_length(edge, Tree::default_length);
}

}  // namespace

std::uint64_t parsimony_score(Tree const& tree, ParsimonySites const& sites) {
    REGRAFT_EXPECTS(tree.num_tips() == sites.num_taxa() && tree.is_complete());
    auto const& planes = sites.planes();
    auto const inner = tree.num_tips();
    std::vector<Plane> sets((tree.num_nodes() - inner) * planes.num_planes());
    auto const sets_of = [&](HalfEdge h) {
        return tree.is_tip(h) ? planes.tip(h) : sets.data() + (tree.node(h) - inner) * planes.num_planes();
    };
    auto score = planes.constant_score();
    for (auto const h : postorder(tree, tree.back(0))) {
        if (tree.is_tip(h)) continue;
        auto const left = sets_of(tree.back(tree.next(h)));
        auto const right = sets_of(tree.back(tree.next(tree.next(h))));
        score += count_disjoint(planes.groups(), left, right);
        combine(planes.groups(), left, right, sets.data() + (tree.node(h) - inner) * planes.num_planes());
    }
    return score + count_disjoint(planes.groups(), sets_of(tree.back(0)), planes.tip(0));
}

Tree stepwise_addition(ParsimonySites const& sites, std::uint64_t seed) {
    REGRAFT_EXPECTS(sites.num_taxa() >= 3);
    auto const order = shuffled_tips(sites.num_taxa(), seed);
    GrowingTree growing(sites.planes(), {order[0], order[1], order[2]});
    for (auto tip : std::span(order).subspan(3)) growing.add(tip);
    auto tree = growing.take();
    reset_lengths(tree);
    return tree;
}

Tree random_tree(std::uint32_t num_tips, std::uint64_t seed) {
    Tree tree(num_tips);
    Random random(seed);
    std::vector<HalfEdge> edges{0, 1, 2};
    auto h = tree.half_edge(num_tips);
    for (auto tip : edges) tree.connect(tip, std::exchange(h, tree.next(h)));
    for (HalfEdge tip = 3; tip < num_tips; ++tip) {
        h = tree.half_edge(num_tips + tip - 2);
        auto const edge = edges[random.below(edges.size())];
        tree.connect(h, tip);
        tree.regraft(h, edge);
        // `edge` now names the part at its own side.
        edges.insert(edges.end(), {tip, tree.next(tree.next(h))});
    }
    reset_lengths(tree);
    return tree;
}

}  // namespace regraft::msa
