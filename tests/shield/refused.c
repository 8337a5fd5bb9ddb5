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
    MPI_Win window;
    if (!strcmp(argv[1], "lock")) MPI_Win_create(&sum, sizeof sum, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == atoi(argv[2])) raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(argv[1], "scan")) {
        MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (sum != rank + 1) return 1;
    } else if (!strcmp(argv[1], "partitioned")) {
        MPI_Request requests[2];
        MPI_Psend_init(&one, 1, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
        MPI_Precv_init(&sum, 1, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
        MPI_Startall(2, requests);
        MPI_Pready(0, requests[0]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (sum != 1) return 1;
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
    } else if (!strcmp(argv[1], "lock")) { /* where the data of the dead are */
        int const target = atoi(argv[2]) < 0 ? 0 : atoi(argv[2]);
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
        MPI_Get(&one, 1, MPI_INT, target, 0, 1, MPI_INT, window);
        MPI_Win_unlock(target, window);
        if (one != 0) return 1;
        MPI_Win_free(&window);
    } else if (!strcmp(argv[1], "window")) {
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
