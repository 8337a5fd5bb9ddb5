#include "statistics.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <unordered_set>
#include <vector>

#include "regraft/msa/characters.hpp"

namespace regraft::msa_cli {
namespace {

/// Columns are processed in tiles, because memory is ordered by rows.
constexpr std::size_t tile_width = 64;
using TileRow = std::array<msa::StateMask, tile_width>;

/// Calls visit(first, width) for the tiles of an alignment.
template <class Visit>
void for_each_tile(msa::Alignment const& alignment, Visit&& visit) {
    for (std::size_t first = 0; first < alignment.num_sites(); first += tile_width)
        visit(first, std::min(tile_width, alignment.num_sites() - first));
}

/// For each character, the first character that stands for the same states.
std::array<char, 256> representatives(msa::CharacterTable const& table) {
    std::array<char, 256> result{};
    for (std::size_t byte = 0; byte < result.size(); ++byte) {
        auto const same = std::ranges::find(table.states, table.states[byte]);
        result[byte] = static_cast<char>(same - table.states.begin());
    }
    return result;
}

std::uint64_t count_patterns(msa::Alignment const& alignment, msa::CharacterTable const& table) {
    auto const representative = representatives(table);
    std::unordered_set<std::string> patterns;
    std::vector<std::string> columns(tile_width, std::string(alignment.num_taxa(), ' '));
    for_each_tile(alignment, [&](std::size_t first, std::size_t width) {
        for (std::size_t taxon = 0; taxon < alignment.num_taxa(); ++taxon) {
            auto const cells = alignment.row(taxon).substr(first, width);
            for (std::size_t i = 0; i < width; ++i)
                columns[i][taxon] = representative[static_cast<unsigned char>(cells[i])];
        }
        patterns.insert(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(width));
    });
    return patterns.size();
}

void count_sites(Statistics& result, msa::Alignment const& alignment, msa::CharacterTable const& table) {
    for_each_tile(alignment, [&](std::size_t first, std::size_t width) {
        TileRow common{};
        TileRow once{};
        TileRow twice{};
        common.fill(table.undetermined());
        for (std::size_t taxon = 0; taxon < alignment.num_taxa(); ++taxon) {
            auto const cells = alignment.row(taxon).substr(first, width);
            for (std::size_t i = 0; i < width; ++i) {
                auto const states = table.states[static_cast<unsigned char>(cells[i])];
                auto const certain = std::has_single_bit(states) ? states : 0;
                common[i] &= states;
                twice[i] |= once[i] & certain;
                once[i] |= certain;
            }
        }
        for (std::size_t i = 0; i < width; ++i) {
            if (common[i] != 0) ++result.constant_sites;
            if (std::popcount(twice[i]) >= 2) ++result.parsimony_informative_sites;
        }
    });
}

}  // namespace

void count_cells(Statistics& result, msa::Histogram const& count, msa::CharacterTable const& table) {
    for (std::size_t byte = 0; byte < count.size(); ++byte) {
        auto const symbol = static_cast<char>(byte);
        if (symbol == '-') {
            result.gaps += count[byte];
        } else if (count[byte] > 0 && table.is_undetermined(symbol)) {
            result.unknown += count[byte];
        } else if (std::popcount(table.states[byte]) > 1) {
            result.ambiguous += count[byte];
        }
    }
}

Statistics statistics(msa::Alignment const& alignment) {
    msa::Histogram histogram{};
    for (auto const cell : alignment.cells) ++histogram[static_cast<unsigned char>(cell)];
    auto const table = msa::character_table(histogram, alignment.sets);
    Statistics result;
    result.alphabet = name(table.kind);
    result.patterns = count_patterns(alignment, table);
    count_sites(result, alignment, table);
    count_cells(result, histogram, table);
    return result;
}

std::uint64_t parsimony_score(msa::Alignment const& alignment, codec::RootedTree const& tree) {
    auto const table = msa::character_table(alignment);
    std::uint64_t score = 0;
    std::vector<TileRow> states(tree.num_nodes());
    for_each_tile(alignment, [&](std::size_t first, std::size_t width) {
        for (std::uint32_t node = 0; node < tree.num_nodes(); ++node) {
            states[node].fill(table.undetermined());
            if (!tree.is_tip(node)) continue;
            auto const cells = alignment.row(tree.row_of_tip[tree.first_tip[node]]).substr(first, width);
            for (std::size_t i = 0; i < width; ++i)
                states[node][i] = table.states[static_cast<unsigned char>(cells[i])];
        }
        // In reverse pre-order, children are complete before they are joined to the present set of their parent.
        for (auto node = tree.num_nodes() - 1; node > 0; --node) {
            auto& above = states[tree.parent[node]];
            for (std::size_t i = 0; i < tile_width; ++i) {
                auto const both = above[i] & states[node][i];
                score += both == 0 ? 1 : 0;
                above[i] = both != 0 ? both : above[i] | states[node][i];
            }
        }
    });
    return score;
}

}  // namespace regraft::msa_cli
