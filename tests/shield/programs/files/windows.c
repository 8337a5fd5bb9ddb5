/* windows CALL VICTIM: windows of all ranks, and all that they are used for. VICTIM dies before it comes to the call,
 * in which the others may wait for it. -1: no rank dies, but rank 1 waits for something nonblocking before it comes to
 * the call, and the others when all is over. */
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, victim, code = MPI_SUCCESS, right = 1;
static int shown, one = 1, sum;
static char const* name;
static MPI_Win window;
static MPI_Request request = MPI_REQUEST_NULL;

static void expect(int fact, char const* what) {
    if (fact) return;
    fprintf(stderr, "rank %d: %s\n", rank, what);
    right = 0;
}

static void come_to(char const* call) {
    if (strcmp(call, name) != 0) return;
    if (rank == victim) raise(SIGKILL);
    if (victim >= 0) return;
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void create(void) {
    come_to("create");
    code = MPI_Win_create(&shown, sizeof shown, sizeof shown, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
}

static void fence(void) {
    int const next = (rank + 1) % size, last = (rank + size - 1) % size;
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, window);
    come_to("fence");
    MPI_Win_fence(0, window);
    expect(shown == last, "not what the last rank has put");
    shown = rank;
    MPI_Win_fence(0, window);
}

static void lock(void) {
    int const next = (rank + 1) % size;
    int got = -1;
    come_to("lock");
    usleep(50000); /* so that the dead are dead */
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window);
    MPI_Get(&got, 1, MPI_INT, next, 0, 1, MPI_INT, window);
    MPI_Win_unlock(next, window);
    expect(got == next, "not what the next rank shows");
    MPI_Barrier(MPI_COMM_WORLD);
}

static void start(void) {
    int const next = (rank + 1) % size, last = (rank + size - 1) % size;
    MPI_Group all, neighbours[2];
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &next, &neighbours[0]);
    MPI_Group_incl(all, 1, &last, &neighbours[1]);
    come_to("start");
    MPI_Win_post(neighbours[1], 0, window);
    MPI_Win_start(neighbours[0], 0, window);
    MPI_Accumulate(&one, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    expect(shown == rank + 1, "not what the last rank has added");
    MPI_Group_free(&neighbours[0]);
    MPI_Group_free(&neighbours[1]);
    MPI_Group_free(&all);
}

static void let_go(void) {
    come_to("free");
    MPI_Win_free(&window);
    expect(window == MPI_WIN_NULL, "a window is left");
}

int main(int argc, char** argv) {
    int living = 0, class = 0;
    if (argc < 3) return 2;
    name = argv[1];
    victim = atoi(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    create();
    if (code == MPI_SUCCESS) {
        fence();
        lock();
        start();
        let_go();
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(victim >= 0 || sum == size, "a wrong sum");
    MPI_Error_class(code, &class);
    MPI_Allreduce(&one, &living, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (right) printf("class %d, %d live\n", class, living);
    MPI_Finalize();
    return !right;
}
