// Paths to room along falling distances, which are long and of many lengths (Ahuja, Orlin 1991).
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "matching/holdings.hpp"
#include "matching/relief_state.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::matching {

/// A lower bound for the distance of every vertex to one with room; none: there is no way.
template <Holdings Holder, class Load>
class Distances {
public:
    Distances(ReliefState<Load> const& state, Holder& holdings) : state_(state), holdings_(holdings) { find(); }

    std::uint32_t operator[](std::uint32_t v) const { return distance_[v]; }

    /// Breadth-first search from all vertices with room, against the direction of ways.
    void find() {
        auto const n = static_cast<std::uint32_t>(state_.load.size());
        distance_.assign(n, none);
        at_distance_.assign(std::size_t{n} + 1, 0);
        queue_.clear();
        ways_ = 0;
        ways_looked_at_ = 0;
        for (std::uint32_t v = 0; v < n; ++v) {
            holdings_.start(v);
            ways_ += holdings_.num_ways(v);
            if (!state_.has_room(v)) continue;
            distance_[v] = 0;
            queue_.push_back(v);
        }
        for (std::size_t i = 0; i < queue_.size(); ++i) {
            auto const w = queue_[i];
            ++at_distance_[distance_[w]];
            holdings_.for_each_giver(w, [&](std::uint32_t v) {
                if (distance_[v] != none) return;
                distance_[v] = distance_[w] + 1;
                queue_.push_back(v);
            });
        }
    }

    /// Whether to compute all distances anew: after a while that is better than increasing them one by one.
    bool worth_finding_again() const { return ways_looked_at_ > ways_ / 2; }

    /// Gives v the distance that follows from those of its neighbours, and its cursor the first of the nearer ones. If
    /// no vertex is left at some distance, no vertex beyond reaches room.
    void move_away(std::uint32_t v) {
        auto const before = distance_[v];
        if (before == none) return;
        ways_looked_at_ += holdings_.num_ways(v);
        auto nearest = none;
        holdings_.start(v);
        auto const next = holdings_.next_way(v, [&](std::uint32_t w) {
            if (w != v) nearest = std::min(nearest, distance_[w]);
            return nearest == before;  // no neighbour has less
        });
        REGRAFT_ASSERT(nearest >= before);
        if (next == none) holdings_.start(v);
        distance_[v] = nearest == none ? none : nearest + 1;
        if (--at_distance_[before] == 0) {
            for (auto& distance : distance_) distance = distance > before ? none : distance;
        } else if (distance_[v] != none) {
            ++at_distance_[distance_[v]];
        }
    }

private:
    ReliefState<Load> const& state_;
    Holder& holdings_;
    std::vector<std::uint32_t> distance_;
    std::vector<std::uint32_t> at_distance_;  // number of vertices at each distance
    std::vector<std::uint32_t> queue_;
    std::uint64_t ways_ = 0, ways_looked_at_ = 0;
};

/// Follows a path from the source to a vertex with room, or until the distance of the source turns out to be larger.
template <Holdings Holder, class Load>
inline void follow_distances(ReliefState<Load>& state, Distances<Holder, Load>& distances, std::uint32_t source,
                             Holder& holdings) {
    auto& path = state.path;
    path.assign(1, source);
    for (;;) {
        auto const v = path.back();
        if (state.has_room(v)) {
            holdings.hand_over_ways(path, state.move_load([&](std::uint32_t u) { return holdings.way_width(u); }));
            return;
        }
        auto const distance = distances[v];
        auto const w = distance == 0 || distance == none
                           ? none
                           : holdings.next_way(v, [&](std::uint32_t u) { return distances[u] == distance - 1; });
        if (w != none) {
            path.push_back(w);
            continue;
        }
        distances.move_away(v);
        if (v == source) return;
        path.pop_back();
    }
}

/// Every vertex knows a lower bound for its distance to one with room. Paths go where the distance falls, and a vertex
/// without such a way gets a larger distance.
template <Holdings Holder, class Load>
inline ReliefOutcome relieve_by_distance(ReliefState<Load>& state, Holder& holdings) {
    struct Waiting {
        std::uint32_t distance;
        std::uint32_t vertex;
        auto operator<=>(Waiting const&) const = default;
    };
    Distances distances(state, holdings);
    // The nearest come first, so that paths stay short.
    std::vector<Waiting> waiting;
    for (auto const v : state.overloaded) waiting.push_back({distances[v], v});
    std::make_heap(waiting.begin(), waiting.end(), std::greater<>());
    while (!waiting.empty()) {
        if (!holdings.begin_phase()) return ReliefOutcome::gave_up;
        std::pop_heap(waiting.begin(), waiting.end(), std::greater<>());
        auto const source = waiting.back().vertex;
        if (waiting.back().distance == none) {
            [[maybe_unused]] bool const stuck = is_stuck(state, source, holdings);
            REGRAFT_ASSERT(stuck);
            return ReliefOutcome::closed;
        }
        if (waiting.back().distance == distances[source]) follow_distances(state, distances, source, holdings);
        if (state.is_overloaded(source)) {
            waiting.back().distance = distances[source];
            std::push_heap(waiting.begin(), waiting.end(), std::greater<>());
        } else {
            waiting.pop_back();
        }
        if (distances.worth_finding_again()) {
            holdings.begin_distances();
            distances.find();
        }
    }
    state.forget_relieved();
    return ReliefOutcome::relieved;
}

}  // namespace regraft::matching
