#include "regraft/search/resampling.hpp"

#include <algorithm>

#include "regraft/core/random.hpp"

namespace regraft::search {

SiteSampler::SiteSampler(std::span<std::uint32_t const> weights, std::span<std::uint64_t const> partition_begin)
    : weights_(weights), partition_begin_(partition_begin.size()) {
    for (std::size_t q = 0; q + 1 < partition_begin.size(); ++q) {
        partition_begin_[q + 1] = partition_begin_[q];
        for (auto i = partition_begin[q]; i < partition_begin[q + 1]; ++i)
            pattern_end_.push_back(partition_begin_[q + 1] += weights[i]);
    }
    constexpr std::uint64_t large = 32;  // a table of all sites would be much larger than the patterns
    if (num_sites() / large > weights.size()) return;
    for (std::size_t i = 0; i < weights.size(); ++i) pattern_of_site_.insert(pattern_of_site_.end(), weights[i], i);
    pattern_end_ = {};
}

std::uint64_t SiteSampler::pattern_of(std::uint64_t site) const {
    if (!pattern_of_site_.empty()) return pattern_of_site_[site];
    auto const end = std::upper_bound(pattern_end_.begin(), pattern_end_.end(), site);
    return static_cast<std::uint64_t>(end - pattern_end_.begin());
}

std::vector<std::uint32_t> SiteSampler::draw(std::uint64_t seed, SampleSize size) const {
    std::vector<std::uint32_t> drawn(weights_.size(), 0);
    Random random(seed);
    for (std::size_t q = 0; q < num_partitions(); ++q) {
        auto const begin = partition_begin_[q];
        auto const end = partition_begin_[q + 1];
        if (begin == end) continue;
        for (auto left = num_drawn(end, size) - num_drawn(begin, size); left > 0; --left) {
            ++drawn[pattern_of(begin + random.below(end - begin))];
        }
    }
    return drawn;
}

std::vector<std::uint32_t> resampled_weights(std::span<std::uint32_t const> weights,
                                             std::span<std::uint64_t const> partition_begin, std::uint64_t seed) {
    return SiteSampler(weights, partition_begin).draw(seed);
}

}  // namespace regraft::search
