// First-fit with a set of taken colours per vertex, as bits. Edges for which it finds no colour are left for later,
// when alternating paths make room for them.
#include "schedule/first_fit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#include "schedule/merged_vertices.hpp"

namespace regraft::schedule {
namespace {

constexpr std::uint64_t all_taken = ~std::uint64_t{0};
/// The number of words of colours that may be looked at per edge, on average. If it takes more, Euler splits are
/// quicker.
constexpr std::size_t patience = 32;
/// The number of words that take as long as one edge of an alternating path.
constexpr std::size_t words_per_step = 128;
/// At most one of this many edges is mended.
constexpr std::size_t most_mended = 10;

/// The taken colours of all vertices of one side.
class Palettes {
public:
    Palettes(std::size_t num_vertices, std::uint32_t num_colours)
        : num_words_((std::size_t{num_colours} + 63) / 64), taken_(num_vertices * num_words_), full_(num_vertices) {
        // The colours that fill up the last word do not exist.
        if (num_colours % 64 == 0) return;
        for (std::size_t v = 0; v < num_vertices; ++v) {
            taken_[v * num_words_ + num_words_ - 1] = all_taken << (num_colours % 64);
        }
    }

    std::size_t num_words() const { return num_words_; }
    std::uint64_t const* at(std::uint32_t vertex) const { return taken_.data() + vertex * num_words_; }
    /// The number of words at the front that are full. Without it, a hub would be searched from the start for every
    /// edge.
    std::size_t skip_full(std::uint32_t vertex) {
        auto const* const words = at(vertex);
        auto& full = full_[vertex];
        while (full < num_words_ && words[full] == all_taken) ++full;
        return full;
    }
    void take(std::uint32_t vertex, std::uint32_t colour) {
        taken_[vertex * num_words_ + colour / 64] |= std::uint64_t{1} << (colour % 64);
    }
    void release(std::uint32_t vertex, std::uint32_t colour) {
        taken_[vertex * num_words_ + colour / 64] &= ~(std::uint64_t{1} << (colour % 64));
        full_[vertex] = std::min(full_[vertex], colour / 64);
    }

private:
    std::size_t num_words_;
    std::vector<std::uint64_t> taken_;
    std::vector<std::uint32_t> full_;
};

class FirstFit {
public:
    FirstFit(std::span<Edge const> edges, MergedVertices const& left, MergedVertices const& right,
             std::uint32_t num_colours)
        : edges_(edges),
          merged_{&left, &right},
          num_colours_(num_colours),
          palettes_{Palettes(left.count, num_colours), Palettes(right.count, num_colours)},
          colours_(edges.size(), none),
          budget_(patience * edges.size()) {}

    std::optional<std::vector<std::uint32_t>> colour() && {
        auto const left_over = fit();
        if (!is_patient_ || !(left_over.empty() || mend(left_over))) return std::nullopt;
        return std::move(colours_);
    }

private:
    enum Side : std::uint8_t { at_left, at_right };

    std::uint32_t end(std::uint32_t e, Side side) const {
        return merged_[side]->of[side == at_left ? edges_[e].left : edges_[e].right];
    }
    void spend(std::size_t words) {
        is_patient_ = is_patient_ && words <= budget_;
        budget_ -= std::min(words, budget_);
    }

    std::vector<std::uint32_t> fit();
    bool fit(std::uint32_t e);
    bool mend(std::span<std::uint32_t const> left_over);
    std::uint32_t first_common(std::uint32_t u, std::uint32_t v);
    std::uint32_t first_free(std::uint32_t vertex, Side side);
    void make_free(std::uint32_t v, std::uint32_t wanted, std::uint32_t spare);
    void set(std::uint32_t e, std::uint32_t colour);
    void unset(std::uint32_t e);
    std::uint32_t& edge_at(std::uint32_t vertex, Side side, std::uint32_t colour) {
        return edge_at_[side][std::size_t{vertex} * num_colours_ + colour];
    }

    std::span<Edge const> edges_;
    std::array<MergedVertices const*, 2> merged_;
    std::uint32_t num_colours_;
    std::array<Palettes, 2> palettes_;
    std::vector<std::uint32_t> colours_;
    std::size_t budget_;
    bool is_patient_ = true;
    std::array<std::vector<std::uint32_t>, 2> edge_at_;  // by vertex and colour; only for mending
    std::vector<std::uint32_t> path_;
};

/// The smallest colour that is free at both ends, or none.
std::uint32_t FirstFit::first_common(std::uint32_t u, std::uint32_t v) {
    auto& [left, right] = palettes_;
    auto const first = std::max(left.skip_full(u), right.skip_full(v));
    auto const* const a = left.at(u);
    auto const* const b = right.at(v);
    auto word = first;
    while (word < left.num_words() && (a[word] | b[word]) == all_taken) ++word;
    spend(word - first);
    if (word == left.num_words()) return none;
    return static_cast<std::uint32_t>(64 * word) + static_cast<std::uint32_t>(std::countr_one(a[word] | b[word]));
}

/// The first free colour of a vertex. Precondition: an edge of the vertex has no colour. Then a colour is free, because
/// no degree is above the number of colours.
std::uint32_t FirstFit::first_free(std::uint32_t vertex, Side side) {
    auto const word = palettes_[side].skip_full(vertex);
    return static_cast<std::uint32_t>(64 * word) +
           static_cast<std::uint32_t>(std::countr_one(palettes_[side].at(vertex)[word]));
}

/// Colours by first-fit. Returns the edges left over. Edges are often in the order of their senders or receivers, which
/// is the worst one for first-fit. So they are taken from parts of the list in turn, with about as many parts as
/// vertices.
std::vector<std::uint32_t> FirstFit::fit() {
    std::vector<std::uint32_t> left_over;
    auto const num_parts = std::max(merged_[at_left]->of.size(), merged_[at_right]->of.size());
    auto const step = (edges_.size() / num_parts) | 1U;  // odd: senders may take turns, too
    for (std::size_t first = 0; first < step; ++first) {
        for (auto e = first; e < edges_.size(); e += step) {
            __builtin_prefetch(edges_.data() + std::min(e + 8 * step, edges_.size() - 1));
            if (!fit(static_cast<std::uint32_t>(e))) left_over.push_back(static_cast<std::uint32_t>(e));
        }
        is_patient_ = is_patient_ && left_over.size() <= edges_.size() / most_mended + 1;
        if (!is_patient_) break;
    }
    return left_over;
}

bool FirstFit::fit(std::uint32_t e) {
    auto const u = end(e, at_left);
    auto const v = end(e, at_right);
    auto const colour = first_common(u, v);
    if (colour == none) return false;
    palettes_[at_left].take(u, colour);
    palettes_[at_right].take(v, colour);
    colours_[e] = colour;
    return true;
}

bool FirstFit::mend(std::span<std::uint32_t const> left_over) {
    for (auto const side : {at_left, at_right}) {
        edge_at_[side].assign(std::size_t{merged_[side]->count} * num_colours_, none);
        for (std::uint32_t e = 0; e < edges_.size(); ++e) {
            if (colours_[e] != none) edge_at(end(e, side), side, colours_[e]) = e;
        }
    }
    for (auto const e : left_over) {
        auto const u = end(e, at_left);
        auto const v = end(e, at_right);
        auto colour = first_common(u, v);
        if (colour == none) {
            colour = first_free(u, at_left);
            make_free(v, colour, first_free(v, at_right));
        }
        if (!is_patient_) return false;
        set(e, colour);
    }
    return true;
}

/// Makes `wanted` free at right vertex v by swapping it with `spare`, which is free there, along the path of these two
/// colours from v. The path enters left vertices by `wanted` only, and so cannot end at one where `wanted` is free.
void FirstFit::make_free(std::uint32_t v, std::uint32_t wanted, std::uint32_t spare) {
    path_.clear();
    auto vertex = v;
    auto side = at_right;
    auto colour = wanted;
    for (auto e = edge_at(vertex, side, colour); e != none; e = edge_at(vertex, side, colour)) {
        path_.push_back(e);
        side = side == at_right ? at_left : at_right;
        vertex = end(e, side);
        colour = wanted + spare - colour;
    }
    spend(words_per_step * path_.size());
    for (auto const e : path_) unset(e);
    colour = spare;
    for (auto const e : path_) set(e, std::exchange(colour, wanted + spare - colour));
}

void FirstFit::set(std::uint32_t e, std::uint32_t colour) {
    colours_[e] = colour;
    for (auto const side : {at_left, at_right}) {
        edge_at(end(e, side), side, colour) = e;
        palettes_[side].take(end(e, side), colour);
    }
}

void FirstFit::unset(std::uint32_t e) {
    for (auto const side : {at_left, at_right}) {
        edge_at(end(e, side), side, colours_[e]) = none;
        palettes_[side].release(end(e, side), colours_[e]);
    }
}

}  // namespace

std::optional<std::vector<std::uint32_t>> first_fit(std::span<Edge const> edges,
                                                    std::span<std::uint32_t const> left_degrees,
                                                    std::span<std::uint32_t const> right_degrees,
                                                    std::uint32_t num_colours) {
    // Merged vertices are cheap, but full ones hard to fit: they are left some room.
    auto const limit = num_colours - num_colours / 4;
    auto const left = merge_vertices(left_degrees, limit);
    auto const right = merge_vertices(right_degrees, limit);
    return FirstFit(edges, left, right, num_colours).colour();
}

}  // namespace regraft::schedule
