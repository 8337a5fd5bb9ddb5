// Operations of reductions: which are MPI's own, and what a reduction of nothing is.
#pragma once

#include <mpi.h>

#include "shield/session/buffer.hpp"

namespace regraft::shield {

/// Whether no function of the program is behind it.
bool is_built_in(MPI_Op op);
/// Each item becomes the neutral element of a built-in operation. Of another operation, or where MPI does not define
/// the operation for the type, the items stay as they are.
void make_identity(MPI_Op op, Buffer const& buffer);

}  // namespace regraft::shield
