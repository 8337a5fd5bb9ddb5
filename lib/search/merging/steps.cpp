// The steps of a merging.
#include <algorithm>

#include "search/merging/merging.hpp"
#include "search/stages.hpp"

namespace regraft::search {
namespace {

ft::FailPhase merge_phase("merge");

using Phase = Merging::Phase;

/// Copies the models and branch lengths of the likelihood into the fits of the subject.
void keep_subject(SearchState& state, DistributedLikelihood const& likelihood) {
    auto& merging = *state.merging;
    auto const edges = state.tree.edges();
    std::uint32_t set = 0;
    for (auto& fit : merging.subject()) {
        fit.model = likelihood.model(set);
        for (std::size_t i = 0; i < fit.lengths.size(); ++i) fit.lengths[i] = likelihood.tree().length(edges[i], set);
        ++set;
    }
    bool const shares_lengths = likelihood.linkage() != BranchLinkage::unlinked;
    if (merging.phase == Phase::scheme && shares_lengths) state.tree = likelihood.tree();
}

/// Keeps the log-likelihoods of the subject's fits. Returns the greatest gain of a fit if these are unions, otherwise
/// the sum of all gains.
double keep_loglh(Merging& merging, DistributedLikelihood& likelihood) {
    auto const loglh = likelihood.partition_loglh();
    double greatest = 0;
    double all = 0;
    auto next = loglh.begin();
    for (auto& fit : merging.subject()) {
        double const gain = *next - fit.loglh;
        greatest = std::max(greatest, gain);
        all += gain;
        fit.loglh = *next++;
    }
    return merging.phase == Phase::pairs ? greatest : all;
}

/// Makes a step of the optimisation. Returns whether a round has ended. Branch lengths that unions share stay as they
/// are for all partitions; otherwise unions that are tried side by side would depend on each other.
bool optimise_subject(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    bool const shares_lengths = likelihood.linkage() != BranchLinkage::unlinked;
    switch (state.merging->phase) {
        case Phase::partitions:
            return true;
        case Phase::pairs:
            if (!shares_lengths) return optimise_next(state, likelihood, options.choice_epsilon, Pace::by_batch);
            optimise_models(likelihood, options.choice_epsilon, Lengths::stay);
            return true;
        case Phase::scheme:
            break;
    }
    return optimise_next(state, likelihood, options.final_epsilon, Pace::one_by_one);
}

}  // namespace

void advance_merging(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    auto& merging = *state.merging;
    likelihood.reach(merge_phase.before);
    bool const round_ended = optimise_subject(state, likelihood, options);
    likelihood.reach(merge_phase.inside);
    keep_subject(state, likelihood);
    auto const epsilon = merging.phase == Phase::scheme ? options.final_epsilon : options.choice_epsilon;
    bool const is_optimised = merging.phase != Phase::partitions;
    if (round_ended && keep_loglh(merging, likelihood) >= epsilon && is_optimised) {
        state.position = 0;
        ++state.round;
    } else if (round_ended) {
        MergeData const data{state.specs, options, likelihood.linkage(), state.tree.num_edges()};
        enter(state, go_on(merging, data) ? Stage::merging : Stage::done);
    }
    state.loglh = merging.best.loglh;
    likelihood.reach(merge_phase.after);
}

}  // namespace regraft::search
