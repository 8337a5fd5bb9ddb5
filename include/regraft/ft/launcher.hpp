// Tells whether this process is one of a job.
#pragma once

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::ft {

/// Whether a launcher has started this process, as far as PMIx and PMI tell. Local; MPI need not be initialised.
bool has_launcher();

}  // namespace regraft::ft
#pragma GCC visibility pop
