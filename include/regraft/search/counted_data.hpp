// Values of models that are counted in the data before anything is computed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/msa/patterns.hpp"
#include "regraft/search/likelihood_values.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// Values that are counted in the data of a partition before anything is computed.
struct CountedData {
    std::vector<double> frequencies;       // per state; they add up to 1
    double invariant = 0;                  // constant_sites / sites
    std::vector<msa::StateCount> cells{};  // counts from which the frequencies follow; only for counted_together
    std::uint64_t constant_sites = 0;      // number of sites at which all taxa may have the same state
    std::uint64_t sites = 0;               // number of all sites; both numbers count weights
};

/// The values that follow from these counts.
CountedData counted_from(std::vector<msa::StateCount> cells, std::uint64_t constant_sites, std::uint64_t sites,
                         std::uint32_t num_states);
/// The values of some partitions together, with the same bits as if they were one partition. Precondition: all parts
/// have their cells.
CountedData counted_together(std::span<CountedData const> parts, std::uint32_t num_states);

/// likelihood::start_model with the values that were counted.
Model start_model(ModelSpec const& spec, CountedData const& counted);

}  // namespace regraft::search
#pragma GCC visibility pop
