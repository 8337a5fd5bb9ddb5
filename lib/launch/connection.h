/* The connection of a rank to a launcher that may be on another host. The launcher keeps what the rank tells. */
#ifndef REGRAFT_LAUNCH_CONNECTION_H
#define REGRAFT_LAUNCH_CONNECTION_H

#include <stddef.h>

/* Uses the connection that a process of this rank has opened, or opens one. launcher: KEY TIMEOUT PORT ADDRESS..., with
 * a time-out in seconds; rank: its name. Returns 0 if this names no launcher. If the launcher cannot be reached for
 * that long, this process and the daemon that has started it end: they are on a node that is lost. */
int regraft_connect(char const* launcher, char const* rank);
/* Whether a line was sent. */
int regraft_connection_send(char const* line);
/* Asks for all lines that this rank has told; returns 0 if there is no answer. Precondition: no thread listens. */
int regraft_connection_ask(char* text, size_t size);
/* Starts a thread that passes on the signals which the launcher sends to this process. When the launcher is lost, it
 * ends this process and the daemon that has started it: then no rank hears of failures any more, and survivors might
 * wait for ever. */
void regraft_connection_listen(void);

#endif
