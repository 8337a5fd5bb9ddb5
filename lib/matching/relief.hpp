// Blocking flows from overloaded right vertices to ones with room, on the graph in which one right vertex can hand
// units over to another (Dinic 1970). The Holdings decide what is handed over: blocks or shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "matching/holdings.hpp"
#include "matching/relief_by_distance.hpp"
#include "matching/relief_by_levels.hpp"
#include "matching/relief_state.hpp"

namespace regraft::matching {

/// Relieves overloaded right vertices.
template <Holdings Holder, class Load>
class Relief {
public:
    using Outcome = ReliefOutcome;

    /// Lets vertices with more than `aim` hand over to vertices with less, and keeps load up to date.
    Outcome relieve(Holder& holdings, std::span<Load> load, Load aim) {
        state_.take(load, aim);
        std::size_t looked_at = 0;
        Suspicion suspicion;
        for (int phase = 0; !state_.overloaded.empty(); ++phase) {
            state_.forget_levels();
            if (!holdings.begin_phase()) return Outcome::gave_up;
            if constexpr (!Holder::cursors_need_levels) {
                if (phase == 1) {
                    relieve_anyhow(state_, holdings);
                    continue;
                }
            }
            if (phase >= Holder::many_phases && holdings.begin_distances()) {
                return relieve_by_distance(state_, holdings);
            }
            if (phase > 3 && find_stuck(state_, holdings, looked_at, suspicion)) return Outcome::closed;
            auto const last = find_layers(state_, holdings, looked_at);
            if (last == none) return Outcome::closed;
            looked_at += state_.reached.size();
            relieve_by_levels(state_, last, holdings);
        }
        return Outcome::relieved;
    }

    std::span<std::uint32_t const> closed_set() const { return state_.reached; }

private:
    ReliefState<Load> state_;  // its memory is used again
};

}  // namespace regraft::matching
