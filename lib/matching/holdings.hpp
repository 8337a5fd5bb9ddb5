// What Relief has to know of right vertices and the things that they hand over.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace regraft::matching {

/// Stands for no vertex, no level, or no item.
inline constexpr auto none = std::numeric_limits<std::uint32_t>::max();

/// Tells which right vertex owns what, and to which vertices it can hand that over. An item is a block, or shares of
/// one.
///
///   begin_phase()             forgets what the last phase looked at; false: enough was looked at, give up;
///   for_each_neighbour(v, level, f)  calls f(w), maybe repeatedly, for every vertex w that can take something over
///                             from v, which is at this level; vertices w that were reported for a vertex of a lower
///                             level are left out;
///   num_items(v)              the number of items that v owned when it was listed; only called if cursors do without
///                             levels;
///   start(v)                  puts v's cursor before its first way out;
///   next_step(v, level, accept)
///                             moves v's cursor, which never goes back, to the first way out to a w with accept(w);
///                             returns w, or none;
///   skip_step(v)              moves v's cursor past its present way out;
///   width(v)                  the number of units that can take the way out at v's cursor;
///   hand_over(path, units)    moves units along the ways out at the cursors of all vertices except the last;
///   cursors_need_levels       whether next_step works only for paths whose levels rise.
///
/// These are for distances to the nearest vertex with room, and for paths along which distances fall:
///
///   many_phases               the number of phases after which ways are taken to be long;
///   begin_distances()         prepares the following calls, and forgets earlier ones; false: that would take long;
///   for_each_giver(w, f)      calls f(v) for every vertex v that can hand something over to w; v that were reported
///                             since begin_distances() are left out;
///   num_ways(v)               about the number of ways out of v;
///   next_way(v, accept), way_width(v), hand_over_ways(path, units)
///                             as above for cursors without levels. What a vertex is handed has no way out that it does
///                             not also have from its giver, so the cursor need not see it before its start.
template <class H>
concept Holdings = requires(H& holdings, std::uint32_t v, std::uint64_t units, std::span<std::uint32_t const> path,
                            void (*visit)(std::uint32_t), bool (*accept)(std::uint32_t)) {
    { holdings.begin_phase() } -> std::same_as<bool>;
    { holdings.for_each_neighbour(v, v, visit) } -> std::same_as<void>;
    { holdings.start(v) } -> std::same_as<void>;
    { holdings.next_step(v, v, accept) } -> std::same_as<std::uint32_t>;
    { holdings.skip_step(v) } -> std::same_as<void>;
    { holdings.width(v) } -> std::same_as<std::uint64_t>;
    { holdings.hand_over(path, units) } -> std::same_as<void>;
    { H::cursors_need_levels } -> std::convertible_to<bool>;
    { H::many_phases } -> std::convertible_to<int>;
    { holdings.begin_distances() } -> std::same_as<bool>;
    { holdings.for_each_giver(v, visit) } -> std::same_as<void>;
    { holdings.num_ways(v) } -> std::same_as<std::uint64_t>;
    { holdings.next_way(v, accept) } -> std::same_as<std::uint32_t>;
    { holdings.way_width(v) } -> std::same_as<std::uint64_t>;
    { holdings.hand_over_ways(path, units) } -> std::same_as<void>;
}
&&(H::cursors_need_levels || requires(H const& holdings, std::uint32_t v) {
    { holdings.num_items(v) } -> std::convertible_to<std::size_t>;
});

}  // namespace regraft::matching
