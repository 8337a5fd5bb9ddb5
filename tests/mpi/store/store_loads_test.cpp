// Many loads of the replicated store, one after the other and at the same time.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/placement/mod_k.hpp"
#include "regraft/store/erasure_store.hpp"
#include "regraft/store/values.hpp"
#include "support/store/store_requests.hpp"
#include "support/store/store_under_test.hpp"

namespace regraft::store {
namespace {

using test::Content;
using test::Request;
using test::StoreUnderTest;
using test::submit_evenly;

TEST(ReplicatedStore, AnswersAThousandLoadsInARow) {
    // Members are at different loads: nothing but the store's own communication holds them together.
    ft::Communicator comm(MPI_COMM_WORLD);
    StoreUnderTest by_collectives(comm, {Transport::collective});
    StoreUnderTest by_messages(comm, {Transport::rounds});
    submit_evenly(by_collectives, comm, {120, Content::Sizes::variable, 50, 3}, "permuted", 1);
    submit_evenly(by_messages, comm, {120, Content::Sizes::variable, 50, 3}, "permuted", 2);
    Random random(1000);
    for (int i = 0; i < 1000; ++i) {
        SCOPED_TRACE(testing::Message() << "load " << i);
        auto& store = i % 2 == 0 ? by_collectives : by_messages;
        auto const request = i % 2 == 0 ? std::array{Request::told, Request::known}[random.below(2)]
                                        : std::array{Request::told, Request::started}[random.below(2)];
        ASSERT_EQ(store.load_alone(test::random_requests(120, comm.size(), random), request), "");
    }
}

TEST(ReplicatedStore, HasRowsOfValues) {
    ft::Communicator comm(MPI_COMM_WORLD);
    ReplicatedStore store(comm);
    auto const size = static_cast<std::uint32_t>(comm.size());
    auto const mine = even_part<BlockId>(20, comm.position(comm.self()), size);
    Csr<std::uint32_t> rows;
    for (auto id = mine.first; id < mine.last; id = advance(id, 1)) {
        for (std::uint32_t i = 0; i < value(id) % 4; ++i) rows.push_value(static_cast<std::uint32_t>(value(id)) + i);
        rows.end_row();
    }
    store.submit(placement::ModK(20, size, std::min(2U, size)), mine, ByteRows(rows));
    std::vector<BlockRange> const wanted{{BlockId{6}, BlockId{8}}, {BlockId{0}, BlockId{2}}};
    EXPECT_EQ(load<std::uint32_t>(store, wanted), (std::vector<std::uint32_t>{6, 7, 7, 8, 9, 1}));
}

TEST(ReplicatedStore, HasSeveralLoadsUnderWay) {
    ft::Communicator comm(MPI_COMM_WORLD);
    StoreUnderTest store(comm, {Transport::rounds});
    submit_evenly(store, comm, {90, Content::Sizes::fixed, 5000, 2}, "permuted");
    auto const mine = comm.position(comm.self());
    Random random(3);
    for (int i = 0; i < 10; ++i) {
        // The load that begins first is waited for last.
        auto const first_rows = test::random_requests(90, comm.size(), random);
        auto const second_rows = test::random_requests(90, comm.size(), random);
        std::vector<std::byte> first(store.model().bytes_of(first_rows[mine]));
        std::vector<std::byte> second(store.model().bytes_of(second_rows[mine]));
        auto started_first = store.store().start_load(first_rows, first);
        auto started_second = store.store().start_load(second_rows[mine], second);
        ASSERT_EQ(store.model().check(started_second.wait(), second_rows[mine], second_rows.values, second), "");
        ASSERT_EQ(store.model().check(started_first.wait(), first_rows[mine], first_rows.values, first), "");
    }
}

/// The messages of a load need the memory of its store.
template <class Store, class Shape>
void expect_end_of_load_with_store(Shape const& shape) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const self = comm.position(comm.self());
    constexpr std::uint64_t per_member = 20, block_bytes = 50'000;
    std::vector<std::byte> const blocks(per_member * block_bytes, std::byte{1});
    Csr<BlockRange> wanted;
    for (std::size_t rank = 0; rank < comm.size(); ++rank) {
        auto const of = (rank + 1) % comm.size();
        wanted.push_row(std::array{BlockRange{BlockId{of * per_member}, BlockId{(of + 1) * per_member}}});
    }
    std::vector<std::byte> first(per_member * block_bytes), second(first.size());
    std::optional<Store> store(std::in_place, comm);
    store->submit(shape(comm.size()), BlockRange{BlockId{self * per_member}, BlockId{(self + 1) * per_member}}, blocks,
                  block_bytes);
    std::optional<Loading> waited_for(store->start_load(wanted, first)), left(store->start_load(wanted, second));
    static_cast<void>(waited_for->wait());
    store.reset();
    left.reset();
    waited_for.reset();
    EXPECT_EQ(first, blocks);
    EXPECT_TRUE(comm.agree(true));
}

TEST(ReplicatedStore, WaitsForItsLoadsWhenItIsDestroyed) {
    expect_end_of_load_with_store<ReplicatedStore>([](std::size_t size) {
        return placement::Any(placement::ModK(20 * size, static_cast<std::uint32_t>(size), 1));
    });
}

TEST(ErasureStore, WaitsForItsLoadsWhenItIsDestroyed) {
    expect_end_of_load_with_store<ErasureStore>([](std::size_t) { return erasure::Code(2, 1); });
}

/// Two stores of the same shape, so that nothing but their identity tells their calls apart.
template <class Store, class Shape, class Options>
void expect_divergence_of_two(Shape const& shape, Options const& options) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const self = comm.position(comm.self());
    constexpr std::uint64_t per_member = 20;
    BlockRange const mine{BlockId{self * per_member}, BlockId{(self + 1) * per_member}};
    std::vector<std::byte> const first_blocks(per_member * 8, std::byte{1}),
        second_blocks(per_member * 8, std::byte{2});
    Store first(comm, options);
    Store second(comm, options);
    std::vector<BlockRange> ranges;
    for (std::size_t rank = 0; rank < comm.size(); ++rank) {
        ranges.push_back({BlockId{rank * per_member}, BlockId{(rank + 1) * per_member}});
    }
    Submissions const all{ranges, BlockSizes(comm.size() * per_member, 8)};
    auto& not_the_first = self == 0 ? second : first;
    EXPECT_THROW(not_the_first.submit(shape(comm.size()), mine, first_blocks, 8), ft::Divergence);
    EXPECT_THROW(not_the_first.submit(shape(comm.size()), all, first_blocks), ft::Divergence);
    EXPECT_EQ(first.version() + second.version(), 0u);
    first.submit(shape(comm.size()), mine, first_blocks, 8);
    second.submit(shape(comm.size()), mine, second_blocks, 8);
    auto const next = (self + 1) % comm.size();
    std::array const wanted{BlockRange{BlockId{next * per_member}, BlockId{(next + 1) * per_member}}};
    Csr<BlockRange> known;
    for (std::size_t rank = 0; rank < comm.size(); ++rank) {
        auto const of = (rank + 1) % comm.size();
        known.push_row(std::array{BlockRange{BlockId{of * per_member}, BlockId{(of + 1) * per_member}}});
    }
    std::vector<std::byte> out(per_member * 8);
    auto& mistaken = self == 0 ? first : second;
    EXPECT_THROW(static_cast<void>(mistaken.load(wanted, out)), ft::Divergence);
    EXPECT_THROW(static_cast<void>(mistaken.load(known, out)), ft::Divergence);
    EXPECT_THROW(static_cast<void>(mistaken.start_load(known, out).wait()), ft::Divergence);
    EXPECT_THROW(static_cast<void>(mistaken.scrub()), ft::Divergence);
    EXPECT_THROW(static_cast<void>(mistaken.repair()), ft::Divergence);
    EXPECT_THROW(mistaken.submit(shape(comm.size()), mine, first_blocks, 8), ft::Divergence);
    EXPECT_THROW(mistaken.submit(shape(comm.size()), all, first_blocks), ft::Divergence);
    EXPECT_THROW(static_cast<void>(mistaken.save("not-written")), ft::Divergence);
    EXPECT_FALSE(std::filesystem::exists("not-written"));
    // Other functions of the same store.
    auto const load_or_repair = [&] {
        if (self == 0) static_cast<void>(first.load(wanted, out));
        if (self != 0) static_cast<void>(first.repair());
    };
    EXPECT_THROW(load_or_repair(), ft::Divergence);
    static_cast<void>(first.load(known, out));  // the stores can be used further on
    EXPECT_EQ(out, first_blocks);
    static_cast<void>(second.load(wanted, out));
    EXPECT_EQ(out, second_blocks);
}

TEST(ReplicatedStore, DoesNotMixWithAnotherStoreOfItsCommunicator) {
    for (auto const transport : {Transport::collective, Transport::rounds}) {
        expect_divergence_of_two<ReplicatedStore>(
            [](std::size_t size) {
                auto const members = static_cast<std::uint32_t>(size);
                return placement::Any(placement::ModK(20 * size, members, 2));
            },
            Options{.transport = transport, .integrity = Integrity::checked});
    }
}

TEST(ErasureStore, DoesNotMixWithAnotherStoreOfItsCommunicator) {
    expect_divergence_of_two<ErasureStore>([](std::size_t) { return erasure::Code(2, 1); },
                                           ErasureOptions{.integrity = Integrity::checked});
}

}  // namespace
}  // namespace regraft::store
