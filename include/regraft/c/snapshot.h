/* Snapshots: changing state of any size. A part of regraft_mpi.h. */
#pragma once

#include "regraft/c/archive.h"
#include "regraft/c/communicator.h"
#include "regraft/c/keep.h"
#include "regraft/c/snapshot_options.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* An entity belongs to the PE that adds it and has a name that no other member uses. Entities may be added, removed and
 * moved between commits. A commit writes them into spare memory, on this PE and on partners; a death at any moment
 * leaves the commit before. docs/mpi/snapshot.md has the details. */
typedef struct regraft_snapshot regraft_snapshot;

/* What a commit took on this PE. */
typedef struct regraft_commit_report {
    uint64_t bytes;         /* bytes of this PE's entities */
    uint64_t stored_bytes;  /* bytes of this PE's entities as they are stored */
    double create_ms;       /* time to turn entities into bytes */
    double exchange_ms;     /* time until all members had agreed */
    bool sent_changes;      /* whether only changes were sent; the same on all members, as is the next */
    uint64_t changed_bytes; /* bytes of all members that were sent because they had changed, then */
} regraft_commit_report;

/* What a restore did. */
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
    char const* name;      /* valid until the next commit */
    uint32_t home;         /* the PE that owns the entity */
    uint64_t bytes;        /* length of its state */
    uint64_t stored_bytes; /* less than bytes if the entity is stored compressed */
} regraft_committed;

/* An entity that has a new home. */
typedef struct regraft_adoption {
    char const* name; /* valid until the next restore */
    uint32_t from;    /* the home in the commit */
    uint32_t to;      /* the new home */
    uint64_t bytes;   /* length of its state */
} regraft_adoption;

/* Makes an empty snapshot. options may be NULL, here and below. Not collective. */
regraft_status regraft_snapshot_create(regraft_communicator* comm, regraft_snapshot_options const* options,
                                       regraft_snapshot** snapshot);
/* Frees the snapshot; files that it keeps stay (regraft_snapshot_discard). NULL is accepted. */
void regraft_snapshot_free(regraft_snapshot* snapshot);
/* Registers data[size], which must stay in place, as an entity of this PE with a new name. Not collective. */
regraft_status regraft_snapshot_add(regraft_snapshot* snapshot, char const* name, void* data, uint64_t size);
/* The same for a state whose size or place changes. */
regraft_status regraft_snapshot_add_entity(regraft_snapshot* snapshot, char const* name, regraft_entity const* entity);
/* Registers data[size] that is the same on all members, such as the number of the step. Every member keeps its own. */
regraft_status regraft_snapshot_add_common(regraft_snapshot* snapshot, char const* name, void* data, uint64_t size);
/* Unregisters an entity. Its committed state stays until the next commit. Not collective. */
regraft_status regraft_snapshot_remove(regraft_snapshot* snapshot, char const* name);
bool regraft_snapshot_has(regraft_snapshot const* snapshot, char const* name); /* whether it is registered here */

/* Tells that these bytes of an entity may have changed since the last commit, and others only where another call tells
 * so. If nothing is told, all may have. A restore forgets it. Not collective. */
regraft_status regraft_snapshot_changed(regraft_snapshot* snapshot, char const* name, uint64_t first_byte,
                                        uint64_t bytes);

/* Makes the present state of all entities the one that a restore goes back to. report may be NULL. A death,
 * REGRAFT_DUPLICATE and REGRAFT_DIVERGENCE (common entities differ) leave the commit before. Collective, uniform. */
regraft_status regraft_snapshot_commit(regraft_snapshot* snapshot, regraft_commit_report* report);
/* Counts a step of the program and returns whether a commit is due. The same on all members; no communication. */
bool regraft_snapshot_due(regraft_snapshot* snapshot);
/* Goes back to the last commit, or to an earlier one that is there. report may be NULL. Collective, uniform. */
regraft_status regraft_snapshot_restore(regraft_snapshot* snapshot, regraft_restore_options const* options,
                                        regraft_restore_report* report);
/* Writes every entity of the last commit once into a new generation of the archive. The archive is a folder, which is
 * made if needed. options and report may be NULL. Collective, uniform. */
regraft_status regraft_snapshot_save(regraft_snapshot* snapshot, char const* archive,
                                     regraft_save_options const* options, regraft_save_report* report);
/* A save that is under way. */
typedef struct regraft_saving regraft_saving;
/* Begins the same, and writes in a thread of each PE while the program goes on and commits: what is written is the last
 * commit of now. A commit waits for saves of the commit before the last, other collectives on the snapshot for all.
 * Collective, uniform. */
regraft_status regraft_snapshot_start_save(regraft_snapshot* snapshot, char const* archive,
                                           regraft_save_options const* options, regraft_saving** saving);
/* Whether this PE has written everything. No communication. */
bool regraft_saving_is_written(regraft_saving const* saving);
/* Ends the save as regraft_snapshot_save would; before that the generation is not complete. Called once, by all
 * members, in the same order of their saves, and not after a shrink: a failure ends a save. report may be NULL.
 * Collective, uniform. */
regraft_status regraft_saving_wait(regraft_saving* saving, regraft_save_report* report);
/* Frees it, when this PE has written. Unless it was waited for, the next save removes what was written. NULL is
 * accepted. Not collective. */
void regraft_saving_free(regraft_saving* saving);
/* Reads the newest undamaged generation of the archive, makes it the state, and commits it. Any number of PEs may have
 * saved it. Of options only adopt and its context count. On REGRAFT_DISK everything stays as it is. report may be NULL.
 * Collective, uniform. */
regraft_status regraft_snapshot_open(regraft_snapshot* snapshot, char const* archive,
                                     regraft_restore_options const* options, regraft_open_report* report);
/* Says what is wrong with a refused generation or file, as regraft_store_refused. */
char const* regraft_snapshot_refused(regraft_snapshot const* snapshot, uint64_t index);
/* The number of commits that have succeeded. */
uint64_t regraft_snapshot_generation(regraft_snapshot const* snapshot);
/* The oldest commit that can be gone back to; all from it to the last can. */
uint64_t regraft_snapshot_oldest(regraft_snapshot const* snapshot);
/* The number of entities in the last commit. The same on all members. */
uint64_t regraft_snapshot_num_committed(regraft_snapshot const* snapshot);
/* Writes entity `index` of the last commit, with its present home, to *entity. The same on all members. */
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
/* Bytes of memory for buffers and copies. */
uint64_t regraft_snapshot_bytes_held(regraft_snapshot const* snapshot);
regraft_status regraft_snapshot_trim(regraft_snapshot* snapshot); /* frees what is kept for the next commit */

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
