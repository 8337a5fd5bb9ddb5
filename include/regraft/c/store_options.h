/* Options and reports of stores. A part of regraft_mpi.h. */
#pragma once

#include "regraft/c/communicator.h"
#include "regraft/c/keep.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* How a store moves and keeps its blocks; {0} is the default. All members pass the same values, except for node and
 * for what regraft_keep lets differ. */
typedef struct regraft_store_options {
    bool checked;      /* checksums: what is read is verified, and a bad copy is replaced by a good one */
    bool referenced;   /* own blocks are kept by reference: the memory given to submit must not change */
    bool rounds;       /* bytes go by point-to-point messages, not by MPI_Alltoallv; see docs/mpi/failure-model.md */
    uint32_t parities; /* not 0: an erasure code replaces copies (docs/mpi/store.md); its number of parities */
    uint32_t data;     /* its number of data pieces; both numbers together are at most 255 */
    uint32_t const*
        node; /* with a code: this PE's failure domain (regraft_node_ids); either all members give one or none does */
    regraft_keep const* keep; /* files in which the blocks are, own ones too, so that the next job can reopen them
                               * (regraft_store_reopen); NULL: private memory */
} regraft_store_options;

/* Reads lost blocks again, for example from a file, to out[size]. The blocks stay lost unless it returns REGRAFT_OK.
 * Not collective. */
typedef regraft_status (*regraft_reread)(regraft_range blocks, void* out, uint64_t size, void* context);

/* What a load does about lost blocks; {0} is the default. All members pass the same values, except for reread and its
 * context. */
typedef struct regraft_load_options {
    regraft_reread reread; /* a source of last resort, or NULL */
    void* context;         /* passed to reread */
    bool from_disk;        /* before reread: lost blocks are read from where this version was saved or opened */
    bool leave_lost;       /* the places of lost blocks stay unchanged; false: REGRAFT_DATA_LOST */
} regraft_load_options;

/* What a load did. All numbers but the last two are the same on all members. */
typedef struct regraft_load_report {
    uint64_t num_lost;            /* number of ranges that no living PE holds (regraft_store_lost) */
    uint64_t num_damaged;         /* number of copies with wrong checksums */
    uint64_t blocks_moved;        /* blocks that travelled between different PEs, in total */
    uint64_t bytes_moved;         /* bytes of these blocks */
    uint64_t bytes_between_nodes; /* bytes among these that travelled between nodes; 0 if the placement does not know
                                   * the nodes (regraft_placement_over_nodes) */
    uint64_t most_sent;           /* largest number of bytes that one PE sent */
    uint64_t most_sent_bound;     /* lower bound for most_sent for any choice of senders */
    uint64_t most_received;       /* largest number of bytes that one PE received */
    uint64_t bytes_received;      /* bytes that this PE received from others */
    uint64_t bytes_local;         /* bytes that this PE held itself */
} regraft_load_report;

/* What an update did. The same on all members. */
typedef struct regraft_update_report {
    uint64_t blocks_changed; /* blocks that all members together have given */
    uint64_t bytes_changed;  /* bytes of these blocks */
    uint64_t bytes_moved;    /* bytes that travelled between different PEs, in total */
    uint64_t num_regained;   /* number of ranges that were lost and are there again (regraft_store_regained) */
} regraft_update_report;

/* How many copies a repair makes, and where; {0} is the default. */
typedef struct regraft_repair_options {
    uint32_t replicas; /* copies of every block, the same on all members; 0: as many as at submission. 0 with a code */
    uint64_t room;     /* bytes of blocks that this PE may hold; 0: no limit */
    uint32_t const* node; /* this PE's failure domain (regraft_node_ids); all members give one or none does. NULL with
                           * a code: the store has it */
} regraft_repair_options;

/* What a repair did. With a code, the number of copies is the number of deaths that are survived plus one, and
 * bytes_missing counts the bytes that were made anew. */
typedef struct regraft_repair_report {
    uint32_t least_copies;       /* smallest number of copies, afterwards, of a block that is not lost */
    uint32_t most_copies;        /* largest number of copies, afterwards, of a block */
    uint64_t num_lost;           /* number of ranges that no PE holds (regraft_store_lost) */
    uint64_t num_damaged;        /* number of copies with wrong checksums */
    uint64_t bytes_missing;      /* bytes of copies that were missing */
    uint64_t bytes_not_restored; /* bytes of copies that stay missing because there is no room */
    uint64_t bytes_copied;       /* bytes that were copied */
    uint64_t most_sent;          /* largest number of bytes that one PE sent */
    uint64_t most_received;      /* largest number of bytes that one PE received */
    uint64_t num_unplaced;       /* number of pieces of a code for which no PE has room */
} regraft_repair_report;

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
