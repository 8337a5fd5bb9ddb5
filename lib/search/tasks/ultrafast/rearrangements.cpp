#include "search/tasks/ultrafast/rearrangements.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "regraft/search/tested_trees.hpp"
#include "regraft/search/topology.hpp"
#include "search/trees/fuse.hpp"

namespace regraft::search {

using msa::HalfEdge;
using msa::Tree;

namespace {

/// Whether all nodes hang together. Moves of two subtrees, each to a place within the other, would cut them off.
bool is_whole(Tree const& tree) {
    std::vector<HalfEdge> to_see{tree.back(0)};
    std::size_t seen = 1;
    while (!to_see.empty() && seen <= tree.num_nodes()) {
        auto const h = to_see.back();
        to_see.pop_back();
        ++seen;
        if (tree.is_tip(h)) continue;
        for (auto g = tree.next(h); g != h; g = tree.next(g)) to_see.push_back(tree.back(g));
    }
    return seen == tree.num_nodes();
}

}  // namespace

std::vector<double> gains_of_replicates(DistributedLikelihood& likelihood, ReplicateWeights const& weights,
                                        std::span<std::vector<double> const> values,
                                        std::span<std::vector<double> const> others) {
    auto const gain = weights.difference(values, others);
    std::vector<std::int64_t> steps;
    for (std::uint32_t i = 0; i < weights.count(); ++i) steps.push_back(weights.sum(gain, i));
    likelihood.sum_over_ranks(steps);
    std::vector<double> result(steps.size());
    std::ranges::transform(steps, result.begin(), GridValues::value);
    return result;
}

void Rearrangements::add_parts_of(Tree const& other) {
    for (auto const& exchange : exchanges(tree_, other)) {
        likelihood_.undo(exchange.move);
        add(exchange.edges, {});
    }
}

void Rearrangements::add_moves_of(HalfEdge h) {
    auto const left = tree_.next(h);
    auto const right = tree_.next(left);
    auto const loglh = likelihood_.loglh(h);
    auto const pruned = likelihood_.prune(h);
    auto found = promising(h, {tree_.back(left), tree_.back(right)}, loglh);
    likelihood_.undo(pruned);
    for (auto& [target, way] : found) {
        likelihood_.prune(h);
        likelihood_.regraft(h, target);
        add(std::array{h, left, right, tree_.back(left)}, std::move(way));
    }
}

/// The edges into which the pruned subtree may be inserted, found as by try_spr, but with fixed losses: ends are those
/// of the edge that it leaves, loglh the log-likelihood before it was pruned.
std::vector<Rearrangements::Target> Rearrangements::promising(HalfEdge h, std::array<HalfEdge, 2> const& ends,
                                                              double loglh) {
    constexpr std::uint32_t radius = 30;
    constexpr double go_on = 60;  // edges beyond an insertion are tried if it loses less
    constexpr double worth = 35;  // the branches of an insertion are optimised if it loses less before that
    auto const& tree = likelihood_.tree();
    std::vector<Target> found;
    std::vector<Target> front;
    for (auto const end : ends) front.push_back({end, {tree.node(h), tree.node(end)}});
    for (std::uint32_t step = 0; step < radius && !front.empty(); ++step) {
        std::vector<Insertion> insertions;
        std::vector<Target> targets;
        for (auto const& [x, way] : front) {
            for (auto g = tree.next(x); g != x; g = tree.next(g)) {
                insertions.push_back(likelihood_.insertion(h, g));
                targets.push_back({g, way});
            }
        }
        if (insertions.empty()) break;
        front.clear();
        auto const scores = likelihood_.score_insertions(h, insertions);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            auto const loss = loglh - scores[i];
            auto& [g, way] = targets[i];
            way.push_back(tree.node(tree.back(g)));
            if (step > 0 && loss < worth) found.push_back(targets[i]);
            if (loss < go_on && !tree.is_tip(tree.back(g))) front.push_back({tree.back(g), way});
        }
    }
    return found;
}

/// Adds the present difference of the likelihood's tree from tree_, with these branches optimised, unless no replicate
/// prefers it, and restores the tree.
void Rearrangements::add(std::span<HalfEdge const> edges, std::vector<msa::Node> way) {
    fit_lengths(likelihood_, edges);
    auto const rearranged = pattern_loglh(likelihood_, replicates_.patterns, edges.front());
    Rearrangement result{difference(tree_, likelihood_.tree()), {}, std::move(way)};
    for (auto const h : result.move.touched) result.nodes.push_back(tree_.node(h));
    likelihood_.set_tree(tree_);
    auto const gains = gains_of_replicates(likelihood_, replicates_.weights, rearranged, before_);
    for (std::size_t i = 0; i < gains.size(); ++i) {
        if (gains[i] > least_gain_of_change) raises_[i].push_back({gains[i], all_.size()});
    }
    if (std::ranges::any_of(gains, [](double gain) { return gain > least_gain_of_change; }))
        all_.push_back(std::move(result));
}

double Rearrangements::make(Tree& tree, std::uint32_t replicate, Constraint const* constraint) const {
    auto raises = raises_[replicate];
    std::ranges::stable_sort(raises, std::greater<>(), &Raise::gain);
    std::vector<bool> changed(tree.num_nodes());
    auto const has_changed = [&](msa::Node node) { return changed[node]; };
    double sum = 0;
    for (auto const& raise : raises) {
        auto const& [move, nodes, way] = all_[raise.rearrangement];
        if (std::ranges::any_of(nodes, has_changed)) continue;
        bool const may_cut = std::ranges::any_of(way, has_changed);
        auto before = may_cut || constraint != nullptr ? std::optional(tree) : std::nullopt;
        tree.undo(move);
        if ((may_cut && !is_whole(tree)) || (constraint != nullptr && !constraint->allows(tree))) {
            tree = *std::move(before);
            continue;
        }
        for (auto const node : nodes) changed[node] = true;
        sum += raise.gain;
    }
    return sum;
}

}  // namespace regraft::search
