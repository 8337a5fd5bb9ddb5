// Which rank sends which block: every block that a living rank has is matched, and the busiest rank sends as few as
// possible. By augmenting paths (Ford and Fulkerson), beside a greedy choice; without MPI.
#include "regraft/matching/ford_fulkerson.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/matching/b_matching.hpp"

using namespace regraft;

namespace {

constexpr std::uint32_t num_ranks = 4;

/// The most blocks at one rank if each block in turn goes to the holder that has fewest so far.
std::uint32_t greedy(CsrView<std::uint32_t> holders) {
    std::vector<std::uint32_t> load(num_ranks);
    for (std::size_t block = 0; block < holders.size(); ++block) {
        if (holders[block].empty()) continue;
        ++load[*std::ranges::min_element(holders[block], {}, [&](std::uint32_t rank) { return load[rank]; })];
    }
    return std::ranges::max(load);
}

}  // namespace

int main() {
    // Row i lists the living ranks that have block i. None has block 4.
    Csr<std::uint32_t> holders;
    for (auto const& row :
         std::vector<std::vector<std::uint32_t>>{{0, 1}, {0, 1}, {0, 1}, {0}, {}, {2, 3}, {0}, {1, 2}})
        holders.push_row(row);

    auto const match = matching::ford_fulkerson_b_matching(holders, num_ranks);
    for (std::size_t block = 0; block < holders.size(); ++block) {
        if (match.right_of[block] != matching::unmatched)
            std::printf("block %zu comes from rank %u\n", block, match.right_of[block]);
        else
            std::printf("block %zu is lost\n", block);
    }
    std::printf("fewer than %u is impossible because of ranks", match.b);
    for (auto const rank : match.hall_set) std::printf(" %u", rank);
    std::printf(": together they have to send more than %zu blocks\n", (match.b - 1) * match.hall_set.size());

    bool const is_right = matching::is_b_matching(holders, num_ranks, match) &&
                          matching::hall_bound(holders, num_ranks, match.hall_set) == match.b;
    auto const faster = matching::min_b_matching(holders, num_ranks);
    std::printf("the busiest rank sends %u blocks%s, greedily %u; min_b_matching finds %u in less time\n", match.b,
                is_right ? "" : ", wrongly", greedy(holders), faster.b);
}
