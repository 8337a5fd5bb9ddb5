/* Errors. A part of regraft.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* One of the values below, or a number of the caller's own that is at least REGRAFT_UNIFORM (regraft_resilient). */
typedef int regraft_status;
enum {
    REGRAFT_OK = 0,
    REGRAFT_ERROR_ARGUMENT = 1, /* a contract of the function was broken: a bug of the caller */
    REGRAFT_ERROR_INPUT = 2,    /* input from outside is bad: "what is wrong, and what was expected" */
    REGRAFT_ERROR_MPI = 3,      /* MPI returned an error other than a death; not survivable */
    REGRAFT_NO_MEMORY = 4,
    REGRAFT_ERROR_INTERNAL = 5,  /* any other exception */
    REGRAFT_PROCESS_FAILURE = 6, /* a member died: the body of regraft_resilient passes it on */
    REGRAFT_DEPARTED = 7,        /* MPIs without ULFM: this PE's death is simulated; free all, MPI_Finalize, leave */
    REGRAFT_DATA_LOST = 8,       /* no living PE holds some wanted blocks; the same on all members */
    REGRAFT_DIVERGENCE = 9,      /* members that must compute the same did not; the same on all members */
    REGRAFT_DAMAGED = 10,        /* blocks arrived different from what was sent, repeatedly; the same on all members */
    REGRAFT_DUPLICATE = 11,      /* two entities of a snapshot have one name; the same on all members */
    REGRAFT_DISK = 12,           /* an archive cannot be written, or holds nothing readable; the same on all members */
    REGRAFT_UNIFORM = 100        /* numbers from here on are the caller's; all members return the same */
};

/* One line about the last call on this thread that did not return REGRAFT_OK; "" if there was none. Valid until the
 * next such call. */
char const* regraft_error_message(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
