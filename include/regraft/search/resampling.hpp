// Samples of the sites of an alignment: replicates of the bootstrap (Felsenstein 1985), and the samples of SH-aLRT and
// of tests of trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace regraft::search {

/// The number of sites that a sample has, relative to that of the data.
struct SampleSize {
    std::uint32_t tenths = 10;  // of the number of sites of the data
    friend bool operator==(SampleSize, SampleSize) = default;
};

/// The number of sites of a sample, rounded to the nearest.
constexpr std::uint64_t num_drawn(std::uint64_t num_sites, SampleSize size) {
    return (num_sites * size.tenths + 5) / 10;
}

/// Draws sites with replacement, from every partition as many as it has, or its share of another number.
class SiteSampler {
public:
    /// weights: the number of sites of each pattern, of which a view is kept. Precondition: partition_begin ascends
    /// from 0 to the number of weights. O(sites), also in memory, or O(patterns) where weights are large.
    SiteSampler(std::span<std::uint32_t const> weights, std::span<std::uint64_t const> partition_begin);

    /// The weight of each pattern in the data.
    std::span<std::uint32_t const> weights() const { return weights_; }
    std::size_t num_partitions() const { return partition_begin_.size() - 1; }  // as partition_begin has
    std::uint64_t num_sites() const { return partition_begin_.back(); }         // in the data
    /// The number of sites of a partition in the data.
    std::uint64_t num_sites(std::size_t partition) const {
        return partition_begin_[partition + 1] - partition_begin_[partition];
    }
    /// The weight of each pattern in a sample, which has num_drawn sites of all partitions together. A function of the
    /// sampler and of its arguments. O(sites), or O(sites * log(patterns)) where weights are large.
    std::vector<std::uint32_t> draw(std::uint64_t seed, SampleSize size = {}) const;

private:
    std::uint64_t pattern_of(std::uint64_t site) const;

    std::span<std::uint32_t const> weights_;
    std::vector<std::uint64_t> partition_begin_;  // begins of the partitions' sites
    std::vector<std::uint64_t> pattern_of_site_;  // sites are ordered by their patterns; empty where weights are large
    std::vector<std::uint64_t> pattern_end_;      // then: the number of sites up to the end of each pattern
};

/// The sample of SiteSampler::draw, for a single one.
std::vector<std::uint32_t> resampled_weights(std::span<std::uint32_t const> weights,
                                             std::span<std::uint64_t const> partition_begin, std::uint64_t seed);

}  // namespace regraft::search
#pragma GCC visibility pop
