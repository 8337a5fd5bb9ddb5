// The three resolutions of an inner edge (those of nearest-neighbour interchanges), each with its own branch lengths.
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

/// The sets of taxa on both sides of the edges of a tree, as hashes.
class Clades {
public:
    /// O(taxa).
    explicit Clades(msa::Tree const& tree);
    /// The hash of the taxa on h's side of its edge, the side of h's node.
    std::uint64_t operator[](msa::HalfEdge h) const { return own_[h]; }
    /// The hash of the taxa on the side of h's edge that lacks tip 0, as in clade_hashes.
    std::uint64_t away(msa::HalfEdge h) const { return away_[h]; }
    /// One end of the edge for which away() returns this hash. Precondition: there is one. O(taxa).
    msa::HalfEdge find(std::uint64_t away) const;

private:
    std::vector<std::uint64_t> away_;
    std::vector<std::uint64_t> own_;
};

inline constexpr std::uint32_t num_resolutions = 3;

/// An inner edge between four clusters of taxa, which are in the order of their hashes. Resolution r joins cluster 0
/// with cluster r + 1.
struct Quartet {
    std::array<std::uint64_t, 4> clusters{};  // hashes of their taxa, ascending
    std::array<msa::HalfEdge, 4> face{};      // the half-edge at an end of the inner edge towards each cluster
    msa::HalfEdge h = 0;                      // one end of the inner edge
    std::uint32_t resolution = 0;             // the one that the tree has

    /// A number that all edges between these clusters have in common, whatever their resolution.
    std::uint64_t key() const;
    /// A number for the split that the inner edge has under a resolution.
    std::uint64_t split(std::uint32_t resolution) const;
};
/// The quartet around an inner edge. clades: those of the tree.
Quartet quartet_at(msa::Tree const& tree, Clades const& clades, msa::HalfEdge h);

/// The variant of Tree::nni at quartet.h that leads to a resolution. Precondition: it is not the present one.
std::uint32_t variant_towards(msa::Tree const& tree, Quartet const& quartet, std::uint32_t resolution);

/// The quartet after the tree has made the move that leads to a resolution (variant_towards).
Quartet after(msa::Tree const& tree, Quartet quartet, msa::TreeUndo const& move, std::uint32_t resolution);
/// The edges of a quartet: those to the clusters in their order, then the inner one.
std::array<msa::HalfEdge, 5> edges_of(Quartet const& quartet);

/// A resolution with its best branch lengths.
struct Resolved {
    std::vector<double> lengths;            // [cluster 0 .. 3, inner edge][length set]
    std::vector<std::vector<double>> best;  // log-likelihood of each local pattern: [partition][pattern]
};

/// The number of lengths of the inner edge at which a resolution is evaluated. Point 0 is min_branch_length; point 2
/// the best length, but at least that of one change in all sites; points 1 and 3 are a factor of 2.5 below and above
/// it.
inline constexpr std::uint32_t num_points = 4;

/// Which branches of a quartet are optimised.
enum class Branches : std::uint8_t { none, inner, all };

/// Gives the edge of a quartet a resolution as long as this object lives. In the end the tree is as it was, bit by bit.
/// Collective over the PEs of the likelihood, as far as said.
class QuartetView {
public:
    /// Makes the interchange, if any is needed, and gives the five branches these lengths, as Resolved::lengths, if
    /// there are any. Then it optimises branches, which is collective. Keeps references to likelihood and patterns.
    QuartetView(DistributedLikelihood& likelihood, LocalPatterns const& patterns, Quartet quartet,
                std::uint32_t resolution, std::span<double const> lengths, Branches optimised);
    QuartetView(QuartetView const&) = delete;
    QuartetView& operator=(QuartetView const&) = delete;
    /// Restores the tree.
    ~QuartetView();

    /// The log-likelihoods with the lengths that the branches have now. Collective if sites were left out.
    Resolved best() const;
    /// The log-likelihood of each local pattern, [partition][pattern], with another length of the inner edge: that of a
    /// point below num_points. Collective if sites were left out.
    std::vector<std::vector<double>> at_point(std::uint32_t point) const;

private:
    void optimise_all();

    DistributedLikelihood& likelihood_;
    LocalPatterns const& patterns_;
    Quartet quartet_;
    std::vector<double> lengths_before_;
    std::optional<msa::TreeUndo> move_;
};

/// The greatest log-likelihood of a replicate over the lengths of the inner edge. sums: its log-likelihoods at the
/// points. Between points 1 and 3 it follows from the parabola through them, as a function of the logarithm of the
/// length.
double profile(std::array<double, num_points> const& sums);

}  // namespace regraft::search
