// The erasure-coded store while all members live: damaged pieces, loads under way, room, and what a PE holds.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "store/erasure/erasure_damage.hpp"
#include "support/store/blocks.hpp"

namespace regraft::store {
namespace {

using erasure::Code;

constexpr std::uint64_t num_blocks = 60;
constexpr std::size_t block_bytes = 9000;
constexpr BlockRange everything{BlockId{0}, BlockId{num_blocks}};
constexpr auto untouched = std::byte{0xee};

/// Changes a byte of a block where this PE keeps it. Returns whether it does.
bool damage(ErasureStore& store, BlockId block) {
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

class CheckedErasureStore : public testing::TestWithParam<Transport> {
protected:
    void SetUp() override {
        if (comm.size() < 3) GTEST_SKIP() << "needs three members for 2 + 1";
    }

    ErasureOptions options(OwnCopy own_copy = OwnCopy::copied) const {
        return {.transport = GetParam(),
                .own_copy = own_copy,
                .integrity = Integrity::checked,
                .buffer_bytes = 3 * 40000};  // windows end within what has a checksum
    }
    BlockRange mine() const { return test::part_of(num_blocks, value(comm.self()), comm.size()); }
    /// The PE that has submitted the block.
    PeId owner(BlockId block) const {
        for (auto pe : comm.members()) {
            if (test::part_of(num_blocks, value(pe), comm.size()).contains(block)) return pe;
        }
        return {};
    }
    void submit(ErasureStore& store, Code const& code = Code(2, 1)) {
        submitted = test::blocks(mine(), block_bytes);
        store.submit(code, mine(), submitted, block_bytes);
    }
    /// All members load everything; out has what came.
    LoadReport load(ErasureStore& store, LoadOptions const& load_options = {}) {
        out.assign(num_blocks * block_bytes, untouched);
        return store.load(std::span(&everything, 1), out, load_options);
    }
    bool is_right() const { return out == test::blocks(everything, block_bytes); }
    Csr<BlockRange> everybody_wants(BlockRange blocks) const {
        Csr<BlockRange> rows;
        for (std::uint32_t pe = 0; pe < comm.num_founders(); ++pe) rows.push_row(std::span(&blocks, 1));
        return rows;
    }

    ft::Communicator comm{MPI_COMM_WORLD};
    std::vector<std::byte> submitted;
    std::vector<std::byte> out;
};

INSTANTIATE_TEST_SUITE_P(ErasureStore, CheckedErasureStore, testing::Values(Transport::collective, Transport::rounds));

TEST_P(CheckedErasureStore, ReadsDamagedPiecesFromOthers) {
    for (auto own_copy : {OwnCopy::copied, OwnCopy::referenced}) {
        ErasureStore store(comm, options(own_copy));
        submit(store);
        for (std::uint64_t id : {0, 17, 59}) {
            SCOPED_TRACE(id);
            auto const victim = owner(BlockId{id});
            if (comm.self() == victim) {
                EXPECT_TRUE(damage(store, BlockId{id}));
                EXPECT_TRUE(store.held({BlockId{id}, BlockId{id + 1}}).empty()) << "it is not what was submitted";
            }
            auto const report = load(store);
            EXPECT_TRUE(is_right());
            EXPECT_TRUE(report.lost.empty());
            EXPECT_TRUE(names(report.damaged, BlockId{id}, victim));
            EXPECT_TRUE(load(store).damaged.empty()) << "nobody reads it any more";
            EXPECT_TRUE(is_right());
            auto const repaired = store.repair();
            EXPECT_GT(repaired.bytes_restored, 0u);
            EXPECT_EQ(repaired.deaths_survived, 1u);
            EXPECT_TRUE(load(store).damaged.empty());
            EXPECT_TRUE(is_right());
        }
    }
}

// Damages the first piece of data of each member, so one of every stripe.
TEST_P(CheckedErasureStore, ReadsWhatIsDamagedOnAllMembers) {
    ErasureStore store(comm, options());
    submit(store);
    EXPECT_TRUE(damage(store, mine().first));
    auto const report = load(store);
    EXPECT_TRUE(is_right());
    EXPECT_EQ(report.damaged.size(), comm.size());
    EXPECT_EQ(store.repair().deaths_survived, 1u);
}

TEST_P(CheckedErasureStore, ScrubsWhatNobodyReads) {
    ErasureStore store(comm, options());
    EXPECT_EQ(store.scrub().bytes_restored, 0u) << "nothing was submitted";
    submit(store);
    EXPECT_EQ(store.scrub().bytes_restored, 0u) << "nothing is damaged";
    for (int i = 0; i < 2; ++i) {
        auto const victim = owner(BlockId{31});
        if (comm.self() == victim && i == 0) {
            EXPECT_TRUE(damage(store, BlockId{31}));
        }
        auto const report = store.scrub();
        EXPECT_EQ(names(report.damaged, BlockId{31}, victim), i == 0);
        EXPECT_EQ(report.bytes_restored > 0, i == 0);
        EXPECT_EQ(report.deaths_survived, 1u);
        EXPECT_TRUE(report.lost.empty());
    }
    EXPECT_TRUE(load(store).damaged.empty());
    EXPECT_TRUE(is_right());
}

// Damages both pieces of data of each member: nothing follows from one parity.
TEST_P(CheckedErasureStore, LosesWhatIsDamagedTooOften) {
    ErasureStore store(comm, options());
    submit(store);
    EXPECT_TRUE(damage(store, mine().first));
    EXPECT_TRUE(damage(store, BlockId{value(mine().last) - 1}));
    try {
        static_cast<void>(load(store));
        ADD_FAILURE() << "everything is lost";
    } catch (DataLost const& lost) {
        EXPECT_EQ(lost.ranges(), std::vector{everything});
    }
    EXPECT_EQ(load(store, {.lost = LoadOptions::Lost::left}).lost, std::vector{everything});
    EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](std::byte byte) { return byte == untouched; }));
    auto const read = [](BlockRange blocks, std::span<std::byte> place) {
        auto const bytes = test::blocks(blocks, block_bytes);
        ASSERT_EQ(place.size(), bytes.size());
        std::copy(bytes.begin(), bytes.end(), place.begin());
    };
    EXPECT_EQ(load(store, {.reread = read}).lost, std::vector{everything});
    EXPECT_TRUE(is_right());
    EXPECT_EQ(store.repair().lost, std::vector{everything});
    submit(store);
    EXPECT_TRUE(load(store).lost.empty());
    EXPECT_TRUE(is_right());
}

// The first piece of PE 0 shares its stripe with the second one of PE 1.
TEST_P(CheckedErasureStore, ClearsWhatWasRebuiltFromDamage) {
    ErasureStore store(comm, options());
    submit(store);
    if (comm.leads()) {
        EXPECT_TRUE(damage(store, mine().first));
    }
    EXPECT_TRUE(load(store).lost.empty());
    if (value(comm.self()) == 1) {
        EXPECT_TRUE(damage(store, BlockId{value(mine().last) - 1}));
    }
    auto const report = load(store, {.lost = LoadOptions::Lost::left});
    EXPECT_FALSE(names(report.damaged, BlockId{0}, PeId{0})) << "known before";
    ASSERT_FALSE(report.lost.empty());
    EXPECT_TRUE(report.lost.front().contains(BlockId{0}));
    for (std::size_t i = 0; i < block_bytes; ++i) ASSERT_EQ(out[i], std::byte{}) << "wrong bytes are left";
}

TEST_P(CheckedErasureStore, LoadsWhileOtherThingsAreDone) {
    ErasureStore store(comm, options());
    submit(store);
    for (bool damaged : {false, true}) {
        if (damaged && comm.self() == owner(BlockId{25})) {
            EXPECT_TRUE(damage(store, BlockId{25}));
        }
        std::vector<std::byte> first(30 * block_bytes), second(40 * block_bytes);
        auto one = store.start_load(everybody_wants({BlockId{0}, BlockId{30}}), first);
        std::array const wanted{BlockRange{BlockId{20}, BlockId{60}}};
        auto two = store.start_load(wanted, second);
        auto const report_of_two = two.wait();
        auto const report_of_one = one.wait();
        EXPECT_EQ(first, test::blocks({BlockId{0}, BlockId{30}}, block_bytes));
        EXPECT_EQ(second, test::blocks({BlockId{20}, BlockId{60}}, block_bytes));
        EXPECT_EQ(names(report_of_two.damaged, BlockId{25}, owner(BlockId{25})), damaged);
        EXPECT_EQ(report_of_one.bytes_received + report_of_one.bytes_local >= first.size(), true);
    }
    auto const rows = everybody_wants({BlockId{20}, BlockId{40}});  // now from others, without any damage
    std::vector<std::byte> bytes(20 * block_bytes);
    EXPECT_TRUE(store.start_load(rows, bytes).wait().damaged.empty());
    EXPECT_EQ(bytes, test::blocks({BlockId{20}, BlockId{40}}, block_bytes));
    submit(store);  // no load is under way any more
}

// A damaged piece has no place, because no member has room: it stays missing, and one death less is survived.
TEST_P(CheckedErasureStore, KeepsToTheRoom) {
    ErasureStore store(comm, options());
    submit(store);
    if (comm.self() == owner(BlockId{40})) {
        EXPECT_TRUE(damage(store, BlockId{40}));
    }
    auto const before = store.bytes_held();
    auto const report = store.scrub({.room = 0});
    EXPECT_EQ(report.unplaced, 1u);
    EXPECT_EQ(report.bytes_restored, 0u);
    EXPECT_EQ(report.deaths_survived, 0u);
    EXPECT_EQ(store.bytes_held(), before);
    EXPECT_TRUE(load(store).lost.empty());
    EXPECT_TRUE(is_right());
    // Only one member has room for it.
    bool const roomy = comm.self() == comm.members()[1];
    auto const repaired = store.repair({.room = roomy ? before * 2 : before});
    EXPECT_EQ(repaired.unplaced, 0u);
    EXPECT_EQ(store.bytes_held() > before, roomy);
    EXPECT_LE(store.bytes_held(), before * 2);
}

TEST_P(CheckedErasureStore, FindsDamagedParities) {
    static ft::FailPhase phase("erasure-checked-test");
    auto const code = Code(2, 1);
    Csr<BlockRange> own;
    for (auto pe : comm.members()) own.push_row(std::vector{test::part_of(num_blocks, value(pe), comm.size())});
    ErasureVersion version;
    version.holdings = erasure::Holdings(erasure::Layout(code, BlockSizes(num_blocks, block_bytes), own),
                                         {comm.members().begin(), comm.members().end()});
    auto const bytes = test::blocks(mine(), block_bytes);
    version.add_own(bytes, nullptr);
    SpareMemory spare;
    ASSERT_TRUE(encode(comm, version, options(), spare, phase.inside));
    auto const all = readings(comm.self(), version.holdings);
    EXPECT_TRUE(drop_damage(comm, 0, 1, all, version, version.holdings).empty());
    auto const parity = version.holdings.layout().piece(0, code.data());  // slot 0 holds it
    if (comm.leads()) {
        Scratch scratch;
        auto const last = version.holdings.bytes(parity) - 1;
        auto* const byte = const_cast<std::byte*>(version.read(parity, {last, last + 1}, scratch).data());
        *byte ^= std::byte{1};
        EXPECT_EQ(version.verify(parity, {0, 1}), last >= sum_bytes) << "each part has a checksum of its own";
        EXPECT_FALSE(version.verify(parity, {last - 1, last}));
    }
    auto const bad = drop_damage(comm, 0, 1, all, version, version.holdings);
    ASSERT_EQ(bad.size(), 1u);
    EXPECT_EQ(bad[0].piece, parity);
    EXPECT_EQ(bad[0].holder, PeId{0});
    EXPECT_FALSE(version.holdings.holder(parity));
}

TEST(ErasureStore, SaysWhatAPeHolds) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto integrity : {Integrity::unchecked, Integrity::checked}) {
        ErasureStore store(comm, {.integrity = integrity});
        EXPECT_TRUE(store.held({}).empty());
        auto const mine = test::part_of(num_blocks, value(comm.self()), comm.size());
        store.submit(Code(2, 1), mine, test::blocks(mine, 10), 10);
        auto const bytes = store.held(mine);
        EXPECT_TRUE(std::ranges::equal(bytes, test::blocks(mine, 10)));
        auto const part = store.held({advance(mine.first, 1), mine.last});
        EXPECT_EQ(part.data(), bytes.data() + 10) << "no copy";
        EXPECT_EQ(store.held(everything).empty(), comm.size() > 1);
    }
}

TEST(UncheckedErasureStore, DoesNotNotice) {
    ft::Communicator comm(MPI_COMM_WORLD);
    ErasureStore store(comm);
    auto const mine = test::part_of(num_blocks, value(comm.self()), comm.size());
    store.submit(Code(2, 1), mine, test::blocks(mine, 10), 10);
    EXPECT_TRUE(damage(store, mine.first));
    std::vector<std::byte> out(num_blocks * 10);
    EXPECT_TRUE(store.load(std::span(&everything, 1), out).damaged.empty());
    EXPECT_NE(out, test::blocks(everything, 10));
}

}  // namespace
}  // namespace regraft::store
