// Which rank takes over which sites of the dead: greedily those ranks that work on the partition already, since a
// partition that is new to a rank costs it a model; without MPI.
#include "regraft/assign/reassign.hpp"

#include <cstdio>
#include <vector>

#include "regraft/assign/balance.hpp"

using namespace regraft;

namespace {

unsigned count(std::uint64_t n) {
    return static_cast<unsigned>(n);
}

void print(char const* what, std::size_t rank, std::span<assign::Work const> row) {
    if (row.empty()) return;
    std::printf("rank %zu %s", rank, what);
    for (auto const& [sites, partition] : row)
        std::printf(" sites %u-%u of partition %u,", count(value(sites.first)), count(value(sites.last) - 1),
                    value(partition));
    std::printf(" %u in all\n", count(assign::num_sites(row)));
}

}  // namespace

int main() {
    std::vector<std::uint64_t> const partition_begin{0, 300, 420, 900, 1000, 1600, 2000};  // six genes
    constexpr std::uint32_t num_ranks = 8;
    auto const before = assign::balance(partition_begin, num_ranks);
    for (std::size_t rank = 0; rank < num_ranks; ++rank) print("has", rank, before[rank]);

    // Ranks 2 and 6 die. Every survivor computes the same.
    std::vector<PeId> const survivors{PeId{0}, PeId{1}, PeId{3}, PeId{4}, PeId{5}, PeId{7}};
    for (double const slack : {1.0, 1.2}) {
        auto const plan = assign::reassign(before, survivors, {.slack = slack, .method = assign::Method::greedy});
        std::printf("ranks 2 and 6 die, and ranks may have %.1f times the mean:\n", slack);
        std::uint64_t moved = 0;
        for (std::size_t rank = 0; rank < num_ranks; ++rank) {
            print("gains", rank, plan.gained[rank]);
            moved += assign::num_sites(plan.gained[rank]);
        }
        bool const is_right = assign::covers_once(plan.after, partition_begin);
        std::printf("%u sites move%s; %u times a partition is new to a rank\n", count(moved),
                    is_right ? "" : ", wrongly", count(plan.new_pairs));
    }
}
