// Support of edges by an approximate likelihood-ratio test corrected as by Shimodaira and Hasegawa (SH-aLRT, Guindon et
// al. 2010, Syst. Biol. 59:307).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "likelihood.hpp"

namespace regraft::phylo {

/// Samples of the sites (resampled_weights) by which log-likelihoods are resampled without optimising (RELL, Kishino et
/// al. 1990): how often the patterns of this PE occur in each. Takes 2 bytes per local pattern and sample.
class RellSamples {
public:
    /// weights, partition_begin: of all patterns; local: per partition those that this PE has, in the order of its
    /// Sites. What others have does not change a PE's numbers. O(count * sites). Preconditions: as of
    /// resampled_weights.
    RellSamples(std::span<std::uint32_t const> weights, std::span<std::uint64_t const> partition_begin,
                std::span<std::vector<std::uint64_t> const> local, std::uint32_t count, std::uint64_t seed);

    std::uint32_t count() const { return count_; }
    /// Adds what the values of a partition's local patterns sum up to: of all sites to sums[0], of sample i to
    /// sums[1 + i].
    void add(std::size_t partition, std::span<double const> values, FixedScale const& scale,
             std::span<FixedSum> sums) const;

private:
    /// Weights that 16 bits hold, of a pattern or of a part of it.
    struct Row {
        std::uint32_t pattern;
        std::vector<std::uint16_t> weights;  // in the data, then per sample
    };

    std::uint32_t count_;
    std::vector<std::vector<Row>> rows_;  // per partition
};

/// The share of samples in which the log-likelihoods of this tree and of the two that an interchange at the inner
/// edge h leads to, each resampled and centred, are closer to each other, the best to the
/// second, than this tree's is to theirs. The branches around h are optimised for the others; in the end the tree is as
/// it was, bit by bit. 0 if one of the others is better. Collective.
double sh_alrt(Likelihood& likelihood, msa::HalfEdge h, RellSamples const& samples);

}  // namespace regraft::phylo
