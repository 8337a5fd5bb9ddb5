/* Rank 1 dies, and only a receive of rank 0 notices. */
#include <mpi.h>

#include <signal.h>
#include <unistd.h>

int main(int argc, char** argv) {
    int rank, data = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) raise(SIGKILL);
    if (rank == 0) MPI_Recv(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(rank == 0 ? 0 : 300000); /* otherwise a rank might be at its end before the death is announced */
    MPI_Finalize();
    return 0;
}
