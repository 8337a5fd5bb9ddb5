// The smallest load of the busiest vertex, by relieving vertices again and again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "matching/division.hpp"
#include "matching/relief.hpp"

namespace regraft::matching {

/// What is known of the smallest b.
struct Bounds {
    std::uint64_t proven = 0;   // b is at least this
    std::uint64_t reached = 0;  // no vertex has more
};

/// Relieves vertices until none has more than is proven to be necessary, or the holdings give up. The first aims are
/// below the busiest, in steps that double: if greedy was good, the busiest soon prove that they cannot be relieved. A
/// closed set raises `proven` to the mean of its loads (Newton's method on b), which is the aim from then on. Leaves
/// the last closed set, unsorted, in hall_set, which stays as it is if there is none. load: of every vertex, kept up to
/// date.
template <Holdings Holder, class Load>
Bounds minimise(Bounds bounds, Relief<Holder, Load>& relief, Holder& holdings, std::span<Load> load,
                std::vector<std::uint32_t>& hall_set) {
    using Outcome = typename Relief<Holder, Load>::Outcome;
    auto outcome = Outcome::relieved;
    for (std::uint64_t step = 1; bounds.reached > bounds.proven && outcome != Outcome::gave_up; step *= 2) {
        auto const gap = bounds.reached - bounds.proven;
        auto const aim = bounds.reached - (outcome == Outcome::closed ? gap : std::min(step, gap));
        outcome = relief.relieve(holdings, load, static_cast<Load>(aim));
        bounds.reached = *std::max_element(load.begin(), load.end());
        if (outcome != Outcome::closed) continue;
        auto const closed = relief.closed_set();
        std::uint64_t total = 0;
        for (auto const v : closed) total += load[v];
        hall_set.assign(closed.begin(), closed.end());
        bounds.proven = ceil_div(total, closed.size());
    }
    return bounds;
}

}  // namespace regraft::matching
