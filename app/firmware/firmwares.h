/* The processes that are firmwares of a scene's robots. They start before the first step, get a
 * question in each tick of their robot, and end with the run. Simulated time stops until a
 * process answers.
 *
 * If a process ends, computes or sleeps for too long, or sends an invalid answer, it is not used
 * again. Its robot has no power from then on. ptybot reports the reason at once, and it can be
 * queried. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/scene/scene.h"

struct firmwares;

/* Starts the firmwares that the robots of SCENE name, and exchanges hellos. SCENE outlives them.
 * NULL, with the reason in ERROR: one cannot be started, or sends no hello. */
struct firmwares *firmwares_open(const struct scene *scene, struct error *error);

/* Whether the files that they need exist. */
bool firmwares_check(const struct scene *scene, struct error *error);

/* Ends the firmwares: closes their sockets, and kills each process that does not end within a
 * second. NULL is allowed. */
void firmwares_close(struct firmwares *firmwares);

/* A sim_ask; CONTEXT is the struct firmwares. */
size_t firmwares_ask(void *context, size_t robot, const struct robot_question *question,
                     uint8_t *answer, size_t room);

/* Returns a sentence about the first firmware that failed, with robot, command, reason and time;
 * NULL: all of them work. */
const char *firmwares_failure(const struct firmwares *firmwares);
