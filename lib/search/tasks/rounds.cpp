#include "search/tasks/rounds.hpp"

#include <algorithm>

#include "search/models/rate_categories.hpp"

namespace regraft::search {
namespace {

constexpr double other_maximum = 1;  // in log-likelihood: what another maximum gains, not a better place near this one

/// Makes passes over all branches as long as each gains epsilon, and a share of what the first one gained: smaller
/// gains are left to the next round, because models change before it.
void smooth_all_branches(DistributedLikelihood& likelihood, double epsilon, Pace pace) {
    constexpr int max_passes = 8;
    constexpr double least_share = 0.3;
    auto const first = smooth_branches(likelihood, epsilon, pace);
    auto gain = first;
    for (int pass = 1; pass < max_passes && gain >= std::max(epsilon, least_share * first); ++pass) {
        gain = smooth_branches(likelihood, epsilon, pace);
    }
}

}  // namespace

bool optimise_next(std::uint64_t& position, DistributedLikelihood& likelihood, double epsilon, Pace pace,
                   Lengths lengths) {
    if (lengths == Lengths::change && position == 0) {
        smooth_all_branches(likelihood, epsilon, pace);
    } else {
        optimise_models(likelihood, epsilon, lengths);
    }
    ++position;
    return lengths == Lengths::fixed || position > 1;
}

bool leave_maximum(DistributedLikelihood& likelihood, double epsilon, Lengths lengths) {
    bool const is_rescaled = lengths != Lengths::fixed && rescale_branches(likelihood, other_maximum);
    return is_rescaled || move_categories(likelihood, epsilon);
}

}  // namespace regraft::search
