#include "regraft/msa/support.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "regraft/core/contracts.hpp"
#include "regraft/msa/splits.hpp"

namespace regraft::msa {
namespace {

/// Number of splits that are processed at once, one per lane of a vector.
constexpr std::size_t num_lanes = 16;
using Lanes = std::array<std::int32_t, num_lanes>;

/// Sums up the support of each split of the reference over the replicates.
class SupportCount {
public:
    SupportCount(GeneralTree const& reference, SupportMetric metric);
    void add(GeneralTree const& replicate);
    /// The support of each split, in the order of inner_edges.
    std::vector<double> support() const;

private:
    void add_transfers(GeneralTree const& replicate);
    void add_transfers(GeneralTree const& replicate, std::span<SplitId const> splits);

    SupportMetric metric_;
    SplitTable table_;  // numbers are positions in inner_edges
    std::uint64_t num_replicates_ = 0;
    std::vector<std::uint64_t> found_;      // per split: number of replicates that have it
    std::vector<std::uint64_t> transfers_;  // per split: sum over all replicates
    std::vector<std::uint32_t> lighter_;    // per split: number of taxa on the lighter side
    std::vector<SplitId> lacking_;          // splits of the reference that this replicate lacks
    std::vector<Lanes> below_;              // per node of the replicate: number of taxa below it on the side without
                                            // taxon 0
    std::vector<std::int32_t> size_;        // per node of the replicate: number of taxa below it
};

SupportCount::SupportCount(GeneralTree const& reference, SupportMetric metric)
    : metric_(metric), table_(reference.num_taxa()) {
    TreeSplits const splits(reference);
    table_.insert(splits);
    REGRAFT_EXPECTS(table_.size() == splits.size());
    for (std::size_t i = 0; i < splits.size(); ++i) {
        auto const count = static_cast<std::uint32_t>(splits[i].size());
        lighter_.push_back(std::min(count, table_.num_taxa() - count));
    }
    found_.resize(splits.size());
    transfers_.resize(splits.size());
}

void SupportCount::add(GeneralTree const& replicate) {
    REGRAFT_EXPECTS(replicate.num_taxa() == table_.num_taxa());
    ++num_replicates_;
    std::vector<bool> is_here(table_.size());
    TreeSplits const splits(replicate);
    for (std::size_t i = 0; i < splits.size(); ++i) {
        if (auto const id = table_.find(splits, i)) is_here[*id] = true;
    }
    lacking_.clear();
    for (SplitId id = 0; id < table_.size(); ++id) {
        if (is_here[id]) {
            ++found_[id];
        } else {
            lacking_.push_back(id);
        }
    }
    if (metric_ == SupportMetric::transfer) add_transfers(replicate);
}

void SupportCount::add_transfers(GeneralTree const& replicate) {
    size_.assign(replicate.num_nodes(), 0);
    for (auto v = replicate.num_nodes(); v-- > 1;) {
        if (replicate.is_tip(v)) size_[v] = 1;
        size_[replicate.parent[v]] += size_[v];
    }
    auto rest = std::span<SplitId const>(lacking_);
    while (!rest.empty()) {
        auto const some = rest.first(std::min(rest.size(), num_lanes));
        add_transfers(replicate, some);
        rest = rest.subspan(some.size());
    }
}

/// If c of the s taxa below an edge are among the k taxa on one side of the split, k + s - 2c taxa must be transferred
/// until both sets are equal; all others must be, until they are complements.
void SupportCount::add_transfers(GeneralTree const& replicate, std::span<SplitId const> splits) {
    auto const num_taxa = static_cast<std::int32_t>(table_.num_taxa());
    Lanes side{};
    Lanes least{};
    least.fill(num_taxa);
    below_.assign(replicate.num_nodes(), Lanes{});
    std::vector<std::uint32_t> tip_of(table_.num_taxa());
    for (std::uint32_t v = 0; v < replicate.num_nodes(); ++v) {
        if (replicate.is_tip(v)) tip_of[replicate.taxon[v]] = v;
    }
    for (std::size_t lane = 0; lane < splits.size(); ++lane) {
        for (auto const t : table_[splits[lane]]) {
            below_[tip_of[t]][lane] = 1;
            ++side[lane];
        }
    }
    for (auto v = replicate.num_nodes(); v-- > 1;) {
        auto const& here = below_[v];
        auto& above = below_[replicate.parent[v]];
        for (std::size_t lane = 0; lane < num_lanes; ++lane) {
            auto const transfers = side[lane] + size_[v] - 2 * here[lane];
            least[lane] = std::min(least[lane], std::min(transfers, num_taxa - transfers));
            above[lane] += here[lane];
        }
    }
    for (std::size_t lane = 0; lane < splits.size(); ++lane) {
        transfers_[splits[lane]] += static_cast<std::uint64_t>(least[lane]);
    }
}

std::vector<double> SupportCount::support() const {
    REGRAFT_EXPECTS(num_replicates_ > 0);
    auto const replicates = static_cast<double>(num_replicates_);
    std::vector<double> support;
    for (SplitId id = 0; id < table_.size(); ++id) {
        auto const most = replicates * (lighter_[id] - 1);
        support.push_back(metric_ == SupportMetric::felsenstein ? static_cast<double>(found_[id]) / replicates
                                                                : 1 - static_cast<double>(transfers_[id]) / most);
    }
    return support;
}

std::vector<double> per_node(GeneralTree const& reference, SupportCount const& count) {
    std::vector<double> result(reference.num_nodes(), std::numeric_limits<double>::quiet_NaN());
    auto const support = count.support();
    auto const edges = inner_edges(reference);
    for (std::size_t i = 0; i < edges.size(); ++i) result[edges[i]] = support[i];
    return result;
}

}  // namespace

std::vector<double> edge_support(GeneralTree const& reference, std::span<GeneralTree const> replicates,
                                 SupportMetric metric) {
    SupportCount count(reference, metric);
    for (auto const& replicate : replicates) count.add(replicate);
    return per_node(reference, count);
}

std::vector<double> edge_support(Tree const& reference, std::span<Tree const> replicates, SupportMetric metric) {
    auto const [general, node_of_edge] = to_general(reference);
    SupportCount count(general, metric);
    for (auto const& replicate : replicates) count.add(to_general(replicate).tree);
    auto const support = per_node(general, count);
    std::vector<double> result;
    for (auto const v : node_of_edge) result.push_back(support[v]);
    return result;
}

}  // namespace regraft::msa
