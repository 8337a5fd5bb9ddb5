#include "regraft/search/topology.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "regraft/core/random.hpp"
#include "regraft/search/optimise.hpp"

namespace regraft::search {

using msa::HalfEdge;

namespace {

ft::FailPhase spr_phase("spr");
ft::FailPhase escape_phase("escape");

constexpr double least_gain = 1e-3;     // smaller gains are noise, and the climb might not end
constexpr double enough_gain = 1e-2;    // for branches while topologies are compared
constexpr std::size_t candidates = 3;   // number of insertions that are optimised, the best of those that were ranked
constexpr double hopeless_share = 0.3;  // as a fraction of the mean loss: insertions that lose more are not optimised
constexpr std::uint64_t enough_losses = 20;

constexpr std::uint32_t interchanges = 3;
constexpr std::uint32_t most_tried = 30;          // number of interchanges that are tried if the constraint forbids
                                                  // some
constexpr std::uint32_t interchanges_within = 3;  // in edges, around a random edge

struct Insertion {
    HalfEdge target;
    double loglh;  // without optimised branches
};

/// The insertions of the pruned h that are worth optimising, the likeliest first. The subtree was between a and b.
std::vector<Insertion> promising_insertions(DistributedLikelihood& likelihood, HalfEdge h, HalfEdge a, HalfEdge b,
                                            std::uint32_t radius, double loglh, Losses& losses, Fences const& fences) {
    auto const& tree = likelihood.tree();
    auto const most_loss = losses.mean();
    std::vector<Insertion> found;
    std::vector<HalfEdge> front{a, b};
    for (std::uint32_t step = 0; step < radius; ++step) {
        std::vector<HalfEdge> targets;
        for (auto x : front) {
            if (fences.hinder(h, x)) continue;
            for (auto g = tree.next(x); g != x; g = tree.next(g)) targets.push_back(g);
        }
        if (targets.empty()) break;
        front.clear();
        auto const scores = likelihood.score_insertions(h, targets);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            auto const loss = loglh - scores[i];
            if (!std::isfinite(loss)) continue;
            if (step == 0 && loss > 0) losses.add(loss);
            if (loss < hopeless_share * most_loss) found.push_back({targets[i], scores[i]});
            if (loss < most_loss) front.push_back(tree.back(targets[i]));
        }
    }
    std::stable_sort(found.begin(), found.end(), [](auto const& x, auto const& y) { return x.loglh > y.loglh; });
    if (found.size() > candidates) found.resize(candidates);
    return found;
}

Climb reinsert(DistributedLikelihood& likelihood, HalfEdge h, std::uint32_t radius, double loglh, Losses& losses,
               Constraint const* constraint) {
    auto const& tree = likelihood.tree();
    Fences const fences(constraint, tree);
    auto const left = tree.next(h);
    auto const right = tree.next(left);
    auto const a = tree.back(left);
    auto const b = tree.back(right);
    auto const pruned = likelihood.prune(h);
    likelihood.reach(spr_phase.inside);
    for (auto const& insertion : promising_insertions(likelihood, h, a, b, radius, loglh, losses, fences)) {
        SavedLengths const others(likelihood, {h, a});  // the subtree's branch, and the one at its old place
        auto const inserted = likelihood.regraft(h, insertion.target);
        fit_lengths(likelihood, std::array{h, left, right, a});
        double const now = likelihood.loglh(h);
        if (now > loglh + least_gain) return {now, {h, tree.back(left), tree.back(right), a, b}};
        likelihood.undo(inserted);
        others.restore();
    }
    likelihood.undo(pruned);
    return {loglh, {}};
}

/// Keeps one of each edge's half-edges.
void erase_twins(msa::Tree const& tree, std::vector<HalfEdge>& half_edges) {
    std::erase_if(half_edges, [&](HalfEdge h) {
        auto const back = tree.back(h);
        return back < h && std::find(half_edges.begin(), half_edges.end(), back) != half_edges.end();
    });
}

}  // namespace

double Losses::mean() const {
    if (count < enough_losses) return std::numeric_limits<double>::infinity();
    return sum / static_cast<double>(count);
}

Climb try_spr(DistributedLikelihood& likelihood, HalfEdge h, std::uint32_t radius, double loglh, Losses& losses,
              Constraint const* constraint) {
    likelihood.reach(spr_phase.before);
    auto result = reinsert(likelihood, h, radius, loglh, losses, constraint);
    likelihood.reach(spr_phase.after);
    return result;
}

void fit_lengths(DistributedLikelihood& likelihood, std::span<HalfEdge const> edges) {
    for (auto h : edges) optimise_branch(likelihood, h, enough_gain);
}

Climb perturb(DistributedLikelihood& likelihood, std::uint64_t seed, Constraint const* constraint) {
    likelihood.reach(escape_phase.before);
    auto const& tree = likelihood.tree();
    Random random(seed);
    auto const is_inner_edge = [&](HalfEdge h) { return !tree.is_tip(h) && !tree.is_tip(tree.back(h)); };
    auto const some_of = [&](std::vector<HalfEdge> const& half_edges) {
        std::vector<HalfEdge> inner;
        std::copy_if(half_edges.begin(), half_edges.end(), std::back_inserter(inner), is_inner_edge);
        return inner[random.below(inner.size())];
    };
    auto const centre = some_of(all_subtrees(tree));
    std::vector<HalfEdge> places;
    for (std::uint32_t made = 0, tried = 0; made < interchanges && tried < most_tried; ++tried) {
        auto const h = some_of(subtrees_near(tree, {centre}, interchanges_within));
        auto const move = likelihood.nni(h, static_cast<std::uint32_t>(random.below(2)));
        if (constraint != nullptr && !constraint->allows(tree)) {
            likelihood.undo(move);
            continue;
        }
        ++made;
        places.push_back(h);
        places.push_back(tree.back(h));
    }
    likelihood.reach(escape_phase.inside);
    auto edges = subtrees_near(tree, places, 1);
    erase_twins(tree, edges);
    for (int pass = 0; pass < 2; ++pass) fit_lengths(likelihood, edges);
    auto const loglh = likelihood.loglh(centre);
    likelihood.reach(escape_phase.after);
    return {loglh, places};
}

std::vector<std::uint64_t> clade_hashes(msa::Tree const& tree) {
    std::vector<std::uint64_t> hashes(tree.num_half_edges());
    for (auto h : msa::postorder(tree, tree.back(0))) {
        if (tree.is_tip(h)) hashes[h] = mix(h);
        for (auto g = tree.next(h); g != h; g = tree.next(g)) hashes[h] ^= hashes[tree.back(g)];
    }
    return hashes;
}

std::uint64_t fingerprint(msa::Tree const& tree) {
    std::uint64_t sum = 0;
    for (auto clade : clade_hashes(tree)) {
        if (clade != 0) sum += mix(clade);
    }
    return sum;
}

std::vector<HalfEdge> all_subtrees(msa::Tree const& tree) {
    std::vector<HalfEdge> result;
    for (auto h : msa::preorder_edges(tree)) {
        for (auto end : {h, tree.back(h)}) {
            if (!tree.is_tip(end)) result.push_back(end);
        }
    }
    return result;
}

std::vector<HalfEdge> subtrees_near(msa::Tree const& tree, std::vector<HalfEdge> const& places, std::uint32_t steps) {
    std::vector<msa::Node> nodes;
    std::vector<bool> seen(tree.num_nodes());
    auto const see = [&](HalfEdge h) {
        if (seen[tree.node(h)]) return;
        seen[tree.node(h)] = true;
        nodes.push_back(tree.node(h));
    };
    for (auto h : places) see(h);
    std::size_t first = 0;
    for (std::uint32_t step = 0; step < steps; ++step) {
        for (auto const last = nodes.size(); first < last; ++first) {
            auto const h = tree.half_edge(nodes[first]);
            see(tree.back(h));
            for (auto g = tree.next(h); g != h; g = tree.next(g)) see(tree.back(g));
        }
    }
    std::sort(nodes.begin(), nodes.end());
    std::vector<HalfEdge> result;
    for (auto node : nodes) {
        auto const h = tree.half_edge(node);
        if (!tree.is_tip(h)) result.insert(result.end(), {h, h + 1, h + 2});
    }
    return result;
}

}  // namespace regraft::search
