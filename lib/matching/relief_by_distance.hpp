// Paths to room along falling distances.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <vector>

#include "matching/distances.hpp"
#include "matching/holdings.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::matching {

/// Adds a way for paths that are long and of many lengths.
template <Holdings Holder, class Load>
class ReliefByDistance : protected Distances<Holder, Load> {
protected:
    using Loads<Load>::has_room;
    using Loads<Load>::is_overloaded;
    using Loads<Load>::forget_relieved;
    using Loads<Load>::overloaded_;
    using ReliefByLevels<Holder, Load>::path_;
    using Distances<Holder, Load>::distance_;

    /// For paths that are long and of many lengths. Every vertex knows a lower bound for its distance to one with room.
    /// Paths go where the distance falls, and a vertex without such a way gets a larger distance (Ahuja, Orlin 1991).
    /// If no vertex is left at some distance, no vertex beyond reaches room.
    ReliefOutcome relieve_by_distance(Holder& holdings) {
        this->find_distances(holdings);
        // The nearest come first, so that paths stay short.
        std::vector<Waiting> waiting;
        for (auto const v : overloaded_) waiting.push_back({distance_[v], v});
        std::make_heap(waiting.begin(), waiting.end(), std::greater<>());
        while (!waiting.empty()) {
            if (!holdings.begin_phase()) return ReliefOutcome::gave_up;
            std::pop_heap(waiting.begin(), waiting.end(), std::greater<>());
            auto const source = waiting.back().vertex;
            if (waiting.back().distance == none) {
                [[maybe_unused]] bool const stuck = this->is_stuck(source, holdings);
                REGRAFT_ASSERT(stuck);
                return ReliefOutcome::closed;
            }
            if (waiting.back().distance == distance_[source]) follow_distances(source, holdings);
            if (is_overloaded(source)) {
                waiting.back().distance = distance_[source];
                std::push_heap(waiting.begin(), waiting.end(), std::greater<>());
            } else {
                waiting.pop_back();
            }
            if (this->worth_finding_again()) {
                holdings.begin_distances();
                this->find_distances(holdings);
            }
        }
        forget_relieved();
        return ReliefOutcome::relieved;
    }

private:
    struct Waiting {
        std::uint32_t distance;
        std::uint32_t vertex;
        auto operator<=>(Waiting const&) const = default;
    };

    /// Follows a path from the source to a vertex with room, or until the distance of the source turns out to be
    /// larger.
    void follow_distances(std::uint32_t source, Holder& holdings) {
        path_.assign(1, source);
        for (;;) {
            auto const v = path_.back();
            if (has_room(v)) {
                hand_over_ways(holdings);
                return;
            }
            auto const distance = distance_[v];
            auto const w = distance == 0 || distance == none
                               ? none
                               : holdings.next_way(v, [&](std::uint32_t u) { return distance_[u] == distance - 1; });
            if (w != none) {
                path_.push_back(w);
                continue;
            }
            this->move_away(v, holdings);
            if (v == source) return;
            path_.pop_back();
        }
    }

    void hand_over_ways(Holder& holdings) {
        auto const units = this->move_load(path_, [&](std::uint32_t v) { return holdings.way_width(v); });
        holdings.hand_over_ways(path_, units);
    }
};

}  // namespace regraft::matching
