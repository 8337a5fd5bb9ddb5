// Water-filling greedy, then blocking flows of shares.
#include "regraft/matching/shares.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

#include "matching/division.hpp"
#include "matching/share_solver.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::matching {
namespace {

/// Pours units over the neighbours with the fewest, so that these end at one level.
class Pourer {
public:
    explicit Pourer(std::uint32_t num_right) : load_(num_right, 0) {}

    /// share: those of the row's edges, all 0 before.
    void pour(std::uint64_t units, std::span<std::uint32_t const> row, std::span<std::uint64_t> share) {
        sort_by_load(row);
        auto const level = level_with(units, row);
        for (auto const i : order_) {
            share[i] = std::min(units, level - std::min(level, load_[row[i]]));
            units -= share[i];
            load_[row[i]] += share[i];
        }
        if (units == 0) return;
        // A neighbour that is listed twice has left some units over.
        share[order_.front()] += units;
        load_[row[order_.front()]] += units;
    }

private:
    void sort_by_load(std::span<std::uint32_t const> row) {
        order_.resize(row.size());
        std::iota(order_.begin(), order_.end(), 0U);
        std::sort(order_.begin(), order_.end(),
                  [&](auto i, auto j) { return std::tuple(load_[row[i]], i) < std::tuple(load_[row[j]], j); });
    }

    /// The level, rounded up, to which all lower neighbours are filled.
    std::uint64_t level_with(std::uint64_t units, std::span<std::uint32_t const> row) const {
        std::uint64_t below = 0;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            below += load_[row[order_[i]]];
            auto const level = ceil_div(units + below, i + 1);
            if (i + 1 == order_.size() || level <= load_[row[order_[i + 1]]]) return level;
        }
        return 0;
    }

    std::vector<std::uint64_t> load_;
    std::vector<std::uint32_t> order_;
};

/// The edges of a row, as indices into graph.values.
std::span<std::uint64_t> row_of(std::span<std::uint64_t> share, CsrView<std::uint32_t> graph, std::size_t x) {
    return share.subspan(graph.offsets[x], graph.offsets[x + 1] - graph.offsets[x]);
}

}  // namespace

void expect_rows(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units, std::size_t num_right) {
    REGRAFT_EXPECTS(units.size() == graph.size());
    REGRAFT_EXPECTS(graph.size() == 0 || (graph.offsets.front() == 0 && graph.offsets.back() == graph.values.size()));
    REGRAFT_EXPECTS(graph.values.size() < none && num_right < none);
    REGRAFT_EXPECTS(std::all_of(graph.values.begin(), graph.values.end(), [&](auto v) { return v < num_right; }));
}

ShareBound bound_below(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units, std::uint32_t num_right) {
    ShareBound bound;
    std::vector<char> marked(num_right, 0);
    std::uint64_t total = 0;
    for (std::uint32_t x = 0; x < graph.size(); ++x) {
        if (units[x] == 0) continue;
        if (graph[x].empty()) bound.isolated.push_back(x);
        if (!graph[x].empty()) total += units[x];
        for (auto const v : graph[x]) marked[v] = 1;
    }
    for (std::uint32_t v = 0; v < num_right; ++v) {
        if (marked[v] != 0) bound.hall_set.push_back(v);
    }
    if (!bound.hall_set.empty()) bound.lower_bound = ceil_div(total, bound.hall_set.size());
    return bound;
}

MinBShares min_b_shares(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units, std::uint32_t num_right) {
    expect_rows(graph, units, num_right);
    auto bound = bound_below(graph, units, num_right);
    MinBShares answer{{}, std::move(bound.isolated), 0, bound.lower_bound, std::move(bound.hall_set)};
    answer.share.assign(graph.values.size(), 0);
    Pourer pourer(num_right);
    // Left vertices without a choice come first, so that the others can avoid the right vertices of these.
    for (bool const choiceless : {true, false}) {
        for (std::size_t x = 0; x < graph.size(); ++x) {
            if (graph[x].empty() || (graph[x].size() == 1) != choiceless) continue;
            pourer.pour(units[x], graph[x], row_of(answer.share, graph, x));
        }
    }
    answer.b = ShareSolver().minimise(graph, num_right, answer.lower_bound, answer.share, answer.hall_set).reached;
    std::sort(answer.hall_set.begin(), answer.hall_set.end());
    return answer;
}

MaxBShares max_b_shares(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units,
                        std::span<std::uint64_t const> capacity) {
    expect_rows(graph, units, capacity.size());
    REGRAFT_EXPECTS(graph.values.size() + graph.size() < none);
    // An additional neighbour of all left vertices: it owns what is left over, and may own nothing.
    auto const leftover = static_cast<std::uint32_t>(capacity.size());
    std::vector<std::int64_t> above_capacity;
    // A limit above all units means no limit; the minimum fits the type.
    auto const all = std::accumulate(units.begin(), units.end(), std::uint64_t{0});
    for (auto const limit : capacity) above_capacity.push_back(-static_cast<std::int64_t>(std::min(limit, all)));
    above_capacity.push_back(0);
    Csr<std::uint32_t> rows;
    std::vector<std::uint64_t> share;
    rows.offsets.reserve(graph.size() + 1);
    rows.values.reserve(graph.values.size() + graph.size());
    share.reserve(graph.values.size() + graph.size());
    for (std::size_t x = 0; x < graph.size(); ++x) {
        auto rest = static_cast<std::int64_t>(graph[x].empty() ? 0 : units[x]);
        for (auto const v : graph[x]) {
            auto const part = std::min(rest, -above_capacity[v]);
            above_capacity[v] += part;
            rest -= part;
            rows.push_value(v);
            share.push_back(static_cast<std::uint64_t>(part));
        }
        above_capacity[leftover] += rest;
        rows.push_value(leftover);
        rows.end_row();
        share.push_back(static_cast<std::uint64_t>(rest));
    }

    MaxBShares answer;
    ShareHoldings holdings;
    Relief<ShareHoldings, std::int64_t> relief;
    holdings.list(rows, share, leftover + 1);
    if (relief.relieve(holdings, above_capacity, 0) == decltype(relief)::Outcome::closed) {
        for (auto const v : relief.closed_set()) {
            if (v != leftover) answer.hall_set.push_back(v);
        }
        std::sort(answer.hall_set.begin(), answer.hall_set.end());
    }
    answer.share.reserve(graph.values.size());
    for (std::size_t x = 0; x < graph.size(); ++x) {
        for (std::size_t i = 0; i < graph[x].size(); ++i) {
            answer.share.push_back(share[rows.offsets[x] + i]);
            answer.total += answer.share.back();
        }
    }
    return answer;
}

}  // namespace regraft::matching
