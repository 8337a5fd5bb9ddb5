/* relay SEED STEPS: ranks from 2 on work together in random ways. Each step lasts for a while, and then one of them
 * sends a message to rank 0, which receives it from any source. Rank 1 dies, but had nothing to send: whatever rank 0
 * receives from it is wrong. */
#include <mpi.h>

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { told = 1, token = 2, large = 1 << 26 };

static double const lasts = 1.5; /* seconds */

static int me, workers, from;
static MPI_Comm team;
static char* block;
static uint64_t state;

/* SplitMix64: the same on all. */
static uint64_t draw(uint64_t n) {
    uint64_t x = state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (x ^ (x >> 31)) % n;
}

static void compute(void) {
    for (double const end = MPI_Wtime() + lasts; MPI_Wtime() < end;) continue;
}

static void idle(void) {
    usleep((useconds_t)(lasts * 1e6));
}

static void add_slowly(void* in, void* out, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i) ((int*)out)[i] += ((int*)in)[i];
    compute();
}

/* A token goes from one rank to the next: all others wait for their neighbour. */
static void pass_token(void) {
    int data = 0;
    MPI_Status status;
    MPI_Request request;
    int const before = (me + workers - 1) % workers, how = (int)draw(4);
    if (me == from) {
        if (how % 2)
            compute();
        else
            idle();
    } else if (how == 0) {
        MPI_Recv(&data, 1, MPI_INT, before, token, team, MPI_STATUS_IGNORE);
    } else if (how == 1) {
        MPI_Probe(MPI_ANY_SOURCE, token, team, &status);
        MPI_Recv(&data, 1, MPI_INT, before, token, team, MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(&data, 1, MPI_INT, MPI_ANY_SOURCE, token, team, &request);
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    }
    if ((me + 1) % workers != from) MPI_Ssend(&data, 1, MPI_INT, (me + 1) % workers, token, team);
}

/* A reduction of items with gaps, which is slow. */
static void pass_large(void) {
    MPI_Datatype sparse;
    MPI_Type_vector(large / 2, 1, 2, MPI_CHAR, &sparse);
    MPI_Type_commit(&sparse);
    for (int i = 0; i < 2; ++i) {
        if (me == from) MPI_Send(block, 1, sparse, (from + 1) % workers, token, team);
        if (me == (from + 1) % workers) MPI_Recv(block, 1, sparse, from, token, team, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&sparse);
}

static void meet(void) {
    int sum = 0, how = (int)draw(5);
    MPI_Comm copy;
    MPI_Op op;
    MPI_Request request;
    MPI_Op_create(add_slowly, 1, &op);
    if (how < 3 && me == from) compute();
    if (how == 0) MPI_Barrier(team);
    if (how == 1) {
        MPI_Iallreduce(&me, &sum, 1, MPI_INT, MPI_SUM, team, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (how == 2) {
        MPI_Comm_dup(team, &copy);
        MPI_Comm_free(&copy);
    }
    if (how == 3) MPI_Reduce(&me, &sum, 1, MPI_INT, op, from, team);
    if (how == 4) MPI_Scan(&me, &sum, 1, MPI_INT, op, team);
    MPI_Op_free(&op);
}

static void write_together(void) {
    MPI_File file;
    char path[1100];
    snprintf(path, sizeof path, "%s/relay", getenv("TRACES"));
    MPI_File_open(team, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    for (int i = 0; i < 4; ++i)
        MPI_File_write_at_all(file, (MPI_Offset)me * large, block, me == from ? large : 1, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char** argv) {
    int rank, size, wrong = 0, data = 0;
    int const steps = argc > 2 ? atoi(argv[2]) : 1;
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank > 1, rank, &team);
    MPI_Comm_rank(team, &me);
    MPI_Comm_size(team, &workers);
    block = calloc(1, large);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) raise(SIGKILL);
    for (int i = 0; i < steps; ++i) {
        if (rank == 0) {
            MPI_Status status;
            MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, told, MPI_COMM_WORLD, &status);
            wrong += status.MPI_SOURCE == 1;
            continue;
        }
        void (*const ways[])(void) = {pass_token, pass_token, meet, meet, pass_large, write_together};
        from = (int)draw((uint64_t)workers);
        ways[draw(6)]();
        if (me == from) MPI_Send(&rank, 1, MPI_INT, 0, told, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("steps %d wrong %d\n", steps, wrong);
    free(block);
    MPI_Finalize();
    return 0;
}
