// The checkers of the matching module, with right answers and with broken ones.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/matching/b_matching.hpp"
#include "regraft/matching/shares.hpp"
#include "support/plans/matching_oracle.hpp"

namespace regraft::matching {
namespace {

using test::graph;
using test::Graph;
using Set = std::vector<std::uint32_t>;
using Units = std::vector<std::uint64_t>;

//  x0 -- 0, 1    x0, x1, x4 have nowhere to go but {0, 1}: one of these gets two.
//  x1 -- 0
//  x2 --         is lost.
//  x3 -- 1, 2
//  x4 -- 1
class MatchingCheckers : public testing::Test {
protected:
    Graph g = graph({{0, 1}, {0}, {}, {1, 2}, {1}});
};

TEST_F(MatchingCheckers, HallBoundCountsWhoHasNowhereElseToGo) {
    EXPECT_EQ(hall_bound(g, 3, Set{0, 1}), 2u);     // ceil(3 / 2)
    EXPECT_EQ(hall_bound(g, 3, Set{0}), 1u);        // x1
    EXPECT_EQ(hall_bound(g, 3, Set{2}), 0u);        // x3 has 1 as well
    EXPECT_EQ(hall_bound(g, 3, Set{0, 1, 2}), 2u);  // ceil(4 / 3): x2 is not counted
    EXPECT_EQ(hall_bound(graph({{}, {}, {0}}), 1, Set{0}), 1u);
}

TEST_F(MatchingCheckers, HallBoundKnowsASetThatIsNone) {
    EXPECT_EQ(hall_bound(g, 3, Set{}), 0u);
    EXPECT_EQ(hall_bound(g, 3, Set{0, 0}), 0u);
    EXPECT_EQ(hall_bound(g, 3, Set{0, 3}), 0u);
    EXPECT_EQ(hall_bound(g, 3, Set{unmatched}), 0u);
    EXPECT_EQ(hall_bound(Graph{}, 0, Set{}), 0u);
}

//  0 may take one, 1 one, 2 many: x1 and x4 leave no room for x0; S = {0, 1} is full, only x3 has a neighbour beside
//  it.
class MaxCheckers : public MatchingCheckers {
protected:
    Set capacity{1, 1, 5};
    MaxBMatching m{{unmatched, 0, unmatched, 2, 1}, 3, {0, 1}};

    template <class Change>
    bool accepts(Change change) {
        auto copy = m;
        change(copy);
        return is_max_b_matching(g, capacity, copy);
    }
};

TEST_F(MaxCheckers, AcceptWhatIsRight) {
    EXPECT_TRUE(is_max_b_matching(g, capacity, m));
    EXPECT_TRUE(accepts([](auto& c) { c.right_of = {0, unmatched, unmatched, 2, 1}; }));
    EXPECT_TRUE(is_max_b_matching(Graph{}, Set{}, MaxBMatching{}));
    EXPECT_TRUE(is_max_b_matching(Graph{}, Set{3}, MaxBMatching{}));
    EXPECT_TRUE(is_max_b_matching(graph({{0}}), Set{0}, MaxBMatching{{unmatched}, 0, {0}}));
    EXPECT_TRUE(is_max_b_matching(graph({{0}}), Set{1}, MaxBMatching{{0}, 1, {}}));  // no vertex is left out
}

TEST_F(MaxCheckers, RejectWhatIsNoMatching) {
    EXPECT_FALSE(accepts([](auto& c) { c.right_of.pop_back(); }));
    EXPECT_FALSE(accepts([](auto& c) { c.right_of.push_back(unmatched); }));
    EXPECT_FALSE(accepts([](auto& c) { c.right_of[3] = 0; }));          // no edge
    EXPECT_FALSE(accepts([](auto& c) { c.right_of[3] = 3; }));          // no vertex
    EXPECT_FALSE(accepts([](auto& c) { c.right_of[2] = 2; }));          // isolated
    EXPECT_FALSE(accepts([](auto& c) { c.right_of[3] = unmatched; }));  // one fewer than said
    EXPECT_FALSE(accepts([](auto& c) { c.num_matched = 2; }));
    EXPECT_FALSE(accepts([](auto& c) { c.num_matched = 4; }));
    EXPECT_FALSE(accepts([](auto& c) { c.right_of[0] = 0, c.num_matched = 4; }));  // 0 is full
    EXPECT_FALSE(is_max_b_matching(g, Set{1, 1}, m));                              // capacities of other vertices
}

TEST_F(MaxCheckers, RejectAProofThatIsNone) {
    EXPECT_FALSE(accepts([](auto& c) { c.hall_set = {}; }));         // says that all four were matched
    EXPECT_FALSE(accepts([](auto& c) { c.hall_set = {0}; }));        // x0 has 1 beside it
    EXPECT_FALSE(accepts([](auto& c) { c.hall_set = {0, 1, 2}; }));  // 2 is not full
    EXPECT_FALSE(accepts([](auto& c) { c.hall_set = {0, 0, 1}; }));
    EXPECT_FALSE(accepts([](auto& c) { c.hall_set = {0, 1, 3}; }));
    //  Left out although there is room: no set proves that.
    m = {{unmatched, 0, unmatched, unmatched, 1}, 2, {0, 1}};
    EXPECT_FALSE(is_max_b_matching(g, capacity, m));
    EXPECT_FALSE(accepts([](auto& c) { c.hall_set = {0, 1, 2}; }));
    EXPECT_FALSE(accepts([](auto& c) { c.hall_set = {}; }));
}

//  x0 (5) -- 0, 1    7 units have nowhere to go but {0, 1}: ceil(7 / 2) = 4.
//  x1 (2) -- 0
//  x2 (3) --         lost
//  x3 (4) -- 1, 2
//  x4 (0) -- 2
class MinSharesCheckers : public testing::Test {
protected:
    Graph g = graph({{0, 1}, {0}, {}, {1, 2}, {2}});
    Units units{5, 2, 3, 4, 0};
    MinBShares m{{2, 3, 2, 0, 4, 0}, {2}, 4, 4, {0, 1}};

    template <class Change>
    bool accepts(Change change) {
        auto copy = m;
        change(copy);
        return is_min_b_shares(g, units, 3, copy);
    }
};

TEST_F(MinSharesCheckers, AcceptWhatIsRight) {
    EXPECT_TRUE(is_min_b_shares(g, units, 3, m));
    EXPECT_TRUE(accepts([](auto& c) { c.share = {1, 4, 2, 0, 4, 0}; }));
    EXPECT_TRUE(accepts([](auto& c) { c.hall_set = {0, 1, 2}; }));  // ceil(11 / 3) = 4 as well
    EXPECT_TRUE(is_min_b_shares(Graph{}, Units{}, 0, MinBShares{}));
    EXPECT_TRUE(is_min_b_shares(graph({{0}}), Units{0}, 1, MinBShares{{0}, {}, 0, 0, {}}));
    Units const large{std::uint64_t{1} << 62};
    EXPECT_TRUE(is_min_b_shares(graph({{0}}), large, 1, MinBShares{large, {}, large[0], large[0], {0}}));
}

TEST_F(MinSharesCheckers, RejectWhatIsNoDivision) {
    EXPECT_FALSE(accepts([](auto& c) { c.share.pop_back(); }));
    EXPECT_FALSE(accepts([](auto& c) { c.share.push_back(0); }));
    EXPECT_FALSE(accepts([](auto& c) { c.share[0] = 1; }));                  // x0 has four of five
    EXPECT_FALSE(accepts([](auto& c) { c.share[5] = 1; }));                  // x4 has none to give
    EXPECT_FALSE(accepts([](auto& c) { c.share[0] = 0, c.share[1] = 5; }));  // 5 units on 1
    EXPECT_FALSE(accepts([](auto& c) { c.isolated = {}; }));
    EXPECT_FALSE(accepts([](auto& c) { c.isolated = {2, 4}; }));
    //  Sums that wrap around are no division either.
    EXPECT_FALSE(accepts([](auto& c) { c.share[0] = ~std::uint64_t{0}, c.share[1] = 6; }));
}

TEST_F(MinSharesCheckers, RejectAWrongBOrNoProof) {
    EXPECT_FALSE(accepts([](auto& c) { c.b = 3; }));
    EXPECT_FALSE(accepts([](auto& c) { c.b = 5; }));
    EXPECT_FALSE(accepts([](auto& c) { c.share = {0, 5, 2, 0, 4, 0}, c.b = 5; }));  // a division, but not the best
    EXPECT_FALSE(accepts([](auto& c) { c.hall_set = {}; }));
    EXPECT_FALSE(accepts([](auto& c) { c.hall_set = {0}; }));
    EXPECT_FALSE(accepts([](auto& c) { c.hall_set = {0, 1, 1}; }));
    EXPECT_FALSE(accepts([](auto& c) { c.hall_set = {0, 1, 3}; }));
    EXPECT_FALSE(accepts([](auto& c) { c.hall_set = {1, 2}; }));
}

//  The same, 0 may take 3 units, 1 3, 2 9: 7 units have 6 places.
class MaxSharesCheckers : public MinSharesCheckers {
protected:
    Units capacity{3, 3, 9};
    MaxBShares most{{1, 3, 2, 0, 4, 0}, 10, {0, 1}};

    template <class Change>
    bool accepts_most(Change change) {
        auto copy = most;
        change(copy);
        return is_max_b_shares(g, units, capacity, copy);
    }
};

TEST_F(MaxSharesCheckers, AcceptWhatIsRight) {
    EXPECT_TRUE(is_max_b_shares(g, units, capacity, most));
    EXPECT_TRUE(accepts_most([](auto& c) { c.share = {2, 3, 1, 0, 4, 0}; }));
    EXPECT_TRUE(is_max_b_shares(Graph{}, Units{}, Units{}, MaxBShares{}));
    EXPECT_TRUE(is_max_b_shares(graph({{0}}), Units{2}, Units{2}, MaxBShares{{2}, 2, {}}));
    EXPECT_TRUE(is_max_b_shares(graph({{0}}), Units{2}, Units{2}, MaxBShares{{2}, 2, {0}}));
    EXPECT_TRUE(is_max_b_shares(graph({{0}}), Units{2}, Units{0}, MaxBShares{{0}, 0, {0}}));
}

TEST_F(MaxSharesCheckers, RejectWhatIsNoDivision) {
    EXPECT_FALSE(accepts_most([](auto& c) { c.share.pop_back(); }));
    EXPECT_FALSE(accepts_most([](auto& c) { c.total = 11; }));
    EXPECT_FALSE(accepts_most([](auto& c) { c.total = 9; }));
    EXPECT_FALSE(accepts_most([](auto& c) { c.share[0] = 2, c.total = 11; }));  // 0 has no room
    EXPECT_FALSE(accepts_most([](auto& c) { c.share[5] = 1, c.total = 11; }));  // x4 has no unit
    EXPECT_FALSE(accepts_most([](auto& c) { c.share = {0, 3, 3, 0, 4, 0}; }));  // x1 has two
    EXPECT_FALSE(is_max_b_shares(g, units, Units{3, 3}, most));
}

TEST_F(MaxSharesCheckers, RejectAProofThatIsNone) {
    EXPECT_FALSE(accepts_most([](auto& c) { c.hall_set = {}; }));
    EXPECT_FALSE(accepts_most([](auto& c) { c.hall_set = {0}; }));
    EXPECT_FALSE(accepts_most([](auto& c) { c.hall_set = {0, 1, 2}; }));
    EXPECT_FALSE(accepts_most([](auto& c) { c.hall_set = {0, 1, 1}; }));
    EXPECT_FALSE(accepts_most([](auto& c) { c.hall_set = {0, 1, 3}; }));
    EXPECT_FALSE(accepts_most([](auto& c) { c.share[4] = 3, c.total = 9; }));  // x3 could give one more to 2
}

//  Numbers whose sums and products would wrap around.
TEST(MatchingCheckersOverflow, CannotBeFooled) {
    auto const all = graph({{0, 1, 2, 3}});
    Units const many{(std::uint64_t{1} << 62) + 1};
    EXPECT_FALSE(is_min_b_shares(all, many, 4, MinBShares{{many[0], 0, 0, 0}, {}, many[0], 1, {0, 1, 2, 3}}));
    constexpr auto half = std::uint64_t{1} << 63;
    EXPECT_FALSE(is_max_b_shares(graph({{0, 1}}), Units{5}, Units{half, half}, MaxBShares{{0, 0}, 0, {0, 1}}));
    EXPECT_FALSE(
        is_max_b_shares(graph({{0, 1, 2}}), Units{5}, Units{half, half, half}, MaxBShares{{half, half, 5}, 5, {}}));
    EXPECT_FALSE(is_min_b_shares(graph({{0, 1}, {2}}), Units{5, 1}, 3, MinBShares{{0, 5, 1}, {}, 5, 2, {2}}));
}

}  // namespace
}  // namespace regraft::matching
