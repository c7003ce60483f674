/* Wake-up latency of this thread: how soon the kernel gives it a processor. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

/* Requests short time slices, so that this thread runs before others on a busy machine; its share
 * of the processor stays the same. Needs Linux 6.12; has no effect on older kernels, or if the
 * kernel refuses. IS_INHERITED: child processes get short slices too. */
void wakeup_latency_shorten(bool is_inherited);

/* Requests SCHED_FIFO: the thread runs as soon as it is woken, before all normal programs. Child
 * processes are normal. False, with the remedy in ERROR: not permitted. */
bool wakeup_latency_realtime(struct error *error);
