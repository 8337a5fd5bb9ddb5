// Matchings for callers in C.
#include <algorithm>

#include "c/status.hpp"
#include "regraft/matching/b_matching.hpp"
#include "regraft/matching/shares.hpp"
#include "regraft/matching/weighted.hpp"

using namespace regraft;

namespace {

CsrView<std::uint32_t> view_of(regraft_graph const* graph) {
    auto const& [num_left, num_right, offsets, neighbours] = c::object(graph, "a graph, not NULL");
    c::expect(num_left < REGRAFT_NONE && num_right < REGRAFT_NONE, "fewer than 2^32 - 1 left and right vertices");
    auto const rows = c::offsets_of(offsets, num_left, "graph.offsets[num_left + 1], ascending from 0");
    c::expect(rows.back() < REGRAFT_NONE, "fewer than 2^32 - 1 edges");
    auto const values = c::span_of(neighbours, rows.back(), "graph.neighbours, not NULL");
    c::expect(std::all_of(values.begin(), values.end(), [r = num_right](auto v) { return v < r; }),
              "graph.neighbours below num_right");
    return {rows, values};
}

/// The numbers, checked: their sum is below 2^63.
std::span<std::uint64_t const> weights_of(std::uint64_t const* numbers, std::uint64_t count, char const* what) {
    auto const all = c::span_of(numbers, count, what);
    std::uint64_t sum = 0;
    for (auto const x : all) {
        c::expect(x < (std::uint64_t{1} << 63) - sum, "weights or units that are together below 2^63");
        sum += x;
    }
    return all;
}

/// Writes the results that all matchings with a b have.
template <class Matching>
void tell(Matching const& m, std::uint32_t* hall_set, regraft_matching* result) {
    if (hall_set != nullptr) std::copy(m.hall_set.begin(), m.hall_set.end(), hall_set);
    if (result != nullptr) *result = {m.b, m.lower_bound, m.isolated.size(), m.hall_set.size()};
}

}  // namespace

regraft_status regraft_matching_min_b(regraft_graph const* graph, uint32_t* right_of, uint32_t* hall_set,
                                      regraft_matching* result) {
    return c::guarded([&] {
        auto const view = view_of(graph);
        auto const out = c::span_of(right_of, view.size(), "right_of, not NULL");
        auto const m = matching::min_b_matching(view, graph->num_right);
        std::copy(m.right_of.begin(), m.right_of.end(), out.begin());
        tell(m, hall_set, result);
    });
}

regraft_status regraft_matching_min_b_weighted(regraft_graph const* graph, uint64_t const* weight, uint32_t* right_of,
                                               uint32_t* hall_set, regraft_matching* result) {
    return c::guarded([&] {
        auto const view = view_of(graph);
        auto const weights = weights_of(weight, view.size(), "weight, not NULL");
        auto const out = c::span_of(right_of, view.size(), "right_of, not NULL");
        auto const m = matching::min_b_matching(view, weights, graph->num_right);
        std::copy(m.right_of.begin(), m.right_of.end(), out.begin());
        tell(m, hall_set, result);
    });
}

regraft_status regraft_matching_min_b_shares(regraft_graph const* graph, uint64_t const* units, uint64_t* share,
                                             uint32_t* hall_set, regraft_matching* result) {
    return c::guarded([&] {
        auto const view = view_of(graph);
        auto const amounts = weights_of(units, view.size(), "units, not NULL");
        auto const out = c::span_of(share, view.values.size(), "share, not NULL");
        auto const m = matching::min_b_shares(view, amounts, graph->num_right);
        std::copy(m.share.begin(), m.share.end(), out.begin());
        tell(m, hall_set, result);
    });
}

regraft_status regraft_matching_max_b(regraft_graph const* graph, uint32_t const* capacity, uint32_t* right_of,
                                      uint64_t* num_matched) {
    return c::guarded([&] {
        auto const view = view_of(graph);
        auto const capacities = c::span_of(capacity, graph->num_right, "capacity, not NULL");
        auto const out = c::span_of(right_of, view.size(), "right_of, not NULL");
        auto const m = matching::max_b_matching(view, capacities);
        std::copy(m.right_of.begin(), m.right_of.end(), out.begin());
        if (num_matched != nullptr) *num_matched = m.num_matched;
    });
}
