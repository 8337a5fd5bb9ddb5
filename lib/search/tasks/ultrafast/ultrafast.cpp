#include "regraft/search/ultrafast.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "regraft/core/random.hpp"
#include "regraft/search/optimise.hpp"
#include "regraft/search/topology.hpp"
#include "search/tasks/ultrafast/quartets.hpp"
#include "search/tasks/ultrafast/rearrangements.hpp"
#include "search/trees/fuse.hpp"

namespace regraft::search {

using msa::HalfEdge;
using msa::Tree;

namespace {

ft::FailPhase ultrafast_phase("ultrafast");

/// Differences in log-likelihood that mean nothing. So much is added at random to each split in each replicate, so that
/// a replicate chooses between equal resolutions by chance, but always the same one.
constexpr double meaningless = 0.05;
/// An edge that fewer than one in so many replicates have is not looked at: it hardly counts in the supports.
constexpr std::size_t rare = 100;

/// A waiting edge of a replicate, which asks for its best resolution.
struct Ask {
    std::uint32_t replicate;
    Quartet quartet;
};

/// The answer to an edge of a replicate: the resolution that it should take.
struct Move {
    HalfEdge h;
    Quartet quartet;
    std::uint32_t resolution;
    double gain;                         // in log-likelihood of the replicate, over the present resolution
    std::vector<double> const* lengths;  // as Resolved::lengths
};

/// A random number from 0 to 1 that follows from the seed and the split.
double share(std::uint64_t seed, std::uint64_t split) {
    return static_cast<double>(mix(seed ^ mix(split)) >> 11) * 0x1p-53;
}

/// Brings quartets of replicates into the likelihood's tree, so that all replicates share one likelihood.
class Contexts {
public:
    Contexts(DistributedLikelihood& likelihood, std::span<ReplicateTree const> trees)
        : likelihood_(likelihood), tree_(likelihood.tree()), trees_(trees) {}

    /// Changes the likelihood's tree until it has the edge that asks and its four clusters, and no further. Returns the
    /// quartet there.
    Quartet enter(Ask const& ask) {
        auto const& theirs = trees_[ask.replicate].tree;
        if (!known_ || known_->replicate != ask.replicate)
            known_.emplace(Known{ask.replicate, Clades(theirs), exchanges(tree_, theirs)});
        auto const is_needed = [&](SubtreeExchange const& exchange) {
            return std::ranges::any_of(edges_of(ask.quartet), [&](HalfEdge g) {
                return std::ranges::find(exchange.clades, known_->clades.away(g)) != exchange.clades.end();
            });
        };
        auto const needed = std::ranges::count_if(known_->exchanges, is_needed);
        if (needed > 0) likelihood_.undo(std::ranges::find_if(known_->exchanges, is_needed)->move);
        for (auto left = needed; left > 1; --left) {  // exchanges that meet at an edge depend on each other
            auto const rest = exchanges(likelihood_.tree(), theirs);
            likelihood_.undo(std::ranges::find_if(rest, is_needed)->move);
        }
        Clades const clades(likelihood_.tree());
        return quartet_at(likelihood_.tree(), clades, clades.find(known_->clades.away(ask.quartet.h)));
    }
    /// Restores the likelihood's tree.
    void leave() { likelihood_.set_tree(tree_); }

private:
    struct Known {
        std::uint32_t replicate;
        Clades clades;
        std::vector<SubtreeExchange> exchanges;
    };
    DistributedLikelihood& likelihood_;
    Tree const tree_;
    std::span<ReplicateTree const> trees_;
    std::optional<Known> known_;
};

/// The log-likelihoods of the three resolutions of an edge between four clusters.
struct Answers {
    std::array<std::vector<double>, num_resolutions> lengths;
    std::vector<std::uint32_t> possible;                            // resolutions that some replicate may prefer
    std::vector<std::array<double, num_resolutions>> of_replicate;  // per ask; of those that are possible
};

/// Computes the log-likelihoods of resolutions in the replicates that ask.
class Answering {
public:
    /// Keeps references to both.
    Answering(DistributedLikelihood& likelihood, Replicates const& replicates)
        : likelihood_(likelihood), replicates_(replicates) {}

    /// The answers for a quartet of the likelihood's tree. asks: those for the same clusters. Collective.
    Answers answer(Quartet const& quartet, std::span<Ask const> asks) {
        struct Attempt {
            Branches optimised;
            double slack;  // how much log-likelihood a replicate may gain by better lengths
        };
        Answers answers;
        answers.possible.resize(num_resolutions);
        std::iota(answers.possible.begin(), answers.possible.end(), 0);
        std::array<Resolved, num_resolutions> resolved;
        for (auto const& [optimised, slack] : {Attempt{Branches::inner, 3}, Attempt{Branches::all, 1}}) {
            if (answers.possible.size() == 1) break;
            for (auto const r : answers.possible)
                resolved[r] =
                    QuartetView(likelihood_, replicates_.patterns, quartet, r, resolved[r].lengths, optimised).best();
            answers.possible = promising(answers.possible, resolved, asks, slack);
        }
        for (std::uint32_t r = 0; r < num_resolutions; ++r) answers.lengths[r] = std::move(resolved[r].lengths);
        if (answers.possible.size() == 1) {
            std::array<double, num_resolutions> never;
            never.fill(-std::numeric_limits<double>::infinity());
            never[answers.possible.front()] = 0;
            answers.of_replicate.assign(asks.size(), never);
        } else {
            answers.of_replicate = sums(quartet, answers, resolved[answers.possible.front()].best, asks);
        }
        return answers;
    }

private:
    /// The possible resolutions that some replicate may prefer if it gains so much by better lengths.
    std::vector<std::uint32_t> promising(std::span<std::uint32_t const> possible,
                                         std::array<Resolved, num_resolutions> const& resolved,
                                         std::span<Ask const> asks, double slack) {
        auto const& weights = replicates_.weights;
        std::vector<GridValues> values;
        for (auto const r : possible)
            values.push_back(weights.difference(resolved[r].best, resolved[possible.front()].best));
        auto const all = sums_of(values, asks);
        std::vector<std::uint32_t> result;
        for (std::size_t i = 0; i < possible.size(); ++i) {
            bool const is_promising = std::ranges::any_of(
                all, [&](auto const& of_ask) { return of_ask[i] + slack >= *std::ranges::max_element(of_ask); });
            if (is_promising) result.push_back(possible[i]);
        }
        return result;
    }

    /// The sum of each of some values over the sites of each replicate that asks, [ask][value]. One reduction.
    std::vector<std::vector<double>> sums_of(std::span<GridValues const> values, std::span<Ask const> asks) {
        std::vector<std::int64_t> steps;
        steps.reserve(asks.size() * values.size());
        for (auto const& ask : asks) {
            for (auto const& one : values) steps.push_back(replicates_.weights.sum(one, ask.replicate));
        }
        likelihood_.sum_over_ranks(steps);
        std::vector<std::vector<double>> result(asks.size());
        auto next = steps.begin();
        for (auto& of_ask : result) {
            for (std::size_t i = 0; i < values.size(); ++i) of_ask.push_back(GridValues::value(*next++));
        }
        return result;
    }

    /// Per ask, the sums of each possible resolution with the best length of the inner edge.
    std::vector<std::array<double, num_resolutions>> sums(Quartet const& quartet, Answers const& answers,
                                                          std::span<std::vector<double> const> reference,
                                                          std::span<Ask const> asks) {
        std::vector<GridValues> values;  // [possible][point]
        for (auto const r : answers.possible) {
            QuartetView const view(likelihood_, replicates_.patterns, quartet, r, answers.lengths[r], Branches::none);
            for (std::uint32_t point = 0; point < num_points; ++point)
                values.push_back(replicates_.weights.difference(view.at_point(point), reference));
        }
        auto const all = sums_of(values, asks);
        std::vector<std::array<double, num_resolutions>> result(asks.size());
        for (std::size_t i = 0; i < asks.size(); ++i) {
            result[i].fill(-std::numeric_limits<double>::infinity());
            auto next = all[i].begin();
            for (auto const r : answers.possible) {
                std::array<double, num_points> at{};
                for (auto& value : at) value = *next++;
                result[i][r] = profile(at);
            }
        }
        return result;
    }

    DistributedLikelihood& likelihood_;
    Replicates const& replicates_;
};

/// The resolution that a replicate prefers, and by how much.
Move preferred(Ask const& ask, Answers const& answers, std::array<double, num_resolutions> values, std::uint64_t seed) {
    for (auto const r : answers.possible) values[r] += meaningless * share(seed + ask.replicate, ask.quartet.split(r));
    auto const best = static_cast<std::uint32_t>(std::ranges::max_element(values) - values.begin());
    return {ask.quartet.h, ask.quartet, best, values[best] - values[ask.quartet.resolution], &answers.lengths[best]};
}

/// Makes the interchange, and gives the edges around the lengths that were found for it. Returns whether the constraint
/// allows it; otherwise the tree stays.
bool make(Tree& tree, Move const& move, Constraint const* constraint) {
    auto const undo = tree.nni(move.h, variant_towards(tree, move.quartet, move.resolution));
    if (constraint != nullptr && !constraint->allows(tree)) {
        tree.undo(undo);
        return false;
    }
    auto next = move.lengths->begin();
    for (auto const g : edges_of(after(tree, move.quartet, undo, move.resolution))) {
        for (std::uint32_t set = 0; set < tree.num_length_sets(); ++set) tree.set_length(g, *next++, set);
    }
    return true;
}

bool is_inner(Tree const& tree, HalfEdge h) {
    return !tree.is_tip(h) && !tree.is_tip(tree.back(h));
}

/// Makes the moves of a replicate, the best first, leaving out those at a node where another was made. Afterwards the
/// inner edges around the moves wait.
void make_all(ReplicateTree& replicate, std::vector<Move>& moves, Constraint const* constraint) {
    auto& tree = replicate.tree;
    replicate.waiting.clear();
    std::ranges::stable_sort(moves, std::greater<>(), &Move::gain);
    std::vector<bool> changed(tree.num_nodes());
    std::vector<bool> is_settled(tree.num_half_edges());
    for (auto const& move : moves) {
        auto const ends = std::array{tree.node(move.h), tree.node(tree.back(move.h))};
        if (changed[ends[0]] || changed[ends[1]] || !make(tree, move, constraint)) continue;
        for (auto const node : ends) changed[node] = true;
        is_settled[move.h] = is_settled[tree.back(move.h)] = true;
    }
    for (auto const h : tree.edges()) {
        bool const is_near = changed[tree.node(h)] || changed[tree.node(tree.back(h))];
        if (is_near && !is_settled[h] && is_inner(tree, h)) replicate.waiting.push_back(h);
    }
}

std::vector<HalfEdge> inner_edges(Tree const& tree) {
    auto edges = msa::preorder_edges(tree);
    std::erase_if(edges, [&](HalfEdge h) { return !is_inner(tree, h); });
    return edges;
}

/// The edges of all replicates that ask. Those between the same four clusters are in one group; groups are in the order
/// of their first edges.
std::vector<std::vector<Ask>> all_asks(std::span<ReplicateTree const> trees) {
    std::vector<std::vector<Ask>> result;
    std::unordered_map<std::uint64_t, std::size_t> known;
    for (std::uint32_t i = 0; i < trees.size(); ++i) {
        if (trees[i].waiting.empty()) continue;
        Clades const clades(trees[i].tree);
        for (auto const h : trees[i].waiting) {
            auto const quartet = quartet_at(trees[i].tree, clades, h);
            auto const [at, is_new] = known.try_emplace(quartet.key(), result.size());
            if (is_new) result.emplace_back();
            result[at->second].push_back({i, quartet});
        }
    }
    return result;
}

/// The splits of a tree, as ascending hashes.
using Splits = std::vector<std::uint64_t>;

Splits splits_of(Tree const& tree) {
    auto clades = clade_hashes(tree);
    std::ranges::sort(clades);
    return clades;
}

/// The number of splits of a tree that another lacks.
std::size_t num_lacking(Splits const& tree, Splits const& other) {
    std::size_t common = 0;
    for (std::size_t i = 0, j = 0; i < tree.size() && j < other.size();) {
        common += tree[i] == other[j];
        auto const ours = tree[i];
        i += ours <= other[j];
        j += other[j] <= ours;
    }
    return tree.size() - common;
}

/// The rearrangements of the likelihood's tree: parts of the other trees, and moves of its subtrees. Collective.
Rearrangements all_rearrangements(DistributedLikelihood& likelihood, Replicates const& replicates,
                                  std::span<Tree const> others) {
    Rearrangements result(likelihood, replicates);
    for (auto const& other : others) result.add_parts_of(other);
    for (auto const h : all_subtrees(likelihood.tree())) {
        result.add_moves_of(h);
        likelihood.reach(ultrafast_phase.inside);
    }
    return result;
}

}  // namespace

void ReplicateTree::write(ByteWriter& out) const {
    tree.write(out);
    out.put_all(std::span<HalfEdge const>(waiting));
    out.put(gain);
}

ReplicateTree ReplicateTree::read(ByteReader& in) {
    auto tree = Tree::read(in);
    auto waiting = in.get_all<HalfEdge>();
    return {std::move(tree), std::move(waiting), in.get<double>()};
}

std::vector<Tree> different_trees(Tree const& tree, std::span<Tree const> others) {
    constexpr std::size_t share = 20;  // one in so many
    std::vector<Tree> result{tree};
    std::vector<Splits> known{splits_of(tree)};
    for (auto const& other : others) {
        auto splits = splits_of(other);
        bool const is_new = std::ranges::all_of(
            known, [&](auto const& one) { return num_lacking(splits, one) * share > tree.num_tips(); });
        if (!is_new) continue;
        result.push_back(other);
        known.push_back(std::move(splits));
    }
    return result;
}

double offer(std::vector<ReplicateTree>& trees, Tree const& start, DistributedLikelihood& likelihood,
             Replicates const& replicates, std::span<Tree const> others, Constraint const* constraint) {
    likelihood.reach(ultrafast_phase.before);
    auto const own = likelihood.tree();
    auto const reference = pattern_loglh(likelihood, replicates.patterns);
    if (trees.empty()) trees.assign(replicates.weights.count(), {own, {}, -std::numeric_limits<double>::infinity()});
    std::vector<Tree> all{own};
    all.insert(all.end(), others.begin(), others.end());
    likelihood.set_tree(start);
    optimise_lengths(likelihood, 0.1);  // those of a pilot were optimised only around its moves
    auto const rearrangements = all_rearrangements(likelihood, replicates, all);
    auto const head_start =
        gains_of_replicates(likelihood, replicates.weights, pattern_loglh(likelihood, replicates.patterns), reference);
    double raised = 0;
    for (std::uint32_t i = 0; i < trees.size(); ++i) {
        auto tree = likelihood.tree();
        auto const gain = head_start[i] + rearrangements.make(tree, i, constraint);
        if (gain <= trees[i].gain) continue;
        raised += gain - trees[i].gain;
        trees[i] = {std::move(tree), {}, gain};
    }
    likelihood.set_tree(own);
    likelihood.reach(ultrafast_phase.after);
    return raised / static_cast<double>(trees.size());
}

std::optional<Tree> typical_tree(std::span<ReplicateTree const> trees, std::span<Tree const> starts) {
    constexpr std::size_t most_candidates = 100;
    std::vector<Splits> splits;
    for (auto const& one : trees) splits.push_back(splits_of(one.tree));
    std::vector<std::size_t> nearest(trees.size(), std::numeric_limits<std::size_t>::max());
    for (auto const& start : starts) {
        auto const there = splits_of(start);
        for (std::size_t i = 0; i < trees.size(); ++i) nearest[i] = std::min(nearest[i], num_lacking(there, splits[i]));
    }
    std::optional<std::size_t> best;
    auto least = std::accumulate(nearest.begin(), nearest.end(), std::size_t{0});
    for (std::size_t j = 0; j < std::min(trees.size(), most_candidates); ++j) {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < trees.size(); ++i) sum += std::min(nearest[i], num_lacking(splits[j], splits[i]));
        if (sum < least) best = j;
        least = std::min(least, sum);
    }
    return best ? std::optional(trees[*best].tree) : std::nullopt;
}

void wait_everywhere(std::span<ReplicateTree> trees) {
    for (auto& one : trees) one.waiting = inner_edges(one.tree);
}

void improve(std::vector<ReplicateTree>& trees, DistributedLikelihood& likelihood, Replicates const& replicates,
             Constraint const* constraint) {
    likelihood.reach(ultrafast_phase.before);
    auto const asks = all_asks(trees);
    std::vector<Answers> answers(asks.size());
    std::vector<std::vector<Move>> moves(trees.size());
    Contexts contexts(likelihood, trees);
    Answering answering(likelihood, replicates);
    for (std::size_t i = 0; i < asks.size(); ++i) {
        if (asks[i].size() * rare < trees.size()) continue;
        auto const quartet = contexts.enter(asks[i].front());
        answers[i] = answering.answer(quartet, asks[i]);
        contexts.leave();
        for (std::size_t j = 0; j < asks[i].size(); ++j) {
            auto const& ask = asks[i][j];
            auto const move = preferred(ask, answers[i], answers[i].of_replicate[j], replicates.seed);
            if (move.resolution != ask.quartet.resolution && move.gain > least_gain_of_change)
                moves[ask.replicate].push_back(move);
        }
        answers[i].of_replicate = {};
        likelihood.reach(ultrafast_phase.inside);
    }
    for (std::size_t i = 0; i < trees.size(); ++i) make_all(trees[i], moves[i], constraint);
    likelihood.reach(ultrafast_phase.after);
}

}  // namespace regraft::search
