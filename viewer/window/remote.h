/* The run's control socket, from the window's side: commands go out, refusals come back. */
#ifndef PTYBOT_VIEWER_WINDOW_REMOTE_H
#define PTYBOT_VIEWER_WINDOW_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

struct remote;

/* NULL, after having said why on the standard error. */
struct remote *remote_open(const char *path);
void remote_close(struct remote *remote);

/* Runs a command, `TARGET.COMMAND key=value ...`. Never waits; what a stuck run does not take is
 * left out. */
void remote_do(struct remote *remote, const char *command);

/* Sends and receives what is there. False: the run has ended. */
bool remote_visit(struct remote *remote);

/* Commands that have no answer yet. */
size_t remote_waiting(const struct remote *remote);

/* Why a command was refused, once; NULL: none was. Valid until the next visit. */
const char *remote_refusal(struct remote *remote);

#endif
