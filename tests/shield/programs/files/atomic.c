/* atomic LAYOUT ATOMIC FILE: all ranks write to the same places of a file, and read them, many times at once. Rank 0
 * prints in how many rounds a rank has found a mixture of what two have written. LAYOUT: contiguous, or strided, with
 * gaps between the pieces. ATOMIC: 0 or 1. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { items = 1 << 16, piece = 64, rounds = 30 };

static int is_mixed(int const* data) {
    for (int i = 1; i < items; ++i)
        if (data[i] != data[0]) return 1;
    return 0;
}

int main(int argc, char** argv) {
    static int out[items], in[items];
    int rank, size, mixed = 0, all = 0;
    MPI_File file;
    MPI_Datatype pieces;
    if (argc < 4) return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (MPI_File_open(MPI_COMM_WORLD, argv[3], MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file)) return 1;
    if (MPI_File_set_atomicity(file, atoi(argv[2]))) return 1;
    MPI_Type_vector(items / piece, piece, 2 * piece, MPI_INT, &pieces);
    MPI_Type_commit(&pieces);
    if (!strcmp(argv[1], "strided")) MPI_File_set_view(file, 0, MPI_INT, pieces, "native", MPI_INFO_NULL);
    for (int round = 0; round < rounds; ++round) {
        int found;
        for (int i = 0; i < items; ++i) out[i] = round * size + rank;
        MPI_Barrier(MPI_COMM_WORLD);
        if (round % 2) MPI_File_write_at(file, 0, out, items, MPI_INT, MPI_STATUS_IGNORE);
        if (round % 2 == 0) MPI_File_write_at_all(file, 0, out, items, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_read_at(file, 0, in, items, MPI_INT, MPI_STATUS_IGNORE);
        found = is_mixed(in);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_File_read_at(file, 0, in, items, MPI_INT, MPI_STATUS_IGNORE);
        found = found || is_mixed(in);
        MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
        mixed += found;
    }
    MPI_Reduce(&mixed, &all, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("mixed in %d of %d rounds\n", all, rounds);
    MPI_Type_free(&pieces);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
