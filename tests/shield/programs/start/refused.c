/* refused CALL VICTIM: a call that the shield does not carry out, after the victim has died (-1: no rank dies). */
#include <mpi.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, size, one = 1, sum = 0, periodic = 0;
    MPI_Comm old, made = MPI_COMM_NULL;
    if (argc < 3) return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win window;
    if (!strcmp(argv[1], "lock")) MPI_Win_create(&sum, sizeof sum, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &old);
    if (rank == atoi(argv[2])) raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(argv[1], "partitioned")) {
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
    } else if (!strcmp(argv[1], "grid")) { /* it has the program's error handler */
        MPI_Errhandler handler;
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
        MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &made);
        MPI_Comm_get_errhandler(made, &handler);
        if (handler != MPI_ERRORS_ARE_FATAL) return 1;
    } else if (!strcmp(argv[1], "row")) {
        MPI_Cart_sub(old, &one, &made);
    } else if (!strcmp(argv[1], "grid-dup")) {
        MPI_Comm_dup(old, &made);
        MPI_Topo_test(made, &sum);
        if (sum != MPI_CART) return 1;
    } else if (!strcmp(argv[1], "graph")) {
        MPI_Graph_create(MPI_COMM_WORLD, 2, (int[]){1, 2}, (int[]){1, 0}, 0, &made);
    } else if (!strcmp(argv[1], "directed")) {
        MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &rank, &one, MPI_INFO_NULL, 0, &made);
    } else {
        return 2;
    }
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    MPI_Comm_free(&old);
    MPI_Finalize();
    return 0;
}
