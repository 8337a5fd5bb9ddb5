// Tells whether this process runs with settings of Open MPI with which survivors of a death hang or get wrong data, and
// whether there can be survivors at all.
#pragma once

#include <mpi.h>

#include <string>

namespace regraft::ft {

/// Says on stderr which settings of Open MPI differ from those of regraft-run, and what each one leads to. If comm has
/// several ranks, the first one says it, once per process. Silent on MPIs without these settings, and if the
/// environment has REGRAFT_MCA=ignore. Precondition: MPI is initialised. Local; less than a millisecond.
void warn_about_settings(MPI_Comm comm);

/// Why a job of num_ranks does not outlive a rank, whatever the settings, and what to type instead: Slurm has started
/// the ranks by itself (srun PROGRAM). Empty if mpirun has started them, if there is one rank, and if the environment
/// has REGRAFT_MCA=ignore. The same on all ranks. Local.
std::string complaint_about_launcher(int num_ranks);

}  // namespace regraft::ft
