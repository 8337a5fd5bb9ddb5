// The best assignments of small instances, by trying all.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace regraft::test {

/// The best of all ways to give every PE floor(N/p) or ceil(N/p) of the sites.
struct BestBalance {
    /// The fewest (PE, partition) pairs.
    std::uint64_t num_pairs = 0;
    /// The fewest partitions of the PE that works on most of them; perhaps in another way than the fewest pairs.
    std::uint64_t most_partitions = 0;
};

/// One PE of a state: its sites so far, and the number of their partitions.
using LoadAndCount = std::pair<std::uint64_t, std::uint64_t>;

inline BestBalance best_balance(std::span<std::uint64_t const> partition_sizes, std::uint64_t num_pes) {
    std::uint64_t sites = 0;
    for (auto const size : partition_sizes) sites += size;
    auto const ceil = (sites + num_pes - 1) / num_pes;
    // PEs are alike, so states are sorted, and equal ones are one.
    using State = std::vector<LoadAndCount>;
    std::set<State> states{State(num_pes)};
    for (auto const size : partition_sizes) {
        std::set<State> next;
        std::function<void(State&, std::size_t, std::uint64_t)> const spread = [&](State& state, std::size_t pe,
                                                                                   std::uint64_t left) {
            if (pe == state.size()) {
                if (left > 0) return;
                auto sorted = state;
                std::sort(sorted.begin(), sorted.end());
                next.insert(std::move(sorted));
                return;
            }
            auto const saved = state[pe];
            for (std::uint64_t part = 0; part <= left && saved.first + part <= ceil; ++part) {
                state[pe] = {saved.first + part, saved.second + (part > 0 ? 1 : 0)};
                spread(state, pe + 1, left - part);
            }
            state[pe] = saved;
        };
        for (auto state : states) spread(state, 0, size);
        states = std::move(next);
    }
    auto const none = std::numeric_limits<std::uint64_t>::max();
    BestBalance best{none, none};
    for (auto const& state : states) {
        if (state.front().first < sites / num_pes) continue;
        std::uint64_t pairs = 0;
        std::uint64_t most = 0;
        for (auto const& [load, count] : state) {
            pairs += count;
            most = std::max(most, count);
        }
        best = {std::min(best.num_pairs, pairs), std::min(best.most_partitions, most)};
    }
    return best;
}

/// The fewest new (PE, partition) pairs that let survivors take all that was lost: lost[q] sites of partition q,
/// room[v] at survivor v, and works[q] the set of survivors (bits) that work on q already. Tries all sets of pairs, and
/// decides by Hall's condition whether one suffices. Precondition: lost.size() * room.size() is small.
inline std::uint64_t fewest_new_pairs(std::span<std::uint64_t const> lost, std::span<std::uint64_t const> room,
                                      std::span<std::uint32_t const> works) {
    auto const cells = lost.size() * room.size();
    auto const suffices = [&](std::uint64_t added) {
        for (std::uint64_t some = 1; some < std::uint64_t{1} << lost.size(); ++some) {
            std::uint64_t sites = 0;
            std::uint64_t reached = 0;
            for (std::size_t q = 0; q < lost.size(); ++q) {
                if ((some >> q & 1) == 0) continue;
                sites += lost[q];
                reached |= works[q] | (added >> (q * room.size()) & ((std::uint64_t{1} << room.size()) - 1));
            }
            std::uint64_t space = 0;
            for (std::size_t v = 0; v < room.size(); ++v) space += (reached >> v & 1) != 0 ? room[v] : 0;
            if (sites > space) return false;
        }
        return true;
    };
    auto best = std::numeric_limits<std::uint64_t>::max();
    for (std::uint64_t added = 0; added < std::uint64_t{1} << cells; ++added) {
        auto const count = static_cast<std::uint64_t>(std::popcount(added));
        if (count < best && suffices(added)) best = count;
    }
    return best;
}

}  // namespace regraft::test
