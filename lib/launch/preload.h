/* This library in the environment: which of the processes that a rank starts get it, too. */
#ifndef REGRAFT_LAUNCH_PRELOAD_H
#define REGRAFT_LAUNCH_PRELOAD_H

#ifdef __cplusplus
extern "C" {
#endif

/* What this process starts from here on is no rank, and does not get the library. Until then, each program that it
 * starts or becomes gets it, also by a wrapper that sets LD_PRELOAD for its program (`env LD_PRELOAD=...`). */
void regraft_preload_leave(void);

#ifdef __cplusplus
}
#endif

#endif
