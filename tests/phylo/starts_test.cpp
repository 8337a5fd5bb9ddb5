#include "input/starts.hpp"

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"

namespace regraft::phylo {
namespace {

TEST(Starts, AreNumberedByKind) {
    EXPECT_EQ(parse_starts("pars"), (std::vector<Start>{{Start::Kind::parsimony, 0}}));
    EXPECT_EQ(parse_starts("rand{1},pars{2},rand{1}"), (std::vector<Start>{{Start::Kind::random, 0},
                                                                           {Start::Kind::parsimony, 0},
                                                                           {Start::Kind::parsimony, 1},
                                                                           {Start::Kind::random, 1}}));
}

TEST(Starts, AreRefusedWithWhatWasExpected) {
    for (auto const* text : {"", ",", "pars,", "pars{}", "pars{0}", "pars{-1}", "pars{1", "pars{1}x", "pars{100001}",
                             "nj", "pars{99999999999}", "{3}"}) {
        try {
            parse_starts(text);
            ADD_FAILURE() << text;
        } catch (InputError const& error) {
            EXPECT_NE(std::string(error.what()).find("expected pars{N}, rand{N}"), std::string::npos) << text;
        }
    }
}

TEST(Starts, TheFirstOfAKindHasTheUsersSeedAndOthersHaveOthers) {
    EXPECT_EQ(seed_of({Start::Kind::parsimony, 0}, 7), 7U);
    EXPECT_NE(seed_of({Start::Kind::parsimony, 1}, 7), seed_of({Start::Kind::parsimony, 2}, 7));
    EXPECT_NE(seed_of({Start::Kind::parsimony, 1}, 7), seed_of({Start::Kind::parsimony, 0}, 8));
}

}  // namespace
}  // namespace regraft::phylo
