// Every alignment that is written as NEXUS, in any style, is read as it was.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "regraft/msa/alignment.hpp"
#include "regraft/msa/text_layout.hpp"
#include "support/msa/alignment_texts.hpp"
#include "support/msa/nexus_texts.hpp"

namespace regraft::msa {
namespace {

using test::NexusWords;

Alignment draw(Random& random) {
    auto alignment = test::random_alignment(1 + random.below(6), random.below(40), random, "ACGTYacgtN-?");
    if (random.below(2) == 0) alignment.names[0] = "it's a 'name'; [of] " + alignment.names[0];
    return alignment;
}

/// The character at a place of a text, found by counting lines.
char character_at(std::string_view text, std::uint64_t line, std::uint64_t column) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    auto const end = text.find('\n') == std::string_view::npos ? '\r' : '\n';
    for (; line > 1; --line) text.remove_prefix(text.find(end) + 1);
    return text.at(column - 1);
}

TEST(NexusProperty, EveryStyleIsReadAsItWasMeant) {
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        Random random(seed);
        auto const alignment = draw(random);
        auto const text = test::random_nexus(alignment, static_cast<NexusWords>(random.below(2)), random);
        SCOPED_TRACE(std::to_string(seed) + "\n" + text);
        auto const read = parse_alignment(text, "f");
        ASSERT_EQ(read.names, alignment.names);
        ASSERT_EQ(read.cells, alignment.cells);
    }
}

TEST(NexusProperty, CellsStandWhereTheySay) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        Random random(seed);
        auto const alignment = draw(random);
        auto const text = test::random_nexus(alignment, NexusWords::verbatim, random);
        SCOPED_TRACE(std::to_string(seed) + "\n" + text);
        auto const read = parse_alignment(text, "f");
        for (std::size_t taxon = 0; taxon < read.num_taxa(); ++taxon) {
            for (std::size_t site = 0; site < read.num_sites(); ++site) {
                auto const [file, line, column] = read.position(taxon, site);
                ASSERT_EQ(character_at(text, line, column), read.cell(taxon, site));
            }
        }
    }
}

TEST(NexusProperty, VerbatimTextsAreWrittenAgain) {
    int verbatim = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        Random random(seed);
        auto const words = static_cast<NexusWords>(random.below(2));
        auto const alignment = draw(random);
        auto const text = test::random_nexus(alignment, words, random);
        SCOPED_TRACE(std::to_string(seed) + "\n" + text);
        auto const read = parse_alignment(text, "f");
        ASSERT_TRUE(read.is_verbatim || words == NexusWords::translated);
        if (!read.is_verbatim) continue;
        ++verbatim;
        ASSERT_EQ(to_text(read, layout_of(text, read)), text);
    }
    EXPECT_GT(verbatim, 900);
    EXPECT_LT(verbatim, 1500);
}

}  // namespace
}  // namespace regraft::msa
