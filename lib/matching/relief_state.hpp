// The state that all ways of relieving vertices share: loads, and what overloaded vertices reach.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "matching/holdings.hpp"

namespace regraft::matching {

enum class ReliefOutcome {
    relieved,  // no vertex is overloaded
    closed,    // the overloaded vertices reach none with room: closed_set() is everything that they reach
    gave_up,
};

/// The loads of right vertices, which of them are overloaded, and how far a search has come.
template <class Load>
struct ReliefState {
    void take(std::span<Load> new_load, Load new_aim) {
        load = new_load;
        aim = new_aim;
        overloaded.clear();
        for (std::uint32_t v = 0; v < load.size(); ++v) {
            if (is_overloaded(v)) overloaded.push_back(v);
        }
        forget_levels();
        level.resize(load.size(), none);
        reached.reserve(load.size());
    }

    bool has_room(std::uint32_t v) const { return load[v] < aim; }
    bool is_overloaded(std::uint32_t v) const { return load[v] > aim; }

    void forget_relieved() {
        std::erase_if(overloaded, [&](auto v) { return !is_overloaded(v); });
    }
    void forget_levels() {
        for (auto const v : reached) level[v] = none;
        reached.clear();
    }

    /// Moves as many units from the first vertex of the path to the last as both can bear and all ways on it have room
    /// for. width(v): the width of the way out of v. Returns the number.
    template <class Width>
    std::uint64_t move_load(Width width) {
        auto& from = load[path.front()];
        auto& to = load[path.back()];
        auto units = std::min<Load>(from - aim, aim - to);
        for (auto const v : std::span(path).first(path.size() - 1))
            units = static_cast<Load>(std::min<std::uint64_t>(static_cast<std::uint64_t>(units), width(v)));
        from -= units;
        to += units;
        return static_cast<std::uint64_t>(units);
    }

    std::span<Load> load;
    Load aim{};
    std::vector<std::uint32_t> overloaded;
    std::vector<std::uint32_t> level;    // by breadth-first search
    std::vector<std::uint32_t> reached;  // the vertices that have one
    std::vector<std::uint32_t> path;
};

/// Whether the source reaches no vertex with room. Leaves in `reached` what it reaches.
template <Holdings Holder, class Load>
inline bool is_stuck(ReliefState<Load>& state, std::uint32_t source, Holder& holdings) {
    auto& reached = state.reached;
    holdings.begin_phase();
    state.level[source] = 0;
    reached.assign(1, source);
    bool room = false;
    for (std::size_t i = 0; i < reached.size() && !room; ++i) {
        holdings.for_each_neighbour(reached[i], 0, [&](std::uint32_t w) {
            room |= state.has_room(w);
            if (state.level[w] != none) return;
            state.level[w] = 0;
            reached.push_back(w);
        });
    }
    return !room;
}

/// The state of the search for vertices that are stuck, over all phases.
struct Suspicion {
    std::size_t next = 0;       // the next overloaded vertex; wraps around
    std::size_t looked_at = 0;  // number of vertices
};

/// Looks for an overloaded vertex that alone reaches no vertex with room, and leaves what it reaches in `reached`: then
/// any further work for others would be in vain. Over all phases about at_most vertices are looked at for that, no more
/// than the phases themselves look at.
template <Holdings Holder, class Load>
inline bool find_stuck(ReliefState<Load>& state, Holder& holdings, std::size_t at_most, Suspicion& suspicion) {
    auto const& overloaded = state.overloaded;
    for (std::size_t i = 0; i < overloaded.size() && suspicion.looked_at < at_most; ++i) {
        if (is_stuck(state, overloaded[suspicion.next++ % overloaded.size()], holdings)) return true;
        suspicion.looked_at += state.reached.size();
        state.forget_levels();
    }
    holdings.begin_phase();
    return false;
}

/// Breadth-first search from the overloaded vertices to the nearest with room, and beyond as long as fewer than
/// `at_least` were reached: if paths have many different lengths, a phase for each length would be too many. Returns
/// the last level; none if no vertex with room was reached.
template <Holdings Holder, class Load>
inline std::uint32_t find_layers(ReliefState<Load>& state, Holder& holdings, std::size_t at_least) {
    auto& reached = state.reached;
    for (auto const v : state.overloaded) state.level[v] = 0;
    reached.assign(state.overloaded.begin(), state.overloaded.end());
    bool found = false;
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) {
        auto const v = reached[i];
        if (state.level[v] == last && found && reached.size() >= at_least) break;
        last = state.level[v] + 1;
        holdings.for_each_neighbour(v, state.level[v], [&](std::uint32_t w) {
            if (state.level[w] != none) return;
            state.level[w] = last;
            reached.push_back(w);
            found |= state.has_room(w);
        });
    }
    return found ? last : none;
}

}  // namespace regraft::matching
