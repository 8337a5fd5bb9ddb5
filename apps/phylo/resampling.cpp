#include "resampling.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "regraft/core/random.hpp"

namespace regraft::phylo {

std::vector<std::uint32_t> resampled_weights(std::span<std::uint32_t const> weights,
                                             std::span<std::uint64_t const> partition_begin, std::uint64_t seed) {
    std::vector<std::uint32_t> drawn(weights.size(), 0);
    Random random(seed);
    for (std::size_t q = 0; q + 1 < partition_begin.size(); ++q) {
        auto const patterns = weights.subspan(partition_begin[q], partition_begin[q + 1] - partition_begin[q]);
        std::vector<std::uint64_t> ends(patterns.size());  // of each pattern's sites, if those are put in its order
        std::inclusive_scan(patterns.begin(), patterns.end(), ends.begin(), std::plus<>(), std::uint64_t{0});
        for (std::uint64_t i = 0; i < ends.back(); ++i) {
            auto const site = random.below(ends.back());
            auto const pattern = std::upper_bound(ends.begin(), ends.end(), site) - ends.begin();
            ++drawn[partition_begin[q] + static_cast<std::uint64_t>(pattern)];
        }
    }
    return drawn;
}

}  // namespace regraft::phylo
