// The memory of conditional likelihoods: fewer slots than half-edges, the least recently used ones are given away.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <vector>

#include "likelihood/aligned.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::likelihood {

class Slots {
public:
    using Slot = std::uint32_t;

    struct Clv {
        Aligned<double> values;
        Aligned<std::uint16_t> scalers;
    };

    Slots() = default;
    Slots(std::size_t num_slots, std::size_t num_half_edges, std::size_t values, std::size_t scalers)
        : values_(values),
          num_scalers_(scalers),
          slots_(num_slots),
          slot_of_(num_half_edges, none),
          valid_(num_half_edges) {
        for (Slot slot = 0; slot < num_slots; ++slot) slots_[slot].place = order_.insert(order_.end(), slot);
    }

    std::size_t size() const { return slots_.size(); }
    bool contains(msa::HalfEdge h) const { return slot_of_[h] != none; }
    Clv const& operator[](msa::HalfEdge h) const { return slots_[slot_of_[h]].clv; }

    /// Until it is released as often, the CLV of h stays.
    void pin(msa::HalfEdge h) {
        auto& slot = slots_[slot_of_[h]];
        ++slot.pins;
        order_.splice(order_.end(), order_, slot.place);
    }
    void release(msa::HalfEdge h) { --slots_[slot_of_[h]].pins; }

    /// If h has a slot, it is the next to be given away.
    void give_up(msa::HalfEdge h) {
        if (contains(h)) order_.splice(order_.begin(), order_, slots_[slot_of_[h]].place);
    }

    /// A slot for h, pinned; its contents are old, and h is valid from now on. Precondition: h has none, and not all
    /// are pinned.
    Clv const& take(msa::HalfEdge h) {
        auto const best = std::find_if(order_.begin(), order_.end(), [&](Slot slot) { return slots_[slot].pins == 0; });
        REGRAFT_EXPECTS(best != order_.end());
        auto& slot = slots_[*best];
        if (slot.owner != none) slot_of_[slot.owner] = none;
        if (slot.clv.values == nullptr) {
            slot.clv = {make_aligned<double>(values_), make_aligned<std::uint16_t>(num_scalers_)};
        }
        slot.owner = h;
        slot_of_[h] = *best;
        valid_[h] = 1;
        pin(h);
        return slot.clv;
    }

    /// Whether h was valid, in a slot or not: a valid CLV depends on valid ones, some of which gave their slots away.
    /// Precondition: it is not pinned.
    bool invalidate(msa::HalfEdge h) {
        bool const was_valid = valid_[h] != 0;
        valid_[h] = 0;
        if (!contains(h)) return was_valid;
        auto& slot = slots_[slot_of_[h]];
        REGRAFT_ASSERT(slot.pins == 0);
        order_.splice(order_.begin(), order_, slot.place);
        slot.owner = none;
        slot_of_[h] = none;
        return was_valid;
    }
    void invalidate_all() {
        for (msa::HalfEdge h = 0; h < slot_of_.size(); ++h) invalidate(h);
    }

private:
    static constexpr Slot none = std::numeric_limits<Slot>::max();

    struct State {
        Clv clv;
        msa::HalfEdge owner = none;
        std::uint32_t pins = 0;
        std::list<Slot>::iterator place;
    };

    std::size_t values_ = 0;
    std::size_t num_scalers_ = 0;
    std::vector<State> slots_;
    std::vector<Slot> slot_of_;
    std::vector<char> valid_;  // per half-edge: computed, and nothing that it depends on has changed
    std::list<Slot> order_;    // those without an owner, then the least recently used first
};

}  // namespace regraft::likelihood
