#include "search/tasks/rounds.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/models/lengths.hpp"
#include "search/models/rate_categories.hpp"

namespace regraft::search {
namespace {

/// Share of epsilon: a step that gains less ends the optimisation of lengths.
constexpr double least_share = 0.3;
constexpr double least_share_of_last = 0.03;  // the same for the last lengths, of which steps cost little

constexpr double other_maximum = 1;  // in log-likelihood: what another maximum gains, not a better place near this one

/// Makes a pass over all branches, and takes it back in length sets whose log-likelihood it lowers. Returns the gain.
/// loglh: of the sets.
double pass_over_all(DistributedLikelihood& likelihood, double epsilon, std::vector<double>& loglh) {
    auto const& tree = likelihood.tree();
    auto const edges = tree.edges();
    auto const before = lengths_of(tree, edges);
    smooth_branches(likelihood, epsilon, Pass::all);
    auto const after = loglh_of_sets(likelihood);
    auto lengths = lengths_of(tree, edges);
    double gain = 0;
    for (std::size_t set = 0; set < after.size(); ++set) {
        if (after[set] >= loglh[set]) {
            gain += after[set] - std::exchange(loglh[set], after[set]);
        } else {
            for (auto i = set; i < lengths.size(); i += after.size()) lengths[i] = before[i];
        }
    }
    set_lengths(likelihood, edges, lengths);
    return gain;
}

/// Makes passes over all branches as long as each gains epsilon, and a share of what the first one gained: smaller
/// gains are left to the next round, because models change before it.
void smooth_all_branches(DistributedLikelihood& likelihood, double epsilon) {
    constexpr int most_passes = 8;
    constexpr double least_share_of_first = 0.3;
    auto loglh = loglh_of_sets(likelihood);
    auto const first = pass_over_all(likelihood, epsilon, loglh);
    auto gain = first;
    for (int pass = 1; pass < most_passes && gain >= std::max(epsilon, least_share_of_first * first); ++pass)
        gain = pass_over_all(likelihood, epsilon, loglh);
}

/// A pass over the edges takes about as long as a few gradients of all lengths. An ascent needs the more of these the
/// larger the tree is: a fast search makes 65 for 101 tips, and 144 for 1,000.
void optimise_all_lengths(DistributedLikelihood& likelihood, double epsilon, Lengths lengths, Saves saves) {
    if (saves_at(saves, likelihood.tree()) == Saves::computation) return smooth_all_branches(likelihood, epsilon);
    optimise_lengths(likelihood, (lengths == Lengths::rescale ? least_share_of_last : least_share) * epsilon);
}

/// Optimises an only partition's model together with the scale of the tree, which the lengths then take over. If their
/// limits forbid that, so that the likelihood would fall, it optimises the model alone.
void optimise_model_and_scale(DistributedLikelihood& likelihood, double epsilon) {
    auto const model = likelihood.model(0);
    auto const edges = likelihood.tree().edges();
    auto const lengths = lengths_of(likelihood.tree(), edges);
    auto const before = likelihood.loglh();
    optimise_models(likelihood, epsilon, Lengths::rescale);
    normalise_scalers(likelihood, std::array{std::uint64_t{1}});
    auto scaled = lengths_of(likelihood.tree(), edges);
    for (std::size_t i = 0; i < scaled.size(); ++i) {
        bool const is_least = lengths[i] <= min_branch_length;  // and stays so, or it would be optimised again
        scaled[i] = is_least ? lengths[i] : std::clamp(scaled[i], min_branch_length, max_branch_length);
    }
    set_lengths(likelihood, edges, scaled);
    if (likelihood.loglh() >= before) return;
    likelihood.set_model(0, model);
    set_lengths(likelihood, edges, lengths);
    optimise_models(likelihood, epsilon);
}

}  // namespace

bool optimise_next(std::uint64_t& position, DistributedLikelihood& likelihood, double epsilon, Lengths lengths,
                   Saves saves) {
    if (lengths != Lengths::fixed && position == 0) {
        optimise_all_lengths(likelihood, epsilon, lengths, saves);
    } else if (lengths == Lengths::rescale && likelihood.linkage() == BranchLinkage::scaled &&
               likelihood.num_partitions() == 1) {
        optimise_model_and_scale(likelihood, epsilon);
    } else {
        optimise_models(likelihood, epsilon, lengths);
    }
    ++position;
    return lengths == Lengths::fixed || position > 1;
}

bool leave_maximum(DistributedLikelihood& likelihood, double epsilon, Lengths lengths) {
    bool const is_rescaled = lengths != Lengths::fixed && rescale_branches(likelihood, other_maximum);
    return is_rescaled || move_categories(likelihood, epsilon) || move_shapes(likelihood, epsilon, lengths);
}

}  // namespace regraft::search
