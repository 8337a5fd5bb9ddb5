/* grids WHAT: rank 3 dies, and then the others go on with a grid, a graph and a directed graph of ranks 0 and 1 alone,
 * which have lost no member. They print what each has of the other. */
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>

static int rank;

static void tell(char const* call, int code, int const* data, int count) {
    printf("%d: %s %d:", rank, call, code);
    for (int i = 0; i < count; ++i) printf(" %d", data[i]);
    printf("\n");
}

/* The neighbours: both ways round in the grid, one elsewhere. */
static void exchange(char const* name, MPI_Comm on, int count) {
    int const mine = 10 + rank;
    int in[2] = {0, 0}, code;
    MPI_Request request;
    code = MPI_Neighbor_allgather(&mine, 1, MPI_INT, in, 1, MPI_INT, on);
    tell(name, code, in, count);
    in[0] = in[1] = 0;
    code = MPI_Ineighbor_allgather(&mine, 1, MPI_INT, in, 1, MPI_INT, on, &request);
    if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell(name, code, in, count);
}

int main(int argc, char** argv) {
    char const* const what = argc > 1 ? argv[1] : "";
    int size = 2, periodic = 1, one = 1;
    MPI_Comm half, grid, graph, directed, row;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    int const other = 1 - rank % 2;
    MPI_Cart_create(half, 1, &size, &periodic, 0, &grid);
    MPI_Graph_create(half, 2, (int[]){1, 2}, (int[]){1, 0}, 0, &graph);
    MPI_Dist_graph_create_adjacent(half, 1, &other, &one, 1, &other, &one, MPI_INFO_NULL, 0, &directed);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 3) raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank < 2) {
        if (!strcmp(what, "exchange")) {
            exchange("grid", grid, 2);
            exchange("graph", graph, 1);
            exchange("directed", directed, 1);
        }
        if (!strcmp(what, "dup")) {
            MPI_Request request;
            MPI_Comm made[3];
            MPI_Comm_dup(grid, &made[0]);
            MPI_Comm_dup(graph, &made[1]);
            MPI_Comm_idup(directed, &made[2], &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            exchange("grid", made[0], 2);
            exchange("graph", made[1], 1);
            exchange("directed", made[2], 1);
        }
        if (!strcmp(what, "none")) exchange("none", half, 0);
        if (!strcmp(what, "row")) {
            MPI_Cart_sub(grid, &one, &row);
            exchange("grid", row, 2);
            exchange("graph", graph, 1);
            exchange("directed", directed, 1);
        }
    }
    MPI_Finalize();
    return 0;
}
