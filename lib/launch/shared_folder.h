/* A folder of the job on this host, for the files through which Open MPI's ranks share memory.
 *
 * The names of these files contain 16 bits of a hash that stand for the job. Without a folder of their own, two jobs of
 * a user that run on the same host and have the same 16 bits write into each other's memory. In a job on one host,
 * regraft-run makes the folder. In a job on several hosts, the ranks of each host make it here.
 */
#ifndef REGRAFT_LAUNCH_SHARED_FOLDER_H
#define REGRAFT_LAUNCH_SHARED_FOLDER_H

/* Before MPI_Init: makes the folder, unless a rank on this host has, and tells Open MPI by its environment. Removes
 * what earlier jobs of the user have left, whose last rank was killed. Does nothing if the environment names a folder
 * already, or if there is no /dev/shm. */
void regraft_shared_folder_enter(void);
/* At the end of this process: removes the folder if no other process uses it. What is left in it goes with it. */
void regraft_shared_folder_leave(void);

#endif
