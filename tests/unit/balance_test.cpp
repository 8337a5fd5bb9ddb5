#include "regraft/assign/balance.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace regraft::assign {
namespace {

using Begin = std::vector<std::uint64_t>;

Work work(std::uint64_t first, std::uint64_t last, std::uint32_t partition) {
    return {{SiteId{first}, SiteId{last}}, PartitionId{partition}};
}

std::vector<std::uint64_t> sizes(Assignment const& assignment) {
    std::vector<std::uint64_t> result;
    for (std::size_t row = 0; row < assignment.size(); ++row) result.push_back(num_sites(assignment[row]));
    return result;
}

Assignment assignment(std::vector<std::vector<Work>> const& rows) {
    Assignment result;
    for (auto const& row : rows) result.push_row(row);
    return result;
}

//  aaaa|bbbb|cccc over 3 PEs: nothing has to be cut.
TEST(Balance, CutsNothingIfPartitionsFit) {
    Begin const begin{0, 4, 8, 12};
    auto const dealt = balance(begin, 3);
    EXPECT_TRUE(covers_once(dealt, begin));
    EXPECT_EQ(sizes(dealt), (std::vector<std::uint64_t>{4, 4, 4}));
    EXPECT_EQ(dealt.values.size(), 3u);
}

//  a|bb|ccccccccc: 12 sites, 4 each. a and b are whole somewhere, c is cut twice.
TEST(Balance, CutsTheLargePartitionOnly) {
    Begin const begin{0, 1, 3, 12};
    auto const dealt = balance(begin, 3);
    EXPECT_TRUE(covers_once(dealt, begin));
    EXPECT_EQ(sizes(dealt), (std::vector<std::uint64_t>{4, 4, 4}));
    EXPECT_EQ(dealt.values.size(), 5u);
}

TEST(Balance, CutsASinglePartitionEvenly) {
    Begin const begin{0, 10};
    auto const dealt = balance(begin, 4);
    EXPECT_TRUE(covers_once(dealt, begin));
    EXPECT_EQ(dealt.values.size(), 4u);
    for (auto const size : sizes(dealt)) EXPECT_TRUE(size == 2 || size == 3);
}

TEST(Balance, GivesEverythingToASinglePe) {
    Begin const begin{0, 5, 5, 9};
    EXPECT_EQ(balance(begin, 1), assignment({{work(0, 5, 0), work(5, 9, 2)}}));
}

TEST(Balance, LeavesPEsIdleIfThereAreTooFewSites) {
    Begin const begin{0, 1, 2};
    auto const dealt = balance(begin, 5);
    EXPECT_TRUE(covers_once(dealt, begin));
    for (auto const size : sizes(dealt)) EXPECT_LE(size, 1u);
}

TEST(Balance, AcceptsNoSitesAtAll) {
    EXPECT_EQ(balance(Begin{0}, 3), assignment({{}, {}, {}}));
    EXPECT_EQ(balance(Begin{7, 7, 7}, 2), assignment({{}, {}}));
}

TEST(Balance, UsesTheGivenPEsAlone) {
    Begin const begin{0, 6, 9};
    auto const dealt = balance(begin, std::vector{PeId{1}, PeId{3}}, 5);
    EXPECT_TRUE(covers_once(dealt, begin));
    EXPECT_EQ(dealt.size(), 5u);
    for (std::size_t row : {0, 2, 4}) EXPECT_TRUE(std::as_const(dealt)[row].empty());
    EXPECT_EQ(num_sites(std::as_const(dealt)[1]) + num_sites(std::as_const(dealt)[3]), 9u);
}

TEST(Balance, NumbersSitesFromWhereThePartitionsBegin) {
    Begin const begin{100, 104, 107};
    EXPECT_TRUE(covers_once(balance(begin, 3), begin));
}

TEST(CoversOnce, FindsWhatIsWrong) {
    Begin const begin{0, 4, 8};
    EXPECT_TRUE(covers_once(assignment({{work(0, 2, 0), work(4, 8, 1)}, {}, {work(2, 4, 0)}}), begin));
    EXPECT_FALSE(covers_once(assignment({}), begin));
    EXPECT_FALSE(covers_once(assignment({{work(0, 4, 0)}}), begin)) << "the second partition is missing";
    EXPECT_FALSE(covers_once(assignment({{work(1, 4, 0), work(4, 8, 1)}}), begin)) << "site 0 is missing";
    EXPECT_FALSE(covers_once(assignment({{work(0, 4, 0)}, {work(3, 4, 0), work(4, 8, 1)}}), begin)) << "site 3 twice";
    EXPECT_FALSE(covers_once(assignment({{work(0, 8, 0)}}), begin)) << "beyond its partition";
    EXPECT_FALSE(covers_once(assignment({{work(0, 4, 1), work(4, 8, 0)}}), begin)) << "in the wrong partition";
    EXPECT_FALSE(covers_once(assignment({{work(0, 4, 0), work(4, 8, 2)}}), begin)) << "no such partition";
    EXPECT_FALSE(covers_once(assignment({{work(4, 8, 1), work(0, 4, 0)}}), begin)) << "out of order";
    EXPECT_FALSE(covers_once(assignment({{work(0, 2, 0), work(2, 4, 0), work(4, 8, 1)}}), begin)) << "not joined";
    EXPECT_FALSE(covers_once(assignment({{work(0, 4, 0), work(4, 4, 1), work(4, 8, 1)}}), begin)) << "an empty piece";
    EXPECT_FALSE(covers_once(assignment({{work(0, 4, 0), work(4, 9, 1)}}), begin)) << "beyond the last site";
}

TEST(BalanceDeathTest, RefusesImpossibleArguments) {
    EXPECT_DEATH(balance(Begin{0, 4}, 0), "precondition");
    EXPECT_DEATH(balance(Begin{}, 2), "precondition");
    EXPECT_DEATH(balance(Begin{4, 0}, 2), "precondition");
    EXPECT_DEATH(balance(Begin{0, 4}, std::vector{PeId{2}}, 2), "precondition");
    EXPECT_DEATH(balance(Begin{0, 4}, std::vector{PeId{1}, PeId{1}}, 2), "precondition");
}

}  // namespace
}  // namespace regraft::assign
