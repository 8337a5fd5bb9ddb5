// What a reduction of nothing is.
#pragma once

#include <mpi.h>

#include "shield/buffer.hpp"

namespace regraft::shield {

/// Each item becomes the neutral element of a built-in operation. Of another operation, or where MPI does not define
/// the operation for the type, the items stay as they are.
void make_identity(MPI_Op op, Buffer const& buffer);

}  // namespace regraft::shield
