/* What a rank tells the launcher, so that a job in which no rank can go on is ended by name.
 *
 * With ULFM, mpirun of Open MPI 5 ends nothing: a rank that dies before all ranks have left MPI_Init leaves the others
 * in it for ever, and so does one that calls exit() without MPI_Finalize. The record of a rank NAMESPACE.RANK has
 * lines:
 *
 *   started PID       a process of the job's own began
 *   entered PID       it called MPI_Init
 *   left              MPI_Init has returned
 *   finalized CODE    it exits after MPI_Finalize
 *   exited CODE       it exits without, and ends by SIGKILL, so that the others hear of it
 *   aborted CODE      it called MPI_Abort
 *   ended CODE        the shield in it ends the job with this code
 *   quit 0            its first process exits, with whatever code, and none has called MPI_Init
 *
 * In a job on one host the record is a file in the folder REGRAFT_RANKS, to which the rank appends. In a job on several
 * hosts the launcher keeps it, and the rank has a connection to the launcher (REGRAFT_LAUNCHER, see connection.h). Its
 * first line there is `KEY NAMESPACE.RANK`, and the line `?` asks for the record. The launcher sends `signal NUMBER`,
 * and `there?`, to which a rank in MPI answers `here`. apps/launch/regraft_run is the other end of both.
 */
#ifndef REGRAFT_LAUNCH_RANK_H
#define REGRAFT_LAUNCH_RANK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a launcher listens. Without one the others do nothing. */
int regraft_rank_is_heard(void);
void regraft_rank_enters(void);
void regraft_rank_has_left(void);
/* Whether this process began the rank, and what it started has entered MPI and not finalized it. */
int regraft_rank_is_abandoned(void);
/* This process exits: told if it began the rank and no process has entered MPI. */
void regraft_rank_quits(void);
/* kind: "finalized", "exited", "aborted" or "ended". Whether the launcher was told. */
int regraft_rank_ends(char const* kind, int code);

#ifdef __cplusplus
}
#endif

#endif
