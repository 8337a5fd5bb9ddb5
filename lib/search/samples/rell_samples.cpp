#include "regraft/search/rell_samples.hpp"

#include <algorithm>
#include <limits>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"

namespace regraft::search {

RellSamples::RellSamples(SiteSampler const& sites, std::span<std::vector<std::uint64_t> const> local,
                         SampleNumbers const& numbers)
    : count_(numbers.last - numbers.first), rows_(local.size()) {
    REGRAFT_EXPECTS(local.size() == sites.num_partitions());
    constexpr std::uint32_t most = std::numeric_limits<std::uint16_t>::max();
    std::vector<std::vector<std::vector<std::size_t>>> rows_of(local.size());  // [partition][local pattern]
    for (std::size_t q = 0; q < local.size(); ++q) rows_of[q].resize(local[q].size());
    auto const enter = [&](std::uint32_t column, std::span<std::uint32_t const> of_all) {
        for (std::size_t q = 0; q < local.size(); ++q) {
            for (std::size_t i = 0; i < local[q].size(); ++i) {
                auto& rows = rows_of[q][i];
                auto left = of_all[local[q][i]];
                for (std::size_t part = 0; left > 0; ++part) {
                    if (part == rows.size()) {
                        rows.push_back(rows_[q].size());
                        rows_[q].push_back({checked_cast<std::uint32_t>(i), std::vector<std::uint16_t>(count_ + 1)});
                    }
                    auto const now = std::min(left, most);
                    rows_[q][rows[part]].weights[column] = static_cast<std::uint16_t>(now);
                    left -= now;
                }
            }
        }
    };
    enter(0, sites.weights());
    for (std::uint32_t i = 0; i < count_; ++i) {
        enter(1 + i, sites.draw(mix(mix(numbers.seed) + numbers.first + i), numbers.size));
    }
}

void RellSamples::add(std::size_t partition, std::span<double const> values, FixedScale const& scale,
                      std::span<FixedSum> sums) const {
    REGRAFT_EXPECTS(sums.size() == std::size_t{1} + count_);
    std::vector<std::int64_t> high(sums.size());
    std::vector<std::int64_t> low(sums.size());
    for (auto const& [pattern, weights] : rows_[partition]) {
        FixedSum one;
        one.add(values[pattern], 1, scale);
        if (one.num_strays > 0) {
            for (std::size_t i = 0; i < sums.size(); ++i) sums[i].add(values[pattern], weights[i], scale);
            continue;
        }
        for (std::size_t i = 0; i < sums.size(); ++i) {
            high[i] += one.high * weights[i];
            low[i] += one.low * weights[i];
        }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i].high += high[i];
        sums[i].low += low[i];
    }
}

}  // namespace regraft::search
