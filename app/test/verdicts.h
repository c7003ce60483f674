/* How the expectations and the timeline of a scene came out, as tables for people. */
#ifndef PTYBOT_APP_TEST_VERDICTS_H
#define PTYBOT_APP_TEST_VERDICTS_H

#include <stdio.h>

#include "sim/sim.h"

/* Writes a table of the expectations and one of the timeline; nothing for a scene without either.
 */
void verdicts_print(const struct sim *sim, FILE *out);

/* How many expectations failed, and commands of the timeline that were refused. */
size_t verdicts_failed(const struct sim *sim);

#endif
