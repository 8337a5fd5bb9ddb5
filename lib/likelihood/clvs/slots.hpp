// The memory of conditional likelihoods. There is less than all half-edges would need, so that of the least recently
// used is reused. Memory is used from its begin on, and no more than needed: pages that were never written take none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "likelihood/kernels/aligned.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::likelihood {

/// Slots for CLVs. A CLV has all sites, or a node's classes of them, which take fewer blocks.
class Slots {
public:
    struct Clv {
        double* values = nullptr;
        std::uint16_t* scalers = nullptr;
        std::size_t num_blocks = 0;
    };

    /// How much is kept: the largest number of CLVs, and of the blocks of all of them together.
    struct Capacity {
        std::size_t clvs;
        std::size_t blocks;
    };
    Slots() = default;
    /// values, scalers: per block.
    Slots(Capacity capacity, std::size_t num_half_edges, std::size_t values, std::size_t scalers)
        : num_values_(values),
          num_scalers_(scalers),
          capacity_(capacity),
          values_(make_aligned<double>(capacity.blocks * values)),
          scalers_(make_aligned<std::uint16_t>(capacity.blocks * scalers)),
          states_(num_half_edges) {}

    bool contains(msa::HalfEdge h) const { return states_[h].is_there; }
    Clv operator[](msa::HalfEdge h) const {
        auto const& [first, num_blocks] = states_[h].place;
        return {values_.get() + first * num_values_, scalers_.get() + first * num_scalers_, num_blocks};
    }

    /// Keeps the CLV of h until release was called as often.
    void pin(msa::HalfEdge h) {
        auto& state = states_[h];
        ++state.pins;
        used_.splice(used_.end(), used_, state.in_list);
    }
    void release(msa::HalfEdge h) { --states_[h].pins; }

    /// Makes the memory of h's CLV, if it is there, the next to be reused.
    void give_up(msa::HalfEdge h) {
        if (contains(h)) used_.splice(used_.begin(), used_, states_[h].in_list);
    }

    /// Whether there are this many blocks for h without taking any from others.
    bool has_room(msa::HalfEdge h, std::size_t num_blocks) const {
        if (states_[h].place.num_blocks == num_blocks) return true;
        return used_.size() < capacity_.clvs &&
               (fitting_gap(num_blocks) != gaps_by_size_.end() || capacity_.blocks - end_ >= num_blocks);
    }

    /// Takes memory for h and pins it; its contents are old, and h is valid from now on. Precondition: h's CLV is not
    /// there, and dropping others can make a large enough gap. If all CLVs have one size, it suffices that one is not
    /// pinned.
    Clv take(msa::HalfEdge h, std::size_t num_blocks);

    /// Invalidates h. Returns whether h was valid, in memory or not: a valid CLV depends on valid ones, whose memory
    /// may have been reused. Precondition: h is not pinned.
    bool invalidate(msa::HalfEdge h);
    void invalidate_all() {
        for (msa::HalfEdge h = 0; h < states_.size(); ++h) invalidate(h);
    }

private:
    struct SlotMemory {
        std::size_t first = 0;
        std::size_t num_blocks = 0;  // none: no memory
    };
    struct State {
        SlotMemory place;
        std::uint32_t pins = 0;
        bool is_there = false;
        bool is_valid = false;  // it was computed, and nothing that it depends on has changed since
        std::list<msa::HalfEdge>::iterator in_list;
    };
    using Gaps = std::map<std::size_t, std::size_t>;                   // first block, number of blocks
    using GapsBySize = std::set<std::pair<std::size_t, std::size_t>>;  // number of blocks, first block

    /// Finds memory for h: spare memory of this size, or a gap, which spare memory of other sizes may become; then
    /// memory that was never used; and last that of the least recently used.
    void find_place(msa::HalfEdge h, std::size_t num_blocks);
    /// A gap that is large enough, if one can be made without dropping CLVs.
    GapsBySize::const_iterator make_gap(std::size_t num_blocks);
    /// The least recently used half-edge that is not pinned. Precondition: there is one.
    msa::HalfEdge least_recently_used() const;

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

    /// Moves h from its list to the end of another one.
    void move_to(std::list<msa::HalfEdge>& list, msa::HalfEdge h);
    void hand_over(msa::HalfEdge from, msa::HalfEdge to);
    void free(msa::HalfEdge h);

    std::size_t num_values_ = 0;
    std::size_t num_scalers_ = 0;
    Capacity capacity_{};
    std::size_t end_ = 0;  // no block from here on was ever used
    Aligned<double> values_;
    Aligned<std::uint16_t> scalers_;
    Gaps gaps_;
    GapsBySize gaps_by_size_;
    std::vector<State> states_;      // per half-edge
    std::list<msa::HalfEdge> used_;  // half-edges whose CLV is there: first those that were given up, then the least
                                     // recently used
    /// Half-edges whose CLV is not there, by the size of their memory. No list is empty.
    std::map<std::size_t, std::list<msa::HalfEdge>> spare_;
};

}  // namespace regraft::likelihood
