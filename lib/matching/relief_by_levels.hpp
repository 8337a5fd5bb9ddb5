// Depth-first searches for paths to room, with and without levels.
#pragma once

#include <cstdint>
#include <vector>

#include "matching/holdings.hpp"
#include "matching/reach.hpp"

namespace regraft::matching {

/// Paths on which every vertex is visited at most once in a phase.
template <Holdings Holder, class Load>
class ReliefByLevels : protected Reach<Holder, Load> {
protected:
    using Loads<Load>::has_room;
    using Loads<Load>::is_overloaded;
    using Loads<Load>::forget_relieved;
    using Loads<Load>::overloaded_;
    using Reach<Holder, Load>::level_;
    using Reach<Holder, Load>::reached_;

    /// Depth-first search without levels, each vertex at most once: first to any neighbour with room, else to any
    /// neighbour (Pothen, Fan 1990). It is fast if few vertices are overloaded and room is everywhere, and if paths are
    /// long but do not meet.
    void relieve_anyhow(Holder& holdings) {
        for (auto const v : overloaded_) visit(v, holdings);
        for (auto const v : overloaded_) {
            descend(v, holdings, [&](std::uint32_t at) { return next_anyhow(at, holdings); });
        }
        forget_relieved();
    }

    static constexpr std::uint32_t looking_for_room = 0;
    static constexpr std::uint32_t going_deeper = 1;

    void visit(std::uint32_t v, Holder& holdings) {
        // If there is little to look at, looking twice takes longer than a detour.
        constexpr std::uint32_t little = 4;
        level_[v] = holdings.num_items(v) < little ? going_deeper : looking_for_room;
        reached_.push_back(v);
        holdings.start(v);
    }

    std::uint32_t next_anyhow(std::uint32_t v, Holder& holdings) {
        if (level_[v] == looking_for_room) {
            bool deeper = false;
            auto const w = holdings.next_step(v, 0, [&](std::uint32_t u) {
                deeper |= level_[u] == none;
                return has_room(u);
            });
            if (w != none) return w;
            if (!deeper) return none;
            level_[v] = going_deeper;
            holdings.start(v);
        }
        auto const w = holdings.next_step(v, 0, [&](std::uint32_t u) { return level_[u] == none || has_room(u); });
        if (w != none && level_[w] == none) visit(w, holdings);
        return w;
    }

    /// Depth-first search along rising levels only (Dinic 1970).
    void relieve_by_levels(std::uint32_t last, Holder& holdings) {
        for (auto const v : reached_) holdings.start(v);
        for (auto const source : overloaded_) {
            descend(source, holdings, [&](std::uint32_t v) {
                auto const next = level_[v] + 1;
                return holdings.next_step(
                    v, level_[v], [&](std::uint32_t u) { return level_[u] == next && (next < last || has_room(u)); });
            });
        }
        forget_relieved();
    }

    std::vector<std::uint32_t> path_;

private:
    /// Follows steps from the source to vertices with room, as long as it is overloaded. Not recursive, because a path
    /// may have as many vertices as there are PEs.
    template <class Next>
    void descend(std::uint32_t source, Holder& holdings, Next next) {
        path_.assign(1, source);
        while (is_overloaded(source) && !path_.empty()) {
            auto const v = path_.back();
            if (has_room(v)) {
                hand_over(holdings);
                path_.resize(1);
                continue;
            }
            auto const w = next(v);
            if (w != none) {
                path_.push_back(w);
                continue;
            }
            level_[v] = exhausted;
            path_.pop_back();
            if (!path_.empty()) holdings.skip_step(path_.back());
        }
    }

    void hand_over(Holder& holdings) {
        auto const units = this->move_load(path_, [&](std::uint32_t v) { return holdings.width(v); });
        holdings.hand_over(path_, units);
    }

    static constexpr auto exhausted = none - 1;  // in place of a level: nothing more gets through this vertex in this
                                                 // phase
};

}  // namespace regraft::matching
