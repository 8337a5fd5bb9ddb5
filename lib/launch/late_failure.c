/* Lets a rank go on where Open MPI 5.0.9 would crash after the death of a peer to which it was sending.
 *
 * When a message of an agreement cannot be sent, its receiver is dead, and the agreements under way are told. The
 * agreement whose message it was is busy at this moment, so it is told later, by an event
 * (coll_ftagree_earlyreturning.c, era_mark_process_failed). If it ends before that, it is freed, and the event writes
 * into freed memory. Over TCP this happens when several nodes are lost at once. So the event holds a reference to its
 * agreement here, as it does in later releases of Open MPI, which this does not disturb. */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "symbol_for.h"

#define VISIBLE __attribute__((visibility("default")))

typedef void Callback(int, short, void*);
typedef long Assign(void* event, void* base, long file, long what, Callback* call, void* argument);

/* An object of Open MPI, and the part of its class that is read here (opal_object.h). */
struct object;
typedef void Destruct(struct object*);
struct class {
    char const* name;
    void* parent;
    void* construct;
    void* destruct;
    int initialized;
    int depth;
    void* constructs;
    Destruct** destructs; /* ends with NULL */
};
struct object {
    struct class* type;
    int references;
};

/* What Open MPI allocates for its event: that of libevent is its first part. */
struct late_failure {
    char event[128];
    struct object* agreement;
    int rank;
};

static Callback* tell_agreement; /* of Open MPI */

static void release(struct object* object) {
    if (__atomic_sub_fetch(&object->references, 1, __ATOMIC_ACQ_REL) != 0) return;
    for (Destruct** destruct = object->type->destructs; *destruct != NULL; ++destruct) (*destruct)(object);
    free(object);
}

static void tell_and_release(int file, short what, void* argument) {
    struct object* const agreement = ((struct late_failure*)argument)->agreement;
    tell_agreement(file, what, argument); /* frees the event */
    release(agreement);
}

/* Whether an event is of the kind above. Open MPI's library has one other whose argument is itself, which is longer. */
static int tells_late_failure(void const* caller, void const* event, void const* argument) {
    Dl_info library;
    if (sizeof(void*) != 8 || event != argument || dladdr(caller, &library) == 0) return 0;
    if (library.dli_fname == NULL || strstr(library.dli_fname, "/libmpi.so") == NULL) return 0;
    size_t const size = malloc_usable_size((void*)argument);
    if (size < sizeof(struct late_failure) || size >= sizeof(struct late_failure) + 32) return 0;
    struct object const* const agreement = ((struct late_failure const*)argument)->agreement;
    return strcmp(agreement->type->name, "ompi_coll_ftagree_era_agreement_info_t") == 0;
}

/* libevent's function, for the library that calls it. What another library calls by this name has at most as many
 * arguments, and gets them all. */
VISIBLE long event_assign(void* event, void* base, long file, long what, Callback* call, void* argument) {
    void const* const caller = __builtin_return_address(0);
    void* symbol = regraft_symbol_for(caller, "event_assign");
    if (symbol == NULL) symbol = dlsym(RTLD_NEXT, "event_assign");
    Assign* assign = NULL;
    memcpy(&assign, &symbol, sizeof assign);
    if (assign == NULL) return -1;
    if (!tells_late_failure(caller, event, argument)) return assign(event, base, file, what, call, argument);
    __atomic_add_fetch(&((struct late_failure*)argument)->agreement->references, 1, __ATOMIC_ACQ_REL);
    tell_agreement = call;
    return assign(event, base, file, what, tell_and_release, argument);
}
