// Depth-first searches for paths to room, with and without levels. Every vertex is visited at most once in a phase.
// `inline` makes GCC join these templates as if they were members of a class: they are the inner loops.
#pragma once

#include <cstdint>

#include "matching/holdings.hpp"
#include "matching/relief_state.hpp"

namespace regraft::matching {

/// Follows steps from the source to vertices with room, as long as it is overloaded. Not recursive, because a path may
/// have as many vertices as there are PEs.
template <Holdings Holder, class Load, class Next>
inline void descend(ReliefState<Load>& state, std::uint32_t source, Holder& holdings, Next next) {
    constexpr auto exhausted = none - 1;  // in place of a level: nothing more gets through this vertex in this phase
    auto& path = state.path;
    path.assign(1, source);
    while (state.is_overloaded(source) && !path.empty()) {
        auto const v = path.back();
        if (state.has_room(v)) {
            holdings.hand_over(path, state.move_load([&](std::uint32_t u) { return holdings.width(u); }));
            path.resize(1);
            continue;
        }
        auto const w = next(v);
        if (w != none) {
            path.push_back(w);
            continue;
        }
        state.level[v] = exhausted;
        path.pop_back();
        if (!path.empty()) holdings.skip_step(path.back());
    }
}

/// Depth-first search along rising levels only (Dinic 1970).
template <Holdings Holder, class Load>
inline void relieve_by_levels(ReliefState<Load>& state, std::uint32_t last, Holder& holdings) {
    for (auto const v : state.reached) holdings.start(v);
    for (auto const source : state.overloaded) {
        descend(state, source, holdings, [&](std::uint32_t v) {
            auto const next = state.level[v] + 1;
            return holdings.next_step(v, state.level[v], [&](std::uint32_t u) {
                return state.level[u] == next && (next < last || state.has_room(u));
            });
        });
    }
    state.forget_relieved();
}

/// The steps of a search without levels. In place of a level, a vertex knows what it looks for.
enum : std::uint32_t { looking_for_room, going_deeper };

template <Holdings Holder, class Load>
inline void visit_anyhow(ReliefState<Load>& state, std::uint32_t v, Holder& holdings) {
    // If there is little to look at, looking twice takes longer than a detour.
    constexpr std::uint32_t little = 4;
    state.level[v] = holdings.num_items(v) < little ? going_deeper : looking_for_room;
    state.reached.push_back(v);
    holdings.start(v);
}

template <Holdings Holder, class Load>
inline std::uint32_t next_anyhow(ReliefState<Load>& state, std::uint32_t v, Holder& holdings) {
    auto const is_new = [&](std::uint32_t u) { return state.level[u] == none; };
    if (state.level[v] == looking_for_room) {
        bool deeper = false;
        auto const w = holdings.next_step(v, 0, [&](std::uint32_t u) {
            deeper |= is_new(u);
            return state.has_room(u);
        });
        if (w != none) return w;
        if (!deeper) return none;
        state.level[v] = going_deeper;
        holdings.start(v);
    }
    auto const w = holdings.next_step(v, 0, [&](std::uint32_t u) { return is_new(u) || state.has_room(u); });
    if (w != none && is_new(w)) visit_anyhow(state, w, holdings);
    return w;
}

/// Depth-first search without levels: first to any neighbour with room, else to any neighbour (Pothen, Fan 1990). It is
/// fast if few vertices are overloaded and room is everywhere, and if paths are long but do not meet.
template <Holdings Holder, class Load>
inline void relieve_anyhow(ReliefState<Load>& state, Holder& holdings) {
    for (auto const v : state.overloaded) visit_anyhow(state, v, holdings);
    for (auto const v : state.overloaded) {
        descend(state, v, holdings, [&](std::uint32_t at) { return next_anyhow(state, at, holdings); });
    }
    state.forget_relieved();
}

}  // namespace regraft::matching
