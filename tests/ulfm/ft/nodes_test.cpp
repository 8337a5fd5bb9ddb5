// Nodes of the members under the failure plan of the row: all survivors get the same answer, for the same members.
#include "regraft/ft/nodes.hpp"
#include <mpi.h>

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/bytes.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::ft {
namespace {

TEST(NodeIds, AreTheSameOnAllSurvivors) {
    Communicator comm(MPI_COMM_WORLD);
    auto const ids = resilient(
        comm,
        [&] {
            std::vector<std::uint32_t> last;
            for (int i = 0; i < 4; ++i) {
                last = node_ids(comm);
                EXPECT_TRUE(comm.agree_equal(hash(std::as_bytes(std::span(last)))));
            }
            return last;
        },
        [](Failure const&) {});

    ASSERT_EQ(ids.size(), comm.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        EXPECT_LE(ids[i], value(comm.members()[i]));
        ASSERT_TRUE(std::binary_search(comm.members().begin(), comm.members().end(), PeId{ids[i]}));
        EXPECT_EQ(ids[comm.position(PeId{ids[i]})], ids[i]) << "expected that who gives the name is on the node";
    }
}

}  // namespace
}  // namespace regraft::ft
