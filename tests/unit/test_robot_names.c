/* The contract of a robot, its names in a simulation: no name hides one that every robot has, and a
 * click on a part of its appearance gives a command that works. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/parse/scene_parse.h"
#include "sim/sim.h"
#include "tests/support/every_type.h"
#include "tests/support/own_types.h"

static void check_signals(const struct robot_type *type, struct sim *sim)
{
    for (size_t i = 0; i < sim_signal_count(sim); i++) {
        const char *name = sim_signal_info(sim, i).name;
        for (size_t k = 0; k < i; k++)
            CHECK(type, strcmp(name, sim_signal_info(sim, k).name) != 0, "signal %s twice", name);
        CHECK(type, sim_signal_find(sim, name) == i, "signal %s is not found", name);
    }
}

static void check_commands(const struct robot_type *type)
{
    size_t count;
    const struct command_row *common = sim_robot_commands(&count);
    for (size_t i = 0; i < type->command_count; i++)
        for (size_t k = 0; k < count; k++)
            CHECK(type, strcmp(type->commands[i].name, common[k].name) != 0,
                  "every robot already has a command %s", common[k].name);
}

static void check_clicks(const struct robot_type *type, struct sim *sim)
{
    for (size_t i = 0; i < type->appearance->count; i++) {
        const char *click = type->appearance->rows[i].click;
        char command[160];
        struct error error = {0};
        snprintf(command, sizeof command, "%s.%s", sim_robot_name(sim, 0), click ? click : "");
        CHECK(type, !click || sim_check_do(sim, command, &error), "look %zu: %s", i, error.text);
    }
}

/* Checks a scene with one robot of TYPE. */
static void check_scene(const struct robot_type *type, struct scene *scene)
{
    struct error error = {0};
    struct sim *sim = sim_create(scene, NULL, NULL, &error);
    CHECK(type, sim, "%s", error.text);
    check_signals(type, sim);
    check_commands(type);
    check_clicks(type, sim);
    sim_destroy(sim);
    scene_destroy(scene);
}

static void check_names(const struct robot_type *type)
{
    struct error error = {0};
    struct scene *scene = scene_of_type(type->name, &error);
    CHECK(type, scene, "%s", error.text);
    check_scene(type, scene);
}

static void no_name_hides_another_and_clicks_are_commands(void **state)
{
    (void)state;
    for_every_type(check_names);
    for (struct custom_robot *own = own_of_all(), *next; own; own = next) {
        struct error error = {0};
        next = own->next;
        own->next = NULL;
        struct scene *scene = scene_of_custom(own, &error);
        if (!scene)
            fail_msg("%s", error.text);
        check_scene(&own->type, scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_name_hides_another_and_clicks_are_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
