/* kept_job FOLDER NODES CRASH: keeps its input in a store and its state in a snapshot, and goes on from what a job
 * before has kept. Ranks are on NODES nodes, each of which has a folder in FOLDER. After CRASH commits all ranks kill
 * themselves; 0: none does. kept.py starts it. kept_job.f90 is the same in Fortran. */
#define _POSIX_C_SOURCE 200112L /* SIGKILL */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#include "../check.h"
#include "regraft_mpi.h"

enum { BLOCKS = 60, LONGEST = 50, CELLS = 10, PLACES = 2 * CELLS, STEPS = 8, MOST_RANKS = 16 };

struct cell {
    char name[16];
    unsigned char* data; /* NULL: the place is free */
    uint64_t size;
};

struct job {
    regraft_communicator* comm;
    regraft_store* store;
    regraft_snapshot* snapshot;
    uint32_t nodes, crash, commits;
    uint32_t node_of[MOST_RANKS]; /* by PE */
    bool is_done;
    uint64_t step;             /* the same on all */
    struct cell cells[PLACES]; /* the snapshot has their addresses, so they stay where they are */
};

#define TRY(call)                                  \
    do {                                           \
        regraft_status const status_ = (call);     \
        if (status_ != REGRAFT_OK) return status_; \
    } while (0)

static int leads(struct job const* job) {
    return regraft_communicator_position(job->comm) == 0;
}

static void say(struct job const* job, char const* what, uint64_t number) {
    if (!leads(job)) return;
    printf("%s %" PRIu64 "\n", what, number);
    fflush(stdout);
}

static regraft_range part_of(struct job const* job, uint64_t count) {
    return regraft_even_part(count, regraft_communicator_position(job->comm), regraft_communicator_size(job->comm));
}

/* Block i has i mod 50 + 1 bytes. */
static uint64_t make_blocks(regraft_range blocks, unsigned char* bytes, uint64_t* offsets) {
    uint64_t end = 0;
    for (uint64_t i = blocks.first; i < blocks.last; ++i) {
        if (offsets != NULL) offsets[i - blocks.first] = end;
        for (uint64_t j = 0; j < i % LONGEST + 1; ++j) bytes[end++] = (unsigned char)(i * 31 + j * 7 + 1);
    }
    if (offsets != NULL) offsets[blocks.last - blocks.first] = end;
    return end;
}

static regraft_status submit(struct job* job) {
    unsigned char bytes[BLOCKS * LONGEST];
    uint64_t offsets[BLOCKS + 1];
    uint32_t const size = regraft_communicator_size(job->comm);
    uint32_t const* const members = regraft_communicator_members(job->comm);
    uint32_t nodes[MOST_RANKS];
    for (uint32_t i = 0; i < size; ++i) nodes[i] = job->node_of[members[i]];
    regraft_placement *rule = NULL, *placement = NULL;
    make_blocks(part_of(job, BLOCKS), bytes, offsets);
    TRY(regraft_store_set_attributes(job->store, "input", 6));
    TRY(regraft_placement_pairwise(BLOCKS, size, size < 2 ? size : 2, &rule));
    regraft_status status = regraft_placement_over_nodes(rule, nodes, size, 0, 0, &placement);
    if (status == REGRAFT_OK)
        status = regraft_store_submit_sized(job->store, placement, part_of(job, BLOCKS), bytes, offsets);
    regraft_placement_free(rule);
    regraft_placement_free(placement);
    return status;
}

/* The input from the nodes, or made. */
static regraft_status open_input(struct job* job) {
    if (regraft_store_version(job->store) == 0) {
        regraft_reopen_report report;
        regraft_status const status = regraft_store_reopen(job->store, NULL, &report);
        if (status == REGRAFT_DATA_LOST) { /* said by the message, and block by block */
            regraft_range const* lost;
            uint64_t count;
            CHECK(strstr(regraft_error_message(), "only on nodes that are missing") != NULL);
            TRY(regraft_store_lost(job->store, &lost, &count));
            for (uint64_t i = 0; i < count; ++i) {
                for (uint64_t block = lost[i].first; block < lost[i].last; ++block) say(job, "lost block", block);
            }
        } else {
            TRY(status);
            if (report.version > 0) {
                CHECK(report.attributes_size == 6 && strcmp(report.attributes, "input") == 0 && report.num_lost == 0);
                CHECK(report.version == regraft_store_version(job->store));
                CHECK(report.repaired.least_copies == (regraft_communicator_size(job->comm) < 2 ? 1 : 2));
                say(job, "input reopened, files refused:", report.num_refused);
            }
        }
    }
    if (regraft_store_version(job->store) == 0) {
        TRY(submit(job));
        say(job, "input made of blocks:", BLOCKS);
    }
    unsigned char expected[BLOCKS * LONGEST], found[BLOCKS * LONGEST];
    regraft_range const all = {0, BLOCKS};
    uint64_t const size = make_blocks(all, expected, NULL);
    TRY(regraft_store_load(job->store, &all, 1, found, size, NULL, NULL));
    CHECK(memcmp(expected, found, size) == 0);
    return REGRAFT_OK;
}

static void const* bytes_of(uint64_t* size, void* context) {
    struct cell const* const cell = context;
    *size = cell->size;
    return cell->data;
}

static void* room_for(uint64_t size, void* context) {
    struct cell* const cell = context;
    free(cell->data);
    cell->data = malloc(size + 1);
    cell->size = size;
    return cell->data;
}

static regraft_status add_cell(char const* name, uint64_t size, void* context) {
    struct job* const job = context;
    struct cell* cell = job->cells;
    while (cell < job->cells + PLACES && cell->data != NULL) ++cell;
    if (cell == job->cells + PLACES) return REGRAFT_NO_MEMORY;
    snprintf(cell->name, sizeof cell->name, "%s", name);
    if (room_for(size, cell) == NULL) return REGRAFT_NO_MEMORY;
    regraft_entity const entity = {bytes_of, room_for, cell};
    return regraft_snapshot_add_entity(job->snapshot, name, &entity);
}

static uint64_t number_of(struct cell const* cell) {
    return strtoul(cell->name + 5, NULL, 10);
}

/* Cells grow by a byte in every step. */
static void fill_cells(struct job* job) {
    for (uint64_t i = 0; i < PLACES; ++i) {
        struct cell* const cell = &job->cells[i];
        if (cell->data == NULL) continue;
        room_for(100 + job->step, cell);
        memset(cell->data, (int)(number_of(cell) * 3 + job->step), cell->size);
    }
}

static void check_cells(struct job const* job) {
    for (uint64_t i = 0; i < PLACES; ++i) {
        struct cell const* const cell = &job->cells[i];
        if (cell->data == NULL) continue;
        CHECK(cell->size == 100 + job->step);
        for (uint64_t j = 0; j < cell->size; ++j)
            CHECK(cell->data[j] == (unsigned char)(number_of(cell) * 3 + job->step));
    }
}

/* Cells that a reopen or restore has dealt to other ranks are not here any more. */
static void drop_cells(struct job* job, bool all) {
    for (uint64_t i = 0; i < PLACES; ++i) {
        struct cell* const cell = &job->cells[i];
        if (cell->data == NULL) continue;
        if (regraft_snapshot_has(job->snapshot, cell->name)) {
            if (!all) continue;
            CHECK_OK(regraft_snapshot_remove(job->snapshot, cell->name));
        }
        free(cell->data);
        cell->data = NULL;
    }
}

static uint64_t count_cells(struct job const* job) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < PLACES; ++i) count += job->cells[i].data != NULL;
    return count;
}

/* All cells are dealt to the members. */
static regraft_status begin(struct job* job) {
    regraft_range const mine = part_of(job, CELLS);
    drop_cells(job, true);
    job->step = 0;
    for (uint64_t i = mine.first; i < mine.last; ++i) {
        char name[16];
        snprintf(name, sizeof name, "cell %d", (int)i);
        TRY(add_cell(name, 100, job));
    }
    fill_cells(job);
    TRY(regraft_snapshot_commit(job->snapshot, NULL));
    say(job, "state made at step", 0);
    return REGRAFT_OK;
}

/* The state from the nodes, or the first one. */
static regraft_status open_state(struct job* job) {
    if (regraft_snapshot_generation(job->snapshot) > 0) return REGRAFT_OK;
    regraft_restore_options const options = {.adopt = add_cell, .context = job};
    regraft_open_report report;
    regraft_status const status = regraft_snapshot_reopen(job->snapshot, &options, &report);
    if (status == REGRAFT_DATA_LOST) {
        CHECK(strstr(regraft_error_message(), "only on nodes that are missing") != NULL);
        say(job, "state lost at step", job->step);
    } else {
        TRY(status);
    }
    if (regraft_snapshot_generation(job->snapshot) == 0) return begin(job);
    drop_cells(job, false);
    CHECK(report.generation > 0 && regraft_snapshot_num_committed(job->snapshot) == CELLS);
    say(job, "state of step", job->step);
    return REGRAFT_OK;
}

static regraft_status body(void* context) {
    struct job* const job = context;
    if (!job->is_done) {
        TRY(open_input(job));
        TRY(open_state(job));
        while (job->step < STEPS) {
            check_cells(job);
            ++job->step;
            fill_cells(job);
            TRY(regraft_snapshot_commit(job->snapshot, NULL));
            if (++job->commits == job->crash) raise(SIGKILL); /* as all ranks do */
        }
        check_cells(job);
        regraft_sums* sum = NULL;
        double cells = (double)count_cells(job);
        TRY(regraft_sums_create(1, &sum));
        TRY(regraft_sums_add(sum, 0, &cells, 1));
        TRY(regraft_sums_all_reduce(job->comm, sum));
        TRY(regraft_sums_values(sum, 0, &cells, 1));
        regraft_sums_free(sum);
        TRY(regraft_communicator_agree(job->comm, true, NULL));
        CHECK(cells == CELLS);
        say(job, "done by ranks:", regraft_communicator_size(job->comm));
    }
    job->is_done = true;
    TRY(regraft_snapshot_discard(job->snapshot));
    return regraft_store_discard(job->store);
}

static regraft_status recover(regraft_failure const* failure, void* context) {
    struct job* const job = context;
    (void)failure;
    if (job->is_done) return REGRAFT_OK; /* it is discarded again */
    TRY(regraft_store_repair(job->store, NULL, NULL));
    if (regraft_snapshot_generation(job->snapshot) == 0) return REGRAFT_OK;
    regraft_restore_options const options = {.adopt = add_cell, .context = job};
    TRY(regraft_snapshot_restore(job->snapshot, &options, NULL));
    drop_cells(job, false);
    return REGRAFT_OK;
}

static regraft_status make(struct job* job, char const* folder, char const* plan) {
    char path[4096];
    TRY(regraft_communicator_create(MPI_COMM_WORLD, &job->comm));
    uint32_t const self = regraft_communicator_self(job->comm), size = regraft_communicator_size(job->comm);
    for (uint32_t i = 0; i < size && i < MOST_RANKS; ++i) job->node_of[i] = i % job->nodes;
    snprintf(path, sizeof path, "%s/%d", folder, (int)job->node_of[self]);
    regraft_keep keep = {path, regraft_job_of_environment(), "input", 1 << 20};
    TRY(regraft_store_create(job->comm, &(regraft_store_options){.checked = true, .keep = &keep}, &job->store));
    keep.name = "state";
    regraft_snapshot_options const options = {.node_of = job->node_of, .keep = &keep};
    TRY(regraft_snapshot_create(job->comm, &options, &job->snapshot));
    TRY(regraft_snapshot_add_common(job->snapshot, "step", &job->step, sizeof job->step));
    if (plan != NULL) TRY(regraft_plan_failures(plan));
    TRY(regraft_resilient(job->comm, body, recover, job));
    printf("end of a rank\n");
    return REGRAFT_OK;
}

int main(int argc, char** argv) {
    struct job job = {0};
    if (argc != 4) return 2;
    job.nodes = (uint32_t)atoi(argv[2]);
    job.crash = (uint32_t)atoi(argv[3]);
    MPI_Init(&argc, &argv);
    CHECK_OK(make(&job, argv[1], getenv("REGRAFT_FAIL")));
    drop_cells(&job, true);
    regraft_snapshot_free(job.snapshot);
    regraft_store_free(job.store);
    regraft_communicator_free(job.comm);
    MPI_Finalize();
    return num_failed == 0 ? 0 : 1;
}
