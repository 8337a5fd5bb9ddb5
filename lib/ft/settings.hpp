// Settings of Open MPI with which survivors of a death hang or get wrong data: whether this process runs with them.
#pragma once

#include <mpi.h>

namespace regraft::ft {

/// Says on stderr which settings of Open MPI are not those of regraft-run and what each one leads to; the first rank of
/// comm does, if there are others, and once per process. Silent on MPIs without these settings, and if the environment
/// has REGRAFT_MCA=ignore. Precondition: MPI is initialised. Local; less than a millisecond.
void warn_about_settings(MPI_Comm comm);

}  // namespace regraft::ft
