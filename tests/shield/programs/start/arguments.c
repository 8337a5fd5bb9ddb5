/* arguments [fatal]: calls with arguments that MPI has an error for. Rank 0 prints which error each call has, and how
 * often the program's error handler was called. fatal: the first error without a communicator ends the job. */
#include <mpi.h>

#include <stdio.h>
#include <string.h>

static int rank, told;

static void count_error(MPI_Comm* comm, int* code, ...) {
    (void)comm;
    (void)code;
    ++told;
}

static void saw(char const* call, int code) {
    int error_class;
    MPI_Error_class(code, &error_class);
    if (rank == 0) printf("%s %d %d\n", call, error_class, told);
    told = 0;
}
#define SAW(...) saw(#__VA_ARGS__, __VA_ARGS__)

static int data[16], result[16];
static MPI_Comm const world = MPI_COMM_WORLD;

static void collectives(void) {
    int const ones[2] = {1, 1};
    MPI_Request request;
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_DOUBLE_INT, &pair);
    MPI_Type_commit(&pair);
    SAW(MPI_Bcast(data, 1, MPI_DATATYPE_NULL, 0, world));
    SAW(MPI_Bcast(data, -1, MPI_INT, 0, world));
    SAW(MPI_Bcast(data, 1, MPI_INT, 2, world));
    SAW(MPI_Barrier(MPI_COMM_NULL));
    SAW(MPI_Allreduce(data, result, 1, MPI_INT, MPI_OP_NULL, world));
    SAW(MPI_Allreduce(MPI_IN_PLACE, result, 1, MPI_DATATYPE_NULL, MPI_SUM, world));
    SAW(MPI_Allreduce(MPI_IN_PLACE, result, -1, pair, MPI_SUM, world));
    SAW(MPI_Reduce(MPI_IN_PLACE, result, -1, MPI_INT, MPI_SUM, rank, world));
    SAW(MPI_Scan(MPI_IN_PLACE, result, 1, MPI_DATATYPE_NULL, MPI_SUM, world));
    SAW(MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, result, 1, MPI_DATATYPE_NULL, world));
    SAW(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, result, -1, MPI_INT, world));
    SAW(MPI_Reduce_scatter(MPI_IN_PLACE, result, ones, MPI_DATATYPE_NULL, MPI_SUM, world));
    MPI_Type_free(&pair);
    SAW(MPI_Allgatherv(data, 1, MPI_INT, result, ones, NULL, MPI_INT, world));
    SAW(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, result, NULL, NULL, MPI_INT, world));
    SAW(MPI_Ireduce_scatter(data, result, NULL, MPI_INT, MPI_SUM, world, &request));
}

static void messages(void) {
    int const other = 1 - rank;
    int flag, index;
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    SAW(MPI_Send(data, 1, MPI_INT, other, 0, MPI_COMM_NULL));
    SAW(MPI_Bsend(data, -1, MPI_INT, other, 0, world));
    SAW(MPI_Bsend(data, 1, MPI_DATATYPE_NULL, other, 0, world));
    SAW(MPI_Sendrecv(data, 1, MPI_INT, 2, 0, result, 1, MPI_INT, other, 0, world, &status));
    SAW(MPI_Sendrecv(data, 1, MPI_INT, other, -3, result, 1, MPI_INT, other, 0, world, &status));
    SAW(MPI_Sendrecv_replace(data, 1, MPI_DATATYPE_NULL, other, 0, other, 0, world, &status));
    SAW(MPI_Wait(NULL, &status));
    SAW(MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE));
    SAW(MPI_Waitall(-1, &request, MPI_STATUSES_IGNORE));
    SAW(MPI_Testany(-1, &request, &index, &flag, &status));
    SAW(MPI_Request_free(&request));
    SAW(MPI_Cancel(&request));
    SAW(MPI_Start(&request));
}

/* The handler of the communicator is called, not that of MPI_COMM_WORLD. */
static void on_another(MPI_Errhandler handler) {
    MPI_Comm other;
    MPI_Comm_dup(world, &other);
    MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
    SAW(MPI_Comm_group(other, NULL));
    SAW(MPI_Cart_rank(other, data, data));
    MPI_Comm_set_errhandler(other, handler);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    SAW(MPI_Comm_group(other, NULL));
    MPI_Comm_set_errhandler(world, handler);
    MPI_Comm_free(&other);
}

static void others(void) {
    int value = 7;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_SUM;
    SAW(MPI_Comm_dup(world, NULL));
    SAW(MPI_Comm_split(MPI_COMM_NULL, 0, 0, &made));
    SAW(MPI_Comm_free(&made));
    SAW(MPI_Comm_size(world, NULL));
    SAW(MPI_Comm_set_attr(world, MPI_KEYVAL_INVALID, &value));
    SAW(MPI_Comm_call_errhandler(world, MPI_ERR_OTHER));
    SAW(MPI_Cart_rank(world, &value, &value));
    SAW(MPI_Type_commit(&type));
    SAW(MPI_Type_free(&type));
    SAW(MPI_Op_free(&op));
    SAW(MPI_Intercomm_create(world, 2, world, 0, 1, &made));
    SAW(MPI_Intercomm_merge(world, 0, &made));
}

int main(int argc, char** argv) {
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_create_errhandler(count_error, &handler);
    if (argc < 2 || strcmp(argv[1], "fatal")) MPI_Comm_set_errhandler(world, handler);
    MPI_Datatype none = MPI_DATATYPE_NULL;
    SAW(MPI_Type_commit(&none));
    collectives();
    messages();
    others();
    on_another(handler);
    MPI_Finalize();
    return 0;
}
