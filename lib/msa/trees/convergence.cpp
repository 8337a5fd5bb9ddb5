#include "regraft/msa/convergence.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "msa/trees/cluster_tree.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"

namespace regraft::msa {
namespace {

/// The result of one permutation. Distances are in numbers of trees.
struct Halving {
    std::uint64_t distance = 0;
    std::uint64_t num_splits = 0;  // of both consensus trees
};

/// Half of the trees.
struct Half {
    std::vector<std::uint32_t> count;  // per split: number of trees of this half
    std::vector<SplitId> consensus;    // in increasing order
};

/// The splits that occur, the most frequent first; ties go to the lower number. O(splits + trees).
std::vector<SplitId> by_frequency(std::span<std::uint32_t const> count, std::size_t num_trees) {
    std::vector<std::size_t> begin(num_trees + 2);
    for (auto const c : count) ++begin[num_trees - c + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<SplitId> order(begin[num_trees]);
    for (SplitId id = 0; id < count.size(); ++id) {
        if (count[id] > 0) order[begin[num_trees - count[id]]++] = id;
    }
    return order;
}

Half half_of(SplitSets const& replicates, std::span<std::uint32_t const> trees) {
    Half half;
    half.count.resize(replicates.table().size());
    for (auto const tree : trees) {
        for (auto const id : replicates[tree]) ++half.count[id];
    }
    ClusterTree clusters(replicates.table().num_taxa());
    for (auto const id : by_frequency(half.count, trees.size())) {
        if (clusters.is_resolved()) break;
        if (clusters.insert(replicates.table()[id])) half.consensus.push_back(id);
    }
    std::ranges::sort(half.consensus);
    return half;
}

std::uint64_t distance(Half const& a, Half const& b) {
    std::vector<SplitId> of_either;
    std::ranges::set_union(a.consensus, b.consensus, std::back_inserter(of_either));
    std::uint64_t sum = 0;
    for (auto const id : of_either) {
        auto const in_a = std::ranges::binary_search(a.consensus, id) ? a.count[id] : 0;
        auto const in_b = std::ranges::binary_search(b.consensus, id) ? b.count[id] : 0;
        sum += std::max(in_a, in_b) - std::min(in_a, in_b);
    }
    return sum;
}

Halving halve(SplitSets const& replicates, Random random) {
    std::vector<std::uint32_t> trees(replicates.size());
    std::iota(trees.begin(), trees.end(), 0);
    shuffle(std::span(trees), random);
    auto const all = std::span<std::uint32_t const>(trees);
    auto const a = half_of(replicates, all.first(all.size() / 2));
    auto const b = half_of(replicates, all.subspan(all.size() / 2));
    return {distance(a, b), a.consensus.size() + b.consensus.size()};
}

}  // namespace

Convergence convergence(SplitSets const& replicates, ConvergenceOptions const& options) {
    REGRAFT_EXPECTS(options.permutations >= 1 && options.threads >= 1);
    if (replicates.size() < 2) return {.mean_distance = 1};
    std::vector<Halving> halvings(options.permutations);
#pragma omp parallel for schedule(static) num_threads(options.threads)
    for (std::size_t p = 0; p < halvings.size(); ++p) {
        halvings[p] = halve(replicates, Random(mix(options.seed) + p));
    }
    auto const half = static_cast<double>(replicates.size()) / 2;
    Convergence result;
    std::uint64_t distances = 0;
    std::uint64_t num_splits = 0;
    for (auto const& halving : halvings) {
        auto const most = half * static_cast<double>(halving.num_splits);
        auto const found = static_cast<double>(halving.distance);
        if (most > 0) result.mean_distance += found / most;
        if (found <= options.cutoff * most) ++result.num_close;
        distances += halving.distance;
        num_splits += halving.num_splits;
    }
    result.mean_distance /= static_cast<double>(halvings.size());
    result.is_reached = result.num_close >= std::uint64_t{99} * options.permutations / 100 &&
                        static_cast<double>(distances) <= options.cutoff * half * static_cast<double>(num_splits);
    return result;
}

}  // namespace regraft::msa
