/* refused CALL VICTIM: a call that the shield does not carry out, after the victim has died (-1: nobody). */
#include <mpi.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, size, one = 1, sum = 0;
    if (argc < 3) return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == atoi(argv[2])) raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(argv[1], "scan")) {
        MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (sum != rank + 1) return 1;
    } else if (!strcmp(argv[1], "ibarrier")) {
        MPI_Request request;
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (!strcmp(argv[1], "window")) {
        MPI_Win window;
        MPI_Win_create(&sum, sizeof sum, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_fence(0, window);
        MPI_Put(&one, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
        MPI_Win_fence(0, window);
        MPI_Win_free(&window);
        if (sum != 1) return 1;
    } else { /* what is made natively has the program's error handler, and asks of it still work */
        MPI_Comm grid;
        MPI_Errhandler handler;
        int periodic = 0;
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
        MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &grid);
        MPI_Comm_get_errhandler(grid, &handler);
        if (handler != MPI_ERRORS_ARE_FATAL) return 1;
        MPI_Comm_free(&grid);
    }
    MPI_Finalize();
    return 0;
}
