/* Store: blocks 0, ..., n - 1 in the memory of the PEs. A part of regraft_mpi.h. */
#pragma once

#include "regraft/c/archive.h"
#include "regraft/c/communicator.h"
#include "regraft/c/placement.h"
#include "regraft/c/store_options.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Data with every block on several PEs, so that any PE can read it after some have died. */
typedef struct regraft_store regraft_store;

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
/* Makes a new version in which the blocks changed[count] have other bytes: blocks[size], one behind the other. Sizes
 * stay. The ranges ascend, and no two members give the same block; any member may give any block, or none. Only what is
 * given travels. Lost blocks are back, on the member that gives them. report may be NULL. Only without a code.
 * Collective, uniform. */
regraft_status regraft_store_update(regraft_store* store, regraft_range const* changed, uint64_t count,
                                    void const* blocks, uint64_t size, regraft_update_report* report);
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
/* Sets *ranges to the ranges of blocks that were lost and that the last update has given again, and *count to their
 * number. They ascend and are disjoint, and have one copy each until the next repair. Valid until the next update. The
 * same on all members. */
regraft_status regraft_store_regained(regraft_store const* store, regraft_range const** ranges, uint64_t* count);
/* Frees the memory that is kept for the next submit. */
regraft_status regraft_store_trim(regraft_store* store);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
