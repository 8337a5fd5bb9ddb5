/* Preloaded into mpirun of Open MPI 5.0 (PRRTE 3.0): the job outlives the loss of a node on which mpirun does not run,
   and the launcher hears of ranks that end before they have told it anything.

   On each other node mpirun has a daemon. PRRTE 3.0 ends the job when mpirun loses one (errmgr_dvm.c, proc_errors). All
   such reports pass through prte_state_base_activate_proc_state, which libprrte calls by name, so that the function of
   this library comes first. It turns "daemon D is lost" into "each rank of D's node has died by a signal". mpirun
   announces that to the survivors as it does for ranks whose daemon lives. Only names and numbers of PRRTE are used,
   and pmix_proc_t, which is public, but no layout of its structures.

   REGRAFT_LOST_RANKS: a file, to which a line is appended for each rank that is over: its number if it has died, and
   else "ended" and its number. DAEMON_LOST is appended if a daemon is lost before ranks run.
   REGRAFT_NODE_TIMEOUT: after so many seconds of silence, a connection between mpirun and a daemon has ended. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define SHOWN __attribute__((visibility("default")))

typedef struct {
    char nspace[256]; /* the name of the job: that of mpirun, then "@0" for its daemons and "@1" for its ranks */
    uint32_t rank;
} Proc; /* pmix_proc_t */

/* States of processes and jobs in PRRTE 3.0 (src/mca/plm/plm_types.h). */
enum {
    RUNNING = 4,
    TERMINATED = 20, /* this state and those above: the process is over */
    FAILED = 50,     /* those above: and not by itself */
    FAILED_TO_START = 53,
    ABORTED_BY_SIGNAL = 54,
    COMM_FAILED = 56,
    HEARTBEAT_FAILED = 59,
    ENDED_WITH_ANOTHER_CODE_THAN_0 = 62,
    FAILED_TO_LAUNCH = 63,
    UNABLE_TO_SEND_MESSAGE = 64,
    PEER_UNKNOWN = 68
};
#define SPECIAL_RANKS 0xFFFFFFF0u /* this number and those above mean no rank and no daemon */
#define DAEMON_LOST "daemon"
#define MOST 65536u /* ranks, and daemons, of which this library knows */

static bool running;       /* whether ranks have started */
static bool is_over[MOST]; /* by rank */
static bool is_lost[MOST]; /* by daemon */

typedef void Function(void);

/* The function of this name; where: RTLD_NEXT, behind this library, or RTLD_DEFAULT. ISO C converts no void* to a
 * function. */
static Function* function(void* where, char const* name) {
    void* const found = dlsym(where, name);
    Function* result = NULL;
    memcpy(&result, &found, sizeof result);
    return result;
}

static bool flag(char const* name) {
    bool const* const value = dlsym(RTLD_DEFAULT, name);
    return value != NULL && *value;
}

/* Whether mpirun ends its daemons itself. */
static bool is_ending(void) {
    return flag("prte_finalizing") || flag("prte_prteds_term_ordered") || flag("prte_abnormal_term_ordered");
}

static bool is_loss(int state) {
    return state == COMM_FAILED || state == FAILED_TO_START || state == HEARTBEAT_FAILED ||
           (UNABLE_TO_SEND_MESSAGE <= state && state <= PEER_UNKNOWN);
}

/* "@0": a daemon; "@1": a rank of the job. Empty for others. */
static char const* kind_of(Proc const* proc) {
    char const* const mark = proc == NULL ? NULL : strrchr(proc->nspace, '@');
    return mark == NULL ? "" : mark;
}

/* Tells the launcher, which otherwise knows nothing of losses before ranks have told anything. */
static void note(char const* what) {
    char const* const name = getenv("REGRAFT_LOST_RANKS");
    FILE* const file = name == NULL ? NULL : fopen(name, "ae");
    if (file == NULL) return;
    fprintf(file, "%s\n", what);
    fclose(file);
}

/* The first of these states says how the rank has ended. */
static void note_end(uint32_t rank, int state) {
    char text[32];
    if (state < TERMINATED || state == FAILED_TO_LAUNCH || (rank < MOST && is_over[rank])) return;
    if (rank < MOST) is_over[rank] = true;
    bool const has_died = state > FAILED && state != ENDED_WITH_ANOTHER_CODE_THAN_0;
    snprintf(text, sizeof text, "%s%u", has_died ? "" : "ended ", rank);
    note(text);
}

/* Reports that all ranks of a daemon's node have died. Returns whether the job has ranks. */
static bool end_ranks_of(Proc const* daemon, void (*report)(Proc*, int)) {
    uint32_t (*const daemon_of)(Proc const*) =
        (uint32_t(*)(Proc const*))function(RTLD_DEFAULT, "prte_get_proc_daemon_vpid");
    Proc rank = {.rank = 0};
    uint32_t daemon_of_rank = 0;
    unsigned lost = 0;
    if (daemon_of == NULL) return false;
    snprintf(rank.nspace, sizeof rank.nspace, "%.*s@1", (int)(kind_of(daemon) - daemon->nspace), daemon->nspace);
    if (daemon_of(&rank) >= SPECIAL_RANKS) return false;
    if (daemon->rank >= MOST || is_lost[daemon->rank]) return true;
    is_lost[daemon->rank] = true;
    for (; rank.rank < MOST && (daemon_of_rank = daemon_of(&rank)) < SPECIAL_RANKS; rank.rank++) {
        if (daemon_of_rank != daemon->rank || is_over[rank.rank]) continue;
        lost++;
        report(&rank, ABORTED_BY_SIGNAL);
        note_end(rank.rank, ABORTED_BY_SIGNAL);
    }
    fprintf(stderr, "regraft-run: node %u of the job is lost, with %u ranks; the others go on\n", daemon->rank, lost);
    return true;
}

SHOWN void prte_state_base_activate_proc_state(Proc* proc, int state) {
    static void (*next)(Proc*, int);
    if (next == NULL) next = (void (*)(Proc*, int))function(RTLD_NEXT, "prte_state_base_activate_proc_state");
    char const* const kind = kind_of(proc);
    if (strcmp(kind, "@1") == 0) {
        running = running || state == RUNNING;
        note_end(proc->rank, state);
    }
    if (strcmp(kind, "@0") == 0 && is_loss(state) && !is_ending()) {
        if (running && end_ranks_of(proc, next)) return;
        /* Until ranks run, mpirun ends the job, because it would wait for the daemon to start them. */
        note(DAEMON_LOST);
    }
    next(proc, state);
}

/* If a message to or from a dying daemon breaks off, PRRTE 3.0 ends the job without a word of which daemon it was
   (oob_tcp_sendrecv.c). The daemon's end is reported as above, too: by its socket, or by the end of its remote shell.
 */
SHOWN void prte_state_base_activate_job_state(void* job, int state) {
    static void (*next)(void*, int);
    if (next == NULL) next = (void (*)(void*, int))function(RTLD_NEXT, "prte_state_base_activate_job_state");
    if (job == NULL && state == COMM_FAILED && !is_ending()) {
        if (running) return;
        note(DAEMON_LOST);
    }
    next(job, state);
}

/* PRRTE asks for keep-alive probes, which are not sent as long as data are not acknowledged: those get a limit of time,
 * too. */
SHOWN int setsockopt(int file, int level, int name, void const* value, socklen_t length) {
    static int (*next)(int, int, int, void const*, socklen_t);
    if (next == NULL) next = (int (*)(int, int, int, void const*, socklen_t))function(RTLD_NEXT, "setsockopt");
    char const* const limit = getenv("REGRAFT_NODE_TIMEOUT");
    if (limit != NULL && level == SOL_SOCKET && name == SO_KEEPALIVE) {
        unsigned const milliseconds = 1000u * (unsigned)atoi(limit);
        next(file, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
    }
    return next(file, level, name, value, length);
}

/* mpirun becomes prterun, which starts the ranks of its own node. They have no use for this library, which is named
 * first. */
__attribute__((constructor)) static void hide_from_ranks(void) {
    char const* const preload = getenv("LD_PRELOAD");
    Dl_info self;
    if (function(RTLD_NEXT, "prte_state_base_activate_proc_state") == NULL || preload == NULL ||
        dladdr(is_over, &self) == 0)
        return;
    size_t const length = strlen(self.dli_fname);
    if (strncmp(preload, self.dli_fname, length) != 0) return;
    if (preload[length] == '\0') unsetenv("LD_PRELOAD");
    if (preload[length] == ':') setenv("LD_PRELOAD", preload + length + 1, 1);
}
