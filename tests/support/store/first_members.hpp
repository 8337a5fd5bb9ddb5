// Fewer members than there are ranks.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "regraft/ft/communicator.hpp"

namespace regraft::test {

/// Runs body on the first `count` members only, with a communicator of their own; all must call this.
template <class Body>
void with_first(ft::Communicator& comm, std::size_t count, Body body) {
    MPI_Comm part = MPI_COMM_NULL;
    bool const in = comm.position(comm.self()) < count;
    MPI_Comm_split(comm.native(), in ? 0 : MPI_UNDEFINED, 0, &part);
    if (in) {
        ft::Communicator fewer(part);
        body(fewer);
    }
    if (in) MPI_Comm_free(&part);
    comm.agree();
}

}  // namespace regraft::test
