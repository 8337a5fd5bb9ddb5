/* Preloaded: rank DIES_EARLY dies when all have left MPI_Init, in the first call that asks for the size of a
 * communicator. The program has none of its own yet. */
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int MPI_Comm_size(MPI_Comm comm, int* size) {
    static int is_later;
    char const* const victim = getenv("DIES_EARLY");
    int rank = 0;
    if (!is_later++ && victim != NULL) {
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        PMPI_Barrier(MPI_COMM_WORLD);
        if (atoi(victim) == rank) {
            fprintf(stderr, "rank %d dies early\n", rank);
            raise(SIGKILL);
        }
    }
    return PMPI_Comm_size(comm, size);
}
