/* regraft for programs in C on MPI: a communicator that survives deaths, the loop around a program that goes on after a
 * failure, blocks in the memory of the PEs, and small checkpoints. docs/c.md has a program; regraft.h says what holds
 * for all functions.
 *
 * Collective: all living members call the function, in the same order. Uniform: either all survivors get REGRAFT_OK or
 * none does. A function that returns REGRAFT_PROCESS_FAILURE was interrupted by a death. The body of regraft_resilient
 * returns that status at once; until the communicator has shrunk, every other function on it returns it as well. Each
 * PE finds REGRAFT_ERROR_ARGUMENT alone, before it takes part in the call: return it from the body as well, and the
 * other PEs go on without this one. A contract that only all members together can break (such as different sizes or
 * placements on different members) aborts with a message. */
#pragma once

#include <mpi.h>

#include "regraft.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- communicator --- */

/* A communicator that shrinks when members die. Getters of NULL return 0, NULL or MPI_COMM_NULL. Not thread-safe. */
typedef struct regraft_communicator regraft_communicator;

/* Makes a communicator from the parent, whose ranks become the PEs. Sets MPI_ERRORS_RETURN on the parent, on
 * MPI_COMM_SELF and, if the parent has all ranks, on MPI_COMM_WORLD. SIGPIPE is ignored from now on. Collective over
 * the parent. */
regraft_status regraft_communicator_create(MPI_Comm parent, regraft_communicator** comm);
/* The same for a communicator of Fortran, and for MPI_COMM_WORLD in languages that have none. */
regraft_status regraft_communicator_create_f(MPI_Fint parent, regraft_communicator** comm);
regraft_status regraft_communicator_create_world(regraft_communicator** comm);
/* Frees the communicator; stores and checkpoints on it keep what they need of it. Not collective. Call it before
 * MPI_Finalize. */
void regraft_communicator_free(regraft_communicator* comm);

/* The number of this PE. */
uint32_t regraft_communicator_self(regraft_communicator const* comm);
/* The number of living PEs, and an array [size] of these PEs, ascending: a PE's position in it is its rank in native.
 * Valid until the communicator shrinks. */
uint32_t regraft_communicator_size(regraft_communicator const* comm);
uint32_t const* regraft_communicator_members(regraft_communicator const* comm);
/* This PE's rank in native. The PE with rank 0 should write files and talk to people. */
uint32_t regraft_communicator_position(regraft_communicator const* comm);
/* The number of PEs at the start. */
uint32_t regraft_communicator_num_founders(regraft_communicator const* comm);
/* 1 at first, and one more after each shrink. */
uint32_t regraft_communicator_epoch(regraft_communicator const* comm);
/* The communicator for MPI calls. Their return codes go through check. Valid until the communicator shrinks. An error
 * that is not passed to check is noted: the next collective of the library names the call on stderr, and handles a
 * death as if it had been checked. */
MPI_Comm regraft_communicator_native(regraft_communicator const* comm);
/* The same communicator as a handle of Fortran. */
MPI_Fint regraft_communicator_native_f(regraft_communicator const* comm);

/* Turns MPI's return code into a status: REGRAFT_PROCESS_FAILURE, after which all other members learn of the death, or
 * REGRAFT_ERROR_MPI. `call` names the MPI call in messages. Not collective. */
regraft_status regraft_communicator_check(regraft_communicator* comm, int code, char const* call);
/* The same for calls that fill statuses[count], such as MPI_Waitall. They return MPI_ERR_IN_STATUS if a request has an
 * error; then the errors in the statuses count, and a death takes precedence over other errors. */
regraft_status regraft_communicator_check_statuses(regraft_communicator* comm, int code, MPI_Status const* statuses,
                                                   uint64_t count, char const* call);
/* Returns when requests[count] are complete, and sets them to MPI_REQUEST_NULL. The requests belong to messages on
 * native or on communicators made from it. On REGRAFT_PROCESS_FAILURE none of them is under way any more, either. Not
 * collective. */
regraft_status regraft_communicator_wait_all(regraft_communicator* comm, MPI_Request* requests, uint64_t count);
/* The same for requests, and statuses[MPI_STATUS_SIZE * count], of Fortran. */
regraft_status regraft_communicator_check_statuses_f(regraft_communicator* comm, int code, MPI_Fint const* statuses,
                                                     uint64_t count, char const* call);
regraft_status regraft_communicator_wait_all_f(regraft_communicator* comm, MPI_Fint* requests, uint64_t count);
/* Is called in place of check if the caller has dealt with the error itself. */
regraft_status regraft_communicator_dismiss_errors(regraft_communicator* comm);
/* Returns REGRAFT_PROCESS_FAILURE if a member has died, as far as this PE has been told. Takes a microsecond. Not
 * collective. */
regraft_status regraft_communicator_look(regraft_communicator* comm);
/* Writes to *all whether `mine` is true on all members; all may be NULL. Collective, uniform. */
regraft_status regraft_communicator_agree(regraft_communicator* comm, bool mine, bool* all);
/* Makes the communicator anew without the dead, after REGRAFT_PROCESS_FAILURE outside of regraft_resilient. Collective
 * over survivors, uniform. */
regraft_status regraft_communicator_shrink(regraft_communicator* comm);

/* Replaces data[size] by that of root, which is a member. Collective, not uniform. */
regraft_status regraft_communicator_broadcast(regraft_communicator* comm, void* data, uint64_t size, uint32_t root);
/* Replaces each sum by the exact sum over all members. All members pass the same number of sums. Collective, not
 * uniform. */
regraft_status regraft_sums_all_reduce(regraft_communicator* comm, regraft_sums* sums);
/* Writes the id of each member's node to node_of[size], as regraft_placement_node_aware expects it. Collective,
 * uniform. */
regraft_status regraft_node_ids(regraft_communicator* comm, uint32_t* node_of, uint64_t size);

/* Plans the deaths of PEs, for tests of programs: "point:rank:occurrence,..."; "" kills none. All PEs pass the same
 * text. */
regraft_status regraft_plan_failures(char const* plan);

/* --- the loop around a program that survives --- */

typedef struct regraft_failure {
    uint32_t const* lost; /* [num_lost]: all PEs that died since the last recovery that succeeded; the same on all */
    uint64_t num_lost;
    char const* noticed_in; /* the call in which this PE noticed the failure */
    double silence_ms;      /* time since this PE's last call that succeeded: an upper bound for the time to notice */
    double shrink_ms;       /* time from noticing to the renewed communicator */
} regraft_failure;

typedef regraft_status (*regraft_body)(void* context);
typedef regraft_status (*regraft_recover)(regraft_failure const* failure, void* context);

/* Runs body(context) until it returns REGRAFT_OK on all survivors. If body or recover returns REGRAFT_PROCESS_FAILURE
 * on any of them, all shrink, call recover(failure, context), and then body again, which starts from the last state
 * that was agreed on. A status that all members return alike ends the loop and is its result: REGRAFT_DATA_LOST,
 * REGRAFT_DIVERGENCE, REGRAFT_DAMAGED, REGRAFT_DUPLICATE, REGRAFT_DISK, and REGRAFT_UNIFORM and above. Any other status
 * ends this process by abort() with its message, because other PEs may wait for it; they go on without it. If only one
 * PE is left, it gets that status as the result. Collective, uniform. */
regraft_status regraft_resilient(regraft_communicator* comm, regraft_body body, regraft_recover recover, void* context);

/* --- archives: the last level, on a disk that all members see (docs/disk.md) --- */

/* {0} is the default. All members pass the same values. */
typedef struct regraft_save_options {
    uint32_t files;         /* number of data files; 0: one for each node */
    uint32_t kept;          /* number of complete generations that stay, the new one included; 0: 2 */
    void const* attributes; /* [attributes_size]: saved beside the data, for the program that opens it */
    uint64_t attributes_size;
} regraft_save_options;

typedef struct regraft_save_report {
    uint64_t generation; /* number of the generation in the archive */
    uint64_t files;
    uint64_t bytes;         /* bytes of all members */
    uint64_t bytes_written; /* bytes that this PE wrote */
} regraft_save_report;

typedef struct regraft_open_report {
    uint64_t generation;    /* number of the generation in the archive: the newest that is undamaged */
    uint64_t num_refused;   /* number of newer generations that were refused (regraft_store_refused,
                             * regraft_snapshot_refused) */
    void const* attributes; /* [attributes_size], valid until the next open */
    uint64_t attributes_size;
    uint64_t saved_commit; /* of a snapshot: its generation when it was saved */
    uint64_t num_adopted;  /* number of entities whose home differs from that at the save (regraft_snapshot_adopted) */
    uint64_t num_removed;  /* number of entities of this PE that are unregistered now (regraft_snapshot_removed) */
    uint64_t bytes_read;   /* bytes of this PE's entities that were read */
} regraft_open_report;

/* --- store: blocks 0, ..., n - 1 in the memory of the PEs --- */

/* Read-only data with every block on several PEs, so that any PE can read it after some have died. */
typedef struct regraft_store regraft_store;

/* {0} is the default. All members pass the same values, except for node. */
typedef struct regraft_store_options {
    bool checked;      /* checksums: what is read is verified, and a bad copy is replaced by a good one */
    bool referenced;   /* own blocks are kept by reference: the memory given to submit must not change */
    bool rounds;       /* bytes go by point-to-point messages, not by MPI_Alltoallv; see docs/failure-model.md */
    uint32_t parities; /* not 0: an erasure code replaces copies (docs/store.md); its number of parities */
    uint32_t data;     /* its number of data pieces; both numbers together are at most 255 */
    uint32_t const*
        node; /* with a code: this PE's failure domain (regraft_node_ids); either all members give one or none does */
} regraft_store_options;

/* Reads lost blocks again, for example from a file, to out[size]. The blocks stay lost unless it returns REGRAFT_OK.
 * Not collective. */
typedef regraft_status (*regraft_reread)(regraft_range blocks, void* out, uint64_t size, void* context);

/* {0} is the default. All members pass the same values, except for reread and its context. */
typedef struct regraft_load_options {
    regraft_reread reread; /* a source of last resort, or NULL */
    void* context;         /* passed to reread */
    bool from_disk;        /* before reread: lost blocks are read from where this version was saved or opened */
    bool leave_lost;       /* the places of lost blocks stay unchanged; false: REGRAFT_DATA_LOST */
} regraft_load_options;

typedef struct regraft_load_report {
    uint64_t num_lost;     /* number of ranges that no living PE holds (regraft_store_lost) */
    uint64_t num_damaged;  /* number of copies with wrong checksums */
    uint64_t blocks_moved; /* blocks that travelled between different PEs, in total */
    uint64_t bytes_moved;
    uint64_t most_sent;       /* largest number of bytes that one PE sent */
    uint64_t most_sent_bound; /* lower bound for most_sent for any choice of senders */
    uint64_t most_received;
    uint64_t bytes_received; /* bytes that this PE received from others */
    uint64_t bytes_local;    /* bytes that this PE held itself */
} regraft_load_report;

/* {0} is the default. */
typedef struct regraft_repair_options {
    uint32_t replicas;    /* copies of every block, the same on all members; 0: as many as at submission. Unused with a
                           * code */
    uint64_t room;        /* bytes of blocks that this PE may hold; 0: no limit */
    uint32_t const* node; /* this PE's failure domain (regraft_node_ids); all members give one or none does. Unused with
                           * a code */
} regraft_repair_options;

/* With a code, the number of copies is the number of deaths that are survived plus one, and bytes_missing counts the
 * bytes that were made anew. */
typedef struct regraft_repair_report {
    uint32_t least_copies; /* smallest number of copies, afterwards, of a block that is not lost */
    uint32_t most_copies;
    uint64_t num_lost;           /* number of ranges that no PE holds (regraft_store_lost) */
    uint64_t num_damaged;        /* number of copies with wrong checksums */
    uint64_t bytes_missing;      /* bytes of copies that were missing */
    uint64_t bytes_not_restored; /* bytes of copies that stay missing because there is no room */
    uint64_t bytes_copied;       /* bytes that were copied */
    uint64_t most_sent;          /* largest number of bytes that one PE sent */
    uint64_t most_received;
    uint64_t num_unplaced; /* number of pieces of a code for which no PE has room */
} regraft_repair_report;

/* Makes an empty store. options may be NULL, here and below. Not collective. */
regraft_status regraft_store_create(regraft_communicator* comm, regraft_store_options const* options,
                                    regraft_store** store);
void regraft_store_free(regraft_store* store);

/* Stores blocks[block_bytes * mine], the blocks `mine` of this PE, on the holders that the placement names. The
 * placement has a slot for each member; for a store with a code it is NULL. The new version replaces the one before,
 * which stays if this fails. The members' ranges cover the placement's blocks, each once. All members pass the same
 * placement, size and options. Collective, uniform. */
regraft_status regraft_store_submit(regraft_store* store, regraft_placement const* placement, regraft_range mine,
                                    void const* blocks, uint64_t block_bytes);
/* The same for blocks of different sizes: block mine.first + i is the bytes offsets[i], ..., offsets[i + 1] - 1 of
 * blocks. offsets[mine + 1] ascends from 0. */
regraft_status regraft_store_submit_sized(regraft_store* store, regraft_placement const* placement, regraft_range mine,
                                          void const* blocks, uint64_t const* offsets);
/* Loads the blocks wanted[count], one behind the other, to out[size]; size is the sum of their sizes. Every member may
 * want different blocks, or none. report may be NULL. If blocks are lost, everything else is delivered first, and then
 * all members get REGRAFT_DATA_LOST. After REGRAFT_PROCESS_FAILURE out is unspecified. Collective, uniform. */
regraft_status regraft_store_load(regraft_store* store, regraft_range const* wanted, uint64_t count, void* out,
                                  uint64_t size, regraft_load_options const* options, regraft_load_report* report);
/* Makes the copies that died again on other PEs. Called after a shrink. report may be NULL. Collective, uniform. */
regraft_status regraft_store_repair(regraft_store* store, regraft_repair_options const* options,
                                    regraft_repair_report* report);
/* Verifies all copies that this PE keeps and replaces bad ones, whose number goes to *num_damaged unless that is NULL.
 * Only for stores with checksums. Collective, uniform. */
regraft_status regraft_store_scrub(regraft_store* store, uint64_t* num_damaged);

/* Writes every block once into a new generation of the archive. The archive is a folder, which is made if needed. The
 * generations before stay as they are if this fails. options and report may be NULL. Collective, uniform. */
regraft_status regraft_store_save(regraft_store* store, char const* archive, regraft_save_options const* options,
                                  regraft_save_report* report);
/* Writes a placement of num_blocks blocks, with a slot for each member, to *placement; the store frees it. */
typedef regraft_status (*regraft_place)(uint64_t num_blocks, void* context, regraft_placement** placement);
/* Submits the blocks of the newest undamaged generation as a new version. Any kind of store, on any number of PEs, may
 * have written it. place is NULL for a store with a code. report may be NULL. Collective, uniform. */
regraft_status regraft_store_open(regraft_store* store, char const* archive, regraft_place place, void* context,
                                  regraft_open_report* report);
/* Says what is wrong with a generation that is newer than the one that the last open read. NULL unless index is below
 * their number. */
char const* regraft_store_refused(regraft_store const* store, uint64_t index);

/* The number of blocks of the version that can be read; 0 before the first submit. */
uint64_t regraft_store_num_blocks(regraft_store const* store);
/* The number of submits that have succeeded. */
uint64_t regraft_store_version(regraft_store const* store);
/* The bytes of blocks that this PE keeps, without those by reference. */
uint64_t regraft_store_bytes_held(regraft_store const* store);
/* Writes the size of all blocks in a range, in bytes, to *size. */
regraft_status regraft_store_size(regraft_store const* store, regraft_range blocks, uint64_t* size);
/* Sets *bytes to the bytes of the blocks and *size to their number. *bytes is NULL unless this PE holds all the blocks
 * in one piece (and, with checksums, undamaged). Valid until the next submit, repair or scrub. */
regraft_status regraft_store_held(regraft_store const* store, regraft_range blocks, void const** bytes, uint64_t* size);
/* Sets *ranges to the ranges of blocks that the last load, repair or scrub found lost, and *count to their number. The
 * ranges ascend and are disjoint. Valid until the next of these calls. The same on all members. */
regraft_status regraft_store_lost(regraft_store const* store, regraft_range const** ranges, uint64_t* count);
/* Frees the memory that is kept for the next submit. */
regraft_status regraft_store_trim(regraft_store* store);

/* --- small state that changes often --- */

/* State that every member keeps and that is replaced on all of them or on none. */
typedef struct regraft_checkpoint regraft_checkpoint;

regraft_status regraft_checkpoint_create(regraft_communicator* comm, regraft_checkpoint** checkpoint);
void regraft_checkpoint_free(regraft_checkpoint* checkpoint);
/* Every member contributes share[size] and keeps all shares. On REGRAFT_PROCESS_FAILURE the last generation stays on
 * all members. Collective, uniform. */
regraft_status regraft_checkpoint_commit(regraft_checkpoint* checkpoint, void const* share, uint64_t size);
/* The same for state[size] that every member has computed alike: there is no exchange, and one share is kept. Returns
 * REGRAFT_DIVERGENCE if the states differ, as far as 15 bits of a hash tell. */
regraft_status regraft_checkpoint_commit_identical(regraft_checkpoint* checkpoint, void const* state, uint64_t size);
/* The number of commits that succeeded. */
uint64_t regraft_checkpoint_generation(regraft_checkpoint const* checkpoint);
/* The number of shares in the last commit; 0 before the first commit. */
uint64_t regraft_checkpoint_num_shares(regraft_checkpoint const* checkpoint);
/* Sets *pe to the PE of share `index` (unless pe is NULL; any PE for an identical state), *bytes to the share and *size
 * to its length in bytes. Valid until the next commit. */
regraft_status regraft_checkpoint_share(regraft_checkpoint const* checkpoint, uint64_t index, uint32_t* pe,
                                        void const** bytes, uint64_t* size);

/* --- snapshots: changing state of any size --- */

/* An entity belongs to the PE that adds it and has a name that no other member uses. Entities may be added, removed and
 * moved between commits. A commit writes them into spare memory, on this PE and on partners; a death at any moment
 * leaves the commit before. docs/snapshot.md has the details. */
typedef struct regraft_snapshot regraft_snapshot;

/* {0} is the default. All members pass the same values. */
typedef struct regraft_snapshot_options {
    uint32_t copies;   /* copies of every entity, on different PEs; 0: 2 */
    uint32_t parities; /* not 0: an erasure code replaces copies; its number of parities */
    uint32_t data;     /* its number of data pieces; both numbers together are at most 255 */
    bool compressed;
    bool checked;      /* checksums: a damaged copy counts as a lost one */
    uint64_t steps;    /* steps between two commits (regraft_snapshot_due); 0: as many as Young's formula says */
    double mtbf_hours; /* mean time between two failures of the job, for Young's formula; 0: 24 */
} regraft_snapshot_options;

/* Returns a pointer to the state and writes its length in bytes to *size. */
typedef void const* (*regraft_entity_bytes)(uint64_t* size, void* context);
/* Returns a pointer to room into which a state of this size is written back; NULL if there is none. */
typedef void* (*regraft_entity_room)(uint64_t size, void* context);

/* An entity whose size or place changes. */
typedef struct regraft_entity {
    regraft_entity_bytes bytes;
    regraft_entity_room room;
    void* context; /* passed to both */
} regraft_entity;

/* Adds an entity of this name, for a state of this size, to the snapshot. It is called on the new home of an entity
 * whose own home has died or has given it away. The restore ends on this PE unless it returns REGRAFT_OK. */
typedef regraft_status (*regraft_adopt)(char const* name, uint64_t size, void* context);

/* {0} is the default. All members pass the same values, except for adopt and its context. */
typedef struct regraft_restore_options {
    regraft_adopt adopt; /* NULL: there is nothing to adopt */
    void* context;       /* passed to adopt */
    bool balanced;       /* entities of the dead go to the PEs with the fewest bytes; false: to PEs with a copy */
    bool leave_lost;     /* all entities that are not lost are restored; false: REGRAFT_DATA_LOST */
    bool from_disk;      /* entities that no living PE has are read from where this very commit was saved or opened */
} regraft_restore_options;

typedef struct regraft_commit_report {
    uint64_t bytes;        /* bytes of this PE's entities */
    uint64_t stored_bytes; /* bytes of this PE's entities as they are stored */
    double create_ms;
    double exchange_ms;
} regraft_commit_report;

typedef struct regraft_restore_report {
    uint64_t generation;       /* the commit to which all members have gone back */
    uint64_t num_adopted;      /* number of entities that have a new home (regraft_snapshot_adopted) */
    uint64_t num_lost;         /* number of entities that no PE could give back (regraft_snapshot_lost) */
    uint64_t num_removed;      /* number of entities of this PE that are unregistered now (regraft_snapshot_removed) */
    uint64_t bytes_local;      /* bytes of this PE's entities that came from its own memory */
    uint64_t bytes_received;   /* bytes of this PE's entities that came from other PEs */
    uint64_t redundancy_bytes; /* bytes that travelled to make copies or parities anew */
} regraft_restore_report;

/* An entity of the last commit. */
typedef struct regraft_committed {
    char const* name; /* valid until the next commit */
    uint32_t home;    /* the PE that owns the entity */
    uint64_t bytes;
    uint64_t stored_bytes; /* less than bytes if the entity is stored compressed */
} regraft_committed;

/* An entity that has a new home. */
typedef struct regraft_adoption {
    char const* name; /* valid until the next restore */
    uint32_t from;
    uint32_t to;
    uint64_t bytes;
} regraft_adoption;

/* Makes an empty snapshot. options may be NULL, here and below. Not collective. */
regraft_status regraft_snapshot_create(regraft_communicator* comm, regraft_snapshot_options const* options,
                                       regraft_snapshot** snapshot);
void regraft_snapshot_free(regraft_snapshot* snapshot);

/* Registers data[size], which must stay in place, as an entity of this PE with a new name. Not collective. */
regraft_status regraft_snapshot_add(regraft_snapshot* snapshot, char const* name, void* data, uint64_t size);
/* The same for a state whose size or place changes. */
regraft_status regraft_snapshot_add_entity(regraft_snapshot* snapshot, char const* name, regraft_entity const* entity);
/* Registers data[size] that is the same on all members, such as the number of the step. Every member keeps its own. */
regraft_status regraft_snapshot_add_common(regraft_snapshot* snapshot, char const* name, void* data, uint64_t size);
/* Unregisters an entity. Its committed state stays until the next commit. Not collective. */
regraft_status regraft_snapshot_remove(regraft_snapshot* snapshot, char const* name);
bool regraft_snapshot_has(regraft_snapshot const* snapshot, char const* name);

/* Makes the present state of all entities the one that a restore goes back to. report may be NULL.
 * REGRAFT_DUPLICATE, REGRAFT_DIVERGENCE (common entities differ between members) and a death leave the commit
 * before. Collective, uniform. */
regraft_status regraft_snapshot_commit(regraft_snapshot* snapshot, regraft_commit_report* report);
/* Counts a step of the program and returns whether a commit is due. The same on all members; no communication. */
bool regraft_snapshot_due(regraft_snapshot* snapshot);
/* Goes back to the last commit; there must be one. report may be NULL. Collective, uniform. */
regraft_status regraft_snapshot_restore(regraft_snapshot* snapshot, regraft_restore_options const* options,
                                        regraft_restore_report* report);
/* Writes every entity of the last commit once into a new generation of the archive. The archive is a folder, which is
 * made if needed. options and report may be NULL. Collective, uniform. */
regraft_status regraft_snapshot_save(regraft_snapshot* snapshot, char const* archive,
                                     regraft_save_options const* options, regraft_save_report* report);
/* Reads the newest undamaged generation of the archive, makes it the state, and commits it. Any number of PEs may have
 * saved it. Of options only adopt and its context count. On REGRAFT_DISK everything stays as it is. report may be NULL.
 * Collective, uniform. */
regraft_status regraft_snapshot_open(regraft_snapshot* snapshot, char const* archive,
                                     regraft_restore_options const* options, regraft_open_report* report);
/* Says what is wrong with a refused generation, as regraft_store_refused. */
char const* regraft_snapshot_refused(regraft_snapshot const* snapshot, uint64_t index);
/* The number of commits that have succeeded. */
uint64_t regraft_snapshot_generation(regraft_snapshot const* snapshot);
/* The first returns the number of entities in the last commit; the second writes entity `index` of them to *entity,
 * with its present home. The same on all members. */
uint64_t regraft_snapshot_num_committed(regraft_snapshot const* snapshot);
regraft_status regraft_snapshot_committed(regraft_snapshot const* snapshot, uint64_t index, regraft_committed* entity);
/* Writes entity `index` of those with a new home since the last restore or open to *adoption, in the order of the
 * commit. The same on all members. */
regraft_status regraft_snapshot_adopted(regraft_snapshot const* snapshot, uint64_t index, regraft_adoption* adoption);
/* The name of entity `index` of those that the last restore found lost; NULL unless index is below their number. Valid
 * until the next restore. */
char const* regraft_snapshot_lost(regraft_snapshot const* snapshot, uint64_t index);
/* The name of entity `index` of those that the last restore or open unregistered on this PE because another PE owned
 * them in the commit or because they were added since. NULL unless index is below their number. Valid until the next
 * restore or open. */
char const* regraft_snapshot_removed(regraft_snapshot const* snapshot, uint64_t index);
/* Bytes of memory for buffers and copies. regraft_snapshot_trim frees the part that is kept for the next commit. */
uint64_t regraft_snapshot_bytes_held(regraft_snapshot const* snapshot);
regraft_status regraft_snapshot_trim(regraft_snapshot* snapshot);

#ifdef __cplusplus
}
#endif
