// Sets that depend on others are computed after them; a change is propagated as far as it reaches.
#include "msa/parsimony/half_edge_sets.hpp"

namespace regraft::msa {

/// Computes the sets of an inner half-edge from its children. Returns whether they changed.
bool HalfEdgeSets::compute(Tree const& tree, HalfEdge h) {
    auto const left = tree.back(tree.next(h));
    auto const right = tree.back(tree.next(tree.next(h)));
    auto* const out = inner_.data() + std::size_t{h - tree.num_tips()} * num_planes();
    return combine(groups(), (*this)[left], (*this)[right], out);
}

void HalfEdgeSets::compute(Tree const& tree) {
    auto const order = postorder(tree, tree.back(0));
    for (auto const h : order) {
        if (!tree.is_tip(h)) compute(tree, h);
    }
    // Directions away from tip 0 are computed from the parent's other neighbours, which come first.
    for (auto i = order.size(); i-- > 0;) {
        auto const away = tree.back(order[i]);
        if (!tree.is_tip(away)) compute(tree, away);
    }
}

std::span<HalfEdge const> HalfEdgeSets::update(Tree const& tree, HalfEdge h, std::span<HalfEdge const> joined) {
    changed_.assign(joined.begin(), joined.end());
    for (int i = 0; i < 3; ++i, h = tree.next(h)) {
        compute(tree, h);
        changed_.push_back(h);
    }
    for (std::size_t i = 0; i < changed_.size(); ++i) {
        auto const at = tree.back(changed_[i]);
        for (auto x = tree.next(at); x != at; x = tree.next(x)) {
            if (compute(tree, x)) changed_.push_back(x);
        }
    }
    return changed_;
}

}  // namespace regraft::msa
