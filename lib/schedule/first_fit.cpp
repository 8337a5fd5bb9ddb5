// First-fit with a set of taken colours per vertex, as bits.
#include "schedule/first_fit.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace regraft::schedule {
namespace {

constexpr std::uint64_t all_taken = ~std::uint64_t{0};
/// Words looked at per edge, on average. Where first-fit succeeds it takes one or two.
constexpr std::size_t patience = 8;

/// The taken colours of all vertices of one side.
class Palettes {
public:
    Palettes(std::size_t num_vertices, std::size_t num_words)
        : num_words_(num_words), taken_(num_vertices * num_words, 0), full_(num_vertices, 0) {}

    std::uint64_t* at(std::uint32_t vertex) { return taken_.data() + vertex * num_words_; }
    /// How many of the first words are full; a hub would else be searched from the start for every edge.
    std::size_t skip_full(std::uint32_t vertex) {
        auto const* const words = at(vertex);
        auto& full = full_[vertex];
        while (full < num_words_ && words[full] == all_taken) ++full;
        return full;
    }

private:
    std::size_t num_words_;
    std::vector<std::uint64_t> taken_;
    std::vector<std::uint32_t> full_;
};

}  // namespace

std::optional<std::vector<std::uint32_t>> first_fit(std::span<Edge const> edges, std::size_t num_left,
                                                    std::size_t num_right, std::uint32_t num_colours) {
    auto const num_words = (std::size_t{num_colours} + 63) / 64;
    Palettes left(num_left, num_words);
    Palettes right(num_right, num_words);
    std::vector<std::uint32_t> colours(edges.size());
    auto budget = patience * edges.size();
    for (std::size_t e = 0; e < edges.size(); ++e) {
        auto* const at_left = left.at(edges[e].left);
        auto* const at_right = right.at(edges[e].right);
        auto const first = std::max(left.skip_full(edges[e].left), right.skip_full(edges[e].right));
        auto word = first;
        while (word < num_words && (at_left[word] | at_right[word]) == all_taken) ++word;
        if (word - first > budget) return std::nullopt;
        budget -= word - first;
        if (word == num_words) return std::nullopt;
        auto const bit = static_cast<unsigned>(std::countr_one(at_left[word] | at_right[word]));
        auto const colour = static_cast<std::uint32_t>(64 * word + bit);
        if (colour >= num_colours) return std::nullopt;
        at_left[word] |= std::uint64_t{1} << bit;
        at_right[word] |= std::uint64_t{1} << bit;
        colours[e] = colour;
    }
    return colours;
}

}  // namespace regraft::schedule
