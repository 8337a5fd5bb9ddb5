#include "regraft/assign/reassign.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace regraft::assign {
namespace {

using Begin = std::vector<std::uint64_t>;
using Pes = std::vector<PeId>;

Work work(std::uint64_t first, std::uint64_t last, std::uint32_t partition) {
    return {{SiteId{first}, SiteId{last}}, PartitionId{partition}};
}

Assignment assignment(std::vector<std::vector<Work>> const& rows) {
    Assignment result;
    for (auto const& row : rows) result.push_row(row);
    return result;
}

//  PE 0: aaaa        dies; PE 1 works on a, PE 2 does not. 8 sites for 2 PEs, 4 each:
//  PE 1: aa          PE 1 takes 2 of a, and PE 2 must take the other 2.
//  PE 2: bb
TEST(Reassign, PrefersPEsThatKnowThePartition) {
    auto const before = assignment({{work(0, 4, 0)}, {work(4, 6, 0)}, {work(6, 8, 1)}});
    auto const result = reassign(before, Pes{PeId{1}, PeId{2}});
    EXPECT_TRUE(covers_once(result.after, Begin{0, 6, 8}));
    EXPECT_TRUE(std::as_const(result.after)[0].empty());
    EXPECT_EQ(num_sites(std::as_const(result.after)[1]), 4u);
    EXPECT_EQ(num_sites(std::as_const(result.gained)[1]), 2u);
    EXPECT_EQ(num_sites(std::as_const(result.gained)[2]), 2u);
    EXPECT_EQ(result.new_pairs, 1u);
}

//  The same with room for 6 sites each: PE 1 takes all of a.
TEST(Reassign, TradesBalanceForFewerPairsIfAllowed) {
    auto const before = assignment({{work(0, 4, 0)}, {work(4, 6, 0)}, {work(6, 8, 1)}});
    auto const result = reassign(before, Pes{PeId{1}, PeId{2}}, {.slack = 1.5});
    EXPECT_EQ(result.after, assignment({{}, {work(0, 6, 0)}, {work(6, 8, 1)}}));
    EXPECT_EQ(result.gained, assignment({{}, {work(0, 4, 0)}, {}}));
    EXPECT_EQ(result.new_pairs, 0u);
}

//  PE 0 dies with a and b. PE 1 works on both, PE 2 on b alone: a has the least choice and must come first.
TEST(Reassign, ServesThePartitionWithTheLeastChoiceFirst) {
    auto const before = assignment({{work(0, 2, 0), work(4, 6, 1)}, {work(2, 4, 0), work(6, 8, 1)}, {work(8, 12, 1)}});
    auto const result = reassign(before, Pes{PeId{1}, PeId{2}});
    EXPECT_TRUE(covers_once(result.after, Begin{0, 4, 12}));
    EXPECT_EQ(result.new_pairs, 0u);
}

//  PE 0: a   bb      dies. 12 sites, 4 for each survivor: PE 1 has room for 2, PE 2 for 1, PE 3 for none.
//  PE 1: a   b       Greedy gives a to the least loaded that knows it, PE 1. That has room for one b then, and the
//  other PE 2: a     cc    b comes to PE 2, which knows no b. But PE 2 could have taken a, and PE 1 all of b. PE 3: b
//  ccc
TEST(Reassign, MatchesWhereGreedyTakesTheOnlyChoiceOfOthers) {
    auto const before = assignment({{work(0, 1, 0), work(3, 5, 1)},
                                    {work(1, 2, 0), work(5, 6, 1)},
                                    {work(2, 3, 0), work(7, 9, 2)},
                                    {work(6, 7, 1), work(9, 12, 2)}});
    Pes const survivors{PeId{1}, PeId{2}, PeId{3}};
    auto const greedy = reassign(before, survivors, {.method = Method::greedy});
    EXPECT_EQ(greedy.new_pairs, 1u);
    auto const matching = reassign(before, survivors, {.method = Method::matching});
    EXPECT_EQ(matching.new_pairs, 0u);
    EXPECT_EQ(matching.gained, assignment({{}, {work(3, 5, 1)}, {work(0, 1, 0)}, {}}));
    EXPECT_EQ(reassign(before, survivors), matching) << "the better of both";
}

//  PE 0: aaaa bbbb        dies. The mean is 5 then, the limit 8. Only PE 1 knows a, so it must go up to 7; b fits below
//  PE 1: a         cc     the mean.
//  PE 2:      b      d
//  PE 3:      b       e
TEST(Reassign, MatchesAboveTheMeanOnlyWhereItMust) {
    auto const before = assignment({{work(0, 4, 0), work(5, 9, 1)},
                                    {work(4, 5, 0), work(11, 13, 2)},
                                    {work(9, 10, 1), work(13, 14, 3)},
                                    {work(10, 11, 1), work(14, 15, 4)}});
    auto const result = reassign(before, Pes{PeId{1}, PeId{2}, PeId{3}}, {.slack = 1.5, .method = Method::matching});
    EXPECT_EQ(result.new_pairs, 0u);
    EXPECT_EQ(num_sites(std::as_const(result.after)[1]), 7u);
    EXPECT_LE(num_sites(std::as_const(result.after)[2]), 5u);
    EXPECT_LE(num_sites(std::as_const(result.after)[3]), 5u);
}

//  aaa bb cc are lost, PE 1 has room for 4, PE 2 for 3. a beside the 4 leaves 1 and 3, so that c is cut; a beside the 3
//  leaves 4 for b and c.
TEST(Reassign, PutsTheRestWhereItFitsBest) {
    auto const before = assignment({{work(0, 3, 0), work(3, 5, 1), work(5, 7, 2)}, {}, {work(7, 8, 3)}});
    auto const result = reassign(before, Pes{PeId{1}, PeId{2}});
    EXPECT_TRUE(covers_once(result.after, Begin{0, 3, 5, 7, 8}));
    EXPECT_EQ(result.new_pairs, 3u);
}

TEST(Reassign, ListsThePartitionsThatNeedAModel) {
    auto const before = assignment({{work(0, 4, 0), work(6, 7, 1)}, {work(4, 6, 0)}, {work(7, 9, 1)}, {}});
    auto const result = reassign(before, Pes{PeId{1}, PeId{2}, PeId{3}});
    Csr<PartitionId> expected;
    for (auto const& row : std::vector<std::vector<PartitionId>>{{}, {}, {}, {PartitionId{0}}}) expected.push_row(row);
    EXPECT_EQ(result.new_partitions, expected);
    EXPECT_EQ(result.new_pairs, 1u);
}

//  Many PEs that have one site each, of one partition, and the largest of them dies.
TEST(Reassign, DealsToEverySurvivor) {
    std::vector<std::vector<Work>> rows{{work(0, 100, 0)}};
    Pes survivors;
    for (std::uint32_t pe = 1; pe <= 100; ++pe) {
        rows.push_back({work(99 + pe, 100 + pe, 0)});
        survivors.push_back(PeId{pe});
    }
    for (auto const method : {Method::greedy, Method::matching}) {
        auto const result = reassign(assignment(rows), survivors, {.method = method});
        for (auto const pe : survivors) EXPECT_EQ(num_sites(std::as_const(result.after)[value(pe)]), 2u);
        EXPECT_EQ(result.new_pairs, 0u);
    }
}

//  Sites of b cost 3. PE 1 has 1 and PE 2 has 3; 2 of b are lost, so 5 for each: one fits at PE 1, and the other may
//  begin below the limit at either.
TEST(WeightedReassign, CountsCostInsteadOfSites) {
    auto const before = assignment({{work(1, 3, 1)}, {work(0, 1, 0)}, {work(3, 4, 1)}});
    std::vector<std::uint64_t> const costs{1, 3};
    for (auto const method : {Method::greedy, Method::matching}) {
        auto const result = reassign(before, Pes{PeId{1}, PeId{2}}, {.method = method, .cost_per_site = costs});
        EXPECT_TRUE(covers_once(result.after, Begin{0, 1, 4}));
        for (auto const pe : {1, 2}) EXPECT_LT(cost(std::as_const(result.after)[pe], costs), 5u + 3u);
    }
}

TEST(Reassign, ChangesNothingIfNobodyWithWorkDied) {
    auto const before = assignment({{work(0, 3, 0)}, {}, {work(3, 5, 0)}});
    for (auto const& survivors : {Pes{PeId{0}, PeId{1}, PeId{2}}, Pes{PeId{0}, PeId{2}}}) {
        auto const result = reassign(before, survivors);
        EXPECT_EQ(result.after, before);
        EXPECT_TRUE(result.gained.values.empty());
        EXPECT_EQ(result.gained.size(), 3u);
        EXPECT_EQ(result.new_pairs, 0u);
    }
}

TEST(Reassign, GivesEverythingToTheLastSurvivor) {
    auto const before = assignment({{work(0, 3, 0)}, {work(3, 4, 0), work(6, 7, 1)}, {work(4, 6, 1)}});
    auto const result = reassign(before, Pes{PeId{1}});
    EXPECT_EQ(result.after, assignment({{}, {work(0, 4, 0), work(4, 7, 1)}, {}}));
    EXPECT_EQ(result.new_pairs, 0u);
}

TEST(Reassign, WorksForASurvivorWithoutWork) {
    auto const before = assignment({{work(0, 3, 0)}, {}});
    auto const result = reassign(before, Pes{PeId{1}});
    EXPECT_EQ(result.after, assignment({{}, {work(0, 3, 0)}}));
    EXPECT_EQ(result.new_pairs, 1u);
}

//  PE 1 has more than its share, so that it takes nothing.
TEST(Reassign, LeavesTheOverloadedAlone) {
    auto const before = assignment({{work(0, 4, 0)}, {work(4, 24, 0)}, {}, {}});
    auto const result = reassign(before, Pes{PeId{1}, PeId{2}, PeId{3}});
    EXPECT_TRUE(std::as_const(result.gained)[1].empty());
    EXPECT_TRUE(covers_once(result.after, Begin{0, 24}));
}

TEST(Reassign, AcceptsNoSitesAtAll) {
    auto const before = assignment({{}, {}});
    EXPECT_EQ(reassign(before, Pes{PeId{0}}).after, before);
}

TEST(Reassign, AcceptsAnyAmountOfSlack) {
    auto const before = assignment({{work(0, 3, 0)}, {work(3, 5, 0)}, {work(5, 7, 1)}});
    auto const result = reassign(before, Pes{PeId{1}, PeId{2}}, {.slack = std::numeric_limits<double>::infinity()});
    EXPECT_TRUE(covers_once(result.after, Begin{0, 5, 7}));
    EXPECT_EQ(result.new_pairs, 0u);
    EXPECT_EQ(reassign(assignment({{}, {}}), Pes{PeId{0}}, {.slack = 1e300}).after, assignment({{}, {}}));
}

TEST(ReassignDeathTest, RefusesImpossibleArguments) {
    auto const before = assignment({{work(0, 3, 0)}, {}});
    EXPECT_DEATH(reassign(before, Pes{}), "precondition");
    EXPECT_DEATH(reassign(before, Pes{PeId{2}}), "precondition");
    EXPECT_DEATH(reassign(before, (Pes{PeId{1}, PeId{0}})), "precondition");
    EXPECT_DEATH(reassign(before, Pes{PeId{1}}, {.slack = 0.9}), "precondition");
    std::vector<std::uint64_t> const zero{0};
    EXPECT_DEATH(reassign(before, Pes{PeId{1}}, {.cost_per_site = zero}), "precondition");
    auto const unknown = assignment({{work(0, 3, 1)}, {}});
    std::vector<std::uint64_t> const huge{std::uint64_t{1} << 62};
    EXPECT_DEATH(reassign(before, Pes{PeId{1}}, {.cost_per_site = huge}), "precondition");
    std::vector<std::uint64_t> const one{1};
    EXPECT_DEATH(reassign(unknown, Pes{PeId{1}}, {.cost_per_site = one}), "precondition");
}

}  // namespace
}  // namespace regraft::assign
