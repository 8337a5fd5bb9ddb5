// Samples of the sites with their log-likelihoods as they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/fixed_sum.hpp"
#include "regraft/search/resampling.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// Samples of the sites that resample log-likelihoods without optimising (RELL, Kishino et al. 1990): the weight of
/// each of this PE's patterns in each sample. Takes 2 bytes per local pattern and sample.
class RellSamples {
public:
    /// local: the numbers of this PE's patterns, [partition][local pattern], in the order of its Sites. Sample i is the
    /// same whichever other samples are made, and whichever patterns other PEs have. O(samples * sites). Not
    /// collective.
    RellSamples(SiteSampler const& sites, std::span<std::vector<std::uint64_t> const> local,
                SampleNumbers const& numbers);

    /// The number of samples.
    std::uint32_t count() const { return count_; }
    /// Adds this PE's part of the weighted sums of values, which has one per local pattern of the partition: over the
    /// sites of the data to sums[0], over those of sample i to sums[1 + i]. sums has the shape [1 + count()], and its
    /// grid is scale. Not collective.
    void add(std::size_t partition, std::span<double const> values, FixedScale const& scale,
             std::span<FixedSum> sums) const;

private:
    /// The weights of a pattern, or of a part of it, such that they fit 16 bits.
    struct Row {
        std::uint32_t pattern;
        std::vector<std::uint16_t> weights;  // in the data, then in each sample
    };

    std::uint32_t count_;
    std::vector<std::vector<Row>> rows_;  // per partition
};

}  // namespace regraft::search
#pragma GCC visibility pop
