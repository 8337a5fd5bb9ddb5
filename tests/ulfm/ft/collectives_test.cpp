// Broadcasts, gathers and messages while members die.
#include "regraft/ft/collectives.hpp"
#include <mpi.h>

#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::ft {
namespace {

std::vector<std::byte> bytes_of(PeId pe, int round) {
    std::vector<std::byte> bytes((value(pe) * 37 + static_cast<unsigned>(round) * 101) % 400);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(mix(value(pe) * 7919 + i) & 0xff);
    return bytes;
}

void expect_rows(Communicator const& comm, Csr<std::byte> const& rows, int round) {
    ASSERT_EQ(rows.size(), comm.num_founders());
    for (std::uint32_t i = 0; i < comm.num_founders(); ++i) {
        bool const lives = std::ranges::binary_search(comm.members(), PeId{i});
        EXPECT_EQ(std::vector(rows[i].begin(), rows[i].end()),
                  lives ? bytes_of(PeId{i}, round) : std::vector<std::byte>());
    }
}

/// Sends a message around the ring of members.
void send_around(Communicator& comm, int round) {
    auto const size = comm.size();
    auto const position = comm.position(comm.self());
    auto const next = (position + 1) % size;
    auto const before = (position + size - 1) % size;
    auto const mine = bytes_of(comm.self(), round);
    std::vector<std::byte> theirs(bytes_of(comm.members()[before], round).size(), std::byte{1});
    auto const tag = comm.next_tag();
    std::vector<MPI_Request> requests(2, MPI_REQUEST_NULL);
    comm.check(MPI_Irecv(theirs.data(), static_cast<int>(theirs.size()), MPI_BYTE, static_cast<int>(before), tag,
                         comm.native(), &requests[0]),
               "MPI_Irecv");
    comm.check(MPI_Isend(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, static_cast<int>(next), tag,
                         comm.native(), &requests[1]),
               "MPI_Isend");
    wait_all(comm, requests);
    EXPECT_EQ(theirs, bytes_of(comm.members()[before], round));
}

TEST(Collectives, BringRightBytesOrFail) {
    Communicator comm(MPI_COMM_WORLD);
    int round = 0;
    resilient(
        comm,
        [&] {
            for (round = 0; round < 4; ++round) {
                auto const root = comm.members()[static_cast<std::size_t>(round) % comm.size()];
                auto data = bytes_of(root, round);
                auto const expected = data;
                if (comm.self() != root) data.assign(data.size(), std::byte{0xee});
                broadcast(comm, data, root);
                EXPECT_EQ(data, expected);
                auto const rows = gather(comm, bytes_of(comm.self(), round), root);
                if (comm.self() == root) {
                    expect_rows(comm, rows, round);
                } else {
                    EXPECT_EQ(rows.size(), 0U);
                }
                send_around(comm, round);
            }
        },
        [](Failure const&) {});
    EXPECT_EQ(round, 4);
}

TEST(Check, LooksForDeathsAmongTheStatusesFirst) {
    Communicator comm(MPI_COMM_SELF);
    std::vector<MPI_Status> statuses(3);
    statuses[0].MPI_ERROR = MPI_SUCCESS;
    statuses[1].MPI_ERROR = MPI_ERR_PENDING;
    statuses[2].MPI_ERROR = MPI_ERR_TRUNCATE;
    EXPECT_THROW(comm.check(MPI_ERR_IN_STATUS, statuses, "MPI_Waitall"), MpiError);
    EXPECT_NO_THROW(comm.check(MPI_SUCCESS, statuses, "MPI_Waitall"));
    EXPECT_THROW(comm.check(MPI_ERR_ARG, statuses, "MPI_Waitall"), MpiError);
}

}  // namespace
}  // namespace regraft::ft
