/* kept: makes and frees communicators with topologies, and prints the bytes of the heap that each call keeps. */
#include <mpi.h>

#include <malloc.h>
#include <stdio.h>

enum { warm_up = 100, calls = 500, grid, part_of_grid, graph, kinds };

static int rank, size;

static long long used(void) {
    struct mallinfo2 const heap = mallinfo2();
    return (long long)(heap.uordblks + heap.hblkhd);
}

static void make(int kind, MPI_Comm whole, MPI_Comm* made) {
    int const periodic = 1, above = (rank + 1) % size, below = (rank + size - 1) % size;
    if (kind == grid) MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, made);
    if (kind == part_of_grid) MPI_Cart_sub(whole, &periodic, made);
    if (kind == graph)
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &below, MPI_UNWEIGHTED, 1, &above, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, made);
}

int main(int argc, char** argv) {
    MPI_Comm whole, made;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    make(grid, MPI_COMM_NULL, &whole);
    for (int kind = grid; kind < kinds; ++kind) {
        long long before = 0;
        for (int i = 0; i < warm_up + calls; ++i) {
            if (i == warm_up) before = used();
            make(kind, whole, &made);
            MPI_Comm_free(&made);
        }
        if (rank == 0) printf("%lld\n", (used() - before) / calls);
    }
    MPI_Finalize();
    return 0;
}
