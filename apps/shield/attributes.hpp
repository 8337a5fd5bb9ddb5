// Attributes that the program caches on its communicators.
#pragma once

#include <mpi.h>

namespace regraft::shield {

/// What MPI_Comm_dup does with them: the copy function of each decides. The faces are made from lanes, which have none.
/// MPI_SUCCESS, or the code of the first copy function that failed.
int copy_attributes(MPI_Comm from, MPI_Comm to);

}  // namespace regraft::shield
