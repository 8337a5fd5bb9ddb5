/* Communicator. A part of regraft_mpi.h. */
#pragma once

#include <mpi.h>

#include "regraft/c/sums.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A communicator that shrinks when members die. Getters of NULL return 0, NULL or MPI_COMM_NULL. Not thread-safe. */
typedef struct regraft_communicator regraft_communicator;

/* Makes a communicator from the parent, whose ranks become the PEs. Sets MPI_ERRORS_RETURN on the parent, on
 * MPI_COMM_SELF and, if the parent has all ranks, on MPI_COMM_WORLD. SIGPIPE is ignored from now on. Collective over
 * the parent. */
regraft_status regraft_communicator_create(MPI_Comm parent, regraft_communicator** comm);
/* The same for a communicator of Fortran, and for MPI_COMM_WORLD in languages that have none. */
regraft_status regraft_communicator_create_f(MPI_Fint parent, regraft_communicator** comm);
/* The same for MPI_COMM_WORLD. */
regraft_status regraft_communicator_create_world(regraft_communicator** comm);
/* Frees the communicator; stores and checkpoints on it keep what they need of it. Not collective. Call it before
 * MPI_Finalize. */
void regraft_communicator_free(regraft_communicator* comm);

/* The number of this PE. */
uint32_t regraft_communicator_self(regraft_communicator const* comm);
/* The number of living PEs, and an array [size] of these PEs, ascending: a PE's position in it is its rank in native.
 * Valid until the communicator shrinks. */
uint32_t regraft_communicator_size(regraft_communicator const* comm);
/* The living PEs, ascending. Valid until the communicator shrinks. */
uint32_t const* regraft_communicator_members(regraft_communicator const* comm);
/* This PE's rank in native. The PE with rank 0 should write files and talk to people. */
uint32_t regraft_communicator_position(regraft_communicator const* comm);
/* The number of PEs at the start. */
uint32_t regraft_communicator_num_founders(regraft_communicator const* comm);
/* 1 at first, and one more after each shrink. */
uint32_t regraft_communicator_epoch(regraft_communicator const* comm);
/* The communicator for MPI calls. Their return codes go through check. Valid until the communicator shrinks. An error
 * that is not passed to check is noted: the next collective of the library names the call on stderr, and handles a
 * death as if it had been checked. */
MPI_Comm regraft_communicator_native(regraft_communicator const* comm);
/* The same communicator as a handle of Fortran. */
MPI_Fint regraft_communicator_native_f(regraft_communicator const* comm);

/* Turns MPI's return code into a status: REGRAFT_PROCESS_FAILURE, after which all other members learn of the death, or
 * REGRAFT_ERROR_MPI. `call` names the MPI call in messages. Not collective. */
regraft_status regraft_communicator_check(regraft_communicator* comm, int code, char const* call);
/* The same for calls that fill statuses[count], such as MPI_Waitall. They return MPI_ERR_IN_STATUS if a request has an
 * error; then the errors in the statuses count, and a death takes precedence over other errors. */
regraft_status regraft_communicator_check_statuses(regraft_communicator* comm, int code, MPI_Status const* statuses,
                                                   uint64_t count, char const* call);
/* Returns when requests[count] are complete, and sets them to MPI_REQUEST_NULL. The requests belong to messages on
 * native or on communicators made from it. On REGRAFT_PROCESS_FAILURE none of them is under way any more, either. Not
 * collective. */
regraft_status regraft_communicator_wait_all(regraft_communicator* comm, MPI_Request* requests, uint64_t count);
/* The same for requests, and statuses[MPI_STATUS_SIZE * count], of Fortran. */
regraft_status regraft_communicator_check_statuses_f(regraft_communicator* comm, int code, MPI_Fint const* statuses,
                                                     uint64_t count, char const* call);
/* The same as wait_all for requests of Fortran. */
regraft_status regraft_communicator_wait_all_f(regraft_communicator* comm, MPI_Fint* requests, uint64_t count);
/* Is called in place of check if the caller has dealt with the error itself. */
regraft_status regraft_communicator_dismiss_errors(regraft_communicator* comm);
/* Returns REGRAFT_PROCESS_FAILURE if a member has died, as far as this PE has been told. Takes a microsecond. Not
 * collective. */
regraft_status regraft_communicator_look(regraft_communicator* comm);
/* Writes to *all whether `mine` is true on all members; all may be NULL. Collective, uniform. */
regraft_status regraft_communicator_agree(regraft_communicator* comm, bool mine, bool* all);
/* Makes the communicator anew without the dead, after REGRAFT_PROCESS_FAILURE outside of regraft_resilient. Collective
 * over survivors, uniform. */
regraft_status regraft_communicator_shrink(regraft_communicator* comm);

/* Replaces data[size] by that of root, which is a member. Collective, not uniform. */
regraft_status regraft_communicator_broadcast(regraft_communicator* comm, void* data, uint64_t size, uint32_t root);
/* Replaces each sum by the exact sum over all members. All members pass the same number of sums. Collective, not
 * uniform. */
regraft_status regraft_sums_all_reduce(regraft_communicator* comm, regraft_sums* sums);
/* Writes the id of each member's node to node_of[size], as regraft_placement_node_aware expects it. Collective,
 * uniform. */
regraft_status regraft_node_ids(regraft_communicator* comm, uint32_t* node_of, uint64_t size);

/* Plans the deaths of PEs, for tests of programs: "point:rank:occurrence,..."; "" kills none. All PEs pass the same
 * text. */
regraft_status regraft_plan_failures(char const* plan);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
