/* policies WHAT [VALUE]: what happens to a program in which rank 1 dies, or which ends in another way. Rank 0 prints
 * what it has seen. */
#include <mpi.h>

#include <mpi-ext.h>

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

/* Messages to and from the dead, into places that were 7. */
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

/* A receive from the dead whose type is freed before: four places that were 7, with one between them each. */
static MPI_Request wait_for_every_other(int* data) {
    MPI_Datatype every_other;
    MPI_Request request;
    for (int i = 0; i < 8; ++i) data[i] = 7;
    MPI_Type_vector(4, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    MPI_Irecv(data, 1, every_other, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Type_free(&every_other);
    return request;
}

static void gather(int rank, int size) {
    int all[64];
    memset(all, 1, sizeof all);
    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < size && rank == 0; ++i) printf("%d%c", all[i], i == size - 1 ? '\n' : ' ');
}

/* Rank 0 receives from rank 2, which starts what it has prepared, and from the dead, on a communicator that is freed.
 */
static void exchange_on_freed(int rank, MPI_Request* request) {
    static int data = 7;
    int from = 0;
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Comm other;
    MPI_Status status;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (rank == 0) MPI_Irecv(&data, 1, MPI_INT, 1, 5, other, request);
    if (rank == 0) MPI_Irecv(&from, 1, MPI_INT, 2, 5, other, &receive);
    if (rank == 2) MPI_Send_init(&rank, 1, MPI_INT, 0, 5, other, request);
    MPI_Comm_free(&other);
    if (rank == 2) MPI_Start(request);
    MPI_Wait(rank == 2 ? request : &receive, &status);
    if (rank == 2) MPI_Request_free(request);
    if (rank == 0) printf("from %d %d\n", from, status.MPI_SOURCE);
}

static void start_collectives(int rank) {
    int all[64], sum;
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ireduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Scan_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* What rank 2 sends does not fit, and then rank 1 dies. */
static void truncate_gather(int rank, int size, int with_places) {
    int all[64], counts[64], places[64], two[2] = {rank, rank}, code;
    int const count = rank == 2 ? 2 : 1;
    for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = i;
    if (with_places) code = MPI_Gatherv(two, count, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    if (!with_places) code = MPI_Gather(two, count, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("class %d errors %d\n", class_of(code), errors);
}

/* Rank 1 gives work, in one way or another, and would say when there is no more. */
static void work(char const* what, int rank) {
    for (int task = 1, is_over = 0; !is_over;) {
        if (!strcmp(what, "serve")) MPI_Send(&task, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        if (!strcmp(what, "command")) MPI_Bcast(&task, 1, MPI_INT, 1, MPI_COMM_WORLD);
        if (strcmp(what, "command")) MPI_Recv(&task, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        is_over = task < 0 || rank == 1;
    }
}

/* Exchanges messages with both neighbours, many times. */
static void halo(int rank, int size) {
    int in[2], steps = 200;
    for (; steps > 0; --steps) {
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &in[0], 1, MPI_INT, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + size - 1) % size, 0, &in[1], 1, MPI_INT, (rank + 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static int key; /* of an attribute that duplicates get */

/* The last thing that the program does when it exits. */
static void finish_at_exit(void) {
    int rank, found = 0;
    void* value;
    MPI_Comm made;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_get_attr(made, key, &value, &found);
    MPI_Comm_free(&made);
    MPI_Finalize();
    if (rank == 0) printf("at exit %d\n", found);
}

static void join_groups(int rank) {
    MPI_Comm both;
    int code = MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, rank ^ 2, 9, &both);
    if (rank == 0) printf("code %d errors %d\n", class_of(code), errors);
}

/* Communicators of ranks 0 and 2, and of ranks 1 and 3, which send nothing any more. */
static MPI_Comm two_groups(int rank) {
    MPI_Comm own, both;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - rank % 2, 9, &both);
    return both;
}
static void wait_for_the_others(char const* way, MPI_Comm both) {
    int flag = 0, data;
    MPI_Request request;
    MPI_Message message;
    if (!strcmp(way, "iprobe"))
        for (; !flag; usleep(500)) MPI_Iprobe(MPI_ANY_SOURCE, 0, both, &flag, MPI_STATUS_IGNORE);
    if (!strcmp(way, "improbe"))
        while (!flag) MPI_Improbe(MPI_ANY_SOURCE, 0, both, &flag, &message, MPI_STATUS_IGNORE);
    if (!strcmp(way, "probe")) MPI_Probe(MPI_ANY_SOURCE, 0, both, MPI_STATUS_IGNORE);
    if (!strcmp(way, "recv")) MPI_Recv(&data, 1, MPI_INT, 1, 0, both, MPI_STATUS_IGNORE); /* of rank 3 */
    if (!strcmp(way, "wait") || !strcmp(way, "test")) MPI_Irecv(&data, 1, MPI_INT, 1, 0, both, &request);
    if (!strcmp(way, "wait")) MPI_Wait(&request, MPI_STATUS_IGNORE);
    while (!strcmp(way, "test") && !flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
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
    int const at_exit = !strcmp(what, "at exit");
    if (at_exit) atexit(finish_at_exit);
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
    if (!strcmp(what, "aside")) {
        MPI_Request sum_of_all;
        MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &sum_of_all);
        if (value) MPI_Request_free(&sum_of_all);
        MPI_Request over;
        MPI_Ibarrier(MPI_COMM_WORLD, &over);
        MPI_Wait(&over, MPI_STATUS_IGNORE);
        MPIX_Comm_agree(MPI_COMM_WORLD, &one);
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    int places[8];
    MPI_Request request = MPI_REQUEST_NULL;
    if (!strcmp(what, "free")) exchange_on_freed(rank, &request);
    if (!strcmp(what, "type") && rank == 0) request = wait_for_every_other(places);
    MPI_Comm const both = !strcmp(what, "two") ? two_groups(rank) : MPI_COMM_NULL;
    if (!strcmp(what, "truncated")) truncate_gather(rank, size, value);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && !(argc > 2 && !strcmp(argv[2], "nobody"))) raise(SIGKILL);
    if (!strcmp(what, "compute") && rank == 3) sleep(value);
    if (!strcmp(what, "nonblocking")) {
        start_collectives(rank);
        MPI_Finalize();
        return 0;
    }
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!strcmp(what, "exchange") && rank == 0) exchange();
    if (!strcmp(what, "two") && rank == 0) wait_for_the_others(argv[2], both);
    if (!strcmp(what, "gather")) gather(rank, size);
    if (!strcmp(what, "stream") || !strcmp(what, "serve") || !strcmp(what, "command")) work(what, rank);
    if (!strcmp(what, "halo")) halo(rank, size);
    if (request != MPI_REQUEST_NULL) {
        MPI_Status status;
        int const code = class_of(MPI_Wait(&request, &status));
        if (!strcmp(what, "free")) printf("code %d source %d\n", code, status.MPI_SOURCE);
        for (int i = 0; i < 8 && !strcmp(what, "type"); ++i) printf("%d%c", places[i], i == 7 ? '\n' : ' ');
    }
    if (!strcmp(what, "join")) join_groups(rank);
    if (rank == 0) printf("%d of %d\n", sum, size);
    if (at_exit) {
        MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
        MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
        return 0;
    }
    MPI_Finalize();
    return 0;
}
