// Every alignment that is written as Stockholm, Clustal or A3M is read as it was, and its text is written again.
#include <string>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/text_layout.hpp"
#include "support/msa/alignment_texts.hpp"
#include "support/msa/block_texts.hpp"
#include "support/mutated.hpp"

namespace regraft::msa {
namespace {

using test::BlockStyle;

TEST(BlockFormatsProperty, EveryStyleIsReadAsItWasMeant) {
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        Random random(seed);
        auto const alignment =
            test::random_alignment(1 + random.below(6), 1 + random.below(40), random, "ACGTacgtN-.~*");
        auto const style = static_cast<BlockStyle>(random.below(2));
        auto const text = test::random_block_text(alignment, style, random);
        SCOPED_TRACE(std::to_string(seed) + "\n" + text);
        auto const read = parse_alignment(text, "f");
        ASSERT_EQ(read.names, alignment.names);
        ASSERT_EQ(read.cells, alignment.cells);
        ASSERT_EQ(to_text(read, layout_of(text, read)), text);
    }
}

TEST(BlockFormatsProperty, DamagedTextsThatAreStillReadAreWrittenAgain) {
    int accepted = 0;
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
        Random random(seed);
        auto const alignment = test::random_alignment(1 + random.below(4), 1 + random.below(12), random);
        auto const style = static_cast<BlockStyle>(random.below(2));
        auto const text = test::mutated(test::random_block_text(alignment, style, random), test::block_letters, random);
        SCOPED_TRACE(std::to_string(seed) + "\n" + text);
        try {
            auto const read = parse_alignment(text, "f");
            ++accepted;
            ASSERT_EQ(read.cells.size(), read.num_taxa() * read.num_sites());
            ASSERT_EQ(to_text(read, layout_of(text, read)), text);
        } catch (InputError const&) {
            // not an alignment any more
        }
    }
    EXPECT_GT(accepted, 2000);
}

TEST(BlockFormatsProperty, A3mIsA2mWithoutItsDots) {
    int filled = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        Random random(seed);
        auto const [a2m, a3m] = test::random_a3m(1 + random.below(6), 1 + random.below(30), random);
        SCOPED_TRACE(std::to_string(seed) + "\n" + a3m);
        auto const read = parse_alignment(a3m, "f");
        ASSERT_EQ(read.names, a2m.names);
        ASSERT_EQ(read.cells, a2m.cells);
        filled += read.is_verbatim ? 0 : 1;
        for (std::size_t taxon = 0; taxon < read.num_taxa(); ++taxon) {
            for (std::size_t site = 0; site < read.num_sites(); ++site)
                ASSERT_GE(read.position(taxon, site).line, 2 * taxon + 2);
        }
    }
    EXPECT_GT(filled, 1000);
}

}  // namespace
}  // namespace regraft::msa
