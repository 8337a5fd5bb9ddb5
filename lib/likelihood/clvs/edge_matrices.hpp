// The transition matrices of the edges.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "likelihood/kernels/aligned.hpp"
#include "likelihood/models/transitions.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::likelihood {

/// Keeps the matrices of every edge until its length changes.
class EdgeMatrices {
public:
    static constexpr std::size_t scratches = 3;  // matrices for lengths that are not in the tree

    /// Keeps views of the tree and of the transitions, whose shape must not change.
    EdgeMatrices(msa::Tree const& tree, std::uint32_t length_set, Transitions& transitions)
        : tree_(&tree),
          length_set_(length_set),
          transitions_(&transitions),
          matrices_(tree.num_half_edges()),
          is_valid_(tree.num_half_edges()),
          scratch_{memory(), memory(), memory()} {}

    void invalidate(msa::HalfEdge h) { is_valid_[number(h)] = 0; }
    void invalidate_all() { std::fill(is_valid_.begin(), is_valid_.end(), 0); }

    /// The matrices of h's edge.
    double const* of(msa::HalfEdge h) {
        auto& matrices = matrices_[number(h)];
        if (is_valid_[number(h)] != 0) return matrices.get();
        if (matrices == nullptr) matrices = memory();
        transitions_->fill_matrices(tree_->length(h, length_set_), matrices.get());
        is_valid_[number(h)] = 1;
        return matrices.get();
    }
    /// The matrices that h's edge would have if it had this length. Valid until the next call with this scratch.
    double const* of(msa::HalfEdge h, double length, std::size_t scratch) {
        if (length == tree_->length(h, length_set_)) return of(h);
        transitions_->fill_matrices(length, scratch_[scratch].get());
        return scratch_[scratch].get();
    }

private:
    Aligned<double> memory() const { return make_aligned<double>(transitions_->shape().matrices_size()); }
    msa::HalfEdge number(msa::HalfEdge h) const { return std::min(h, tree_->back(h)); }

    msa::Tree const* tree_;
    std::uint32_t length_set_;
    Transitions* transitions_;
    std::vector<Aligned<double>> matrices_;  // by number
    std::vector<char> is_valid_;
    std::array<Aligned<double>, scratches> scratch_;
};

}  // namespace regraft::likelihood
