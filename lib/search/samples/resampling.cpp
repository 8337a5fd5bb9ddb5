#include "regraft/search/resampling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"

namespace regraft::search {
namespace {

/// How many of `count` trials succeed whose probability is hits / all. Exact: the bits of 64 uniform numbers at a time
/// are compared with those of the probability, until all are decided. Precondition: hits <= all < 2^63.
std::uint64_t binomial(Random& random, std::uint64_t count, std::uint64_t hits, std::uint64_t all) {
    if (hits == all) return count;
    constexpr std::uint64_t lanes = 64;
    std::uint64_t successes = 0;
    for (; count > 0; count -= std::min(count, lanes)) {
        auto undecided = ~std::uint64_t{0} >> (lanes - std::min(count, lanes));
        for (auto rest = hits; undecided != 0 && rest != 0;) {
            auto const bits = random.bits();
            rest *= 2;
            if (rest >= all) {
                rest -= all;
                successes += static_cast<std::uint64_t>(std::popcount(undecided & ~bits));
                undecided &= bits;
            } else {
                undecided &= ~bits;
            }
        }
    }
    return successes;
}

}  // namespace

SiteSampler::SiteSampler(std::span<std::uint32_t const> weights, std::span<std::uint64_t const> partition_begin)
    : weights_(weights), partition_begin_(partition_begin.size()) {
    for (std::size_t q = 0; q + 1 < partition_begin.size(); ++q) {
        auto const mine = weights.subspan(partition_begin[q], partition_begin[q + 1] - partition_begin[q]);
        partition_begin_[q + 1] = std::accumulate(mine.begin(), mine.end(), partition_begin_[q]);
    }
    constexpr std::uint64_t large = 32;  // a table of all sites would be much larger than the patterns
    if (num_sites() / large <= weights.size()) {
        for (std::size_t i = 0; i < weights.size(); ++i) pattern_of_site_.insert(pattern_of_site_.end(), weights[i], i);
        return;
    }
    pattern_begin_.assign(partition_begin.begin(), partition_begin.end());
    std::uint64_t end = 0;
    for (std::size_t q = 0; q < num_partitions(); ++q) {
        for (auto i = pattern_begin_[q]; i < pattern_begin_[q + 1]; ++i)
            light_end_.push_back(end += is_heavy(q, i) ? 0 : weights[i]);
    }
}

bool SiteSampler::is_heavy(std::size_t partition, std::uint64_t pattern) const {
    return std::uint64_t{weights_[pattern]} * 16 >= num_sites(partition);
}

void SiteSampler::draw_large(std::size_t partition, std::uint64_t count, Random& random,
                             std::span<std::uint32_t> drawn) const {
    auto const first = pattern_begin_[partition];
    auto left = num_sites(partition);
    for (auto i = first; i < pattern_begin_[partition + 1]; ++i) {
        if (!is_heavy(partition, i)) continue;
        auto const here = binomial(random, count, weights_[i], left);
        drawn[i] = checked_cast<std::uint32_t>(here);
        count -= here;
        left -= weights_[i];
    }
    auto const begin = first == 0 ? 0 : light_end_[first - 1];
    for (; count > 0; --count) {
        auto const end = std::upper_bound(light_end_.begin(), light_end_.end(), begin + random.below(left));
        ++drawn[static_cast<std::size_t>(end - light_end_.begin())];
    }
}

std::vector<std::uint32_t> SiteSampler::draw(std::uint64_t seed, SampleSize size) const {
    std::vector<std::uint32_t> drawn(weights_.size(), 0);
    Random random(seed);
    for (std::size_t q = 0; q < num_partitions(); ++q) {
        auto const begin = partition_begin_[q];
        auto const end = partition_begin_[q + 1];
        if (begin == end) continue;
        auto const count = num_drawn(end, size) - num_drawn(begin, size);
        if (pattern_of_site_.empty()) {
            draw_large(q, count, random, drawn);
        } else {
            for (auto left = count; left > 0; --left) ++drawn[pattern_of_site_[begin + random.below(end - begin)]];
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

namespace {

/// The sum of products over a block. Its size is a constant, without which compilers use no vector instructions.
std::int32_t sum_of_block(std::int16_t const* weights, std::int16_t const* steps) {
    std::int32_t sum = 0;
    for (std::size_t j = 0; j < GridValues::block; ++j) sum += std::int32_t{weights[j]} * std::int32_t{steps[j]};
    return sum;
}

}  // namespace

std::int64_t ReplicateWeights::sum(GridValues const& values, std::uint32_t replicate) const {
    auto const* const weights = &weights_[replicate * width_];
    auto const* const steps = values.steps_.data();
    std::int64_t sum = 0;
    for (std::size_t first = 0; first < width_; first += GridValues::block)
        sum += sum_of_block(weights + first, steps + first);
    return sum;
}

std::vector<std::uint32_t> resampled_weights(std::span<std::uint32_t const> weights,
                                             std::span<std::uint64_t const> partition_begin, std::uint64_t seed) {
    return SiteSampler(weights, partition_begin).draw(seed);
}

}  // namespace regraft::search
