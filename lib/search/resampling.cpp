#include "regraft/search/resampling.hpp"

#include <cstddef>

#include "regraft/core/random.hpp"

namespace regraft::search {

std::vector<std::uint32_t> resampled_weights(std::span<std::uint32_t const> weights,
                                             std::span<std::uint64_t const> partition_begin, std::uint64_t seed) {
    std::vector<std::uint32_t> drawn(weights.size(), 0);
    Random random(seed);
    for (std::size_t q = 0; q + 1 < partition_begin.size(); ++q) {
        auto const patterns = weights.subspan(partition_begin[q], partition_begin[q + 1] - partition_begin[q]);
        std::vector<std::uint64_t> pattern_of;  // per site, with sites ordered by their patterns
        for (std::size_t i = 0; i < patterns.size(); ++i) {
            pattern_of.insert(pattern_of.end(), patterns[i], partition_begin[q] + i);
        }
        for (std::size_t i = 0; i < pattern_of.size(); ++i) ++drawn[pattern_of[random.below(pattern_of.size())]];
    }
    return drawn;
}

}  // namespace regraft::search
