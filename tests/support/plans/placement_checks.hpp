// Checks whether a placement keeps what the Placement concept promises, by asking it everything, and how full slots
// are.
#pragma once

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "regraft/placement/placement.hpp"

namespace regraft::test {

template <placement::Placement P>
std::vector<placement::Slot> holders(P const& rule, BlockId block) {
    std::vector<placement::Slot> slots;
    for (std::uint32_t copy = 0; copy < rule.num_copies(block); ++copy) slots.push_back(rule.holder(block, copy));
    return slots;
}

/// How many blocks each slot keeps.
template <placement::Placement P>
std::vector<std::uint64_t> loads(P const& rule) {
    std::vector<std::uint64_t> counts(rule.shape().num_slots);
    for (std::uint32_t s = 0; s < counts.size(); ++s) {
        for (auto const& range : rule.held(placement::Slot{s})) counts[s] += range.size();
    }
    return counts;
}

/// Blocks of the fullest slot minus blocks of the emptiest.
inline std::uint64_t spread(std::vector<std::uint64_t> const& loads) {
    auto const [least, most] = std::minmax_element(loads.begin(), loads.end());
    return *most - *least;
}

/// Whether the optional functions of a placement agree with the necessary ones.
template <placement::Placement P>
bool is_consistent(P const& rule) {
    placement::Any const any(rule);
    std::vector<placement::Slot> at_once{placement::Slot{0}};
    for (std::uint64_t b = 0; b < rule.shape().num_blocks; ++b) {
        any.holders(BlockId{b}, at_once);
        if (at_once != holders(rule, BlockId{b}) || rule.num_copies(BlockId{b}) > any.most_copies()) return false;
    }
    auto const counts = loads(rule);
    for (std::uint32_t s = 0; s < counts.size(); ++s) {
        if (any.num_held(placement::Slot{s}) != counts[s]) return false;
    }
    return true;
}

/// Every block has at least `replicas` different holders, `held` says the same as `holder` in ascending disjoint
/// ranges, all blocks of a run have the same holders, and what the rule says beside is_consistent.
template <placement::Placement P>
bool is_sound(P const& rule) {
    auto const shape = rule.shape();
    if (!is_consistent(rule)) return false;
    std::set<std::pair<std::uint32_t, std::uint64_t>> by_block;
    for (std::uint64_t b = 0; b < shape.num_blocks; ++b) {
        auto const slots = holders(rule, BlockId{b});
        for (auto const slot : slots) {
            if (value(slot) >= shape.num_slots) return false;
            if (!by_block.emplace(value(slot), b).second) return false;
        }
        if (slots.size() < shape.replicas) return false;

        auto const run = rule.run(BlockId{b});
        if (!run.contains(BlockId{b}) || value(run.last) > shape.num_blocks) return false;
        for (auto other = run.first; other != run.last; other = advance(other, 1)) {
            if (holders(rule, other) != slots) return false;
        }
    }
    std::set<std::pair<std::uint32_t, std::uint64_t>> by_slot;
    for (std::uint32_t s = 0; s < shape.num_slots; ++s) {
        std::uint64_t next = 0;
        for (auto const& range : rule.held(placement::Slot{s})) {
            if (value(range.first) < next || range.first >= range.last) return false;
            next = value(range.last);
            for (auto b = value(range.first); b < next; ++b) by_slot.emplace(s, b);
        }
    }
    return by_block == by_slot;
}

}  // namespace regraft::test
