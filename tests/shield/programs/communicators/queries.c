/* queries VICTIM...: what the shield answers to a program that asks. Works without the shield if no rank dies. */
#include <mpi.h>

#include <regraft_shield.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, ranks[3] = {-1, -1, -1}, first = -1;
    MPI_Comm backwards;
    printf("before MPI_Init: active %d\n", regraft_shield_active());
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    if (rank != 0) freopen("/dev/null", "w", stdout);
    printf("at first: active %d dead %d repairs %d\n", regraft_shield_active(),
           regraft_shield_dead(MPI_COMM_WORLD, NULL, 0), regraft_shield_repairs());
    for (int i = 1; i < argc; ++i)
        if (rank == atoi(argv[i])) raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(backwards);
    int const dead = regraft_shield_dead(MPI_COMM_WORLD, ranks, 3);
    printf("then: dead %d: %d %d %d, repaired %d", dead, ranks[0], ranks[1], ranks[2], regraft_shield_repairs() > 0);
    int const there = regraft_shield_dead(backwards, &first, 1);
    printf(", the other way round %d: %d, of myself %d\n", there, first, regraft_shield_dead(MPI_COMM_SELF, NULL, 0));
    MPI_Finalize();
    printf("in the end: active %d\n", regraft_shield_active());
    return 0;
}
