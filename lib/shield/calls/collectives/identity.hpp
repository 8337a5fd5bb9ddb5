// Operations of reductions: which are MPI's own, and the result of a reduction of no items.
#pragma once

#include <mpi.h>

#include "shield/session/buffer.hpp"

namespace regraft::shield {

/// Whether the operation is not a function of the program.
bool is_built_in(MPI_Op op);
/// Sets each item to the neutral element of a built-in operation. For another operation, or if MPI does not define the
/// operation for the type, the items stay as they are.
void make_identity(MPI_Op op, Buffer const& buffer);

}  // namespace regraft::shield
