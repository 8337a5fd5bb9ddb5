/* pending CASE VICTIM: what is under way when others wait, die or let go of it. VICTIM -1: no rank dies.
 *
 *   ahead   a rank that has its broadcast, along a binomial tree, waits for one whose broadcast has failed
 *   starve  one rank waits for a collective before it comes to another communicator, in which the others block first
 *   often   the same again and again
 *   free    a communicator is freed while something is under way on it
 *   root    the root of what is under way dies
 *   dups    a duplicate under way, and others that block, of one communicator, of which a member dies afterwards
 *   window  a window is freed after a member has died
 *   orders  persistent operations are started in different orders
 *   errors  what MPI does not allow for a collective that is under way */
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verdict.h"

static int rank, size, victim, right = 1;
static double one = 1;

static void expect(int fact, char const* what) {
    if (fact) return;
    fprintf(stderr, "rank %d: %s\n", rank, what);
    right = 0;
}

static void die(int delay) {
    if (rank == victim) raise(SIGKILL);
    usleep((unsigned)delay);
}

static void ahead(void) {
    int const last = size - 1;
    double data = rank == 0 ? 42 : -1, got = -1;
    MPI_Request request;
    die(rank == last ? 300000 : 50000);
    MPI_Ibcast(&data, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == last) MPI_Send(&data, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(&got, 1, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(data == 42 && (rank != 0 || got == 42), "not what the root has sent");
}

static void starve(void) {
    double sum[2] = {0, 0};
    MPI_Comm other;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (rank == 1) usleep(100000); /* the others are in the second operation when this one succeeds in the first */
    MPI_Iallreduce(&one, &sum[0], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(&one, &sum[1], 1, MPI_DOUBLE, MPI_SUM, other);
    if (rank != 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(sum[0] == size && sum[1] == size, "a wrong sum");
    MPI_Comm_free(&other);
}

/* Again and again: patience gets shorter, because the others come at once. Two seconds each time would be twelve. */
static void starve_often(void) {
    double const begin = MPI_Wtime();
    for (int i = 0; i < 6; ++i) starve();
    expect(MPI_Wtime() - begin < 10, "each time as long as the first, or longer");
}

static void let_go(void) {
    double sum = 0;
    MPI_Comm other;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, other, &request);
    die(50000);
    MPI_Comm_free(&other);
    expect(other == MPI_COMM_NULL, "a communicator is not freed");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(sum == size || sum == size - 1, "a wrong sum");
}

static void root(void) {
    double data = 7, sum = -1;
    MPI_Request requests[2];
    die(0);
    MPI_Ibcast(&data, 1, MPI_DOUBLE, victim, MPI_COMM_WORLD, &requests[0]);
    MPI_Ireduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, victim, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    expect(data == 0 && sum == -1, "something came from or to the dead"); /* holes are zeros */
}

/* Some ranks have the first before they begin the next, others do not. */
static void dups(void) {
    double sums[3] = {0, 0, 0};
    MPI_Comm made[3];
    MPI_Request request;
    MPI_Comm_idup(MPI_COMM_WORLD, &made[0], &request);
    if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_dup(MPI_COMM_WORLD, &made[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &made[2]);
    if (rank != 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    die(0);
    for (int i = 0; i < 3; ++i) MPI_Allreduce(&one, &sums[i], 1, MPI_DOUBLE, MPI_SUM, made[i]);
    for (int i = 0; i < 3; ++i) expect(sums[i] == size - (victim >= 0), "a wrong sum");
}

static void window(void) {
    MPI_Win made;
    MPI_Win_create(&one, sizeof one, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &made);
    MPI_Barrier(MPI_COMM_WORLD);
    die(0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&made);
    expect(made == MPI_WIN_NULL, "a window is left");
}

/* Rank 0 is in a receive on a communicator that the shield does not know while the others wait for the barrier. */
static void other_group(void) {
    int data = 0;
    MPI_Comm half, both;
    MPI_Request request;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 5, &both);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int part = 0; part < 3; ++part) {
        if (rank == 0 && part == 0) MPI_Recv(&data, 1, MPI_INT, 0, 1, both, MPI_STATUS_IGNORE);
        if (rank == 0 && part == 1) MPI_Ssend(&data, 1, MPI_INT, 0, 1, both);
        if (rank == 0 && part == 2) MPI_Probe(0, 1, both, MPI_STATUS_IGNORE);
        if (rank == 0 && part == 2) MPI_Recv(&data, 1, MPI_INT, 0, 1, both, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 1 && part == 1) MPI_Recv(&data, 1, MPI_INT, 0, 1, both, MPI_STATUS_IGNORE);
        data = 42 + part;
        if (rank == 1 && part != 1) MPI_Send(&data, 1, MPI_INT, 0, 1, both);
        if (part < 2) MPI_Ibarrier(MPI_COMM_WORLD, &request);
    }
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
    expect(data == 44, "a message of the other group is lost");
}

/* Persistent operations, which each rank starts in another order, also after a death; others take their places. */
static void orders(void) {
    double sum = 0, root_has = rank == 0 ? 5 : -1;
    int all[16], count[2] = {1, 0};
    MPI_Request requests[4];
    for (int again = 0; again < 2; ++again) {
        MPI_Allreduce_init(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
        MPI_Bcast_init(&root_has, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
        MPI_Allgather_init(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
        MPI_Allreduce_init(&count[0], &count[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]);
        for (int round = 0; round < 3; ++round) {
            double const living = size - (victim >= 0 && again == 1);
            sum = count[1] = 0;
            memset(all, 1, sizeof all);
            for (int i = 0; i < 4; ++i) MPI_Start(&requests[(i * (rank % 2 ? 3 : 1) + rank + round) % 4]);
            MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
            expect(sum == living && count[1] == living && root_has == 5, "what another has brought");
            for (int i = 0; i < size; ++i) expect(all[i] == (i == victim && again == 1 ? 0 : i), "a wrong row");
            MPI_Barrier(MPI_COMM_WORLD);
        }
        for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
        if (again == 0) die(0);
    }
}

static int told;

static void tell(MPI_Comm* comm, int* code, ...) {
    (void)comm;
    (void)code;
    ++told;
}

static int do_not_copy(MPI_Comm comm, int key, void* state, void* value, void* copied, int* copies) {
    (void)comm, (void)key, (void)state, (void)value, (void)copied, (void)copies;
    return MPI_ERR_OTHER;
}

/* The handler of the communicator is called, not that of MPI_COMM_WORLD. */
static void errors_of_requests(void) {
    int key, data = 0;
    MPI_Comm other, made;
    MPI_Errhandler handler;
    MPI_Request request, sent;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_create_errhandler(tell, &handler);
    MPI_Comm_set_errhandler(other, handler);
    MPI_Isend(&rank, 1, MPI_INT, rank, 1, other, &sent);
    MPI_Recv_init(&data, 0, MPI_INT, rank, 1, other, &request);
    MPI_Start(&request);
    expect(MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS && told == 1, "a message that is too long");
    MPI_Request_free(&request);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    MPI_Isend(&rank, 1, MPI_INT, rank, 1, other, &sent);
    MPI_Irecv(&data, 0, MPI_INT, rank, 1, other, &request);
    expect(MPI_Waitall(2, (MPI_Request[]){request, sent}, MPI_STATUSES_IGNORE) != MPI_SUCCESS && told == 2,
           "one of several");
    MPI_Comm_create_keyval(do_not_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(other, key, NULL);
    MPI_Comm_idup(other, &made, &request);
    expect(MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS && told == 3, "an attribute that is not copied");
}

static void errors(void) {
    int data = rank, error_class = 0, flag = 0;
    MPI_Request request, before;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Ibcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    before = request;
    if (rank == 1) usleep(50000);
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    if (!flag) {
        MPI_Error_class(MPI_Cancel(&request), &error_class);
        expect(error_class == MPI_ERR_REQUEST, "it was cancelled");
        MPI_Error_class(MPI_Request_free(&request), &error_class);
        expect(error_class == MPI_ERR_REQUEST && request == before, "it was freed");
    }
    expect(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && request == MPI_REQUEST_NULL && data == 0,
           "it is lost");
    MPI_Error_class(MPI_Ibcast(&data, 1, MPI_INT, size, MPI_COMM_WORLD, &request), &error_class);
    expect(error_class == MPI_ERR_ROOT, "a root that is none");
    MPI_Error_class(MPI_Iallreduce(&data, &flag, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request), &error_class);
    expect(error_class == MPI_ERR_COUNT, "a negative count");
    expect(request == MPI_REQUEST_NULL, "a request of what was not started");
    errors_of_requests();
}

int main(int argc, char** argv) {
    struct {
        char const* name;
        void (*act)(void);
    } const cases[] = {{"ahead", ahead},   {"starve", starve},    {"often", starve_often}, {"free", let_go},
                       {"root", root},     {"dups", dups},        {"window", window},      {"orders", orders},
                       {"errors", errors}, {"inter", other_group}};
    double living = 0;
    int known = 0;
    if (argc < 3) return 2;
    victim = atoi(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i)
        if (!strcmp(argv[1], cases[i].name)) cases[i].act(), known = 1;
    expect(known, "no such case");
    MPI_Allreduce(&one, &living, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect(living == size - (victim >= 0), "not all survivors are there");
    MPI_Finalize();
    write_verdict(rank, !right, 1);
    return !right;
}
