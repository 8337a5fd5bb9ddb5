#include "regraft/likelihood/site_model.hpp"

#include <algorithm>
#include <numeric>

#include "likelihood/models/eigensystem.hpp"
#include "likelihood/models/gamma_rates.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::likelihood {
namespace {

std::vector<std::span<double const>> exchangeabilities_of(ModelSpec const& spec, std::span<double const> by_class) {
    std::vector<std::span<double const>> result;
    for (auto const& matrix : spec.matrices) result.emplace_back(matrix.exchangeabilities);
    if (result.empty()) result.push_back(by_class);
    return result;
}

/// The frequencies of each matrix or class.
std::vector<std::span<double const>> frequencies_of(ModelSpec const& spec, Model const& model) {
    std::vector<std::span<double const>> result;
    if (!model.frequencies.empty()) result.emplace_back(model.frequencies);
    for (auto const& profile : spec.profiles) result.emplace_back(profile.frequencies);
    if (!result.empty()) return result;
    for (auto const& matrix : spec.matrices) result.emplace_back(matrix.frequencies);
    return result;
}

/// One per matrix or class; not both are several.
std::vector<Eigensystem> systems(ModelSpec const& spec, Model const& model,
                                 std::span<std::span<double const> const> exchangeabilities) {
    auto const frequencies = frequencies_of(spec, model);
    REGRAFT_EXPECTS(!frequencies.empty());
    std::vector<Eigensystem> result;
    for (std::size_t i = 0; i < std::max(exchangeabilities.size(), frequencies.size()); ++i) {
        auto const& own = frequencies[frequencies.size() == 1 ? 0 : i];
        REGRAFT_EXPECTS(own.size() == spec.num_states());
        result.push_back(eigensystem(exchangeabilities[exchangeabilities.size() == 1 ? 0 : i], own));
    }
    return result;
}

std::vector<double> rates(ModelSpec const& spec, Model const& model) {
    if (spec.has_gamma()) return gamma_rates(spec.heterogeneity, model.alpha, spec.categories);
    if (spec.heterogeneity == Heterogeneity::free) return model.category_rates;
    return {1.0};
}

std::vector<double> weights(ModelSpec const& spec, Model const& model) {
    if (spec.heterogeneity == Heterogeneity::free) return model.category_weights;
    std::vector<double> equal(spec.categories, 1.0);
    return equal;
}

/// The weights of the classes, as shares of their sum.
std::vector<double> class_shares(ModelSpec const& spec, Model const& model) {
    auto shares = model.class_weights;
    if (shares.empty()) {
        for (auto const& profile : spec.profiles) shares.push_back(profile.weight);
    }
    if (spec.profiles.empty()) shares = {1.0};
    REGRAFT_EXPECTS(shares.size() == spec.num_classes());
    auto const sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (auto& share : shares) share /= sum;
    return shares;
}

}  // namespace

SiteModel site_model(ModelSpec const& spec, Model const& model) {
    REGRAFT_EXPECTS(model.rates.size() == spec.num_rate_classes());
    std::vector<double> by_class;
    for (auto const rate_class : spec.rate_classes) by_class.push_back(model.rates[rate_class]);
    auto const exchangeabilities = exchangeabilities_of(spec, by_class);
    SiteModel result{spec.num_states(), systems(spec, model, exchangeabilities), {}, 0, {}};
    if (exchangeabilities.size() == 1) {
        result.exchangeabilities.assign(exchangeabilities[0].begin(), exchangeabilities[0].end());
    }
    set_categories(result, spec, model);
    return result;
}

void set_categories(SiteModel& site_model, ModelSpec const& spec, Model const& model) {
    auto const all_rates = rates(spec, model);
    auto const all_weights = weights(spec, model);
    REGRAFT_EXPECTS(all_rates.size() == spec.categories && all_weights.size() == spec.categories);

    auto const weight = std::accumulate(all_weights.begin(), all_weights.end(), 0.0);
    auto const mean = std::inner_product(all_rates.begin(), all_rates.end(), all_weights.begin(), 0.0) / weight;
    auto const variable = 1 - model.invariant;
    site_model.invariant = model.invariant;
    site_model.categories.clear();
    auto const shares = class_shares(spec, model);
    for (std::uint32_t c = 0; c < shares.size(); ++c) {
        for (std::uint32_t i = 0; i < spec.categories; ++i) {
            auto const system = spec.matrices.size() > 1 ? i : c;
            site_model.categories.push_back(
                {system, all_rates[i] / (mean * variable), variable * all_weights[i] / weight * shares[c]});
        }
    }
}

}  // namespace regraft::likelihood
