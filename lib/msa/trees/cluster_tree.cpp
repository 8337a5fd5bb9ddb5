#include "msa/trees/cluster_tree.hpp"

#include "regraft/core/contracts.hpp"

namespace regraft::msa {

ClusterTree::ClusterTree(std::uint32_t num_tips)
    : num_tips_(num_tips), parent_(num_tips + 1, num_tips), size_(num_tips + 1, 1), covered_(num_tips + 1) {
    size_[num_tips] = num_tips;
}

bool ClusterTree::insert(SplitView split) {
    touched_.clear();
    full_.assign(split.begin(), split.end());
    auto const num_taxa = static_cast<std::uint32_t>(split.size());
    for (std::size_t i = 0; i < full_.size(); ++i) {
        auto const above = parent_[full_[i]];
        if (covered_[above] == 0) touched_.push_back(above);
        covered_[above] += size_[full_[i]];
        if (covered_[above] == size_[above]) full_.push_back(above);
    }
    std::uint32_t num_partial = 0;
    std::uint32_t partial = 0;
    for (auto const v : touched_) {
        if (covered_[v] < size_[v]) partial = v, ++num_partial;
        covered_[v] = 0;
    }
    // The taxa must be those below some of the children of one node.
    if (num_partial != 1) return false;
    auto const node = num_nodes();
    for (auto const v : full_) {
        if (parent_[v] == partial) parent_[v] = node;
    }
    parent_.push_back(partial);
    size_.push_back(num_taxa);
    covered_.push_back(0);
    return true;
}

}  // namespace regraft::msa
