// The backend for MPIs without ULFM: victims of the failure plan leave by a split, at a point that all members reach.
#include <algorithm>

#include "ft/backend.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::ft::backend {

bool deaths_are_real() {
    return false;
}

bool is_process_failure(int) {
    return false;
}

void revoke(MPI_Comm) {}

bool is_revoked(MPI_Comm) {
    return false;
}

void agree(MPI_Comm comm, int* bits) {
    if (MPI_Allreduce(MPI_IN_PLACE, bits, 1, MPI_INT, MPI_BAND, comm) != MPI_SUCCESS)
        throw MpiError("MPI_Allreduce failed");
}

bool knows_of_deaths(MPI_Comm) {
    return false;
}

bool is_dead(MPI_Comm, int) {
    return false;
}

void acknowledge(MPI_Comm) {}

bool is_suspended(int) {
    return false;
}

MPI_Comm shrink(MPI_Comm comm, bool, std::span<int const> leaving) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    bool const leave = std::find(leaving.begin(), leaving.end(), rank) != leaving.end();
    MPI_Comm next = MPI_COMM_NULL;
    if (MPI_Comm_split(comm, leave ? MPI_UNDEFINED : 0, rank, &next) != MPI_SUCCESS)
        throw MpiError("MPI_Comm_split failed");
    return next;
}

void die(Moment) {}

}  // namespace regraft::ft::backend
