// Many loads of the replicated store, one after the other and at the same time.
#include <mpi.h>

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "support/store_requests.hpp"
#include "support/store_under_test.hpp"

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
        auto started_second = store.store().start_load(second_rows, second);
        ASSERT_EQ(store.model().check(started_second.wait(), second_rows[mine], second_rows.values, second), "");
        ASSERT_EQ(store.model().check(started_first.wait(), first_rows[mine], first_rows.values, first), "");
    }
}

}  // namespace
}  // namespace regraft::store
