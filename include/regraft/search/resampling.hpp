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

/// One value per local pattern of all partitions, as whole steps of a grid. Sums over patterns are exact, so that they
/// do not depend on how the patterns are dealt to PEs.
class GridValues {
public:
    static constexpr int bits = 11;           // steps of 2^-11
    static constexpr double most = 15.99;     // values further from 0 count as this
    static constexpr std::size_t block = 64;  // columns that are added in 32 bits

    /// What a sum of steps stands for.
    static double value(std::int64_t steps);
    /// The steps, a column each, padded with zeros to whole blocks.
    std::span<std::int16_t const> steps() const { return steps_; }

private:
    friend class ReplicateWeights;
    std::vector<std::int16_t> steps_;
};

/// The weights of this PE's patterns in some replicates of the bootstrap: for sums of log-likelihoods that are
/// resampled without optimising (RELL, Kishino et al. 1990). Takes 2 bytes per replicate and pattern.
class ReplicateWeights {
public:
    /// local: this PE's patterns in each partition. Replicate i is SiteSampler::draw(seed + i). O(replicates * sites).
    ReplicateWeights(SiteSampler const& sites, std::span<std::vector<std::uint64_t> const> local, std::uint32_t count,
                     std::uint64_t seed);

    /// The number of replicates.
    std::uint32_t count() const { return count_; }
    /// The number of sites in the data, and in each replicate, on all PEs.
    std::uint64_t num_sites() const { return num_sites_; }
    /// Values minus others, per partition and local pattern.
    GridValues difference(std::span<std::vector<double> const> values,
                          std::span<std::vector<double> const> others) const;
    /// This PE's part of the weighted sum of steps in a replicate.
    std::int64_t sum(GridValues const& values, std::uint32_t replicate) const { return sum_row(values, replicate + 1); }
    /// The same in the data.
    std::int64_t sum_of_data(GridValues const& values) const { return sum_row(values, 0); }
    /// The same for squares in the data.
    std::int64_t squares_of_data(GridValues const& values) const;

private:
    /// A local pattern. One with a large weight has several columns.
    struct Column {
        std::uint32_t partition;
        std::uint32_t pattern;
    };
    std::int64_t sum_row(GridValues const& values, std::size_t row) const;

    std::uint32_t count_;
    std::uint64_t num_sites_;
    std::vector<Column> columns_;
    std::size_t width_ = 0;              // columns_ in whole blocks
    std::vector<std::int16_t> weights_;  // [row][column]; row 0 is the data
};

/// The sample of SiteSampler::draw, for a single one.
std::vector<std::uint32_t> resampled_weights(std::span<std::uint32_t const> weights,
                                             std::span<std::uint64_t const> partition_begin, std::uint64_t seed);

}  // namespace regraft::search
#pragma GCC visibility pop
