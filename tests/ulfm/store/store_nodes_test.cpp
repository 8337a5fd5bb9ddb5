// Nodes of two ranks each die as a whole: the node-aware placement loses nothing, and repairs keep copies apart.
#include <mpi.h>

#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/store/store_under_test.hpp"

namespace regraft::store {
namespace {

using test::Content;

constexpr std::uint64_t num_blocks = 150;

std::uint32_t node_of(PeId pe) {
    return value(pe) / 2;
}

std::set<std::uint32_t> nodes(std::span<PeId const> pes) {
    std::set<std::uint32_t> nodes;
    for (auto const pe : pes) nodes.insert(node_of(pe));
    return nodes;
}

TEST(NodeAwareStore, LosesNothingWhenNodesDieOneAfterTheOther) {
    ft::Communicator comm(MPI_COMM_WORLD);
    test::StoreUnderTest store(comm, {});
    int loads = 0;
    ft::resilient(
        comm,
        [&] {
            if (store.store().version() == 0) {
                test::submit_evenly(store, comm, {num_blocks, Content::Sizes::fixed, 40, 2}, "node_aware");
            }
            for (; loads < 12; ++loads) {
                EXPECT_EQ(store.load_everything(), "");
                auto const everything = store.model().content().everything();
                EXPECT_TRUE(store.model().lost_of(std::span(&everything, 1)).empty());
            }
            return true;
        },
        [&](ft::Failure const&) {
            store.settle();
            EXPECT_EQ(store.repair({}), "");  // the placement knows the nodes
            auto const different = std::min<std::size_t>(2, nodes(comm.members()).size());
            for (std::uint64_t id = 0; id < num_blocks; ++id) {
                EXPECT_GE(nodes(store.model().holders(BlockId{id})).size(), different) << "block " << id;
            }
        });
}

}  // namespace
}  // namespace regraft::store
