/* Snapshots: changing state of any size. A part of regraft_mpi.h. */
#pragma once

#include "regraft/c/archive.h"
#include "regraft/c/communicator.h"
#include "regraft/c/keep.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* An entity belongs to the PE that adds it and has a name that no other member uses. Entities may be added, removed and
 * moved between commits. A commit writes them into spare memory, on this PE and on partners; a death at any moment
 * leaves the commit before. docs/mpi/snapshot.md has the details. */
typedef struct regraft_snapshot regraft_snapshot;

/* How a snapshot keeps its state; {0} is the default. All members pass the same, except for what regraft_keep says. */
typedef struct regraft_snapshot_options {
    uint32_t copies;         /* copies of every entity, on different PEs; 0: 2 */
    uint32_t parities;       /* not 0: an erasure code replaces copies; its number of parities */
    uint32_t data;           /* its number of data pieces; both numbers together are at most 255 */
    bool compressed;         /* entities are stored compressed by zstd, unless that makes them longer */
    bool checked;            /* checksums: a damaged copy counts as a lost one */
    uint64_t steps;          /* steps between two commits (regraft_snapshot_due); 0: as many as Young's formula says */
    double mtbf_hours;       /* mean time between two failures of the job, for Young's formula; 0: 24 */
    uint32_t const* node_of; /* [regraft_communicator_num_founders]: each PE's node (regraft_node_ids), the same on all;
                              * copies, or pieces of a code, are on different nodes where there are enough. Or NULL */
    regraft_keep const* keep; /* files in which commits live, own entities too, so that the next job can reopen them
                               * (regraft_snapshot_reopen); NULL: private memory. Not with a code */
} regraft_snapshot_options;

/* Returns a pointer to the state and writes its length in bytes to *size. */
typedef void const* (*regraft_entity_bytes)(uint64_t* size, void* context);
/* Returns a pointer to room into which a state of this size is written back; NULL if there is none. */
typedef void* (*regraft_entity_room)(uint64_t size, void* context);

/* An entity whose size or place changes. */
typedef struct regraft_entity {
    regraft_entity_bytes bytes; /* called by commits; the bytes stay in place until it returns */
    regraft_entity_room room;   /* called by restores, for a state that was committed */
    void* context;              /* passed to both */
} regraft_entity;

/* Adds an entity of this name, for a state of this size, to the snapshot. It is called on the new home of an entity
 * whose own home has died or has given it away. The restore ends on this PE unless it returns REGRAFT_OK. */
typedef regraft_status (*regraft_adopt)(char const* name, uint64_t size, void* context);

/* What a restore does about the dead; {0} is the default. All members pass the same, but for adopt and its context. */
typedef struct regraft_restore_options {
    regraft_adopt adopt; /* NULL: there is nothing to adopt */
    void* context;       /* passed to adopt */
    bool balanced;       /* entities of the dead go to the PEs with the fewest bytes; false: to PEs with a copy */
    bool leave_lost;     /* all entities that are not lost are restored; false: REGRAFT_DATA_LOST */
    bool from_disk;      /* entities that no living PE has are read from where this very commit was saved or opened */
} regraft_restore_options;

/* What a commit took on this PE. */
typedef struct regraft_commit_report {
    uint64_t bytes;        /* bytes of this PE's entities */
    uint64_t stored_bytes; /* bytes of this PE's entities as they are stored */
    double create_ms;      /* time to turn entities into bytes */
    double exchange_ms;    /* time until all members had agreed */
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

/* Makes the present state of all entities the one that a restore goes back to. report may be NULL. A death,
 * REGRAFT_DUPLICATE and REGRAFT_DIVERGENCE (common entities differ) leave the commit before. Collective, uniform. */
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
/* Says what is wrong with a refused generation or file, as regraft_store_refused. */
char const* regraft_snapshot_refused(regraft_snapshot const* snapshot, uint64_t index);
/* The number of commits that have succeeded. */
uint64_t regraft_snapshot_generation(regraft_snapshot const* snapshot);
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
