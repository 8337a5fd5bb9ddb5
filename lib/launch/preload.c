#define _GNU_SOURCE
#include "preload.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rank.h"

#define VISIBLE __attribute__((visibility("default")))
#define PRELOADED "LD_PRELOAD="
enum { PRELOADED_LENGTH = sizeof PRELOADED - 1 };

static int has_left;

/* The path by which this library is preloaded; NULL: it cannot be known. */
static char const* own_path(void) {
    Dl_info ours;
    return dladdr((void*)(size_t)&regraft_preload_leave, &ours) == 0 ? NULL : ours.dli_fname;
}

void regraft_preload_leave(void) {
    char const* const preloaded = getenv("LD_PRELOAD");
    char const* const path = own_path();
    has_left = 1;
    if (preloaded == NULL || path == NULL) return;
    char* const names = strdup(preloaded);
    char* const rest = calloc(strlen(preloaded) + 1, 1);
    char* place = NULL;
    if (names != NULL && rest != NULL) {
        for (char* name = strtok_r(names, ": ", &place); name != NULL; name = strtok_r(NULL, ": ", &place)) {
            if (strcmp(name, path) == 0) continue;
            if (rest[0] != '\0') strcat(rest, ":");
            strcat(rest, name);
        }
        if (rest[0] != '\0')
            setenv("LD_PRELOAD", rest, 1);
        else
            unsetenv("LD_PRELOAD");
    }
    free(names);
    free(rest);
}

/* Where the environment has this variable; NULL: it does not have it. prefix: its name and '='. */
static char* const* find(char* const* env, char const* prefix) {
    for (; env != NULL && *env != NULL; ++env) {
        if (strncmp(*env, prefix, strlen(prefix)) == 0) return env;
    }
    return NULL;
}

/* Whether a program with this environment would be a rank without this library. */
static int is_missing(char* const* env, char const* path) {
    if (has_left || path == NULL || !regraft_rank_is_heard() || find(env, "PMIX_RANK=") == NULL) return 0;
    char* const* const preloaded = find(env, PRELOADED);
    return preloaded == NULL || strstr(*preloaded + PRELOADED_LENGTH, path) == NULL;
}

typedef int Exec(char const* program, char* const* args, char* const* env);

/* Calls the function of this name. Nothing is allocated: a process that came from vfork shares memory with its parent.
 */
static int exec_with_library(char const* function, char const* program, char* const* args, char* const* env) {
    void* const symbol = dlsym(RTLD_NEXT, function);
    char const* const path = own_path();
    Exec* exec = NULL;
    memcpy(&exec, &symbol, sizeof exec);
    if (!is_missing(env, path)) return exec(program, args, env);
    char* const* const preloaded = find(env, PRELOADED);
    char const* const others = preloaded == NULL ? "" : *preloaded + PRELOADED_LENGTH;
    size_t variables = 0, kept = 1;
    while (env[variables] != NULL) ++variables;
    char text[PRELOADED_LENGTH + strlen(path) + strlen(others) + 2];
    char* changed[variables + 2];
    snprintf(text, sizeof text, PRELOADED "%s%s%s", path, others[0] == '\0' ? "" : ":", others);
    changed[0] = text;
    for (size_t i = 0; i < variables; ++i) {
        if (env + i != preloaded) changed[kept++] = env[i];
    }
    changed[kept] = NULL;
    return exec(program, args, changed);
}

VISIBLE int execve(char const* path, char* const* args, char* const* env) {
    return exec_with_library("execve", path, args, env);
}

VISIBLE int execv(char const* path, char* const* args) {
    return exec_with_library("execve", path, args, environ);
}

VISIBLE int execvpe(char const* file, char* const* args, char* const* env) {
    return exec_with_library("execvpe", file, args, env);
}

VISIBLE int execvp(char const* file, char* const* args) {
    return exec_with_library("execvpe", file, args, environ);
}
