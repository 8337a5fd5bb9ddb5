// Moves of subtrees.
#include <array>

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

/// Makes the first of the forecast's insertions that raises the likelihood above loglh, if any does.
Climb make(DistributedLikelihood& likelihood, Forecast const& forecast, double loglh) {
    auto const h = forecast.h;
    auto const& tree = likelihood.tree();
    // The gain at the old place was computed in the tree without the subtree, so the sum is only an estimate.
    auto const promises = [&](Scored const& scored) {
        return scored.loglh + forecast.old_place.gain > loglh + least_gain;
    };
    if (forecast.found.empty() || !promises(forecast.found.front())) return {loglh, {}};
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
        double const now = likelihood.loglh(h);
        if (now > loglh + least_gain) return {now, {h, tree.back(left), tree.back(right), a, b}};
        likelihood.undo(inserted);
        others.restore();
    }
    likelihood.undo(pruned);
    return {loglh, {}};
}

}  // namespace

Climb try_spr(DistributedLikelihood& likelihood, std::deque<HalfEdge> const& waiting, Reach const& reach,
              Losses& losses, Lookahead& ahead) {
    likelihood.reach(spr_phase.before);
    auto const forecast = ahead.next(likelihood, waiting, reach, losses);
    for (double const loss : forecast.losses) losses.add(loss);
    likelihood.reach(spr_phase.inside);
    auto result = make(likelihood, forecast, reach.loglh);
    if (result.places.empty()) ahead.is_restored(likelihood);
    likelihood.reach(spr_phase.after);
    return result;
}

}  // namespace regraft::search
