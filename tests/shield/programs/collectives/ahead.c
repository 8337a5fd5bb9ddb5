/* ahead WAIT VICTIM: a rank that has its broadcast waits for another, whose broadcast has failed: in a broadcast along
 * a binomial tree from rank 0, rank 1 or 2 is dead, the other one is ahead, and rank 3 behind. WAIT: for a message, or
 * in a group. */
#include <mpi.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verdict.h"

int main(int argc, char** argv) {
    int rank, right;
    double sent, received = 7, one = 1, living = 0;
    MPI_Comm pair;
    if (argc < 3) return 2;
    int const victim = atoi(argv[2]), ahead = 3 - victim, behind = 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank == ahead || rank == behind, 0, &pair);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == victim) raise(SIGKILL);
    usleep(rank == behind ? 400000 : 100000);
    sent = rank == 0 ? 42 : -1;
    MPI_Bcast(&sent, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (!strcmp(argv[1], "message")) {
        if (rank == ahead) MPI_Recv(&received, 1, MPI_DOUBLE, behind, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == behind) MPI_Send(&received, 1, MPI_DOUBLE, ahead, 1, MPI_COMM_WORLD);
        right = received == 7;
    } else {
        if (rank != 0) MPI_Allreduce(&one, &received, 1, MPI_DOUBLE, MPI_SUM, pair);
        right = rank == 0 || received == 2;
    }
    MPI_Allreduce(&one, &living, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    right = right && sent == 42 && living == 3;
    MPI_Finalize();
    write_verdict(rank, !right, 1);
    return !right;
}
