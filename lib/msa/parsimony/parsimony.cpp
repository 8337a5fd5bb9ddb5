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

/// The sets that a node in each edge would have. Those of one group lie one behind the other: most edges are ruled out
/// by the first groups.
class EdgeSets {
public:
    EdgeSets(std::span<std::uint32_t const> groups, std::size_t num_planes, std::size_t num_edges)
        : groups_(groups), num_edges_(num_edges), sets_(num_planes * num_edges) {}

    /// Makes the sets of an edge from those at its ends.
    void combine(std::size_t edge, FitchSets a, FitchSets b);
    /// The number of sites at which each edge from `first` on has nothing in common with a tip; any numbers >= limit if
    /// none is below limit.
    void costs(std::size_t first, FitchSets tip, std::uint64_t limit, std::span<std::uint64_t> costs) const;

private:
    std::span<std::uint32_t const> groups_;
    std::size_t num_edges_;
    std::vector<Plane> sets_;  // [group][edge][plane]
};

void EdgeSets::combine(std::size_t edge, FitchSets a, FitchSets b) {
    std::size_t plane = 0;
    for (std::size_t g = 0; g < groups_.size(); plane += groups_[g++]) {
        auto* const out = sets_.data() + plane * num_edges_ + edge * groups_[g];
        msa::combine(groups_.subspan(g, 1), a + plane, b + plane, out);
    }
}

void EdgeSets::costs(std::size_t first, FitchSets tip, std::uint64_t limit, std::span<std::uint64_t> costs) const {
    std::ranges::fill(costs, std::uint64_t{0});
    std::size_t plane = 0;
    for (auto const num_states : groups_) {
        add_disjoint(num_states, sets_.data() + plane * num_edges_ + first * num_states, tip + plane, costs);
        if (std::ranges::min(costs) >= limit) return;
        plane += num_states;
    }
}

/// A tree with some of the taxa.
class TreeByParsimony {
public:
    TreeByParsimony(ParsimonySites::Planes const& planes, std::array<std::uint32_t, 3> const& first_tips);
    void add(std::uint32_t tip, SumOverParts const& sum);
    Tree take() { return std::move(tree_); }

private:
    // Edges are numbered in the order of their insertion.
    HalfEdge best_edge(std::uint32_t tip) const;
    HalfEdge best_edge(std::uint32_t tip, SumOverParts const& sum) const;
    void add_edge(HalfEdge h);
    void update_around(HalfEdge h);

    HalfEdgeSets sets_;
    Tree tree_;
    Node next_inner_;
    std::vector<HalfEdge> edges_;         // the lower half-edge of each
    std::vector<std::uint32_t> edge_of_;  // per half-edge
    EdgeSets edge_sets_;
};

TreeByParsimony::TreeByParsimony(ParsimonySites::Planes const& planes, std::array<std::uint32_t, 3> const& first_tips)
    : sets_(planes),
      tree_(planes.num_taxa()),
      next_inner_(planes.num_taxa()),
      edge_of_(tree_.num_half_edges()),
      edge_sets_(planes.groups(), planes.num_planes(), tree_.num_edges()) {
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

void TreeByParsimony::add(std::uint32_t tip, SumOverParts const& sum) {
    auto const edge = sum ? best_edge(tip, sum) : best_edge(tip);
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
        edge_sets_.combine(edge_of_[x], sets_[x], sets_[tree_.back(x)]);
    }
}

/// The edge with the least cost; ties go to the lowest one.
HalfEdge TreeByParsimony::best_edge(std::uint32_t tip) const {
    constexpr std::size_t at_once = 64;  // few, so that a good edge makes only few others be compared at all sites
    std::array<std::uint64_t, at_once> memory{};
    auto least = std::numeric_limits<std::uint64_t>::max() - 1;
    HalfEdge best = no_half_edge;
    for (std::size_t first = 0; first < edges_.size(); first += at_once) {
        auto const costs = std::span(memory).first(std::min(at_once, edges_.size() - first));
        edge_sets_.costs(first, sets_[tip], least + 1, costs);
        for (std::size_t i = 0; i < costs.size(); ++i) {
            auto const edge = edges_[first + i];
            if (costs[i] > least || (costs[i] == least && edge > best)) continue;
            least = costs[i];
            best = edge;
        }
    }
    return best;
}

/// The same if others have a part of the sites: no edge is ruled out before all costs are known.
HalfEdge TreeByParsimony::best_edge(std::uint32_t tip, SumOverParts const& sum) const {
    std::vector<std::uint64_t> costs(edges_.size());
    edge_sets_.costs(0, sets_[tip], std::numeric_limits<std::uint64_t>::max(), costs);
    sum(costs);
    std::size_t best = 0;
    for (std::size_t i = 1; i < costs.size(); ++i) {
        if (std::pair(costs[i], edges_[i]) < std::pair(costs[best], edges_[best])) best = i;
    }
    return edges_[best];
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

Tree stepwise_addition(ParsimonySites const& sites, std::uint64_t seed, SumOverParts const& sum) {
    REGRAFT_EXPECTS(sites.num_taxa() >= 3);
    auto const order = shuffled_tips(sites.num_taxa(), seed);
    TreeByParsimony growing(sites.planes(), {order[0], order[1], order[2]});
    for (auto tip : std::span(order).subspan(3)) growing.add(tip, sum);
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
