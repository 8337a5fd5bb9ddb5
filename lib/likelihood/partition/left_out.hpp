// Sites that never change and were left out of the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "likelihood/kernels/kernels.hpp"
#include "regraft/core/fixed_sum.hpp"
#include "regraft/likelihood/partition.hpp"

namespace regraft::likelihood {

/// Adds the terms that correct sums for sites that were left out. What would be known of them follows from constant
/// patterns, one per state, that are in front of the others.
class LeftOut {
public:
    LeftOut(std::uint32_t num_states, Sites const& sites);

    /// Whether there is a correction for such sites, even if none of the sites are here.
    bool is_used() const { return ascertainment_ != Ascertainment::none; }
    /// The number of constant patterns; 0 if there is nothing to correct.
    std::size_t num_patterns() const { return num_patterns_; }
    /// Writes the weights of the constant patterns, and then those of the sites.
    void put_weights(Sites const& sites, std::int64_t* weights) const;
    /// Whether a correction is to be added to sums over the sites.
    bool has_term() const { return weight_ > 0; }

    /// Adds the term of the log-likelihood. loglh: per pattern, at least the constant ones.
    void add_term(std::span<double const> loglh, FixedScale const& scale, FixedSum& sum) const;

    /// A table that kernels::make_table has made, and the scalers of its sides.
    struct Table {
        double const* values;
        std::span<std::uint32_t const> scalers;
    };
    /// Per constant pattern: the table that kernels::make_table makes of these sides is divided by 2^(256 * scaler).
    std::vector<std::uint32_t> scalers(kernels::Shape shape, kernels::Side const& near, kernels::Side const& far) const;
    /// Adds the terms of the log-likelihood and of its derivatives. terms: as for kernels::add_derivatives.
    void add_terms(kernels::Shape shape, Table const& table, std::span<double const> terms,
                   std::span<FixedScale const, 3> scales, std::span<FixedSum, 3> sums) const;

private:
    Ascertainment ascertainment_;
    std::size_t num_patterns_;
    std::uint32_t weight_;  // of the term
};

}  // namespace regraft::likelihood
