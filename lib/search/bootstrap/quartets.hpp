// The three resolutions of an inner edge, each with its own branch lengths.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regraft/msa/tree.hpp"
#include "regraft/search/distributed_likelihood.hpp"
#include "regraft/search/tested_trees.hpp"

namespace regraft::search {

/// The sets of taxa behind the half-edges of a tree, as hashes.
class Clades {
public:
    explicit Clades(msa::Tree const& tree);
    /// The hash of the taxa on h's own side of its edge.
    std::uint64_t operator[](msa::HalfEdge h) const { return own_[h]; }
    /// The hash of the taxa on the side of h's edge that lacks tip 0, as in clade_hashes.
    std::uint64_t away(msa::HalfEdge h) const { return away_[h]; }
    /// An end of the edge with this hash. Precondition: there is one.
    msa::HalfEdge find(std::uint64_t away) const;

private:
    std::vector<std::uint64_t> away_;
    std::vector<std::uint64_t> own_;
};

inline constexpr std::uint32_t num_resolutions = 3;

/// An inner edge between four clusters of taxa, which are in the order of their hashes. Resolution r joins cluster 0
/// with cluster r + 1.
struct Quartet {
    std::array<std::uint64_t, 4> clusters{};
    std::array<msa::HalfEdge, 4> face{};  // the half-edge at the inner edge towards each cluster
    msa::HalfEdge h = 0;                  // of the inner edge
    std::uint32_t resolution = 0;         // that of the tree

    /// The same for all edges between these clusters, whatever their resolution.
    std::uint64_t key() const;
    /// The same for all edges with this split.
    std::uint64_t split(std::uint32_t resolution) const;
};
Quartet quartet_at(msa::Tree const& tree, Clades const& clades, msa::HalfEdge h);

/// The interchange that leads to a resolution, for Tree::nni. Precondition: it is not the present one.
std::uint32_t variant_towards(msa::Tree const& tree, Quartet const& quartet, std::uint32_t resolution);

/// The quartet after a move of the tree that variant_towards told.
Quartet after(msa::Tree const& tree, Quartet quartet, msa::TreeUndo const& move, std::uint32_t resolution);
/// Its edges: those to the clusters, then the inner one.
std::array<msa::HalfEdge, 5> edges_of(Quartet const& quartet);

/// What a resolution is like with its best branch lengths, and with other lengths of the inner edge.
struct Resolved {
    std::vector<double> lengths;            // [cluster 0 .. 3, inner edge][length set]
    std::vector<std::vector<double>> best;  // log-likelihood of each local pattern: [partition][pattern]
};

/// A length of the inner edge that a resample might prefer: the least, or some lengths around the best one.
inline constexpr std::uint32_t num_points = 4;  // 0: the least; 2: the best, or that of one change

/// Gives the edge of the quartet a resolution and looks at it. The branches around are optimised; the tree stays as it
/// is in the end, bit by bit.
class QuartetView {
public:
    /// Makes the interchange, and gives the branches around these lengths, as in Resolved. Without any it optimises
    /// them.
    QuartetView(DistributedLikelihood& likelihood, LocalPatterns const& patterns, Quartet quartet,
                std::uint32_t resolution, std::span<double const> lengths = {});
    QuartetView(QuartetView const&) = delete;
    QuartetView& operator=(QuartetView const&) = delete;
    /// Restores the tree.
    ~QuartetView();

    /// With the best lengths. Collective if sites were left out.
    Resolved best() const;
    /// The log-likelihoods with another length of the inner edge. Collective if sites were left out.
    std::vector<std::vector<double>> at_point(std::uint32_t point) const;

private:
    void optimise();

    DistributedLikelihood& likelihood_;
    LocalPatterns const& patterns_;
    Quartet quartet_;
    std::vector<double> lengths_before_;
    std::optional<msa::TreeUndo> move_;
};

/// The greatest of the sums at all points, with those between the points by a parabola of the logarithm of the length.
double profile(std::array<double, num_points> const& sums);

}  // namespace regraft::search
