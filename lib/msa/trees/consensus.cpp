#include "regraft/msa/consensus.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "msa/trees/cluster_tree.hpp"
#include "msa/trees/preorder.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/msa/splits.hpp"

namespace regraft::msa {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct MeanLength {
    double sum = 0;
    std::uint64_t count = 0;

    void add(double length) {
        if (std::isnan(length)) return;
        sum += length;
        ++count;
    }
    double value() const { return count == 0 ? not_a_number : sum / static_cast<double>(count); }
};

/// All splits of the trees, with their counts and lengths.
struct Tally {
    explicit Tally(std::uint32_t num_taxa) : table(num_taxa), tip_length(num_taxa) {}
    void add(GeneralTree const& tree);

    SplitTable table;
    std::vector<std::uint64_t> count;  // per split: number of trees
    std::vector<MeanLength> length;    // per split
    std::vector<MeanLength> tip_length;
};

void Tally::add(GeneralTree const& tree) {
    REGRAFT_EXPECTS(tree.num_taxa() == table.num_taxa());
    auto const ids = table.insert(TreeSplits(tree));
    auto const edges = inner_edges(tree);
    count.resize(table.size());
    length.resize(table.size());
    for (std::size_t i = 0; i < edges.size(); ++i) {
        ++count[ids[i]];
        length[ids[i]].add(tree.length[edges[i]]);
    }
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) {
        if (tree.is_tip(v)) tip_length[tree.taxon[v]].add(tree.length[v]);
    }
}

/// The splits of more than `threshold` of the trees, the most frequent first.
std::vector<SplitId> frequent(Tally const& tally, std::size_t num_trees, double threshold) {
    // 0.58 * 50 is slightly less than 29.
    constexpr double rounding = 1e-9;
    auto const limit = (threshold + rounding) * static_cast<double>(num_trees);
    // comes_before orders splits by their sorted taxa; mostly the first taxa decide.
    struct Split {
        SplitId id;
        std::array<std::uint32_t, 8> first;
    };
    std::vector<Split> splits;
    for (SplitId id = 0; id < tally.table.size(); ++id) {
        if (tally.count[id] < num_trees && static_cast<double>(tally.count[id]) <= limit) continue;
        auto& split = splits.emplace_back(Split{id, {}});
        split.first.fill(tally.table.num_taxa());
        std::ranges::partial_sort_copy(tally.table[id], split.first);
    }
    std::ranges::sort(splits, [&](Split const& a, Split const& b) {
        if (tally.count[a.id] != tally.count[b.id]) return tally.count[a.id] > tally.count[b.id];
        if (a.first != b.first) return a.first < b.first;
        return comes_before(tally.table[a.id], tally.table[b.id]);
    });
    std::vector<SplitId> ids;
    for (auto const& split : splits) ids.push_back(split.id);
    return ids;
}

}  // namespace

Consensus consensus(std::span<GeneralTree const> trees, double threshold) {
    REGRAFT_EXPECTS(!trees.empty() && 0 <= threshold && threshold <= 1);
    auto const num_taxa = trees[0].num_taxa();
    Tally tally(num_taxa);
    for (auto const& tree : trees) tally.add(tree);

    ClusterTree clusters(num_taxa);
    std::vector<SplitId> accepted;
    for (auto const id : frequent(tally, trees.size(), threshold)) {
        if (clusters.is_resolved()) break;
        if (clusters.insert(tally.table[id])) accepted.push_back(id);
    }

    Consensus result;
    for (auto const [v, parent] : preorder(clusters.parents(), num_taxa)) {
        bool const is_tip = v < num_taxa;
        bool const is_root = v == num_taxa;
        auto const split = is_tip || is_root ? 0 : accepted[v - num_taxa - 1];
        result.tree.parent.push_back(parent);
        result.tree.taxon.push_back(is_tip ? v : GeneralTree::no_taxon);
        result.tree.length.push_back(is_root  ? not_a_number
                                     : is_tip ? tally.tip_length[v].value()
                                              : tally.length[split].value());
        result.support.push_back(is_tip || is_root
                                     ? not_a_number
                                     : static_cast<double>(tally.count[split]) / static_cast<double>(trees.size()));
    }
    return result;
}

}  // namespace regraft::msa
