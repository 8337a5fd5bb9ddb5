/* regraft for programs in C on MPI: a communicator that survives deaths, the loop around a program that goes on, blocks
 * in the memory of the PEs, small checkpoints. docs/c.md has a program; regraft.h says what holds for all functions.
 *
 * Collective: all living members call it, in the same order. Uniform: all survivors get REGRAFT_OK, or all do not. A
 * function that returns REGRAFT_PROCESS_FAILURE was interrupted by a death: the body of regraft_resilient returns that
 * at once, and so does every other function on the communicator until it has shrunk. REGRAFT_ERROR_ARGUMENT is found
 * by each PE for itself, before it takes part: return it from the body as well, and the others go on without this PE.
 * What only all members together can break (other sizes or placements elsewhere) aborts, with a message. */
#pragma once

#include <mpi.h>

#include "regraft.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- communicator --- */

/* A communicator that shrinks when members die. Getters of NULL return 0, NULL or MPI_COMM_NULL. Not thread-safe. */
typedef struct regraft_communicator regraft_communicator;

/* Made of the parent, whose ranks become the PEs; sets MPI_ERRORS_RETURN on it, on MPI_COMM_SELF, and if it has all
 * ranks on MPI_COMM_WORLD. SIGPIPE is ignored from now on. Collective over the parent. */
regraft_status regraft_communicator_create(MPI_Comm parent, regraft_communicator** comm);
/* The same with a communicator of Fortran, and of MPI_COMM_WORLD for languages that have none. */
regraft_status regraft_communicator_create_f(MPI_Fint parent, regraft_communicator** comm);
regraft_status regraft_communicator_create_world(regraft_communicator** comm);
/* Stores and checkpoints on it keep what they need of it. Not collective. Best before MPI_Finalize. */
void regraft_communicator_free(regraft_communicator* comm);

/* The PE that this is. */
uint32_t regraft_communicator_self(regraft_communicator const* comm);
/* How many PEs live, and which they are, ascending, [size]: their position is their rank in native. Valid until the
 * communicator shrinks. */
uint32_t regraft_communicator_size(regraft_communicator const* comm);
uint32_t const* regraft_communicator_members(regraft_communicator const* comm);
/* This PE's rank in native; 0 on the one that writes files and talks to people. */
uint32_t regraft_communicator_position(regraft_communicator const* comm);
/* How many PEs there were at the start. */
uint32_t regraft_communicator_num_founders(regraft_communicator const* comm);
/* 1 at first, one more after each shrink. */
uint32_t regraft_communicator_epoch(regraft_communicator const* comm);
/* For MPI calls, whose return codes go through check. Valid until the communicator shrinks. An error that does not is
 * noted: the next collective of the library says on stderr which call it was, and answers a death as if it was checked.
 */
MPI_Comm regraft_communicator_native(regraft_communicator const* comm);
/* The same as Fortran names it. */
MPI_Fint regraft_communicator_native_f(regraft_communicator const* comm);

/* MPI's return code as a status: REGRAFT_PROCESS_FAILURE, of which all others then hear, or REGRAFT_ERROR_MPI. `call`
 * names it in messages. Not collective. */
regraft_status regraft_communicator_check(regraft_communicator* comm, int code, char const* call);
/* The same for calls that fill statuses[count], such as MPI_Waitall, which answer MPI_ERR_IN_STATUS if one of them has
 * an error: what is in these counts, and a death before other errors. */
regraft_status regraft_communicator_check_statuses(regraft_communicator* comm, int code, MPI_Status const* statuses,
                                                   uint64_t count, char const* call);
/* Returns when requests[count] are complete, and leaves them MPI_REQUEST_NULL: of messages on native, or on
 * communicators made of it. On REGRAFT_PROCESS_FAILURE nothing of them is under way any more, either. Not collective.
 */
regraft_status regraft_communicator_wait_all(regraft_communicator* comm, MPI_Request* requests, uint64_t count);
/* The same with requests, and statuses[MPI_STATUS_SIZE * count], of Fortran. */
regraft_status regraft_communicator_check_statuses_f(regraft_communicator* comm, int code, MPI_Fint const* statuses,
                                                     uint64_t count, char const* call);
regraft_status regraft_communicator_wait_all_f(regraft_communicator* comm, MPI_Fint* requests, uint64_t count);
/* In place of check, where the caller has dealt with the error by itself. */
regraft_status regraft_communicator_dismiss_errors(regraft_communicator* comm);
/* REGRAFT_PROCESS_FAILURE if a member has died, as far as this PE has been told; a microsecond. Not collective. */
regraft_status regraft_communicator_look(regraft_communicator* comm);
/* To *all, whether all members say `mine`; all may be NULL. Collective, uniform. */
regraft_status regraft_communicator_agree(regraft_communicator* comm, bool mine, bool* all);
/* After REGRAFT_PROCESS_FAILURE, without regraft_resilient: goes on without the dead. Collective over survivors,
 * uniform. */
regraft_status regraft_communicator_shrink(regraft_communicator* comm);

/* Replaces data[size] by the root's, which is a member. Collective, not uniform. */
regraft_status regraft_communicator_broadcast(regraft_communicator* comm, void* data, uint64_t size, uint32_t root);
/* Replaces each sum by the exact one over all members, who have as many. Collective, not uniform. */
regraft_status regraft_sums_all_reduce(regraft_communicator* comm, regraft_sums* sums);
/* To node_of[size], per member the id of its node: what regraft_placement_node_aware takes. Collective, uniform. */
regraft_status regraft_node_ids(regraft_communicator* comm, uint32_t* node_of, uint64_t size);

/* Kills PEs on purpose: "point:rank:occurrence,..."; "" nobody. The same text on every PE. For tests of programs. */
regraft_status regraft_plan_failures(char const* plan);

/* --- the loop around a program that survives --- */

typedef struct regraft_failure {
    uint32_t const* lost; /* [num_lost]: all that died since the last recovery that succeeded; the same on all */
    uint64_t num_lost;
    char const* noticed_in; /* the call in which this PE noticed */
    double silence_ms;      /* since this PE's last call that succeeded: a bound for the time to notice */
    double shrink_ms;       /* from noticing to the renewed communicator */
} regraft_failure;

typedef regraft_status (*regraft_body)(void* context);
typedef regraft_status (*regraft_recover)(regraft_failure const* failure, void* context);

/* Runs body(context) until it returns REGRAFT_OK on all survivors. After REGRAFT_PROCESS_FAILURE, from body or recover
 * on any of them: shrinks, then recover(failure, context), then body again, from the last state that was agreed on.
 * What all members return alike ends the loop and is its result: REGRAFT_DATA_LOST, REGRAFT_DIVERGENCE,
 * REGRAFT_DAMAGED, REGRAFT_DUPLICATE, REGRAFT_DISK, REGRAFT_UNIFORM and above. Any other ends this process by abort(),
 * with its message, so that the others, who may wait for it, go on without it; the only PE left gets it as the result.
 * Collective, uniform. */
regraft_status regraft_resilient(regraft_communicator* comm, regraft_body body, regraft_recover recover, void* context);

/* --- archives: the last level, on a disk that all members see (docs/disk.md) --- */

/* {0} is the default. The same on all members. */
typedef struct regraft_save_options {
    uint32_t files;         /* data files; 0: one for each node */
    uint32_t kept;          /* complete generations that stay, the new one included; 0: 2 */
    void const* attributes; /* [attributes_size]: stays beside what is saved, for who opens it */
    uint64_t attributes_size;
} regraft_save_options;

typedef struct regraft_save_report {
    uint64_t generation; /* its number in the archive */
    uint64_t files;
    uint64_t bytes;         /* of all members, */
    uint64_t bytes_written; /* and by this PE */
} regraft_save_report;

typedef struct regraft_open_report {
    uint64_t generation;    /* of the archive: the newest of which all is right */
    uint64_t num_refused;   /* newer ones (regraft_store_refused, regraft_snapshot_refused) */
    void const* attributes; /* [attributes_size], valid until the next open */
    uint64_t attributes_size;
    uint64_t saved_commit; /* of a snapshot: its generation when it was saved */
    uint64_t num_adopted;  /* entities that have other homes than then (regraft_snapshot_adopted), */
    uint64_t num_removed;  /* and those of this PE that are unregistered now (regraft_snapshot_removed) */
    uint64_t bytes_read;   /* of this PE's entities */
} regraft_open_report;

/* --- store: blocks 0, ..., n - 1 in the memory of the PEs --- */

/* Read-only data, every block on several PEs, to be read by anybody after some have died. */
typedef struct regraft_store regraft_store;

/* {0} is the default. The same on all members, but for node. */
typedef struct regraft_store_options {
    bool checked;      /* checksums: what is read is verified, a bad copy replaced by a good one */
    bool referenced;   /* own blocks are kept by reference: the memory given to submit stays as it is */
    bool rounds;       /* bytes go by point-to-point messages, not by MPI_Alltoallv; see docs/failure-model.md */
    uint32_t parities; /* not 0: an erasure code in place of copies, with so many parities (docs/store.md) ... */
    uint32_t data;     /* ... of so many pieces of data; together at most 255 */
    uint32_t const*
        node; /* of a code: this PE's failure domain (regraft_node_ids); all members give one or none does */
} regraft_store_options;

/* Reads blocks that are lost again, such as from a file, to out[size]. Not collective. Anything but REGRAFT_OK: they
 * are lost. */
typedef regraft_status (*regraft_reread)(regraft_range blocks, void* out, uint64_t size, void* context);

/* {0} is the default. The same on all members, but for reread and its context. */
typedef struct regraft_load_options {
    regraft_reread reread; /* a source of last resort, or NULL */
    void* context;         /* of reread */
    bool from_disk;        /* before that: from where this version was saved or opened */
    bool leave_lost;       /* lost blocks: their places stay as they were, instead of REGRAFT_DATA_LOST */
} regraft_load_options;

typedef struct regraft_load_report {
    uint64_t num_lost;     /* ranges that nobody alive holds (regraft_store_lost) */
    uint64_t num_damaged;  /* copies with wrong checksums */
    uint64_t blocks_moved; /* between different PEs, all together */
    uint64_t bytes_moved;
    uint64_t most_sent;       /* bytes by one PE, */
    uint64_t most_sent_bound; /* and what no choice of senders could have gone below */
    uint64_t most_received;
    uint64_t bytes_received; /* by this PE from others, */
    uint64_t bytes_local;    /* and that it held itself */
} regraft_load_report;

/* {0} is the default. */
typedef struct regraft_repair_options {
    uint32_t replicas;    /* copies of every block, the same on all members; 0: as many as at submission. No code */
    uint64_t room;        /* bytes of blocks that this PE may hold; 0: any number */
    uint32_t const* node; /* this PE's failure domain (regraft_node_ids); all members give one or none does. No code */
} regraft_repair_options;

/* With a code copies are deaths that are survived, and one more; what was missing is what was made anew. */
typedef struct regraft_repair_report {
    uint32_t least_copies; /* of blocks that are not lost, afterwards */
    uint32_t most_copies;
    uint64_t num_lost;           /* ranges that nobody holds (regraft_store_lost) */
    uint64_t num_damaged;        /* copies with wrong checksums */
    uint64_t bytes_missing;      /* of copies that were missing, */
    uint64_t bytes_not_restored; /* that stay missing because there is no room, */
    uint64_t bytes_copied;       /* and that were copied */
    uint64_t most_sent;          /* by one PE */
    uint64_t most_received;
    uint64_t num_unplaced; /* pieces of a code for which nobody has room */
} regraft_repair_report;

/* options may be NULL, here and below. Not collective. */
regraft_status regraft_store_create(regraft_communicator* comm, regraft_store_options const* options,
                                    regraft_store** store);
void regraft_store_free(regraft_store* store);

/* Stores blocks[block_bytes * mine], the blocks `mine` of this PE, on the holders that the placement names; it has a
 * slot for each member. A store with a code takes no placement, which is NULL. Replaces the version before, which stays
 * if this fails. The members' ranges cover the placement's blocks, each once; same placement, size and options
 * everywhere. Collective, uniform. */
regraft_status regraft_store_submit(regraft_store* store, regraft_placement const* placement, regraft_range mine,
                                    void const* blocks, uint64_t block_bytes);
/* The same for blocks of different sizes: block mine.first + i is the bytes offsets[i], ..., offsets[i + 1] - 1 of
 * blocks; offsets[mine + 1] ascends from 0. */
regraft_status regraft_store_submit_sized(regraft_store* store, regraft_placement const* placement, regraft_range mine,
                                          void const* blocks, uint64_t const* offsets);
/* Loads the blocks wanted[count], one behind the other, to out[size], size being the sum of theirs. Everybody may want
 * others, or none. report may be NULL. Lost blocks: after everything else was delivered, REGRAFT_DATA_LOST on all
 * members. After REGRAFT_PROCESS_FAILURE out is unspecified. Collective, uniform. */
regraft_status regraft_store_load(regraft_store* store, regraft_range const* wanted, uint64_t count, void* out,
                                  uint64_t size, regraft_load_options const* options, regraft_load_report* report);
/* After a shrink: makes the copies that died again on others. report may be NULL. Collective, uniform. */
regraft_status regraft_store_repair(regraft_store* store, regraft_repair_options const* options,
                                    regraft_repair_report* report);
/* Verifies all copies that this PE keeps and replaces bad ones, whose number goes to *num_damaged, unless NULL. Only
 * with checksums. Collective, uniform. */
regraft_status regraft_store_scrub(regraft_store* store, uint64_t* num_damaged);

/* Writes every block once into a new generation of the archive, a folder, which is made if need be. The generations
 * before stay as they are if this fails. options and report may be NULL. Collective, uniform. */
regraft_status regraft_store_save(regraft_store* store, char const* archive, regraft_save_options const* options,
                                  regraft_save_report* report);
/* A placement of so many blocks with a slot for each member, to *placement; the store frees it. */
typedef regraft_status (*regraft_place)(uint64_t num_blocks, void* context, regraft_placement** placement);
/* Submits what the newest undamaged generation has, whatever wrote it and on however many PEs: a new version. place is
 * NULL for a store with a code. report may be NULL. Collective, uniform. */
regraft_status regraft_store_open(regraft_store* store, char const* archive, regraft_place place, void* context,
                                  regraft_open_report* report);
/* What is wrong with a newer generation than that which the last open has read; NULL if there are not so many. */
char const* regraft_store_refused(regraft_store const* store, uint64_t index);

/* Of the version that can be read; 0 before the first submit. */
uint64_t regraft_store_num_blocks(regraft_store const* store);
/* How many submits have succeeded. */
uint64_t regraft_store_version(regraft_store const* store);
/* Of blocks that this PE keeps, without those by reference. */
uint64_t regraft_store_bytes_held(regraft_store const* store);
/* The size of all blocks in a range, to *size. */
regraft_status regraft_store_size(regraft_store const* store, regraft_range blocks, uint64_t* size);
/* Where the bytes of the blocks are, if this PE holds them all in one piece (undamaged, with checksums), else NULL, and
 * how many to *size. Valid until the next submit, repair or scrub. */
regraft_status regraft_store_held(regraft_store const* store, regraft_range blocks, void const** bytes, uint64_t* size);
/* The blocks that the last load, repair or scrub found lost, ascending and disjoint: how many ranges to *count, where
 * they are to *ranges, valid until the next of these. The same on all members. */
regraft_status regraft_store_lost(regraft_store const* store, regraft_range const** ranges, uint64_t* count);
/* Gives back memory that is kept for the next submit. */
regraft_status regraft_store_trim(regraft_store* store);

/* --- small state that changes often --- */

/* Kept by every member, replaced on all of them or on none. */
typedef struct regraft_checkpoint regraft_checkpoint;

regraft_status regraft_checkpoint_create(regraft_communicator* comm, regraft_checkpoint** checkpoint);
void regraft_checkpoint_free(regraft_checkpoint* checkpoint);
/* Everybody gives share[size] and keeps all shares. Collective, uniform: on REGRAFT_PROCESS_FAILURE the last generation
 * stays on all. */
regraft_status regraft_checkpoint_commit(regraft_checkpoint* checkpoint, void const* share, uint64_t size);
/* The same for state[size] that every member has computed alike: no exchange, one share. REGRAFT_DIVERGENCE if it
 * differs, as far as 15 bits of a hash tell. */
regraft_status regraft_checkpoint_commit_identical(regraft_checkpoint* checkpoint, void const* state, uint64_t size);
/* How many commits succeeded. */
uint64_t regraft_checkpoint_generation(regraft_checkpoint const* checkpoint);
/* How many shares were committed last; 0 before the first commit. */
uint64_t regraft_checkpoint_num_shares(regraft_checkpoint const* checkpoint);
/* Share `index`: whose it is to *pe, unless NULL (of an identical state: any), where it is and how long. Valid until
 * the next commit. */
regraft_status regraft_checkpoint_share(regraft_checkpoint const* checkpoint, uint64_t index, uint32_t* pe,
                                        void const** bytes, uint64_t* size);

/* --- snapshots: changing state of any size --- */

/* Entities belong to the PE that adds them, have names that no two members use, and may be added, removed and moved
 * between commits. A commit writes them into spare memory, here and on partners; a death at any moment leaves the
 * commit before. docs/snapshot.md tells more. */
typedef struct regraft_snapshot regraft_snapshot;

/* {0} is the default. The same on all members. */
typedef struct regraft_snapshot_options {
    uint32_t copies;   /* of everything, on different PEs; 0: 2 */
    uint32_t parities; /* not 0: an erasure code in place of copies, with so many parities ... */
    uint32_t data;     /* ... of so many pieces of data; together at most 255 */
    bool compressed;
    bool checked;      /* checksums: a damaged copy counts as a lost one */
    uint64_t steps;    /* between two commits (regraft_snapshot_due); 0: as many as Young's formula says */
    double mtbf_hours; /* mean time between two failures of the job, for that; 0: 24 */
} regraft_snapshot_options;

/* Where the state lies, and how long it is, to *size. */
typedef void const* (*regraft_entity_bytes)(uint64_t* size, void* context);
/* Where a state of this size is to be written back; NULL: there is no room. */
typedef void* (*regraft_entity_room)(uint64_t size, void* context);

/* An entity whose size or place changes. */
typedef struct regraft_entity {
    regraft_entity_bytes bytes;
    regraft_entity_room room;
    void* context; /* of both */
} regraft_entity;

/* Called where an entity gets a new home, because its own has died or has given it away: adds an entity of this name
 * to the snapshot, for a state of this size. Anything but REGRAFT_OK ends the restore here. */
typedef regraft_status (*regraft_adopt)(char const* name, uint64_t size, void* context);

/* {0} is the default. The same on all members, but for adopt and its context. */
typedef struct regraft_restore_options {
    regraft_adopt adopt; /* NULL: there is nothing to adopt */
    void* context;       /* of adopt */
    bool balanced;       /* entities of the dead go to who has the least, instead of to who has a copy */
    bool leave_lost;     /* all others are restored, instead of REGRAFT_DATA_LOST */
    bool from_disk;      /* what nobody alive has is read from where this very commit was saved or opened */
} regraft_restore_options;

typedef struct regraft_commit_report {
    uint64_t bytes;        /* of this PE's entities, */
    uint64_t stored_bytes; /* and as they are stored */
    double create_ms;
    double exchange_ms;
} regraft_commit_report;

typedef struct regraft_restore_report {
    uint64_t generation;       /* the commit to which all have gone back */
    uint64_t num_adopted;      /* entities that have got a new home (regraft_snapshot_adopted) */
    uint64_t num_lost;         /* entities that nobody could give back (regraft_snapshot_lost) */
    uint64_t num_removed;      /* entities of this PE that are unregistered now (regraft_snapshot_removed) */
    uint64_t bytes_local;      /* of this PE's entities, from its own memory, */
    uint64_t bytes_received;   /* and from others */
    uint64_t redundancy_bytes; /* that travelled to make copies or parities anew */
} regraft_restore_report;

/* An entity of the last commit. */
typedef struct regraft_committed {
    char const* name; /* valid until the next commit */
    uint32_t home;    /* the PE whose it is */
    uint64_t bytes;
    uint64_t stored_bytes; /* fewer if it is stored compressed */
} regraft_committed;

/* An entity that has got a new home. */
typedef struct regraft_adoption {
    char const* name; /* valid until the next restore */
    uint32_t from;
    uint32_t to;
    uint64_t bytes;
} regraft_adoption;

/* options may be NULL, here and below. Not collective. */
regraft_status regraft_snapshot_create(regraft_communicator* comm, regraft_snapshot_options const* options,
                                       regraft_snapshot** snapshot);
void regraft_snapshot_free(regraft_snapshot* snapshot);

/* Registers data[size], which stays where it is, as an entity of this PE. The name is new. Not collective. */
regraft_status regraft_snapshot_add(regraft_snapshot* snapshot, char const* name, void* data, uint64_t size);
/* The same for a state whose size or place changes. */
regraft_status regraft_snapshot_add_entity(regraft_snapshot* snapshot, char const* name, regraft_entity const* entity);
/* Registers data[size] that all members have alike, such as the number of the step: everybody keeps its own. */
regraft_status regraft_snapshot_add_common(regraft_snapshot* snapshot, char const* name, void* data, uint64_t size);
/* What was committed of it stays until the next commit. Not collective. */
regraft_status regraft_snapshot_remove(regraft_snapshot* snapshot, char const* name);
bool regraft_snapshot_has(regraft_snapshot const* snapshot, char const* name);

/* Makes the present state of all entities the one to go back to. report may be NULL. REGRAFT_DUPLICATE, or
 * REGRAFT_DIVERGENCE if common ones are not alike, leaves the commit before, as a death does. Collective, uniform. */
regraft_status regraft_snapshot_commit(regraft_snapshot* snapshot, regraft_commit_report* report);
/* After a step of the program: whether a commit is due. The same on all members; no communication. */
bool regraft_snapshot_due(regraft_snapshot* snapshot);
/* Goes back to the last commit, of which there is one. report may be NULL. Collective, uniform. */
regraft_status regraft_snapshot_restore(regraft_snapshot* snapshot, regraft_restore_options const* options,
                                        regraft_restore_report* report);
/* Writes the last commit into a new generation of the archive, a folder, which is made if need be: every entity once.
 * options and report may be NULL. Collective, uniform. */
regraft_status regraft_snapshot_save(regraft_snapshot* snapshot, char const* archive,
                                     regraft_save_options const* options, regraft_save_report* report);
/* Makes what was saved the state, and commits it: of the newest generation of which all is right, on however many PEs.
 * Of options only adopt and its context count. On REGRAFT_DISK everything stays as it is. report may be NULL.
 * Collective, uniform. */
regraft_status regraft_snapshot_open(regraft_snapshot* snapshot, char const* archive,
                                     regraft_restore_options const* options, regraft_open_report* report);
/* As regraft_store_refused. */
char const* regraft_snapshot_refused(regraft_snapshot const* snapshot, uint64_t index);
/* How many commits have succeeded. */
uint64_t regraft_snapshot_generation(regraft_snapshot const* snapshot);
/* How many entities are in the last commit, and entity `index` of them, to *entity, with the home that it has now. The
 * same on all members. */
uint64_t regraft_snapshot_num_committed(regraft_snapshot const* snapshot);
regraft_status regraft_snapshot_committed(regraft_snapshot const* snapshot, uint64_t index, regraft_committed* entity);
/* What has got a new home in the last restore or open: number `index`, to *adoption, in the order of the commit. The
 * same on all members. */
regraft_status regraft_snapshot_adopted(regraft_snapshot const* snapshot, uint64_t index, regraft_adoption* adoption);
/* The name of an entity that the last restore found lost, NULL if there are not so many. Valid until the next. */
char const* regraft_snapshot_lost(regraft_snapshot const* snapshot, uint64_t index);
/* The name of an entity that the last restore or open has unregistered here, as it was not this PE's in the commit:
 * added since, or come from another. NULL if there are not so many. Valid until the next. */
char const* regraft_snapshot_removed(regraft_snapshot const* snapshot, uint64_t index);
/* Bytes of memory for buffers and copies; those for the next commit are given back by trim. */
uint64_t regraft_snapshot_bytes_held(regraft_snapshot const* snapshot);
regraft_status regraft_snapshot_trim(regraft_snapshot* snapshot);

#ifdef __cplusplus
}
#endif
