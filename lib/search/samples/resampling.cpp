#include "regraft/search/resampling.hpp"

#include <algorithm>
#include <cmath>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
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

double GridValues::value(std::int64_t steps) {
    return std::ldexp(static_cast<double>(steps), -bits);
}

namespace {

/// The largest weight of a column, so that sums over a block fit 32 bits.
constexpr std::uint32_t most_weight = 1000;
static_assert(std::int64_t{GridValues::block} * most_weight * (1 << 15) < (std::int64_t{1} << 31));

}  // namespace

ReplicateWeights::ReplicateWeights(SiteSampler const& sites, std::span<std::vector<std::uint64_t> const> local,
                                   std::uint32_t count, std::uint64_t seed)
    : count_(count), num_sites_(sites.num_sites()) {
    REGRAFT_EXPECTS(local.size() == sites.num_partitions());
    // Rows are drawn twice: first for the numbers of columns, which follow from the largest weights.
    std::vector<std::uint32_t> most(sites.weights().begin(), sites.weights().end());
    bool const may_be_large = std::ranges::any_of(most, [](auto weight) { return weight > most_weight / 4; });
    for (std::uint32_t i = 0; may_be_large && i < count; ++i) {
        auto const drawn = sites.draw(seed + i);
        for (std::size_t j = 0; j < most.size(); ++j) most[j] = std::max(most[j], drawn[j]);
    }
    for (std::size_t q = 0; q < local.size(); ++q) {
        for (std::size_t i = 0; i < local[q].size(); ++i) {
            auto const parts = may_be_large ? most[local[q][i]] / most_weight + 1 : 1;
            columns_.insert(columns_.end(), parts, {checked_cast<std::uint32_t>(q), checked_cast<std::uint32_t>(i)});
        }
    }
    width_ = (columns_.size() + GridValues::block - 1) / GridValues::block * GridValues::block;
    weights_.resize(count * width_);
    for (std::uint32_t i = 0; i < count; ++i) {
        auto left = sites.draw(seed + i);
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            auto& weight = left[local[columns_[j].partition][columns_[j].pattern]];
            auto const now = std::min(weight, most_weight);
            weights_[i * width_ + j] = static_cast<std::int16_t>(now);
            weight -= now;
        }
    }
}

GridValues ReplicateWeights::difference(std::span<std::vector<double> const> values,
                                        std::span<std::vector<double> const> others) const {
    GridValues result;
    result.steps_.resize(width_);
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        auto const [q, i] = columns_[j];
        auto const difference = values[q][i] - others[q][i];
        // Where both log-likelihoods are infinite, the difference is NaN, and counts as 0.
        auto const bounded =
            std::clamp(difference == difference ? difference : 0.0, -GridValues::most, GridValues::most);
        result.steps_[j] = static_cast<std::int16_t>(std::lrint(bounded * (1 << GridValues::bits)));
    }
    return result;
}

std::int64_t ReplicateWeights::sum(GridValues const& values, std::uint32_t replicate) const {
    auto const* const weights = &weights_[replicate * width_];
    std::int64_t sum = 0;
    for (std::size_t first = 0; first < width_; first += GridValues::block) {
        std::int32_t part = 0;
        for (std::size_t j = first; j < first + GridValues::block; ++j)
            part += std::int32_t{weights[j]} * std::int32_t{values.steps_[j]};
        sum += part;
    }
    return sum;
}

std::vector<std::uint32_t> resampled_weights(std::span<std::uint32_t const> weights,
                                             std::span<std::uint64_t const> partition_begin, std::uint64_t seed) {
    return SiteSampler(weights, partition_begin).draw(seed);
}

}  // namespace regraft::search
