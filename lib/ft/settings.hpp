// Tells whether this process runs with settings of Open MPI with which survivors of a death hang or get wrong data.
#pragma once

#include <mpi.h>

namespace regraft::ft {

/// Says on stderr which settings of Open MPI differ from those of regraft-run, and what each one leads to. If comm has
/// several ranks, the first one says it, once per process. Silent on MPIs without these settings, and if the
/// environment has REGRAFT_MCA=ignore. Precondition: MPI is initialised. Local; less than a millisecond.
void warn_about_settings(MPI_Comm comm);

}  // namespace regraft::ft
