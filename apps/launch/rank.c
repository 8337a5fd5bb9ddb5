#define _GNU_SOURCE
#include "rank.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char file_name[PATH_MAX]; /* empty: no launcher listens */
static pid_t first_process;      /* of this rank; 0: not this one */

/* One write() of a short line at the end of a file is one step, also for a reader. */
static int append(char const* line) {
    int const file = open(file_name, O_WRONLY | O_APPEND | O_CLOEXEC);
    size_t const length = strlen(line);
    int const told = file >= 0 && write(file, line, length) == (ssize_t)length;
    if (file >= 0) close(file);
    return told;
}

static int tell(char const* what, long number) {
    char line[64];
    if (file_name[0] == '\0') return 0;
    snprintf(line, sizeof line, "%s %ld\n", what, number);
    return append(line);
}

/* Whether the file has a line that begins so; of `started` the number goes to *process. */
static int has_told(char const* what, long* process) {
    char line[64];
    int found = 0;
    FILE* const file = fopen(file_name, "re");
    if (file == NULL) return 0;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        found = strncmp(line, what, strlen(what)) == 0;
        if (found && process != NULL) *process = atol(line + strlen(what));
    }
    fclose(file);
    return found;
}

/* The first process of a rank may be a shell that starts the program, or becomes it. */
__attribute__((constructor)) static void begin(void) {
    char const* const folder = getenv("REGRAFT_RANKS");
    char const* const job = getenv("PMIX_NAMESPACE");
    char const* const rank = getenv("PMIX_RANK");
    if (folder == NULL || job == NULL || rank == NULL || strchr(job, '/') != NULL) return;
    if (snprintf(file_name, sizeof file_name, "%s/%s.%s", folder, job, rank) >= (int)sizeof file_name) {
        file_name[0] = '\0';
        return;
    }
    int const file = open(file_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        long first = 0;
        if (has_told("started", &first) && first == (long)getpid()) first_process = getpid();
        return;
    }
    close(file);
    first_process = getpid();
    tell("started", (long)first_process);
}

void regraft_rank_enters(void) {
    tell("entered", (long)getpid());
}

void regraft_rank_has_left(void) {
    if (file_name[0] != '\0') append("left\n");
}

int regraft_rank_is_abandoned(void) {
    char line[64];
    int in_mpi = 0;
    FILE* const file = first_process != 0 && first_process == getpid() ? fopen(file_name, "re") : NULL;
    if (file == NULL) return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "entered", 7) == 0) in_mpi = 1;
        if (strncmp(line, "finalized", 9) == 0) in_mpi = 0;
    }
    fclose(file);
    return in_mpi;
}

void regraft_rank_quits(void) {
    if (first_process != 0 && first_process == getpid() && !has_told("entered", NULL)) tell("quit", 0);
}

int regraft_rank_ends(char const* kind, int code) {
    return tell(kind, code);
}
