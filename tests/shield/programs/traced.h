/* What programs of the campaign have in common: they draw their steps alike on all ranks, check that data are at the
 * places of the ranks they came from, and write what each rank saw into $TRACES/RANK:
 *
 *   STEP.PART SCOPE NAME WHO RANKS...   the ranks whose data it has; WHO is all if all members must have seen the same
 *
 * and at the end a verdict for the launcher. */
#pragma once

#include <mpi.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verdict.h"

enum { most_ranks = 16 };

static int me, size; /* in the communicator of the step */
static char const* scope = "world";
static int id, step, wrong;
static int part; /* the operation of a step, if several are under way in it at the same time */
static MPI_Comm comm;
static FILE* trace;
static unsigned state;

static unsigned draw(unsigned below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 10) % below;
}

static void complain(char const* format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "rank %d, step %d: ", id, step);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    ++wrong;
}

/* salt: tells operations of one step apart. */
static int item(int from, int to, int i, int salt) {
    return 1 + from * 100000 + to * 5000 + i + 7 * step + 1000003 * salt;
}

/* 1: what `from` has sent to `to`; 0: a hole. Anything else is wrong. */
static int is_there(char const* name, int const* data, int count, int from, int to, int salt) {
    int right = 1, empty = 1;
    for (int i = 0; i < count; ++i) {
        if (data[i] != item(from, to, i, salt)) right = 0;
        if (data[i] != 0) empty = 0;
    }
    if (!right && !empty) complain("%s: neither data of %d nor a hole", name, from);
    return right && count > 0;
}

__attribute__((unused)) static void fill(int* data, int count, int to, int salt) {
    for (int i = 0; i < count; ++i) data[i] = item(me, to, i, salt);
}

__attribute__((unused)) static void soil(int* data, int count) {
    for (int i = 0; i < count; ++i) data[i] = -1;
}

static void saw(char const* name, char const* who, int const* there) {
    fprintf(trace, "%d.%d %s %s %s", step, part, scope, name, who);
    for (int i = 0; i < size; ++i)
        if (there[i]) fprintf(trace, " %d", i);
    fputc('\n', trace);
    fflush(trace);
    if (!there[me]) complain("%s without this rank", name);
}

__attribute__((unused)) static void saw_data(char const* name, int there) {
    fprintf(trace, "%d.%d %s %s all %s\n", step, part, scope, name, there ? "data" : "nothing");
    fflush(trace);
}

/* The number by which saw_sum() recognises a rank in a sum. */
__attribute__((unused)) static void contribution(double* out) {
    for (int i = 0; i < size; ++i) out[i] = i == me;
}

/* sum: of contributions, which tell which ranks are in it, and how often. */
__attribute__((unused)) static void saw_sum(char const* name, char const* who, double const* sum) {
    int there[most_ranks];
    for (int i = 0; i < size; ++i) {
        there[i] = sum[i] == 1.0;
        if (sum[i] != 1.0 && sum[i] != 0.0) complain("%s: %d contributed %g times", name, i, sum[i]);
    }
    saw(name, who, there);
}

static void use(MPI_Comm on) {
    comm = on;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
}

/* act(): one step, after `state` was set alike on all ranks. finish(): after the last; may be 0. */
static int run_traced(int argc, char** argv, void (*act)(void), void (*finish)(void)) {
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    int steps = argc > 2 ? atoi(argv[2]) : 60, all = 0;
    char path[1000];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &id);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    snprintf(path, sizeof path, "%s/%d", getenv("TRACES") ? getenv("TRACES") : "/tmp", id);
    trace = fopen(path, "w");
    if (!trace || all > most_ranks) return 1;
    for (step = 1; step <= steps; ++step) {
        state = seed * 7919u + (unsigned)step * 104729u + (unsigned)id;
        if (draw(4) == 0) usleep(draw(300));
        state = seed * 2654435761u + (unsigned)step * 40503u;
        draw(2);
        use(MPI_COMM_WORLD);
        act();
    }
    if (finish) finish();
    fclose(trace);
    MPI_Finalize();
    write_verdict(id, wrong, step);
    return wrong != 0;
}
