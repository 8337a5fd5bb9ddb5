#include "regraft/assign/balance.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "regraft/assign/blocks.hpp"

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
TEST(ToBlocks, AreTheSitesOfEachPiece) {
    std::vector<Work> const row{{{SiteId{3}, SiteId{7}}, PartitionId{0}}, {{SiteId{9}, SiteId{10}}, PartitionId{2}}};
    EXPECT_EQ(to_blocks(row), (std::vector<BlockRange>{{BlockId{3}, BlockId{7}}, {BlockId{9}, BlockId{10}}}));
    EXPECT_TRUE(to_blocks({}).empty());
}

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

std::vector<std::uint64_t> costs_of(Assignment const& assignment, std::vector<std::uint64_t> const& cost_per_site) {
    std::vector<std::uint64_t> result;
    for (std::size_t row = 0; row < assignment.size(); ++row) result.push_back(cost(assignment[row], cost_per_site));
    return result;
}

//  aaaa at 1, bbb at 5: 19, so 9 and 10: b is cut after its first site.
TEST(WeightedBalance, CountsCostInsteadOfSites) {
    Begin const begin{0, 4, 7};
    std::vector<std::uint64_t> const costs{1, 5};
    auto const dealt = balance(begin, costs, 2);
    EXPECT_TRUE(covers_once(dealt, begin));
    EXPECT_EQ(dealt.values.size(), 3u);
    for (auto const cost : costs_of(dealt, costs)) EXPECT_LE(cost, 10u);
}

//  12 12 9 on 3 PEs, mean 11: a and b are above it by less than a site of 4. Cutting them would make it worse.
TEST(WeightedBalance, CutsNothingThatIsLessThanASiteTooLarge) {
    Begin const begin{0, 3, 6, 7};
    std::vector<std::uint64_t> const costs{4, 4, 9};
    auto const dealt = balance(begin, costs, 3);
    EXPECT_TRUE(covers_once(dealt, begin));
    EXPECT_EQ(dealt.values.size(), 3u);
}

//  One partition of cheap sites, one of dear ones, over many PEs: each PE that begins a site of 20 goes above 41 by
//  less than 20, and the next makes up for it, so that none is far below either.
TEST(WeightedBalance, MakesUpForWhatItExceeds) {
    Begin const begin{0, 210, 420};
    std::vector<std::uint64_t> const costs{1, 20};
    auto const dealt = balance(begin, costs, 107);
    EXPECT_TRUE(covers_once(dealt, begin));
    for (auto const cost : costs_of(dealt, costs)) {
        EXPECT_LT(cost, 42u + 20u);
        EXPECT_GT(cost, 41u - 20u);
    }
}

TEST(WeightedBalance, AcceptsNoSitesNoPartitionsAndASinglePe) {
    std::vector<std::uint64_t> const costs{3, 5};
    EXPECT_EQ(balance(Begin{0}, std::vector<std::uint64_t>{}, 3), assignment({{}, {}, {}}));
    EXPECT_EQ(balance(Begin{2, 2, 2}, costs, 2), assignment({{}, {}}));
    EXPECT_EQ(balance(Begin{0, 5, 9}, costs, 1), assignment({{work(0, 5, 0), work(5, 9, 1)}}));
}

//  2^40 sites at 2^20 and 2^22 - 1: products with the number of PEs are beyond 64 bits.
TEST(WeightedBalance, DoesNotOverflow) {
    auto const many = std::uint64_t{1} << 40;
    Begin const begin{0, many, 2 * many};
    std::vector<std::uint64_t> const costs{std::uint64_t{1} << 20, (std::uint64_t{1} << 22) - 1};
    auto const dealt = balance(begin, costs, 1 << 16);
    EXPECT_TRUE(covers_once(dealt, begin));
    auto const mean = (many >> 16) * (costs[0] + costs[1]);
    for (auto const cost : costs_of(dealt, costs)) EXPECT_LT(cost, mean + costs[1]);
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
    using Costs = std::vector<std::uint64_t>;
    EXPECT_DEATH(balance(Begin{0, 4}, Costs{}, 2), "precondition");
    EXPECT_DEATH(balance(Begin{0, 4}, Costs{0}, 2), "precondition");
    EXPECT_DEATH(balance(Begin{0, 4, 8}, (Costs{1, std::uint64_t{1} << 61}), 2), "precondition");
    EXPECT_DEATH(balance(Begin{0, 4}, Costs{1}, 0), "precondition");
}

}  // namespace
}  // namespace regraft::assign
