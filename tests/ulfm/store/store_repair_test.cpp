// Repairs of the replicated store: all but one may die, one after the other, and with two copies nothing is lost. Nor
// is it if a rank dies during a repair that shares no blocks with the one that died before.
#include <mpi.h>

#include <vector>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/store/store_under_test.hpp"

namespace regraft::store {
namespace {

using test::Content;

TEST(RepairedStore, LosesNothingWhileOneAfterTheOtherDies) {
    ft::Communicator comm(MPI_COMM_WORLD);
    test::StoreUnderTest store(comm, {Transport::collective, OwnCopy::copied, Integrity::checked});
    int repairs = 0;
    int loads = 0;
    ft::resilient(
        comm,
        [&] {
            if (store.store().version() == 0) {
                test::submit_evenly(store, comm, {200, Content::Sizes::variable, 150, 2}, "permuted");
            }
            for (; loads < 20; ++loads) {
                EXPECT_EQ(store.load_everything(), "");
                auto const everything = store.model().content().everything();
                EXPECT_TRUE(store.model().lost_of(std::span(&everything, 1)).empty());
            }
            return true;
        },
        [&](ft::Failure const&) {
            store.settle();
            EXPECT_EQ(store.repair(), "");
            ++repairs;
        });
    EXPECT_GT(repairs, 0);
}

}  // namespace
}  // namespace regraft::store
