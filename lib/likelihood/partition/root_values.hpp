// What is multiplied and added where the two sides of an edge meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "likelihood/clvs/own_systems.hpp"
#include "likelihood/clvs/tips.hpp"
#include "likelihood/kernels/aligned.hpp"
#include "likelihood/kernels/kernels.hpp"
#include "regraft/likelihood/site_model.hpp"

namespace regraft::likelihood {

/// Frequencies, weights of categories, and per site the likelihood of being invariant.
class RootValues {
public:
    /// own: frequencies of the sites instead of those of the model, or null. Keeps a view of them.
    void set(SiteModel const& model, Tips const& tips, OwnSystems const* own);

    kernels::Root root() const {
        return {frequencies_.data(), category_weights_.data(), invariant(), own_ == nullptr ? nullptr : own_->get()};
    }
    /// The prior probability of a category and a state, both at once.
    double prior(std::size_t site, std::size_t category, std::size_t state) const {
        auto const n = invariant_frequencies_.size();
        return category_weights_[category] *
               (own_ == nullptr ? frequencies_[category * n + state] : own_->frequency(site, state));
    }
    /// Per site, or null if no site is invariant.
    double const* invariant() const { return can_be_invariant_ ? invariant_.get() : nullptr; }
    /// The likelihood that the site is invariant with this state.
    double invariant(std::size_t site, std::size_t state) const {
        bool const is_possible = can_be_invariant_ && (common_[site] >> state & 1) != 0;
        return is_possible ? proportion_ * invariant_frequency(site, state) : 0;
    }

private:
    std::vector<double> mean_frequencies(SiteModel const& model) const;
    double invariant_frequency(std::size_t site, std::size_t state) const {
        return own_ == nullptr ? invariant_frequencies_[state] : own_->frequency(site, state);
    }

    std::vector<double> frequencies_;  // [category][state]
    std::vector<double> category_weights_;
    bool can_be_invariant_ = false;
    double proportion_ = 0;                      // of invariant sites
    std::vector<double> invariant_frequencies_;  // per state
    OwnSystems const* own_ = nullptr;
    Aligned<double> invariant_;          // per site
    std::vector<std::uint64_t> common_;  // per site: the states that all tips may have; empty until they are needed
};

}  // namespace regraft::likelihood
