/* collect OPERATION VICTIM: a rank that has given its input to the root goes on, and waits for another rank, which
 * comes late; the root lacks the input of VICTIM, which is dead. OPERATION: reduce, gather, or both, one after the
 * other to different roots. */
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verdict.h"

enum { ranks = 4, root = 0, late = 3, items = 3 };

static int rank, victim, wrong;

static void check(int is_right, char const* what) {
    if (is_right) return;
    fprintf(stderr, "rank %d: %s\n", rank, what);
    wrong = 1;
}

/* In place. */
static void reduce_to(int to) {
    double data[items];
    for (int i = 0; i < items; ++i) data[i] = (double)(1 << (4 * rank)) * (i + 1);
    MPI_Reduce(rank == to ? MPI_IN_PLACE : (void*)data, data, items, MPI_DOUBLE, MPI_SUM, to, MPI_COMM_WORLD);
    double sum = 0;
    for (int r = 0; r < ranks; ++r)
        if (r != victim) sum += 1 << (4 * r);
    for (int i = 0; rank == to && i < items; ++i) check(data[i] == sum * (i + 1), "a wrong sum");
}

static void gather_to(int to) {
    int from[2 * items], all[ranks * items];
    MPI_Datatype type; /* every other item here, a row there */
    MPI_Type_vector(items, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < 2 * items; ++i) from[i] = i % 2 ? -1 : 100 * (rank + 1) + i / 2;
    memset(all, 9, sizeof all);
    MPI_Gather(from, 1, type, all, items, MPI_INT, to, MPI_COMM_WORLD);
    for (int i = 0; rank == to && i < ranks * items; ++i)
        check(all[i] == (i / items == victim ? 0 : 100 * (i / items + 1) + i % items), "a wrong row");
    MPI_Type_free(&type);
}

int main(int argc, char** argv) {
    double one = 1, living = 0, received = 0;
    if (argc < 3) return 2;
    victim = atoi(argv[2]);
    int const ahead = 3 - victim, reduces = strcmp(argv[1], "gather") != 0, gathers = strcmp(argv[1], "reduce") != 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == victim) raise(SIGKILL);
    usleep(rank == late ? 400000 : 100000);
    if (reduces) reduce_to(root);
    if (gathers) gather_to(reduces ? late : root);
    if (rank == ahead) MPI_Recv(&received, 1, MPI_DOUBLE, late, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == late) MPI_Send(&one, 1, MPI_DOUBLE, ahead, 1, MPI_COMM_WORLD);
    check(rank != ahead || received == 1, "a wrong message");
    MPI_Allreduce(&one, &living, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check(living == 3, "a wrong number of survivors");
    MPI_Finalize();
    write_verdict(rank, wrong, 1);
    return wrong;
}
