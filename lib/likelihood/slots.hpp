// The memory of conditional likelihoods: less than all half-edges would need, so the least recently used are given
// away.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <set>
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
        if (capacity > 0) add_gap(0, capacity);
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
        used_.splice(used_.end(), used_, state.in_list);
    }
    void release(msa::HalfEdge h) { --states_[h].pins; }

    /// If h's CLV is there, its memory is the next to be given away.
    void give_up(msa::HalfEdge h) {
        if (contains(h)) used_.splice(used_.begin(), used_, states_[h].in_list);
    }

    /// Whether h can take so many blocks that nobody else has.
    bool has_room(msa::HalfEdge h, std::size_t num_blocks) const {
        return states_[h].place.num_blocks == num_blocks || fitting_gap(num_blocks) != gaps_by_size_.end();
    }

    /// Memory for h, pinned; its contents are old, and h is valid from now on. Precondition: h's CLV is not there, and
    /// others can be given away until there is a gap: where all are of one size, if one is not pinned.
    Clv take(msa::HalfEdge h, std::size_t num_blocks) {
        auto& state = states_[h];
        if (state.place.num_blocks == num_blocks) {
            hand_over(h, h);
        } else {
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
            auto& spare = spare_[state.place.num_blocks];
            spare.splice(spare.begin(), used_, state.in_list);
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
        std::list<msa::HalfEdge>::iterator in_list;
    };
    using Gaps = std::map<std::size_t, std::size_t>;                   // first block, number of blocks
    using GapsBySize = std::set<std::pair<std::size_t, std::size_t>>;  // number of blocks, first block

    /// Memory of the same size goes to h as it is: spare memory first, at last that of the least recently used.
    void find_place(msa::HalfEdge h, std::size_t num_blocks) {
        if (auto const spare = spare_.find(num_blocks); spare != spare_.end()) {
            return hand_over(spare->second.front(), h);
        }
        auto gap = fitting_gap(num_blocks);
        for (; gap == gaps_by_size_.end(); gap = fitting_gap(num_blocks)) {
            if (!spare_.empty()) {
                free(spare_.rbegin()->second.front());
                continue;
            }
            auto const unused = [&](auto other) { return states_[other].pins == 0; };
            auto const found = std::find_if(used_.begin(), used_.end(), unused);
            REGRAFT_EXPECTS(found != used_.end());
            if (states_[*found].place.num_blocks == num_blocks) return hand_over(*found, h);
            free(*found);
        }
        auto const [size, first] = *gap;
        remove_gap(gaps_.find(first));
        if (size > num_blocks) add_gap(first + num_blocks, size - num_blocks);
        states_[h].place = {first, num_blocks};
        states_[h].in_list = used_.insert(used_.end(), h);
    }

    GapsBySize::const_iterator fitting_gap(std::size_t num_blocks) const {
        return gaps_by_size_.lower_bound({num_blocks, 0});
    }
    Gaps::iterator add_gap(std::size_t first, std::size_t num_blocks) {
        gaps_by_size_.emplace(num_blocks, first);
        return gaps_.emplace(first, num_blocks).first;
    }
    void remove_gap(Gaps::iterator gap) {
        gaps_by_size_.erase({gap->second, gap->first});
        gaps_.erase(gap);
    }

    /// Moves h from the list that it is in to the end of another one.
    void move_to(std::list<msa::HalfEdge>& list, msa::HalfEdge h) {
        auto const& state = states_[h];
        if (state.is_there) return list.splice(list.end(), used_, state.in_list);
        auto const spare = spare_.find(state.place.num_blocks);
        list.splice(list.end(), spare->second, state.in_list);
        if (spare->second.empty()) spare_.erase(spare);
    }
    void hand_over(msa::HalfEdge from, msa::HalfEdge to) {
        move_to(used_, from);
        auto& state = states_[from];
        state.is_there = false;
        states_[to].place = std::exchange(state.place, {});
        states_[to].in_list = state.in_list;
        *state.in_list = to;
    }
    void free(msa::HalfEdge h) {
        auto& state = states_[h];
        if (state.place.num_blocks == 0) return;
        std::list<msa::HalfEdge> nowhere;
        move_to(nowhere, h);
        state.is_there = false;
        auto [first, num_blocks] = std::exchange(state.place, {});
        auto const next = gaps_.find(first + num_blocks);
        if (next != gaps_.end()) {
            num_blocks += next->second;
            remove_gap(next);
        }
        auto const behind = gaps_.lower_bound(first);
        if (behind != gaps_.begin() && std::prev(behind)->first + std::prev(behind)->second == first) {
            first = std::prev(behind)->first;
            num_blocks += std::prev(behind)->second;
            remove_gap(std::prev(behind));
        }
        add_gap(first, num_blocks);
    }

    std::size_t num_values_ = 0;
    std::size_t num_scalers_ = 0;
    Aligned<double> values_;
    Aligned<std::uint16_t> scalers_;
    Gaps gaps_;
    GapsBySize gaps_by_size_;
    std::vector<State> states_;      // per half-edge
    std::list<msa::HalfEdge> used_;  // those whose CLV is there: first what was given up, then the least recently used
    /// By the size of their memory, those whose CLV is not there. No list is empty.
    std::map<std::size_t, std::list<msa::HalfEdge>> spare_;
};

}  // namespace regraft::likelihood
