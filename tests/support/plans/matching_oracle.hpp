// Random small instances of the b-matchings, and their optima by trying all sets of right vertices.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/core/random.hpp"

namespace regraft::test {

using Graph = Csr<std::uint32_t>;

inline Graph graph(std::vector<std::vector<std::uint32_t>> const& rows) {
    Graph result;
    for (auto const& row : rows) result.push_row(row);
    return result;
}

/// For every set of right vertices (as a bit mask) how many units of left vertices have all their neighbours in it;
/// isolated left vertices are not counted. O(rows + num_right * 2^num_right).
inline std::vector<std::uint64_t> confined_units(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units,
                                                 std::uint32_t num_right) {
    std::vector<std::uint64_t> confined(std::size_t{1} << num_right, 0);
    for (std::size_t x = 0; x < graph.size(); ++x) {
        std::uint32_t neighbours = 0;
        for (auto const v : graph[x]) neighbours |= 1U << v;
        if (neighbours != 0) confined[neighbours] += units[x];
    }
    // Sums over subsets, one right vertex at a time (Yates 1937).
    for (std::size_t bit = 1; bit < confined.size(); bit *= 2) {
        for (std::size_t block = 0; block < confined.size(); block += 2 * bit) {
            for (std::size_t set = block; set < block + bit; ++set) confined[set + bit] += confined[set];
        }
    }
    return confined;
}

/// The optimum by duality: the largest ceil(confined units of S / |S|), S a set of right vertices.
inline std::uint64_t brute_force_b(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units,
                                   std::uint32_t num_right) {
    auto const confined = confined_units(graph, units, num_right);
    // The largest value for each size of S comes first, so that there are few divisions.
    std::array<std::uint64_t, 33> most{};
    for (std::size_t set = 1; set < confined.size(); ++set) {
        auto& largest = most[static_cast<std::size_t>(std::popcount(set))];
        largest = std::max(largest, confined[set]);
    }
    std::uint64_t best = 0;
    for (std::uint64_t size = 1; size <= num_right; ++size) best = std::max(best, (most[size] + size - 1) / size);
    return best;
}

inline std::uint32_t brute_force_b(CsrView<std::uint32_t> graph, std::uint32_t num_right) {
    std::vector<std::uint64_t> const ones(graph.size(), 1);
    return static_cast<std::uint32_t>(brute_force_b(graph, ones, num_right));
}

/// The most units that find a place, by duality: the least of the capacity of S plus the units not confined to S.
template <class Capacity>
std::uint64_t brute_force_max(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units,
                              std::vector<Capacity> const& capacity) {
    auto const confined = confined_units(graph, units, static_cast<std::uint32_t>(capacity.size()));
    auto best = confined.back();
    for (std::size_t set = 0; set < confined.size(); ++set) {
        auto cut = confined.back() - confined[set];
        for (std::size_t v = 0; v < capacity.size() && cut < best; ++v) {
            if ((set >> v & 1) != 0) cut += std::min<std::uint64_t>(capacity[v], confined.back());
        }
        best = std::min(best, cut);
    }
    return best;
}

/// The smallest largest sum of weights, by trying all ways, which takes degree^rows.
class BestWeightedB {
public:
    BestWeightedB(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> weight, std::uint32_t num_right)
        : graph_(graph), weight_(weight), load_(num_right, 0) {}

    std::uint64_t value() {
        place(0, 0);
        return best_;
    }

private:
    void place(std::size_t x, std::uint64_t largest) {
        if (largest >= best_) return;
        if (x == graph_.size()) {
            best_ = largest;
        } else if (graph_[x].empty()) {
            place(x + 1, largest);
        } else {
            for (auto const v : graph_[x]) {
                load_[v] += weight_[x];
                place(x + 1, std::max(largest, load_[v]));
                load_[v] -= weight_[x];
            }
        }
    }

    CsrView<std::uint32_t> graph_;
    std::span<std::uint64_t const> weight_;
    std::vector<std::uint64_t> load_;
    std::uint64_t best_ = std::numeric_limits<std::uint64_t>::max();
};

/// The smallest b >= lower_bound for which feasible(b) holds, in O(log(b - lower_bound)) calls.
template <class Feasible>
std::uint32_t smallest_feasible(std::uint32_t lower_bound, Feasible feasible) {
    if (feasible(lower_bound)) return lower_bound;
    std::uint32_t low = lower_bound;  // infeasible
    std::uint32_t step = 1;
    while (!feasible(low + step)) {
        low += step;
        step *= 2;
    }
    auto high = low + step;
    while (high - low > 1) {
        auto const middle = low + (high - low) / 2;
        (feasible(middle) ? high : low) = middle;
    }
    return high;
}

/// How the neighbours of a left vertex are drawn.
enum class Family { uniform, neighbouring, skewed };

/// Each left vertex has up to max_degree neighbours, sometimes none, sometimes one more than once.
inline Graph random_graph(Family family, std::uint32_t num_left, std::uint32_t num_right, std::uint32_t max_degree,
                          Random& random) {
    Graph result;
    for (std::uint32_t x = 0; x < num_left; ++x) {
        auto const degree = num_right == 0 ? 0 : random.below(max_degree + 1);
        auto const start = random.below(num_right + 1);
        for (std::uint64_t i = 0; i < degree; ++i) {
            switch (family) {
                case Family::uniform:
                    result.push_value(static_cast<std::uint32_t>(random.below(num_right)));
                    break;
                case Family::neighbouring:
                    result.push_value(static_cast<std::uint32_t>((start + i) % num_right));
                    break;
                case Family::skewed:
                    result.push_value(static_cast<std::uint32_t>(random.below(random.below(num_right) + 1)));
                    break;
            }
        }
        result.end_row();
    }
    return result;
}

}  // namespace regraft::test
