#include "regraft/search/ultrafast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "regraft/core/random.hpp"
#include "regraft/search/topology.hpp"
#include "search/bootstrap/quartets.hpp"
#include "search/fuse.hpp"

namespace regraft::search {

using msa::HalfEdge;
using msa::Tree;

namespace {

ft::FailPhase ultrafast_phase("ultrafast");

/// Differences in log-likelihood that mean nothing. So much is added at random to each split in each replicate, so that
/// a replicate chooses between equal resolutions by chance, but always the same one.
constexpr double meaningless = 0.05;
constexpr double least_gain_of_replicate = 1e-3;  // in log-likelihood; for less a replicate does not change
/// A resolution or rearrangement is left out for all replicates if it can win only in one that is so many standard
/// deviations from the mean.
constexpr double most_deviations = 4.5;
constexpr double slack_of_lengths = 2;  // how much log-likelihood a replicate may gain by other lengths

using PatternValues = std::vector<std::vector<double>>;  // [partition][pattern]

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

/// The sum of values over all sites of the data.
struct Moments {
    double sum;
    double deviation;  // standard deviation of the sum over samples
};
/// The moments of some values. Sums are exact. One reduction, collective.
std::vector<Moments> moments(DistributedLikelihood& likelihood, ReplicateWeights const& weights,
                             std::span<GridValues const> values) {
    std::vector<std::int64_t> sums;
    for (auto const& one : values) {
        sums.push_back(weights.sum_of_data(one));
        sums.push_back(weights.squares_of_data(one));
    }
    likelihood.sum_over_ranks(sums);
    std::vector<Moments> result;
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto const sum = GridValues::value(sums[2 * i]);
        auto const squares = std::ldexp(static_cast<double>(sums[2 * i + 1]), -2 * GridValues::bits);
        auto const variance = squares - sum * sum / static_cast<double>(weights.num_sites());
        result.push_back({sum, std::sqrt(std::max(0.0, variance))});
    }
    return result;
}

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
        std::array<Resolved, num_resolutions> resolved;
        for (std::uint32_t r = 0; r < num_resolutions; ++r)
            resolved[r] = QuartetView(likelihood_, replicates_.patterns, quartet, r).best();
        auto const& reference = resolved[quartet.resolution].best;
        Answers answers;
        std::vector<GridValues> best;
        for (std::uint32_t r = 0; r < num_resolutions; ++r) {
            best.push_back(replicates_.weights.difference(resolved[r].best, reference));
            answers.lengths[r] = std::move(resolved[r].lengths);
        }
        answers.possible = possible(moments(likelihood_, replicates_.weights, best));
        if (answers.possible.size() == 1) {
            std::array<double, num_resolutions> never;
            never.fill(-std::numeric_limits<double>::infinity());
            never[answers.possible.front()] = 0;
            answers.of_replicate.assign(asks.size(), never);
        } else {
            answers.of_replicate = sums(quartet, answers, reference, asks);
        }
        return answers;
    }

private:
    /// The resolutions that some replicate may prefer, by their sums over the data.
    static std::vector<std::uint32_t> possible(std::vector<Moments> const& all) {
        auto const& best = *std::ranges::max_element(all, {}, &Moments::sum);
        std::vector<std::uint32_t> result;
        for (std::uint32_t r = 0; r < all.size(); ++r) {
            auto const deviation = all[r].deviation + best.deviation;
            if (best.sum - all[r].sum <= most_deviations * deviation + slack_of_lengths) result.push_back(r);
        }
        return result;
    }

    /// Per ask, the sums of each possible resolution with the best length of the inner edge.
    std::vector<std::array<double, num_resolutions>> sums(Quartet const& quartet, Answers const& answers,
                                                          PatternValues const& reference, std::span<Ask const> asks) {
        std::vector<GridValues> values;  // [possible][point]
        for (auto const r : answers.possible) {
            QuartetView const view(likelihood_, replicates_.patterns, quartet, r, answers.lengths[r]);
            for (std::uint32_t point = 0; point < num_points; ++point)
                values.push_back(replicates_.weights.difference(view.at_point(point), reference));
        }
        std::vector<std::int64_t> steps;
        steps.reserve(asks.size() * values.size());
        for (auto const& ask : asks) {
            for (auto const& one : values) steps.push_back(replicates_.weights.sum(one, ask.replicate));
        }
        likelihood_.sum_over_ranks(steps);
        std::vector<std::array<double, num_resolutions>> result(asks.size());
        auto next = steps.begin();
        for (auto& of_ask : result) {
            of_ask.fill(-std::numeric_limits<double>::infinity());
            for (auto const r : answers.possible) {
                std::array<double, num_points> at{};
                for (auto& value : at) value = GridValues::value(*next++);
                of_ask[r] = profile(at);
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

/// A rearrangement of the likelihood's tree, and by how much it raises the log-likelihood of each replicate.
struct Rearrangement {
    msa::TreeUndo move;
    std::vector<msa::Node> nodes;  // where the tree changes; a replicate makes only rearrangements without common nodes
    std::vector<double> gains;     // in log-likelihood, per replicate
};

/// Finds the rearrangements that some replicate may prefer. The likelihood's tree stays as it is. Collective.
class Rearrangements {
public:
    Rearrangements(DistributedLikelihood& likelihood, Replicates const& replicates)
        : likelihood_(likelihood), replicates_(replicates), tree_(likelihood.tree()) {}

    /// Adds the parts in which another tree differs.
    void add_parts_of(Tree const& other) {
        for (auto const& exchange : exchanges(tree_, other)) {
            likelihood_.undo(exchange.move);
            add(exchange.edges, {});
        }
    }

    /// Adds moves of the subtree behind h beyond the neighbouring edges.
    void add_moves_of(HalfEdge h) {
        auto const left = tree_.next(h);
        auto const right = tree_.next(left);
        auto const loglh = likelihood_.loglh(h);
        auto const pruned = likelihood_.prune(h);
        auto const found = promising(h, {tree_.back(left), tree_.back(right)}, loglh);
        likelihood_.undo(pruned);
        for (auto const& [target, nodes] : found) {
            likelihood_.prune(h);
            likelihood_.regraft(h, target);
            add(std::array{h, left, right, tree_.back(left)}, nodes);
        }
    }

    std::vector<Rearrangement> const& all() const { return all_; }

private:
    struct Target {
        HalfEdge edge;
        std::vector<msa::Node> nodes;  // on the way from the old place
    };

    /// The edges into which the pruned subtree may be inserted, found as by try_spr, but with fixed losses: ends are
    /// those of the edge that it leaves, loglh the log-likelihood before it was pruned.
    std::vector<Target> promising(HalfEdge h, std::array<HalfEdge, 2> const& ends, double loglh) {
        constexpr std::uint32_t radius = 30;
        constexpr double go_on = 60;  // edges beyond an insertion are tried if it loses less
        constexpr double worth = 40;  // the branches of an insertion are optimised if it loses less before that
        auto const& tree = likelihood_.tree();
        std::vector<Target> found;
        std::vector<Target> front;
        for (auto const end : ends) front.push_back({end, {tree.node(h), tree.node(end)}});
        for (std::uint32_t step = 0; step < radius && !front.empty(); ++step) {
            std::vector<Insertion> insertions;
            std::vector<Target> targets;
            for (auto const& [x, nodes] : front) {
                for (auto g = tree.next(x); g != x; g = tree.next(g)) {
                    insertions.push_back(likelihood_.insertion(h, g));
                    targets.push_back({g, nodes});
                }
            }
            if (insertions.empty()) break;
            front.clear();
            auto const scores = likelihood_.score_insertions(h, insertions);
            for (std::size_t i = 0; i < targets.size(); ++i) {
                auto const loss = loglh - scores[i];
                auto& [g, nodes] = targets[i];
                nodes.push_back(tree.node(tree.back(g)));
                if (step > 0 && loss < worth) found.push_back(targets[i]);
                if (loss < go_on && !tree.is_tip(tree.back(g))) front.push_back({tree.back(g), nodes});
            }
        }
        return found;
    }

    /// Adds the present difference of the likelihood's tree from tree_, with these branches optimised, unless no
    /// replicate can prefer it, and restores the tree. nodes: further ones that no other rearrangement may change.
    void add(std::span<HalfEdge const> edges, std::vector<msa::Node> nodes) {
        auto const at = edges.front();
        for (int pass = 0; pass < 2; ++pass) fit_lengths(likelihood_, edges);
        auto const rearranged = pattern_loglh(likelihood_, replicates_.patterns, at);
        Rearrangement result{difference(tree_, likelihood_.tree()), std::move(nodes), {}};
        for (auto const h : result.move.touched) result.nodes.push_back(tree_.node(h));
        likelihood_.set_tree(tree_);
        auto const& weights = replicates_.weights;
        auto const gain = weights.difference(rearranged, pattern_loglh(likelihood_, replicates_.patterns, at));
        auto const whole = moments(likelihood_, weights, std::span(&gain, 1)).front();
        if (whole.sum + most_deviations * whole.deviation < 0) return;
        std::vector<std::int64_t> steps;
        for (std::uint32_t i = 0; i < weights.count(); ++i) steps.push_back(weights.sum(gain, i));
        likelihood_.sum_over_ranks(steps);
        for (auto const sum : steps) result.gains.push_back(GridValues::value(sum));
        all_.push_back(std::move(result));
    }

    DistributedLikelihood& likelihood_;
    Replicates const& replicates_;
    Tree const tree_;
    std::vector<Rearrangement> all_;
};

/// Makes the rearrangements that raise the likelihood of a replicate, the best first, leaving out those that have a
/// node in common with one made before.
void rearrange(Tree& tree, std::uint32_t replicate, std::span<Rearrangement const> all, Constraint const* constraint) {
    std::vector<Rearrangement const*> raising;
    for (auto const& one : all) {
        if (one.gains[replicate] > least_gain_of_replicate) raising.push_back(&one);
    }
    std::ranges::stable_sort(raising, std::greater<>(), [&](auto const* one) { return one->gains[replicate]; });
    std::vector<bool> taken(tree.num_nodes());
    for (auto const* one : raising) {
        if (std::ranges::any_of(one->nodes, [&](msa::Node node) { return taken[node]; })) continue;
        auto const before = constraint != nullptr ? std::optional(tree) : std::nullopt;
        tree.undo(one->move);
        if (before && !constraint->allows(tree)) {
            tree = *before;
            continue;
        }
        for (auto const node : one->nodes) taken[node] = true;
    }
}

}  // namespace

void ReplicateTree::write(ByteWriter& out) const {
    tree.write(out);
    out.put_all(std::span<HalfEdge const>(waiting));
}

ReplicateTree ReplicateTree::read(ByteReader& in) {
    auto tree = Tree::read(in);
    return {std::move(tree), in.get_all<HalfEdge>()};
}

std::vector<ReplicateTree> first_trees(DistributedLikelihood& likelihood, Replicates const& replicates,
                                       std::span<Tree const> others, Constraint const* constraint) {
    likelihood.reach(ultrafast_phase.before);
    Rearrangements rearrangements(likelihood, replicates);
    for (auto const& other : others) rearrangements.add_parts_of(other);
    for (auto const h : all_subtrees(likelihood.tree())) {
        rearrangements.add_moves_of(h);
        likelihood.reach(ultrafast_phase.inside);
    }
    std::vector<ReplicateTree> trees;
    for (std::uint32_t i = 0; i < replicates.weights.count(); ++i) {
        auto tree = likelihood.tree();
        rearrange(tree, i, rearrangements.all(), constraint);
        auto waiting = inner_edges(tree);
        trees.push_back({std::move(tree), std::move(waiting)});
    }
    likelihood.reach(ultrafast_phase.after);
    return trees;
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
        auto const quartet = contexts.enter(asks[i].front());
        answers[i] = answering.answer(quartet, asks[i]);
        contexts.leave();
        for (std::size_t j = 0; j < asks[i].size(); ++j) {
            auto const& ask = asks[i][j];
            auto const move = preferred(ask, answers[i], answers[i].of_replicate[j], replicates.seed);
            if (move.resolution != ask.quartet.resolution && move.gain > least_gain_of_replicate)
                moves[ask.replicate].push_back(move);
        }
        answers[i].of_replicate = {};
        likelihood.reach(ultrafast_phase.inside);
    }
    for (std::size_t i = 0; i < trees.size(); ++i) make_all(trees[i], moves[i], constraint);
    likelihood.reach(ultrafast_phase.after);
}

}  // namespace regraft::search
