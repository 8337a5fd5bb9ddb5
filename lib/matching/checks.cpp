// Derives again what the answers of this module promise; shares no code with the solvers.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "regraft/matching/b_matching.hpp"
#include "regraft/matching/shares.hpp"

namespace regraft::matching {
namespace {

/// The members of a set of right vertices; nothing if one is unknown or repeated, or if they do not ascend.
std::optional<std::vector<char>> membership(std::span<std::uint32_t const> set, std::size_t num_right) {
    std::vector<char> member(num_right, 0);
    for (std::size_t i = 0; i < set.size(); ++i) {
        if (set[i] >= num_right || (i > 0 && set[i] <= set[i - 1])) return std::nullopt;
        member[set[i]] = 1;
    }
    return member;
}

/// The sum of units of left vertices that have neighbours, all of them members. units: empty for one each.
std::uint64_t confined(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units,
                       std::vector<char> const& member) {
    std::uint64_t sum = 0;
    for (std::size_t x = 0; x < graph.size(); ++x) {
        auto const row = graph[x];
        if (row.empty()) continue;
        if (!std::all_of(row.begin(), row.end(), [&](auto v) { return v < member.size() && member[v] != 0; })) continue;
        sum += units.empty() ? 1 : units[x];
    }
    return sum;
}

std::uint64_t all_that_could_be_matched(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units) {
    std::uint64_t sum = 0;
    for (std::size_t x = 0; x < graph.size(); ++x) {
        if (!graph[x].empty()) sum += units.empty() ? 1 : units[x];
    }
    return sum;
}

/// The largest number that can be matched according to the set: all that have a neighbour outside of it, plus its
/// capacity. Nothing if that exceeds the total, because it is then no bound.
template <class Capacity>
std::optional<std::uint64_t> koenig_bound(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units,
                                          std::span<Capacity const> capacity, std::span<std::uint32_t const> set) {
    auto const member = membership(set, capacity.size());
    if (!member) return std::nullopt;
    auto const all = all_that_could_be_matched(graph, units);
    std::uint64_t bound = all - confined(graph, units, *member);
    for (auto const v : set) {
        if (capacity[v] > all - bound) return std::nullopt;
        bound += capacity[v];
    }
    return bound;
}

struct Loads {
    std::vector<std::uint64_t> at_left;
    std::vector<std::uint64_t> at_right;
};

/// The loads of the right vertices. Nothing if there is not exactly one share per edge, or if a left vertex gives more
/// than it has.
std::optional<Loads> loads(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units,
                           std::span<std::uint64_t const> share, std::size_t num_right) {
    if (share.size() != graph.values.size() || units.size() != graph.size()) return std::nullopt;
    Loads sums{std::vector<std::uint64_t>(graph.size(), 0), std::vector<std::uint64_t>(num_right, 0)};
    for (std::size_t x = 0; x < graph.size(); ++x) {
        for (auto e = graph.offsets[x]; e < graph.offsets[x + 1]; ++e) {
            if (graph.values[e] >= num_right || share[e] > units[x] - sums.at_left[x]) return std::nullopt;
            sums.at_left[x] += share[e];
            sums.at_right[graph.values[e]] += share[e];
        }
    }
    return sums;
}

}  // namespace

bool is_b_matching(CsrView<std::uint32_t> graph, std::uint32_t num_right, BMatching const& m) {
    if (m.right_of.size() != graph.size()) return false;
    std::vector<std::uint32_t> isolated;
    std::vector<std::uint32_t> load(num_right, 0);
    for (std::uint32_t x = 0; x < graph.size(); ++x) {
        auto const row = graph[x];
        auto const v = m.right_of[x];
        if (row.empty()) {
            isolated.push_back(x);
            if (v != unmatched) return false;
        } else {
            if (v >= num_right || std::find(row.begin(), row.end(), v) == row.end()) return false;
            ++load[v];
        }
    }
    auto const busiest = std::max_element(load.begin(), load.end());
    return m.isolated == isolated && m.b == (busiest == load.end() ? 0 : *busiest);
}

std::uint32_t hall_bound(CsrView<std::uint32_t> graph, std::uint32_t num_right,
                         std::span<std::uint32_t const> hall_set) {
    auto const member = membership(hall_set, num_right);
    if (!member || hall_set.empty()) return 0;
    auto const count = confined(graph, {}, *member);
    return static_cast<std::uint32_t>(count / hall_set.size() + (count % hall_set.size() != 0 ? 1 : 0));
}

bool is_max_b_matching(CsrView<std::uint32_t> graph, std::span<std::uint32_t const> capacity, MaxBMatching const& m) {
    if (m.right_of.size() != graph.size()) return false;
    std::vector<std::uint32_t> load(capacity.size(), 0);
    std::uint64_t matched = 0;
    for (std::size_t x = 0; x < graph.size(); ++x) {
        auto const v = m.right_of[x];
        if (v == unmatched) continue;
        auto const row = graph[x];
        if (v >= capacity.size() || std::find(row.begin(), row.end(), v) == row.end()) return false;
        if (++load[v] > capacity[v]) return false;
        ++matched;
    }
    return matched == m.num_matched && koenig_bound(graph, {}, capacity, m.hall_set) == matched;
}

bool is_min_b_shares(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units, std::uint32_t num_right,
                     MinBShares const& shares) {
    auto const sums = loads(graph, units, shares.share, num_right);
    auto const member = membership(shares.hall_set, num_right);
    if (!sums || !member) return false;
    std::vector<std::uint32_t> isolated;
    for (std::uint32_t x = 0; x < graph.size(); ++x) {
        if (graph[x].empty() && units[x] > 0) isolated.push_back(x);
        if (!graph[x].empty() && sums->at_left[x] != units[x]) return false;
    }
    auto const busiest = std::max_element(sums->at_right.begin(), sums->at_right.end());
    if (isolated != shares.isolated || shares.b != (busiest == sums->at_right.end() ? 0 : *busiest)) return false;
    if (shares.b == 0) return true;
    auto const held = confined(graph, units, *member);
    return held > 0 && (held - 1) / shares.hall_set.size() + 1 >= shares.b;
}

bool is_max_b_shares(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units,
                     std::span<std::uint64_t const> capacity, MaxBShares const& shares) {
    auto const sums = loads(graph, units, shares.share, capacity.size());
    if (!sums) return false;
    std::uint64_t total = 0;
    for (std::size_t x = 0; x < graph.size(); ++x) {
        total += sums->at_left[x];
    }
    for (std::size_t v = 0; v < capacity.size(); ++v) {
        if (sums->at_right[v] > capacity[v]) return false;
    }
    return total == shares.total && koenig_bound(graph, units, capacity, shares.hall_set) == total;
}

}  // namespace regraft::matching
