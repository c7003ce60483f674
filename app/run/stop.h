/* The end that a person or a system asks for: the first SIGINT, SIGTERM or SIGHUP asks for an
 * orderly one. One that comes a second later or more ends the process at once; those in between say
 * the same again, as when a closing terminal hangs up twice or a manager sends two kinds. */
#ifndef PTYBOT_APP_RUN_STOP_H
#define PTYBOT_APP_RUN_STOP_H

#include <stdbool.h>

#include "app/run/poller.h"

/* Catches the signals from here on, and wakes the poller by them. */
bool stop_catch(struct poller *poller, struct error *error);
bool stop_is_wanted(void);
/* The same end without a signal: the window was closed. */
void stop_ask(void);
/* The signal that asked for it; 0: none did. */
int stop_number(void);
void stop_release(void);

/* For who has children to end: from here on a late signal does not end the process but makes the
 * end urgent. */
void stop_stay(void);
bool stop_is_urgent(void);

#endif
