#include "codec/entropy/weighted_line.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "regraft/core/contracts.hpp"

namespace regraft::codec {
namespace tables {
namespace {

constexpr std::array<std::uint32_t, slot_steps> make_depths() {
    std::array<std::uint32_t, slot_steps> table{};
    for (std::uint32_t i = 0; i < slot_steps; ++i) {
        std::uint64_t const left = 2 * std::uint64_t{slot_steps - i} - 1;  // in units of 1 / (2 * slot_steps)
        table[i] = static_cast<std::uint32_t>(fixed_log2(std::uint64_t{2} * slot_steps) - fixed_log2(left));
    }
    return table;
}

constexpr std::array<std::uint64_t, 1024> make_reciprocals() {
    std::array<std::uint64_t, 1024> table{};
    for (std::uint64_t i = 1; i < table.size(); ++i) table[i] = ((std::uint64_t{1} << 32) + i - 1) / i;
    return table;
}

}  // namespace

constinit std::array<std::uint32_t, slot_steps> const depth_of_slot = make_depths();
constinit std::array<std::uint64_t, 1024> const reciprocal = make_reciprocals();

}  // namespace tables

WeightedLine::WeightedLine(std::span<std::uint64_t const> weights) {
    REGRAFT_EXPECTS(weights.size() < (1U << 20));
    auto const whole = std::reduce(weights.begin(), weights.end());
    auto const log_whole = whole == 0 ? 0 : fixed_log2(whole);
    auto left = whole;
    for (auto const weight : weights) {
        depth_.push_back(static_cast<std::uint32_t>(log_whole - fixed_log2(left)));
        left -= weight;
    }
    if (depth_.empty()) return;
    // About two entries per item where items are densest.
    auto const per_octave = std::clamp<std::uint32_t>(std::bit_ceil(size()), 64, 1 << 13);
    shift_ = static_cast<std::uint32_t>(log_bits + 1 - std::bit_width(per_octave));
    std::uint32_t item = 0;
    for (std::uint64_t i = 0; i <= depth_.back() >> shift_; ++i) {
        while (item + 1 < size() && depth_[item + 1] <= i << shift_) ++item;
        at_.push_back(item);
    }
}

}  // namespace regraft::codec
