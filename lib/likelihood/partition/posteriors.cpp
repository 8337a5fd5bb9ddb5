#include "likelihood/partition/posteriors.hpp"

#include <span>

namespace regraft::likelihood {
namespace {

/// Calls add(category, state, likelihood) for all likelihoods of a site; with `likelihoods` null, for the prior
/// probabilities.
template <class Add>
void for_likelihoods(JointLikelihoods const& joint, std::size_t site, double const* likelihoods, Add add) {
    auto const [states, categories] = joint.shape;
    for (std::size_t c = 0; c < categories; ++c) {
        for (std::size_t i = 0; i < states; ++i) {
            auto const factor = likelihoods == nullptr ? 1 : likelihoods[(c * states + i) * kernels::block_sites];
            add(c, i, joint.root.prior(site, c, i) * factor);
        }
    }
}

/// Divides the parts by their sum. Returns whether there is one.
bool normalise(std::span<double> parts) {
    double sum = 0;
    for (auto const part : parts) sum += part;
    if (!(sum > 0)) return false;
    for (auto& part : parts) part /= sum;
    return true;
}

/// Calls sum_up(site, likelihoods, parts), which adds to the `width` parts of a site, for all sites.
template <class SumUp>
std::vector<double> posteriors(JointLikelihoods const& joint, std::size_t width, SumUp sum_up) {
    std::vector<double> result((joint.last_site - joint.first_site) * width);
    for (auto site = joint.first_site; site < joint.last_site; ++site) {
        auto const parts = std::span(result).subspan((site - joint.first_site) * width, width);
        auto const block = site / kernels::block_sites;
        sum_up(site, joint.table + block * joint.shape.block_size() + site % kernels::block_sites, parts);
        if (normalise(parts)) continue;
        sum_up(site, nullptr, parts);
        normalise(parts);
    }
    return result;
}

}  // namespace

std::vector<double> category_posteriors(JointLikelihoods const& joint) {
    auto const* const invariant = joint.root.invariant();
    std::size_t const first = invariant == nullptr ? 0 : 1;
    return posteriors(joint, first + joint.shape.categories,
                      [&](std::size_t site, double const* likelihoods, std::span<double> parts) {
                          if (invariant != nullptr) parts[0] = invariant[site];
                          for_likelihoods(joint, site, likelihoods,
                                          [&](std::size_t category, std::size_t, double likelihood) {
                                              parts[first + category] += likelihood;
                                          });
                      });
}

std::vector<double> state_posteriors(JointLikelihoods const& joint) {
    return posteriors(
        joint, joint.shape.states, [&](std::size_t site, double const* likelihoods, std::span<double> parts) {
            for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = joint.root.invariant(site, i);
            for_likelihoods(joint, site, likelihoods,
                            [&](std::size_t, std::size_t state, double likelihood) { parts[state] += likelihood; });
        });
}

}  // namespace regraft::likelihood
