/* The loop around a program that survives. A part of regraft_mpi.h. */
#pragma once

#include "regraft/c/communicator.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The failure that a recovery is called for. */
typedef struct regraft_failure {
    uint32_t const* lost;   /* [num_lost]: all PEs that died since the last recovery that succeeded; the same on all */
    uint64_t num_lost;      /* number of PEs in lost */
    char const* noticed_in; /* the call in which this PE noticed the failure */
    double silence_ms;      /* time since this PE's last call that succeeded: an upper bound for the time to notice */
    double shrink_ms;       /* time from noticing to the renewed communicator */
} regraft_failure;

/* The program between two failures. It returns the first status that is not REGRAFT_OK of the calls in it. */
typedef regraft_status (*regraft_body)(void* context);
/* Brings the data of the program onto the survivors. It may call collectives, and returns their status like a body. */
typedef regraft_status (*regraft_recover)(regraft_failure const* failure, void* context);

/* Runs body(context) until it returns REGRAFT_OK on all survivors. If body or recover returns REGRAFT_PROCESS_FAILURE
 * on any of them, all shrink, call recover(failure, context), and then body again, which starts from the last state
 * that was agreed on. A status that all members return alike ends the loop and is its result: REGRAFT_DATA_LOST,
 * REGRAFT_DIVERGENCE, REGRAFT_DAMAGED, REGRAFT_DUPLICATE, REGRAFT_DISK, and REGRAFT_UNIFORM and above. Any other status
 * ends this process by abort() with its message, because other PEs may wait for it; they go on without it. If only one
 * PE is left, it gets that status as the result. Collective, uniform. */
regraft_status regraft_resilient(regraft_communicator* comm, regraft_body body, regraft_recover recover, void* context);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
