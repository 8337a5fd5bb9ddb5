#include "regraft/schedule/h_relation.hpp"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/schedule/edge_colouring.hpp"

namespace regraft::schedule {
namespace {

using Edges = std::vector<Edge>;
using Colours = std::vector<std::uint32_t>;

Request request(std::uint64_t block, std::uint32_t receiver) {
    return {BlockId{block}, PeId{receiver}};
}
Transfer transfer(std::uint64_t block, std::uint32_t sender, std::uint32_t receiver) {
    return {BlockId{block}, PeId{sender}, PeId{receiver}};
}

Csr<PeId> holders(std::vector<std::vector<std::uint32_t>> const& rows) {
    Csr<PeId> result;
    for (auto const& row : rows) {
        for (auto const pe : row) result.push_value(PeId{pe});
        result.end_row();
    }
    return result;
}

void expect_coloured(Edges const& edges, std::uint32_t num_colours) {
    EXPECT_EQ(largest_degree(edges), num_colours);
    auto const colours = colour_edges(edges);
    EXPECT_TRUE(is_proper_colouring(edges, colours, num_colours));
}

TEST(ColourEdges, NeedsNoColourForNoEdge) {
    expect_coloured({}, 0);
}

TEST(ColourEdges, NeedsOneColourForAMatching) {
    expect_coloured({{0, 2}, {5, 0}, {3, 9}}, 1);
}

TEST(ColourEdges, GivesParallelEdgesDifferentColours) {
    expect_coloured({{0, 0}, {0, 0}, {0, 0}, {1, 0}}, 4);
}

//  First-fit: 0-0 and 1-1 get colour 0, then 0-1 colour 1; 1-0 has colour 0 taken at both ends, and takes 1. Then 2-0
//  and 2-1: a square with a tail. Every order of these edges must do with the largest degree.
TEST(ColourEdges, MendsWhatFirstFitSpoils) {
    Edges edges{{0, 0}, {1, 1}, {0, 1}, {2, 0}, {2, 1}, {1, 2}};
    std::vector<std::size_t> order(edges.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
        Edges shuffled;
        for (auto const i : order) shuffled.push_back(edges[i]);
        expect_coloured(shuffled, 3);
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(ColourEdges, UsesOneColourPerEdgeOfAHotReceiver) {
    Edges edges;
    for (std::uint32_t i = 0; i < 100'000; ++i) edges.push_back({i % 1000, 7});
    expect_coloured(edges, 100'000);
}

//  Every left vertex with every right vertex: a Latin square.
TEST(ColourEdges, ColoursCompleteGraphs) {
    for (std::uint32_t n : {1, 2, 3, 7, 8, 9, 31, 63, 64, 65}) {
        Edges edges;
        for (std::uint32_t left = 0; left < n; ++left) {
            for (std::uint32_t right = 0; right < n; ++right) edges.push_back({left, right});
        }
        expect_coloured(edges, n);
    }
}

TEST(IsProperColouring, FindsWhatIsWrong) {
    Edges const edges{{0, 0}, {0, 1}, {1, 0}};
    EXPECT_TRUE(is_proper_colouring(edges, Colours{0, 1, 1}, 2));
    EXPECT_FALSE(is_proper_colouring(edges, Colours{0, 0, 1}, 2)) << "twice at the left vertex 0";
    EXPECT_FALSE(is_proper_colouring(edges, Colours{0, 1, 0}, 2)) << "twice at the right vertex 0";
    EXPECT_FALSE(is_proper_colouring(edges, Colours{0, 2, 1}, 2)) << "no such colour";
    EXPECT_FALSE(is_proper_colouring(edges, Colours{0, 1}, 2)) << "an edge without colour";
}

//  Block 0 is on PEs 1 and 2, block 1 on PE 1: PE 2 sends block 0, so that PE 1 is free for block 1, in one round.
TEST(HRelation, ChoosesSendersThatShareTheWork) {
    std::vector const requests{request(0, 3), request(1, 4)};
    auto const rows = holders({{1, 2}, {1}});
    auto const plan = h_relation(requests, rows);
    EXPECT_TRUE(is_valid(plan, requests, rows));
    EXPECT_EQ(plan.h, 1u);
    EXPECT_EQ(plan.rounds.values, (std::vector{transfer(0, 2, 3), transfer(1, 1, 4)}));
}

TEST(HRelation, IsEmptyForNoRequests) {
    auto const plan = h_relation({}, {});
    EXPECT_TRUE(is_valid(plan, {}, {}));
    EXPECT_EQ(plan.h, 0u);
    EXPECT_EQ(plan.b, 0u);
    EXPECT_EQ(plan.rounds.size(), 0u);
}

TEST(HRelation, ServesLocallyAndReportsLostBlocks) {
    std::vector const requests{request(0, 3), request(1, 4), request(2, 5)};
    auto const rows = holders({{3, 1}, {}, {5}});
    auto const plan = h_relation(requests, rows);
    EXPECT_TRUE(is_valid(plan, requests, rows));
    EXPECT_EQ(plan.local, (std::vector{transfer(0, 3, 3), transfer(2, 5, 5)}));
    EXPECT_EQ(plan.unservable, std::vector{request(1, 4)});
    EXPECT_EQ(plan.h, 0u);
}

TEST(HRelation, TakesAsManyRoundsAsOnePeReceives) {
    std::vector<Request> requests;
    Csr<PeId> rows;
    for (std::uint32_t block = 0; block < 9; ++block) {
        requests.push_back(request(block, 100));
        rows.push_row(std::vector{PeId{block}});
    }
    auto const plan = h_relation(requests, rows);
    EXPECT_TRUE(is_valid(plan, requests, rows));
    EXPECT_EQ(plan.b, 1u);
    EXPECT_EQ(plan.h, 9u);
}

TEST(HRelation, SendsOneBlockToSeveralPEs) {
    std::vector const requests{request(7, 1), request(7, 2), request(7, 3), request(7, 1)};
    auto const rows = holders({{0}, {0}, {0}, {0}});
    auto const plan = h_relation(requests, rows);
    EXPECT_TRUE(is_valid(plan, requests, rows));
    EXPECT_EQ(plan.h, 4u);
}

TEST(HRelation, TakesSparsePEs) {
    std::vector const requests{request(0, 99'999), request(1, 3)};
    auto const rows = holders({{3, 70'000}, {99'999}});
    auto const plan = h_relation(requests, rows);
    EXPECT_TRUE(is_valid(plan, requests, rows));
    EXPECT_EQ(plan.h, 1u);
}

class IsValid : public testing::Test {
protected:
    std::vector<Request> requests{request(0, 3), request(1, 4), request(2, 5), request(3, 4)};
    Csr<PeId> rows = holders({{1, 2}, {1, 2}, {}, {4, 1}});
    HRelation plan = h_relation(requests, rows);

    template <class Change>
    bool survives(Change change) {
        auto broken = plan;
        change(broken);
        return is_valid(broken, requests, rows);
    }
};

TEST_F(IsValid, AcceptsWhatIsRight) {
    EXPECT_TRUE(is_valid(plan, requests, rows));
    EXPECT_EQ(plan.rounds.size(), 1u);
}

TEST_F(IsValid, FindsWhatIsWrong) {
    EXPECT_FALSE(survives([](auto& p) { p.unservable.clear(); })) << "a request not accounted for";
    EXPECT_FALSE(survives([](auto& p) { p.local.push_back(transfer(3, 4, 4)); })) << "served twice";
    EXPECT_FALSE(survives([](auto& p) { p.local = {transfer(3, 1, 4)}; })) << "local, but from elsewhere";
    EXPECT_FALSE(survives([](auto& p) { p.unservable = {request(2, 6)}; })) << "nobody asked for that";
    EXPECT_FALSE(survives([](auto& p) { p.rounds.values[0].sender = PeId{6}; })) << "a sender without the block";
    EXPECT_FALSE(survives([](auto& p) { p.rounds.values[0].sender = p.rounds.values[1].sender; })) << "two at once";
    EXPECT_FALSE(survives([](auto& p) { ++p.b; }));
    EXPECT_FALSE(survives([](auto& p) { ++p.h; }));
    EXPECT_FALSE(survives([](auto& p) { p.rounds.end_row(); })) << "a round too many";
    EXPECT_FALSE(survives([](auto& p) {
        p.local.clear();
        p.unservable.push_back(request(3, 4));
    })) << "given up though somebody holds it";
}

TEST_F(IsValid, FindsTransfersThatWereNotNeeded) {
    std::vector const wanted{request(3, 4)};
    auto const held = holders({{4, 1}});
    HRelation sent;
    sent.rounds.push_row(std::vector{transfer(3, 1, 4)});
    sent.b = sent.h = 1;
    EXPECT_FALSE(is_valid(sent, wanted, held));
}

TEST(HRelationDeathTest, RefusesRequestsWithoutARowOfHolders) {
    std::vector const requests{request(0, 3)};
    EXPECT_DEATH(h_relation(requests, {}), "precondition");
}

}  // namespace
}  // namespace regraft::schedule
