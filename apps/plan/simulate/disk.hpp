// How long the same job takes if it writes checkpoints to disk and starts again after each failure: Daly's closed form.
#pragma once

#include <cstdint>

namespace regraft::plan::simulated {

/// A job with checkpoints on disk.
struct DiskPlan {
    double work_seconds = 0;              // of computing
    double checkpoint_seconds = 0;        // to write one checkpoint
    double restart_seconds = 0;           // from a failure until the job runs again, reading included
    double seconds_between_failures = 0;  // may be infinite
};

/// What becomes of it.
struct DiskJob {
    double interval = 0;  // seconds of computing between two checkpoints (checkpoint::daly_interval)
    double seconds = 0;   // expected time until the job has finished; infinite if it never does
};

/// Expected time with exponential failures that also hit checkpoints and restarts (Daly 2006, "A higher order estimate
/// of the optimum checkpoint interval for restart dumps", eq. 20): M e^(R/M) (e^((tau + delta)/M) - 1) work / tau, with
/// the mean time between failures M, the restart R, the checkpoint delta, and the interval tau, which is at most the
/// work.
DiskJob job_on_disk(DiskPlan const& plan);

}  // namespace regraft::plan::simulated
