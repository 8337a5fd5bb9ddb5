// The memory of conditional likelihoods. There is less than all half-edges would need, so that of the least recently
// used is reused.
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

    Slots() = default;
    /// capacity: number of blocks of all CLVs together. values, scalers: per block.
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
        return states_[h].place.num_blocks == num_blocks || fitting_gap(num_blocks) != gaps_by_size_.end();
    }

    /// Takes memory for h and pins it; its contents are old, and h is valid from now on. Precondition: h's CLV is not
    /// there, and reusing memory of others can make a large enough gap. If all CLVs have one size, it suffices that one
    /// is not pinned.
    Clv take(msa::HalfEdge h, std::size_t num_blocks);

    /// Invalidates h. Returns whether h was valid, in memory or not: a valid CLV depends on valid ones, whose memory
    /// may have been reused. Precondition: h is not pinned.
    bool invalidate(msa::HalfEdge h);
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
        bool is_valid = false;  // it was computed, and nothing that it depends on has changed since
        std::list<msa::HalfEdge>::iterator in_list;
    };
    using Gaps = std::map<std::size_t, std::size_t>;                   // first block, number of blocks
    using GapsBySize = std::set<std::pair<std::size_t, std::size_t>>;  // number of blocks, first block

    /// Finds memory for h. Memory of the same size is used first: spare memory, and last that of the least recently
    /// used.
    void find_place(msa::HalfEdge h, std::size_t num_blocks);

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
