// What is multiplied and added where the two sides of an edge meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "likelihood/clvs/tips.hpp"
#include "likelihood/kernels/aligned.hpp"
#include "likelihood/kernels/kernels.hpp"
#include "regraft/likelihood/site_model.hpp"

namespace regraft::likelihood {

/// Frequencies, weights of categories, and per site the likelihood of being invariant.
class RootValues {
public:
    void set(SiteModel const& model, Tips const& tips);

    kernels::Root root() const { return {frequencies_.data(), category_weights_.data(), invariant()}; }
    /// Per site, or null if no site is invariant.
    double const* invariant() const { return can_be_invariant_ ? invariant_.get() : nullptr; }
    /// The likelihood that the site is invariant with this state.
    double invariant(std::size_t site, std::size_t state) const {
        bool const is_possible = can_be_invariant_ && (common_[site] >> state & 1) != 0;
        return is_possible ? invariant_states_[state] : 0;
    }

private:
    std::vector<double> mean_frequencies(SiteModel const& model) const;

    std::vector<double> frequencies_;  // [category][state]
    std::vector<double> category_weights_;
    bool can_be_invariant_ = false;
    std::vector<double> invariant_states_;  // per state: likelihood of being invariant with it
    Aligned<double> invariant_;             // per site
    std::vector<std::uint64_t> common_;     // per site: the states that all tips may have; empty until they are needed
};

}  // namespace regraft::likelihood
