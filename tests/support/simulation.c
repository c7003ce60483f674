#include "tests/support/simulation.h"
#include "sim/parse/scene_parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct simulation simulation_open(const char *yaml, const char *const *options)
{
    struct error error = {0};
    struct simulation self = {.scene = scene_parse(yaml, strlen(yaml), "rig.yaml", &error)};
    if (!self.scene)
        fail_msg("%s", error.text);
    for (; options && *options; options++)
        if (!scene_set(self.scene, *options, &error))
            fail_msg("%s", error.text);
    self.sim = sim_create(self.scene, NULL, NULL, &error);
    if (!self.sim)
        fail_msg("%s", error.text);
    return self;
}

void simulation_close(struct simulation *self)
{
    sim_destroy(self->sim);
    scene_destroy(self->scene);
}

double simulation_get(const struct sim *sim, const char *name)
{
    size_t signal = sim_signal_find(sim, name);
    if (signal == SIZE_MAX)
        fail_msg("no signal %s", name);
    return sim_signal_value(sim, signal);
}

void simulation_do(struct sim *sim, const char *command)
{
    struct error error = {0};
    if (!sim_do(sim, command, &error))
        fail_msg("%s: %s", command, error.text);
}
