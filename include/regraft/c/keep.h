/* Files of a node's memory that outlive the job: the next one goes on from them (docs/mpi/restart.md). A part of
 * regraft_mpi.h. */
#pragma once

#include "regraft/c/numbers.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Where a store or a snapshot keeps its blocks. All members pass the same, except for folder and room. The texts are
 * copied. */
typedef struct regraft_keep {
    char const* folder; /* exists, and belongs to this PE's node alone, such as "/dev/shm"; PEs of a node that pass the
                         * same path share it */
    char const* job;    /* the name of the job: all jobs that shall go on from each other have it, and no other job
                         * (regraft_job_of_environment) */
    char const* name;   /* the name of this store or snapshot within the job; no other one of the job has it */
    uint64_t room; /* bytes that this PE's files may take; 0: no limit. Twice what it holds suffices if sizes do not
                    * change */
} regraft_keep;

/* The name of the job as its environment has it: REGRAFT_JOB, or else the number that Slurm, PBS, LSF or Grid Engine
 * gave to the batch job, with the name of the program behind it. "" if none of them is set. Valid until the next call
 * on this thread. */
char const* regraft_job_of_environment(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
