// Ranks that are in calls on different stores of one communicator are told so, also if some of them die.
#include <mpi.h>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/store_under_test.hpp"

namespace regraft::store {
namespace {

using test::Content;

TEST(ReplicatedStore, DoesNotMixWithAnotherStoreWhenRanksDie) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() < 2) return;
    test::StoreUnderTest first(comm, {.integrity = Integrity::checked});
    test::StoreUnderTest second(comm, {.integrity = Integrity::checked});
    int rounds = 0;
    ft::resilient(
        comm,
        [&] {
            test::submit_evenly(first, comm, {40, Content::Sizes::fixed, 70, 2}, "permuted", 1);
            test::submit_evenly(second, comm, {40, Content::Sizes::fixed, 70, 2}, "permuted", 1);
            for (rounds = 0; rounds < 3 && comm.size() > 1; ++rounds) {
                auto& mistaken = comm.leads() ? first : second;
                bool told = false;
                try {
                    static_cast<void>(mistaken.store().scrub());
                } catch (ft::Divergence const&) {
                    told = true;
                }
                EXPECT_TRUE(told);
            }
            EXPECT_EQ(first.load_everything(), "");
            EXPECT_EQ(second.load_everything(), "");
        },
        [&](ft::Failure const&) {
            first.settle();
            second.settle();
        });
    EXPECT_EQ(rounds, comm.size() > 1 ? 3 : 0);
}

}  // namespace
}  // namespace regraft::store
