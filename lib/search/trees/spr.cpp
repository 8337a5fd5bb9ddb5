// Moves of subtrees.
#include <array>
#include <vector>

#include "regraft/search/optimise.hpp"
#include "regraft/search/topology.hpp"

namespace regraft::search {

using msa::HalfEdge;

namespace {

ft::FailPhase spr_phase("spr");

constexpr double least_gain = 1e-3;  // in log-likelihood; with smaller gains, which are noise, a climb might not end

/// Makes an insertion of the pruned h, with the insertion's lengths.
msa::TreeUndo insert(DistributedLikelihood& likelihood, HalfEdge h, Insertion const& insertion) {
    auto inserted = likelihood.regraft(h, insertion.target);
    auto const& tree = likelihood.tree();
    set_lengths(likelihood, std::array{h, tree.next(h), tree.next(tree.next(h))}, insertion.lengths);
    return inserted;
}

/// The log-likelihood with better branches around these places; `now` without. The branches stay what they were if it
/// cannot be expected to exceed `least`, or does not.
double fit_around(DistributedLikelihood& likelihood, std::vector<HalfEdge> const& places, double now, double least) {
    auto const edges = edges_near(likelihood.tree(), places, 1);
    if (!fit_may_exceed(likelihood, edges, now, least)) return now;
    SavedLengths const lengths(likelihood, edges);
    fit_lengths(likelihood, edges);
    double const loglh = likelihood.loglh(places.front());
    if (!(loglh > least)) lengths.restore();
    return loglh;
}

/// Makes the first of the forecast's insertions that raises the log-likelihood of the tree, if any does.
Outcome make(DistributedLikelihood& likelihood, Forecast const& forecast, Reach const& reach) {
    auto const h = forecast.h;
    auto const& tree = likelihood.tree();
    auto const least = reach.loglh + least_gain;
    auto const is_close = [&](double loglh) { return loglh > least - reach.care.close; };
    // The gain at the old place was computed in the tree without the subtree, so the sum is only an estimate.
    auto const promises = [&](Scored const& scored) { return is_close(scored.loglh + forecast.old_place.gain); };
    if (forecast.found.empty() || !promises(forecast.found.front())) return {reach.loglh, {}};
    auto const left = tree.next(h);
    auto const right = tree.next(left);
    auto const a = tree.back(left);
    auto const b = tree.back(right);
    auto const pruned = likelihood.prune(h);
    for (auto const& scored : forecast.found) {
        if (!promises(scored)) break;
        SavedLengths const others(likelihood,
                                  {h, a});  // undo restores neither the subtree's branch nor the old place's
        auto const inserted = insert(likelihood, h, scored.insertion);
        set_lengths(likelihood, std::array{a}, forecast.old_place.lengths);
        std::vector<HalfEdge> const places{h, tree.back(left), tree.back(right), a, b};
        double now = likelihood.loglh(h);
        if (now <= least && is_close(now)) now = fit_around(likelihood, places, now, least);
        if (now > least) return {now, places};
        likelihood.undo(inserted);
        others.restore();
    }
    likelihood.undo(pruned);
    return {reach.loglh, {}};
}

}  // namespace

Outcome try_spr(DistributedLikelihood& likelihood, std::deque<HalfEdge> const& waiting, Reach const& reach,
                Losses& losses, Lookahead& ahead) {
    likelihood.reach(spr_phase.before);
    auto const forecast = ahead.next(likelihood, waiting, reach, losses);
    for (double const loss : forecast.losses) losses.add(loss);
    likelihood.reach(spr_phase.inside);
    auto result = make(likelihood, forecast, reach);
    if (result.places.empty()) ahead.is_restored(likelihood);
    likelihood.reach(spr_phase.after);
    return result;
}

}  // namespace regraft::search
