/* Preloaded into the ranks of a job by regraft-run. It needs no MPI to be loaded, so it fits any program and any MPI.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"
#include "rank.h"

#define VISIBLE __attribute__((visibility("default")))

static pid_t rank_process; /* 0: MPI_Init was not called */
static int exit_code;
static int (*finalized)(int*);

/* The MPI of the caller: behind us, or, where it was loaded for a module of its own (Python), what that module has. */
static void* next(char const* name, char const* profiling_name, void const* caller) {
    void* found = dlsym(RTLD_NEXT, name);
    Dl_info module;
    if (found != NULL || dladdr(caller, &module) == 0) return found;
    void* const handle = dlopen(module.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL) return NULL;
    found = dlsym(handle, profiling_name);
    dlclose(handle); /* it stays loaded: it is calling us */
    return found;
}

static void keep_exit_code(int code, void* unused) {
    (void)unused;
    exit_code = code;
}

/* Whether this is the outer of two calls: a profiler's MPI_Init, which ours calls, calls PMPI_Init. */
static int enter(void const* caller) {
    if (rank_process == getpid()) return 0;
    void* const symbol = next("MPI_Finalized", "PMPI_Finalized", caller);
    memcpy(&finalized, &symbol, sizeof finalized);
    regraft_preload_leave();
    regraft_rank_enters();
    rank_process = getpid();
    on_exit(keep_exit_code, NULL);
    return 1;
}

static void* or_abort(void* function, char const* name) {
    if (function != NULL) return function;
    fprintf(stderr, "regraft-run: %s was called, but no MPI library is loaded\n", name);
    abort();
}

static int init(char const* name, void const* caller, int* argc, char*** argv) {
    int (*function)(int*, char***);
    void* const symbol = or_abort(next(name, "PMPI_Init", caller), name);
    memcpy(&function, &symbol, sizeof function);
    int const is_outer = enter(caller);
    int const code = function(argc, argv);
    if (is_outer) regraft_rank_has_left();
    return code;
}

static int init_thread(char const* name, void const* caller, int* argc, char*** argv, int required, int* provided) {
    int (*function)(int*, char***, int, int*);
    void* const symbol = or_abort(next(name, "PMPI_Init_thread", caller), name);
    memcpy(&function, &symbol, sizeof function);
    int const is_outer = enter(caller);
    int const code = function(argc, argv, required, provided);
    if (is_outer) regraft_rank_has_left();
    return code;
}

/* MPI's own would leave the others waiting. The launcher ends the job. */
static int end_job(char const* name, void const* caller, void* comm, int code) {
    int (*mpi_abort)(void*, int);
    void* const symbol = or_abort(next(name, "PMPI_Abort", caller), name);
    memcpy(&mpi_abort, &symbol, sizeof mpi_abort);
    fflush(NULL);
    while (regraft_rank_ends("aborted", code)) pause();
    return mpi_abort(comm, code);
}

/* Programs in C call MPI_X. All of Open MPI's bindings for Fortran call PMPI_X, and so do programs that bring a
 * profiler's MPI_X along. */
VISIBLE int MPI_Init(int* argc, char*** argv) {
    return init("MPI_Init", __builtin_return_address(0), argc, argv);
}
VISIBLE int PMPI_Init(int* argc, char*** argv) {
    return init("PMPI_Init", __builtin_return_address(0), argc, argv);
}
VISIBLE int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    return init_thread("MPI_Init_thread", __builtin_return_address(0), argc, argv, required, provided);
}
VISIBLE int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    return init_thread("PMPI_Init_thread", __builtin_return_address(0), argc, argv, required, provided);
}
VISIBLE int MPI_Abort(void* comm, int code) {
    return end_job("MPI_Abort", __builtin_return_address(0), comm, code);
}
VISIBLE int PMPI_Abort(void* comm, int code) {
    return end_job("PMPI_Abort", __builtin_return_address(0), comm, code);
}

/* Others would wait for a rank that leaves without a word. It ends by a signal instead, which they hear of. So does a
 * shell whose program left so: they hear only of the process that mpirun started. */
static void die_if_unfinished(int code) {
    int is_finalized = 0;
    if (rank_process == 0 && regraft_rank_is_abandoned()) raise(SIGKILL);
    if (rank_process == 0 || getpid() != rank_process || finalized == NULL) return;
    finalized(&is_finalized);
    if (!is_finalized && regraft_rank_ends("exited", code)) raise(SIGKILL);
}

/* Tells how this process ends, and returns its exit code. Where the launcher knows the code, the rank itself ends with
 * 0: mpirun hangs in one of fifty jobs whose ranks exit with another code. */
static int last_words(int code) {
    die_if_unfinished(code);
    regraft_rank_quits();
    return rank_process == getpid() && regraft_rank_ends("finalized", code) ? 0 : code;
}

static __attribute__((noreturn)) void leave(int code) {
    for (;;) syscall(SYS_exit_group, code);
}

/* The library's own exit() does not come here. */
VISIBLE __attribute__((noreturn)) void _exit(int code) {
    leave(last_words(code));
}

VISIBLE __attribute__((noreturn)) void _Exit(int code) {
    _exit(code);
}

/* Runs after all that the program does at its end. */
__attribute__((destructor)) static void end(void) {
    fflush(NULL);
    int const code = last_words(exit_code);
    if (code != exit_code) leave(code);
}

/* quick_exit runs neither destructors nor what on_exit has registered. */
static void end_quickly(void) {
    leave(last_words(exit_code));
}

/* The first that is registered runs as the last. */
__attribute__((constructor)) static void expect_quick_exit(void) {
    at_quick_exit(end_quickly);
}

VISIBLE __attribute__((noreturn)) void quick_exit(int code) {
    void (*function)(int) = NULL;
    void* const symbol = dlsym(RTLD_NEXT, "quick_exit");
    memcpy(&function, &symbol, sizeof function);
    exit_code = code;
    if (function != NULL) function(code);
    leave(code);
}
