// Difference rows, parts of them and what columns have in common, against the same with cells.
#include "regraft/msa/difference_parts.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/msa/alphabet.hpp"
#include "regraft/msa/characters.hpp"
#include "regraft/msa/maple.hpp"

namespace regraft::msa {
namespace {

/// Nearly equal rows of DNA, with runs of other characters.
Alignment draw(Random& random) {
    Alignment alignment;
    auto const num_taxa = 1 + random.below(8);
    auto const num_sites = 1 + random.below(50);
    std::string_view const letters = random.below(2) == 0 ? "ACGT" : "acgu";
    std::string ancestor;
    for (std::uint64_t i = 0; i < num_sites; ++i) ancestor += letters[random.below(4)];
    for (std::uint64_t taxon = 0; taxon < num_taxa; ++taxon) {
        auto row = ancestor;
        for (auto n = random.below(4); n > 0; --n) row[random.below(num_sites)] = letters[random.below(4)];
        for (auto n = random.below(3); n > 0; --n) {
            auto const first = random.below(num_sites);
            auto const size = std::min<std::uint64_t>(1 + random.below(9), num_sites - first);
            row.replace(first, size, size, "Nn-RyA?t"[random.below(8)]);
        }
        alignment.names.push_back("t" + std::to_string(taxon));
        alignment.cells.insert(alignment.cells.end(), row.begin(), row.end());
    }
    return alignment;
}

std::string column(Alignment const& alignment, std::size_t site) {
    std::string cells;
    for (std::size_t row = 0; row < alignment.num_taxa(); ++row) cells += alignment.cell(row, site);
    return cells;
}

/// Whether the rows are as they must be: sorted, and without what could be left out.
bool are_normal(DifferenceRows const& rows) {
    for (std::size_t row = 0; row < rows.num_taxa(); ++row) {
        auto const differences = rows.differences[row];
        for (std::size_t i = 0; i < differences.size(); ++i) {
            if (differences[i].letter() == rows.reference[differences[i].site()]) return false;
            if (i > 0 && differences[i].site() <= differences[i - 1].site()) return false;
        }
        auto const runs = rows.runs[row];
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (runs[i].size == 0 || runs[i].last() > rows.num_sites()) return false;
            if (i > 0 && runs[i].first < runs[i - 1].last()) return false;
            if (i > 0 && runs[i].first == runs[i - 1].last() && runs[i].character == runs[i - 1].character)
                return false;
        }
    }
    return true;
}

TEST(DifferenceParts, HaveTheSameCells) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const alignment = draw(random);
        auto const rows = to_differences(alignment);
        ASSERT_TRUE(are_normal(rows));
        ASSERT_EQ(to_alignment(rows).cells, alignment.cells);

        std::vector<std::uint64_t> sites(alignment.num_sites());
        std::iota(sites.begin(), sites.end(), 0);
        if (random.below(2) == 0) {
            for (std::size_t i = sites.size(); i > 1; --i) std::swap(sites[i - 1], sites[random.below(i)]);
        }
        std::erase_if(sites, [&](auto) { return random.below(3) == 0; });
        auto const some = select_sites(rows, sites);
        ASSERT_TRUE(are_normal(some));
        auto const cells = to_alignment(some);
        ASSERT_EQ(cells.num_sites(), sites.size());
        for (std::size_t i = 0; i < sites.size(); ++i) ASSERT_EQ(column(cells, i), column(alignment, sites[i]));

        std::vector<std::size_t> const chosen{alignment.num_taxa() - 1, 0};
        auto const two = to_alignment(select_rows(rows, chosen));
        for (std::size_t i = 0; i < chosen.size(); ++i) ASSERT_EQ(two.row(i), alignment.row(chosen[i]));
    }
}

TEST(DifferenceParts, HaveTheVariableSitesOfTheirCells) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const alignment = draw(random);
        if (character_table(alignment).kind != CharacterKind::dna) continue;
        std::vector<std::uint64_t> expected;
        for (std::size_t site = 0; site < alignment.num_sites(); ++site) {
            StateMask common = undetermined(Alphabet::dna);
            for (char const c : column(alignment, site)) common &= state_mask(Alphabet::dna, c);
            if (common == 0) expected.push_back(site);
        }
        ASSERT_EQ(variable_sites(alignment), expected);
        ASSERT_EQ(variable_sites(to_differences(alignment)), expected);
    }
}

TEST(DifferenceParts, HaveTheConsensusOfTheirCells) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const alignment = draw(random);
        if (character_table(alignment).kind != CharacterKind::dna) continue;
        std::string expected;
        for (std::size_t site = 0; site < alignment.num_sites(); ++site) {
            std::map<char, int> votes;
            for (char c : column(alignment, site)) {
                if ('a' <= c && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
                if (c == '-' || state_mask(Alphabet::dna, c) != undetermined(Alphabet::dna)) ++votes[c];
            }
            char winner = 'N';
            int most = 0;
            for (auto const& [c, count] : votes) {
                if (c != '-' && count > most) winner = c, most = count;
            }
            if (votes['-'] > most) winner = '-';
            expected += winner;
        }
        ASSERT_EQ(consensus(alignment), expected);
        ASSERT_EQ(consensus(to_differences(alignment)), expected);
    }
}

TEST(DifferenceParts, ComeBackFromMaple) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const rows = in_lower_case(to_differences(draw(random)));
        TextLayout const layout{.format = TextFormat::maple,
                                .line_width = random.below(2) == 0 ? 0 : 1 + random.below(rows.num_sites()),
                                .carriage_returns = random.below(2) == 0,
                                .ends_with_newline = random.below(2) == 0,
                                .descriptions = {"the reference"}};
        std::string text;
        write_maple(rows, layout, [&](std::string_view piece) { text += piece; });
        std::string_view rest = text;
        auto const read = read_maple(
            [&](std::span<char> buffer) {
                auto const size = std::min<std::size_t>(rest.size(), buffer.size());
                std::copy_n(rest.begin(), size, buffer.begin());
                rest.remove_prefix(size);
                return size;
            },
            "f");
        ASSERT_EQ(to_alignment(read.rows).cells, to_alignment(rows).cells) << text;
        ASSERT_TRUE(are_normal(rows) && are_normal(read.rows)) << text;
        std::string again;
        write_maple(read.rows, read.layout, [&](std::string_view piece) { again += piece; });
        ASSERT_EQ(again, text);
    }
}

}  // namespace
}  // namespace regraft::msa
