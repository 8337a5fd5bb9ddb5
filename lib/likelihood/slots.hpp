// The memory of conditional likelihoods: less than all half-edges would need, so the least recently used are given
// away.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <utility>
#include <vector>

#include "likelihood/aligned.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::likelihood {

/// A CLV is of all sites, or of a node's classes of them, which are fewer blocks.
class Slots {
public:
    struct Clv {
        double* values = nullptr;
        std::uint16_t* scalers = nullptr;
        std::size_t num_blocks = 0;
    };

    Slots() = default;
    /// capacity: the blocks of all CLVs together. values, scalers: of a block.
    Slots(std::size_t capacity, std::size_t num_half_edges, std::size_t values, std::size_t scalers)
        : num_values_(values),
          num_scalers_(scalers),
          values_(make_aligned<double>(capacity * values)),
          scalers_(make_aligned<std::uint16_t>(capacity * scalers)),
          states_(num_half_edges) {
        gaps_[0] = capacity;
    }

    bool contains(msa::HalfEdge h) const { return states_[h].is_there; }
    Clv operator[](msa::HalfEdge h) const {
        auto const& [first, num_blocks] = states_[h].place;
        return {values_.get() + first * num_values_, scalers_.get() + first * num_scalers_, num_blocks};
    }

    /// Until it is released as often, the CLV of h stays.
    void pin(msa::HalfEdge h) {
        auto& state = states_[h];
        ++state.pins;
        order_.splice(order_.end(), order_, state.in_order);
    }
    void release(msa::HalfEdge h) { --states_[h].pins; }

    /// If h's CLV is there, its memory is the next to be given away.
    void give_up(msa::HalfEdge h) {
        if (contains(h)) order_.splice(order_.begin(), order_, states_[h].in_order);
    }

    /// Whether h can take so many blocks that nobody else has.
    bool has_room(msa::HalfEdge h, std::size_t num_blocks) const {
        return states_[h].place.num_blocks == num_blocks || fitting_gap(num_blocks) != gaps_.end();
    }

    /// Memory for h, pinned; its contents are old, and h is valid from now on. Precondition: h's CLV is not there, and
    /// others can be given away until there is a gap: where all are of one size, if one is not pinned.
    Clv take(msa::HalfEdge h, std::size_t num_blocks) {
        auto& state = states_[h];
        if (state.place.num_blocks != num_blocks) {
            free(h);
            find_place(h, num_blocks);
        }
        state.is_there = true;
        state.is_valid = true;
        pin(h);
        return (*this)[h];
    }

    /// Whether h was valid, in memory or not: a valid CLV depends on valid ones, some of which gave their memory away.
    /// Precondition: it is not pinned.
    bool invalidate(msa::HalfEdge h) {
        auto& state = states_[h];
        if (state.is_there) {
            REGRAFT_ASSERT(state.pins == 0);
            order_.splice(order_.begin(), order_, state.in_order);
            state.is_there = false;
        }
        return std::exchange(state.is_valid, false);
    }
    void invalidate_all() {
        for (msa::HalfEdge h = 0; h < states_.size(); ++h) invalidate(h);
    }

private:
    struct Place {
        std::size_t first = 0;
        std::size_t num_blocks = 0;  // none: no memory
    };
    struct State {
        Place place;
        std::uint32_t pins = 0;
        bool is_there = false;
        bool is_valid = false;  // it was computed, and nothing that it depends on has changed
        std::list<msa::HalfEdge>::iterator in_order;
    };
    using Gaps = std::map<std::size_t, std::size_t>;  // first block, number of blocks

    /// Memory of the same size goes to h as it is: spare memory first, at last that of the least recently used.
    void find_place(msa::HalfEdge h, std::size_t num_blocks) {
        auto const fits_or_is_there = [&](auto other) {
            return states_[other].is_there || states_[other].place.num_blocks == num_blocks;
        };
        auto const spare = std::find_if(order_.begin(), order_.end(), fits_or_is_there);
        if (spare != order_.end() && !states_[*spare].is_there) return hand_over(*spare, h);
        auto gap = fitting_gap(num_blocks);
        for (; gap == gaps_.end(); gap = fitting_gap(num_blocks)) {
            auto const unused = [&](auto other) { return states_[other].pins == 0; };
            auto const found = std::find_if(order_.begin(), order_.end(), unused);
            REGRAFT_EXPECTS(found != order_.end());
            if (states_[*found].place.num_blocks == num_blocks) return hand_over(*found, h);
            free(*found);
        }
        auto const [first, size] = *gap;
        gaps_.erase(gap);
        if (size > num_blocks) gaps_[first + num_blocks] = size - num_blocks;
        states_[h].place = {first, num_blocks};
        states_[h].in_order = order_.insert(order_.end(), h);
    }
    Gaps::const_iterator fitting_gap(std::size_t num_blocks) const {
        return std::find_if(gaps_.begin(), gaps_.end(), [&](auto const& gap) { return gap.second >= num_blocks; });
    }

    void hand_over(msa::HalfEdge from, msa::HalfEdge to) {
        auto& state = states_[from];
        state.is_there = false;
        states_[to].place = std::exchange(state.place, {});
        states_[to].in_order = state.in_order;
        *state.in_order = to;
    }
    void free(msa::HalfEdge h) {
        auto& state = states_[h];
        if (state.place.num_blocks == 0) return;
        state.is_there = false;
        order_.erase(state.in_order);
        auto const [first, num_blocks] = std::exchange(state.place, {});
        auto const gap = gaps_.emplace(first, num_blocks).first;
        join_with_next(gap);
        if (gap != gaps_.begin()) join_with_next(std::prev(gap));
    }
    void join_with_next(Gaps::iterator gap) {
        auto const next = std::next(gap);
        if (next == gaps_.end() || gap->first + gap->second != next->first) return;
        gap->second += next->second;
        gaps_.erase(next);
    }

    std::size_t num_values_ = 0;
    std::size_t num_scalers_ = 0;
    Aligned<double> values_;
    Aligned<std::uint16_t> scalers_;
    Gaps gaps_;
    std::vector<State> states_;  // per half-edge
    /// Who has memory: first those whose CLV is not there or was given up, then the least recently used.
    std::list<msa::HalfEdge> order_;
};

}  // namespace regraft::likelihood
