// Codes sets of items on a line as order statistics: k draws from a line, from left to right.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/fixed_log.hpp"
#include "codec/entropy/rans.hpp"

namespace regraft::codec {

/// Items 0, 1, ... on a line; the length of each is its weight. A set of k items is coded by its items in order: if k
/// draws fall independently on the rest of the line, the first item hit is beyond j with probability (rest beyond j /
/// rest)^k. That costs log2 k! bits less than coding the items one by one.
class WeightedLine {
public:
    /// Precondition: all weights are > 0, and their sum is below 2^40; fewer than 2^20 items.
    explicit WeightedLine(std::span<std::uint64_t const> weights);
    std::uint32_t size() const { return static_cast<std::uint32_t>(depth_.size()); }

    /// The share of `item` as the first of `count` further items, given that all of these are `first` or later.
    /// Precondition: first <= item <= size() - count, count > 0.
    Share share(std::uint32_t first, std::uint32_t count, std::uint32_t item) const;

    /// Reads this item. Preconditions: 0 < count <= size() - first.
    std::uint32_t take(RansReader& in, std::uint32_t first, std::uint32_t count) const;

private:
    static constexpr std::uint32_t all = 1U << most_share_bits;

    /// The number of slots of the items up to and including `item`.
    std::uint32_t slots_through(std::uint32_t first, std::uint32_t count, std::uint32_t item) const {
        auto const last = size() - count;
        if (item == last) return all;
        auto const beyond = fixed_power(count * (std::uint64_t{depth_[item + 1]} - depth_[first]));
        // Every item gets one slot in addition to its proportional share.
        auto const deserved = ((1U << power_bits) - beyond) * (all - (last - first + 1)) >> power_bits;
        return static_cast<std::uint32_t>(deserved) + (item - first + 1);
    }
    std::uint32_t guess(std::uint32_t first, std::uint32_t count, std::uint32_t slot) const;

    std::vector<std::uint32_t> depth_;  // per item: log2(whole line / rest from this item on)
    std::vector<std::uint32_t> at_;     // the last item that begins at or before position i << shift_
    std::uint32_t shift_ = 0;
};

inline Share WeightedLine::share(std::uint32_t first, std::uint32_t count, std::uint32_t item) const {
    auto const begin = item == first ? 0 : slots_through(first, count, item - 1);
    return {begin, slots_through(first, count, item) - begin, most_share_bits};
}

namespace tables {

inline constexpr std::uint32_t slot_steps = 1 << 12;

/// -log2(1 - (i + 1/2) / slot_steps): the depth of the line behind that part of the slots.
extern std::array<std::uint32_t, slot_steps> const depth_of_slot;
/// 2^32 / i, rounded up.
extern std::array<std::uint64_t, 1024> const reciprocal;

}  // namespace tables

inline std::uint32_t WeightedLine::guess(std::uint32_t first, std::uint32_t count, std::uint32_t slot) const {
    std::uint64_t const depth = tables::depth_of_slot[slot >> (most_share_bits - 12)];
    auto const step = count < tables::reciprocal.size() ? depth * tables::reciprocal[count] >> 32 : depth / count;
    auto const i = (depth_[first] + step) >> shift_;
    return i < at_.size() ? at_[i] : size() - 1;
}

inline std::uint32_t WeightedLine::take(RansReader& in, std::uint32_t first, std::uint32_t count) const {
    auto const slot = in.peek(most_share_bits);
    auto const last = size() - count;
    auto item = std::clamp(guess(first, count, slot), first, last);
    auto begin = item == first ? 0 : slots_through(first, count, item - 1);
    while (slot < begin) begin = --item == first ? 0 : slots_through(first, count, item - 1);
    auto end = slots_through(first, count, item);
    while (slot >= end) {
        begin = end;
        end = slots_through(first, count, ++item);
    }
    in.take({begin, end - begin, most_share_bits});
    return item;
}

}  // namespace regraft::codec
