#include "regraft/schedule/h_relation.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace regraft::schedule {
namespace {

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

//  PE 0 holds four blocks, PE 1 two of them. Four rounds are needed anyway, as PE 9 receives four blocks.
TEST(HRelation, SearchesForTheLeastBusySendersIfAsked) {
    std::vector const requests{request(0, 9), request(1, 9), request(2, 9), request(3, 9)};
    auto const rows = holders({{0}, {0, 1}, {0, 1}, {0}});
    Options const options{.balance = Balance::fully};
    auto const plan = h_relation(requests, rows, options);
    EXPECT_TRUE(is_valid(plan, requests, rows, options));
    EXPECT_EQ(plan.b, 2u);
    EXPECT_EQ(plan.h, 4u);
}

//  PE 0 has three blocks for PE 5 and one for PE 6; PE 1 has one for PE 5.
TEST(HRelation, SendsAllThatOnePeHasForAnotherAtOnceIfAsked) {
    std::vector const requests{request(0, 5), request(1, 6), request(2, 5), request(3, 5), request(4, 5)};
    auto const rows = holders({{0}, {0}, {0}, {1}, {0}});
    Options const options{.messages = Messages::bundled};
    auto const plan = h_relation(requests, rows, options);
    EXPECT_TRUE(is_valid(plan, requests, rows, options));
    EXPECT_EQ(plan.h, 2u);
    EXPECT_EQ(plan.b, 4u);
    EXPECT_EQ(h_relation(requests, rows).h, 4u);
}

//  Block 0 weighs as much as the other three, which both PEs hold, too.
TEST(HRelation, BalancesBytesIfTheyAreGiven) {
    std::vector const requests{request(0, 9), request(1, 9), request(2, 9), request(3, 9)};
    auto const rows = holders({{0, 1}, {0, 1}, {0, 1}, {0, 1}});
    std::vector<std::uint64_t> const bytes{300, 100, 100, 100};
    Options const options{.bytes = bytes};
    auto const plan = h_relation(requests, rows, options);
    EXPECT_TRUE(is_valid(plan, requests, rows, options));
    EXPECT_EQ(plan.most_bytes, 300u);
    EXPECT_EQ(plan.most_bytes_bound, 300u);
    EXPECT_EQ(plan.b, 3u);
}

TEST(ChooseSenders, ListsEverythingInTheOrderOfTheRequests) {
    std::vector const requests{request(5, 3), request(1, 4), request(4, 5),
                               request(0, 3), request(2, 4), request(3, 5)};
    auto const rows = holders({{1}, {}, {5}, {2}, {}, {5, 1}});
    auto const senders = choose_senders(requests, rows);
    EXPECT_TRUE(is_valid(senders, requests, rows));
    EXPECT_EQ(senders.transfers, (std::vector{transfer(5, 1, 3), transfer(0, 2, 3)}));
    EXPECT_EQ(senders.local, (std::vector{transfer(4, 5, 5), transfer(3, 5, 5)}));
    EXPECT_EQ(senders.unservable, (std::vector{request(1, 4), request(2, 4)}));
    EXPECT_EQ(senders.b, 1u);
    EXPECT_EQ(senders.r, 2u);
}

class IsValidSenders : public testing::Test {
protected:
    std::vector<Request> requests{request(0, 3), request(1, 4), request(2, 5), request(3, 4), request(4, 3)};
    Csr<PeId> rows = holders({{1, 2}, {1, 2}, {}, {4, 1}, {1, 2}});
    std::vector<std::uint64_t> bytes{10, 20, 30, 40, 10};
    Options options{.bytes = bytes};
    Senders senders = choose_senders(requests, rows, options);

    template <class Change>
    bool survives(Change change) {
        auto broken = senders;
        change(broken);
        return is_valid(broken, requests, rows, options);
    }
};

TEST_F(IsValidSenders, AcceptsWhatIsRight) {
    EXPECT_TRUE(is_valid(senders, requests, rows, options));
    EXPECT_EQ(senders.most_bytes, 20u);
}

TEST_F(IsValidSenders, FindsWhatIsWrong) {
    EXPECT_FALSE(survives([](auto& s) { s.transfers.pop_back(); })) << "a request not accounted for";
    EXPECT_FALSE(survives([](auto& s) { std::swap(s.transfers[0], s.transfers[1]); })) << "another order";
    EXPECT_FALSE(survives([](auto& s) { s.transfers[1].sender = PeId{4}; })) << "a sender without the block";
    EXPECT_FALSE(survives([](auto& s) { s.local[0].sender = PeId{1}; })) << "local, but from elsewhere";
    EXPECT_FALSE(survives([](auto& s) { s.unservable.push_back(request(2, 5)); })) << "lost twice";
    EXPECT_FALSE(survives([](auto& s) { ++s.b; }));
    EXPECT_FALSE(survives([](auto& s) { --s.r; }));
    EXPECT_FALSE(survives([](auto& s) { --s.most_bytes; }));
    EXPECT_FALSE(survives([](auto& s) { s.most_bytes_bound = s.most_bytes + 1; }));
    EXPECT_FALSE(survives([](auto& s) {
        for (auto& transfer : s.transfers) transfer.sender = PeId{1};
        s.b = 3;
        s.most_bytes = 40;
        s.most_bytes_bound = 19;
    })) << "too far from the bound";
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

TEST_F(IsValid, FindsBundlesThatAreNone) {
    std::vector const wanted{request(0, 5), request(1, 5), request(2, 6)};
    auto const held = holders({{0}, {0}, {0}});
    Options const options{.messages = Messages::bundled};
    auto const good = h_relation(wanted, held, options);
    EXPECT_TRUE(is_valid(good, wanted, held, options));
    EXPECT_EQ(good.h, 2u);
    EXPECT_FALSE(is_valid(good, wanted, held)) << "two blocks at once, if every block is a message";

    auto apart = h_relation(wanted, held);
    EXPECT_TRUE(is_valid(apart, wanted, held));
    EXPECT_FALSE(is_valid(apart, wanted, held, options)) << "a pair of PEs has two messages";

    HRelation together = good;
    together.rounds = {};
    together.rounds.push_row(std::vector{transfer(0, 0, 5), transfer(1, 0, 5), transfer(2, 0, 6)});
    EXPECT_FALSE(is_valid(together, wanted, held, options)) << "two messages from one PE in a round";
}

TEST_F(IsValid, FindsBytesThatWereNotAskedFor) {
    EXPECT_FALSE(survives([](auto& p) { p.most_bytes = p.most_bytes_bound = 2; }));
}

TEST(HRelationDeathTest, RefusesBytesThatAreNotPerRequest) {
    std::vector const requests{request(0, 3)};
    std::vector<std::uint64_t> const bytes{1, 2};
    EXPECT_DEATH(h_relation(requests, holders({{1}}), {.bytes = bytes}), "precondition");
}

TEST(HRelationDeathTest, RefusesRequestsWithoutARowOfHolders) {
    std::vector const requests{request(0, 3)};
    EXPECT_DEATH(h_relation(requests, {}), "precondition");
}

}  // namespace
}  // namespace regraft::schedule
