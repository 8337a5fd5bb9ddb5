#include "topology.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "optimise.hpp"

namespace regraft::phylo {

using msa::HalfEdge;

namespace {

ft::FailPhase nni_phase("nni");
ft::FailPhase spr_phase("spr");

constexpr double least_gain = 1e-3;    // below this a move is noise, and rounds might not end
constexpr std::size_t candidates = 3;  // insertions that are optimised, of those that were ranked

/// The lengths of some edges, to be put back.
class SavedLengths {
public:
    SavedLengths(Likelihood& likelihood, std::vector<HalfEdge> edges)
        : likelihood_(likelihood), edges_(std::move(edges)) {
        for (auto h : edges_) {
            for (std::uint32_t set = 0; set < sets(); ++set) lengths_.push_back(likelihood.tree().length(h, set));
        }
    }
    void restore() const {
        auto next = lengths_.begin();
        for (auto h : edges_) {
            for (std::uint32_t set = 0; set < sets(); ++set) likelihood_.set_length(h, *next++, set);
        }
    }

private:
    std::uint32_t sets() const { return likelihood_.tree().num_length_sets(); }
    Likelihood& likelihood_;
    std::vector<HalfEdge> edges_;
    std::vector<double> lengths_;
};

/// h and the four edges next to it.
std::vector<HalfEdge> neighbourhood(msa::Tree const& tree, HalfEdge h) {
    std::vector<HalfEdge> edges{h};
    for (auto end : {h, tree.back(h)}) {
        for (auto g = tree.next(end); g != end; g = tree.next(g)) edges.push_back(g);
    }
    return edges;
}

void optimise_branches(Likelihood& likelihood, std::vector<HalfEdge> const& edges) {
    for (auto h : edges) optimise_branch(likelihood, h);
}

/// The edges at most `radius` steps from the two half-edges a and b that a pruned subtree left behind, nearest first;
/// the edge between them, where it came from, is not among them.
std::vector<HalfEdge> edges_within(msa::Tree const& tree, HalfEdge a, HalfEdge b, std::uint32_t radius) {
    std::vector<HalfEdge> edges;
    std::vector<HalfEdge> front{a, b};
    for (std::uint32_t step = 0; step < radius; ++step) {
        std::vector<HalfEdge> next;
        for (auto h : front) {
            for (auto g = tree.next(h); g != h; g = tree.next(g)) {
                edges.push_back(g);
                next.push_back(tree.back(g));
            }
        }
        front = std::move(next);
    }
    return edges;
}

/// The insertions of the pruned h, from the likeliest on, at most `candidates`.
std::vector<HalfEdge> ranked(Likelihood& likelihood, HalfEdge h, std::vector<HalfEdge> const& targets) {
    if (targets.empty()) return {};
    auto scores = likelihood.score_insertions(h, targets);
    for (auto& score : scores) {
        if (std::isnan(score)) score = -std::numeric_limits<double>::infinity();  // sorting needs an order
    }
    std::vector<std::size_t> order(targets.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return scores[i] > scores[j]; });
    std::vector<HalfEdge> best;
    for (std::size_t i = 0; i < std::min(order.size(), candidates); ++i) best.push_back(targets[order[i]]);
    return best;
}

double best_reinsertion(Likelihood& likelihood, HalfEdge h, std::uint32_t radius, double loglh) {
    auto const& tree = likelihood.tree();
    auto const a = tree.back(tree.next(h));
    auto const b = tree.back(tree.next(tree.next(h)));
    auto const pruned = likelihood.prune(h);
    likelihood.reach(spr_phase.inside);
    for (auto target : ranked(likelihood, h, edges_within(tree, a, b, radius))) {
        SavedLengths const others(likelihood, {h, a});  // the subtree's branch, and the one where it was
        auto const inserted = likelihood.regraft(h, target);
        optimise_branches(likelihood, {h, tree.next(h), tree.next(tree.next(h)), a});
        double const now = likelihood.loglh(h);
        if (now > loglh + least_gain) return now;
        likelihood.undo(inserted);
        others.restore();
    }
    likelihood.undo(pruned);
    return loglh;
}

}  // namespace

double try_nni(Likelihood& likelihood, HalfEdge h, double loglh) {
    likelihood.reach(nni_phase.before);
    auto const& tree = likelihood.tree();
    SavedLengths const saved(likelihood, neighbourhood(tree, h));
    double best = loglh;
    for (std::uint32_t variant : {0U, 1U}) {
        auto const undo = likelihood.nni(h, variant);
        likelihood.reach(nni_phase.inside);
        optimise_branches(likelihood, neighbourhood(tree, h));
        double const now = likelihood.loglh(h);
        if (now > loglh + least_gain) {
            best = now;
            break;
        }
        likelihood.undo(undo);
        saved.restore();
    }
    likelihood.reach(nni_phase.after);
    return best;
}

double try_spr(Likelihood& likelihood, HalfEdge h, std::uint32_t radius, double loglh) {
    likelihood.reach(spr_phase.before);
    double const now = best_reinsertion(likelihood, h, radius, loglh);
    likelihood.reach(spr_phase.after);
    return now;
}

}  // namespace regraft::phylo
