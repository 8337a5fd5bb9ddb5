#define _GNU_SOURCE
#include "shared_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Parameters of Open MPI for the components that have such files. */
static char const* const parameters[] = {
#include "launch/sharing_parameters.inc"
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

#define SHARED_MEMORY "/dev/shm"
#define PREFIX "regraft-ranks-%lu-" /* and the name of the job; the number is that of the user */

static char folder_name[PATH_MAX];
static int folder = -1; /* each process that uses the folder has a shared lock on it, which ends with the process */

/* Whether the open folder is still the one of this name, and belongs to this user. */
static int is_in_place(void) {
    struct stat opened, named;
    return fstat(folder, &opened) == 0 && stat(folder_name, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino && opened.st_uid == geteuid();
}

/* Opens and locks the folder. It may vanish before the lock is there, if the last process of an earlier job leaves. */
static int lock_folder(void) {
    for (int attempt = 0; attempt < 10; ++attempt) {
        mkdir(folder_name, S_IRWXU);
        folder = open(folder_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0) return 0;
        if (flock(folder, LOCK_SH) == 0 && is_in_place()) return 1;
        close(folder);
        folder = -1;
    }
    return 0;
}

/* Removes this folder with its files if no process uses it. Its name may be gone already. */
static void remove_unused(void) {
    if (flock(folder, LOCK_EX | LOCK_NB) != 0 || !is_in_place()) {
        close(folder);
        return;
    }
    DIR* const files = fdopendir(folder);
    for (struct dirent* entry = NULL; files != NULL && (entry = readdir(files)) != NULL;) {
        if (entry->d_name[0] != '.') unlinkat(dirfd(files), entry->d_name, 0);
    }
    rmdir(folder_name);
    if (files != NULL) closedir(files);
}

/* Removes the folders of jobs of this user whose last rank was killed. */
static void remove_left_folders(void) {
    char prefix[64];
    DIR* const names = opendir(SHARED_MEMORY);
    snprintf(prefix, sizeof prefix, PREFIX, (unsigned long)geteuid());
    for (struct dirent* entry = NULL; names != NULL && (entry = readdir(names)) != NULL;) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) continue;
        snprintf(folder_name, sizeof folder_name, SHARED_MEMORY "/%s", entry->d_name);
        folder = open(folder_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder >= 0) remove_unused();
    }
    if (names != NULL) closedir(names);
    folder = -1;
}

void regraft_shared_folder_enter(void) {
    char const* const job = getenv("PMIX_NAMESPACE");
    if (folder >= 0 || job == NULL || strchr(job, '/') != NULL || access(SHARED_MEMORY, W_OK) != 0) return;
    for (int i = 0; i < PARAMETERS; ++i) {
        if (getenv(parameters[i]) != NULL) return;
    }
    remove_left_folders();
    int const length =
        snprintf(folder_name, sizeof folder_name, SHARED_MEMORY "/" PREFIX "%s", (unsigned long)geteuid(), job);
    if (length >= (int)sizeof folder_name || !lock_folder()) return;
    for (int i = 0; i < PARAMETERS; ++i) setenv(parameters[i], folder_name, 0);
}

void regraft_shared_folder_leave(void) {
    if (folder < 0) return;
    remove_unused();
    folder = -1;
}
