// First-fit where that is optimal; elsewhere Euler splits of a regular graph (Gabow, Kariv 1982), with a perfect
// matching taken out, or a finished one put back, where the degree is odd.
#include "regraft/schedule/edge_colouring.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "schedule/euler_split.hpp"
#include "schedule/first_fit.hpp"
#include "schedule/merged_vertices.hpp"
#include "schedule/perfect_matching.hpp"
#include "schedule/regular_graph.hpp"
#include "schedule/threads.hpp"

namespace regraft::schedule {
namespace {

constexpr std::size_t most_edges = std::size_t{1} << 30;
/// The first levels of the recursion, whose halves are independent tasks.
constexpr unsigned parallel_levels = 3;
/// The number of pieces into which the first split is divided at most. Those of the next level have half as many each.
constexpr std::size_t most_pieces = 8;
/// The number of edges that a vertex has at least in a piece. With fewer, too many cycles would be cut.
constexpr std::size_t degree_in_a_piece = 8;

struct Degrees {
    std::vector<std::uint32_t> left;
    std::vector<std::uint32_t> right;
    std::uint32_t largest = 0;
};

std::vector<std::uint32_t> degrees(std::span<Edge const> edges, std::uint32_t Edge::*side) {
    std::uint32_t last = 0;
    for (auto const& edge : edges) last = std::max(last, edge.*side);
    std::vector<std::uint32_t> degree(edges.empty() ? 0 : std::size_t{last} + 1, 0);
    for (auto const& edge : edges) ++degree[edge.*side];
    return degree;
}

Degrees count_degrees(std::span<Edge const> edges) {
    Degrees degree;
#pragma omp parallel sections if (edges.size() >= worth_a_team)
    {
#pragma omp section
        degree.left = degrees(edges, &Edge::left);
#pragma omp section
        degree.right = degrees(edges, &Edge::right);
    }
    for (auto const& side : {std::span(degree.left), std::span(degree.right)}) {
        for (auto const number : side) degree.largest = std::max(degree.largest, number);
    }
    return degree;
}

/// Whether first-fit has a chance. Where all vertices of a side have about the largest degree it takes up to half as
/// many colours again, and paths to mend that are as long as there are vertices.
bool is_first_fit_promising(std::size_t num_edges, std::uint32_t num_vertices, std::uint32_t degree) {
    constexpr std::uint32_t few_vertices = 256;
    return num_vertices <= few_vertices || num_edges / 99 <= std::size_t{num_vertices} * degree / 100;
}

/// Colours a regular graph. Parts of it lie at their colours' places: colour c, once it is complete, is at c *
/// num_vertices, an edge per row.
class RegularColourer {
public:
    explicit RegularColourer(RegularGraph graph)
        : graph_(std::move(graph)),
          is_in_spare_(graph_.degree, 0),
          partner_(std::make_unique_for_overwrite<std::uint32_t[]>(graph_.num_edges())),
          entry_(std::make_unique_for_overwrite<std::uint8_t[]>(graph_.num_edges() / 2 + 1)) {}

    /// The colours by the numbers of edges.
    std::vector<std::uint32_t> colour(std::size_t num_edges) && {
        std::vector<std::uint32_t> colours(num_edges + 1);  // one for the edges that were added
#pragma omp parallel if (graph_.num_edges() >= worth_a_team)
        {
#pragma omp single
            colour(Subgraph{0, 0, graph_.degree, 0, 0});
#pragma omp for schedule(static)
            for (std::uint32_t c = 0; c < graph_.degree; ++c) {
                for (auto const& edge : rows(is_in_spare_[c], c, 1)) {
                    if (edge.edge < num_edges) colours[edge.edge] = c;
                }
            }
        }
        colours.pop_back();
        return colours;
    }

private:
    /// Rows of `degree` edges, to be coloured with first, first + 1, ..., and where they lie.
    struct Subgraph {
        std::uint8_t in_spare = 0;
        std::uint32_t first = 0;
        std::uint32_t degree = 0;
        /// Colours from here to `first` are complete, and may be redone.
        std::uint32_t lender = 0;
        unsigned level = 0;
    };

    std::span<HalfEdge> rows(std::uint8_t in_spare, std::uint32_t first, std::uint32_t degree) const {
        auto* const begin = (in_spare != 0 ? graph_.spare : graph_.rows).get();
        return {begin + std::size_t{first} * graph_.num_vertices, std::size_t{degree} * graph_.num_vertices};
    }

    void colour(Subgraph subgraph);
    Subgraph without_matching(Subgraph subgraph);
    Subgraph with_colour_before(Subgraph subgraph) const;
    void halve(Subgraph const& subgraph);

    RegularGraph graph_;
    std::vector<std::uint8_t> is_in_spare_;  // by colour
    std::unique_ptr<std::uint32_t[]> partner_;
    std::unique_ptr<std::uint8_t[]> entry_;
};

void RegularColourer::colour(Subgraph subgraph) {
    if (subgraph.degree > 1 && subgraph.degree % 2 == 1) {
        // Redoing a colour costs the edges of one colour a few splits, finding a matching much more.
        subgraph = subgraph.first > subgraph.lender ? with_colour_before(subgraph) : without_matching(subgraph);
    }
    if (subgraph.degree == 1) {
        is_in_spare_[subgraph.first] = subgraph.in_spare;
        return;
    }
    halve(subgraph);
    auto const half = subgraph.degree / 2;
    auto const middle = subgraph.first + half;
    auto const other = static_cast<std::uint8_t>(1 - subgraph.in_spare);
    bool const parallel = subgraph.level < parallel_levels;
    // Tasks must not wait for each other: the second one borrows nothing.
#pragma omp task if (parallel && half * std::size_t{graph_.num_vertices} >= worth_a_team)
    colour({other, subgraph.first, half, subgraph.lender, subgraph.level + 1});
    colour({other, middle, half, parallel ? middle : subgraph.lender, subgraph.level + 1});
}

/// Takes one colour out.
RegularColourer::Subgraph RegularColourer::without_matching(Subgraph subgraph) {
    extract_perfect_matching(rows(subgraph.in_spare, subgraph.first, subgraph.degree), graph_.num_vertices,
                             subgraph.degree);
    is_in_spare_[subgraph.first] = subgraph.in_spare;
    return {subgraph.in_spare, subgraph.first + 1, subgraph.degree - 1, subgraph.lender, subgraph.level};
}

/// Adds the edges of the colour before.
RegularColourer::Subgraph RegularColourer::with_colour_before(Subgraph subgraph) const {
    auto const before = subgraph.first - 1;
    auto const other = static_cast<std::uint8_t>(1 - subgraph.in_spare);
    auto const lent = rows(is_in_spare_[before], before, 1);
    auto const from = rows(subgraph.in_spare, subgraph.first, subgraph.degree);
    auto out = rows(other, before, subgraph.degree + 1).end();
    // From the last row on: what is lent may lie where the result goes, at its beginning.
    for (auto u = graph_.num_vertices; u-- > 0;) {
        auto const row = from.subspan(std::size_t{u} * subgraph.degree, subgraph.degree);
        auto const edge = lent[u];
        out = std::copy_backward(row.begin(), row.end(), out);
        *--out = edge;
    }
    return {other, before, subgraph.degree + 1, subgraph.lender, subgraph.level};
}

void RegularColourer::halve(Subgraph const& subgraph) {
    auto const edges = rows(subgraph.in_spare, subgraph.first, subgraph.degree);
    auto const offset = std::size_t{subgraph.first} * graph_.num_vertices;
    auto const pieces = std::min(most_pieces >> subgraph.level, subgraph.degree / degree_in_a_piece);
    split({.edges = edges,
           .halves = rows(1 - subgraph.in_spare, subgraph.first, subgraph.degree),
           .partner = {partner_.get() + offset, edges.size()},
           .entry = {entry_.get() + offset / 2, edges.size() / 2},
           .num_right = graph_.num_vertices,
           .num_pieces = edges.size() < worth_a_team ? 1 : std::max<std::size_t>(pieces, 1)});
}

}  // namespace

std::uint32_t largest_degree(std::span<Edge const> edges) {
    return count_degrees(edges).largest;
}

std::vector<std::uint32_t> colour_edges(std::span<Edge const> edges) {
    REGRAFT_EXPECTS(edges.size() <= most_edges);
    if (edges.empty()) return {};
    auto const [left_degrees, right_degrees, degree] = count_degrees(edges);
    auto const left = merge_vertices(left_degrees, degree);
    auto const right = merge_vertices(right_degrees, degree);
    if (is_first_fit_promising(edges.size(), std::max(left.count, right.count), degree)) {
        auto colours = first_fit(edges, left_degrees, right_degrees, degree);
        if (colours) return *std::move(colours);
    }
    auto graph = make_regular(edges, left_degrees, right_degrees, left, right, degree);
    return RegularColourer(std::move(graph)).colour(edges.size());
}

}  // namespace regraft::schedule
