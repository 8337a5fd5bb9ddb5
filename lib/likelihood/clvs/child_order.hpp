// The order in which the subtrees of a node's children are computed.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/msa/tree.hpp"

namespace regraft::likelihood {

/// The second child comes first where its subtree was found to be larger.
class ChildOrder {
public:
    explicit ChildOrder(msa::Tree const& tree) : tree_(&tree), second_is_first_(tree.num_half_edges()) {}

    /// Puts the larger children in the subtree of h first. So the number of CLVs that are needed at once grows with the
    /// logarithm of its size.
    void put_larger_first(msa::HalfEdge h) {
        num_below_.resize(tree_->num_half_edges(), 1);
        for (auto const g : msa::postorder(*tree_, h)) {
            if (tree_->is_tip(g)) continue;
            auto const left = num_below_[tree_->back(tree_->next(g))];
            auto const right = num_below_[tree_->back(tree_->next(tree_->next(g)))];
            second_is_first_[g] = right > left ? 1 : 0;
            num_below_[g] = left + right;
        }
    }

    /// The child of the inner g that comes first (0) or second (1).
    msa::HalfEdge child(msa::HalfEdge g, int which) const {
        auto const side = tree_->next(g);
        auto const is_second = (which == 0) == (second_is_first_[g] != 0);
        return tree_->back(is_second ? tree_->next(side) : side);
    }

private:
    msa::Tree const* tree_;
    std::vector<char> second_is_first_;     // per half-edge
    std::vector<std::uint32_t> num_below_;  // per half-edge: number of tips of its subtree
};

}  // namespace regraft::likelihood
