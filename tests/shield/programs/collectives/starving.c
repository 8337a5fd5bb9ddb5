/* starving WHAT [WAY]: rank 0 gives a task to each other rank and receives as many results by MPI_ANY_SOURCE; rank 1
 * dies before it has done its task. WHAT: what the others do meanwhile. WAY: how rank 0 receives. A rank that receives
 * results prints their sources, in order. */
#include <mpi.h>

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { task, result, other, seconds = 3 };

static int rank, size, is_slow, slow_writes;

static int is(char const* word, char const* name) {
    return !strcmp(word, name);
}

static void compute(void) {
    for (double const end = MPI_Wtime() + seconds; MPI_Wtime() < end;) continue;
}

/* MPI writes to files by these functions, and so by ours. */
static void write_slowly(void) {
    if (!is_slow) return;
    compute();
    ++slow_writes;
}
ssize_t pwrite(int file, void const* data, size_t bytes, off_t place) {
    write_slowly();
    return syscall(SYS_pwrite64, file, data, bytes, place);
}
ssize_t pwritev(int file, struct iovec const* items, int count, off_t place) {
    write_slowly();
    return syscall(SYS_pwritev, file, items, count, place, 0);
}

static void add_slowly(void* in, void* out, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i) ((int*)out)[i] += ((int*)in)[i];
    compute();
}

static void receive(char const* way) {
    int data = 0, index, count, flag = 0;
    MPI_Status status;
    MPI_Request request;
    MPI_Message message;
    if (is(way, "recv")) MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, result, MPI_COMM_WORLD, &status);
    if (is(way, "sendrecv"))
        MPI_Sendrecv(&data, 1, MPI_INT, MPI_PROC_NULL, other, &data, 1, MPI_INT, MPI_ANY_SOURCE, result, MPI_COMM_WORLD,
                     &status);
    if (is(way, "probe")) {
        MPI_Probe(MPI_ANY_SOURCE, result, MPI_COMM_WORLD, &status);
        MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, result, MPI_COMM_WORLD, &status);
    }
    if (is(way, "mprobe")) {
        MPI_Mprobe(MPI_ANY_SOURCE, result, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(&data, 1, MPI_INT, &message, &status);
    }
    if (is(way, "iprobe")) {
        for (; !flag; usleep(100)) MPI_Iprobe(MPI_ANY_SOURCE, result, MPI_COMM_WORLD, &flag, &status);
        MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, result, MPI_COMM_WORLD, &status);
    }
    if (is(way, "improbe")) {
        while (!flag) MPI_Improbe(MPI_ANY_SOURCE, result, MPI_COMM_WORLD, &flag, &message, &status);
        MPI_Mrecv(&data, 1, MPI_INT, &message, &status);
    }
    if (strstr(way, "wait") || strstr(way, "test"))
        MPI_Irecv(&data, 1, MPI_INT, MPI_ANY_SOURCE, result, MPI_COMM_WORLD, &request);
    if (is(way, "wait")) MPI_Wait(&request, &status);
    if (is(way, "waitany")) MPI_Waitany(1, &request, &index, &status);
    if (is(way, "waitsome")) MPI_Waitsome(1, &request, &count, &index, &status);
    if (is(way, "waitall")) MPI_Waitall(1, &request, &status);
    if (is(way, "test"))
        while (!flag) MPI_Test(&request, &flag, &status);
    if (is(way, "testany"))
        for (; !flag; usleep(1000)) MPI_Testany(1, &request, &index, &flag, &status);
    if (is(way, "testsome"))
        for (count = 0; count == 0; sched_yield()) MPI_Testsome(1, &request, &count, &index, &status);
    if (is(way, "testall"))
        while (!flag) MPI_Testall(1, &request, &flag, &status);
    if (is(way, "status-test")) {
        while (!flag) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
        MPI_Test(&request, &flag, &status);
        if (!flag) printf("what is over is over\n");
    }
    MPI_Get_count(&status, MPI_INT, &count);
    printf("%d: from %d count %d\n", rank, status.MPI_SOURCE, count);
    fflush(stdout);
}

/* A rank that looks now and then and computes in between does not wait. */
static void compute_a_little(void) {
    for (double const end = MPI_Wtime() + 2e-4; MPI_Wtime() < end;) continue;
}
static void spin(void) {
    int found = 0;
    MPI_Request request;
    for (double const end = MPI_Wtime() + seconds; MPI_Wtime() < end && !found; compute_a_little())
        MPI_Iprobe(MPI_ANY_SOURCE, result, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    MPI_Irecv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, result, MPI_COMM_WORLD, &request);
    for (double const end = MPI_Wtime() + seconds; MPI_Wtime() < end && !found; compute_a_little())
        MPI_Test(&request, &found, MPI_STATUS_IGNORE);
    printf("found %d\n", found);
    if (found) return;
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Called before MPI_Init. Stops this process soon after it has been told to, and lets it go on later. */
static int start_stopper(void) {
    int ends[2];
    char byte;
    pid_t const process = getpid();
    if (pipe(ends) != 0) abort();
    if (fork() == 0) {
        close(ends[1]);
        if (read(ends[0], &byte, 1) == 1) {
            usleep(300000);
            kill(process, SIGSTOP);
            sleep(seconds);
            kill(process, SIGCONT);
        }
        _exit(0);
    }
    close(ends[0]);
    return ends[1];
}

static void send_result(void) {
    MPI_Send(&rank, 1, MPI_INT, 0, result, MPI_COMM_WORLD);
}

/* Rank 2 has what rank 0 waits for, when it is through with something that lasts; or rank 3 has it, the root of the
 * reduction. pair: both; trio: with rank 1. */
static void do_slowly(char const* what, MPI_Comm pair, MPI_Comm trio, int stopper) {
    int sum = 0;
    MPI_File file;
    MPI_Op op;
    MPI_Op_create(add_slowly, 1, &op);
    if (is(what, "compute") && rank == 2) compute();
    if (is(what, "scan")) MPI_Scan(&rank, &sum, 1, MPI_INT, op, pair);        /* no rank returns before all can */
    if (is(what, "repair")) MPI_Scan(&rank, &sum, 1, MPI_INT, op, trio);      /* rank 1 does not come */
    if (is(what, "reduce")) MPI_Reduce(&rank, &sum, 1, MPI_INT, op, 0, pair); /* only the root needs it */
    if (is(what, "write")) {
        char path[1100];
        snprintf(path, sizeof path, "%s/slow", getenv("TRACES"));
        MPI_File_open(pair, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
        is_slow = rank == 2;
        MPI_File_write_at_all(file, rank, &rank, 1, MPI_BYTE, MPI_STATUS_IGNORE);
        is_slow = 0;
        if (rank == 2 && slow_writes == 0) printf("MPI writes in another way\n");
        MPI_File_close(&file);
    }
    if (is(what, "stop") && rank == 2) {
        if (write(stopper, "", 1) != 1) abort();
        MPI_Recv(&sum, 1, MPI_INT, 3, other, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (is(what, "stop") && rank == 3) {
        usleep(800000);
        MPI_Send(&rank, 1, MPI_INT, 2, other, MPI_COMM_WORLD);
    }
    if (rank == (is(what, "reduce") ? 3 : 2)) send_result();
    MPI_Op_free(&op);
}

/* Rank 2 waits for results, too. Each says so to the other when it has heard of a death, which comes in place of
 * another. */
static void be_second_master(char const* what) {
    receive("recv");
    if (is(what, "fair")) send_result();
}

int main(int argc, char** argv) {
    char const* const what = argc > 1 ? argv[1] : "";
    char const* const way = argc > 2 ? argv[2] : "recv";
    char const* const place = getenv("OMPI_COMM_WORLD_RANK");
    int const stopper = is(what, "stop") && place && is(place, "2") ? start_stopper() : -1;
    int lost = is(what, "twice") ? 3 : 1, data = 0;
    MPI_Comm pair, trio, copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &pair); /* rank 3 is first */
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, -rank, &trio);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        for (int to = 1; to < size; ++to) MPI_Send(&rank, 1, MPI_INT, to, task, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&data, 1, MPI_INT, 0, task, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 1 && is(what, "repair")) usleep(300000);
    if (rank == 1) raise(SIGKILL);
    int const are_two = is(what, "lowest") || is(what, "fair");
    int const is_slow_job = is(what, "compute") || is(what, "scan") || is(what, "reduce") || is(what, "write") ||
                            is(what, "repair") || is(what, "stop");
    if (rank > 1 && is_slow_job) do_slowly(what, pair, trio, stopper);
    if (rank > 1 && !is_slow_job && !are_two) send_result();
    if (are_two && rank == 2) be_second_master(what);
    if (rank == 0) {
        int const results = is_slow_job ? 1 : are_two ? is(what, "fair") : is(what, "nobody") ? 0 : size - 2;
        if (is(what, "spin")) {
            for (int i = 0; i < results; ++i) receive(way);
            spin();
        }
        for (int i = 0; i < results + lost && !is(what, "spin"); ++i) receive(way);
        if (is(what, "lowest")) MPI_Send(&rank, 1, MPI_INT, 2, result, MPI_COMM_WORLD);
        if (is(what, "recv") || is(what, "polled"))
            for (int to = 2; to < size; ++to) MPI_Send(&rank, 1, MPI_INT, to, other, MPI_COMM_WORLD);
    } else if (is(what, "polled")) {
        MPI_Request request;
        int flag = 0;
        MPI_Irecv(&data, 1, MPI_INT, 0, other, MPI_COMM_WORLD, &request);
        for (; !flag; usleep(rank == 2 ? 0 : 500)) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    } else if (is(what, "recv")) {
        MPI_Recv(&data, 1, MPI_INT, 0, other, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (is(what, "free")) MPI_Comm_free(&copy);
    if (is(what, "barrier")) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
