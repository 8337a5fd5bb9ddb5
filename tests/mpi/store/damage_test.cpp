// An MPI that reports success although data are not what was sent: exchanges with checksums notice, and tell all
// members.
#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "exchange/exchange.hpp"
#include "regraft/ft/resilient.hpp"

namespace {
int calls_until_damage = -1;  // none while negative

/// Flips a bit of the last byte that the call has written.
void damage(void* data, std::size_t size) {
    if (calls_until_damage-- == 0) static_cast<std::byte*>(data)[size - 1] ^= std::byte{1};
}
}  // namespace

// Takes the place of MPI's own function, which MPI also offers by another name.
extern "C" int MPI_Allgather(void const* in, int in_count, MPI_Datatype in_type, void* out, int count,
                             MPI_Datatype type, MPI_Comm comm) {
    int const code = PMPI_Allgather(in, in_count, in_type, out, count, type, comm);
    int type_size = 0;
    int num_ranks = 0;
    PMPI_Type_size(type, &type_size);
    PMPI_Comm_size(comm, &num_ranks);
    damage(out,
           static_cast<std::size_t>(type_size) * static_cast<std::size_t>(count) * static_cast<std::size_t>(num_ranks));
    return code;
}

namespace regraft::exchange {
namespace {

TEST(AllGather, TakesDamageForAFailure) {
    for (std::size_t const length : {14, 30}) {      // with the heads, in slots of their own
        for (std::uint32_t const victim : {0, 1}) {  // of the damage
            ft::Communicator comm(MPI_COMM_WORLD);
            if (victim >= comm.num_founders()) continue;
            if (comm.self() == PeId{victim}) calls_until_damage = length == 14 ? 0 : 1;
            int attempts = 0;
            int failures = 0;
            auto const rows = ft::resilient(
                comm,
                [&] {
                    ++attempts;
                    return all_gather(comm, std::vector<std::uint64_t>(length, 7 + value(comm.self())));
                },
                [&](ft::Failure const& failure) {
                    ++failures;
                    EXPECT_TRUE(failure.lost.empty());
                });
            EXPECT_EQ(attempts, 2);
            EXPECT_EQ(failures, 1);
            ASSERT_EQ(rows.size(), comm.num_founders());
            for (std::size_t i = 0; i < rows.size(); ++i) {
                EXPECT_EQ(std::vector(rows[i].begin(), rows[i].end()), std::vector<std::uint64_t>(length, 7 + i));
            }
        }
    }
}

}  // namespace
}  // namespace regraft::exchange
