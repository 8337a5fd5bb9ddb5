#include "regraft/search/resampling.hpp"

#include "regraft/core/random.hpp"

namespace regraft::search {

SiteSampler::SiteSampler(std::span<std::uint32_t const> weights, std::span<std::uint64_t const> partition_begin)
    : weights_(weights), partition_begin_(partition_begin.size()) {
    for (std::size_t q = 0; q + 1 < partition_begin.size(); ++q) {
        for (auto i = partition_begin[q]; i < partition_begin[q + 1]; ++i) {
            pattern_of_site_.insert(pattern_of_site_.end(), weights[i], i);
        }
        partition_begin_[q + 1] = pattern_of_site_.size();
    }
}

std::vector<std::uint32_t> SiteSampler::draw(std::uint64_t seed, SampleSize size) const {
    std::vector<std::uint32_t> drawn(weights_.size(), 0);
    Random random(seed);
    for (std::size_t q = 0; q < num_partitions(); ++q) {
        auto const begin = partition_begin_[q];
        auto const end = partition_begin_[q + 1];
        if (begin == end) continue;
        for (auto left = num_drawn(end, size) - num_drawn(begin, size); left > 0; --left) {
            ++drawn[pattern_of_site_[begin + random.below(end - begin)]];
        }
    }
    return drawn;
}

std::vector<std::uint32_t> resampled_weights(std::span<std::uint32_t const> weights,
                                             std::span<std::uint64_t const> partition_begin, std::uint64_t seed) {
    return SiteSampler(weights, partition_begin).draw(seed);
}

}  // namespace regraft::search
