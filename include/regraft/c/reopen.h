/* Reopening: stores and snapshots go on from what the job before has kept on the nodes (docs/mpi/restart.md). A part of
 * regraft_mpi.h. */
#pragma once

#include "regraft/c/snapshot.h"
#include "regraft/c/store.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* What a reopen does about what is missing; {0} is the default. All members pass the same values, except for what
 * regraft_repair_options let differ. */
typedef struct regraft_reopen_options {
    bool leave_lost;    /* blocks that are on no node any more count as lost for loads; false: REGRAFT_DATA_LOST */
    bool leave_missing; /* missing copies are not made anew; with a code, pieces are only read */
    regraft_repair_options const* repair; /* how they are made anew otherwise; NULL: as many as at submission, or with
                                           * the code. Without a node here or with the code, members that share a
                                           * folder are on one */
} regraft_reopen_options;

/* What regraft_store_reopen did. */
typedef struct regraft_reopen_report {
    uint64_t version;     /* the version that is open now; 0: no job has kept any */
    uint64_t num_refused; /* number of files that were not used because something is wrong with them
                           * (regraft_store_refused) */
    void const*
        attributes; /* [attributes_size]: what was kept beside the blocks; valid until the next open or reopen */
    uint64_t attributes_size;       /* length of attributes in bytes */
    uint64_t num_lost;              /* number of ranges that no node has any more (regraft_store_lost) */
    uint64_t bytes_inherited;       /* bytes of blocks that this PE has taken over on its node, without moving them */
    regraft_repair_report repaired; /* the copies that were made because nodes are missing, or the new code */
} regraft_reopen_report;

/* Opens the newest version that the job before has kept (regraft_store_options.keep) and of which all blocks are on the
 * nodes of the members, whatever their number and places now, or can be rebuilt. With a code, everything is encoded
 * anew with that of this store. The version stays 0 if no submit had succeeded. If blocks of the newest version are on
 * missing nodes alone, or too few of their pieces are there, all members get REGRAFT_DATA_LOST, and regraft_store_lost
 * has these blocks; REGRAFT_DISK if files cannot be used. After REGRAFT_PROCESS_FAILURE, shrink and
 * call it again. Nothing may be submitted before. options and report may be NULL. Collective, uniform. */
regraft_status regraft_store_reopen(regraft_store* store, regraft_reopen_options const* options,
                                    regraft_reopen_report* report);
/* Copies bytes[size], which the next submits keep beside their blocks; all members pass the same. Not collective. */
regraft_status regraft_store_set_attributes(regraft_store* store, void const* bytes, uint64_t size);
/* Removes the blocks and all files, for a program that has ended well. Without it files stay when the store is freed.
 * Nothing can be read until the next submit. After REGRAFT_PROCESS_FAILURE, shrink and call it again. Collective,
 * uniform. */
regraft_status regraft_store_discard(regraft_store* store);

/* Takes over the newest whole commit that the job before has kept (regraft_snapshot_options.keep), makes it the state,
 * and commits it. Any number of PEs may have kept it. The generation stays 0 if no job has kept any; then the report is
 * all zeros, and otherwise its generation is the number of the commit that was taken over. Of options only adopt and
 * its context count; entities come to members that have them on their node. If nodes with all copies of an entity are
 * missing, or too few pieces of a code are left, all members get REGRAFT_DATA_LOST; REGRAFT_DISK if the files cannot be
 * used. After REGRAFT_PROCESS_FAILURE, shrink and, if the generation is still 0, call it again; otherwise a restore
 * goes back to this commit. Nothing may be committed before. options and report may be NULL. Collective, uniform. */
regraft_status regraft_snapshot_reopen(regraft_snapshot* snapshot, regraft_restore_options const* options,
                                       regraft_open_report* report);
/* Removes the commit and all files, for a program that has ended well. Without it files stay when the snapshot is
 * freed. After REGRAFT_PROCESS_FAILURE, shrink and call it again. No other collective may follow. Collective,
 * uniform. */
regraft_status regraft_snapshot_discard(regraft_snapshot* snapshot);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
