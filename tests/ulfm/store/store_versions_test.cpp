// A submit that fails leaves the version before it, on all survivors, and can be repeated.
#include <mpi.h>

#include <vector>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/store/store_under_test.hpp"

namespace regraft::store {
namespace {

using test::Content;

TEST(ReplicatedStore, KeepsTheVersionBeforeAFailedSubmit) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const transport : {Transport::collective, Transport::rounds}) {
        test::StoreUnderTest store(comm, {transport, OwnCopy::referenced, Integrity::checked});
        ft::resilient(
            comm,
            [&] {
                while (store.store().version() < 5) {
                    auto const next = store.store().version() + 1;
                    auto const sizes = next % 2 == 0 ? Content::Sizes::fixed : Content::Sizes::variable;
                    test::submit_evenly(store, comm, {40 * next, sizes, 70, 2}, "permuted", next);
                    EXPECT_EQ(store.store().version(), next);
                    EXPECT_EQ(store.load_everything(), "");
                }
                return true;
            },
            [&](ft::Failure const&) {
                store.settle();
                EXPECT_TRUE(comm.agree_equal(store.store().version()));
                if (store.store().version() != 0) {
                    EXPECT_EQ(store.load_everything(), "");
                }
            });
        EXPECT_EQ(store.store().version(), 5u);
    }
}

}  // namespace
}  // namespace regraft::store
