// A map from handles of MPI, such as those of requests under way, to what is known of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace regraft::shield {

/// A replacement of std::unordered_map, whose nodes cost more than a small message does. Handle{} cannot be a key.
/// Linear probing (Knuth, TAOCP 3, algorithms 6.4 L and R), at most half full. Every insertion or removal may move
/// other entries.
template <class Handle, class Value>
class HandleMap {
public:
    using value_type = std::pair<Handle, Value>;
    using iterator = value_type*;

    HandleMap() : slots_(least_slots) {}

    iterator end() { return slots_.data() + slots_.size(); }
    iterator find(Handle handle) {
        auto const slot = slot_of(handle);
        return is_free(slot) ? end() : &slots_[slot];
    }
    Value& operator[](Handle handle) {
        auto slot = slot_of(handle);
        if (is_free(slot)) {
            if (2 * ++size_ > slots_.size()) {
                grow();
                slot = slot_of(handle);
            }
            slots_[slot].first = handle;
        }
        return slots_[slot].second;
    }
    void erase(Handle handle) {
        if (auto const found = find(handle); found != end()) erase(found);
    }
    void erase(iterator found) {
        auto gap = static_cast<std::size_t>(found - slots_.data());
        slots_[gap] = {};
        --size_;
        // Entries behind the gap that could not be found across it move into it.
        for (auto slot = next(gap); !is_free(slot); slot = next(slot)) {
            auto const wanted = first_choice(slots_[slot].first);
            if (((slot - wanted) & mask()) < ((slot - gap) & mask())) continue;
            slots_[gap] = std::exchange(slots_[slot], {});
            gap = slot;
        }
    }
    std::size_t size() const { return size_; }
    /// Whether the predicate holds for a value. O(size).
    template <class Predicate>
    bool any_of(Predicate const& is_so) const {
        return std::any_of(slots_.begin(), slots_.end(),
                           [&](value_type const& slot) { return slot.first != Handle{} && is_so(slot.second); });
    }

private:
    static constexpr std::size_t least_slots = 64;

    std::size_t mask() const { return slots_.size() - 1; }
    std::size_t next(std::size_t slot) const { return (slot + 1) & mask(); }
    bool is_free(std::size_t slot) const { return slots_[slot].first == Handle{}; }
    /// Fibonacci hashing: handles are addresses, whose lowest bits are alike.
    std::size_t first_choice(Handle handle) const {
        auto const hash = std::uint64_t{std::hash<Handle>{}(handle)} * 0x9e3779b97f4a7c15;
        return static_cast<std::size_t>(hash >> (64 - std::countr_zero(slots_.size())));
    }
    /// The slot of the handle, or else a free slot for it.
    std::size_t slot_of(Handle handle) const {
        auto slot = first_choice(handle);
        while (!is_free(slot) && slots_[slot].first != handle) slot = next(slot);
        return slot;
    }
    void grow() {
        auto const before = std::exchange(slots_, std::vector<value_type>(2 * slots_.size()));
        for (auto const& slot : before)
            if (slot.first != Handle{}) slots_[slot_of(slot.first)] = slot;
    }

    std::vector<value_type> slots_;  // their number is a power of two; free: Handle{}
    std::size_t size_ = 0;
};

}  // namespace regraft::shield
