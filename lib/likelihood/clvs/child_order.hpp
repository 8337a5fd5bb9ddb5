// The order in which the subtrees of a node's children are computed.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "regraft/msa/tree.hpp"

namespace regraft::likelihood {

/// The child with more tips comes first. So the number of CLVs that are needed at once grows with the logarithm of the
/// number of tips.
class ChildOrder {
public:
    explicit ChildOrder(msa::Tree const& tree) : tree_(&tree), num_below_(tree.num_half_edges()) {}

    /// Forgets how many tips h sees. Returns whether it was known.
    bool forget(msa::HalfEdge h) { return std::exchange(num_below_[h], 0) != 0; }
    /// Counts the tips that the half-edges in the subtree of h see, as far as they are not known.
    void count(msa::HalfEdge h) {
        std::vector<msa::HalfEdge> unknown;
        if (num_below_[h] == 0) unknown.push_back(h);
        for (std::size_t i = 0; i < unknown.size(); ++i) {
            for (auto const child : children(unknown[i])) {
                if (num_below_[child] == 0) unknown.push_back(child);
            }
        }
        for (; !unknown.empty(); unknown.pop_back()) {
            auto const g = unknown.back();
            num_below_[g] = tree_->is_tip(g) ? 1 : 0;
            for (auto const child : children(g)) num_below_[g] += num_below_[child];
        }
    }

    /// The child of the inner g that comes first (0) or second (1). Precondition: count was called.
    msa::HalfEdge child(msa::HalfEdge g, int which) const {
        auto const [left, right] = both(g);
        return (which == 0) == (num_below_[right] > num_below_[left]) ? right : left;
    }

private:
    std::pair<msa::HalfEdge, msa::HalfEdge> both(msa::HalfEdge g) const {
        auto const side = tree_->next(g);
        return {tree_->back(side), tree_->back(tree_->next(side))};
    }
    std::vector<msa::HalfEdge> children(msa::HalfEdge g) const {
        if (tree_->is_tip(g)) return {};
        auto const [left, right] = both(g);
        return {left, right};
    }

    msa::Tree const* tree_;
    std::vector<std::uint32_t> num_below_;  // per half-edge: number of tips that it sees; 0: not known
};

}  // namespace regraft::likelihood
