/* regraft for programs in C: the part that needs no MPI. regraft_mpi.h has the rest; docs/mpi/c.md shows how both are
 * used.
 *
 * Every function that can fail returns a regraft_status. It has written its results only if that status is REGRAFT_OK,
 * unless its comment says otherwise. No exception leaves a function. Arguments are checked before anything is done:
 * null handles, null arrays with a count, ranges beyond the end and the like are answered by REGRAFT_ERROR_ARGUMENT.
 *
 * The caller owns all arrays. The comment gives the length of an array in [brackets]; the pointer may be NULL if the
 * length is 0. One function makes a handle and another frees it; the latter accepts NULL. Ranges are half-open. A PE
 * has the number that was its rank at the start of the job, and is never renumbered. Results are the same on every PE
 * and machine, for any number of threads. A handle is used by one thread at a time. */
#pragma once

#include "regraft/c/assignment.h" /* which PE computes on which sites */
#include "regraft/c/errors.h"     /* what functions return */
#include "regraft/c/matching.h"   /* which holder sends which block */
#include "regraft/c/numbers.h"    /* ranges, hashes, random numbers */
#include "regraft/c/placement.h"  /* which PEs keep a copy of which block */
#include "regraft/c/schedule.h"   /* which PE sends what in which round */
#include "regraft/c/sums.h"       /* sums that do not depend on the order */

/* The version of this header; regraft_version() returns that of the library. */
#define REGRAFT_VERSION_MAJOR 0
#define REGRAFT_VERSION_MINOR 1 /* the second part of MAJOR.MINOR.PATCH */
#define REGRAFT_VERSION_PATCH 0 /* the third part of it */

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library, as "MAJOR.MINOR.PATCH". */
char const* regraft_version(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
