/* Runs every scene of scenes/ for some seconds, with hosts that send every kind of frame in turn,
 * and one robot of each type that gets every command. The robots' answers, signals and final poses
 * must match tests/wire/runs.txt. The same scene, seed and host bytes give the same bytes: from
 * every compiler, on every machine, and in later versions that replay an old journal.
 * PTYBOT_UPDATE_GOLDEN=1 updates that file after an intended change. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "sim/state/state.h"
#include "tests/places.h"
#include "tests/support/all_types.h"
#include "tests/support/record.h"
#include "tests/support/simulation.h"

enum {
    STEPS = 5000,
    EVERY = 40,
    LIFTED_AT = 1900,
    SIGNALS_EVERY = 250,
    COMMAND_EVERY = 60,
    RESET_EVERY = 1500
};

static const char runs[] = PTYBOT_SOURCE_DIR "/tests/wire/runs.txt";

static void lift_all(struct sim *sim)
{
    for (size_t i = 0; i < sim_robot_count(sim); i++) {
        char command[80];
        struct error ignored; // a robot that is mounted on another is lifted with it
        snprintf(command, sizeof command, "%s.lift for=0.3", sim_robot_name(sim, i));
        (void)sim_do(sim, command, &ignored);
    }
}

/* Makes one step. Before some steps hosts send bytes, and after some the signals are sampled. */
static void step(struct record *run)
{
    struct sim *sim = run->sim;
    unsigned of_robot;
    for (size_t i = 0; run->steps % EVERY == 0 && i < sim_channel_count(sim); i++)
        record_say(run, i, run->steps / EVERY + sim_channel_robot(sim, i, &of_robot));
    bool is_viewed = run->steps % SIGNALS_EVERY == 0;
    record_step(run);
    if (is_viewed)
        record_sample(run);
}

static size_t run_scene(const char *yaml, const char *name, char *text, size_t size)
{
    struct simulation simulation = simulation_open(yaml, NULL);
    static struct record run;
    record_begin(&run, simulation.sim);
    while (run.steps < STEPS) {
        if (run.steps == LIFTED_AT)
            lift_all(run.sim);
        step(&run);
    }
    size_t used = record_report(&run, name, text, size);
    simulation_close(&simulation);
    return used;
}

/* ---- Commands ---- */

/* A value for an argument, which differs in each ROUND. */
static void put_value(const struct option_row *row, const struct sim *sim, size_t robot,
                      size_t round, char *text, size_t size)
{
    const struct robot_type *type = sim_robot_type(sim, robot);
    size_t count = 0;
    const double numbers[] = {row->min, row->max, (row->min + row->max) / 2, 1, 0.25};
    switch (row->type) {
    case OPTION_NUMBER:
    case OPTION_ANGLE:
        snprintf(text, size, "%g", numbers[round % COUNT(numbers)]);
        break;
    case OPTION_INTEGER:
        snprintf(text, size, "%.0f", numbers[round % 4]);
        break;
    case OPTION_BOOL:
        snprintf(text, size, "%s", round % 2 ? "on" : "off");
        break;
    case OPTION_CHOICE:
        while (row->choices[count])
            count++;
        snprintf(text, size, "%s", count > 0 ? row->choices[round % count] : "");
        break;
    case OPTION_TEXT:
        while (type->buttons && type->buttons[count])
            count++;
        snprintf(text, size, "%s",
                 count > 0 && round % 2 ? type->buttons[round / 2 % count]
                                        : type->channels[round % type->channel_count].name);
        break;
    case OPTION_COLOR:
        snprintf(text, size, "\"#%06zx\"", round * 123457 % 0x1000000);
        break;
    }
}

/* A refused command changes nothing. */
static void give(const struct command_row *row, struct sim *sim, size_t robot, size_t round)
{
    char text[512];
    struct error refusal;
    size_t used =
        (size_t)snprintf(text, sizeof text, "%s.%s", sim_robot_name(sim, robot), row->name);
    for (size_t i = 0; i < row->arg_count; i++) {
        char value[64];
        if (row->args[i].fallback && (round + i) % 2)
            continue;
        put_value(&row->args[i], sim, robot, round + i, value, sizeof value);
        used +=
            (size_t)snprintf(text + used, sizeof text - used, " %s=%s", row->args[i].key, value);
        assert_true(used < sizeof text);
    }
    (void)sim_do(sim, text, &refusal);
}

static void give_fault(struct sim *sim, size_t robot, size_t round)
{
    struct fault_part parts[FAULT_PARTS_MAX];
    struct sim_fault_info info;
    char text[128];
    struct error refusal;
    size_t count = fault_parts(sim_robot_type(sim, robot), sim->robots[robot].body, parts),
           kinds = 0;
    while (sim_fault_info(kinds, &info))
        kinds++;
    (void)sim_fault_info(round % kinds, &info);
    snprintf(text, sizeof text, "%s.fault %.40s=%s for=0.2", sim_robot_name(sim, robot),
             parts[round / 3 % count].name, info.kind);
    (void)sim_do(sim, text, &refusal);
}

/* Gives each robot its commands in turn: those of its type and those of all robots. */
static void command_all(struct sim *sim, size_t round)
{
    size_t common_count;
    const struct command_row *common = sim_robot_commands(&common_count);
    for (size_t i = 0; i < sim_robot_count(sim); i++) {
        const struct robot_type *type = sim_robot_type(sim, i);
        size_t at = round % (type->command_count + common_count + 1);
        if (at < type->command_count)
            give(&type->commands[at], sim, i, round / 3);
        else if (at < type->command_count + common_count)
            give(&common[at - type->command_count], sim, i, round / 3);
        give_fault(sim, i, round);
    }
}

static size_t run_commands(char *text, size_t size)
{
    struct error error = {0};
    struct scene *scene = scene_of_all_types(&error);
    struct sim *sim = scene ? sim_create(scene, NULL, NULL, &error) : NULL;
    if (!sim)
        fail_msg("%s", error.text);
    static struct record run;
    record_begin(&run, sim);
    while (run.steps < 2 * STEPS) {
        if (run.steps % RESET_EVERY == 0)
            simulation_do(sim, "world.reset");
        else if (run.steps % COMMAND_EVERY == 0)
            command_all(sim, run.steps / COMMAND_EVERY);
        step(&run);
    }
    size_t used = record_report(&run, "commands", text, size);
    sim_destroy(sim);
    scene_destroy(scene);
    return used;
}

static size_t read_whole(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t used = file ? fread(text, 1, size - 1, file) : 0;
    text[used] = '\0';
    if (file)
        (void)fclose(file);
    return used;
}

static void all_scenes_run_as_ever_to_the_last_byte(void **state)
{
    (void)state;
    static char yaml[RECORD_TEXT_MAX], text[RECORD_TEXT_MAX];
    size_t used = 0;
    glob_t found;
    assert_int_equal(glob(PTYBOT_SOURCE_DIR "/scenes/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        (void)read_whole(found.gl_pathv[i], yaml, sizeof yaml);
        if (strstr(yaml, "map: ")) // a file that the app reads
            continue;
        const char *name = strrchr(found.gl_pathv[i], '/') + 1;
        used += run_scene(yaml, name, text + used, sizeof text - used);
    }
    globfree(&found);
    used += run_commands(text + used, sizeof text - used);
    record_check(runs, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_scenes_run_as_ever_to_the_last_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
