#include "search/tasks/rounds.hpp"

#include "search/models/rate_categories.hpp"

namespace regraft::search {
namespace {

constexpr double least_share = 0.3;  // of epsilon: a step that gains less ends the optimisation of lengths
constexpr double other_maximum = 1;  // in log-likelihood: what another maximum gains, not a better place near this one

}  // namespace

bool optimise_next(std::uint64_t& position, DistributedLikelihood& likelihood, double epsilon, Lengths lengths) {
    if (lengths == Lengths::change && position == 0) {
        optimise_lengths(likelihood, least_share * epsilon);
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
