// Support of edges by an approximate likelihood-ratio test corrected as by Shimodaira and Hasegawa (SH-aLRT, Guindon et
// al. 2010, Syst. Biol. 59:307).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/resampling.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// Samples with the numbers first .. last - 1, of those that follow from a seed.
struct SampleNumbers {
    std::uint32_t first = 0;  // the first number
    std::uint32_t last = 0;   // one behind the last number
    std::uint64_t seed = 1;   // from which the samples follow
    SampleSize size{};        // the same for all of them
};

/// Samples of the sites that resample log-likelihoods without optimising (RELL, Kishino et al. 1990): the weight of
/// each of this PE's patterns in each sample. Takes 2 bytes per local pattern and sample.
class RellSamples {
public:
    /// local: this PE's patterns in each partition, in the order of its Sites. A sample does not depend on the other
    /// samples, and the numbers of a PE not on the patterns of others. O(samples * sites).
    RellSamples(SiteSampler const& sites, std::span<std::vector<std::uint64_t> const> local,
                SampleNumbers const& numbers);

    /// The number of samples.
    std::uint32_t count() const { return count_; }
    /// Adds the weighted sums of values, one per local pattern of a partition: over all sites to sums[0], over sample i
    /// to sums[1 + i].
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

/// The SH-aLRT support of the inner edge h. It compares the log-likelihoods of this tree and of the two trees after an
/// interchange at h, in each sample, centred. The support is the fraction of samples in which the best and the second
/// are closer to each other than this tree is to the better of the others in the data. The branches around h are
/// optimised for the other trees; in the end the tree is as it was, bit by bit. 0 if one of the others is better.
/// Collective.
double sh_alrt(DistributedLikelihood& likelihood, msa::HalfEdge h, RellSamples const& samples);

}  // namespace regraft::search
#pragma GCC visibility pop
