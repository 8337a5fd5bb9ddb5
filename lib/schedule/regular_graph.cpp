// Two stable counting sorts.
#include "schedule/regular_graph.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "schedule/threads.hpp"

namespace regraft::schedule {
namespace {

std::vector<std::uint32_t> merged_degrees(MergedVertices const& merged, std::span<std::uint32_t const> degrees,
                                          std::uint32_t num_vertices) {
    std::vector<std::uint32_t> sums(num_vertices, 0);
    for (std::size_t v = 0; v < degrees.size(); ++v) sums[merged.of[v]] += degrees[v];
    return sums;
}

/// Stable counting sort: calls put(i, place) for every i in [0, n), ascending in every thread, where place is
/// start[key(i)] plus the number of smaller i with the same key. put is copied for every thread, and may keep state.
template <class Key, class Put>
void for_sorted_places(std::size_t n, std::span<std::uint32_t const> start, Key key, Put put) {
    std::vector<std::uint32_t> place;  // shape [threads][keys]
#pragma omp parallel if (n >= worth_a_team)
    {
        auto const size = team().size;  // no structured binding: clang 14 cannot use one in the regions within
        auto const self = team().self;
#pragma omp single
        place.assign(size * start.size(), 0);
        auto const first = n * self / size;
        auto const last = n * (self + 1) / size;
        auto* const mine = place.data() + self * start.size();
        if (size > 1) {
            for (auto i = first; i < last; ++i) ++mine[key(i)];
        }
#pragma omp barrier
#pragma omp for schedule(static)
        for (std::size_t k = 0; k < start.size(); ++k) {
            auto next = start[k];
            for (std::size_t t = 0; t < size; ++t) {
                next += std::exchange(place[t * start.size() + k], next);
            }
        }
        auto put_mine = put;
        for (auto i = first; i < last; ++i) put_mine(i, mine[key(i)]++);
    }
}

/// Fills rows up with edges between vertices of too small a degree.
void add_missing(RegularGraph const& graph, std::span<std::uint32_t const> left_degrees,
                 std::vector<std::uint32_t> right_degrees, std::uint32_t added) {
    std::uint32_t v = 0;
    for (std::uint32_t u = 0; u < graph.num_vertices; ++u) {
        auto* const row = graph.rows.get() + std::size_t{u} * graph.degree;
        for (auto i = left_degrees[u]; i < graph.degree; ++i) {
            while (right_degrees[v] == graph.degree) ++v;
            ++right_degrees[v];
            row[i] = {v, added};
        }
    }
}

}  // namespace

RegularGraph make_regular(std::span<Edge const> edges, std::span<std::uint32_t const> left_degrees,
                          std::span<std::uint32_t const> right_degrees, MergedVertices const& left,
                          MergedVertices const& right, std::uint32_t degree) {
    RegularGraph graph{std::max(left.count, right.count), degree, nullptr, nullptr};
    graph.rows = std::make_unique_for_overwrite<HalfEdge[]>(graph.num_edges());
    graph.spare = std::make_unique_for_overwrite<HalfEdge[]>(graph.num_edges());
    auto const at_left = merged_degrees(left, left_degrees, graph.num_vertices);
    auto const at_right = merged_degrees(right, right_degrees, graph.num_vertices);

    // By right ends, into spare, as edges seen from the right.
    std::vector<std::uint32_t> ends(at_right);
    for (std::size_t v = 1; v < ends.size(); ++v) ends[v] += ends[v - 1];
    std::vector<std::uint32_t> start(right_degrees.size());
    for (std::size_t v = 0; v < start.size(); ++v) {
        auto const w = right.of[v];
        start[v] = ends[w] - at_right[w] + right.before[v];
    }
    for_sorted_places(
        edges.size(), start, [&](std::size_t e) { return edges[e].right; },
        [&](std::size_t e, std::size_t place) {
            graph.spare[place] = {left.of[edges[e].left], static_cast<std::uint32_t>(e)};
        });

    // By left ends.
    start.resize(graph.num_vertices);
    for (std::uint32_t u = 0; u < graph.num_vertices; ++u) start[u] = u * degree;
    for_sorted_places(
        edges.size(), start, [&](std::size_t i) { return graph.spare[i].right; },
        [&, v = std::uint32_t{0}](std::size_t i, std::size_t place) mutable {
            while (i >= ends[v]) ++v;
            graph.rows[place] = {v, graph.spare[i].edge};
        });
    add_missing(graph, at_left, at_right, static_cast<std::uint32_t>(edges.size()));
    return graph;
}

}  // namespace regraft::schedule
