#include "search/tasks/ultrafast/quartets.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"
#include "regraft/search/optimise.hpp"
#include "regraft/search/topology.hpp"

namespace regraft::search {

using msa::HalfEdge;
using msa::Tree;

namespace {

constexpr double spread = 2.5;   // the factor between the lengths of points 1, 2 and 3
constexpr double enough = 1e-2;  // as for best_lengths

/// The positions around the inner edge of h: two half-edges at h's end, then two at the other.
std::array<HalfEdge, 4> around(Tree const& tree, HalfEdge h) {
    auto const left = tree.next(h);
    auto const right = tree.next(tree.back(h));
    return {left, tree.next(left), right, tree.next(right)};
}

}  // namespace

Clades::Clades(Tree const& tree) : away_(clade_hashes(tree)), own_(away_) {
    auto const all = away_[tree.back(0)] ^ mix(0);
    for (HalfEdge h = 0; h < own_.size(); ++h) {
        if (away_[h] == 0) own_[h] = all ^ away_[tree.back(h)];
    }
    for (HalfEdge h = 0; h < own_.size(); ++h) {
        if (away_[h] == 0) away_[h] = own_[tree.back(h)];
    }
}

HalfEdge Clades::find(std::uint64_t away) const {
    return static_cast<HalfEdge>(std::ranges::find(away_, away) - away_.begin());
}

std::uint64_t Quartet::key() const {
    std::uint64_t key = 0;
    for (auto const cluster : clusters) key += mix(cluster);
    return key;
}

std::uint64_t Quartet::split(std::uint32_t r) const {
    auto const all = clusters[0] ^ clusters[1] ^ clusters[2] ^ clusters[3];
    auto const one_side = clusters[0] ^ clusters[r + 1];
    return std::min(one_side, all ^ one_side);
}

Quartet quartet_at(Tree const& tree, Clades const& clades, HalfEdge h) {
    auto const positions = around(tree, h);
    std::array<std::pair<std::uint64_t, std::uint32_t>, 4> sorted;
    for (std::uint32_t i = 0; i < 4; ++i) sorted[i] = {clades[tree.back(positions[i])], i};
    std::ranges::sort(sorted);
    Quartet quartet;
    quartet.h = h;
    for (std::uint32_t i = 0; i < 4; ++i) {
        quartet.clusters[i] = sorted[i].first;
        quartet.face[i] = positions[sorted[i].second];
    }
    auto const partner = sorted[0].second ^ 1;  // its position at the same end
    while (sorted[quartet.resolution + 1].second != partner) ++quartet.resolution;
    return quartet;
}

std::uint32_t variant_towards(Tree const& tree, Quartet const& quartet, std::uint32_t resolution) {
    REGRAFT_EXPECTS(resolution != quartet.resolution);
    auto const positions = around(tree, quartet.h);
    auto const place = [&](std::uint32_t cluster) {
        return static_cast<std::uint32_t>(std::ranges::find(positions, quartet.face[cluster]) - positions.begin());
    };
    // An interchange moves the first position to the third (variant 0) or the fourth (variant 1), and back.
    auto const moved = [](std::uint32_t at, std::uint32_t variant) {
        auto const other = 2 + variant;
        return at == 0 ? other : at == other ? 0 : at;
    };
    for (std::uint32_t variant = 0; variant < 2; ++variant) {
        if (moved(place(0), variant) / 2 == moved(place(resolution + 1), variant) / 2) return variant;
    }
    REGRAFT_EXPECTS(!"one of both interchanges leads there");
    return 0;
}

std::array<HalfEdge, 5> edges_of(Quartet const& quartet) {
    auto const& face = quartet.face;
    return {face[0], face[1], face[2], face[3], quartet.h};
}

Quartet after(Tree const& tree, Quartet quartet, msa::TreeUndo const& move, std::uint32_t resolution) {
    // Clusters have come with their edges to other positions.
    for (auto& face : quartet.face) {
        auto const touched = std::ranges::find(move.touched, face);
        if (touched != move.touched.end())
            face = tree.back(move.back[static_cast<std::size_t>(touched - move.touched.begin())]);
    }
    quartet.resolution = resolution;
    return quartet;
}

QuartetView::QuartetView(DistributedLikelihood& likelihood, LocalPatterns const& patterns, Quartet quartet,
                         std::uint32_t resolution, std::span<double const> lengths, Branches optimised)
    : likelihood_(likelihood), patterns_(patterns), quartet_(quartet) {
    lengths_before_ = lengths_of(likelihood.tree(), edges_of(quartet_));
    if (resolution != quartet_.resolution) {
        move_ = likelihood.nni(quartet_.h, variant_towards(likelihood.tree(), quartet_, resolution));
        quartet_ = after(likelihood.tree(), quartet_, *move_, resolution);
    }
    if (!lengths.empty()) set_lengths(likelihood_, edges_of(quartet_), lengths);
    if (optimised == Branches::inner) optimise_branch(likelihood_, quartet_.h, enough);
    if (optimised == Branches::all) optimise_all();
}

QuartetView::~QuartetView() {
    // Lengths follow their edges, so they are restored before the interchange is.
    set_lengths(likelihood_, edges_of(quartet_), lengths_before_);
    if (move_) likelihood_.undo(*move_);
}

void QuartetView::optimise_all() {
    constexpr int max_passes = 3;
    constexpr double tolerance = 0.05;
    for (int pass = 0; pass < max_passes; ++pass) {
        double gain = optimise_branch(likelihood_, quartet_.h, enough);
        for (auto edge : quartet_.face) gain += optimise_branch(likelihood_, edge, enough);
        if (gain < tolerance) break;
    }
}

Resolved QuartetView::best() const {
    return {lengths_of(likelihood_.tree(), edges_of(quartet_)), pattern_loglh(likelihood_, patterns_, quartet_.h)};
}

std::vector<std::vector<double>> QuartetView::at_point(std::uint32_t point) const {
    std::array const edge{quartet_.h};
    auto const best = lengths_of(likelihood_.tree(), edge);
    auto const least = 1 / static_cast<double>(patterns_.all.num_sites());  // a single change
    auto lengths = best;
    for (auto& length : lengths) {
        auto const middle = std::clamp(std::max(length, least), spread * min_branch_length, max_branch_length / spread);
        length = std::array{min_branch_length, middle / spread, middle, middle * spread}[point];
    }
    set_lengths(likelihood_, edge, lengths);
    auto result = pattern_loglh(likelihood_, patterns_, quartet_.h);
    set_lengths(likelihood_, edge, best);
    return result;
}

double profile(std::array<double, num_points> const& sums) {
    auto best = *std::ranges::max_element(sums);
    auto const slope = (sums[3] - sums[1]) / 2;
    auto const curvature = sums[3] - 2 * sums[2] + sums[1];
    if (curvature < 0 && slope <= -curvature && slope >= curvature)
        best = std::max(best, sums[2] - slope * slope / (2 * curvature));
    return best;
}

}  // namespace regraft::search
