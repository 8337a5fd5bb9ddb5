/* For programs that may run under the shield (regraft-shield) and want to know what has happened. The shield works
 * without this header. Nothing is linked: without the shield, the functions say that no process has died. C99 and C++;
 * GCC and Clang. */
#pragma once

#include <mpi.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Symbols of libregraft_shield.so, null without it. Use the functions below instead. */
__attribute__((weak)) extern int regraft_shield_is_active(void);
/* The same for regraft_shield_dead. */
__attribute__((weak)) extern int regraft_shield_list_dead(MPI_Comm comm, int* ranks, int most);
/* The same for regraft_shield_repairs. */
__attribute__((weak)) extern int regraft_shield_count_repairs(void);

/* Whether the shield looks after this process: 1 from MPI_Init to MPI_Finalize under regraft-shield, else 0. */
static inline int regraft_shield_active(void) {
    return regraft_shield_is_active ? regraft_shield_is_active() : 0;
}

/* The number of members of comm that are dead, as far as this process knows; others may know of more, or of fewer.
 * Writes the ranks of the first `most` of them, ascending; ranks may be NULL if most is 0. Returns 0 on communicators
 * that the shield has not made. Not collective. O(members^2) after a death. */
static inline int regraft_shield_dead(MPI_Comm comm, int* ranks, int most) {
    return regraft_shield_list_dead ? regraft_shield_list_dead(comm, ranks, most) : 0;
}

/* The number of repairs so far. If it is the same before and after some calls, no collective among them has lost a
 * member. Not collective. */
static inline int regraft_shield_repairs(void) {
    return regraft_shield_count_repairs ? regraft_shield_count_repairs() : 0;
}

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
