/* policies WHAT [VALUE]: what becomes of a program in which rank 1 dies, or which ends in another way. Rank 0 tells
 * what it has seen. */
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int errors;

static void count_error(MPI_Comm* comm, int* code, ...) {
    (void)comm;
    (void)code;
    ++errors;
}

static int class_of(int code) {
    int result;
    MPI_Error_class(code, &result);
    return result;
}

/* Messages to and from the dead, whose places were 7. */
static void exchange(void) {
    int data = 7, count = -1;
    MPI_Request request;
    MPI_Status status;
    printf("send %d", class_of(MPI_Send(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD)));
    int code = MPI_Recv(&data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    printf(" recv %d data %d source %d count %d", class_of(code), data, status.MPI_SOURCE, count);
    data = 7;
    code = MPI_Irecv(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf(" irecv %d data %d errors %d\n", class_of(code), data, errors);
}

static void gather(int rank, int size) {
    int all[64];
    memset(all, 1, sizeof all);
    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < size && rank == 0; ++i) printf("%d%c", all[i], i == size - 1 ? '\n' : ' ');
}

static void join_groups(int rank) {
    MPI_Comm both;
    int code = MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, rank ^ 2, 9, &both);
    if (rank == 0) printf("code %d errors %d\n", class_of(code), errors);
}

int main(int argc, char** argv) {
    int rank, size, one = 1, sum = 0;
    char const* const what = argc > 1 ? argv[1] : "";
    int const value = argc > 2 ? atoi(argv[2]) : 0;
    MPI_Errhandler handler;
    if (!strcmp(what, "session")) {
        MPI_Session session;
        return MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(what, "fatal") && value) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT);
    if (!strcmp(what, "fatal") && rank == 1) MPI_Send(&one, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    if (!strcmp(what, "abort") && rank == 1) MPI_Abort(MPI_COMM_WORLD, value);
    if (!strcmp(what, "exit") && rank == 1) exit(value);
    if (!strcmp(what, "_exit") && rank == 1) _exit(value);
    if (!strcmp(what, "quick_exit") && rank == 1) quick_exit(value);
    if (!strcmp(what, "return") && rank == 1) return value;
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) raise(SIGKILL);
    if (!strcmp(what, "compute") && rank == 3) sleep(value);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!strcmp(what, "exchange") && rank == 0) exchange();
    if (!strcmp(what, "gather")) gather(rank, size);
    if (!strcmp(what, "join")) join_groups(rank);
    if (rank == 0) printf("%d of %d\n", sum, size);
    MPI_Finalize();
    return 0;
}
