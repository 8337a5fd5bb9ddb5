// Calls from Fortran, which MPI's own Fortran library makes.
#pragma once

namespace regraft::shield {

/// Diverts the calls of that library, which otherwise uses MPI's profiling interface directly, to the shield. Returns
/// whether this succeeded for all loaded libraries; true if there is none. Idempotent.
bool take_calls_of_fortran();

}  // namespace regraft::shield
