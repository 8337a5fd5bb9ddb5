/* Options of snapshots, and the entities that change their size or place. A part of regraft_mpi.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "regraft/c/errors.h"
#include "regraft/c/keep.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Whether a commit sends only what has changed. */
enum {
    REGRAFT_DIFFERENTIAL_NEVER = 0,     /* it sends all */
    REGRAFT_DIFFERENTIAL_AUTOMATIC = 1, /* as long as at most half has changed; otherwise it is tried again later */
    REGRAFT_DIFFERENTIAL_ALWAYS = 2     /* whenever names and sizes stay as they were */
};

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
                               * (regraft_snapshot_reopen); NULL: private memory */
    uint32_t differential;    /* one of REGRAFT_DIFFERENTIAL_; compressed state and codes are always sent whole */
    uint64_t chunk_bytes;     /* the unit of changes; 0: 16 KiB */
    uint32_t generations; /* commits that can be gone back to (regraft_restore_options.generation); 0: the last alone.
                           * Each takes the memory of a snapshot with one; several are not for keep, and do not use
                           * what regraft_snapshot_changed tells */
    bool trusts_changes;  /* what regraft_snapshot_changed tells is not verified; false: an error in it ends the PE */
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
    uint64_t generation; /* the commit that is gone back to; those after it are given up. 0: the last, and also that of
                          * a call that a death has interrupted */
    bool from_disk;      /* entities that no living PE has are read from where this very commit was saved or opened */
} regraft_restore_options;

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
