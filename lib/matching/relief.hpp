// Blocking flows from overloaded right vertices to ones with room, on the graph in which one right vertex can hand
// units over to another (Dinic 1970). What is handed over - blocks or shares - is the business of the Holdings.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "matching/division.hpp"

namespace regraft::matching {

/// No vertex, no level, no item.
inline constexpr auto none = std::numeric_limits<std::uint32_t>::max();

/// Who owns what, and whom it could be handed to:
///   begin_phase()             forgets what the last phase looked at;
///   for_each_neighbour(v, level, f)  calls f(w) for every vertex that can take something over from v, which is at this
///                             level, maybe repeatedly, bar those that were reported for a vertex of a lower level;
///   start(v)                  puts v's cursor before its first way out;
///   next_step(v, level, accept)  moves v's cursor, which never goes back, to the first way out to a w with accept(w);
///                             returns w, or none;
///   skip_step(v)              moves v's cursor past the way out it is at;
///   width(v)                  the units that can take the way out that v's cursor is at;
///   hand_over(path, units)    moves units along the ways out at which the cursors of all but the last vertex are.
template <class Holdings>
class Relief {
public:
    /// Lets overloaded vertices hand over until none is left, or until nobody with room can be reached from those that
    /// are: then returns false, and closed_set() is all that can be reached. room[v]: what v can take; if negative,
    /// what it has too much.
    bool relieve(Holdings& holdings, std::span<std::int64_t> room) {
        forget_levels();
        level_.resize(room.size(), none);
        find_overloaded(room);
        auto horizon = Horizon::nearest;
        while (!overloaded_.empty()) {
            forget_levels();
            holdings.begin_phase();
            auto const last = find_layers(holdings, room, horizon);
            if (last == none) return false;
            for (auto const v : reached_) holdings.start(v);
            auto const before = excess_;
            for (auto const v : overloaded_) relieve_one(v, last, holdings, room);
            std::erase_if(overloaded_, [&](auto v) { return room[v] >= 0; });
            // Paths of many different lengths would take a phase each.
            horizon = excess_ > before / 2 ? Horizon::all : Horizon::nearest;
        }
        return true;
    }

    std::span<std::uint32_t const> closed_set() const { return reached_; }

private:
    /// Which vertices with room a phase aims at: those that take the fewest hand-overs, or all.
    enum class Horizon { nearest, all };

    void find_overloaded(std::span<std::int64_t const> room) {
        overloaded_.clear();
        excess_ = 0;
        for (std::uint32_t v = 0; v < room.size(); ++v) {
            if (room[v] >= 0) continue;
            overloaded_.push_back(v);
            excess_ -= room[v];
        }
    }

    void forget_levels() {
        for (auto const v : reached_) level_[v] = none;
        reached_.clear();
    }

    /// Breadth-first from the overloaded vertices. Returns the last level that may be handed to; none if no vertex with
    /// room was reached.
    std::uint32_t find_layers(Holdings& holdings, std::span<std::int64_t const> room, Horizon horizon) {
        for (auto const v : overloaded_) level_[v] = 0;
        reached_.assign(overloaded_.begin(), overloaded_.end());
        auto nearest = none;
        for (std::size_t i = 0; i < reached_.size(); ++i) {
            auto const v = reached_[i];
            auto const next = level_[v] + 1;
            if (horizon == Horizon::nearest && next > nearest) break;
            holdings.for_each_neighbour(v, level_[v], [&](std::uint32_t w) {
                if (level_[w] != none) return;
                level_[w] = next;
                reached_.push_back(w);
                if (room[w] > 0 && nearest == none) nearest = next;
            });
        }
        return horizon == Horizon::nearest || nearest == none ? nearest : none - 1;
    }

    /// Depth-first, along rising levels only. Not recursive: a path may have as many vertices as there are PEs.
    void relieve_one(std::uint32_t source, std::uint32_t last, Holdings& holdings, std::span<std::int64_t> room) {
        path_.assign(1, source);
        while (room[source] < 0 && !path_.empty()) {
            auto const v = path_.back();
            if (room[v] > 0) {
                hand_over(holdings, room);
                path_.resize(1);
                continue;
            }
            auto const next = level_[v] + 1;
            auto const w = holdings.next_step(
                v, level_[v], [&](std::uint32_t u) { return level_[u] == next && (next < last || room[u] > 0); });
            if (w != none) {
                path_.push_back(w);
                continue;
            }
            level_[v] = exhausted;
            path_.pop_back();
            if (!path_.empty()) holdings.skip_step(path_.back());
        }
    }

    void hand_over(Holdings& holdings, std::span<std::int64_t> room) {
        auto units = std::min(-room[path_.front()], room[path_.back()]);
        for (auto const v : std::span(path_).first(path_.size() - 1)) units = std::min(units, holdings.width(v));
        holdings.hand_over(path_, units);
        room[path_.front()] += units;
        room[path_.back()] -= units;
        excess_ -= units;
    }

    static constexpr auto exhausted = none - 1;  // as a level: nothing more gets through this vertex in this phase

    std::vector<std::uint32_t> level_;
    std::vector<std::uint32_t> reached_;
    std::vector<std::uint32_t> overloaded_;
    std::vector<std::uint32_t> path_;
    std::int64_t excess_ = 0;
};

/// Raises b from what the rooms were made for until nobody is overloaded, each time to what a closed set proves (Newton
/// on b instead of a search), and leaves the last such set, unsorted, in hall_set. Returns the new b.
template <class Holdings>
std::uint64_t raise_until_relieved(std::uint64_t b, Relief<Holdings>& relief, Holdings& holdings,
                                   std::span<std::int64_t> room, std::vector<std::uint32_t>& hall_set) {
    while (!relief.relieve(holdings, room)) {
        auto const closed = relief.closed_set();
        std::uint64_t load = 0;
        for (auto const v : closed) load += b - static_cast<std::uint64_t>(room[v]);
        hall_set.assign(closed.begin(), closed.end());
        auto const next = ceil_div(load, closed.size());
        for (auto& units : room) units += static_cast<std::int64_t>(next - b);
        b = next;
    }
    return b;
}

}  // namespace regraft::matching
