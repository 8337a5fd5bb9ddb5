// Every text that the readers accept is written again byte by byte.
#include "regraft/msa/text_layout.hpp"

#include <string>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "support/msa/alignment_texts.hpp"
#include "support/mutated.hpp"

namespace regraft::msa {
namespace {

using test::num_text_styles;
using test::TextStyle;
using test::Tidiness;

/// All visible characters except '>'.
std::string any_symbols() {
    std::string symbols;
    for (char c = '!'; c <= '~'; ++c) {
        if (c != '>') symbols += c;
    }
    return symbols;
}

TEST(TextLayoutProperty, EveryStyleIsWrittenAgain) {
    int regular = 0;
    int irregular = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const symbols = random.below(2) == 0 ? std::string("ACGTN-") : any_symbols();
        auto const alignment = test::random_alignment(1 + random.below(6), random.below(40), random, symbols);
        for (int style = 0; style < num_text_styles; ++style) {
            for (auto const tidiness : {Tidiness::regular, Tidiness::with_oddities}) {
                auto const text = test::random_text(alignment, static_cast<TextStyle>(style), tidiness, random);
                SCOPED_TRACE(text);
                auto const read = parse_alignment(text, "f");
                auto const layout = layout_of(text, read);
                ASSERT_EQ(to_text(read, layout), text);
                ++(layout.skeleton.empty() ? regular : irregular);
                bool const must_be_regular =
                    tidiness == Tidiness::regular && static_cast<TextStyle>(style) <= TextStyle::relaxed_sequential;
                EXPECT_TRUE(layout.skeleton.empty() || !must_be_regular);
            }
        }
    }
    EXPECT_GT(regular, 1000);
    EXPECT_GT(irregular, 1000);
}

TEST(TextLayoutProperty, DamagedTextsThatAreStillReadAreWrittenAgain) {
    int accepted = 0;
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const alignment = test::random_alignment(1 + random.below(4), random.below(12), random);
        auto const style = static_cast<TextStyle>(random.below(num_text_styles));
        auto const tidiness = random.below(2) == 0 ? Tidiness::regular : Tidiness::with_oddities;
        auto const text =
            test::mutated(test::random_text(alignment, style, tidiness, random), test::alignment_letters, random);
        try {
            auto const read = parse_alignment(text, "f");
            if (!read.is_verbatim) continue;  // has become a format in which characters stand for others
            ++accepted;
            ASSERT_EQ(to_text(read, layout_of(text, read)), text);
        } catch (InputError const&) {
            // not an alignment any more
        }
    }
    EXPECT_GT(accepted, 2000);
}

}  // namespace
}  // namespace regraft::msa
