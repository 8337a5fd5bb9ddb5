/* Store: blocks 0, ..., n - 1 in the memory of the PEs. A part of regraft_mpi.h. */
#pragma once

#include "regraft/c/archive.h"
#include "regraft/c/communicator.h"
#include "regraft/c/keep.h"
#include "regraft/c/placement.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Read-only data with every block on several PEs, so that any PE can read it after some have died. */
typedef struct regraft_store regraft_store;

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
    regraft_keep const* keep; /* files in which the blocks are, own copies too, so that the next job can reopen them
                               * (regraft_store_reopen); NULL: private memory. Not with a code */
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

/* How many copies a repair makes, and where; {0} is the default. */
typedef struct regraft_repair_options {
    uint32_t replicas;    /* copies of every block, the same on all members; 0: as many as at submission. Unused with a
                           * code */
    uint64_t room;        /* bytes of blocks that this PE may hold; 0: no limit */
    uint32_t const* node; /* this PE's failure domain (regraft_node_ids); all members give one or none does. Unused with
                           * a code */
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

/* Makes an empty store. options may be NULL, here and below. Not collective. */
regraft_status regraft_store_create(regraft_communicator* comm, regraft_store_options const* options,
                                    regraft_store** store);
/* Frees the store; files that it keeps stay (regraft_store_discard). NULL is accepted. */
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
/* Makes a new version in which the blocks changed[count] have other bytes: blocks[size], one behind the other. The
 * ranges ascend, and no two members give the same block. Only without a code. Collective, uniform. */
regraft_status regraft_store_update(regraft_store* store, regraft_range const* changed, uint64_t count,
                                    void const* blocks, uint64_t size);
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
/* Says what is wrong with a generation that is newer than the one that the last open read, or with a file that the last
 * reopen did not use. NULL unless index is below their number. */
char const* regraft_store_refused(regraft_store const* store, uint64_t index);

/* The number of blocks of the version that can be read; 0 before the first submit. */
uint64_t regraft_store_num_blocks(regraft_store const* store);
/* The number of submits and updates that have succeeded. */
uint64_t regraft_store_version(regraft_store const* store);
/* The bytes of blocks that this PE keeps, without those by reference. */
uint64_t regraft_store_bytes_held(regraft_store const* store);
/* Writes the size of all blocks in a range, in bytes, to *size. */
regraft_status regraft_store_size(regraft_store const* store, regraft_range blocks, uint64_t* size);
/* Sets *bytes to the bytes of the blocks and *size to their number. *bytes is NULL unless this PE holds all the blocks
 * in one piece (and, with checksums, undamaged). Valid until the next submit, update, repair or scrub. */
regraft_status regraft_store_held(regraft_store const* store, regraft_range blocks, void const** bytes, uint64_t* size);
/* Sets *ranges to the ranges of blocks that the last load, repair, scrub or reopen found lost, and *count to their
 * number. The ranges ascend and are disjoint. Valid until the next of these calls. The same on all members. */
regraft_status regraft_store_lost(regraft_store const* store, regraft_range const** ranges, uint64_t* count);
/* Frees the memory that is kept for the next submit. */
regraft_status regraft_store_trim(regraft_store* store);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
