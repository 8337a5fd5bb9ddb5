// Blocking flows from overloaded right vertices to ones with room, on the graph in which one right vertex can hand
// units over to another (Dinic 1970). The Holdings decide what is handed over: blocks or shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "matching/holdings.hpp"
#include "matching/relief_by_distance.hpp"

namespace regraft::matching {

/// Relieves overloaded right vertices.
template <Holdings Holder, class Load>
class Relief : private ReliefByDistance<Holder, Load> {
public:
    using Outcome = ReliefOutcome;

    /// Lets vertices with more than `aim` hand over to vertices with less, and keeps load up to date.
    Outcome relieve(Holder& holdings, std::span<Load> load, Load aim) {
        this->take(load, aim);
        this->forget_levels();
        this->level_.resize(load.size(), none);
        this->reached_.reserve(load.size());
        std::size_t looked_at = 0;
        typename Reach<Holder, Load>::Suspicion suspicion;
        for (int phase = 0; !this->overloaded_.empty(); ++phase) {
            this->forget_levels();
            if (!holdings.begin_phase()) return Outcome::gave_up;
            if constexpr (!Holder::cursors_need_levels) {
                if (phase == 1) {
                    this->relieve_anyhow(holdings);
                    continue;
                }
            }
            if (phase >= Holder::many_phases && holdings.begin_distances()) return this->relieve_by_distance(holdings);
            if (phase > 3 && this->find_stuck(holdings, looked_at, suspicion)) return Outcome::closed;
            auto const last = this->find_layers(holdings, looked_at);
            if (last == none) return Outcome::closed;
            looked_at += this->reached_.size();
            this->relieve_by_levels(last, holdings);
        }
        return Outcome::relieved;
    }

    std::span<std::uint32_t const> closed_set() const { return this->reached_; }
};

}  // namespace regraft::matching
