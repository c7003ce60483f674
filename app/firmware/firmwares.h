/* The processes that are firmwares of a scene's robots: started before the first step, asked in
 * each tick of their robot, ended with the run. Simulated time stands still while one answers.
 *
 * One that ends, computes or sleeps for too long, or answers what is no answer, is gone for good:
 * its robot has no power from then on, and the reason is reported at once and can be queried. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/scene/scene.h"

struct firmwares;

/* Starts those that the robots of SCENE name, and exchanges hellos. SCENE outlives them. NULL, with
 * the reason: one cannot be started, or does not say hello. */
struct firmwares *firmwares_open(const struct scene *scene, struct error *error);

/* Whether the files are there that they need. */
bool firmwares_check(const struct scene *scene, struct error *error);

/* Ends them: each finds its socket closed; who does not end in a second is killed. NULL is allowed.
 */
void firmwares_close(struct firmwares *firmwares);

/* A sim_ask; CONTEXT is the struct firmwares. */
size_t firmwares_ask(void *context, size_t robot, const struct robot_question *question,
                     uint8_t *answer, size_t room);

/* Of the first that is gone, a sentence with the robot, the command, how and when; NULL: all are
 * there. */
const char *firmwares_failure(const struct firmwares *firmwares);
