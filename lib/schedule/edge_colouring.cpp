// First-fit with alternating paths (Koenig 1916), on a graph whose small vertices have been merged (Gabow, Kariv 1982),
// so that a table of vertices times colours takes no more room than the edges.
#include "regraft/schedule/edge_colouring.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

#include "regraft/core/contracts.hpp"

namespace regraft::schedule {
namespace {

constexpr auto none = std::numeric_limits<std::uint32_t>::max();

std::vector<std::uint32_t> degrees(std::span<Edge const> edges, std::uint32_t Edge::*side) {
    std::vector<std::uint32_t> degree;
    for (auto const& edge : edges) {
        if (edge.*side >= degree.size()) degree.resize(std::size_t{edge.*side} + 1, 0);
        ++degree[edge.*side];
    }
    return degree;
}

std::uint32_t largest(std::span<std::uint32_t const> degree) {
    return degree.empty() ? 0 : *std::max_element(degree.begin(), degree.end());
}

/// For every vertex the number of the merged vertex it belongs to, from `next` on. Neighbours in number are merged
/// while their degrees fit into the limit, so that two consecutive merged vertices exceed it: there are few of them.
std::vector<std::uint32_t> merge_small(std::span<std::uint32_t const> degree, std::uint32_t limit, std::uint32_t next) {
    std::vector<std::uint32_t> merged(degree.size());
    std::uint64_t filled = 0;
    for (std::size_t v = 0; v < degree.size(); ++v) {
        if (filled + degree[v] > limit) {
            ++next;
            filled = 0;
        }
        filled += degree[v];
        merged[v] = next;
    }
    return merged;
}

/// Which edge has which colour at which vertex.
class Palette {
public:
    Palette(std::size_t num_vertices, std::uint32_t num_colours)
        : num_colours_(num_colours),
          num_words_((std::size_t{num_colours} + 63) / 64),
          edge_(num_vertices * num_colours, none),
          free_(num_vertices * num_words_, ~std::uint64_t{0}),
          first_word_(num_vertices, 0) {
        // The colours that fill up the last word do not exist.
        if (num_colours % 64 == 0) return;
        for (std::size_t v = 0; v < num_vertices; ++v)
            word(v, num_words_ - 1) = ~std::uint64_t{0} >> (64 - num_colours % 64);
    }

    std::uint32_t edge(std::uint32_t v, std::uint32_t colour) const { return edge_[index(v, colour)]; }

    void put(std::uint32_t v, std::uint32_t colour, std::uint32_t edge) {
        edge_[index(v, colour)] = edge;
        word(v, colour / 64) &= ~(std::uint64_t{1} << (colour % 64));
    }
    void clear(std::uint32_t v, std::uint32_t colour) {
        edge_[index(v, colour)] = none;
        word(v, colour / 64) |= std::uint64_t{1} << (colour % 64);
        first_word_[v] = std::min(first_word_[v], colour / 64);
    }

    /// The smallest colour free at both vertices, or none. first_free(v, v): at one.
    std::uint32_t first_free(std::uint32_t v, std::uint32_t w) {
        skip_full_words(v);
        skip_full_words(w);
        for (std::size_t i = std::max(first_word_[v], first_word_[w]); i < num_words_; ++i) {
            auto const both = word(v, i) & word(w, i);
            if (both != 0)
                return static_cast<std::uint32_t>(64 * i) + static_cast<std::uint32_t>(std::countr_zero(both));
        }
        return none;
    }

private:
    std::size_t index(std::uint32_t v, std::uint32_t colour) const { return std::size_t{v} * num_colours_ + colour; }
    std::uint64_t& word(std::size_t v, std::size_t i) { return free_[v * num_words_ + i]; }
    void skip_full_words(std::uint32_t v) {
        while (first_word_[v] < num_words_ && word(v, first_word_[v]) == 0) ++first_word_[v];
    }

    std::uint32_t num_colours_;
    std::size_t num_words_;
    std::vector<std::uint32_t> edge_;
    std::vector<std::uint64_t> free_;
    std::vector<std::uint32_t>
        first_word_;  // all words before it are full; a hub would else be searched from the start
};

class Colourer {
public:
    Colourer(std::vector<Edge> edges, std::uint32_t num_vertices, std::uint32_t num_colours)
        : edges_(std::move(edges)), colours_(edges_.size(), none), palette_(num_vertices, num_colours) {}

    std::vector<std::uint32_t> colour() && {
        for (std::uint32_t e = 0; e < edges_.size(); ++e) {
            auto const [u, w] = edges_[e];
            auto colour = palette_.first_free(u, w);
            if (colour == none) {
                // Both ends have a free colour as their degrees are within the number of colours, but not a common one.
                colour = palette_.first_free(u, u);
                make_free(w, colour, palette_.first_free(w, w));
            }
            set(e, colour);
        }
        return std::move(colours_);
    }

private:
    /// Makes `wanted` free at w by swapping it with `spare`, which is free there, along the path of these two colours
    /// from w. The path enters left vertices by `spare` only, and so cannot end at one where `wanted` is free.
    void make_free(std::uint32_t w, std::uint32_t wanted, std::uint32_t spare) {
        path_.clear();
        auto colour = wanted;
        for (auto e = palette_.edge(w, colour); e != none; e = palette_.edge(w, colour)) {
            path_.push_back(e);
            w = edges_[e].left + edges_[e].right - w;
            colour = wanted + spare - colour;
        }
        for (auto const e : path_) unset(e);
        for (auto const e : path_) set(e, wanted + spare - colours_[e]);
    }

    void set(std::uint32_t e, std::uint32_t colour) {
        colours_[e] = colour;
        palette_.put(edges_[e].left, colour, e);
        palette_.put(edges_[e].right, colour, e);
    }
    void unset(std::uint32_t e) {
        palette_.clear(edges_[e].left, colours_[e]);
        palette_.clear(edges_[e].right, colours_[e]);
    }

    std::vector<Edge> edges_;  // left and right vertices are numbered together
    std::vector<std::uint32_t> colours_;
    Palette palette_;
    std::vector<std::uint32_t> path_;
};

}  // namespace

std::uint32_t largest_degree(std::span<Edge const> edges) {
    return std::max(largest(degrees(edges, &Edge::left)), largest(degrees(edges, &Edge::right)));
}

std::vector<std::uint32_t> colour_edges(std::span<Edge const> edges) {
    REGRAFT_EXPECTS(edges.size() < none);
    if (edges.empty()) return {};
    auto const left_degree = degrees(edges, &Edge::left);
    auto const right_degree = degrees(edges, &Edge::right);
    auto const num_colours = std::max(largest(left_degree), largest(right_degree));

    // Edges that meet in a merged vertex get different colours there, so they do where they met before.
    auto const left = merge_small(left_degree, num_colours, 0);
    auto const right = merge_small(right_degree, num_colours, left.back() + 1);
    std::vector<Edge> merged;
    merged.reserve(edges.size());
    for (auto const& edge : edges) merged.push_back({left[edge.left], right[edge.right]});
    return Colourer(std::move(merged), right.back() + 1, num_colours).colour();
}

bool is_proper_colouring(std::span<Edge const> edges, std::span<std::uint32_t const> colours,
                         std::uint32_t num_colours) {
    if (colours.size() != edges.size()) return false;
    if (std::any_of(colours.begin(), colours.end(), [&](auto colour) { return colour >= num_colours; })) return false;
    auto const distinct_at = [&](std::uint32_t Edge::*side) {
        std::vector<std::uint64_t> seen;
        seen.reserve(edges.size());
        for (std::size_t e = 0; e < edges.size(); ++e) seen.push_back(std::uint64_t{edges[e].*side} << 32 | colours[e]);
        std::sort(seen.begin(), seen.end());
        return std::adjacent_find(seen.begin(), seen.end()) == seen.end();
    };
    return distinct_at(&Edge::left) && distinct_at(&Edge::right);
}

}  // namespace regraft::schedule
