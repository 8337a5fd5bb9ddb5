/* A program whose state is in checkpoint files, as many programs write them: after a death the files of the dead are on
 * the nodes of those that take them over. Random walkers in crowds, one file for each crowd. Whichever ranks die, the
 * result is the same, bit for bit.
 * checkpoint_files [--folder PATH] [--archive PATH] [--steps N] [--fail PLAN]
 * mpicc -std=c99 -O2 checkpoint_files.c $(pkg-config --cflags --libs regraft-mpi) -o checkpoint_files */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regraft_mpi.h"

enum { CROWDS = 12, WALKERS = 1000, STEPS_BETWEEN = 10 };

typedef struct crowd {
    uint64_t step;
    regraft_random random;
    double place[WALKERS];
} crowd;

struct program {
    uint64_t steps;
    char const *folder, *archive, *plan;
    regraft_communicator* comm;
    regraft_files* files;
    regraft_sums* sums;
    uint64_t num_crowds; /* of this rank */
    crowd crowds[CROWDS];
};

/* Returns from the function with every status except REGRAFT_OK: above all REGRAFT_PROCESS_FAILURE, which ends in the
 * loop. */
#define TRY(call)                                  \
    do {                                           \
        regraft_status const status_ = (call);     \
        if (status_ != REGRAFT_OK) return status_; \
    } while (0)

/* The program's own input and output: it knows nothing but the path. A rank that cannot write ends, and others take
 * over. */
static regraft_status transfer(char const* path, char const* mode, crowd* c) {
    FILE* const file = fopen(path, mode);
    size_t const done = file == NULL ? 0 : *mode == 'r' ? fread(c, sizeof *c, 1, file) : fwrite(c, sizeof *c, 1, file);
    if (file == NULL || fclose(file) != 0 || done != 1) return perror(path), REGRAFT_ERROR_INPUT;
    return REGRAFT_OK;
}

/* Writes or reads the files of this rank. */
static regraft_status transfer_all(struct program* p, char const* mode) {
    p->num_crowds = regraft_files_count(p->files);
    for (uint64_t i = 0; i < p->num_crowds; ++i) {
        char const* path;
        TRY(regraft_files_route(p->files, regraft_files_name(p->files, i), &path));
        TRY(transfer(path, mode, &p->crowds[i]));
    }
    return REGRAFT_OK;
}

/* Every rank begins some crowds, each with a file of its own. */
static regraft_status begin(struct program* p) {
    uint32_t const size = regraft_communicator_size(p->comm);
    while (regraft_files_count(p->files) > 0) TRY(regraft_files_remove(p->files, regraft_files_name(p->files, 0)));
    for (uint64_t k = regraft_communicator_position(p->comm); k < CROWDS; k += size) {
        char name[32];
        char const* path;
        crowd* const c = &p->crowds[k / size];
        *c = (crowd){0};
        regraft_random_seed(&c->random, regraft_mix(k));
        snprintf(name, sizeof name, "crowd-%02" PRIu64 ".dat", k);
        TRY(regraft_files_route(p->files, name, &path));
    }
    TRY(transfer_all(p, "wb"));
    return regraft_files_commit(p->files, NULL);
}

static void walk(crowd* c) {
    for (int i = 0; i < WALKERS; ++i) c->place[i] += regraft_random_unit(&c->random) - 0.5;
    ++c->step;
}

static regraft_status compute(void* context) {
    struct program* const p = context;
    if (regraft_files_generation(p->files) == 0) TRY(regraft_files_resume(p->files, NULL)); /* what a job has flushed */
    if (regraft_files_generation(p->files) == 0) TRY(begin(p));
    TRY(transfer_all(p, "rb"));
    uint64_t step = p->num_crowds > 0 ? p->crowds[0].step : 0; /* of the last commit; some rank has a file */
    int const code = MPI_Allreduce(MPI_IN_PLACE, &step, 1, MPI_UINT64_T, MPI_MAX, regraft_communicator_native(p->comm));
    TRY(regraft_communicator_check(p->comm, code, "MPI_Allreduce"));
    while (step < p->steps) {
        for (uint64_t i = 0; i < p->num_crowds; ++i) walk(&p->crowds[i]);
        if (++step % STEPS_BETWEEN != 0 && step != p->steps) continue;
        TRY(transfer_all(p, "wb"));
        TRY(regraft_files_commit(p->files, NULL));
    }
    TRY(regraft_sums_clear(p->sums));
    for (uint64_t i = 0; i < p->num_crowds; ++i) {
        for (int j = 0; j < WALKERS; ++j) {
            double const square = p->crowds[i].place[j] * p->crowds[i].place[j];
            TRY(regraft_sums_add(p->sums, 0, &square, 1));
        }
    }
    TRY(regraft_sums_all_reduce(p->comm, p->sums));
    double sum;
    char said = 0; /* if the first dies before it has printed it, the next one does */
    TRY(regraft_sums_values(p->sums, 0, &sum, 1));
    if (regraft_communicator_position(p->comm) == 0)
        printf("mean square distance %.6f\nresult %016" PRIx64 "\n", sum / (CROWDS * WALKERS),
               regraft_hash(&sum, sizeof sum)),
            fflush(stdout);
    return regraft_communicator_broadcast(p->comm, &said, 1, regraft_communicator_members(p->comm)[0]);
}

/* The files of the last commit are written again, those of the dead by the ranks that take them over. */
static regraft_status recover(regraft_failure const* failure, void* context) {
    struct program* const p = context;
    if (regraft_communicator_position(p->comm) == 0)
        printf("%d died in %s, %d go on\n", (int)failure->num_lost, failure->noticed_in,
               (int)regraft_communicator_size(p->comm));
    if (regraft_files_generation(p->files) == 0) return REGRAFT_OK;
    return regraft_files_restore(p->files, NULL, NULL);
}

static regraft_status run(struct program* p) {
    TRY(regraft_plan_failures(p->plan));
    TRY(regraft_communicator_create(MPI_COMM_WORLD, &p->comm));
    regraft_files_options const options = {.folder = p->folder, .archive = p->archive, .flush_every = 5};
    TRY(regraft_files_create(p->comm, &options, &p->files));
    TRY(regraft_sums_create(1, &p->sums));
    TRY(regraft_resilient(p->comm, compute, recover, p));
    return regraft_files_discard(p->files);
}

int main(int argc, char** argv) {
    struct program p = {.steps = 200, .folder = "/dev/shm/regraft-crowds", .plan = ""};
    for (int i = 1; i < argc; i += 2) {
        char* end = "?";
        if (i + 1 < argc && strcmp(argv[i], "--folder") == 0) p.folder = argv[i + 1], end = "";
        if (i + 1 < argc && strcmp(argv[i], "--archive") == 0) p.archive = argv[i + 1], end = "";
        if (i + 1 < argc && strcmp(argv[i], "--fail") == 0) p.plan = argv[i + 1], end = "";
        if (i + 1 < argc && strcmp(argv[i], "--steps") == 0) p.steps = strtoull(argv[i + 1], &end, 10);
        if (*end != '\0' || p.steps == 0)
            return fprintf(stderr, "checkpoint_files [--folder PATH] [--archive PATH] [--steps N] [--fail PLAN]\n"), 2;
    }
    MPI_Init(&argc, &argv);
    regraft_status const status = run(&p);
    if (status != REGRAFT_OK) fprintf(stderr, "checkpoint_files: %s\n", regraft_error_message());
    regraft_sums_free(p.sums); /* handles in any order */
    regraft_files_free(p.files);
    regraft_communicator_free(p.comm);
    MPI_Finalize();
    return status == REGRAFT_OK ? 0 : status == REGRAFT_ERROR_INPUT ? 2 : 1;
}
