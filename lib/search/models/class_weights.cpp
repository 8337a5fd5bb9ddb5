#include "search/models/class_weights.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace regraft::search {
namespace {

constexpr int most_steps = 100;
/// The least weight. A weight of 0 would stay 0.
constexpr double least_weight = 1e-10;

/// The expected share of each class in the sites that are in a class, and not invariable.
std::vector<double> expected_weights(DistributedLikelihood& likelihood, std::size_t partition) {
    auto const& spec = likelihood.spec(partition);
    auto const shares = likelihood.category_shares(partition);
    auto next = shares.end() - spec.num_site_categories();
    std::vector<double> weights;
    for (std::uint32_t c = 0; c < spec.num_classes(); ++c, next += spec.categories) {
        weights.push_back(std::accumulate(next, next + spec.categories, 0.0));
    }
    auto const sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (auto& weight : weights) weight = std::max(weight / sum, least_weight);
    return weights;
}

void optimise(DistributedLikelihood& likelihood, std::size_t partition, double enough) {
    auto const loglh_of = [&](Model const& model) {
        return likelihood.trial_loglh(std::array{ModelTrial{partition, model}}).front();
    };
    auto loglh = loglh_of(likelihood.model(partition));
    for (int step = 0; step < most_steps; ++step) {
        auto model = likelihood.model(partition);
        model.class_weights = expected_weights(likelihood, partition);
        auto const gain = loglh_of(model) - loglh;
        // Where sites were left out of the data, a step may lead down.
        if (!(gain > 0)) return;
        loglh += gain;
        likelihood.set_model(partition, std::move(model));
        if (gain < enough) return;
    }
}

}  // namespace

void optimise_class_weights(DistributedLikelihood& likelihood, double enough) {
    for (std::size_t q = 0; q < likelihood.num_partitions(); ++q) {
        if (likelihood.spec(q).class_weights_from == Origin::optimised) optimise(likelihood, q, enough);
    }
}

}  // namespace regraft::search
