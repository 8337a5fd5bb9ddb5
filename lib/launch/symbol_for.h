/* The function of which a preloaded one takes the place. */
#ifndef REGRAFT_LAUNCH_SYMBOL_FOR_H
#define REGRAFT_LAUNCH_SYMBOL_FOR_H

#include <dlfcn.h>
#include <stddef.h>

/* What the library that calls finds by this name itself: it may be loaded where RTLD_NEXT does not look, as Python
 * loads MPI. NULL: nothing. caller: an address in that library. */
static inline void* regraft_symbol_for(void const* caller, char const* name) {
    Dl_info library;
    if (dladdr(caller, &library) == 0) return NULL;
    void* const handle = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    void* const symbol = handle == NULL ? NULL : dlsym(handle, name);
    if (handle != NULL) dlclose(handle); /* it stays loaded: it is calling us */
    return symbol;
}

#endif
