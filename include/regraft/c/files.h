/* Files as state: a program that writes checkpoint files writes them to its node, and a commit keeps their bytes as a
 * snapshot keeps memory (docs/mpi/files.md). A part of regraft_mpi.h. */
#pragma once

#include "regraft/c/archive.h"
#include "regraft/c/communicator.h"
#include "regraft/c/snapshot.h"
#include "regraft/c/snapshot_options.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The files of a job. A file belongs to one PE and has a name that no other file of the job has. */
typedef struct regraft_files regraft_files;

/* Where files are, and what becomes of commits. All members pass the same, except for folder, and for what
 * regraft_snapshot_options says. The texts are copied. */
typedef struct regraft_files_options {
    char const* folder; /* a folder of this PE's node that belongs to the job alone, such as one below /dev/shm; it is
                         * made if needed, and PEs of a node may share it. Not NULL */
    regraft_snapshot_options const* snapshot; /* how the bytes of the files are kept; may be NULL */
    char const* archive;              /* a folder that all members see, to which commits are flushed; NULL: to none */
    uint64_t flush_every;             /* the commits whose numbers are multiples of it are flushed; 0: every 10th */
    regraft_save_options const* save; /* how they are flushed; may be NULL */
} regraft_files_options;

/* What a commit of files did. */
typedef struct regraft_files_report {
    regraft_commit_report commit; /* of their bytes */
    bool completed_flush;         /* whether a flush has become complete meanwhile; the same on all members */
    char const* problem; /* why a flush could not be written, valid until the next commit; NULL: none has failed. The
                          * commit is as good as any other */
} regraft_files_report;

/* Makes an empty set. Not collective. */
regraft_status regraft_files_create(regraft_communicator* comm, regraft_files_options const* options,
                                    regraft_files** files);
/* Frees the set; the files stay (regraft_files_discard). NULL is accepted. */
void regraft_files_free(regraft_files* files);
/* Registers a file of this PE, unless it is registered, and writes to *path where the program writes it: valid until
 * the file is removed or the set is freed. Folders in the name are made. The name is a relative path without "." and
 * "..". Not collective. */
regraft_status regraft_files_route(regraft_files* files, char const* name, char const** path);
/* Unregisters a file, which stays where it is. Not collective. */
regraft_status regraft_files_remove(regraft_files* files, char const* name);
bool regraft_files_has(regraft_files const* files, char const* name); /* whether a file of this PE has this name */
/* The number of files of this PE: after a restore or resume also of those that it has taken over. */
uint64_t regraft_files_count(regraft_files const* files);
/* The name of file `index` of this PE, ascending; NULL unless index is below their number. Valid until a file is added
 * or removed: by route with a new name, remove, restore or resume. */
char const* regraft_files_name(regraft_files const* files, uint64_t index);

/* Makes the present bytes of all files those that a restore goes back to. Call it when they are written and closed. If
 * a file cannot be read on any member, all get REGRAFT_DISK, and the commit before stays, as after a death. Otherwise
 * as regraft_snapshot_commit. A flush begins here, and one of the next two commits completes it. report may be NULL.
 * Collective, uniform. */
regraft_status regraft_files_commit(regraft_files* files, regraft_files_report* report);
/* Counts a step and returns whether a commit is due, as regraft_snapshot_due. */
bool regraft_files_due(regraft_files* files);
/* Goes back to the last commit, of which there must be one: writes every file of this PE, those of the dead to their
 * new homes. REGRAFT_DISK if a file cannot be written on any member; it may be called again when there is room. The
 * adopt of options is not called. Otherwise as regraft_snapshot_restore. options and report may be NULL. Collective,
 * uniform. */
regraft_status regraft_files_restore(regraft_files* files, regraft_restore_options const* options,
                                     regraft_restore_report* report);
/* In a new job: takes over what the job before has kept on the nodes (regraft_snapshot_options.keep) or, if there is
 * nothing, what was flushed to the archive last; writes the files and commits them. The generation stays 0 if there is
 * neither. After REGRAFT_PROCESS_FAILURE, shrink and, if the generation is still 0, call it again; otherwise a restore
 * goes back to this commit, as after REGRAFT_DISK. Nothing may be committed before. report may be NULL. Collective,
 * uniform. */
regraft_status regraft_files_resume(regraft_files* files, regraft_open_report* report);
/* Writes the last commit, of which there must be one, to the archive, unless it is there, and returns when it is
 * complete. REGRAFT_DISK if it cannot be written. Collective, uniform. */
regraft_status regraft_files_flush(regraft_files* files);
/* Removes the files of the last commit, and those that are registered, from all folders, and what the nodes have kept,
 * for a program that has ended well. What was flushed stays. No other collective may follow. Collective, uniform. */
regraft_status regraft_files_discard(regraft_files* files);
/* The number of commits that have succeeded. */
uint64_t regraft_files_generation(regraft_files const* files);
/* The name of file `index` of those that the last restore found lost; NULL unless index is below their number. */
char const* regraft_files_lost(regraft_files const* files, uint64_t index);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
