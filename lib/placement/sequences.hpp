// Repair sequences: the order in which slots take over blocks whose holders die (ReStore: Huebner et al. 2022, section
// IV-E).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

#include "regraft/core/contracts.hpp"
#include "regraft/placement/permutation.hpp"
#include "regraft/placement/placement.hpp"

namespace regraft::placement {

/// All slots, each once, in an order that every PE can compute alone:
///   size()         how many there are;
///   s[i]           the i-th slot, for i < size();
///   s.index(slot)  the inverse: s[s.index(slot)] == slot.
template <class S>
concept SlotSequence = requires(S const& sequence, std::uint32_t i, Slot slot) {
    { sequence.size() } -> std::same_as<std::uint32_t>;
    { sequence[i] } -> std::same_as<Slot>;
    { sequence.index(slot) } -> std::same_as<std::uint32_t>;
};

/// A key for the sequence of the x-th thing. Blocks that shall move together share an x; different x have independent
/// sequences.
std::uint64_t sequence_key(std::uint64_t seed, std::uint64_t x);

/// The sequence start + i * step modulo num_slots, with start uniform and step uniform among the numbers coprime to
/// num_slots (double hashing). 16 bytes, O(log num_slots) to make, then a few nanoseconds per question. Sequences with
/// the same step are rotations of each other. So the slots that come after given holders are only roughly uniform:
/// slots at coprime distances from them come a little more often.
class DoubleHashing {
public:
    /// Precondition: num_slots > 0.
    DoubleHashing(std::uint32_t num_slots, std::uint64_t key);

    /// The number of slots.
    std::uint32_t size() const { return num_slots_; }
    /// Precondition here and below: i, slot < size().
    Slot operator[](std::uint32_t i) const;
    /// The position of the slot: the i for which (*this)[i] is slot.
    std::uint32_t index(Slot slot) const;

private:
    std::uint32_t num_slots_;
    std::uint32_t start_ = 0;
    std::uint32_t step_ = 1;
    std::uint32_t inverse_step_ = 1;  // step * inverse_step is 1 modulo num_slots
};

/// A random permutation of the slots, a different one for every key. 32 bytes, O(1) expected time per question, some
/// 100 ns.
class RandomSequence {
public:
    /// Precondition: num_slots > 0.
    RandomSequence(std::uint32_t num_slots, std::uint64_t key) : order_(num_slots, key) {}

    /// The number of slots.
    std::uint32_t size() const { return static_cast<std::uint32_t>(order_.size()); }
    /// Precondition here and below: i, slot < size().
    Slot operator[](std::uint32_t i) const { return Slot{static_cast<std::uint32_t>(order_(i))}; }
    /// The position of the slot: the i for which (*this)[i] is slot.
    std::uint32_t index(Slot slot) const { return static_cast<std::uint32_t>(order_.inverse(value(slot))); }

private:
    RandomPermutation order_;
};

/// Some slots first, then all others in the order of another sequence. Questions take O(number of first slots).
template <SlotSequence Others>
class HoldersFirst {
public:
    /// Precondition: the slots of `first` are different and below others.size().
    HoldersFirst(std::vector<Slot> first, Others others) : first_(std::move(first)), others_(std::move(others)) {
        for (auto const slot : first_) skipped_.push_back(others_.index(slot));
        std::sort(skipped_.begin(), skipped_.end());
        REGRAFT_EXPECTS(std::adjacent_find(skipped_.begin(), skipped_.end()) == skipped_.end());
    }

    /// The number of all slots.
    std::uint32_t size() const { return others_.size(); }
    /// Precondition here and below: i, slot < size().
    Slot operator[](std::uint32_t i) const {
        REGRAFT_EXPECTS(i < size());
        auto const holders = static_cast<std::uint32_t>(first_.size());
        if (i < holders) return first_[i];
        i -= holders;
        for (auto const index : skipped_) i += index <= i ? 1 : 0;
        return others_[i];
    }
    /// The position of the slot: the i for which (*this)[i] is slot.
    std::uint32_t index(Slot slot) const {
        auto const found = std::find(first_.begin(), first_.end(), slot);
        if (found != first_.end()) return static_cast<std::uint32_t>(found - first_.begin());
        auto const index = others_.index(slot);
        auto const behind = skipped_.end() - std::lower_bound(skipped_.begin(), skipped_.end(), index);
        return index + static_cast<std::uint32_t>(behind);
    }

private:
    std::vector<Slot> first_;
    Others others_;
    std::vector<std::uint32_t> skipped_;  // indices of the first slots in others_, ascending
};

/// The holders of a block in the order of its copies, then the slots that take over a copy when holders die.
template <SlotSequence Heirs = RandomSequence, Placement P>
HoldersFirst<Heirs> holders_and_heirs(P const& placement, BlockId block, std::uint64_t key) {
    std::vector<Slot> holders;
    for (std::uint32_t copy = 0; copy < placement.num_copies(block); ++copy)
        holders.push_back(placement.holder(block, copy));
    return {std::move(holders), Heirs(placement.shape().num_slots, key)};
}

/// The first `count` slots of the sequence that live, or all living slots if they are fewer. A slot that is among them
/// stays so as long as it lives, whichever others die. O(count) expected while a fair part of the slots lives.
template <SlotSequence S, std::predicate<Slot> Lives>
std::vector<Slot> first_living(S const& sequence, std::uint32_t count, Lives&& lives) {
    std::vector<Slot> living;
    for (std::uint32_t i = 0; i < sequence.size() && living.size() < count; ++i) {
        if (auto const slot = sequence[i]; lives(slot)) living.push_back(slot);
    }
    return living;
}

}  // namespace regraft::placement
