/* Each collective of MPI, whole and after the first and second death, and a death before, inside or after one of its
 * calls: matrix CALL:FORM:VICTIM:MOMENT CALL:FORM:VICTIM:MOMENT. All calls are made in all forms, then comes the first
 * death, all calls again, the second, and all calls once more. Every rank computes what it must get from the ranks that
 * can have contributed, compares every byte, gaps and what lies behind them included, and writes into $TRACES/RANK
 *
 *   STEP CALL FORM FITS   bits of FITS: 1 with the victim of the step, 2 without it
 *
 * so that a reader of the traces of all ranks sees whether they have one outcome in common. Six ranks. */
#include <mpi.h>

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verdict.h"

enum { ranks = 6, root = 2, most_items = 3, large = 700, room = (ranks * (most_items + 1) + 1) * large * 16 };
enum { in_place = 1, derived = 2, big = 4, forms = 8 };
enum moment { never, before, inside, after };

static int me, step, form, wrong, late;
static char const* name;                    /* of the call */
static unsigned living = (1u << ranks) - 1; /* before the step */
static unsigned remaining;                  /* after it */
static enum moment moment;
static unsigned char out[room], in[room], was[room], want[room];
static MPI_Datatype pair, type;
static MPI_Op compose, op;
static MPI_Comm grid, graph, directed, rows;
static FILE* trace;

typedef uint64_t number;

static int lives(unsigned set, int rank) {
    return set >> rank & 1u;
}

/* --- items: numbers, or pairs with gaps */

static size_t stride(void) {
    return form & derived ? 16 : 8;
}
static void put(unsigned char* data, int i, number v) {
    unsigned char* at = data + (size_t)i * stride();
    uint32_t low = (uint32_t)v, high = (uint32_t)(v >> 32);
    if (form & derived) {
        memcpy(at, &low, 4);
        memcpy(at + 8, &high, 4);
    } else {
        memcpy(at, &v, 8);
    }
}
/* What a rank sends; no two are alike. */
static number value(int from, int to, int i) {
    number v = ((number)step << 40 | (number)from << 34 | (number)to << 28 | (number)i) + 1;
    v = (v ^ v >> 31) * 0x7fb5d329728ea185u;
    v = (v ^ v >> 27) * 0x81dadef4bc2dd44du;
    return v ^ v >> 33;
}
/* Sums of numbers; pairs are composed as maps x -> low x + high, which do not commute. */
static number combine(number left, number right) {
    uint32_t a = (uint32_t)left, b = (uint32_t)(left >> 32), c = (uint32_t)right, d = (uint32_t)(right >> 32);
    return form & derived ? (number)(a * d + b) << 32 | a * c : left + right;
}
static void compose_items(void* left, void* right, int* count, MPI_Datatype* unused) {
    (void)unused;
    for (int i = 0; i < *count; ++i) {
        uint32_t *l = (uint32_t*)((char*)left + 16 * i), *r = (uint32_t*)((char*)right + 16 * i);
        uint32_t a = l[0], b = l[2], c = r[0], d = r[2];
        r[0] = a * c;
        r[2] = a * d + b;
    }
}
/* The items of the ranks below `end` in the set; 0 if there are none, and then *none. */
static number reduced(unsigned set, int end, int to, int i, int* none) {
    number sum = 0;
    *none = 1;
    for (int rank = 0; rank < end; ++rank) {
        if (!lives(set, rank)) continue;
        sum = *none ? value(rank, to, i) : combine(sum, value(rank, to, i));
        *none = 0;
    }
    return sum;
}

/* --- places: equal blocks side by side, or rows of different lengths in the other order with gaps */

static int times(int count) {
    return form & big ? count * large : count;
}
static int row(int rank, int v) {
    return times(v ? 1 + rank % most_items : most_items);
}
static int row_between(int a, int b, int v) { /* as long in both directions, for those in place */
    return times(v ? 1 + (a + b) % most_items : most_items);
}
static int place(int rank, int v) {
    return times(v ? (ranks - 1 - rank) * (most_items + 1) + 1 : rank * most_items);
}
static void send_row(unsigned char* data, int at, int to, int count) {
    for (int i = 0; i < count; ++i) put(data, at + i, value(me, to, i));
}
/* What comes from a rank, or the hole in its place. */
static void want_row(unsigned set, int at, int from, int to, int count) {
    for (int i = 0; i < count; ++i) put(want, at + i, lives(set, from) ? value(from, to, i) : 0);
}

/* --- a step */

static int delay;
static void* killer(void* unused) {
    usleep((useconds_t)delay);
    raise(SIGKILL);
    return unused;
}
static int is_victim(void) {
    return !lives(remaining, me);
}
static void come(void) {
    pthread_t thread;
    memcpy(was, in, sizeof in);
    if (is_victim() && moment == before) raise(SIGKILL);
    delay = 1000;
    if (is_victim() && moment == inside) pthread_create(&thread, NULL, killer, NULL);
    if (moment == inside && me == late) usleep(2000); /* so that the victim is in it still */
}
static void go(void) {
    if (is_victim() && moment == after) raise(SIGKILL);
    if (is_victim() && moment == inside) sleep(5);
}
static void begin(void) {
    type = form & derived ? pair : MPI_UINT64_T;
    op = form & derived ? compose : MPI_SUM;
    memset(out, 0xa5, sizeof out);
    memset(in, 0x5a, sizeof in);
}
static void report(int fits) {
    if (moment == before) fits &= 2;
    if (!fits) {
        fprintf(stderr, "rank %d, step %d: %s, form %d: not what anybody can have sent\n", me, step, name, form);
        ++wrong;
    }
    fprintf(trace, "%d %s %d %d\n", step, name, form, fits);
    fflush(trace);
}
typedef void (*Expect)(unsigned set);
/* Compares the first bytes of what came with what must have come. */
static void judge_bytes(Expect expect, size_t bytes) {
    int fits = 0;
    for (int k = 0; k < 2; ++k) {
        memcpy(want, was, sizeof want);
        expect(k == 0 ? living : remaining);
        if (!memcmp(in, want, bytes)) fits |= 1 << k;
    }
    report(fits);
}
static void judge(Expect expect) {
    judge_bytes(expect, sizeof in);
}
static void* from_out(int place_of_this) {
    return form & in_place && place_of_this ? MPI_IN_PLACE : (void*)out;
}

/* --- to and from a root */

static void barrier(int how) {
    (void)how;
    come();
    MPI_Barrier(MPI_COMM_WORLD);
    go();
    report(3);
}

static void want_bcast(unsigned set) {
    want_row(set, 0, root, 0, row(0, 0));
}
static void bcast(int how) {
    (void)how;
    if (me == root) send_row(in, 0, 0, row(0, 0));
    come();
    MPI_Bcast(in, row(0, 0), type, root, MPI_COMM_WORLD);
    go();
    judge(want_bcast);
}

static void want_sums(unsigned set) {
    int none;
    for (int i = 0; i < row(0, 0); ++i) put(want, i, reduced(set, ranks, 0, i, &none));
}
static void nothing_wanted(unsigned set) {
    (void)set;
}
static void reduce(int how) {
    (void)how;
    send_row(form & in_place && me == root ? in : out, 0, 0, row(0, 0));
    come();
    MPI_Reduce(from_out(me == root), in, row(0, 0), type, op, root, MPI_COMM_WORLD);
    go();
    judge(me == root ? want_sums : nothing_wanted);
}
static void allreduce(int how) {
    (void)how;
    send_row(form & in_place ? in : out, 0, 0, row(0, 0));
    come();
    MPI_Allreduce(from_out(1), in, row(0, 0), type, op, MPI_COMM_WORLD);
    go();
    judge(want_sums);
}

static int v; /* whether rows differ in length */

static void want_rows(unsigned set) {
    for (int rank = 0; rank < ranks; ++rank)
        if (!(form & in_place) || rank != me) want_row(set, place(rank, v), rank, 0, row(rank, v));
}
static void lay_out(int* counts, int* places) {
    for (int rank = 0; rank < ranks; ++rank) counts[rank] = row(rank, v), places[rank] = place(rank, v);
}
enum { equal, vector, wide, to_all };
static void gather(int how) {
    int counts[ranks], places[ranks], all = how >= to_all, has_place = all || me == root;
    v = how % to_all == vector;
    lay_out(counts, places);
    if (form & in_place && has_place)
        send_row(in, places[me], 0, counts[me]);
    else
        send_row(out, 0, 0, counts[me]);
    come();
    if (all && v) MPI_Allgatherv(from_out(1), counts[me], type, in, counts, places, type, MPI_COMM_WORLD);
    if (all && !v) MPI_Allgather(from_out(1), counts[me], type, in, counts[0], type, MPI_COMM_WORLD);
    if (!all && v) MPI_Gatherv(from_out(has_place), counts[me], type, in, counts, places, type, root, MPI_COMM_WORLD);
    if (!all && !v) MPI_Gather(from_out(has_place), counts[me], type, in, counts[0], type, root, MPI_COMM_WORLD);
    go();
    judge(has_place ? want_rows : nothing_wanted);
}

static void want_scattered(unsigned set) {
    if (!(form & in_place && me == root)) want_row(set, 0, root, me, row(me, v));
}
static void scatter(int how) {
    int counts[ranks], places[ranks];
    v = how == vector;
    lay_out(counts, places);
    for (int rank = 0; rank < ranks && me == root; ++rank) send_row(out, places[rank], rank, counts[rank]);
    void* to = form & in_place && me == root ? MPI_IN_PLACE : (void*)in;
    come();
    if (v) MPI_Scatterv(out, counts, places, type, to, counts[me], type, root, MPI_COMM_WORLD);
    if (!v) MPI_Scatter(out, counts[0], type, to, counts[me], type, root, MPI_COMM_WORLD);
    go();
    judge(want_scattered);
}

/* --- prefixes and scattered sums */

static void want_prefix(unsigned set) {
    int none;
    for (int i = 0; i < row(0, 0); ++i) put(want, i, reduced(set, me + 1, 0, i, &none));
}
static void scan(int how) {
    (void)how;
    send_row(form & in_place ? in : out, 0, 0, row(0, 0));
    come();
    MPI_Scan(from_out(1), in, row(0, 0), type, op, MPI_COMM_WORLD);
    go();
    judge(want_prefix);
}
/* Zeros if all ranks before are dead; nothing if MPI does not know what zero is. */
static void want_prefix_before(unsigned set) {
    for (int i = 0; i < row(0, 0); ++i) {
        int none;
        number sum = reduced(set, me, 0, i, &none);
        if (!none || !(form & derived)) put(want, i, sum);
    }
}
static void exscan(int how) {
    (void)how;
    send_row(form & in_place ? in : out, 0, 0, row(0, 0));
    come();
    MPI_Exscan(from_out(1), in, row(0, 0), type, op, MPI_COMM_WORLD);
    go();
    judge_bytes(want_prefix_before, me == 0 ? 0 : sizeof in);
}

static void want_part(unsigned set) {
    int none;
    for (int i = 0; i < row(me, v); ++i) put(want, i, reduced(set, ranks, me, i, &none));
}
static void reduce_scatter(int how) {
    int counts[ranks], start = 0;
    v = how == vector;
    for (int rank = 0; rank < ranks; ++rank) {
        counts[rank] = row(rank, v);
        send_row(form & in_place ? in : out, start, rank, counts[rank]);
        start += counts[rank];
    }
    come();
    if (v) MPI_Reduce_scatter(from_out(1), in, counts, type, op, MPI_COMM_WORLD);
    if (!v) MPI_Reduce_scatter_block(from_out(1), in, counts[0], type, op, MPI_COMM_WORLD);
    go();
    /* In place, MPI does not say what is behind the result. */
    judge_bytes(want_part, form & in_place ? (size_t)counts[me] * stride() : sizeof in);
}

/* --- from all to all */

static void want_exchanged(unsigned set) {
    for (int rank = 0; rank < ranks; ++rank) want_row(set, place(rank, v), rank, me, row_between(rank, me, v));
}
static void alltoall(int how) {
    int counts[ranks], places[ranks], bytes[ranks];
    MPI_Datatype types[ranks];
    v = how != equal;
    for (int rank = 0; rank < ranks; ++rank) {
        counts[rank] = row_between(rank, me, v), places[rank] = place(rank, v);
        bytes[rank] = places[rank] * (int)stride(), types[rank] = type;
        send_row(form & in_place ? in : out, places[rank], rank, counts[rank]);
    }
    come();
    if (how == equal) MPI_Alltoall(from_out(1), counts[0], type, in, counts[0], type, MPI_COMM_WORLD);
    if (how == vector) MPI_Alltoallv(from_out(1), counts, places, type, in, counts, places, type, MPI_COMM_WORLD);
    if (how == wide) MPI_Alltoallw(from_out(1), counts, bytes, types, in, counts, bytes, types, MPI_COMM_WORLD);
    go();
    judge(want_exchanged);
}

/* --- neighbours: in a 2x3 torus, in a graph, in a directed graph with two equal edges */

enum { most_neighbours = 4, kinds = 5, nonblocking = 100, persistent = 200 };
struct around {
    MPI_Comm comm;
    int count; /* as many in as out */
    int from[most_neighbours], to[most_neighbours];
    int theirs[most_neighbours]; /* which of its blocks `from` sends here */
};
static struct around around;

static void look_around(int topology) {
    int i = me / 3, j = me % 3, last = (me + ranks - 1) % ranks, next = (me + 1) % ranks, third = (me + 3) % ranks;
    int other = (1 - i) * 3 + j, left = i * 3 + (j + 2) % 3, right = i * 3 + (j + 1) % 3;
    if (topology == 0) /* what is sent up is received from below */
        around = (struct around){grid, 4, {other, other, left, right}, {other, other, left, right}, {1, 0, 3, 2}};
    if (topology == 1) around = (struct around){graph, 2, {last, next}, {last, next}, {1, 0}};
    if (topology == 2) around = (struct around){directed, 3, {last, third, last}, {next, third, next}, {0, 1, 2}};
}

static int same; /* block for all neighbours */
static void want_around(unsigned set) {
    for (int k = 0; k < around.count; ++k)
        want_row(set, place(k, v), around.from[k], same ? 0 : around.theirs[k], row(0, 0));
}
static void neighbours(int how) {
    int counts[most_neighbours], places[most_neighbours], kind = how % kinds, way = how / nonblocking * nonblocking;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Aint bytes[most_neighbours];
    MPI_Datatype types[most_neighbours];
    look_around(how % nonblocking / kinds);
    same = kind < 2;
    v = kind == 1 || kind == 3 || kind == 4;
    for (int k = 0; k < around.count; ++k) {
        counts[k] = row(0, 0), places[k] = place(k, v);
        bytes[k] = places[k] * (MPI_Aint)stride(), types[k] = type;
        if (!same) send_row(out, places[k], k, counts[k]);
    }
    if (same) send_row(out, 0, 0, row(0, 0));
    come();
    MPI_Comm const on = around.comm;
    int const n = row(0, 0);
    if (way == 0) {
        if (kind == 0) MPI_Neighbor_allgather(out, n, type, in, n, type, on);
        if (kind == 1) MPI_Neighbor_allgatherv(out, n, type, in, counts, places, type, on);
        if (kind == 2) MPI_Neighbor_alltoall(out, n, type, in, n, type, on);
        if (kind == 3) MPI_Neighbor_alltoallv(out, counts, places, type, in, counts, places, type, on);
        if (kind == 4) MPI_Neighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, on);
    } else if (way == nonblocking) {
        if (kind == 0) MPI_Ineighbor_allgather(out, n, type, in, n, type, on, &request);
        if (kind == 1) MPI_Ineighbor_allgatherv(out, n, type, in, counts, places, type, on, &request);
        if (kind == 2) MPI_Ineighbor_alltoall(out, n, type, in, n, type, on, &request);
        if (kind == 3) MPI_Ineighbor_alltoallv(out, counts, places, type, in, counts, places, type, on, &request);
        if (kind == 4) MPI_Ineighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, on, &request);
    } else {
        MPI_Info const none = MPI_INFO_NULL;
        if (kind == 0) MPI_Neighbor_allgather_init(out, n, type, in, n, type, on, none, &request);
        if (kind == 1) MPI_Neighbor_allgatherv_init(out, n, type, in, counts, places, type, on, none, &request);
        if (kind == 2) MPI_Neighbor_alltoall_init(out, n, type, in, n, type, on, none, &request);
        if (kind == 3)
            MPI_Neighbor_alltoallv_init(out, counts, places, type, in, counts, places, type, on, none, &request);
        if (kind == 4)
            MPI_Neighbor_alltoallw_init(out, counts, bytes, types, in, counts, bytes, types, on, none, &request);
    }
    memset(counts, 0, sizeof counts); /* the call has what it needs */
    if (way == persistent) MPI_Start(&request);
    if (way != 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (way == persistent) MPI_Request_free(&request);
    go();
    judge(want_around);
}

static int is_array(int const* found, int const* expected, int count) {
    return !memcmp(found, expected, (size_t)count * sizeof *found);
}
/* What a topology says does not depend on which ranks live. */
static void queries(int how) {
    int places[2], rank, shift[2], count, back, found[3 * most_neighbours], weights[most_neighbours], right = 1;
    (void)how;
    come();
    MPI_Cart_coords(grid, (me + 2) % ranks, 2, places);
    right = right && is_array(places, (int[]){(me + 2) % ranks / 3, (me + 2) % ranks % 3}, 2);
    MPI_Cart_rank(grid, places, &rank);
    right = right && rank == (me + 2) % ranks;
    look_around(0);
    MPI_Cart_shift(grid, 1, 1, &shift[0], &shift[1]);
    right = right && is_array(shift, around.to + 2, 2);
    look_around(1);
    MPI_Graph_neighbors_count(graph, me, &count);
    MPI_Graph_neighbors(graph, me, most_neighbours, found);
    right = right && count == around.count && is_array(found, around.to, count);
    look_around(2);
    MPI_Dist_graph_neighbors_count(directed, &back, &count, &rank);
    MPI_Dist_graph_neighbors(directed, back, found, weights, count, found + back, weights);
    right = right && back == 3 && count == 3 && is_array(found, around.from, 3) && is_array(found + 3, around.to, 3);
    MPI_Cart_map(grid, 2, (int[]){2, 2}, (int[]){0, 0}, &rank);
    right = right && rank == (me < 4 ? me : MPI_UNDEFINED);
    go();
    report(right ? 3 : 0);
}

/* --- communicators */

/* A member of the set takes part in a sum over the communicator. */
static int is_sum(MPI_Comm comm, unsigned set) {
    int none, saved = form;
    number sum = value(me, 0, 0), expected;
    form = 0;
    expected = reduced(set, ranks, 0, 0, &none);
    form = saved;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
    return sum == expected;
}
/* The same in the rows of the grid. */
static void sum_of_row(int how) {
    unsigned row_of_this = 7u << me / 3 * 3;
    int fits = 0, none;
    number sum = value(me, 0, 0);
    (void)how;
    form = 0;
    come();
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, rows);
    go();
    for (int k = 0; k < 2; ++k)
        fits |= (sum == reduced((k == 0 ? living : remaining) & row_of_this, ranks, 0, 0, &none)) << k;
    report(fits);
}

enum { duplicate, with_info, later, later_with_info, split, create, by_type, by_group };
static void communicator(int how) {
    int size = 0, rank = -1, fits = 0, is_member = 1, colour = me % 2 ? me % 2 : MPI_UNDEFINED, ours[ranks], count = 0,
        same;
    unsigned group_set = how == split ? 0x2au : how == create ? 0x3du : how == by_group ? 0x15u : 0x3fu;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Group world, group, theirs;
    for (int i = 0; i < ranks; ++i)
        if (lives(group_set, i)) ours[count++] = i;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, ours, &group);
    is_member = lives(group_set, me);
    come();
    if (how == duplicate) MPI_Comm_dup(MPI_COMM_WORLD, &made);
    if (how == with_info) MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &made);
    if (how == later) MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
    if (how == later_with_info) MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (how == split) MPI_Comm_split(MPI_COMM_WORLD, colour, -me, &made);
    if (how == create) MPI_Comm_create(MPI_COMM_WORLD, group, &made);
    if (how == by_type) MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
    if (how == by_group && is_member) MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &made);
    go();
    MPI_Group_free(&world);
    if (made == MPI_COMM_NULL) {
        MPI_Group_free(&group);
        report(is_member ? 0 : 3);
        return;
    }
    MPI_Comm_size(made, &size);
    MPI_Comm_rank(made, &rank);
    for (int k = 0; k < 2; ++k) {
        int counts_living = how == split || how == by_type; /* the dead have no colour */
        unsigned set = counts_living ? group_set & (k == 0 ? living : remaining) : group_set;
        int members = __builtin_popcount(set), below = __builtin_popcount(set & ((1u << me) - 1));
        fits |= (size == members && rank == (how == split ? members - 1 - below : below)) << k;
    }
    MPI_Comm_group(made, &theirs);
    MPI_Group_compare(group, theirs, &same);
    if (how == create || how == by_group) fits = same == MPI_IDENT ? fits : 0;
    MPI_Group_free(&theirs);
    MPI_Group_free(&group);
    report(is_member && is_sum(made, group_set & remaining) ? fits : 0);
    MPI_Comm_free(&made);
}

/* --- all of them */

static const struct call {
    char const* name;
    void (*make)(int how);
    int how;
    int forms; /* in which it is made: bits */
} calls[] = {
    {"barrier", barrier, 0, 0},
    {"bcast", bcast, 0, derived | big},
    {"reduce", reduce, 0, in_place | derived | big},
    {"allreduce", allreduce, 0, in_place | derived | big},
    {"gather", gather, equal, in_place | derived | big},
    {"gatherv", gather, vector, in_place | derived | big},
    {"allgather", gather, to_all + equal, in_place | derived | big},
    {"allgatherv", gather, to_all + vector, in_place | derived | big},
    {"scatter", scatter, equal, in_place | derived | big},
    {"scatterv", scatter, vector, in_place | derived | big},
    {"scan", scan, 0, in_place | derived | big},
    {"exscan", exscan, 0, in_place | derived | big},
    {"reduce_scatter", reduce_scatter, vector, in_place | derived | big},
    {"reduce_scatter_block", reduce_scatter, equal, in_place | derived | big},
    {"alltoall", alltoall, equal, in_place | derived | big},
    {"alltoallv", alltoall, vector, in_place | derived | big},
    {"alltoallw", alltoall, wide, in_place | derived | big},
    {"grid_allgather", neighbours, 0, derived | big},
    {"grid_allgatherv", neighbours, 1, derived | big},
    {"grid_alltoall", neighbours, 2, derived | big},
    {"grid_alltoallv", neighbours, 3, derived | big},
    {"grid_alltoallw", neighbours, 4, derived | big},
    {"graph_allgather", neighbours, kinds + 0, derived | big},
    {"graph_alltoallw", neighbours, kinds + 4, derived | big},
    {"directed_allgatherv", neighbours, 2 * kinds + 1, derived | big},
    {"directed_alltoall", neighbours, 2 * kinds + 2, derived | big},
    {"directed_alltoallv", neighbours, 2 * kinds + 3, derived | big},
    {"directed_alltoallw", neighbours, 2 * kinds + 4, derived | big},
    {"grid_iallgather", neighbours, nonblocking + 0, derived | big},
    {"grid_iallgatherv", neighbours, nonblocking + 1, derived | big},
    {"grid_ialltoall", neighbours, nonblocking + 2, derived | big},
    {"graph_ialltoallv", neighbours, nonblocking + kinds + 3, derived | big},
    {"directed_ialltoallw", neighbours, nonblocking + 2 * kinds + 4, derived | big},
    {"grid_allgather_init", neighbours, persistent + 0, derived | big},
    {"graph_allgatherv_init", neighbours, persistent + kinds + 1, derived | big},
    {"grid_alltoall_init", neighbours, persistent + 2, derived | big},
    {"directed_alltoallv_init", neighbours, persistent + 2 * kinds + 3, derived | big},
    {"grid_alltoallw_init", neighbours, persistent + 4, derived | big},
    {"queries", queries, 0, 0},
    {"create_group", communicator, by_group, 0},
    {"row", sum_of_row, 0, 0},
    {"dup", communicator, duplicate, 0},
    {"dup_with_info", communicator, with_info, 0},
    {"idup", communicator, later, 0},
    {"idup_with_info", communicator, later_with_info, 0},
    {"split", communicator, split, 0},
    {"create", communicator, create, 0},
    {"split_type", communicator, by_type, 0},
};
enum { number_of_calls = sizeof calls / sizeof *calls };

static void make_step(struct call const* call, int in_form) {
    ++step;
    form = in_form;
    name = call->name;
    remaining = moment == never ? living : remaining;
    begin();
    call->make(call->how);
    living = remaining;
    moment = never;
}

static void make_all(void) {
    for (int i = 0; i < number_of_calls; ++i)
        for (int f = 0; f < forms; ++f)
            if (!(f & ~calls[i].forms)) make_step(&calls[i], f);
}

/* CALL:FORM:VICTIM:MOMENT */
static int make_death(char const* plan) {
    static char const* const moments[] = {"never", "before", "inside", "after"};
    char wanted[40], when[20];
    int victim, in_form, i = 0;
    if (sscanf(plan, "%39[a-z_]:%d:%d:%19[a-z]", wanted, &in_form, &victim, when) != 4) return 0;
    while (i < number_of_calls && strcmp(calls[i].name, wanted)) ++i;
    for (moment = after; moment > never && strcmp(moments[moment], when);) --moment;
    if (i == number_of_calls || moment == never || !lives(living, victim)) return 0;
    remaining = living & ~(1u << victim);
    for (late = ranks - 1; !lives(remaining, late);) --late;
    make_step(&calls[i], in_form);
    return 1;
}

static void make_topologies(void) {
    int index[ranks], edges[2 * ranks], from[3], to[3], weights[3] = {1, 1, 1};
    for (int i = 0; i < ranks; ++i) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + ranks - 1) % ranks, edges[2 * i + 1] = (i + 1) % ranks;
    }
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 3}, (int[]){1, 1}, 1, &grid);
    MPI_Cart_sub(grid, (int[]){0, 1}, &rows);
    MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &graph);
    look_around(2);
    memcpy(from, around.from, sizeof from);
    memcpy(to, around.to, sizeof to);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, from, weights, 3, to, weights, MPI_INFO_NULL, 0, &directed);
}

static void make_types(void) {
    MPI_Datatype with_gap;
    MPI_Type_vector(2, 1, 2, MPI_UINT32_T, &with_gap);
    MPI_Type_create_resized(with_gap, 0, 16, &pair);
    MPI_Type_free(&with_gap);
    MPI_Type_commit(&pair);
    MPI_Op_create(compose_items, 0, &compose);
}

int main(int argc, char** argv) {
    char path[1000];
    int size;
    if (argc == 2 && !strcmp(argv[1], "--calls")) { /* with their forms */
        for (int i = 0; i < number_of_calls; ++i) printf("%s %d\n", calls[i].name, calls[i].forms);
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(path, sizeof path, "%s/%d", getenv("TRACES") ? getenv("TRACES") : "/tmp", me);
    trace = fopen(path, "w");
    if (!trace || size != ranks) return 2;
    make_types();
    make_topologies();
    make_all();
    for (int i = 1; i < argc; ++i) {
        if (!make_death(argv[i])) return 2;
        make_all();
    }
    fclose(trace);
    MPI_Finalize();
    write_verdict(me, wrong, step);
    return wrong != 0;
}
