#include "regraft/ft/nodes.hpp"
#include <mpi.h>

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/bytes.hpp"

namespace regraft::ft {
namespace {

/// The name of every member's machine, as MPI tells it.
std::vector<std::string> machines(Communicator& comm) {
    std::array<char, MPI_MAX_PROCESSOR_NAME> mine{};
    int length = 0;
    comm.check(MPI_Get_processor_name(mine.data(), &length), "MPI_Get_processor_name");
    std::vector<char> all(comm.size() * mine.size());
    auto const bytes = static_cast<int>(mine.size());
    comm.check(MPI_Allgather(mine.data(), bytes, MPI_CHAR, all.data(), bytes, MPI_CHAR, comm.native()),
               "MPI_Allgather");
    std::vector<std::string> names;
    for (std::size_t i = 0; i < comm.size(); ++i) names.emplace_back(all.data() + i * mine.size());
    return names;
}

TEST(NodeIds, AreTheLowestMembersOfMachines) {
    Communicator comm(MPI_COMM_WORLD);
    auto const names = machines(comm);
    auto const ids = node_ids(comm);
    ASSERT_EQ(ids.size(), comm.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        std::size_t lowest = 0;
        while (names[lowest] != names[i]) ++lowest;
        EXPECT_EQ(ids[i], value(comm.members()[lowest]));
    }
    EXPECT_TRUE(comm.agree_equal(hash(std::as_bytes(std::span(ids)))));
}

TEST(NodeIds, CanBeAskedAgain) {
    Communicator comm(MPI_COMM_WORLD);
    auto const ids = node_ids(comm);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(node_ids(comm), ids);
    EXPECT_TRUE(comm.shrink().empty());
    EXPECT_EQ(node_ids(comm), ids);
}

}  // namespace
}  // namespace regraft::ft
