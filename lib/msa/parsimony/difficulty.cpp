#include "regraft/msa/difficulty.hpp"

#include <utility>

#include "regraft/core/random.hpp"
#include "regraft/msa/compare.hpp"
#include "regraft/msa/splits.hpp"

namespace regraft::msa {
namespace {

constexpr std::size_t num_trees = 6;
/// Trees from stepwise addition alone differ even where data are clear; a few near moves settle that.
constexpr SprOptions moves{.radius = 5, .rounds = 3};

}  // namespace

double difficulty(ParsimonySites const& sites, std::uint64_t seed, SumOverParts const& sum) {
    auto const num_taxa = sites.num_taxa();
    if (num_taxa < 4) return 0;  // one topology
    SplitSets trees(num_taxa);
    for (std::size_t i = 0; i < num_trees; ++i) {
        trees.add(shorten_by_spr(stepwise_addition(sites, mix(seed) + i, sum), sites, moves, sum));
    }
    std::uint64_t different = 0;
    for (std::size_t i = 0; i < num_trees; ++i) {
        for (auto const distance : robinson_foulds(trees, i, i + 1)) different += distance;
    }
    constexpr auto num_pairs = num_trees * (num_trees - 1) / 2;
    auto const most = num_pairs * 2 * (num_taxa - 3);
    return static_cast<double>(different) / static_cast<double>(most);
}

}  // namespace regraft::msa
