// Random instances of the minimum-b-matching, and the optimum by trying all sets of right vertices.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
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

/// The optimum by duality: the largest ceil(|{x : N(x) in S}| / |S|), S a set of right vertices. Takes 2^num_right *
/// rows.
inline std::uint32_t brute_force_b(CsrView<std::uint32_t> graph, std::uint32_t num_right) {
    std::vector<std::uint32_t> neighbours;
    for (std::size_t x = 0; x < graph.size(); ++x) {
        std::uint32_t mask = 0;
        for (auto const v : graph[x]) mask |= 1U << v;
        if (mask != 0) neighbours.push_back(mask);
    }
    std::uint32_t best = 0;
    for (std::uint32_t set = 1; set < (1U << num_right); ++set) {
        std::uint32_t confined = 0;
        for (auto const mask : neighbours) confined += (mask & ~set) == 0 ? 1 : 0;
        auto const size = static_cast<std::uint32_t>(std::popcount(set));
        best = std::max(best, (confined + size - 1) / size);
    }
    return best;
}

/// How the neighbours of a left vertex are drawn.
enum class Family { uniform, neighbouring, skewed };

/// Up to max_degree neighbours per left vertex, sometimes none, sometimes one more than once.
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
