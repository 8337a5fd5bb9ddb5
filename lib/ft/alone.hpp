// A process that no launcher has started.
#pragma once

namespace regraft::ft {

/// If no launcher has started this process, removes the name of the file through which Open MPI's ranks of a host share
/// memory. No other process opens that of such a process, and Open MPI leaves it in /dev/shm, 16 MiB at each run.
/// Precondition: MPI is initialised.
void forget_shared_file_if_alone();

}  // namespace regraft::ft
