/* Archives: the last level, on a disk that all members see (docs/mpi/disk.md). A part of regraft_mpi.h. */
#pragma once

#include "regraft/c/communicator.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* What a save writes and keeps; {0} is the default. All members pass the same values. */
typedef struct regraft_save_options {
    uint32_t files;           /* number of data files; 0: one for each node */
    uint32_t kept;            /* number of complete generations that stay, the new one included; 0: 2 */
    void const* attributes;   /* [attributes_size]: saved beside the data, for the program that opens it */
    uint64_t attributes_size; /* length of attributes in bytes */
} regraft_save_options;

/* What a save did. */
typedef struct regraft_save_report {
    uint64_t generation;    /* number of the generation in the archive */
    uint64_t files;         /* number of data files of the generation */
    uint64_t bytes;         /* bytes of all members */
    uint64_t bytes_written; /* bytes that this PE wrote */
} regraft_save_report;

/* What an open, or a reopen of a snapshot, did. */
typedef struct regraft_open_report {
    uint64_t generation;      /* number of the generation in the archive: the newest that is undamaged */
    uint64_t num_refused;     /* number of newer generations that were refused (regraft_store_refused,
                               * regraft_snapshot_refused) */
    void const* attributes;   /* [attributes_size], valid until the next open */
    uint64_t attributes_size; /* length of attributes in bytes */
    uint64_t saved_commit;    /* of a snapshot: its generation when it was saved */
    uint64_t num_adopted; /* number of entities whose home differs from that at the save (regraft_snapshot_adopted) */
    uint64_t num_removed; /* number of entities of this PE that are unregistered now (regraft_snapshot_removed) */
    uint64_t bytes_read;  /* bytes of this PE's entities that were read */
} regraft_open_report;

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
