// A shield that is broken on purpose: when all ranks have come to MPI_Finalize, rank 0 notices a failure of others at
// once, before it can know of any death.
#include <mpi.h>

#include <mpi-ext.h>

#include <cstdlib>
#include <string_view>

extern "C" {

int __real_PMPI_Allreduce(void const*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);

int __wrap_PMPI_Allreduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    static bool is_first = true;
    bool const sums_counts = type == MPI_UINT64_T && op == MPI_SUM;
    if (!sums_counts || !is_first || std::string_view(std::getenv("OMPI_COMM_WORLD_RANK")) != "0")
        return __real_PMPI_Allreduce(send, receive, count, type, op, comm);
    is_first = false;
    MPIX_Comm_revoke(comm);
    return MPIX_ERR_REVOKED;
}
}
