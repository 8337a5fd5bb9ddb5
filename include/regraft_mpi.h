/* regraft for programs in C on MPI: a communicator that survives deaths, the loop around a program that goes on after a
 * failure, blocks in the memory of the PEs, and small checkpoints. docs/mpi/c.md has a program; regraft.h says what
 * holds for all functions.
 *
 * Collective: all living members call the function, in the same order. Uniform: either all survivors get REGRAFT_OK or
 * none does. A function that returns REGRAFT_PROCESS_FAILURE was interrupted by a death. The body of regraft_resilient
 * returns that status at once; until the communicator has shrunk, every other function on it returns it as well. Each
 * PE finds REGRAFT_ERROR_ARGUMENT alone, before it takes part in the call: return it from the body as well, and the
 * other PEs go on without this one. A contract that only all members together can break (such as different sizes or
 * placements on different members) aborts with a message. */
#pragma once

#include "regraft.h"
#include "regraft/c/archive.h"          /* the last level, on a disk that all members see */
#include "regraft/c/checkpoint.h"       /* small state that changes often */
#include "regraft/c/communicator.h"     /* a communicator that shrinks when members die */
#include "regraft/c/files.h"            /* files as state, for programs that write checkpoint files */
#include "regraft/c/keep.h"             /* files of a node's memory that outlive the job */
#include "regraft/c/reopen.h"           /* the next job goes on from them */
#include "regraft/c/resilient.h"        /* the loop around a program that survives */
#include "regraft/c/snapshot.h"         /* changing state of any size */
#include "regraft/c/snapshot_options.h" /* its options */
#include "regraft/c/store.h"            /* blocks in the memory of the PEs */
#include "regraft/c/store_options.h"    /* its options and reports */
