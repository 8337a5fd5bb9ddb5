// How far vertices are from room.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "matching/holdings.hpp"
#include "matching/relief_by_levels.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::matching {

/// Knows a lower bound for the distance of every vertex to one with room (Ahuja, Orlin 1991).
template <Holdings Holder, class Load>
class Distances : protected ReliefByLevels<Holder, Load> {
protected:
    using Loads<Load>::has_room;
    using Loads<Load>::load_;

    /// Breadth-first search from all vertices with room, against the direction of ways.
    void find_distances(Holder& holdings) {
        auto const n = static_cast<std::uint32_t>(load_.size());
        distance_.assign(n, none);
        at_distance_.assign(std::size_t{n} + 1, 0);
        queue_.clear();
        ways_ = 0;
        ways_looked_at_ = 0;
        for (std::uint32_t v = 0; v < n; ++v) {
            holdings.start(v);
            ways_ += holdings.num_ways(v);
            if (!has_room(v)) continue;
            distance_[v] = 0;
            queue_.push_back(v);
        }
        for (std::size_t i = 0; i < queue_.size(); ++i) {
            auto const w = queue_[i];
            ++at_distance_[distance_[w]];
            holdings.for_each_giver(w, [&](std::uint32_t v) {
                if (distance_[v] != none) return;
                distance_[v] = distance_[w] + 1;
                queue_.push_back(v);
            });
        }
    }

    /// Whether to compute all distances anew: after a while that is better than increasing them one by one.
    bool worth_finding_again() const { return ways_looked_at_ > ways_ / 2; }

    /// Gives v the distance that follows from those of its neighbours, and its cursor the first of the nearer ones.
    void move_away(std::uint32_t v, Holder& holdings) {
        auto const before = distance_[v];
        if (before == none) return;
        ways_looked_at_ += holdings.num_ways(v);
        auto nearest = none;
        holdings.start(v);
        auto const next = holdings.next_way(v, [&](std::uint32_t w) {
            if (w != v) nearest = std::min(nearest, distance_[w]);
            return nearest == before;  // no neighbour has less
        });
        REGRAFT_ASSERT(nearest >= before);
        if (next == none) holdings.start(v);
        distance_[v] = nearest == none ? none : nearest + 1;
        if (--at_distance_[before] == 0) {
            for (auto& distance : distance_) distance = distance > before ? none : distance;
        } else if (distance_[v] != none) {
            ++at_distance_[distance_[v]];
        }
    }

    std::vector<std::uint32_t> distance_;  // lower bound for the distance to room; none: there is no way

private:
    std::vector<std::uint32_t> at_distance_;  // number of vertices at each distance
    std::vector<std::uint32_t> queue_;
    std::uint64_t ways_ = 0;
    std::uint64_t ways_looked_at_ = 0;
};

}  // namespace regraft::matching
