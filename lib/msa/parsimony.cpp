#include "regraft/msa/parsimony.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"

namespace regraft::msa {
namespace {

/// Patterns are handled in groups of fixed size, for the sake of vector instructions.
constexpr std::size_t lanes = 16;
using Sets = std::array<StateMask, lanes>;
using Weights = std::array<std::uint32_t, lanes>;

/// Fitch's set of a node from those of its children: their intersection if there is one, else their union.
Sets combine(Sets const& a, Sets const& b) {
    Sets out;
    for (std::size_t i = 0; i < lanes; ++i) {
        StateMask const common = a[i] & b[i];
        out[i] = common != 0 ? common : a[i] | b[i];
    }
    return out;
}

/// The weight of the patterns for which the sets have nothing in common.
std::uint32_t disjoint_weight(Sets const& a, Sets const& b, Weights const& weight) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < lanes; ++i) sum += (a[i] & b[i]) != 0 ? 0 : weight[i];
    return sum;
}

/// The alignment as sets of states. Unused lanes have all states and weight 0, so that they cost nothing.
class TipSets {
public:
    explicit TipSets(Patterns const& patterns);
    std::size_t num_groups() const { return weights_.size(); }
    std::span<Sets const> operator[](std::uint32_t taxon) const {
        return std::span(sets_).subspan(taxon * num_groups(), num_groups());
    }
    Weights const& weight(std::size_t group) const { return weights_[group]; }

private:
    std::vector<Sets> sets_;  // [taxon][group]
    std::vector<Weights> weights_;
};

TipSets::TipSets(Patterns const& patterns) {
    Sets all_states;
    all_states.fill(~StateMask{0});
    weights_.resize((patterns.num_patterns() + lanes - 1) / lanes);
    sets_.assign(patterns.num_taxa * num_groups(), all_states);
    for (std::size_t q = 0; q < patterns.num_partitions(); ++q) {
        for (auto p = patterns.partition_begin[q]; p < patterns.partition_begin[q + 1]; ++p) {
            weights_[p / lanes][p % lanes] = patterns.weight[p];
            auto const column = patterns.column(p);
            for (std::size_t t = 0; t < column.size(); ++t) {
                sets_[t * num_groups() + p / lanes][p % lanes] = state_mask(patterns.alphabet[q], column[t]);
            }
        }
    }
}

/// A growing tree with Fitch's sets for every half-edge: those of the subtree at its own side.
class GrowingTree {
public:
    GrowingTree(Patterns const& patterns, std::array<std::uint32_t, 3> const& first_tips);
    void add(std::uint32_t tip);
    Tree take() { return std::move(tree_); }

private:
    HalfEdge best_edge(std::uint32_t tip) const;
    std::uint64_t cost(std::uint32_t tip, HalfEdge edge, std::uint64_t limit) const;
    std::span<Sets> sets(HalfEdge h) { return std::span(sets_).subspan(h * tips_.num_groups(), tips_.num_groups()); }
    std::span<Sets const> sets(HalfEdge h) const {
        return std::span(sets_).subspan(h * tips_.num_groups(), tips_.num_groups());
    }
    bool update(HalfEdge h);
    void update_around(HalfEdge h);

    TipSets tips_;
    Tree tree_;
    Node next_inner_;
    std::vector<Sets> sets_;  // [half-edge][group]
};

GrowingTree::GrowingTree(Patterns const& patterns, std::array<std::uint32_t, 3> const& first_tips)
    : tips_(patterns), tree_(patterns.num_taxa), next_inner_(patterns.num_taxa) {
    sets_.resize(tree_.num_half_edges() * tips_.num_groups());
    for (std::uint32_t t = 0; t < tree_.num_tips(); ++t) std::ranges::copy(tips_[t], sets(t).begin());
    auto h = tree_.half_edge(next_inner_++);
    for (auto tip : first_tips) tree_.connect(tip, std::exchange(h, tree_.next(h)));
    for (int i = 0; i < 3; ++i) update(std::exchange(h, tree_.next(h)));
}

void GrowingTree::add(std::uint32_t tip) {
    auto const edge = best_edge(tip);
    auto const h = tree_.half_edge(next_inner_++);
    tree_.connect(h, tip);
    tree_.regraft(h, edge);
    update(h);
    update(tree_.next(h));
    update(tree_.next(tree_.next(h)));
    update_around(tree_.next(h));
    update_around(tree_.next(tree_.next(h)));
}

/// The edge with the least cost; the lowest among equals.
HalfEdge GrowingTree::best_edge(std::uint32_t tip) const {
    HalfEdge best = no_half_edge;
    auto least = std::numeric_limits<std::uint64_t>::max();
    for (auto edge : tree_.edges()) {
        auto const edge_cost = cost(tip, edge, least);
        if (edge_cost < least) {
            least = edge_cost;
            best = edge;
        }
    }
    return best;
}

/// How much longer the tree becomes with the tip in this edge; something >= limit if that is not below limit.
std::uint64_t GrowingTree::cost(std::uint32_t tip, HalfEdge edge, std::uint64_t limit) const {
    auto const near = sets(edge);
    auto const far = sets(tree_.back(edge));
    auto const added = tips_[tip];
    std::uint64_t sum = 0;
    for (std::size_t g = 0; g < added.size() && sum < limit; ++g) {
        sum += disjoint_weight(combine(near[g], far[g]), added[g], tips_.weight(g));
    }
    return sum;
}

/// Recomputes the sets of an inner half-edge from its children; whether they changed.
bool GrowingTree::update(HalfEdge h) {
    auto const left = sets(tree_.back(tree_.next(h)));
    auto const right = sets(tree_.back(tree_.next(tree_.next(h))));
    auto const own = sets(h);
    bool changed = false;
    for (std::size_t g = 0; g < own.size(); ++g) {
        auto const fresh = combine(left[g], right[g]);
        changed = changed || fresh != own[g];
        own[g] = fresh;
    }
    return changed;
}

/// Recomputes all sets that depend on those of h, as far as changes reach.
void GrowingTree::update_around(HalfEdge h) {
    std::vector<HalfEdge> changed{h};
    while (!changed.empty()) {
        auto const at = tree_.back(changed.back());
        changed.pop_back();
        for (auto x = tree_.next(at); x != at; x = tree_.next(x)) {
            if (update(x)) changed.push_back(x);
        }
    }
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

std::uint64_t parsimony_score(Tree const& tree, Patterns const& patterns) {
    REGRAFT_EXPECTS(tree.num_tips() == patterns.num_taxa && tree.is_complete());
    TipSets const tips(patterns);
    auto const order = postorder(tree, tree.back(0));
    std::vector<Sets> sets(tree.num_nodes());
    std::uint64_t score = 0;
    for (std::size_t g = 0; g < tips.num_groups(); ++g) {
        for (auto h : order) {
            if (tree.is_tip(h)) {
                sets[h] = tips[h][g];
                continue;
            }
            auto const& left = sets[tree.node(tree.back(tree.next(h)))];
            auto const& right = sets[tree.node(tree.back(tree.next(tree.next(h))))];
            score += disjoint_weight(left, right, tips.weight(g));
            sets[tree.node(h)] = combine(left, right);
        }
        score += disjoint_weight(sets[tree.node(tree.back(0))], tips[0][g], tips.weight(g));
    }
    return score;
}

Tree stepwise_addition(Patterns const& patterns, std::uint64_t seed) {
    REGRAFT_EXPECTS(patterns.num_taxa >= 3);
    auto const order = shuffled_tips(patterns.num_taxa, seed);
    GrowingTree growing(patterns, {order[0], order[1], order[2]});
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
