// Calls from Fortran, which come from a library of MPI's own.
#pragma once

namespace regraft::shield {

/// That library calls MPI by its profiling interface, past us: from now on, by us. Whether all those that are loaded
/// do; true if there is none. Idempotent.
bool take_calls_of_fortran();

}  // namespace regraft::shield
