#include "likelihood/clvs/slots.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "regraft/core/contracts.hpp"

namespace regraft::likelihood {

Slots::Clv Slots::take(msa::HalfEdge h, std::size_t num_blocks) {
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

bool Slots::invalidate(msa::HalfEdge h) {
    auto& state = states_[h];
    if (state.is_there) {
        REGRAFT_ASSERT(state.pins == 0);
        auto& spare = spare_[state.place.num_blocks];
        spare.splice(spare.begin(), used_, state.in_list);
        state.is_there = false;
    }
    return std::exchange(state.is_valid, false);
}

void Slots::find_place(msa::HalfEdge h, std::size_t num_blocks) {
    if (auto const spare = spare_.find(num_blocks); spare != spare_.end()) {
        return hand_over(spare->second.front(), h);
    }
    if (used_.size() == capacity_.clvs) {
        auto const last = least_recently_used();
        if (states_[last].place.num_blocks == num_blocks) return hand_over(last, h);
        free(last);
    }
    auto gap = make_gap(num_blocks);
    for (; gap == gaps_by_size_.end(); gap = fitting_gap(num_blocks)) free(least_recently_used());
    auto const [size, first] = *gap;
    remove_gap(gaps_.find(first));
    if (size > num_blocks) add_gap(first + num_blocks, size - num_blocks);
    states_[h].place = {first, num_blocks};
    states_[h].in_list = used_.insert(used_.end(), h);
}

Slots::GapsBySize::const_iterator Slots::make_gap(std::size_t num_blocks) {
    while (!spare_.empty() && fitting_gap(num_blocks) == gaps_by_size_.end()) free(spare_.rbegin()->second.front());
    auto const gap = fitting_gap(num_blocks);
    if (gap != gaps_by_size_.end() || capacity_.blocks - end_ < num_blocks) return gap;
    add_gap(std::exchange(end_, end_ + num_blocks), num_blocks);
    return fitting_gap(num_blocks);
}

msa::HalfEdge Slots::least_recently_used() const {
    auto const found = std::ranges::find_if(used_, [&](auto h) { return states_[h].pins == 0; });
    REGRAFT_EXPECTS(found != used_.end());
    return *found;
}

void Slots::move_to(std::list<msa::HalfEdge>& list, msa::HalfEdge h) {
    auto const& state = states_[h];
    if (state.is_there) return list.splice(list.end(), used_, state.in_list);
    auto const spare = spare_.find(state.place.num_blocks);
    list.splice(list.end(), spare->second, state.in_list);
    if (spare->second.empty()) spare_.erase(spare);
}

void Slots::hand_over(msa::HalfEdge from, msa::HalfEdge to) {
    move_to(used_, from);
    auto& state = states_[from];
    state.is_there = false;
    states_[to].place = std::exchange(state.place, {});
    states_[to].in_list = state.in_list;
    *state.in_list = to;
}

void Slots::free(msa::HalfEdge h) {
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

}  // namespace regraft::likelihood
