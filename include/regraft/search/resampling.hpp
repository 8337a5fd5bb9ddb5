// Samples of the sites of an alignment: replicates of the bootstrap (Felsenstein 1985), and the samples of SH-aLRT and
// of tests of trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/cpp20.hpp"
#include "regraft/core/random.hpp"

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

/// Draws sites with replacement: from every partition as many as it has, or the same share of them as SampleSize says.
class SiteSampler {
public:
    /// weights: the number of sites of each pattern; must live as long as this. partition_begin: the number of the
    /// first pattern of each partition, then the number of patterns. Precondition: partition_begin ascends from 0.
    /// O(sites), also in memory, or O(patterns) where weights are large.
    SiteSampler(std::span<std::uint32_t const> weights, std::span<std::uint64_t const> partition_begin);

    /// The weight of each pattern in the data.
    std::span<std::uint32_t const> weights() const { return weights_; }
    std::size_t num_partitions() const { return partition_begin_.size() - 1; }  // also those without patterns
    std::uint64_t num_sites() const { return partition_begin_.back(); }         // in the data
    /// The number of sites of a partition in the data.
    std::uint64_t num_sites(std::size_t partition) const {
        return partition_begin_[partition + 1] - partition_begin_[partition];
    }
    /// The weight of each pattern in a sample, which has num_drawn sites of all partitions together. A function of the
    /// sampler and of its arguments. O(sites), of which 64 are drawn at once for patterns with large weights.
    std::vector<std::uint32_t> draw(std::uint64_t seed, SampleSize size = {}) const;

private:
    /// Whether the pattern has so many of the partition's sites that they are drawn together.
    bool is_heavy(std::size_t partition, std::uint64_t pattern) const;
    void draw_large(std::size_t partition, std::uint64_t count, Random& random, std::span<std::uint32_t> drawn) const;

    std::span<std::uint32_t const> weights_;
    std::vector<std::uint64_t> partition_begin_;  // begins of the partitions' sites, which are ordered by patterns
    std::vector<std::uint64_t> pattern_of_site_;  // by site; empty where weights are large
    std::vector<std::uint64_t> pattern_begin_;    // there: the first pattern of each partition
    std::vector<std::uint64_t> light_end_;        // there: the number of sites of light patterns up to each one's end
};

/// One value per local pattern of all partitions, rounded to whole steps of a grid. Sums over patterns are sums of
/// integers, and so do not depend on how the patterns are dealt to PEs.
class GridValues {
public:
    static constexpr int bits = 11;           // a step is 2^-11
    static constexpr double most = 15.99;     // values further from 0 count as this, with their sign
    static constexpr std::size_t block = 64;  // number of columns whose sum fits 32 bits

    /// The value that a sum of steps stands for.
    static double value(std::int64_t steps);
    /// The steps of each column of ReplicateWeights, padded with zeros to whole blocks.
    std::span<std::int16_t const> steps() const { return steps_; }

private:
    friend class ReplicateWeights;
    std::vector<std::int16_t> steps_;
};

/// The weights of this PE's patterns in some replicates of the bootstrap: for sums of log-likelihoods that are
/// resampled without optimising (RELL, Kishino et al. 1990). Takes 2 bytes per replicate and pattern.
class ReplicateWeights {
public:
    /// local: the numbers of this PE's patterns, [partition][local pattern]. Replicate i is SiteSampler::draw(seed +
    /// i). O(replicates * sites). Not collective, as all functions.
    ReplicateWeights(SiteSampler const& sites, std::span<std::vector<std::uint64_t> const> local, std::uint32_t count,
                     std::uint64_t seed);

    /// The number of replicates.
    std::uint32_t count() const { return count_; }
    /// The number of sites in the data, and in each replicate, on all PEs.
    std::uint64_t num_sites() const { return num_sites_; }
    /// Values minus others, both [partition][local pattern]. Where neither is finite, the difference counts as 0.
    GridValues difference(std::span<std::vector<double> const> values,
                          std::span<std::vector<double> const> others) const;
    /// This PE's part of the weighted sum of steps in a replicate, for DistributedLikelihood::sum_over_ranks.
    std::int64_t sum(GridValues const& values, std::uint32_t replicate) const;

private:
    /// A local pattern. One with a large weight has several columns.
    struct Column {
        std::uint32_t partition;
        std::uint32_t pattern;
    };

    std::uint32_t count_;
    std::uint64_t num_sites_;
    std::vector<Column> columns_;
    std::size_t width_ = 0;              // columns_ in whole blocks
    std::vector<std::int16_t> weights_;  // [replicate][column]
};

/// The sample of SiteSampler::draw with as many sites as the data. Making several is faster with one SiteSampler.
std::vector<std::uint32_t> resampled_weights(std::span<std::uint32_t const> weights,
                                             std::span<std::uint64_t const> partition_begin, std::uint64_t seed);

/// Samples with the numbers first .. last - 1, of those that follow from a seed.
struct SampleNumbers {
    std::uint32_t first = 0;  // the first number
    std::uint32_t last = 0;   // one behind the last number
    std::uint64_t seed = 1;   // determines all samples
    SampleSize size{};        // of each sample
};

}  // namespace regraft::search
#pragma GCC visibility pop
