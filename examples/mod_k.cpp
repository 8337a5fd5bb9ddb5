// Mod-k placement: ranks with the same number modulo k keep the same blocks. How likely it is that deaths lose data, by
// the formula and by drawing; and what a random order of the ranks changes; without MPI.
#include "regraft/placement/mod_k.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#include "regraft/placement/loss.hpp"
#include "regraft/placement/loss_simulation.hpp"

using namespace regraft;

namespace {

constexpr std::uint64_t num_blocks = 100'000;
constexpr std::uint32_t num_ranks = 48;
constexpr std::uint32_t replicas = 3;

/// The number of blocks that are lost when these ranks die.
std::uint64_t lost(placement::ModK const& rule, std::vector<std::uint32_t> const& dead) {
    std::uint64_t blocks = 0;
    for (BlockId block{}; block < BlockId{num_blocks}; block = rule.run(block).last) {
        std::uint32_t living = rule.num_copies(block);
        for (std::uint32_t copy = 0; copy < rule.num_copies(block); ++copy)
            living -= std::ranges::count(dead, value(rule.holder(block, copy))) > 0 ? 1 : 0;
        blocks += living == 0 ? rule.run(block).size() : 0;
    }
    return blocks;
}

}  // namespace

int main() {
    placement::ModK const in_order(num_blocks, num_ranks, replicas);
    placement::ModK const at_random(num_blocks, num_ranks, replicas, {.seed = 1});
    std::vector<std::uint32_t> neighbours(2 * in_order.num_groups());
    std::iota(neighbours.begin(), neighbours.end(), 0U);
    for (auto const* rule : {&in_order, &at_random}) {
        std::printf("block 0 is on ranks");
        for (std::uint32_t copy = 0; copy < replicas; ++copy) std::printf(" %u", value(rule->holder(BlockId{0}, copy)));
        std::printf("; if ranks 0-31 die, %u blocks are lost, if 0, 16 and 32 do, %u\n",
                    static_cast<unsigned>(lost(*rule, neighbours)), static_cast<unsigned>(lost(*rule, {0, 16, 32})));
    }

    auto const model = placement::mod_k_groups(num_ranks, replicas);
    auto const draws = placement::HolderSets(in_order).simulate(100'000, 1);
    for (std::uint64_t const deaths : {3, 8, 16}) {
        auto const losses = std::ranges::count_if(draws, [&](std::uint64_t until) { return until <= deaths; });
        std::printf("%2u deaths lose data with probability %.5f, in %.5f of the draws\n", static_cast<unsigned>(deaths),
                    model.loss_probability(deaths), static_cast<double>(losses) / static_cast<double>(draws.size()));
    }
    std::printf("data is lost by death %.3f on average\n", model.expected_failures());
}
