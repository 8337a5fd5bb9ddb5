/* What fails, and which error handler is called: those of the communicator, and what statuses say. Prints what has
 * happened, which is the same with and without the shield. */
#include <mpi.h>

#include <stdio.h>
#include <string.h>

static MPI_Comm sub;

static void tell(char const* who, MPI_Comm comm, int code) {
    int error_class = 0;
    MPI_Error_class(code, &error_class);
    printf("  %s is told of class %d on %s\n", who, error_class, comm == sub ? "the duplicate" : "MPI_COMM_WORLD");
}
static void tell_world(MPI_Comm* comm, int* code, ...) {
    tell("the handler of MPI_COMM_WORLD", *comm, *code);
}
static void tell_sub(MPI_Comm* comm, int* code, ...) {
    tell("that of the duplicate", *comm, *code);
}

static void show(char const* what, int code) {
    int error_class = 0;
    MPI_Error_class(code, &error_class);
    printf("%s: class %d\n", what, error_class);
}

static void show_status(char const* what, MPI_Status const* status) {
    int count = -1;
    MPI_Get_count(status, MPI_INT, &count);
    printf("%s: source %d tag %d count %d\n", what, status->MPI_SOURCE, status->MPI_TAG, count);
}

/* Calls that need no other rank. */
static void local_calls(void) {
    int data[4], found = 0;
    void* value = NULL;
    show("a code of the program's", MPI_Comm_call_errhandler(sub, MPI_ERR_OTHER));
    show("of the world", MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER));
    show("the attribute of no key", MPI_Comm_get_attr(sub, 12345, &value, &found));
    show("the place in no grid", MPI_Cart_coords(sub, 0, 1, data));
    show("no name", MPI_Comm_set_name(sub, NULL));
}

/* Rank 0 has posted a receive that is too small, one that fits, and none. */
static void several(int rank, char const* how) {
    int small[1], data[4] = {0}, count = 0, index[3], done = 0;
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[3];
    memset(statuses, 5, sizeof statuses);
    if (rank == 0) {
        MPI_Irecv(small, 1, MPI_INT, 1, 0, sub, &requests[0]);
        MPI_Irecv(data, 4, MPI_INT, 1, 1, sub, &requests[1]);
    }
    MPI_Barrier(sub);
    for (int tag = 0; tag < 2 && rank == 1; ++tag) MPI_Send(data, 4, MPI_INT, 0, tag, sub);
    if (rank != 0) return;
    if (!strcmp(how, "Waitall")) show(how, MPI_Waitall(3, requests, statuses));
    if (!strcmp(how, "Waitall without statuses")) show(how, MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    if (!strcmp(how, "Waitsome")) {
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        show(how, MPI_Waitsome(3, requests, &count, index, statuses));
    }
    if (!strcmp(how, "Testall")) {
        int code = MPI_SUCCESS;
        while (!done) code = MPI_Testall(3, requests, &done, statuses);
        show(how, code);
    }
    for (int i = 0; i < 3 && !strcmp(how, "Waitall"); ++i) show("  each", statuses[i].MPI_ERROR);
    for (int i = 0; i < 3; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

/* There is nothing to wait for. */
static void inactive(int rank) {
    int data = 0, flag = 0, index = 0;
    MPI_Request request, both[2];
    MPI_Status status, statuses[2];
    MPI_Recv_init(&data, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &request);
    both[0] = MPI_REQUEST_NULL;
    both[1] = request;
    MPI_Wait(&request, &status);
    show_status("Wait", &status);
    MPI_Test(&request, &flag, &status);
    show_status("Test", &status);
    MPI_Waitany(1, &request, &index, &status);
    show_status("Waitany", &status);
    MPI_Request_get_status(request, &flag, &status);
    show_status("Request_get_status", &status);
    MPI_Waitall(2, both, statuses);
    show_status("Waitall", &statuses[0]);
    show_status("Waitall", &statuses[1]);
    MPI_Request_free(&request);
}

int main(int argc, char** argv) {
    int rank;
    MPI_Errhandler of_world, of_sub;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_errhandler(tell_world, &of_world);
    MPI_Comm_create_errhandler(tell_sub, &of_sub);
    MPI_Comm_dup(MPI_COMM_WORLD, &sub);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, of_world);
    MPI_Comm_set_errhandler(sub, of_sub);
    if (rank == 0) local_calls();
    several(rank, "Waitall");
    several(rank, "Waitall without statuses");
    several(rank, "Waitsome");
    several(rank, "Testall");
    if (rank == 0) inactive(rank);
    MPI_Finalize();
    return 0;
}
