// Types and operations that the program frees while a started operation still needs them. MPI keeps them for its own
// calls, and this module for calls that are repeated.
#pragma once

#include <mpi.h>

#include <vector>

namespace regraft::shield {

/// Keeps handles: as long as it lives, freeing them waits.
class Uses {
public:
    explicit Uses(std::vector<MPI_Datatype> types, MPI_Op operation = MPI_OP_NULL);
    Uses(Uses const&) = delete;
    Uses& operator=(Uses const&) = delete;
    ~Uses();

private:
    std::vector<MPI_Datatype> types_;
    MPI_Op operation_;
};

}  // namespace regraft::shield
