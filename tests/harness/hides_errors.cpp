// Errors on an MPI like MPICH: after an error handler has returned, the call returns MPI_SUCCESS.
#include <mpi.h>

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/ft/collectives.hpp"
#include "regraft/ft/derived.hpp"

// The library's calls come here, too.
extern "C" int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                        MPI_Status* status) {
    static_cast<void>(PMPI_Recv(buffer, count, type, source, tag, comm, status));
    return MPI_SUCCESS;
}
extern "C" int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
    static_cast<void>(PMPI_Waitall(count, requests, statuses));
    return MPI_SUCCESS;
}

namespace regraft::ft {
namespace {

/// Every member sends itself more than it receives, and waits for what it has sent.
template <class Receive>
void receive_too_little(Communicator& comm, MPI_Comm native, Receive receive) {
    int self = 0;
    MPI_Comm_rank(native, &self);
    std::array<int, 2> const sent{};
    MPI_Request request = MPI_REQUEST_NULL;
    auto const tag = comm.next_tag();
    MPI_Isend(sent.data(), 2, MPI_INT, self, tag, native, &request);
    int received = 0;
    receive(&received, self, tag);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

TEST(HiddenErrors, AreThrownByCheck) {
    Communicator comm(MPI_COMM_WORLD);
    Derived const copy = dup(comm);
    for (MPI_Comm native : {comm.native(), copy.native()}) {
        receive_too_little(comm, native, [&](int* received, int self, int tag) {
            EXPECT_THROW(comm.check(MPI_Recv(received, 1, MPI_INT, self, tag, native, MPI_STATUS_IGNORE), "MPI_Recv"),
                         MpiError);
        });
        receive_too_little(comm, native, [&](int* received, int self, int tag) {
            std::vector<MPI_Request> requests(1, MPI_REQUEST_NULL);
            MPI_Irecv(received, 1, MPI_INT, self, tag, native, requests.data());
            EXPECT_THROW(wait_all(comm, requests), MpiError);
        });
        EXPECT_TRUE(comm.agree(true));
    }
    receive_too_little(comm, comm.native(), [&](int* received, int self, int tag) {
        MPI_Recv(received, 1, MPI_INT, self, tag, comm.native(), MPI_STATUS_IGNORE);
    });
    testing::internal::CaptureStderr();
    EXPECT_TRUE(comm.agree(true));
    EXPECT_NE(testing::internal::GetCapturedStderr().find("its return code did not go through check()"),
              std::string::npos);
}

}  // namespace
}  // namespace regraft::ft
