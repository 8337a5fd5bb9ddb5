#define _GNU_SOURCE
#include "rank.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "connection.h"
#include "shared_folder.h"

static char file_name[PATH_MAX]; /* empty: this rank has no file */
static int is_connected;
static pid_t first_process; /* of this rank; 0: not this one */
static int has_entered;     /* this process has called MPI_Init */

/* One write() of a short line at the end of a file is one step, also for a reader. */
static int append(char const* line) {
    int const file = open(file_name, O_WRONLY | O_APPEND | O_CLOEXEC);
    size_t const length = strlen(line);
    int const told = file >= 0 && write(file, line, length) == (ssize_t)length;
    if (file >= 0) close(file);
    return told;
}

static int tell_line(char const* line) {
    return is_connected ? regraft_connection_send(line) : file_name[0] != '\0' && append(line);
}

static int tell(char const* what, long number) {
    char line[64];
    snprintf(line, sizeof line, "%s %ld\n", what, number);
    return tell_line(line);
}

/* What this rank has told so far; empty if it cannot be known. */
static char const* told(void) {
    static char text[1024];
    text[0] = '\0';
    if (is_connected) {
        if (!regraft_connection_ask(text, sizeof text)) text[0] = '\0';
        return text;
    }
    int const file = file_name[0] == '\0' ? -1 : open(file_name, O_RDONLY | O_CLOEXEC);
    ssize_t const length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0) close(file);
    text[length > 0 ? length : 0] = '\0';
    return text;
}

/* The last place in the text where a line begins so; NULL: no line does. No word of a record is the end of another. */
static char const* last_line(char const* text, char const* word) {
    char const* found = NULL;
    for (char const* at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) found = at;
    return found;
}

/* The first process of a rank may be a shell that starts the program, or becomes it. */
static void find_first_process(void) {
    char const* const started = last_line(told(), "started");
    if (started == NULL ? tell("started", (long)getpid()) : atol(started + strlen("started")) == (long)getpid())
        first_process = getpid();
}

__attribute__((constructor)) static void begin(void) {
    char const* const folder = getenv("REGRAFT_RANKS");
    char const* const launcher = getenv("REGRAFT_LAUNCHER");
    char const* const job = getenv("PMIX_NAMESPACE");
    char const* const rank = getenv("PMIX_RANK");
    char name[PATH_MAX];
    if (job == NULL || rank == NULL || strchr(job, '/') != NULL ||
        snprintf(name, sizeof name, "%s.%s", job, rank) >= (int)sizeof name)
        return;
    if (launcher != NULL) {
        is_connected = regraft_connect(launcher, name);
    } else if (folder == NULL ||
               snprintf(file_name, sizeof file_name, "%s/%s", folder, name) >= (int)sizeof file_name) {
        file_name[0] = '\0';
    } else {
        int const file = open(file_name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (file >= 0) close(file);
    }
    if (is_connected || file_name[0] != '\0') find_first_process();
}

int regraft_rank_is_heard(void) {
    return is_connected || file_name[0] != '\0';
}

void regraft_rank_enters(void) {
    has_entered = 1;
    regraft_shared_folder_enter();
    tell("entered", (long)getpid());
    if (is_connected) regraft_connection_listen();
}

void regraft_rank_has_left(void) {
    tell_line("left\n");
}

int regraft_rank_is_abandoned(void) {
    if (first_process == 0 || first_process != getpid() || has_entered) return 0;
    char const* const text = told();
    char const* const entered = last_line(text, "entered");
    char const* const finalized = last_line(text, "finalized");
    return entered != NULL && (finalized == NULL || finalized < entered);
}

void regraft_rank_quits(void) {
    if (first_process == 0 || first_process != getpid() || has_entered) return;
    if (last_line(told(), "entered") == NULL) tell("quit", 0);
}

int regraft_rank_ends(char const* kind, int code) {
    regraft_shared_folder_leave();
    return tell(kind, code);
}
