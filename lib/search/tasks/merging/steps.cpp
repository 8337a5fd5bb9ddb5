// The steps of a merging.
#include <algorithm>

#include "regraft/core/checked_cast.hpp"
#include "search/tasks/merging/merging.hpp"
#include "search/tasks/rounds.hpp"

namespace regraft::search {
namespace {

ft::FailPhase merge_phase("merge");

using Phase = Merging::Phase;

/// Copies the models and branch lengths of the likelihood into the fits of the subject.
void keep_fits(Merging& merging, Estimate& now, DistributedLikelihood const& likelihood) {
    auto const edges = now.tree.edges();
    std::uint32_t set = 0;
    for (auto& fit : merging.fits()) {
        fit.model = likelihood.model(set);
        for (std::size_t i = 0; i < fit.lengths.size(); ++i) fit.lengths[i] = likelihood.tree().length(edges[i], set);
        ++set;
    }
    bool const shares_lengths = likelihood.linkage() != BranchLinkage::unlinked;
    if (merging.phase == Phase::scheme && shares_lengths) now.tree = likelihood.tree();
}

/// Keeps the log-likelihoods of the subject's fits. Returns the greatest gain of a fit if these are unions, otherwise
/// the sum of all gains.
double keep_loglh(Merging& merging, DistributedLikelihood& likelihood) {
    auto const loglh = likelihood.partition_loglh();
    double greatest = 0;
    double all = 0;
    auto next = loglh.begin();
    for (auto& fit : merging.fits()) {
        double const gain = *next - fit.loglh;
        greatest = std::max(greatest, gain);
        all += gain;
        fit.loglh = *next++;
    }
    return merging.phase == Phase::pairs ? greatest : all;
}

/// Makes a step of the optimisation. Returns whether a round has ended. Branch lengths that unions share stay as they
/// are for all partitions; otherwise unions that are tried side by side would depend on each other.
bool optimise_fits(Merging& merging, DistributedLikelihood& likelihood, SearchOptions const& options) {
    bool const shares_lengths = likelihood.linkage() != BranchLinkage::unlinked;
    auto& position = merging.position;
    switch (merging.phase) {
        case Phase::partitions:
        case Phase::over:
            return true;
        case Phase::pairs:
            if (!shares_lengths) return optimise_next(position, likelihood, options.choice_epsilon);
            optimise_models(likelihood, options.choice_epsilon, Lengths::stay);
            return true;
        case Phase::scheme:
            break;
    }
    return optimise_next(position, likelihood, options.final_epsilon);
}

}  // namespace

std::string Merging::describe() const {
    switch (phase) {
        case Phase::partitions:
            return "merging, partitions";
        case Phase::scheme:
            return "merging, best scheme round " + std::to_string(round + 1);
        case Phase::over:
            return "done";
        case Phase::pairs:
            break;
    }
    auto const of_round = tried.size() + running.size() + waiting.size();
    return "merging, " + std::to_string(scheme.size()) + " subsets, " + std::to_string(tried.size()) + " of " +
           std::to_string(of_round) + " pairs known";
}

void Merging::step(Estimate& now, DistributedLikelihood& likelihood, SearchOptions const& options) {
    likelihood.reach(merge_phase.before);
    bool const round_ended = optimise_fits(*this, likelihood, options);
    likelihood.reach(merge_phase.inside);
    keep_fits(*this, now, likelihood);
    auto const epsilon = phase == Phase::scheme ? options.final_epsilon : options.choice_epsilon;
    bool const is_optimised = phase != Phase::partitions;
    if (round_ended && keep_loglh(*this, likelihood) >= epsilon && is_optimised) {
        position = 0;
        ++round;
    } else if (round_ended) {
        go_on(*this, {now.specs, options, likelihood.linkage(), now.tree.num_edges()});
        position = 0;
        round = 0;
    }
    now.loglh = best.loglh;
    likelihood.reach(merge_phase.after);
}

/// Branch lengths are those of the fits if they are unlinked, otherwise those of the tree.
Subject Merging::subject(Estimate const& now, BranchLinkage linkage) const {
    auto const& improved = fits();
    Subject result{{}, now.tree, {}, {}, linkage};
    auto const edges = now.tree.edges();
    bool const is_unlinked = linkage == BranchLinkage::unlinked;
    if (is_unlinked) result.tree = now.tree.with_length_sets(checked_cast<std::uint32_t>(improved.size()));
    for (std::uint32_t set = 0; set < improved.size(); ++set) {
        auto const& fit = improved[set];
        result.subsets.push_back(fit.subset);
        result.specs.push_back(now.specs[fit.subset.front()]);
        result.models.push_back(fit.model);
        for (std::size_t i = 0; is_unlinked && i < edges.size(); ++i)
            result.tree.set_length(edges[i], fit.lengths[i], set);
    }
    return result;
}

}  // namespace regraft::search
