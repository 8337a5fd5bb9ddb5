#include "regraft/msa/parsimony.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "msa/parsimony/half_edge_sets.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"

namespace regraft::msa {
namespace {

/// A tree with some of the taxa.
class TreeByParsimony {
public:
    TreeByParsimony(ParsimonySites::Planes const& planes, std::array<std::uint32_t, 3> const& first_tips);
    void add(std::uint32_t tip);
    Tree take() { return std::move(tree_); }

private:
    /// The edge with the least cost. Edges are numbered in the order of their insertion.
    HalfEdge best_edge(std::uint32_t tip) const;
    void add_edge(HalfEdge h);
    void update_around(HalfEdge h);
    Plane* set_of_edge(std::size_t edge) { return edge_sets_.data() + edge * sets_.num_planes(); }
    FitchSets set_of_edge(std::size_t edge) const { return edge_sets_.data() + edge * sets_.num_planes(); }

    HalfEdgeSets sets_;
    Tree tree_;
    Node next_inner_;
    std::vector<HalfEdge> edges_;         // the lower half-edge of each
    std::vector<std::uint32_t> edge_of_;  // per half-edge
    std::vector<Plane> edge_sets_;        // [edge][plane]: the sets that a node in the edge would have
};

TreeByParsimony::TreeByParsimony(ParsimonySites::Planes const& planes, std::array<std::uint32_t, 3> const& first_tips)
    : sets_(planes),
      tree_(planes.num_taxa()),
      next_inner_(planes.num_taxa()),
      edge_of_(tree_.num_half_edges()),
      edge_sets_(tree_.num_edges() * planes.num_planes()) {
    auto h = tree_.half_edge(next_inner_++);
    for (auto tip : first_tips) {
        tree_.connect(tip, std::exchange(h, tree_.next(h)));
        add_edge(tip);
    }
    update_around(h);
}

/// Numbers the edge with this lower half-edge.
void TreeByParsimony::add_edge(HalfEdge h) {
    edge_of_[h] = edge_of_[tree_.back(h)] = static_cast<std::uint32_t>(edges_.size());
    edges_.push_back(h);
}

void TreeByParsimony::add(std::uint32_t tip) {
    auto const edge = best_edge(tip);
    auto const other_end = tree_.back(edge);
    auto const h = tree_.half_edge(next_inner_++);
    tree_.connect(h, tip);
    tree_.regraft(h, edge);
    // New half-edges have higher numbers than all others.
    edge_of_[tree_.back(edge)] = edge_of_[edge];
    add_edge(other_end);
    add_edge(tip);
    update_around(h);
}

/// Updates sets after an inner node was put into an edge.
void TreeByParsimony::update_around(HalfEdge h) {
    for (auto const x : sets_.update(tree_, h, {})) {
        combine(sets_.groups(), sets_[x], sets_[tree_.back(x)], set_of_edge(edge_of_[x]));
    }
}

/// The edge with the least cost; ties go to the lowest one.
HalfEdge TreeByParsimony::best_edge(std::uint32_t tip) const {
    auto least = std::numeric_limits<std::uint64_t>::max();
    HalfEdge best = no_half_edge;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
        // Costs equal to the least so far must be exact.
        auto const limit = edges_[i] < best && best != no_half_edge ? least + 1 : least;
        auto const cost = count_disjoint(sets_.groups(), set_of_edge(i), sets_[tip], limit);
        if (cost >= limit) continue;
        least = cost;
        best = edges_[i];
    }
    return best;
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
    TreeByParsimony growing(sites.planes(), {order[0], order[1], order[2]});
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
        // `edge` is now the part at its own side.
        edges.insert(edges.end(), {tip, tree.next(tree.next(h))});
    }
    reset_lengths(tree);
    return tree;
}

}  // namespace regraft::msa
