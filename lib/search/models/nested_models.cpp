#include "search/models/nested_models.hpp"

#include <algorithm>

namespace regraft::search {
namespace {

using likelihood::Heterogeneity;
using likelihood::ModelSpec;
using likelihood::Origin;

bool is_same_scheme(ModelSpec const& a, ModelSpec const& b) {
    return a.name == b.name && a.frequencies == b.frequencies && a.rate_classes == b.rate_classes;
}

bool has_invariant(ModelSpec const& spec) {
    return spec.invariant_from == Origin::optimised;
}

/// The number of free rates that can be those of the heterogeneity: one is 0 if some sites are invariable.
std::uint32_t rates_of(ModelSpec const& spec) {
    return spec.categories + (has_invariant(spec) ? 1 : 0);
}

/// Whether rates over sites under `general` can be those under `special`.
bool varies_as(ModelSpec const& general, ModelSpec const& special) {
    bool const is_free = general.heterogeneity == Heterogeneity::free;
    if (is_free) return !has_invariant(general) && rates_of(special) <= general.categories;
    if (has_invariant(special) && !has_invariant(general)) return false;
    return special.heterogeneity == Heterogeneity::none ||
           (special.heterogeneity == general.heterogeneity && special.categories == general.categories);
}

}  // namespace

bool is_special_case(ModelSpec const& spec, ModelSpec const& general) {
    if (spec.rate_classes.empty() || spec.frequencies != general.frequencies) return false;
    for (std::size_t i = 0; i < spec.rate_classes.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (general.rate_classes[i] == general.rate_classes[j] && spec.rate_classes[i] != spec.rate_classes[j])
                return false;
        }
    }
    return true;
}

bool contains(Candidate const& general, Candidate const& special) {
    auto const spec = likelihood::parse_model(general.name());
    auto const of_special = likelihood::parse_model(special.name());
    bool const has_scheme = is_same_scheme(of_special, spec) || is_special_case(of_special, spec);
    return !(general == special) && has_scheme && varies_as(spec, of_special);
}

void raise_to_contained(std::vector<TriedModel>& trials) {
    auto& last = trials.back();
    for (auto const& trial : trials) {
        if (trial.loglh > last.loglh && contains(last.candidate, trial.candidate)) last.loglh = trial.loglh;
    }
    for (auto& trial : trials) {
        if (last.loglh > trial.loglh && contains(trial.candidate, last.candidate)) trial.loglh = last.loglh;
    }
}

}  // namespace regraft::search
