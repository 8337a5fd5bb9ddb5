// The replicated store while all members live: all options, sizes, placements and ways to ask, against a model.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/permuted.hpp"
#include "support/store/store_requests.hpp"
#include "support/store/store_under_test.hpp"

namespace regraft::store {
namespace {

using test::Content;
using test::fitting;
using test::make_placement;
using test::Request;
using test::StoreUnderTest;
using test::submit_evenly;

std::uint64_t sum(ft::Communicator& comm, std::uint64_t mine) {
    comm.check(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_SUM, comm.native()), "MPI_Allreduce");
    return mine;
}

/// One row: what the i-th member wants, the others want nothing.
Csr<BlockRange> only(std::size_t i, std::vector<BlockRange> const& wanted, ft::Communicator const& comm) {
    Csr<BlockRange> rows;
    for (std::size_t rank = 0; rank < comm.size(); ++rank) {
        rows.push_row(rank == i ? std::span(wanted) : std::span<BlockRange const>{});
    }
    return rows;
}

class AnyStore : public testing::TestWithParam<Options> {
protected:
    std::vector<Request> requests() const {
        if (GetParam().transport == Transport::collective) return {Request::told, Request::known};
        return {Request::told, Request::known, Request::started, Request::told_and_started};
    }
    bool copies_own() const { return GetParam().own_copy == OwnCopy::copied; }
    ft::Communicator comm{MPI_COMM_WORLD};
};

std::string name(testing::TestParamInfo<Options> const& info) {
    auto const& options = info.param;
    return std::string(options.transport == Transport::collective ? "Collective" : "Rounds") +
           (options.own_copy == OwnCopy::copied ? "Copied" : "Referenced") +
           (options.integrity == Integrity::checked ? "Checked" : "Unchecked") +
           (options.most_planned_runs == 0 ? "Unplanned" : "");
}

/// Every two choices occur together once.
constexpr std::array<Options, 6> options{Options{Transport::collective, OwnCopy::copied, Integrity::unchecked},
                                         Options{Transport::collective, OwnCopy::referenced, Integrity::checked},
                                         Options{Transport::rounds, OwnCopy::copied, Integrity::checked},
                                         Options{Transport::rounds, OwnCopy::referenced, Integrity::unchecked},
                                         // Senders by the rule that needs no plan.
                                         Options{Transport::collective, OwnCopy::referenced, Integrity::unchecked, 0},
                                         Options{Transport::rounds, OwnCopy::copied, Integrity::checked, 0}};

INSTANTIATE_TEST_SUITE_P(ReplicatedStore, AnyStore, testing::ValuesIn(options), name);

TEST_P(AnyStore, GivesBackAnyNumberOfBlocksOfAnySize) {
    for (std::uint64_t const num_blocks : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{comm.size() - 1},
                                           std::uint64_t{comm.size() + 1}, std::uint64_t{100}}) {
        for (auto const sizes : {Content::Sizes::fixed, Content::Sizes::variable}) {
            for (std::uint32_t const replicas : {1, 2, 100}) {
                SCOPED_TRACE(testing::Message() << num_blocks << " blocks, " << replicas << " replicas");
                StoreUnderTest store(comm, GetParam());
                submit_evenly(store, comm, {num_blocks, sizes, replicas == 2 ? 300U : 1U, replicas});
                EXPECT_EQ(store.load_everything(), "");
                EXPECT_EQ(store.check_memory(), "");
                EXPECT_EQ(store.store().num_blocks(), num_blocks);
                auto const& content = store.model().content();
                EXPECT_EQ(store.store().sizes().bytes(), content.bytes(content.everything()));
            }
        }
    }
}

TEST_P(AnyStore, AnswersAllRequestsWithAllPlacements) {
    Random random(17);
    for (auto const* placement : {"mod_k", "permuted", "pairwise", "node_aware"}) {
        for (std::uint32_t const replicas : {1, 3}) {
            StoreUnderTest store(comm, GetParam());
            submit_evenly(store, comm, {150, Content::Sizes::variable, 90, replicas}, placement, random.bits());
            for (auto const request : requests()) {
                for (int i = 0; i < 2; ++i) {
                    SCOPED_TRACE(testing::Message() << placement << ", " << replicas << " replicas, load " << i);
                    EXPECT_EQ(store.load(test::random_requests(150, comm.size(), random), request), "");
                }
            }
        }
    }
}

TEST_P(AnyStore, TakesRangesOfAnySizeFromAnybody) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const num_blocks = random.below(70);
        StoreUnderTest store(comm, GetParam());
        store.submit(make_placement("permuted", num_blocks, comm.members(), fitting(2, comm), 1, seed),
                     Content(seed, num_blocks, Content::Sizes::variable, 40),
                     test::random_parts(num_blocks, comm.size(), random));
        EXPECT_EQ(store.load_everything(), "");
    }
}

TEST_P(AnyStore, ReplacesTheVersionBefore) {
    StoreUnderTest store(comm, GetParam());
    EXPECT_EQ(store.store().version(), 0u);
    EXPECT_EQ(store.store().num_blocks(), 0u);
    submit_evenly(store, comm, {20, Content::Sizes::fixed, 5, 2}, "mod_k", 1);
    EXPECT_EQ(store.store().version(), 1u);
    submit_evenly(store, comm, {33, Content::Sizes::variable, 900, 1}, "permuted", 2);
    EXPECT_EQ(store.store().version(), 2u);
    EXPECT_EQ(store.load_everything(), "");
    submit_evenly(store, comm, {20, Content::Sizes::fixed, 5, 2}, "pairwise",
                  3);  // looks like the first, but other bytes
    EXPECT_EQ(store.load_everything(), "");
    EXPECT_EQ(store.check_memory(), "");
}

TEST_P(AnyStore, KeepsSeveralStoresOnOneCommunicatorApart) {
    StoreUnderTest one(comm, GetParam());
    StoreUnderTest other(comm, {});
    Random random(5);
    for (int i = 0; i < 10; ++i) {
        if (i % 3 == 0) submit_evenly(one, comm, {60, Content::Sizes::variable, 100}, "permuted", random.bits());
        if (i % 4 == 0) submit_evenly(other, comm, {80, Content::Sizes::fixed, 64}, "mod_k", random.bits());
        EXPECT_EQ(one.load_alone(test::random_requests(60, comm.size(), random), Request::told), "");
        EXPECT_EQ(other.load_alone(test::random_requests(80, comm.size(), random), Request::known), "");
    }
}

TEST_P(AnyStore, KeepsReplicasTimesTheDataAllTogether) {
    StoreUnderTest store(comm, GetParam());
    submit_evenly(store, comm, {60, Content::Sizes::fixed, 10, 2}, "pairwise");
    // Pairwise leaves a PE its own part, which then needs no copy.
    auto const copies = fitting(2, comm) - (copies_own() ? 0 : 1);
    EXPECT_EQ(sum(comm, store.store().bytes_held()), 600u * copies);
}

TEST_P(AnyStore, LoadsNothingWhenNobodyWantsAnything) {
    StoreUnderTest store(comm, GetParam());
    submit_evenly(store, comm, {10, Content::Sizes::fixed, 3, 2});
    auto const report = store.store().load(std::span<BlockRange const>{}, {});
    EXPECT_EQ(report.b, 0u);
    EXPECT_EQ(report.rounds, 0u);
    EXPECT_EQ(report.bytes_moved, 0u);
}

TEST_P(AnyStore, LoadsTheSameBlocksAsOftenAsTheyAreWanted) {
    StoreUnderTest store(comm, GetParam());
    submit_evenly(store, comm, {50, Content::Sizes::variable, 30, 1});
    auto const range = [](std::uint64_t first, std::uint64_t last) {
        return BlockRange{BlockId{first}, BlockId{last}};
    };
    for (std::size_t i = 0; i < comm.size(); ++i) {
        for (auto const request : requests()) {
            EXPECT_EQ(store.load(only(i, {range(5, 40), range(0, 50), range(7, 7), range(39, 50), range(5, 40)}, comm),
                                 request),
                      "");
        }
    }
}

TEST_P(AnyStore, ShowsWhatItHoldsWithoutACopy) {
    StoreUnderTest store(comm, GetParam());
    submit_evenly(store, comm, {40, Content::Sizes::fixed, 16, 2}, "permuted");
    auto const& content = store.model().content();
    for (std::uint64_t id = 0; id < 40; ++id) {
        BlockRange const block{BlockId{id}, BlockId{id + 1}};
        auto const holders = store.model().holders(BlockId{id});
        auto const shown = store.store().held(block);
        if (!std::binary_search(holders.begin(), holders.end(), comm.self())) {
            EXPECT_TRUE(shown.empty()) << "block " << id;
            continue;
        }
        auto const right = content.rows(block).values;
        EXPECT_TRUE(std::equal(shown.begin(), shown.end(), right.begin(), right.end())) << "block " << id;
    }
}

TEST_P(AnyStore, NeedsNoRepairWhileEverybodyLives) {
    StoreUnderTest store(comm, GetParam());
    submit_evenly(store, comm, {70, Content::Sizes::variable, 60, 2}, "permuted");
    EXPECT_EQ(store.repair(), "");
    EXPECT_TRUE(store.store().repair().steps.empty());
    EXPECT_EQ(store.load_everything(), "");
}

TEST_P(AnyStore, MakesAsManyCopiesAsARepairAsksFor) {
    StoreUnderTest store(comm, GetParam());
    submit_evenly(store, comm, {70, Content::Sizes::variable, 60, 1}, "permuted");
    for (std::uint32_t replicas = 2; replicas <= comm.size(); ++replicas) {
        EXPECT_EQ(store.repair({replicas, std::numeric_limits<std::uint64_t>::max(), {}}), "");
        EXPECT_EQ(store.load_everything(), "");
    }
}

// --- damaged replicas ---

/// Changes a byte of a block where this PE keeps it. Returns whether it does.
bool damage(ReplicatedStore& store, BlockId block) {
    auto const bytes = store.held({block, advance(block, 1)});
    if (bytes.empty()) return false;
    auto* const memory = const_cast<std::byte*>(bytes.data());  // as a broken memory chip would
    *memory = ~*memory;
    return true;
}

bool names(std::vector<Damage> const& damaged, BlockId block, PeId holder) {
    return std::any_of(damaged.begin(), damaged.end(),
                       [&](Damage const& one) { return one.blocks.contains(block) && one.holder == holder; });
}

class CheckedStore : public testing::TestWithParam<Transport> {
protected:
    ft::Communicator comm{MPI_COMM_WORLD};
};

INSTANTIATE_TEST_SUITE_P(ReplicatedStore, CheckedStore, testing::Values(Transport::collective, Transport::rounds));

TEST_P(CheckedStore, ReplacesDamagedReplicas) {
    if (comm.size() < 2) GTEST_SKIP() << "needs a second replica";
    StoreUnderTest store(comm, {GetParam(), OwnCopy::copied, Integrity::checked});
    submit_evenly(store, comm, {64, Content::Sizes::fixed, 3000, 2}, "permuted");
    for (std::uint64_t id : {0, 17, 63}) {
        auto const victim = store.model().holders(BlockId{id}).front();
        if (comm.self() == victim) {
            EXPECT_TRUE(damage(store.store(), BlockId{id}));
        }
        auto const everything = store.model().content().everything();
        std::vector<std::byte> out(store.model().content().bytes(everything));
        auto const report = store.store().load(std::span(&everything, 1), out);
        EXPECT_EQ(store.model().check(report, std::span(&everything, 1), std::span(&everything, 1), out), "");
        EXPECT_TRUE(names(report.damaged, BlockId{id}, victim)) << "block " << id;
        EXPECT_TRUE(comm.agree_equal(test::hash_of_uniform(report)));
        EXPECT_TRUE(store.store().load(std::span(&everything, 1), out).damaged.empty()) << "it has been replaced";
        EXPECT_EQ(store.check_memory(), "");
    }
}

TEST_P(CheckedStore, SaysWhatIsLostWhenTheOnlyReplicaIsDamaged) {
    StoreUnderTest store(comm, {GetParam(), OwnCopy::copied, Integrity::checked});
    submit_evenly(store, comm, {40, Content::Sizes::fixed, 100000, 1}, "permuted");
    auto const victim = store.model().holders(BlockId{20}).front();
    if (comm.self() == victim) {
        EXPECT_TRUE(damage(store.store(), BlockId{20}));
    }
    auto const& content = store.model().content();
    auto const everything = content.everything();
    for (int i = 0; i < 2; ++i) {
        std::vector<std::byte> out(content.bytes(everything), test::StoreModel::untouched);
        auto const report = store.store().load(std::span(&everything, 1), out, {.lost = LoadOptions::Lost::left});
        EXPECT_EQ(report.lost, (std::vector{BlockRange{BlockId{20}, BlockId{21}}})) << test::to_string(report.lost);
        for (std::uint64_t id = 0; id < 40; ++id) {
            for (std::size_t offset : {std::size_t{0}, std::size_t{99999}}) {
                // Bytes that were loaded before the damage was seen are not left there.
                auto const place = i == 0 ? std::byte{} : test::StoreModel::untouched;
                auto const right = id == 20 ? place : content.byte(BlockId{id}, offset);
                EXPECT_EQ(out[id * 100000 + offset], right) << "block " << id;
            }
        }
    }
}

TEST_P(CheckedStore, NeverRepairsFromDamagedReplicas) {
    if (comm.size() < 3) GTEST_SKIP() << "needs a place for a third replica";
    StoreUnderTest store(comm, {GetParam(), OwnCopy::copied, Integrity::checked});
    submit_evenly(store, comm, {30, Content::Sizes::fixed, 70000, 2}, "permuted");
    for (std::uint64_t id = 0; id < 30; id += 5) {
        if (comm.self() == store.model().holders(BlockId{id})[id % 2]) {
            EXPECT_TRUE(damage(store.store(), BlockId{id}));
        }
    }
    auto const report = store.store().repair({3, std::numeric_limits<std::uint64_t>::max(), {}});
    // The report has the damage that was found, and everything that was copied before and after.
    for (auto const& damage : report.damaged) {
        EXPECT_EQ(damage.blocks.size(), 1u);
        auto const id = value(damage.blocks.first);
        EXPECT_EQ(damage.holder, store.model().holders(damage.blocks.first)[id % 2]);
        EXPECT_EQ(id % 5, 0u);
    }
    std::uint64_t copied = 0;
    for (auto const& step : report.steps) {
        for (auto const& copy : step.copies) copied += copy.blocks.size();
    }
    EXPECT_EQ(copied, 30u + report.damaged.size());
    EXPECT_EQ(report.bytes_copied, copied * 70000);
    EXPECT_EQ(sum(comm, report.damaged.size()), report.damaged.size() * comm.size());
    EXPECT_EQ(sum(comm, store.store().scrub().damaged.size()), (6 - report.damaged.size()) * comm.size())
        << "those that nobody copied";
    EXPECT_EQ(store.load_everything(), "");
}

TEST_P(CheckedStore, ScrubsReplicasThatNobodyReads) {
    if (comm.size() < 2) GTEST_SKIP() << "needs a second replica";
    StoreUnderTest store(comm, {GetParam(), OwnCopy::copied, Integrity::checked});
    submit_evenly(store, comm, {64, Content::Sizes::fixed, 3000, 2}, "permuted");
    EXPECT_EQ(store.scrub(), "");
    std::vector<Damage> expected;
    for (std::uint64_t id : {0, 25, 50}) {
        auto const victim = store.model().holders(BlockId{id}).back();
        expected.push_back({{BlockId{id}, BlockId{id + 1}}, victim});
        if (comm.self() == victim) {
            EXPECT_TRUE(damage(store.store(), BlockId{id}));
        }
    }
    auto const report = store.store().scrub();
    EXPECT_TRUE(report.lost.empty());
    for (auto const& one : expected) EXPECT_TRUE(names(report.damaged, one.blocks.first, one.holder));
    EXPECT_LE(report.damaged.size(), expected.size());
    EXPECT_EQ(store.scrub(), "") << "they have been replaced";
    EXPECT_EQ(store.load_everything(), "");
    EXPECT_EQ(store.check_memory(), "");
}

TEST_P(CheckedStore, ScrubsAlsoWhatCannotBeMadeGood) {
    StoreUnderTest store(comm, {GetParam(), OwnCopy::copied, Integrity::checked});
    submit_evenly(store, comm, {40, Content::Sizes::fixed, 100000, 1}, "permuted");
    if (comm.self() == store.model().holders(BlockId{20}).front()) {
        EXPECT_TRUE(damage(store.store(), BlockId{20}));
    }
    EXPECT_EQ(store.store().scrub().lost, (std::vector{BlockRange{BlockId{20}, BlockId{21}}}));
    auto const again = store.store().scrub();
    EXPECT_TRUE(again.damaged.empty()) << "nobody counts on it any more";
    auto const everything = store.model().content().everything();
    std::vector<std::byte> out(40 * 100000);
    EXPECT_THROW(static_cast<void>(store.store().load(std::span(&everything, 1), out)), DataLost);
}

TEST_P(CheckedStore, DoesNotShowWhatIsDamaged) {
    StoreUnderTest store(comm, {GetParam(), OwnCopy::copied, Integrity::checked});
    submit_evenly(store, comm, {20, Content::Sizes::fixed, 100000, 100});  // all members hold everything
    EXPECT_TRUE(damage(store.store(), BlockId{5}));
    EXPECT_TRUE(store.store().held({BlockId{5}, BlockId{6}}).empty());
    EXPECT_TRUE(store.store().held({BlockId{0}, BlockId{20}}).empty());
    EXPECT_EQ(store.store().held({BlockId{7}, BlockId{9}}).size(), 200000u);
}

TEST_P(CheckedStore, NoticesDamageInTheMemoryOfTheUser) {
    if (comm.size() < 2) GTEST_SKIP() << "needs a second replica";
    constexpr std::uint64_t num_blocks = 60;
    auto const mine = test::part_of(num_blocks, value(comm.self()), comm.size());
    auto bytes = test::blocks(mine, 1000);
    ReplicatedStore store(comm, {GetParam(), OwnCopy::referenced, Integrity::checked});
    placement::Permuted const placement(num_blocks, static_cast<std::uint32_t>(comm.size()), 2,
                                        {.range_blocks = 1, .seed = {}});
    store.submit(placement, mine, bytes, 1000);
    if (comm.leads()) bytes[0] ^= std::byte{1};
    BlockRange const everything{BlockId{0}, BlockId{num_blocks}};
    std::vector<std::byte> out(num_blocks * 1000);
    auto const report = store.load(std::span(&everything, 1), out);
    EXPECT_EQ(out, test::blocks(everything, 1000));
    EXPECT_TRUE(report.lost.empty());
    EXPECT_TRUE(names(report.damaged, BlockId{0}, PeId{0}));
    EXPECT_TRUE(store.load(std::span(&everything, 1), out).damaged.empty()) << "it does not count any more";
    EXPECT_TRUE(store.scrub().damaged.empty()) << "nor does a scrub look at it";
    EXPECT_GT(store.repair().bytes_copied, 0u) << "it is missing";
}

TEST_P(CheckedStore, ReadsFromReplacedReplicas) {
    if (comm.size() != 2) GTEST_SKIP() << "needs that both have everything";
    ReplicatedStore store(comm, {GetParam(), OwnCopy::copied, Integrity::checked});
    store.submit(placement::ModK(100, 2, 2), test::part_of(100, value(comm.self()), 2),
                 test::blocks(test::part_of(100, value(comm.self()), 2), 1000), 1000);
    BlockRange const everything{BlockId{0}, BlockId{100}};
    std::vector<std::byte> out(100 * 1000);
    for (std::uint32_t const victim : {0, 1, 0}) {
        SCOPED_TRACE(victim);
        if (value(comm.self()) == victim) {
            EXPECT_TRUE(damage(store, BlockId{30}));
        }
        auto const report = store.load(std::span(&everything, 1), out);
        EXPECT_TRUE(names(report.damaged, BlockId{30}, PeId{victim}));
        EXPECT_TRUE(report.lost.empty());
        EXPECT_EQ(out, test::blocks(everything, 1000));
    }
}

TEST_P(CheckedStore, ReplacesWhatTwoLoadsUnderWayFindDamaged) {
    if (comm.size() != 2) GTEST_SKIP() << "needs that both have everything";
    ReplicatedStore store(comm, {GetParam(), OwnCopy::copied, Integrity::checked});
    store.submit(placement::ModK(100, 2, 2), test::part_of(100, value(comm.self()), 2),
                 test::blocks(test::part_of(100, value(comm.self()), 2), 1000), 1000);
    EXPECT_TRUE(damage(store, BlockId{comm.leads() ? 5U : 95U}));
    auto const wanted = [](std::uint64_t first, std::uint64_t last) {
        Csr<BlockRange> rows;
        for (int i = 0; i < 2; ++i) rows.push_row(std::vector{BlockRange{BlockId{first}, BlockId{last}}});
        return rows;
    };
    std::vector<std::byte> first(60 * 1000), second(60 * 1000);
    auto one = store.start_load(wanted(0, 60), first);
    auto two = store.start_load(wanted(40, 100), second);
    EXPECT_TRUE(two.wait().lost.empty());
    EXPECT_TRUE(one.wait().lost.empty());
    EXPECT_EQ(first, test::blocks({BlockId{0}, BlockId{60}}, 1000));
    EXPECT_EQ(second, test::blocks({BlockId{40}, BlockId{100}}, 1000));
    BlockRange const everything{BlockId{0}, BlockId{100}};
    std::vector<std::byte> out(100 * 1000);
    auto const report = store.load(std::span(&everything, 1), out);
    EXPECT_TRUE(report.damaged.empty());
    EXPECT_EQ(out, test::blocks(everything, 1000));
}

TEST(UncheckedStore, DoesNotNotice) {
    ft::Communicator comm(MPI_COMM_WORLD);
    StoreUnderTest store(comm, {});
    submit_evenly(store, comm, {10, Content::Sizes::fixed, 8, 100});
    static_cast<void>(damage(store.store(), BlockId{3}));  // all members hold everything, and damage it
    EXPECT_NE(store.load_everything(), "") << "nor is it the model that does not";
}

// --- what loads tell, and what they cost ---

TEST(ReplicatedStore, BalancesSenders) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() < 4) GTEST_SKIP() << "needs four ranks: a receiver and more holders than one";
    StoreUnderTest store(comm, {});
    auto const size = static_cast<std::uint32_t>(comm.size());
    submit_evenly(store, comm, {90, Content::Sizes::fixed, 4, size});  // all members hold everything, all is local
    BlockRange const everything{BlockId{0}, BlockId{90}};
    std::vector<std::byte> out(360);
    EXPECT_EQ(store.store().load(std::span(&everything, 1), out).blocks_moved, 0u);
    submit_evenly(store, comm, {90, Content::Sizes::fixed, 4, size / 2});  // two groups
    auto const wanted = comm.leads() ? std::vector{everything} : std::vector<BlockRange>{};
    auto const report = store.store().load(wanted, std::span(out).first(comm.leads() ? out.size() : 0));
    EXPECT_EQ(report.blocks_moved, 45u);  // the half that PE 0 does not hold
    EXPECT_EQ(report.bytes_moved, 180u);
    EXPECT_LE(report.b, (45 + size / 2 - 1) / (size / 2) + 1);  // from all holders of that half alike
    EXPECT_EQ(report.most_received, 180u);
    EXPECT_GE(report.most_sent, report.most_sent_bound);
}

// --- the model itself, with broken answers ---

class BrokenAnswers : public testing::Test {
protected:
    BrokenAnswers() {
        std::vector<PeId> const members{PeId{0}, PeId{1}, PeId{2}, PeId{3}};
        model.submitted(make_placement("mod_k", 8, members, 2, 1, 0), members, content);
        auto const everything = content.everything();
        wanted = {everything};
        out = content.rows(everything).values;
    }
    std::string check() const { return model.check(report, wanted, wanted, out); }
    static bool contains(std::string const& text, std::string const& part) {
        return text.find(part) != std::string::npos;
    }

    Content content{3, 8, Content::Sizes::fixed, 10};
    test::StoreModel model;
    LoadReport report;
    std::vector<BlockRange> wanted;
    std::vector<std::byte> out;
};

TEST_F(BrokenAnswers, PassWhenTheyAreRight) {
    EXPECT_EQ(check(), "");
}

TEST_F(BrokenAnswers, FailWithOneWrongByte) {
    out[37] = ~out[37];
    EXPECT_TRUE(contains(check(), "wrong byte 7 of block 3")) << check();
}

TEST_F(BrokenAnswers, FailWithALossThatIsNone) {
    report.lost = {{BlockId{2}, BlockId{3}}};
    EXPECT_TRUE(contains(check(), "lost: [2, 3), should be: none")) << check();
}

TEST_F(BrokenAnswers, FailWhenALossIsNotReported) {
    std::vector<PeId> const survivors{PeId{1}, PeId{3}};  // 0 and 2 had the first half
    model.retain(survivors);
    EXPECT_TRUE(contains(check(), "should be: [0, 4)")) << check();
    report.lost = {{BlockId{0}, BlockId{4}}};
    EXPECT_TRUE(contains(check(), "of block 0, which is lost")) << check();
    std::fill_n(out.begin(), 40, test::StoreModel::untouched);
    EXPECT_EQ(check(), "");
}

TEST_F(BrokenAnswers, FailWhenARepairCopiesFromSomebodyWhoHasNothing) {
    std::vector<PeId> const members{PeId{0}, PeId{1}, PeId{2}, PeId{3}};
    repair::Plan plan;
    plan.steps.push_back({{{{BlockId{0}, BlockId{1}}, PeId{1}, PeId{3}}}, {}});
    EXPECT_TRUE(contains(model.apply(plan, members), "from a PE that does not hold it"));
}

TEST_F(BrokenAnswers, FailWhenARepairLeavesTooFewCopies) {
    std::vector<PeId> const survivors{PeId{0}, PeId{1}, PeId{3}};
    model.retain(survivors);
    EXPECT_TRUE(contains(model.apply(repair::Plan{}, survivors), "block 0 has 1 copies after repair, not 2"));
}

}  // namespace
}  // namespace regraft::store
