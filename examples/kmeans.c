/* kmeans [--size N] [--steps N] [--seed S] [--fail PLAN]: k-means (Lloyd 1982) on N points in the memory of ranks that
 * may die. The result is the same, bit for bit, on any number of ranks and whoever dies. C99:
 *   mpicc -std=c99 -O2 kmeans.c $(pkg-config --cflags --libs regraft-mpi) -o kmeans */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regraft_mpi.h"

enum { DIMENSIONS = 8, CLUSTERS = 16, WIDTH = DIMENSIONS + 1 }; /* a cluster's sums: coordinates, number of points */

/* What a step changes, the same on all ranks. */
struct state {
    uint64_t step;
    double centres[CLUSTERS][DIMENSIONS];
};

struct kmeans {
    uint64_t size, steps, seed;
    char const* plan;
    regraft_communicator* comm;
    regraft_store* store;           /* a point is a block */
    regraft_assignment* assignment; /* who computes on which points */
    regraft_checkpoint* checkpoint; /* of the state */
    regraft_sums* sums;             /* [CLUSTERS * WIDTH] */
    uint64_t num_points;            /* of this rank */
    double (*points)[DIMENSIONS];
    struct state state;
};

/* Returns from the function what is not REGRAFT_OK: above all REGRAFT_PROCESS_FAILURE, which ends in the loop. */
#define TRY(call)                                  \
    do {                                           \
        regraft_status const status_ = (call);     \
        if (status_ != REGRAFT_OK) return status_; \
    } while (0)

/* Uniform in [0, 1), drawn by two numbers (SplitMix64). */
static double draw(uint64_t stream, uint64_t index) {
    uint64_t x = (stream + 1) * UINT64_C(0x9e3779b97f4a7c15) + index * UINT64_C(0xd1342543de82ef95);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

/* The input, where other programs would read a file: points about as many centres as clusters are looked for. */
static regraft_status make_points(regraft_range blocks, void* out, uint64_t size, void* context) {
    struct kmeans const* const k = context;
    double(*const points)[DIMENSIONS] = out;
    (void)size; /* as much as these points take */
    for (uint64_t id = blocks.first; id < blocks.last; ++id) {
        uint64_t const group = (uint64_t)(draw(k->seed, id) * CLUSTERS);
        for (uint64_t d = 0; d < DIMENSIONS; ++d) {
            double const centre = draw(k->seed + 1, group * DIMENSIONS + d);
            points[id - blocks.first][d] = centre + 0.3 * (draw(k->seed + 2, id * DIMENSIONS + d) - 0.5);
        }
    }
    return REGRAFT_OK;
}

static regraft_status make_room(struct kmeans* k, uint64_t num_points) {
    free(k->points);
    k->points = malloc((num_points + 1) * sizeof *k->points);
    k->num_points = num_points;
    return k->points != NULL ? REGRAFT_OK : REGRAFT_NO_MEMORY;
}

/* Every rank makes its part of the input and gives it to the store, which keeps each point on two ranks. */
static regraft_status submit_points(struct kmeans* k) {
    uint32_t const size = regraft_communicator_size(k->comm);
    regraft_range const mine = regraft_even_part(k->size, regraft_communicator_position(k->comm), size);
    TRY(make_room(k, mine.last - mine.first));
    TRY(make_points(mine, k->points, k->num_points * sizeof *k->points, k));
    regraft_placement* placement;
    TRY(regraft_placement_permuted(k->size, size, size < 2 ? size : 2, 0, k->seed, &placement));
    regraft_status const status = regraft_store_submit(k->store, placement, mine, k->points, sizeof *k->points);
    regraft_placement_free(placement);
    return status;
}

/* The points that this rank computes on; those of which all copies died are made again. */
static regraft_status load_points(struct kmeans* k) {
    regraft_range const* mine;
    uint64_t num_ranges, num_points = 0;
    TRY(regraft_assignment_pieces(k->assignment, regraft_communicator_self(k->comm), &mine, NULL, &num_ranges));
    for (uint64_t i = 0; i < num_ranges; ++i) num_points += mine[i].last - mine[i].first;
    TRY(make_room(k, num_points));
    regraft_load_options const options = {.reread = make_points, .context = k};
    return regraft_store_load(k->store, mine, num_ranges, k->points, num_points * sizeof *k->points, &options, NULL);
}

static uint64_t nearest(double const* point, double centres[][DIMENSIONS]) {
    uint64_t best = 0;
    double best_distance = 1e300;
    for (uint64_t c = 0; c < CLUSTERS; ++c) {
        double distance = 0;
        for (int d = 0; d < DIMENSIONS; ++d) distance += (point[d] - centres[c][d]) * (point[d] - centres[c][d]);
        if (distance < best_distance) best_distance = distance, best = c;
    }
    return best;
}

/* Moves every centre to the mean of the points that are nearest to it. The sums are exact, so it does not matter who
 * adds which points. */
static regraft_status move_centres(struct kmeans* k) {
    TRY(regraft_sums_clear(k->sums));
    for (uint64_t i = 0; i < k->num_points; ++i) {
        double terms[WIDTH];
        memcpy(terms, k->points[i], sizeof k->points[i]);
        terms[DIMENSIONS] = 1;
        TRY(regraft_sums_add_each(k->sums, nearest(k->points[i], k->state.centres) * WIDTH, terms, WIDTH));
    }
    TRY(regraft_sums_all_reduce(k->comm, k->sums));
    for (uint64_t c = 0; c < CLUSTERS; ++c) {
        double sums[WIDTH];
        TRY(regraft_sums_values(k->sums, c * WIDTH, sums, WIDTH));
        for (int d = 0; d < DIMENSIONS && sums[DIMENSIONS] > 0; ++d)
            k->state.centres[c][d] = sums[d] / sums[DIMENSIONS];
    }
    ++k->state.step;
    return REGRAFT_OK;
}

/* The state after the last step that all have agreed on; before that, some of the points. */
static regraft_status restore_state(struct kmeans* k) {
    if (regraft_checkpoint_generation(k->checkpoint) > 0) {
        void const* state;
        uint64_t size;
        TRY(regraft_checkpoint_share(k->checkpoint, 0, NULL, &state, &size));
        memcpy(&k->state, state, sizeof k->state);
        return REGRAFT_OK;
    }
    k->state.step = 0;
    for (uint64_t c = 0; c < CLUSTERS; ++c) {
        regraft_range const point = {k->size / CLUSTERS * c, k->size / CLUSTERS * c + 1};
        TRY(make_points(point, k->state.centres[c], sizeof k->state.centres[c], k));
    }
    return REGRAFT_OK;
}

static regraft_status compute(void* context) {
    struct kmeans* const k = context;
    if (regraft_store_version(k->store) == 0) TRY(submit_points(k));
    TRY(load_points(k));
    TRY(restore_state(k));
    while (k->state.step < k->steps) {
        TRY(move_centres(k));
        TRY(regraft_checkpoint_commit_identical(k->checkpoint, &k->state, sizeof k->state));
    }
    return REGRAFT_OK;
}

/* Survivors take over the points of the dead, and their copies. */
static regraft_status recover(regraft_failure const* failure, void* context) {
    struct kmeans* const k = context;
    uint32_t const size = regraft_communicator_size(k->comm);
    if (regraft_communicator_position(k->comm) == 0)
        printf("%" PRIu64 " died, noticed in %s: %u go on\n", failure->num_lost, failure->noticed_in, (unsigned)size);
    TRY(regraft_assignment_reassign(k->assignment, regraft_communicator_members(k->comm), size));
    return regraft_store_repair(k->store, NULL, NULL);
}

static regraft_status run(struct kmeans* k) {
    TRY(regraft_plan_failures(k->plan));
    TRY(regraft_communicator_create(MPI_COMM_WORLD, &k->comm));
    TRY(regraft_store_create(k->comm, NULL, &k->store));
    TRY(regraft_checkpoint_create(k->comm, &k->checkpoint));
    TRY(regraft_sums_create(CLUSTERS * WIDTH, &k->sums));
    uint64_t const begins[] = {0, k->size};
    TRY(regraft_assignment_balance(begins, 1, NULL, regraft_communicator_num_founders(k->comm), &k->assignment));
    TRY(regraft_resilient(k->comm, compute, recover, k));
    if (regraft_communicator_position(k->comm) == 0)
        printf("result %016" PRIx64 "\n", regraft_hash(k->state.centres, sizeof k->state.centres));
    return REGRAFT_OK;
}

int main(int argc, char** argv) {
    struct kmeans k = {.size = 100000, .steps = 20, .seed = 1, .plan = ""};
    for (int i = 1; i < argc; i += 2) {
        char* end = i + 1 < argc ? argv[i + 1] : argv[i];
        uint64_t const number = strtoull(end, &end, 10);
        if (strcmp(argv[i], "--size") == 0) k.size = number;
        if (strcmp(argv[i], "--steps") == 0) k.steps = number;
        if (strcmp(argv[i], "--seed") == 0) k.seed = number;
        if (strcmp(argv[i], "--fail") == 0 && i + 1 < argc) k.plan = argv[i + 1], end = "";
        if (*end != '\0' || k.size < CLUSTERS)
            return fprintf(stderr, "kmeans [--size N, %d or more] [--steps N] [--seed S] [--fail PLAN]\n", CLUSTERS), 2;
    }
    MPI_Init(&argc, &argv);
    regraft_status const status = run(&k);
    if (status != REGRAFT_OK) fprintf(stderr, "kmeans: %s\n", regraft_error_message());
    free(k.points);
    regraft_sums_free(k.sums);
    regraft_assignment_free(k.assignment);
    regraft_checkpoint_free(k.checkpoint);
    regraft_store_free(k.store);
    regraft_communicator_free(k.comm);
    MPI_Finalize();
    return status == REGRAFT_OK ? 0 : status == REGRAFT_ERROR_INPUT ? 2 : 1;
}
