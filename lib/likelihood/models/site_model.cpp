#include "regraft/likelihood/site_model.hpp"

#include <numeric>

#include "likelihood/models/eigensystem.hpp"
#include "likelihood/models/gamma_rates.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::likelihood {
namespace {

std::vector<Eigensystem> systems(ModelSpec const& spec, Model const& model) {
    std::vector<Eigensystem> result;
    for (auto const& matrix : spec.matrices) {
        auto const own = spec.frequencies == Frequencies::of_matrix;
        result.push_back(eigensystem(matrix.exchangeabilities,
                                     own ? std::span<double const>(matrix.frequencies) : std::span(model.frequencies)));
    }
    if (!spec.matrices.empty()) return result;
    REGRAFT_EXPECTS(model.rates.size() == spec.num_rate_classes() && model.frequencies.size() == spec.num_states());
    std::vector<double> exchangeabilities;
    for (auto const rate_class : spec.rate_classes) exchangeabilities.push_back(model.rates[rate_class]);
    result.push_back(eigensystem(exchangeabilities, model.frequencies));
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

}  // namespace

SiteModel site_model(ModelSpec const& spec, Model const& model) {
    SiteModel result{spec.num_states(), systems(spec, model), {}, 0};
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
    for (std::uint32_t i = 0; i < spec.categories; ++i) {
        auto const system = site_model.systems.size() > 1 ? i : 0;
        site_model.categories.push_back({system, all_rates[i] / (mean * variable), variable * all_weights[i] / weight});
    }
}

}  // namespace regraft::likelihood
