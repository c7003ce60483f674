/* A simulation for tests: opened from a text, asked and told by name. Failures end the test. */
#pragma once

#include "sim/sim.h"

struct simulation {
    struct scene *scene;
    struct sim *sim;
};

/* OPTIONS is a NULL-terminated list of `robot.key=value`, or NULL. */
struct simulation simulation_open(const char *yaml, const char *const *options);
void simulation_close(struct simulation *self);

/* A signal by its whole name. */
double simulation_get(const struct sim *sim, const char *name);
/* A command that must work. */
void simulation_do(struct sim *sim, const char *command);
