/* How soon the kernel gives this thread a processor when it is woken. */
#ifndef PTYBOT_APP_TIME_TURNS_H
#define PTYBOT_APP_TIME_TURNS_H

#include <stdbool.h>

#include "base/error.h"

/* Asks for turns so short that, on a busy machine, this thread goes before others that have had as
 * much of the processor; it gets no more of that. Linux 6.12 and later; elsewhere, and where it is
 * refused, all is as it was. IS_INHERITED: processes that it starts have such turns too; otherwise
 * they have the usual ones. */
void turns_short(bool is_inherited);

/* The kernel lets this thread run as soon as it is woken, whatever normal programs do. Processes
 * that it starts are normal ones. False, with the remedy in ERROR: that is not allowed. */
bool turns_realtime(struct error *error);

#endif
