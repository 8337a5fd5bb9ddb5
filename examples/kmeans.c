/* k-means in C, and like kmeans.cpp to the last bit: points lie in the memory of the ranks, and whichever ranks die,
 * the centres come out the same. kmeans [--size N] [--steps N] [--seed S] [--fail PLAN]
 * mpicc -std=c99 -O2 kmeans.c $(pkg-config --cflags --libs regraft-mpi) -o kmeans */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regraft_mpi.h"

enum { DIMS = 32, CENTRES = 20, ROW = DIMS + 1 }; /* a row of sums: coordinates, and how many points */

typedef struct point {
    double x[DIMS];
} point;

struct state { /* changes from step to step, the same on all ranks */
    uint64_t step;
    point centres[CENTRES];
};

struct kmeans {
    uint64_t size, steps, seed;
    char const* plan;
    regraft_communicator* comm;
    regraft_store* store;           /* a point is a block */
    regraft_assignment* assignment; /* which rank computes on which points */
    regraft_checkpoint* checkpoint; /* of the state */
    regraft_sums* sums;             /* [CENTRES * ROW] */
    uint64_t num_points;            /* of this rank */
    point* points;
    struct state state;
};

/* Returns from the function with every status except REGRAFT_OK: above all REGRAFT_PROCESS_FAILURE, which ends in the
 * loop. */
#define TRY(call)                                  \
    do {                                           \
        regraft_status const status_ = (call);     \
        if (status_ != REGRAFT_OK) return status_; \
    } while (0)

/* The input, where other programs would read a file: coordinates in (-1, 1), near one of some places. */
static regraft_status make_points(regraft_range ids, void* out, uint64_t size, void* context) {
    struct kmeans const* const k = context;
    point* const points = out;
    (void)size; /* as much as these points take */
    for (uint64_t id = ids.first; id < ids.last; ++id) {
        regraft_random random, place;
        regraft_random_seed(&random, regraft_mix(k->seed) + id);
        regraft_random_seed(&place, regraft_mix(k->seed + 1) + regraft_random_below(&random, CENTRES));
        for (int i = 0; i < DIMS; ++i) {
            double const centre = regraft_random_unit(&place) - 0.5;
            double const sum = regraft_random_unit(&random) + regraft_random_unit(&random);
            points[id - ids.first].x[i] = centre + 0.4 * (sum - 1);
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

/* Every rank makes its part of the input and gives it to the store, which keeps each point on three ranks. */
static regraft_status submit_points(struct kmeans* k) {
    uint32_t const size = regraft_communicator_size(k->comm);
    regraft_range const mine = regraft_even_part(k->size, regraft_communicator_position(k->comm), size);
    TRY(make_room(k, mine.last - mine.first));
    TRY(make_points(mine, k->points, k->num_points * sizeof *k->points, k));
    regraft_placement* placement;
    TRY(regraft_placement_permuted(k->size, size, size < 3 ? size : 3, 0, 0, &placement));
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

/* The state after the last step that all have agreed on; before that, points from all over the input. */
static regraft_status restore_state(struct kmeans* k) {
    if (regraft_checkpoint_generation(k->checkpoint) > 0) {
        void const* state;
        uint64_t size;
        TRY(regraft_checkpoint_share(k->checkpoint, 0, NULL, &state, &size));
        memcpy(&k->state, state, sizeof k->state);
        return REGRAFT_OK;
    }
    k->state.step = 0;
    for (uint64_t c = 0; c < CENTRES; ++c) {
        regraft_range const id = {c * k->size / CENTRES, c * k->size / CENTRES + 1};
        TRY(make_points(id, &k->state.centres[c], sizeof k->state.centres[c], k));
    }
    return REGRAFT_OK;
}

static uint64_t nearest(struct state const* state, point const* p) {
    uint64_t best = 0;
    double least = 1e300;
    for (uint64_t c = 0; c < CENTRES; ++c) {
        double distance = 0, x;
        for (int i = 0; i < DIMS; ++i) x = p->x[i] - state->centres[c].x[i], distance += x * x;
        if (distance < least) least = distance, best = c;
    }
    return best;
}

/* Moves every centre to the mean of the points that are nearest to it. The sums do not depend on the order, so it does
 * not matter which rank adds which points. */
static regraft_status move_centres(struct kmeans* k) {
    TRY(regraft_sums_clear(k->sums));
    for (uint64_t i = 0; i < k->num_points; ++i) {
        double row[ROW];
        memcpy(row, k->points[i].x, sizeof k->points[i].x);
        row[DIMS] = 1;
        TRY(regraft_sums_add_each(k->sums, nearest(&k->state, &k->points[i]) * ROW, row, ROW));
    }
    TRY(regraft_sums_all_reduce(k->comm, k->sums));
    for (uint64_t c = 0; c < CENTRES; ++c) {
        double row[ROW];
        TRY(regraft_sums_values(k->sums, c * ROW, row, ROW));
        for (int i = 0; i < DIMS && row[DIMS] > 0; ++i) k->state.centres[c].x[i] = row[i] / row[DIMS];
    }
    ++k->state.step;
    return REGRAFT_OK;
}

static regraft_status compute(void* context) {
    struct kmeans* const k = context;
    uint32_t const* const here = regraft_communicator_members(k->comm); /* they take over the points of the dead */
    TRY(regraft_assignment_reassign(k->assignment, here, regraft_communicator_size(k->comm)));
    if (regraft_store_version(k->store) == 0) TRY(submit_points(k));
    TRY(load_points(k));
    TRY(restore_state(k));
    while (k->state.step < k->steps) {
        TRY(move_centres(k));
        TRY(regraft_checkpoint_commit_identical(k->checkpoint, &k->state, sizeof k->state));
    }
    char said = 0; /* if the first dies before it has printed it, the next one does */
    if (regraft_communicator_position(k->comm) == 0)
        printf("result %016" PRIx64 "\n", regraft_hash(&k->state, sizeof k->state)), fflush(stdout);
    return regraft_communicator_broadcast(k->comm, &said, 1, regraft_communicator_members(k->comm)[0]);
}

/* Survivors take over the copies of the dead. */
static regraft_status recover(regraft_failure const* failure, void* context) {
    struct kmeans* const k = context;
    int const size = (int)regraft_communicator_size(k->comm);
    if (regraft_communicator_position(k->comm) == 0)
        printf("%d died in %s, %d go on\n", (int)failure->num_lost, failure->noticed_in, size);
    return regraft_store_repair(k->store, NULL, NULL);
}

static regraft_status run(struct kmeans* k) {
    uint64_t const begins[] = {0, k->size};
    TRY(regraft_plan_failures(k->plan));
    TRY(regraft_communicator_create(MPI_COMM_WORLD, &k->comm));
    TRY(regraft_store_create(k->comm, NULL, &k->store));
    TRY(regraft_checkpoint_create(k->comm, &k->checkpoint));
    TRY(regraft_sums_create_scaled(CENTRES * ROW, 1, k->size, &k->sums));
    TRY(regraft_assignment_balance(begins, 1, NULL, regraft_communicator_num_founders(k->comm), &k->assignment));
    return regraft_resilient(k->comm, compute, recover, k);
}

int main(int argc, char** argv) {
    struct kmeans k = {.size = 20000, .steps = 20, .seed = 1, .plan = ""};
    for (int i = 1; i < argc; i += 2) {
        char* end = "?";
        uint64_t* const number = strcmp(argv[i], "--size") == 0    ? &k.size
                                 : strcmp(argv[i], "--steps") == 0 ? &k.steps
                                 : strcmp(argv[i], "--seed") == 0  ? &k.seed
                                                                   : NULL;
        if (i + 1 < argc && number != NULL) *number = strtoull(argv[i + 1], &end, 10);
        if (i + 1 < argc && strcmp(argv[i], "--fail") == 0) k.plan = argv[i + 1], end = "";
        if (*end != '\0' || k.size == 0)
            return fprintf(stderr, "kmeans [--size N] [--steps N] [--seed S] [--fail PLAN]\n"), 2;
    }
    MPI_Init(&argc, &argv);
    regraft_status const status = run(&k);
    if (status != REGRAFT_OK) fprintf(stderr, "kmeans: %s\n", regraft_error_message());
    free(k.points); /* and handles in any order */
    regraft_sums_free(k.sums);
    regraft_assignment_free(k.assignment);
    regraft_checkpoint_free(k.checkpoint);
    regraft_store_free(k.store);
    regraft_communicator_free(k.comm);
    MPI_Finalize();
    return status == REGRAFT_OK ? 0 : status == REGRAFT_ERROR_INPUT ? 2 : 1;
}
