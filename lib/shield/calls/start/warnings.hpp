// The warnings of Open MPI about modules that it has not tested with failures.
#pragma once

namespace regraft::shield {

/// From now on this process passes on each such warning once. Open MPI warns at every topology, window and file that is
/// made, and never frees the 2 KB that a warning takes (5.0.9). Does nothing if this MPI warns in another way. Called
/// after MPI_Init.
void tell_warnings_once();

}  // namespace regraft::shield
