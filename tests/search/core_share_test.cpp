#include "regraft/search/core_share.hpp"

#include <gtest/gtest.h>

namespace regraft::phylo {

using namespace search;

namespace {

TEST(CoreShare, UsesAllCoresOfAMachineThatDoesNothingElse) {
    CoreShare share(4, 4);
    for (int i = 0; i < 10; ++i) share.see(share.threads());
    EXPECT_EQ(share.threads(), 4U);
}

TEST(CoreShare, GivesCoresUpAtOnce) {
    CoreShare share(4, 4);
    share.see(4 + 1);
    EXPECT_EQ(share.threads(), 3U);
    share.see(3 + 20);
    EXPECT_EQ(share.threads(), 1U);
}

TEST(CoreShare, TakesCoresBackWhenTheyWereFreeForAWhile) {
    CoreShare share(2, 2);
    share.see(2 + 2);
    for (int i = 0; i < 4; ++i) {
        share.see(1);
        EXPECT_EQ(share.threads(), 1U) << i;
    }
    share.see(1);
    EXPECT_EQ(share.threads(), 2U);
}

TEST(CoreShare, CoresThatAreFreeOnlyNowAndThenAreNotTaken) {
    CoreShare share(2, 2);
    for (int i = 0; i < 40; ++i) share.see(share.threads() + (i % 4 == 0 ? 1 : 0));
    EXPECT_EQ(share.threads(), 1U);
}

TEST(CoreShare, NeverUsesMoreThreadsThanAllowedNorNone) {
    CoreShare share(2, 64);
    for (int i = 0; i < 10; ++i) share.see(share.threads());
    EXPECT_EQ(share.threads(), 2U);
    share.see(1000);
    EXPECT_EQ(share.threads(), 1U);
    CoreShare alone(1, 1);
    alone.see(0);  // unknown
    EXPECT_EQ(alone.threads(), 1U);
}

}  // namespace
}  // namespace regraft::phylo
