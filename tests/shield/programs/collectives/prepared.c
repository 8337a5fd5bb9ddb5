/* prepared: every persistent collective, and every persistent send. Each has the result of the blocking call, each time
 * it is started. Arrays are destroyed as soon as a request is prepared. No rank dies. */
#include <mpi.h>

#include <stdio.h>
#include <string.h>

#include "verdict.h"

enum { most_ranks = 8, most_items = 128 };

static int rank, size, wrong, checked;
static double in[most_items], got[most_items], want[most_items];
static int lent[4][most_ranks];
static MPI_Datatype lent_types[2][most_ranks];
static MPI_Request request;

/* Arrays of a call that may be destroyed after it. */
static int* lend(int which, int const* values) {
    return memcpy(lent[which], values, sizeof lent[which]);
}
static MPI_Datatype* lend_types(int which, MPI_Datatype const* values) {
    return memcpy(lent_types[which], values, sizeof lent_types[which]);
}

static void fill(void) {
    for (int i = 0; i < most_items; ++i) in[i] = 100 * rank + i, got[i] = want[i] = -1;
}
/* What a rank gives in place. */
static void fill_in_place(double* data) {
    for (int i = 0; i < most_items; ++i) data[i] = 7 * rank + i;
}

/* Starts what is prepared twice. in_place: what is received is also what is given. */
static void check(char const* name, int in_place) {
    memset(lent, 0x7f, sizeof lent);
    memset(lent_types, 0, sizeof lent_types);
    for (int again = 0; again < 2; ++again) {
        if (in_place) fill_in_place(got);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (memcmp(got, want, sizeof got))
            fprintf(stderr, "rank %d: %s: not as the blocking call\n", rank, name), ++wrong;
        ++checked;
    }
    MPI_Request_free(&request);
    fill();
}

#define CHECK(name, ...) MPI_##name##_init(__VA_ARGS__, MPI_COMM_WORLD, MPI_INFO_NULL, &request), check(#name, 0)

static void same_counts(void) {
    int const root = size - 1;
    MPI_Op const sum = MPI_SUM;
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request), check("Barrier", 0);
    if (rank == root) memcpy(got, in, 4 * sizeof *in);
    for (int i = 0; i < 4; ++i) want[i] = 100 * root + i;
    CHECK(Bcast, got, 4, MPI_DOUBLE, root);
    MPI_Reduce(in, want, 4, MPI_DOUBLE, sum, root, MPI_COMM_WORLD);
    CHECK(Reduce, in, got, 4, MPI_DOUBLE, sum, root);
    MPI_Allreduce(in, want, 4, MPI_DOUBLE, sum, MPI_COMM_WORLD);
    CHECK(Allreduce, in, got, 4, MPI_DOUBLE, sum);
    MPI_Scan(in, want, 4, MPI_DOUBLE, sum, MPI_COMM_WORLD);
    CHECK(Scan, in, got, 4, MPI_DOUBLE, sum);
    MPI_Exscan(in, want, 4, MPI_DOUBLE, sum, MPI_COMM_WORLD);
    CHECK(Exscan, in, got, 4, MPI_DOUBLE, sum);
    MPI_Reduce_scatter_block(in, want, 3, MPI_DOUBLE, sum, MPI_COMM_WORLD);
    CHECK(Reduce_scatter_block, in, got, 3, MPI_DOUBLE, sum);
    MPI_Gather(in, 3, MPI_DOUBLE, want, 3, MPI_DOUBLE, root, MPI_COMM_WORLD);
    CHECK(Gather, in, 3, MPI_DOUBLE, got, 3, MPI_DOUBLE, root);
    MPI_Scatter(in, 3, MPI_DOUBLE, want, 3, MPI_DOUBLE, root, MPI_COMM_WORLD);
    CHECK(Scatter, in, 3, MPI_DOUBLE, got, 3, MPI_DOUBLE, root);
    MPI_Allgather(in, 3, MPI_DOUBLE, want, 3, MPI_DOUBLE, MPI_COMM_WORLD);
    CHECK(Allgather, in, 3, MPI_DOUBLE, got, 3, MPI_DOUBLE);
    MPI_Alltoall(in, 2, MPI_DOUBLE, want, 2, MPI_DOUBLE, MPI_COMM_WORLD);
    CHECK(Alltoall, in, 2, MPI_DOUBLE, got, 2, MPI_DOUBLE);
}

/* Rank r gives or gets r + 1 items. */
static void counts_by_rank(void) {
    int const root = 1;
    int counts[most_ranks], places[most_ranks], own_counts[most_ranks], own_places[most_ranks], bytes[most_ranks],
        own_bytes[most_ranks];
    MPI_Datatype types[most_ranks];
    for (int i = 0; i < most_ranks; ++i) {
        counts[i] = i + 1, places[i] = i * (i + 1) / 2, bytes[i] = 8 * places[i];
        own_counts[i] = rank + 1, own_places[i] = i * (rank + 1), own_bytes[i] = 8 * own_places[i];
        types[i] = MPI_DOUBLE;
    }
    int const* const at_root = rank == root ? lent[1] : NULL;
    MPI_Reduce_scatter(in, want, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(Reduce_scatter, in, got, lend(0, counts), MPI_DOUBLE, MPI_SUM);
    MPI_Gatherv(in, rank + 1, MPI_DOUBLE, want, counts, places, MPI_DOUBLE, root, MPI_COMM_WORLD);
    lend(1, counts);
    CHECK(Gatherv, in, rank + 1, MPI_DOUBLE, got, at_root, rank == root ? lend(2, places) : NULL, MPI_DOUBLE, root);
    MPI_Scatterv(in, counts, places, MPI_DOUBLE, want, rank + 1, MPI_DOUBLE, root, MPI_COMM_WORLD);
    lend(1, counts);
    CHECK(Scatterv, in, at_root, rank == root ? lend(2, places) : NULL, MPI_DOUBLE, got, rank + 1, MPI_DOUBLE, root);
    MPI_Allgatherv(in, rank + 1, MPI_DOUBLE, want, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    CHECK(Allgatherv, in, rank + 1, MPI_DOUBLE, got, lend(0, counts), lend(1, places), MPI_DOUBLE);
    MPI_Alltoallv(in, counts, places, MPI_DOUBLE, want, own_counts, own_places, MPI_DOUBLE, MPI_COMM_WORLD);
    CHECK(Alltoallv, in, lend(0, counts), lend(1, places), MPI_DOUBLE, got, lend(2, own_counts), lend(3, own_places),
          MPI_DOUBLE);
    MPI_Alltoallw(in, counts, bytes, types, want, own_counts, own_bytes, types, MPI_COMM_WORLD);
    CHECK(Alltoallw, in, lend(0, counts), lend(1, bytes), lend_types(0, types), got, lend(2, own_counts),
          lend(3, own_bytes), lend_types(1, types));
    for (int i = 0; i < most_ranks; ++i) counts[i] = 1, places[i] = i, bytes[i] = 8 * i;
    fill_in_place(want);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, want, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Alltoallv_init(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, got, lend(0, counts), lend(1, places), MPI_DOUBLE,
                       MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    check("Alltoallv in place", 1);
    fill_in_place(want);
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, want, counts, bytes, types, MPI_COMM_WORLD);
    MPI_Alltoallw_init(MPI_IN_PLACE, NULL, NULL, NULL, got, lend(0, counts), lend(1, bytes), lend_types(0, types),
                       MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    check("Alltoallw in place", 1);
}

/* To the next rank. A ready send finds its receive because all meet after that has started. */
static void messages(void) {
    typedef int (*Prepare)(void const*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
    Prepare const sends[] = {MPI_Send_init, MPI_Bsend_init, MPI_Ssend_init, MPI_Rsend_init};
    static char buffer[1000 + MPI_BSEND_OVERHEAD];
    int const from = (rank + size - 1) % size;
    MPI_Buffer_attach(buffer, sizeof buffer);
    for (int way = 0; way < 4; ++way) {
        MPI_Request both[2];
        sends[way](in, 4, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &both[0]);
        MPI_Recv_init(got, 4, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, &both[1]);
        for (int again = 0; again < 2; ++again) {
            memset(got, 0, sizeof got);
            MPI_Start(&both[1]);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Start(&both[0]);
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
            if (got[3] != 100 * from + 3)
                fprintf(stderr, "rank %d: way %d of sending: %g came\n", rank, way, got[3]), ++wrong;
            ++checked;
        }
        for (int i = 0; i < 2; ++i) MPI_Request_free(&both[i]);
    }
    int bytes = 0;
    void* back = NULL;
    MPI_Buffer_detach(&back, &bytes);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    fill();
    same_counts();
    counts_by_rank();
    messages();
    MPI_Finalize();
    write_verdict(rank, wrong, checked);
    return wrong != 0;
}
