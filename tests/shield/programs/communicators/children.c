/* A rank starts another program. */
#include <mpi.h>

#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) wrong = system("echo preloaded: ${LD_PRELOAD:-nothing}");
    MPI_Finalize();
    return wrong != 0;
}
