// Requests to a replicated store that are awkward on purpose: nothing, everything, the same twice, out of order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/core/random.hpp"

namespace regraft::test {

/// Any range within n blocks; short ones are as likely as long ones, and it may be empty.
inline BlockRange random_range(std::uint64_t n, Random& random) {
    auto const first = random.below(n + 1);
    auto const longest = random.below(n - first + 1);
    return {BlockId{first}, BlockId{first + random.below(longest + 1)}};
}

/// What one PE wants of n blocks.
inline std::vector<BlockRange> random_request(std::uint64_t n, Random& random) {
    std::vector<BlockRange> wanted;
    switch (random.below(6)) {
        case 0:
            break;
        case 1:
            wanted.push_back({BlockId{0}, BlockId{n}});
            break;
        case 2:  // the same twice
            wanted.push_back(random_range(n, random));
            wanted.push_back(wanted.front());
            break;
        case 3:  // single blocks
            for (auto left = n == 0 ? 0 : random.below(8); left > 0; --left) {
                auto const id = BlockId{random.below(n)};
                wanted.push_back({id, advance(id, 1)});
            }
            break;
        default:
            for (auto left = random.below(4); left > 0; --left) wanted.push_back(random_range(n, random));
    }
    return wanted;
}

/// What every member wants, one row for each.
inline Csr<BlockRange> random_requests(std::uint64_t n, std::size_t num_members, Random& random) {
    Csr<BlockRange> rows;
    for (std::size_t i = 0; i < num_members; ++i) rows.push_row(random_request(n, random));
    return rows;
}

/// Disjoint ranges that cover n blocks, one for each member in a random order; some may be empty.
inline std::vector<BlockRange> random_parts(std::uint64_t n, std::size_t num_members, Random& random) {
    std::vector<std::uint64_t> cuts{0, n};
    while (cuts.size() <= num_members) cuts.push_back(random.below(n + 1));
    std::sort(cuts.begin(), cuts.end());
    std::vector<BlockRange> parts;
    for (std::size_t i = 0; i < num_members; ++i) parts.push_back({BlockId{cuts[i]}, BlockId{cuts[i + 1]}});
    shuffle(std::span(parts), random);
    return parts;
}

}  // namespace regraft::test
