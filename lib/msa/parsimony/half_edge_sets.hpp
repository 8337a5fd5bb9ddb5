// Fitch's sets for all directions of a tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "msa/parsimony/fitch.hpp"
#include "regraft/msa/tree.hpp"

namespace regraft::msa {

/// The sets of the subtree at the own side of every half-edge. Those of tips are given; the others are computed on
/// demand, from the two half-edges beyond the same node.
class HalfEdgeSets {
public:
    /// The planes must outlive this.
    explicit HalfEdgeSets(ParsimonySites::Planes const& planes)
        : planes_(planes), inner_(3 * std::size_t{planes.num_taxa() - 2} * planes.num_planes()) {}

    std::span<std::uint32_t const> groups() const { return planes_.groups(); }
    std::size_t num_planes() const { return planes_.num_planes(); }
    FitchSets operator[](HalfEdge h) const {
        auto const num_tips = planes_.num_taxa();
        return h < num_tips ? planes_.tip(h) : inner_.data() + std::size_t{h - num_tips} * num_planes();
    }

    /// Computes all sets. Precondition: complete tree.
    void compute(Tree const& tree);
    /// Updates sets after inner node h, next(h), next(next(h)) was put into an edge and the half-edges `joined` were
    /// connected differently: computes what depends on the sets of the new half-edges, as far as changes reach. Returns
    /// these half-edges and all whose sets changed; valid until the next call.
    std::span<HalfEdge const> update(Tree const& tree, HalfEdge h, std::span<HalfEdge const> joined);

private:
    bool compute(Tree const& tree, HalfEdge h);

    ParsimonySites::Planes const& planes_;
    std::vector<Plane> inner_;  // [half-edge - tips][plane]
    std::vector<HalfEdge> changed_;
};

}  // namespace regraft::msa
