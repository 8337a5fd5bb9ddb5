#include "regraft/likelihood/model.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "likelihood/models/gamma_rates.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::likelihood {

void Model::write(ByteWriter& out) const {
    // There are as many weights of categories as rates, so those of the classes can follow them.
    auto weights = category_weights;
    weights.insert(weights.end(), class_weights.begin(), class_weights.end());
    for (auto const* values : {&rates, &frequencies, &category_rates, &std::as_const(weights)}) {
        out.put_all(std::span(*values));
    }
    for (double value : {alpha, invariant, scaler}) out.put(value);
}

Model Model::read(ByteReader& in) {
    Model model;
    for (auto* values : {&model.rates, &model.frequencies, &model.category_rates, &model.category_weights}) {
        *values = in.get_all<double>();
    }
    auto& weights = model.category_weights;
    if (weights.size() > model.category_rates.size()) {
        auto const first = weights.begin() + static_cast<std::ptrdiff_t>(model.category_rates.size());
        model.class_weights.assign(first, weights.end());
        weights.erase(first, weights.end());
    }
    for (auto* value : {&model.alpha, &model.invariant, &model.scaler}) *value = in.get<double>();
    return model;
}

std::uint32_t ModelSpec::num_rate_classes() const {
    return rate_classes.empty() ? 0 : *std::max_element(rate_classes.begin(), rate_classes.end()) + 1;
}

std::uint32_t ModelSpec::num_classes() const {
    if (profiles.empty()) return 1;
    return static_cast<std::uint32_t>(profiles.size()) + (frequencies == Frequencies::of_matrix ? 0 : 1);
}

Model start_model(ModelSpec const& spec, Counted const& counted) {
    auto model = spec.given;
    if (model.rates.empty()) model.rates.assign(spec.num_rate_classes(), 1.0);
    if (spec.frequencies == Frequencies::equal) model.frequencies.assign(spec.num_states(), 1.0 / spec.num_states());
    if (spec.counts_frequencies()) {
        REGRAFT_EXPECTS(counted.frequencies.size() == spec.num_states());
        model.frequencies.assign(counted.frequencies.begin(), counted.frequencies.end());
    }
    auto const invariant = std::min(counted.invariant, max_invariant);
    if (spec.invariant_from == Origin::counted) model.invariant = invariant;
    if (spec.invariant_from == Origin::optimised) model.invariant = invariant / 2;
    if (spec.free_rates_from == Origin::optimised) {
        model.category_rates = gamma_rates(Heterogeneity::gamma_mean, 1, spec.categories);
        model.category_weights.assign(spec.categories, 1.0 / spec.categories);
    }
    if (spec.class_weights_from == Origin::optimised) {
        for (auto const& profile : spec.profiles) model.class_weights.push_back(profile.weight);
        auto const average = 1.0 / static_cast<double>(spec.profiles.size());
        if (spec.num_classes() > spec.profiles.size()) model.class_weights.insert(model.class_weights.begin(), average);
    }
    return model;
}

std::uint32_t free_parameters(ModelSpec const& spec) {
    std::uint32_t number = 0;
    if (spec.rates_from == Origin::optimised) number += spec.num_rate_classes() - 1;
    if (spec.counts_frequencies()) {
        number += spec.num_states() - 1;
    }
    if (spec.invariant_from != Origin::fixed) ++number;
    if (spec.alpha_from == Origin::optimised) ++number;
    if (spec.free_rates_from == Origin::optimised) number += 2 * (spec.categories - 1);  // rates, weights
    if (spec.class_weights_from == Origin::optimised) number += spec.num_classes() - 1;
    return number;
}

}  // namespace regraft::likelihood
