/* Everything in regraft_mpi.h, used by a program in C99, also wrongly, and with deaths: mpi_test SCENARIO. Every rank
 * that lives writes its verdict in the form that run_mpi.py expects. */
#define _POSIX_C_SOURCE 200112L /* SIGKILL */
#include <signal.h>
#include <stdlib.h>

#include "../check.h"
#include "regraft_mpi.h"

enum { BLOCKS = 60, BYTES = 24, STEPS = 24, INTERVAL = 3 };

/* An entity of a snapshot. */
struct cell {
    char name[16];
    unsigned char* data;
    uint64_t size;
};

struct test {
    char const* scenario;
    regraft_communicator* comm;
    regraft_store* store;
    regraft_checkpoint* checkpoint;
    regraft_assignment* assignment;
    uint32_t replicas;
    bool coded;
    uint32_t recoveries, concealed;
    unsigned char all[BLOCKS * BYTES]; /* what this PE has loaded last */
    regraft_snapshot* snapshot;
    struct cell cells[8];
    uint64_t num_cells, step;
    regraft_saving* saving; /* under way, of the step saved_step */
    uint64_t saved_step, confirmed_step;
};

/* Byte j of block i. */
static unsigned char byte_of(uint64_t i, uint64_t j) {
    return (unsigned char)(i * 31 + j * 7 + 1);
}

static regraft_status make_blocks(regraft_range blocks, void* out, uint64_t size, void* context) {
    unsigned char* const bytes = out;
    if (size != (blocks.last - blocks.first) * BYTES) return REGRAFT_ERROR_ARGUMENT;
    for (uint64_t i = 0; i < size; ++i) bytes[i] = byte_of(blocks.first + i / BYTES, i % BYTES);
    if (context != NULL) ++*(int*)context;
    return REGRAFT_OK;
}

static regraft_status refuse(regraft_range blocks, void* out, uint64_t size, void* context) {
    (void)blocks, (void)out, (void)size, (void)context;
    return REGRAFT_ERROR_INPUT;
}

static int are_blocks(unsigned char const* bytes, regraft_range blocks) {
    for (uint64_t i = 0; i < (blocks.last - blocks.first) * BYTES; ++i) {
        if (bytes[i] != byte_of(blocks.first + i / BYTES, i % BYTES)) return 0;
    }
    return 1;
}

static regraft_status submit(struct test* t) {
    unsigned char bytes[BLOCKS * BYTES];
    uint32_t const size = regraft_communicator_size(t->comm);
    regraft_range const mine = regraft_even_part(BLOCKS, regraft_communicator_position(t->comm), size);
    uint64_t const num_bytes = (mine.last - mine.first) * BYTES;
    CHECK_OK(make_blocks(mine, bytes, num_bytes, NULL));
    regraft_placement* placement = NULL; /* a store with a code has none */
    if (!t->coded)
        CHECK_OK(regraft_placement_pairwise(BLOCKS, size, size < t->replicas ? size : t->replicas, &placement));
    regraft_status const status = regraft_store_submit(t->store, placement, mine, bytes, BYTES);
    regraft_placement_free(placement);
    return status;
}

static regraft_status load_all(struct test* t, regraft_load_options const* options, regraft_load_report* report) {
    regraft_range const all = {0, BLOCKS};
    return regraft_store_load(t->store, &all, 1, t->all, sizeof t->all, options, report);
}

static void communicator_is_whole(struct test* t, int rank, int size) {
    bool all = false;
    uint32_t* node_of = malloc((size_t)size * sizeof *node_of);
    uint64_t number = rank == 0 ? 42 : 0;
    CHECK(regraft_communicator_self(t->comm) == (uint32_t)rank);
    CHECK(regraft_communicator_position(t->comm) == (uint32_t)rank);
    CHECK(regraft_communicator_size(t->comm) == (uint32_t)size);
    CHECK(regraft_communicator_num_founders(t->comm) == (uint32_t)size);
    CHECK(regraft_communicator_members(t->comm)[size - 1] == (uint32_t)size - 1);
    CHECK(regraft_communicator_epoch(t->comm) == 1);
    CHECK(MPI_Comm_f2c(regraft_communicator_native_f(t->comm)) == regraft_communicator_native(t->comm));
    CHECK_OK(regraft_communicator_check(t->comm, MPI_Barrier(regraft_communicator_native(t->comm)), "MPI_Barrier"));
    CHECK_OK(regraft_communicator_look(t->comm));
    CHECK_OK(regraft_communicator_agree(t->comm, true, &all));
    CHECK(all);
    CHECK_OK(regraft_communicator_agree(t->comm, rank == 0, &all));
    CHECK(all == (size == 1));
    CHECK_OK(regraft_communicator_agree(t->comm, true, NULL));
    CHECK_OK(regraft_communicator_broadcast(t->comm, &number, sizeof number, 0));
    CHECK(number == 42);
    CHECK_OK(regraft_node_ids(t->comm, node_of, (uint64_t)size));
    CHECK(node_of[size - 1] == 0); /* tests run on one node */
    CHECK_SAYS(regraft_communicator_check(t->comm, MPI_ERR_COUNT, "MPI_Send"), REGRAFT_ERROR_MPI, "MPI_Send");
    CHECK_REFUSED(regraft_communicator_broadcast(t->comm, &number, 8, (uint32_t)size), "a root that is a member");
    CHECK_REFUSED(regraft_communicator_broadcast(t->comm, NULL, 8, 0), "data, not NULL");
    CHECK_REFUSED(regraft_node_ids(t->comm, node_of, 77), "as many ids as there are members");
    CHECK_SAYS(regraft_plan_failures("nowhere:0:0"), REGRAFT_ERROR_INPUT, "nowhere");
    CHECK_REFUSED(regraft_plan_failures(NULL), "a plan, not NULL");
    free(node_of);
}

static void sums_add_up(struct test* t, int rank, int size) {
    double const terms[] = {0.1, (double)rank};
    double sums_are[2];
    regraft_sums* sums = NULL;
    CHECK_OK(regraft_sums_create(2, &sums));
    CHECK_OK(regraft_sums_add_each(sums, 0, terms, 2));
    CHECK_OK(regraft_sums_all_reduce(t->comm, sums));
    CHECK_OK(regraft_sums_values(sums, 0, sums_are, 2));
    CHECK(sums_are[1] == size * (size - 1) / 2);
    CHECK_REFUSED(regraft_sums_all_reduce(t->comm, NULL), "sums, not NULL");
    CHECK_REFUSED(regraft_sums_all_reduce(NULL, sums), "a handle, not NULL");
    regraft_sums_free(sums);
}

static void store_gives_back(struct test* t) {
    regraft_load_report report;
    regraft_range const part = {3, 5}, beyond = {3, BLOCKS + 1}, backwards = {5, 3}, all = {0, BLOCKS};
    unsigned char bytes[2 * BYTES];
    void const* held;
    uint64_t size, num_damaged = 7;
    regraft_range const* lost;
    CHECK_REFUSED(load_all(t, NULL, NULL), "submitted before");
    CHECK_OK(submit(t));
    CHECK(regraft_store_num_blocks(t->store) == BLOCKS && regraft_store_version(t->store) == 1);
    CHECK_OK(load_all(t, NULL, &report));
    CHECK(are_blocks(t->all, all) && report.num_lost == 0);
    CHECK(report.bytes_local + report.bytes_received == sizeof t->all && regraft_store_bytes_held(t->store) > 0);
    CHECK_OK(regraft_store_load(t->store, &part, 1, bytes, sizeof bytes, NULL, NULL));
    CHECK(are_blocks(bytes, part));
    CHECK_OK(regraft_store_load(t->store, NULL, 0, NULL, 0, NULL, NULL));
    if (!t->coded) {
        uint64_t const mine = regraft_communicator_position(t->comm) == 0 ? 1 : 0; /* one member gives the blocks */
        regraft_update_report updated;
        for (uint64_t i = 0; i < sizeof bytes; ++i) bytes[i] ^= 255;
        CHECK_OK(regraft_store_update(t->store, &part, mine, bytes, mine * sizeof bytes, &updated));
        CHECK(updated.blocks_changed == 2 && updated.bytes_changed == sizeof bytes && updated.num_regained == 0);
        CHECK((updated.bytes_moved > 0) == (regraft_communicator_size(t->comm) > 1));
        CHECK_OK(regraft_store_regained(t->store, &lost, &size));
        CHECK(size == 0);
        CHECK_REFUSED(regraft_store_regained(NULL, &lost, &size), "a store, not NULL");
        CHECK_REFUSED(regraft_store_regained(t->store, NULL, &size), "ranges, not NULL");
        CHECK_REFUSED(regraft_store_regained(t->store, &lost, NULL), "count, not NULL");
        CHECK_OK(load_all(t, NULL, NULL));
        CHECK(memcmp(t->all + part.first * BYTES, bytes, sizeof bytes) == 0);
        CHECK(are_blocks(t->all, (regraft_range){0, part.first}));
        for (uint64_t i = 0; i < sizeof bytes; ++i) bytes[i] ^= 255;
        CHECK_OK(regraft_store_update(t->store, &part, mine, bytes, mine * sizeof bytes, NULL));
        CHECK(regraft_store_version(t->store) == 3);
        CHECK_OK(load_all(t, NULL, NULL));
        CHECK(are_blocks(t->all, all));
        CHECK_REFUSED(regraft_store_update(t->store, &part, 1, bytes, 5, NULL), "as many bytes");
        CHECK_REFUSED(regraft_store_update(t->store, &beyond, 1, bytes, sizeof bytes, NULL), "blocks that there are");
        CHECK_REFUSED(
            regraft_store_update(t->store, (regraft_range const[]){part, part}, 2, bytes, 2 * sizeof bytes, NULL),
            "ascend");
    } else {
        CHECK_REFUSED(regraft_store_update(t->store, &part, 1, bytes, sizeof bytes, NULL), "without a code");
    }
    CHECK_OK(regraft_store_size(t->store, part, &size));
    CHECK(size == sizeof bytes);
    CHECK_OK(regraft_store_held(t->store, part, &held, &size));
    CHECK(held == NULL ? size == 0 : size == sizeof bytes && are_blocks(held, part));
    regraft_repair_report repaired;
    CHECK_OK(regraft_store_repair(t->store, NULL, &repaired));
    CHECK(repaired.num_lost == 0 && repaired.bytes_copied == 0);
    CHECK_OK(regraft_store_scrub(t->store, &num_damaged));
    CHECK(num_damaged == 0);
    CHECK_OK(regraft_store_lost(t->store, &lost, &size));
    CHECK(size == 0);
    CHECK_OK(regraft_store_trim(t->store));

    CHECK_REFUSED(regraft_store_load(t->store, &part, 1, bytes, 5, NULL, NULL), "as many bytes");
    CHECK_REFUSED(regraft_store_load(t->store, &part, 1, NULL, sizeof bytes, NULL, NULL), "not NULL");
    CHECK_REFUSED(regraft_store_load(t->store, NULL, 1, bytes, sizeof bytes, NULL, NULL), "wanted, not NULL");
    CHECK_REFUSED(regraft_store_load(t->store, &beyond, 1, bytes, sizeof bytes, NULL, NULL), "blocks that there are");
    CHECK_REFUSED(regraft_store_load(t->store, &backwards, 1, bytes, 0, NULL, NULL), "blocks that there are");
    CHECK_REFUSED(regraft_store_load(NULL, &part, 1, bytes, sizeof bytes, NULL, NULL), "a handle, not NULL");
    CHECK_REFUSED(regraft_store_held(t->store, beyond, &held, &size), "blocks that there are");
    CHECK_REFUSED(regraft_store_held(t->store, part, NULL, &size), "bytes, not NULL");
    CHECK_REFUSED(regraft_store_size(t->store, part, NULL), "size, not NULL");
    CHECK_REFUSED(regraft_store_lost(NULL, &lost, &size), "a store, not NULL");
    CHECK_REFUSED(regraft_store_repair(NULL, NULL, NULL), "a handle, not NULL");
    CHECK_REFUSED(regraft_store_scrub(NULL, NULL), "a handle, not NULL");
    CHECK_REFUSED(regraft_store_trim(NULL), "a store, not NULL");
    CHECK_REFUSED(regraft_store_create(NULL, NULL, &t->store), "a handle, not NULL");
    CHECK_REFUSED(regraft_store_create(t->comm, NULL, NULL), "where to put the handle");
}

/* Block i has i + 1 bytes, each i. */
static void store_takes_blocks_of_all_sizes(struct test* t, int rank, int size) {
    unsigned char bytes[BLOCKS * BLOCKS], out[BLOCKS];
    uint64_t offsets[BLOCKS + 1] = {0};
    regraft_range const mine = regraft_even_part(BLOCKS, (uint64_t)rank, (uint64_t)size), last = {BLOCKS - 1, BLOCKS};
    regraft_range const beyond = {0, BLOCKS + 1};
    for (uint64_t i = mine.first; i < mine.last; ++i) {
        offsets[i - mine.first + 1] = offsets[i - mine.first] + i + 1;
        memset(bytes + offsets[i - mine.first], (int)i, i + 1);
    }
    regraft_placement *placement = NULL, *other = NULL;
    regraft_store* plain = NULL;
    regraft_store_options const by_reference = {.referenced = true};
    CHECK_OK(regraft_placement_mod_k(BLOCKS, (uint32_t)size, 1, 5, &placement));
    CHECK_OK(regraft_placement_mod_k(BLOCKS, (uint32_t)size + 1, 1, 5, &other));
    CHECK_OK(regraft_store_create(t->comm, &by_reference, &plain));
    CHECK_OK(regraft_store_submit_sized(plain, placement, mine, bytes, offsets));
    CHECK_OK(regraft_store_load(plain, &last, 1, out, BLOCKS, NULL, NULL));
    CHECK(out[0] == BLOCKS - 1 && out[BLOCKS - 1] == BLOCKS - 1);
    CHECK_REFUSED(regraft_store_scrub(plain, NULL), "a store with checksums");
    CHECK_REFUSED(regraft_store_submit_sized(plain, placement, mine, bytes, NULL), "offsets");
    CHECK_REFUSED(regraft_store_submit_sized(plain, placement, mine, NULL, offsets), "blocks, not NULL");
    CHECK_REFUSED(regraft_store_submit_sized(plain, other, mine, bytes, offsets), "a slot for each member");
    CHECK_REFUSED(regraft_store_submit(plain, NULL, mine, bytes, 1), "a placement, not NULL");
    CHECK_REFUSED(regraft_store_submit(plain, placement, beyond, bytes, 1), "blocks within");
    CHECK_REFUSED(regraft_store_submit(plain, placement, mine, NULL, 1), "blocks, not NULL");
    CHECK_REFUSED(regraft_store_submit(plain, placement, mine, bytes, UINT64_MAX / 2), "fit into memory");
    regraft_store_free(plain);
    regraft_placement_free(placement);
    regraft_placement_free(other);
}

/* Everything is loaded by everybody. The bytes between nodes are those of blocks of which the loader's node has none.
 */
static void loads_stay_on_nodes(struct test* t, int rank, int size) {
    uint32_t const some[8] = {0, 0, 1, 1, 1, 1, 1, 1}, *const members = regraft_communicator_members(t->comm);
    unsigned char bytes[BLOCKS * BYTES];
    regraft_range const mine = regraft_even_part(BLOCKS, (uint64_t)rank, (uint64_t)size);
    regraft_store* store = NULL;
    CHECK(size <= 8 && members[size - 1] == (uint32_t)size - 1);
    CHECK_OK(regraft_store_create(t->comm, NULL, &store));
    CHECK_OK(make_blocks(mine, bytes, (mine.last - mine.first) * BYTES, NULL));
    regraft_store* const others = t->store;
    t->store = store;
    for (uint32_t replicas = 1; replicas <= (size == 1 ? 1U : 2U); ++replicas) {
        regraft_placement *rule = NULL, *placement = NULL;
        regraft_load_report report;
        uint64_t between = 0, slots_of_blocks = 0;
        CHECK_OK(regraft_placement_mod_k(BLOCKS, (uint32_t)size, replicas, REGRAFT_NO_SEED, &rule));
        CHECK_OK(regraft_store_submit(store, rule, mine, bytes, BYTES));
        CHECK_OK(load_all(t, NULL, &report));
        CHECK(report.bytes_between_nodes == 0); /* the rule knows no nodes */
        CHECK_OK(regraft_placement_over_nodes(rule, some, (uint32_t)size, 0, 0, &placement));
        CHECK_OK(regraft_store_submit(store, placement, mine, bytes, BYTES));
        CHECK_OK(load_all(t, NULL, &report));
        CHECK(are_blocks(t->all, (regraft_range){0, BLOCKS}));
        for (uint64_t block = 0; block < BLOCKS; ++block) {
            uint32_t slots[8];
            uint64_t count = 0;
            CHECK_OK(regraft_placement_holders(placement, block, slots, 8, &count));
            slots_of_blocks += count;
            for (int loader = 0; loader < size; ++loader) {
                int near = 0;
                for (uint64_t i = 0; i < count; ++i) near += some[slots[i]] == some[loader];
                between += near > 0 ? 0 : BYTES;
            }
        }
        CHECK(report.bytes_between_nodes == between && (between > 0) == (size > 2 && replicas == 1));
        CHECK(report.bytes_moved == ((uint64_t)size * BLOCKS - slots_of_blocks) * BYTES);
        regraft_placement_free(rule);
        regraft_placement_free(placement);
    }
    t->store = others;
    regraft_store_free(store);
}

static void checkpoints_are_kept(struct test* t, int rank, int size) {
    void const* bytes = NULL;
    uint64_t length = 0;
    uint32_t pe = 0;
    char share[8] = "share  ";
    share[6] = (char)('a' + rank);
    CHECK_REFUSED(regraft_checkpoint_share(t->checkpoint, 0, &pe, &bytes, &length), "a share that there is");
    CHECK_OK(regraft_checkpoint_commit(t->checkpoint, share, sizeof share));
    CHECK(regraft_checkpoint_num_shares(t->checkpoint) == (uint64_t)size);
    CHECK_OK(regraft_checkpoint_share(t->checkpoint, (uint64_t)size - 1, &pe, &bytes, &length));
    CHECK(pe == (uint32_t)size - 1 && length == 8 && ((char const*)bytes)[6] == 'a' + size - 1);
    CHECK_OK(regraft_checkpoint_commit_identical(t->checkpoint, "the same", 9));
    CHECK_OK(regraft_checkpoint_share(t->checkpoint, 0, NULL, &bytes, &length));
    CHECK(length == 9 && strcmp(bytes, "the same") == 0);
    CHECK(regraft_checkpoint_generation(t->checkpoint) == 2);
    int const different = rank;
    CHECK(regraft_checkpoint_commit_identical(t->checkpoint, &different, sizeof different) ==
          (size == 1 ? REGRAFT_OK : REGRAFT_DIVERGENCE));
    CHECK_OK(regraft_checkpoint_commit(t->checkpoint, NULL, 0));
    CHECK_REFUSED(regraft_checkpoint_commit(t->checkpoint, NULL, 1), "a share, not NULL");
    CHECK_REFUSED(regraft_checkpoint_commit(t->checkpoint, share, UINT64_MAX), "small");
    CHECK_REFUSED(regraft_checkpoint_commit(NULL, share, 1), "a handle, not NULL");
    CHECK_REFUSED(regraft_checkpoint_share(t->checkpoint, 0, NULL, NULL, &length), "bytes, not NULL");
    CHECK_REFUSED(regraft_checkpoint_create(NULL, &t->checkpoint), "a handle, not NULL");
}

static void nothing_is_nothing(void) {
    regraft_communicator* none = NULL;
    CHECK(regraft_communicator_self(NULL) == 0 && regraft_communicator_size(NULL) == 0);
    CHECK(regraft_communicator_members(NULL) == NULL && regraft_communicator_native(NULL) == MPI_COMM_NULL);
    CHECK(regraft_communicator_position(NULL) == 0 && regraft_communicator_num_founders(NULL) == 0);
    CHECK(regraft_communicator_epoch(NULL) == 0 && regraft_store_version(NULL) == 0);
    CHECK(regraft_store_num_blocks(NULL) == 0 && regraft_store_bytes_held(NULL) == 0);
    CHECK(regraft_checkpoint_generation(NULL) == 0 && regraft_checkpoint_num_shares(NULL) == 0);
    CHECK_REFUSED(regraft_communicator_create(MPI_COMM_NULL, &none), "a parent");
    CHECK_REFUSED(regraft_communicator_create(MPI_COMM_WORLD, NULL), "where to put the handle");
    CHECK_REFUSED(regraft_communicator_agree(NULL, true, NULL), "a handle, not NULL");
    CHECK_REFUSED(regraft_communicator_shrink(NULL), "a handle, not NULL");
    CHECK_REFUSED(regraft_resilient(NULL, NULL, NULL, NULL), "not NULL");
    CHECK(none == NULL);
    regraft_communicator_free(NULL);
    regraft_store_free(NULL);
    regraft_checkpoint_free(NULL);
}

static void snapshots_go_back(struct test* t, int rank, int size) {
    regraft_snapshot* s = NULL;
    double mine[3] = {1, 2, 3}, step = 7;
    char name[16];
    regraft_commit_report committed;
    regraft_restore_report restored;
    regraft_snapshot_options const coded = {.parities = 2, .data = 254}, endless = {.mtbf_hours = -1};
    regraft_snapshot_options const options = {.compressed = true, .checked = true, .steps = 2};
    snprintf(name, sizeof name, "mine %d", rank);
    CHECK_REFUSED(regraft_snapshot_create(t->comm, &coded, &s), "at most 255 pieces");
    CHECK_REFUSED(regraft_snapshot_create(t->comm, &endless, &s), "mtbf_hours");
    CHECK_REFUSED(regraft_snapshot_create(NULL, NULL, &s), "a handle, not NULL");
    CHECK_OK(regraft_snapshot_create(t->comm, &options, &s));
    CHECK_REFUSED(regraft_snapshot_restore(s, NULL, NULL), "a snapshot that was committed");
    CHECK_OK(regraft_snapshot_add(s, name, mine, sizeof mine));
    CHECK_OK(regraft_snapshot_add_common(s, "step", &step, sizeof step));
    CHECK_REFUSED(regraft_snapshot_add(s, name, mine, sizeof mine), "a name that no entity here has");
    CHECK_REFUSED(regraft_snapshot_add(s, NULL, mine, sizeof mine), "a name, not NULL");
    CHECK_REFUSED(regraft_snapshot_add(s, "other", NULL, 1), "data, not NULL");
    CHECK_REFUSED(regraft_snapshot_add_entity(s, "other", NULL), "an entity, not NULL");
    CHECK_REFUSED(regraft_snapshot_add_entity(s, "other", &(regraft_entity){NULL, NULL, NULL}), "bytes and room");
    CHECK_REFUSED(regraft_snapshot_remove(s, "other"), "a name that an entity here has");
    CHECK(regraft_snapshot_has(s, name) && !regraft_snapshot_has(s, "other") && !regraft_snapshot_has(NULL, name));
    CHECK_OK(regraft_snapshot_commit(s, &committed));
    CHECK(committed.bytes >= sizeof mine && regraft_snapshot_generation(s) == 1);
    CHECK(!regraft_snapshot_due(s) && regraft_snapshot_due(s)); /* every second step */
    mine[1] = step = 99;
    CHECK_OK(regraft_snapshot_restore(s, NULL, &restored));
    CHECK(mine[0] == 1 && mine[1] == 2 && step == 7 && restored.generation == 1 && restored.num_lost == 0);
    CHECK(regraft_snapshot_lost(s, 0) == NULL && regraft_snapshot_bytes_held(s) > 0);
    regraft_committed entity;
    regraft_adoption adoption;
    CHECK(regraft_snapshot_num_committed(s) == (uint64_t)size && regraft_snapshot_num_committed(NULL) == 0);
    CHECK_OK(regraft_snapshot_committed(s, (uint64_t)rank, &entity));
    CHECK(strcmp(entity.name, name) == 0 && entity.home == (uint32_t)rank && entity.bytes == sizeof mine);
    CHECK_REFUSED(regraft_snapshot_committed(s, (uint64_t)size, &entity), "an entity that there is");
    CHECK_REFUSED(regraft_snapshot_committed(s, 0, NULL), "entity, not NULL");
    CHECK_REFUSED(regraft_snapshot_committed(NULL, 0, &entity), "a snapshot, not NULL");
    CHECK_REFUSED(regraft_snapshot_adopted(s, 0, &adoption), "an adoption that there is");
    CHECK_REFUSED(regraft_snapshot_adopted(NULL, 0, &adoption), "a snapshot, not NULL");
    CHECK(restored.num_removed == 0 && regraft_snapshot_removed(s, 0) == NULL);
    CHECK_OK(regraft_snapshot_add(s, "added since", mine, sizeof mine));
    CHECK_OK(regraft_snapshot_restore(s, NULL, &restored));
    CHECK(restored.num_removed == 1 && strcmp(regraft_snapshot_removed(s, 0), "added since") == 0);
    CHECK(regraft_snapshot_removed(s, 1) == NULL && !regraft_snapshot_has(s, "added since"));
    step = rank;
    CHECK(regraft_snapshot_commit(s, NULL) == (size == 1 ? REGRAFT_OK : REGRAFT_DIVERGENCE));
    step = 7;
    CHECK_OK(regraft_snapshot_add(s, "everybody's", mine, sizeof mine));
    CHECK(regraft_snapshot_commit(s, NULL) == (size == 1 ? REGRAFT_OK : REGRAFT_DUPLICATE));
    CHECK_OK(regraft_snapshot_remove(s, "everybody's"));
    CHECK_OK(regraft_snapshot_commit(s, NULL));
    CHECK_OK(regraft_snapshot_trim(s));
    CHECK_REFUSED(regraft_snapshot_trim(NULL), "a snapshot, not NULL");
    CHECK_REFUSED(regraft_snapshot_commit(NULL, NULL), "a handle, not NULL");
    CHECK(!regraft_snapshot_due(NULL) && regraft_snapshot_generation(NULL) == 0);
    CHECK(regraft_snapshot_bytes_held(NULL) == 0 && regraft_snapshot_lost(NULL, 0) == NULL);
    CHECK(regraft_snapshot_removed(NULL, 0) == NULL);
    regraft_snapshot_free(s);
    regraft_snapshot_free(NULL);
}

/* A commit that sends what has changed. */
static void snapshots_send_changes(struct test* t, int rank, int size) {
    regraft_snapshot* s = NULL;
    static double state[10000];
    char name[32];
    regraft_commit_report report;
    snprintf(name, sizeof name, "state %d", rank);
    regraft_snapshot_options const wrong = {.differential = 3};
    regraft_snapshot_options const options = {
        .steps = 1, .differential = REGRAFT_DIFFERENTIAL_ALWAYS, .chunk_bytes = 800, .trusts_changes = true};
    CHECK_REFUSED(regraft_snapshot_create(t->comm, &wrong, &s), "differential of at most");
    CHECK_OK(regraft_snapshot_create(t->comm, &options, &s));
    CHECK_OK(regraft_snapshot_add(s, name, state, sizeof state));
    CHECK_REFUSED(regraft_snapshot_changed(s, "other", 0, 1), "a name that an entity here has");
    CHECK_REFUSED(regraft_snapshot_changed(NULL, name, 0, 1), "a snapshot, not NULL");
    CHECK_OK(regraft_snapshot_commit(s, &report));
    CHECK(!report.sent_changes && report.changed_bytes == 0);
    state[7] = 1;
    CHECK_OK(regraft_snapshot_changed(s, name, 7 * sizeof *state, sizeof *state));
    CHECK_OK(regraft_snapshot_commit(s, &report));
    CHECK(report.sent_changes && report.changed_bytes == (uint64_t)size * 800);
    state[7] = state[8] = 2;
    CHECK_OK(regraft_snapshot_restore(s, NULL, NULL));
    CHECK(state[7] == 1 && state[8] == 0);
    regraft_snapshot_free(s);
}

static void snapshots_go_back_further(struct test* t, int rank) {
    regraft_snapshot* s = NULL;
    uint64_t state = 0;
    char name[32];
    snprintf(name, sizeof name, "state of %d", rank);
    regraft_snapshot_options const options = {.generations = 3};
    CHECK(regraft_snapshot_oldest(NULL) == 0);
    CHECK_OK(regraft_snapshot_create(t->comm, &options, &s));
    CHECK_OK(regraft_snapshot_add(s, name, &state, sizeof state));
    for (state = 1; state <= 5; ++state) CHECK_OK(regraft_snapshot_commit(s, NULL));
    CHECK(regraft_snapshot_generation(s) == 5 && regraft_snapshot_oldest(s) == 3);
    CHECK_REFUSED(regraft_snapshot_restore(s, &(regraft_restore_options){.generation = 2}, NULL), "a generation that");
    CHECK_REFUSED(regraft_snapshot_restore(s, &(regraft_restore_options){.generation = 6}, NULL), "a generation that");
    CHECK_OK(regraft_snapshot_restore(s, &(regraft_restore_options){.generation = 4}, NULL));
    CHECK(state == 4 && regraft_snapshot_generation(s) == 4 && regraft_snapshot_oldest(s) == 3);
    regraft_snapshot_free(s);
}

static void write_text(char const* path, char const* text) {
    FILE* const file = fopen(path, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static int has_text(char const* path, char const* text) {
    char found[32] = "";
    FILE* const file = fopen(path, "rb");
    if (file == NULL) return 0;
    size_t const size = fread(found, 1, sizeof found - 1, file);
    fclose(file);
    return size == strlen(text) && strcmp(found, text) == 0;
}

/* Files of a job: the state of each rank is a text in a file. */
static void files_go_back(struct test* t, int rank) {
    regraft_files* f = NULL;
    char folder[200], archive[200], name[32];
    char const *path = NULL, *same = NULL;
    char const* const tmp = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
    snprintf(folder, sizeof folder, "%s/files-of-c", tmp);
    snprintf(archive, sizeof archive, "%s/flushed-files", tmp);
    snprintf(name, sizeof name, "part/with a long name/%d.txt", rank);
    regraft_files_options const options = {.folder = folder, .archive = archive, .flush_every = 2};
    regraft_files_options const nowhere = {.folder = ""}, unflushed = {.folder = folder};
    regraft_files_report report;
    regraft_restore_report restored;
    regraft_open_report opened = {.generation = 9};
    CHECK_REFUSED(regraft_files_create(t->comm, NULL, &f), "options of files, not NULL");
    CHECK_REFUSED(regraft_files_create(t->comm, &nowhere, &f), "a folder for files");
    CHECK_OK(regraft_files_create(t->comm, &options, &f));
    CHECK_REFUSED(regraft_files_route(f, "../x", &path), "a relative path");
    CHECK_REFUSED(regraft_files_route(f, NULL, &path), "a relative path");
    CHECK_REFUSED(regraft_files_route(f, name, NULL), "where to put the path");
    CHECK_REFUSED(regraft_files_restore(f, NULL, NULL), "files that were committed");
    CHECK_REFUSED(regraft_files_flush(f), "files that were committed");
    CHECK_OK(regraft_files_resume(f, &opened));
    CHECK(opened.generation == 0 && regraft_files_generation(f) == 0);
    CHECK_OK(regraft_files_route(f, name, &path));
    CHECK_OK(regraft_files_route(f, name, &same));
    CHECK(strcmp(path, same) == 0 && strstr(path, name) != NULL && regraft_files_has(f, name));
    CHECK_OK(regraft_files_route(f, regraft_files_name(f, 0), &same));
    CHECK(same == path);
    CHECK(regraft_files_count(f) == 1 && strcmp(regraft_files_name(f, 0), name) == 0);
    CHECK(regraft_files_name(f, 1) == NULL && !regraft_files_has(f, "x") && !regraft_files_due(NULL));
    CHECK(regraft_files_commit(f, NULL) == REGRAFT_DISK); /* nothing was written */
    write_text(path, "one");
    CHECK_OK(regraft_files_commit(f, &report));
    CHECK(report.commit.bytes == 3 && !report.completed_flush && report.problem == NULL);
    write_text(path, "another");
    CHECK_OK(regraft_files_restore(f, NULL, &restored));
    CHECK(restored.generation == 1 && restored.num_adopted == 0 && regraft_files_lost(f, 0) == NULL);
    CHECK(has_text(path, "one"));
    for (int i = 2; i <= 4; ++i) {
        write_text(path, i == 4 ? "four" : "some");
        CHECK_OK(regraft_files_commit(f, &report)); /* 2 and 4 are flushed */
        CHECK(report.completed_flush == (i == 4));
    }
    CHECK_OK(regraft_files_flush(f));
    CHECK_OK(regraft_files_discard(f));
    CHECK(!has_text(path, "four"));
    CHECK_REFUSED(regraft_files_commit(f, NULL), "files that were not discarded");
    regraft_files_free(f);

    CHECK_OK(regraft_files_create(t->comm, &options, &f));
    CHECK_OK(regraft_files_resume(f, &opened));
    CHECK(opened.saved_commit == 4 && regraft_files_generation(f) == 1 && regraft_files_has(f, name));
    CHECK_OK(regraft_files_route(f, name, &path));
    CHECK(has_text(path, "four"));
    CHECK_REFUSED(regraft_files_resume(f, NULL), "files that were not committed");
    CHECK_OK(regraft_files_remove(f, regraft_files_name(f, 0)));
    CHECK_REFUSED(regraft_files_remove(f, name), "a name that a file here has");
    CHECK_OK(regraft_files_discard(f));
    regraft_files_free(f);
    CHECK_OK(regraft_files_create(t->comm, &unflushed, &f));
    CHECK_REFUSED(regraft_files_flush(f), "files with an archive");
    regraft_files_free(f);
    regraft_files_free(NULL);
}

/* What can be wrong with files of a node; what they are for: kept_job.c. */
static void stores_are_kept(struct test* t) {
    regraft_store* store = NULL;
    regraft_snapshot* snapshot = NULL;
    double number = 7;
    char const* const folder = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
    regraft_keep keep = {folder, "job", "store", 0};
    regraft_store_options options = {.keep = &keep};
    regraft_reopen_report report = {.version = 9};
    CHECK(regraft_job_of_environment() != NULL);
    CHECK_OK(regraft_store_create(t->comm, &options, &store));
    regraft_store* const others = t->store;
    t->store = store;
    CHECK_OK(regraft_store_reopen(store, NULL, &report));
    CHECK(report.version == 0 && regraft_store_version(store) == 0);
    CHECK_OK(regraft_store_set_attributes(store, "kept", 5));
    CHECK_OK(submit(t));
    CHECK_REFUSED(regraft_store_reopen(store, NULL, NULL), "nothing was submitted");
    regraft_store_free(store); /* the files stay */
    CHECK_OK(regraft_store_create(t->comm, &options, &store));
    t->store = store;
    CHECK_REFUSED(
        regraft_store_reopen(
            store, &(regraft_reopen_options){.leave_missing = true, .repair = &(regraft_repair_options){0}}, NULL),
        "no repair where");
    CHECK_OK(
        regraft_store_reopen(store, &(regraft_reopen_options){.leave_lost = true, .leave_missing = true}, &report));
    CHECK(report.version == 1 && report.num_refused == 0 && report.num_lost == 0 && report.repaired.most_copies == 0);
    CHECK(report.attributes_size == 5 && strcmp(report.attributes, "kept") == 0);
    CHECK(report.bytes_inherited == regraft_store_bytes_held(store) && regraft_store_refused(store, 0) == NULL);
    memset(t->all, 0, sizeof t->all);
    CHECK_OK(load_all(t, NULL, NULL));
    CHECK(are_blocks(t->all, (regraft_range){0, BLOCKS}));
    CHECK_REFUSED(regraft_store_reopen(store, NULL, NULL), "nothing was submitted");
    CHECK_OK(regraft_store_discard(store));
    CHECK_REFUSED(load_all(t, NULL, NULL), "submitted before");
    CHECK_REFUSED(regraft_store_save(store, folder, NULL, NULL), "submitted before");
    CHECK(regraft_store_num_blocks(store) == 0 && regraft_store_bytes_held(store) == 0);
    CHECK_OK(regraft_store_reopen(store, NULL, &report));
    CHECK(report.version == 0);
    CHECK_OK(submit(t));
    CHECK_OK(load_all(t, NULL, NULL));
    CHECK_OK(regraft_store_discard(store));
    regraft_store_free(store);
    t->store = others;

    keep.room = 3;
    CHECK_OK(regraft_store_create(t->comm, &options, &store));
    t->store = store;
    CHECK(submit(t) == REGRAFT_DISK && regraft_store_version(store) == 0);
    CHECK_OK(regraft_store_discard(store));
    regraft_store_free(store);
    t->store = others;
    keep.room = 0;

    CHECK_REFUSED(regraft_store_reopen(others, NULL, NULL), "a store with files");
    CHECK_REFUSED(regraft_store_reopen(NULL, NULL, NULL), "a handle, not NULL");
    CHECK_REFUSED(regraft_store_set_attributes(others, "", 1), "a store with files");
    CHECK_REFUSED(regraft_store_set_attributes(others, NULL, 1), "attributes, not NULL");
    CHECK_REFUSED(regraft_store_set_attributes(NULL, "", 1), "a store, not NULL");
    CHECK_REFUSED(regraft_store_discard(NULL), "a handle, not NULL");
    char const** const texts[] = {&keep.folder, &keep.job, &keep.name};
    for (int i = 0; i < 6; ++i) {
        char const* const before = *texts[i / 2];
        *texts[i / 2] = i % 2 == 0 ? NULL : "";
        CHECK_REFUSED(regraft_store_create(t->comm, &options, &store), "not NULL or empty");
        *texts[i / 2] = before;
    }
    keep.folder = "/nowhere";
    CHECK_OK(regraft_store_create(t->comm, &options, &store));
    CHECK_SAYS(regraft_store_reopen(store, NULL, NULL), REGRAFT_DISK, "/nowhere");
    regraft_store_free(store);
    keep.folder = folder;

    CHECK_OK(regraft_store_create(t->comm, &(regraft_store_options){.data = 2, .parities = 1}, &store));
    CHECK_REFUSED(regraft_store_reopen(store, NULL, NULL), "a store with files");
    regraft_store_free(store);

    CHECK_OK(regraft_snapshot_create(t->comm, NULL, &snapshot));
    CHECK_REFUSED(regraft_snapshot_reopen(snapshot, NULL, NULL), "a snapshot with files");
    CHECK_REFUSED(regraft_snapshot_reopen(NULL, NULL, NULL), "a handle, not NULL");
    CHECK_REFUSED(regraft_snapshot_discard(NULL), "a handle, not NULL");
    regraft_snapshot_free(snapshot);
    keep.name = "snapshot";
    regraft_open_report opened = {.generation = 9};
    CHECK_OK(regraft_snapshot_create(t->comm, &(regraft_snapshot_options){.keep = &keep}, &snapshot));
    CHECK_OK(regraft_snapshot_add_common(snapshot, "number", &number, sizeof number));
    CHECK_OK(regraft_snapshot_reopen(snapshot, NULL, &opened));
    CHECK(opened.generation == 0 && regraft_snapshot_generation(snapshot) == 0);
    CHECK_OK(regraft_snapshot_commit(snapshot, NULL));
    CHECK_REFUSED(regraft_snapshot_reopen(snapshot, NULL, NULL), "a snapshot that was not committed");
    regraft_snapshot_free(snapshot);
    number = 0;
    CHECK_OK(regraft_snapshot_create(t->comm, &(regraft_snapshot_options){.keep = &keep}, &snapshot));
    CHECK_OK(regraft_snapshot_add_common(snapshot, "number", &number, sizeof number));
    CHECK_OK(regraft_snapshot_reopen(snapshot, NULL, &opened));
    CHECK(opened.generation == 1 && number == 7 && regraft_snapshot_generation(snapshot) == 2);
    CHECK_OK(regraft_snapshot_discard(snapshot));
    CHECK_REFUSED(regraft_snapshot_commit(snapshot, NULL), "not discarded");
    CHECK_REFUSED(regraft_snapshot_restore(snapshot, NULL, NULL), "not discarded");
    CHECK_REFUSED(regraft_snapshot_save(snapshot, folder, NULL, NULL), "not discarded");
    CHECK_REFUSED(regraft_snapshot_open(snapshot, folder, NULL, NULL), "not discarded");
    CHECK_REFUSED(regraft_snapshot_reopen(snapshot, NULL, NULL), "not discarded");
    CHECK_OK(regraft_snapshot_discard(snapshot));
    regraft_snapshot_free(snapshot);
}

/* The same with a code. */
static void pieces_are_kept(struct test* t) {
    regraft_store* const others = t->store;
    bool const coded = t->coded;
    regraft_keep keep = {getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp", "job", "pieces", 0};
    regraft_store_options const options = {.checked = true, .data = 2, .parities = 1, .keep = &keep};
    t->coded = true;
    for (uint64_t job = 0; job < 3; ++job) {
        regraft_reopen_report report = {.version = 9};
        CHECK_OK(regraft_store_create(t->comm, &options, &t->store));
        regraft_repair_options const copies = {.replicas = 2};
        CHECK_REFUSED(regraft_store_reopen(t->store, &(regraft_reopen_options){.repair = &copies}, NULL),
                      "no copies and no node");
        CHECK_OK(regraft_store_reopen(t->store, &(regraft_reopen_options){.leave_missing = job == 2}, &report));
        CHECK(report.version == job && report.num_refused == 0 && report.num_lost == 0);
        if (job > 0) {
            CHECK(report.attributes_size == 5 && strcmp(report.attributes, "kept") == 0);
            CHECK((report.repaired.least_copies > 0) == (job == 1));
            memset(t->all, 0, sizeof t->all);
            CHECK_OK(load_all(t, NULL, NULL));
            CHECK(are_blocks(t->all, (regraft_range){0, BLOCKS}));
        }
        CHECK_OK(regraft_store_set_attributes(t->store, "kept", 5));
        CHECK_OK(submit(t));
        CHECK_REFUSED(regraft_store_reopen(t->store, NULL, NULL), "nothing was submitted");
        if (job == 2) {
            CHECK_OK(regraft_store_discard(t->store));
            CHECK_REFUSED(load_all(t, NULL, NULL), "submitted before");
        }
        regraft_store_free(t->store);
    }
    t->store = others;
    t->coded = coded;

    double number = 7;
    keep.name = "coded snapshot";
    for (uint64_t job = 0; job < 3; ++job) {
        regraft_snapshot* snapshot = NULL;
        regraft_open_report opened = {.generation = 9};
        regraft_snapshot_options const kind = {.data = 2, .parities = 1, .keep = &keep};
        CHECK_OK(regraft_snapshot_create(t->comm, &kind, &snapshot));
        CHECK_OK(regraft_snapshot_add_common(snapshot, "number", &number, sizeof number));
        CHECK_OK(regraft_snapshot_reopen(snapshot, NULL, &opened));
        CHECK(opened.generation == 2 * job - (job > 0) && number == 7 + (double)job);
        ++number;
        CHECK_OK(regraft_snapshot_commit(snapshot, NULL));
        if (job == 2) CHECK_OK(regraft_snapshot_discard(snapshot));
        regraft_snapshot_free(snapshot);
    }
}

/* Each PE is on a node of its own, or all are on one: copies and pieces are placed, and come back. */
static void snapshots_know_nodes(struct test* t, int rank, int size) {
    for (uint32_t way = 0; way < 4; ++way) {
        uint32_t node_of[8];
        regraft_snapshot* s = NULL;
        int number = rank;
        char name[16];
        for (int i = 0; i < size; ++i) node_of[i] = way % 2 == 0 ? 5 : (uint32_t)i;
        snprintf(name, sizeof name, "number %d", rank);
        regraft_snapshot_options const options = {.parities = way / 2, .data = way / 2 * 2, .node_of = node_of};
        CHECK_OK(regraft_snapshot_create(t->comm, &options, &s));
        memset(node_of, 0, sizeof node_of); /* it was copied */
        CHECK_OK(regraft_snapshot_add(s, name, &number, sizeof number));
        CHECK_OK(regraft_snapshot_commit(s, NULL));
        number = -1;
        CHECK_OK(regraft_snapshot_restore(s, NULL, NULL));
        CHECK(number == rank);
        regraft_snapshot_free(s);
    }
}

static regraft_status stop_alike(void* context) {
    (void)context;
    return REGRAFT_UNIFORM + 3;
}

static regraft_status stop_alone(void* context) {
    return regraft_store_load(((struct test*)context)->store, NULL, 1, NULL, 0, NULL, NULL);
}

static regraft_status never(regraft_failure const* failure, void* context) {
    (void)failure, (void)context;
    CHECK(!"a recovery without a failure");
    return REGRAFT_OK;
}

/* A folder that is removed with the job. */
static char const* archive_in_tmpdir(char const* name) {
    static char path[4096];
    char const* const folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : "/tmp", name);
    return path;
}

static regraft_status place_pairwise(uint64_t num_blocks, void* context, regraft_placement** placement) {
    struct test const* const t = context;
    uint32_t const size = regraft_communicator_size(t->comm);
    return regraft_placement_pairwise(num_blocks, size, size < 2 ? size : 2, placement);
}

/* What a store with a code has saved is opened by one with copies, and the other way round. */
static void blocks_are_on_disk(struct test* t, int size) {
    char const* archive = archive_in_tmpdir("blocks");
    regraft_store* coded = NULL;
    regraft_store* const copies = t->store;
    regraft_store_options const code = {.checked = true, .data = 2, .parities = 1};
    CHECK_REFUSED(regraft_store_create(t->comm, &(regraft_store_options){.data = 2}, &coded), "only with parities");
    CHECK_REFUSED(regraft_store_create(t->comm, &(regraft_store_options){.data = 254, .parities = 2}, &coded),
                  "at most 255 pieces");
    CHECK_OK(regraft_store_create(t->comm, &code, &coded));
    CHECK_REFUSED(regraft_store_save(coded, archive, NULL, NULL), "a store with blocks, submitted before");
    CHECK_SAYS(regraft_store_open(coded, archive_in_tmpdir("nothing"), NULL, NULL, NULL), REGRAFT_DISK, "nothing");
    archive = archive_in_tmpdir("blocks");
    CHECK_REFUSED(regraft_store_open(coded, archive, place_pairwise, t, NULL), "none with a code");
    CHECK_REFUSED(regraft_store_open(copies, archive, NULL, NULL, NULL), "none with a code");
    CHECK_REFUSED(regraft_store_save(coded, NULL, NULL, NULL), "the path of an archive");

    t->store = coded;
    t->coded = true;
    CHECK_OK(submit(t));
    regraft_save_options const options = {.files = 1, .attributes = "fine", .attributes_size = 5};
    regraft_save_report saved;
    CHECK_OK(regraft_store_save(coded, archive, &options, &saved));
    CHECK(saved.generation == 1 && saved.files == 1 && saved.bytes == sizeof t->all);
    regraft_repair_report repaired;
    uint64_t damaged = 9;
    CHECK_REFUSED(regraft_store_repair(coded, &(regraft_repair_options){.replicas = 2}, NULL), "no copies and no node");
    CHECK_OK(regraft_store_repair(coded, NULL, &repaired));
    CHECK(repaired.least_copies == (size == 1 ? 1 : 2) && repaired.num_unplaced == 0);
    CHECK_OK(regraft_store_scrub(coded, &damaged));
    CHECK(damaged == 0);
    CHECK_OK(regraft_store_trim(coded));

    regraft_open_report opened;
    CHECK_OK(regraft_store_open(copies, archive, place_pairwise, t, &opened));
    CHECK(opened.generation == 1 && opened.num_refused == 0 && regraft_store_refused(copies, 0) == NULL);
    CHECK(opened.attributes_size == 5 && strcmp(opened.attributes, "fine") == 0);
    CHECK_OK(regraft_store_save(copies, archive, NULL, NULL));
    CHECK_OK(regraft_store_open(coded, archive, NULL, NULL, &opened));
    CHECK(opened.generation == 2 && opened.attributes_size == 0 && regraft_store_refused(NULL, 0) == NULL);
    for (int from_copies = 0; from_copies < 2; ++from_copies) {
        t->store = from_copies ? copies : coded;
        memset(t->all, 0, sizeof t->all);
        CHECK_OK(load_all(t, &(regraft_load_options){.from_disk = true}, NULL));
        CHECK(are_blocks(t->all, (regraft_range){0, BLOCKS}));
    }
    t->coded = false;
    regraft_store_free(coded);
}

static regraft_status adopt_number(char const* name, uint64_t size, void* context) {
    regraft_snapshot* const snapshot = *(regraft_snapshot**)context;
    static double adopted[8];
    static int num_adopted = 0;
    double* const number = &adopted[num_adopted++ % 8];
    CHECK(size == sizeof *number);
    return strcmp(name, "step") == 0 ? regraft_snapshot_add_common(snapshot, name, number, size)
                                     : regraft_snapshot_add(snapshot, name, number, size);
}

static void snapshots_are_on_disk(struct test* t, int rank, int size) {
    char const* archive = archive_in_tmpdir("snapshots");
    regraft_snapshot *writer = NULL, *reader = NULL;
    double mine = rank, step = 7, new_one = 5;
    char name[16];
    snprintf(name, sizeof name, "number %d", rank);
    CHECK_OK(regraft_snapshot_create(t->comm, NULL, &writer));
    CHECK_OK(regraft_snapshot_add(writer, name, &mine, sizeof mine));
    CHECK_OK(regraft_snapshot_add_common(writer, "step", &step, sizeof step));
    CHECK_REFUSED(regraft_snapshot_save(writer, archive, NULL, NULL), "a snapshot that was committed");
    CHECK_SAYS(regraft_snapshot_open(writer, archive_in_tmpdir("nothing"), NULL, NULL), REGRAFT_DISK, "nothing");
    CHECK_OK(regraft_snapshot_commit(writer, NULL));
    regraft_save_report saved;
    archive = archive_in_tmpdir("snapshots");
    CHECK_OK(regraft_snapshot_save(writer, archive, NULL, &saved));
    CHECK(saved.generation == 1 && saved.bytes == (uint64_t)size * sizeof mine);
    CHECK_OK(regraft_snapshot_restore(writer, &(regraft_restore_options){.from_disk = true}, NULL));

    /* While this commit is written, the program commits others. */
    regraft_saving* saving = NULL;
    CHECK_REFUSED(regraft_snapshot_start_save(writer, NULL, NULL, &saving), "the path of an archive");
    CHECK_REFUSED(regraft_snapshot_start_save(writer, archive, NULL, NULL), "where to put the handle");
    CHECK_OK(regraft_snapshot_start_save(writer, archive, &(regraft_save_options){.files = 1}, &saving));
    for (int i = 0; i < 3; ++i) {
        mine += 10;
        CHECK_OK(regraft_snapshot_commit(writer, NULL));
    }
    CHECK(regraft_saving_is_written(saving)); /* the second commit has waited for it */
    CHECK_OK(regraft_saving_wait(saving, &saved));
    CHECK(saved.generation == 2 && saved.files == 1 && saved.bytes == (uint64_t)size * sizeof mine);
    CHECK(regraft_saving_is_written(saving) && !regraft_saving_is_written(NULL));
    CHECK_REFUSED(regraft_saving_wait(saving, NULL), "a save that was not waited for");
    CHECK_REFUSED(regraft_saving_wait(NULL, NULL), "a handle, not NULL");
    regraft_saving_free(saving);
    regraft_saving_free(NULL);
    CHECK_OK(regraft_snapshot_start_save(writer, archive, NULL, &saving)); /* outlives its snapshot, and is given up */
    mine = 0;

    CHECK_OK(regraft_snapshot_create(t->comm, NULL, &reader));
    CHECK_OK(regraft_snapshot_add(reader, "new", &new_one, sizeof new_one));
    regraft_restore_options const options = {.adopt = adopt_number, .context = &reader};
    regraft_open_report opened;
    CHECK_OK(regraft_snapshot_open(reader, archive, &options, &opened));
    CHECK(opened.generation == 2 && opened.saved_commit == 1 && opened.num_refused == 0);
    CHECK(opened.num_adopted == 0 && opened.num_removed == 1 && opened.bytes_read == sizeof mine);
    CHECK(strcmp(regraft_snapshot_removed(reader, 0), "new") == 0 && regraft_snapshot_refused(reader, 0) == NULL);
    CHECK(regraft_snapshot_has(reader, name) && regraft_snapshot_has(reader, "step"));
    CHECK(regraft_snapshot_generation(reader) == 1 && regraft_snapshot_refused(NULL, 0) == NULL);
    regraft_snapshot_free(writer);
    regraft_saving_free(saving);
    regraft_snapshot_free(reader);
}

static void errors_in_statuses_count(struct test* t) {
    MPI_Comm const native = regraft_communicator_native(t->comm);
    MPI_Status statuses[2];
    MPI_Fint of_fortran[2 * sizeof(MPI_Status) / sizeof(MPI_Fint)];
    for (int i = 0; i < 2; ++i) {
        CHECK_OK(regraft_communicator_check(t->comm, MPI_Recv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, native, &statuses[i]),
                                            "MPI_Recv"));
        statuses[i].MPI_ERROR = i == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
        MPI_Status_c2f(&statuses[i], of_fortran + (size_t)i * (sizeof of_fortran / sizeof *of_fortran / 2));
    }
    regraft_communicator* const comm = t->comm;
    CHECK_OK(regraft_communicator_check_statuses(comm, MPI_SUCCESS, statuses, 2, "MPI_Waitall"));
    CHECK_OK(regraft_communicator_check_statuses(comm, MPI_SUCCESS, NULL, 0, NULL));
    CHECK_REFUSED(regraft_communicator_check_statuses(comm, MPI_SUCCESS, NULL, 1, NULL), "statuses, not NULL");
    CHECK_SAYS(regraft_communicator_check_statuses(comm, MPI_ERR_IN_STATUS, statuses, 2, "MPI_Waitall"),
               REGRAFT_ERROR_MPI, "TRUNCATE");
    CHECK_SAYS(regraft_communicator_check_statuses_f(comm, MPI_ERR_IN_STATUS, of_fortran, 2, "MPI_Waitall"),
               REGRAFT_ERROR_MPI, "TRUNCATE");
    CHECK_REFUSED(regraft_communicator_check_statuses_f(comm, MPI_SUCCESS, NULL, 1, NULL), "statuses, not NULL");
    CHECK_REFUSED(regraft_communicator_wait_all(comm, NULL, 1), "requests, not NULL");
    CHECK_REFUSED(regraft_communicator_wait_all_f(comm, NULL, 1), "requests, not NULL");
    CHECK_OK(regraft_communicator_wait_all(comm, NULL, 0));
    CHECK(MPI_Bcast(NULL, -1, MPI_INT, 0, native) != MPI_SUCCESS);
    CHECK_OK(regraft_communicator_dismiss_errors(comm));
    CHECK_REFUSED(regraft_communicator_dismiss_errors(NULL), "a handle, not NULL");
}

static void calm(struct test* t, int rank, int size) {
    nothing_is_nothing();
    communicator_is_whole(t, rank, size);
    errors_in_statuses_count(t);
    sums_add_up(t, rank, size);
    store_gives_back(t);
    store_takes_blocks_of_all_sizes(t, rank, size);
    loads_stay_on_nodes(t, rank, size);
    stores_are_kept(t);
    pieces_are_kept(t);
    snapshots_know_nodes(t, rank, size);
    checkpoints_are_kept(t, rank, size);
    snapshots_go_back(t, rank, size);
    snapshots_send_changes(t, rank, size);
    snapshots_go_back_further(t, rank);
    files_go_back(t, rank);
    blocks_are_on_disk(t, size);
    snapshots_are_on_disk(t, rank, size);
    CHECK_SAYS(regraft_resilient(t->comm, stop_alike, never, t), REGRAFT_UNIFORM + 3, "status 103");
    /* A member that is alone waits for no other, so that the error comes out. */
    if (size == 1) CHECK_REFUSED(regraft_resilient(t->comm, stop_alone, never, t), "wanted, not NULL");
}

/* Five rounds of loading, summing and committing. The first failure is concealed by the body, the second is one that
 * only the body has noticed, in a call of its own. */
static regraft_status work(void* context) {
    struct test* const t = context;
    regraft_status status = regraft_store_version(t->store) == 0 ? submit(t) : REGRAFT_OK;
    while (status == REGRAFT_OK && regraft_checkpoint_generation(t->checkpoint) < 5) {
        regraft_range const* mine;
        uint64_t count;
        int one = 1, sum = 0;
        status = load_all(t, NULL, NULL);
        if (status == REGRAFT_OK) CHECK(are_blocks(t->all, (regraft_range){0, BLOCKS}));
        CHECK_OK(regraft_assignment_pieces(t->assignment, regraft_communicator_self(t->comm), &mine, NULL, &count));
        if (status == REGRAFT_OK) {
            MPI_Comm const native = regraft_communicator_native(t->comm);
            status = regraft_communicator_check(t->comm, MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, native),
                                                "MPI_Allreduce");
        }
        if (status == REGRAFT_OK) CHECK((uint32_t)sum == regraft_communicator_size(t->comm));
        if (status == REGRAFT_OK) {
            uint64_t const next = regraft_checkpoint_generation(t->checkpoint) + 1;
            status = regraft_checkpoint_commit_identical(t->checkpoint, &next, sizeof next);
        }
    }
    if (status != REGRAFT_PROCESS_FAILURE) return status;
    /* Until the communicator shrinks, every call has this error. */
    CHECK_SAYS(load_all(t, NULL, NULL), REGRAFT_PROCESS_FAILURE, "a member died");
    CHECK(regraft_communicator_agree(t->comm, true, NULL) == REGRAFT_PROCESS_FAILURE);
    return t->concealed++ == 0 ? REGRAFT_OK : status;
}

static regraft_status recover(regraft_failure const* failure, void* context) {
    struct test* const t = context;
    ++t->recoveries;
    CHECK(failure->num_lost > 0 && strlen(failure->noticed_in) > 0 && failure->shrink_ms >= 0);
    for (uint64_t i = 0; i < failure->num_lost; ++i) CHECK(failure->lost[i] != regraft_communicator_self(t->comm));
    uint32_t const size = regraft_communicator_size(t->comm);
    regraft_status status = regraft_assignment_reassign(t->assignment, regraft_communicator_members(t->comm), size);
    regraft_repair_report report;
    if (status == REGRAFT_OK) status = regraft_store_repair(t->store, NULL, &report);
    return status;
}

static regraft_status dies(struct test* t, int size) {
    regraft_status const status = regraft_resilient(t->comm, work, recover, t);
    if (status == REGRAFT_DEPARTED) return status;
    CHECK(status == REGRAFT_OK && t->recoveries > 0);
    CHECK(regraft_communicator_size(t->comm) < (uint32_t)size && regraft_communicator_epoch(t->comm) > 1);
    CHECK(regraft_checkpoint_generation(t->checkpoint) == 5 && are_blocks(t->all, (regraft_range){0, BLOCKS}));
    return status;
}

/* Blocks without copies: those of the dead are lost, and all members are told, whichever want them. */
static regraft_status lose(void* context) {
    struct test* const t = context;
    if (regraft_store_version(t->store) == 0) {
        regraft_status const status = submit(t);
        if (status != REGRAFT_OK) return status;
    }
    regraft_status const status = load_all(t, NULL, NULL);
    if (status != REGRAFT_DATA_LOST) return status;
    CHECK(strstr(regraft_error_message(), "20 wanted blocks are lost") != NULL);
    regraft_range const* lost;
    uint64_t count;
    CHECK_OK(regraft_store_lost(t->store, &lost, &count));
    CHECK(count == 1 && lost[0].first == 20 && lost[0].last == 40);

    regraft_load_report report;
    memset(t->all, 0, sizeof t->all);
    CHECK_OK(load_all(t, &(regraft_load_options){.leave_lost = true}, &report));
    CHECK(report.num_lost == 1 && t->all[20 * BYTES] == 0 && are_blocks(t->all, (regraft_range){0, 20}));
    CHECK_SAYS(load_all(t, &(regraft_load_options){.reread = refuse}, NULL), REGRAFT_DATA_LOST, "returned status 2");
    int calls = 0;
    CHECK_OK(load_all(t, &(regraft_load_options){.reread = make_blocks, .context = &calls}, &report));
    CHECK(calls == 1 && report.num_lost == 1 && are_blocks(t->all, (regraft_range){0, BLOCKS}));
    /* Half of them come back with the member that gives them. */
    regraft_range const given = {20, 30};
    unsigned char bytes[10 * BYTES];
    uint64_t const num_given = regraft_communicator_position(t->comm) == 0 ? 1 : 0;
    regraft_update_report updated;
    CHECK_OK(make_blocks(given, bytes, sizeof bytes, &calls));
    CHECK_OK(regraft_store_update(t->store, &given, num_given, bytes, num_given * sizeof bytes, &updated));
    CHECK(updated.blocks_changed == 10 && updated.num_regained == 1);
    CHECK_OK(regraft_store_regained(t->store, &lost, &count));
    CHECK(count == 1 && lost[0].first == 20 && lost[0].last == 30);
    regraft_repair_report repaired;
    CHECK_OK(regraft_store_repair(t->store, &(regraft_repair_options){.replicas = 2}, &repaired));
    CHECK(repaired.num_lost == 1 && repaired.least_copies == 2);
    return load_all(t, NULL, NULL);
}

/* One copy of each block, and all are on disk. */
static regraft_status read_again(void* context) {
    struct test* const t = context;
    regraft_status status = REGRAFT_OK;
    if (regraft_store_version(t->store) == 0) status = submit(t);
    if (status == REGRAFT_OK && t->recoveries == 0)
        status = regraft_store_save(t->store, archive_in_tmpdir("again"), NULL, NULL);
    memset(t->all, 0, sizeof t->all);
    if (status == REGRAFT_OK) status = load_all(t, &(regraft_load_options){.from_disk = true}, NULL);
    if (status == REGRAFT_OK) CHECK(are_blocks(t->all, (regraft_range){0, BLOCKS}));
    return status;
}

static regraft_status nothing_to_recover(regraft_failure const* failure, void* context) {
    (void)failure, (void)context;
    return REGRAFT_OK;
}

/* Notices deaths, which an agreement alone does not. */
static regraft_status meet(struct test* t) {
    return regraft_communicator_check(t->comm, MPI_Barrier(regraft_communicator_native(t->comm)), "MPI_Barrier");
}

/* PE 1 breaks a contract while the others wait for it: it ends, and they go on. */
static regraft_status err(void* context) {
    struct test* const t = context;
    return regraft_communicator_self(t->comm) == 1 ? load_all(t, NULL, NULL) : meet(t);
}

/* So does PE 2. */
static regraft_status err_in_recovery(regraft_failure const* failure, void* context) {
    (void)failure;
    struct test* const t = context;
    return regraft_communicator_self(t->comm) == 2 ? REGRAFT_ERROR_INPUT : meet(t);
}

static void const* bytes_of_cell(uint64_t* size, void* context) {
    struct cell const* const cell = context;
    *size = cell->size;
    return cell->data;
}

static void* room_for_cell(uint64_t size, void* context) {
    struct cell* const cell = context;
    free(cell->data);
    cell->data = malloc(size + 1);
    cell->size = size;
    return cell->data;
}

/* A cell comes here, new or from a PE that died. */
static regraft_status add_cell(char const* name, uint64_t size, void* context) {
    struct test* const t = context;
    if (t->num_cells == sizeof t->cells / sizeof *t->cells) return REGRAFT_NO_MEMORY;
    struct cell* const cell = &t->cells[t->num_cells++];
    snprintf(cell->name, sizeof cell->name, "%s", name);
    if (room_for_cell(size, cell) == NULL) return REGRAFT_NO_MEMORY;
    regraft_entity const entity = {bytes_of_cell, room_for_cell, cell};
    return regraft_snapshot_add_entity(t->snapshot, name, &entity);
}

/* Cells grow by a byte in every step, and have the number of the step and their own in each. */
static unsigned char in_cell(struct cell const* cell, uint64_t step) {
    return (unsigned char)((uint64_t)cell->name[5] * 3 + step);
}

static void fill_cells(struct test* t) {
    for (uint64_t i = 0; i < t->num_cells; ++i) {
        room_for_cell(100 + t->step, &t->cells[i]);
        memset(t->cells[i].data, in_cell(&t->cells[i], t->step), t->cells[i].size);
    }
}

static int cells_are_of_this_step(struct test const* t) {
    for (uint64_t i = 0; i < t->num_cells; ++i) {
        struct cell const* const cell = &t->cells[i];
        if (cell->size != 100 + t->step) return 0;
        for (uint64_t j = 0; j < cell->size; ++j) {
            if (cell->data[j] != in_cell(cell, t->step)) return 0;
        }
    }
    return 1;
}

/* A save begins at every fourth commit, and is waited for two commits later. */
static regraft_status save_now_and_then(struct test* t) {
    regraft_status status = REGRAFT_OK;
    if (t->saving != NULL && t->step >= t->saved_step + 2 * INTERVAL) {
        status = regraft_saving_wait(t->saving, NULL);
        regraft_saving_free(t->saving);
        t->saving = NULL;
        if (status == REGRAFT_OK) t->confirmed_step = t->saved_step;
    }
    if (status != REGRAFT_OK || t->saving != NULL || t->step % (4 * INTERVAL) != INTERVAL) return status;
    t->saved_step = t->step;
    regraft_save_options const options = {.attributes = &t->step, .attributes_size = sizeof t->step};
    return regraft_snapshot_start_save(t->snapshot, archive_in_tmpdir("cells"), &options, &t->saving);
}

static regraft_status simulate(void* context) {
    struct test* const t = context;
    regraft_status status = REGRAFT_OK;
    if (regraft_snapshot_generation(t->snapshot) == 0) {
        t->step = 0;
        fill_cells(t);
        status = regraft_snapshot_commit(t->snapshot, NULL);
    }
    while (status == REGRAFT_OK && t->step < STEPS) {
        CHECK(cells_are_of_this_step(t));
        ++t->step;
        fill_cells(t);
        status = meet(t);
        if (status != REGRAFT_OK || !regraft_snapshot_due(t->snapshot)) continue;
        status = regraft_snapshot_commit(t->snapshot, NULL);
        if (status == REGRAFT_OK && strcmp(t->scenario, "saving") == 0) status = save_now_and_then(t);
    }
    bool const saves = strcmp(t->scenario, "saving") == 0;
    if (status != REGRAFT_OK || !saves || t->confirmed_step > 0) return status;
    /* Failures have ended all saves. */
    regraft_save_options const options = {.attributes = &t->step, .attributes_size = sizeof t->step};
    status = regraft_snapshot_save(t->snapshot, archive_in_tmpdir("cells"), &options, NULL);
    if (status == REGRAFT_OK) t->confirmed_step = t->step;
    return status;
}

static regraft_status roll_back(regraft_failure const* failure, void* context) {
    (void)failure;
    struct test* const t = context;
    ++t->recoveries;
    if (t->saving != NULL) CHECK_REFUSED(regraft_saving_wait(t->saving, NULL), "a save that no failure has ended");
    regraft_saving_free(t->saving);
    t->saving = NULL;
    if (regraft_snapshot_generation(t->snapshot) == 0) return REGRAFT_OK;
    regraft_restore_options const options = {.adopt = add_cell, .context = t, .balanced = true};
    regraft_restore_report report;
    regraft_status const status = regraft_snapshot_restore(t->snapshot, &options, &report);
    if (status != REGRAFT_OK) return status;
    for (uint64_t i = 0; i < report.num_adopted; ++i) { /* this PE has what it adopted, from the dead */
        regraft_adoption adoption;
        regraft_committed entity;
        uint64_t at = 0;
        CHECK_OK(regraft_snapshot_adopted(t->snapshot, i, &adoption));
        while (regraft_snapshot_committed(t->snapshot, at, &entity) == REGRAFT_OK &&
               strcmp(entity.name, adoption.name) != 0)
            ++at;
        CHECK(entity.home == adoption.to && entity.bytes == adoption.bytes && adoption.from != adoption.to);
        int const here = adoption.to == regraft_communicator_self(t->comm);
        CHECK(regraft_snapshot_has(t->snapshot, adoption.name) == (here != 0));
    }
    return status;
}

/* What is on disk is one commit, and none before the one that was confirmed. */
static void open_cells(struct test const* t) {
    struct test reader = {.scenario = t->scenario, .comm = t->comm};
    regraft_restore_options const options = {.adopt = add_cell, .context = &reader};
    regraft_open_report opened;
    CHECK(t->confirmed_step > 0);
    CHECK_OK(regraft_snapshot_create(t->comm, NULL, &reader.snapshot));
    CHECK_OK(regraft_snapshot_add_common(reader.snapshot, "step", &reader.step, sizeof reader.step));
    CHECK_OK(regraft_snapshot_open(reader.snapshot, archive_in_tmpdir("cells"), &options, &opened));
    CHECK(opened.attributes_size == sizeof reader.step &&
          memcmp(opened.attributes, &reader.step, sizeof reader.step) == 0);
    CHECK(reader.step >= t->confirmed_step && reader.num_cells > 0 && cells_are_of_this_step(&reader));
    regraft_snapshot_free(reader.snapshot);
    for (uint64_t i = 0; i < reader.num_cells; ++i) free(reader.cells[i].data);
}

/* In the end every cell is somewhere, in the state of the last step. */
static regraft_status snapshot(struct test* t, int rank, int size) {
    char name[16];
    snprintf(name, sizeof name, "cell %d", rank);
    CHECK_OK(regraft_snapshot_create(t->comm, &(regraft_snapshot_options){.steps = INTERVAL}, &t->snapshot));
    CHECK_OK(regraft_snapshot_add_common(t->snapshot, "step", &t->step, sizeof t->step));
    CHECK_OK(add_cell(name, 100, t));
    regraft_status const status = regraft_resilient(t->comm, simulate, roll_back, t);
    if (status == REGRAFT_DEPARTED) return status;
    if (strcmp(t->scenario, "orphan") == 0) { /* it died with its partner */
        CHECK(status == REGRAFT_DATA_LOST && strstr(regraft_error_message(), "cell 0") != NULL);
        CHECK(strcmp(regraft_snapshot_lost(t->snapshot, 0), "cell 0") == 0);
        CHECK(regraft_snapshot_lost(t->snapshot, 1) == NULL);
        return status;
    }
    CHECK(status == REGRAFT_OK && t->recoveries > 0 && t->step == STEPS && cells_are_of_this_step(t));
    regraft_sums* sum = NULL;
    double count = (double)t->num_cells;
    CHECK_OK(regraft_sums_create(1, &sum));
    CHECK_OK(regraft_sums_add(sum, 0, &count, 1));
    CHECK_OK(regraft_sums_all_reduce(t->comm, sum));
    CHECK_OK(regraft_sums_values(sum, 0, &count, 1));
    CHECK(count == size);
    regraft_sums_free(sum);
    if (strcmp(t->scenario, "saving") == 0) open_cells(t);
    return status;
}

/* Sends a number to the next member and gets one from the one before, as often as asked; waits in one of three ways. */
static regraft_status pass_on(struct test* t, int way) {
    MPI_Comm const native = regraft_communicator_native(t->comm);
    int const size = (int)regraft_communicator_size(t->comm), here = (int)regraft_communicator_position(t->comm);
    int const before = (here + size - 1) % size, next = (here + 1) % size;
    int sent = here, received = -1;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    regraft_status status = regraft_communicator_check(
        t->comm, MPI_Irecv(&received, 1, MPI_INT, before, 0, native, &requests[0]), "MPI_Irecv");
    if (status == REGRAFT_OK)
        status = regraft_communicator_check(t->comm, MPI_Isend(&sent, 1, MPI_INT, next, 0, native, &requests[1]),
                                            "MPI_Isend");
    if (status != REGRAFT_OK) { /* the communicator is revoked, so these end */
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else if (way == 0) {
        status = regraft_communicator_wait_all(t->comm, requests, 2);
    } else if (way == 1) {
        MPI_Fint of_fortran[2] = {MPI_Request_c2f(requests[0]), MPI_Request_c2f(requests[1])};
        status = regraft_communicator_wait_all_f(t->comm, of_fortran, 2);
        for (int i = 0; i < 2; ++i) requests[i] = MPI_Request_f2c(of_fortran[i]);
    } else {
        int const code = MPI_Waitall(2, requests, statuses);
        status = regraft_communicator_check_statuses(t->comm, code, statuses, 2, "MPI_Waitall");
        if (status != REGRAFT_OK) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    if (status == REGRAFT_OK) CHECK(received == before);
    return status;
}

static regraft_status ring(void* context) {
    struct test* const t = context;
    regraft_status status = REGRAFT_OK;
    for (int way = 0; way < 3 && status == REGRAFT_OK; ++way) {
        /* The member after a dead one waits for it. */
        if (t->recoveries == 0 && regraft_communicator_self(t->comm) == 1 && way == t->scenario[9] - '0')
            raise(SIGKILL);
        status = pass_on(t, way);
    }
    return status;
}

static regraft_status count_recovery(regraft_failure const* failure, void* context) {
    struct test* const t = context;
    CHECK(failure->num_lost == 1);
    ++t->recoveries;
    return REGRAFT_OK;
}

static void messages(struct test* t, int size) {
    CHECK_OK(regraft_resilient(t->comm, ring, count_recovery, t));
    CHECK(regraft_communicator_size(t->comm) == (uint32_t)size - 1 && t->recoveries == 1);
}

/* The same without the loop. */
static regraft_status shrink(struct test* t, int size) {
    regraft_sums* sums = NULL;
    CHECK_OK(regraft_sums_create(1, &sums));
    regraft_status status = regraft_sums_all_reduce(t->comm, sums);
    if (status == REGRAFT_OK) status = regraft_communicator_agree(t->comm, true, NULL);
    if (status != REGRAFT_DEPARTED) {
        CHECK(status == REGRAFT_PROCESS_FAILURE);
        CHECK(regraft_sums_all_reduce(t->comm, sums) == REGRAFT_PROCESS_FAILURE);
        CHECK(regraft_communicator_look(t->comm) == REGRAFT_PROCESS_FAILURE);
        CHECK_OK(regraft_communicator_shrink(t->comm));
        CHECK(regraft_communicator_size(t->comm) == (uint32_t)size - 1 && regraft_communicator_epoch(t->comm) == 2);
        CHECK_OK(regraft_communicator_agree(t->comm, true, NULL));
        status = regraft_sums_all_reduce(t->comm, sums);
        CHECK_OK(status);
    }
    regraft_sums_free(sums);
    return status;
}

static regraft_status run(struct test* t, int rank, int size) {
    if (strcmp(t->scenario, "calm") == 0) calm(t, rank, size);
    if (strcmp(t->scenario, "dies") == 0 || t->coded) return dies(t, size);
    if (strcmp(t->scenario, "shrink") == 0) return shrink(t, size);
    if (strncmp(t->scenario, "messages-", 9) == 0) messages(t, size);
    if (strcmp(t->scenario, "snapshot") == 0 || strcmp(t->scenario, "orphan") == 0 ||
        strcmp(t->scenario, "saving") == 0)
        return snapshot(t, rank, size);
    if (strcmp(t->scenario, "lost") == 0) {
        regraft_status const status = regraft_resilient(t->comm, lose, nothing_to_recover, t);
        if (status == REGRAFT_DEPARTED) return status;
        CHECK(status == REGRAFT_DATA_LOST && strstr(regraft_error_message(), "wanted blocks are lost") != NULL);
    }
    if (strcmp(t->scenario, "disk") == 0) {
        regraft_status const status = regraft_resilient(t->comm, read_again, count_recovery, t);
        if (status == REGRAFT_DEPARTED) return status;
        CHECK(status == REGRAFT_OK && t->recoveries == 1);
    }
    if (strcmp(t->scenario, "errs") == 0) {
        CHECK_OK(regraft_resilient(t->comm, err, err_in_recovery, t));
        CHECK(regraft_communicator_size(t->comm) == (uint32_t)size - 2);
    }
    return REGRAFT_OK;
}

static void write_verdict(int rank) {
    char const* const folder = getenv("REGRAFT_VERDICTS");
    char path[4096], finished[4096];
    if (folder == NULL) return;
    snprintf(finished, sizeof finished, "%s/%d", folder, rank);
    snprintf(path, sizeof path, "%s/%d.tmp", folder, rank);
    FILE* const file = fopen(path, "w");
    if (file == NULL) return;
    if (num_failed > 0) fprintf(file, "fail: %d of %d checks\n", num_failed, num_checks);
    if (num_failed == 0) fprintf(file, "pass %d\n", num_checks);
    fclose(file);
    rename(path, finished);
}

int main(int argc, char** argv) {
    struct test t = {.scenario = argc > 1 ? argv[1] : "calm"};
    regraft_communicator* early = NULL;
    CHECK_REFUSED(regraft_communicator_create(MPI_COMM_WORLD, &early), "MPI_Init");
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    t.replicas = strcmp(t.scenario, "lost") == 0 || strcmp(t.scenario, "disk") == 0 ? 1 : 2;
    t.coded = strcmp(t.scenario, "coded") == 0;
    char const* const plan = getenv("REGRAFT_FAIL");
    if (plan != NULL && *plan != '\0') CHECK_OK(regraft_plan_failures(plan));
    CHECK_OK(regraft_communicator_create_f(MPI_Comm_c2f(MPI_COMM_WORLD), &t.comm));
    CHECK_OK(regraft_store_create(
        t.comm, &(regraft_store_options){.checked = true, .data = t.coded ? 3 : 0, .parities = t.coded ? 2 : 0},
        &t.store));
    CHECK_OK(regraft_checkpoint_create(t.comm, &t.checkpoint));
    CHECK_OK(regraft_assignment_balance((uint64_t[]){0, BLOCKS}, 1, NULL, (uint32_t)size, &t.assignment));
    regraft_status const status = run(&t, rank, size);
    regraft_communicator_free(t.comm); /* in any order */
    regraft_store_free(t.store);
    regraft_snapshot_free(t.snapshot);
    for (uint64_t i = 0; i < t.num_cells; ++i) free(t.cells[i].data);
    regraft_checkpoint_free(t.checkpoint);
    regraft_assignment_free(t.assignment);
    if (status != REGRAFT_DEPARTED) write_verdict(rank);
    MPI_Finalize();
    return num_failed == 0 ? 0 : 1;
}
