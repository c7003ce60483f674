/* Random host programs control a robot of each type with random options, in a room with objects of
 * every kind. They send good and invalid frames, leave, come back, do not
 * read or use another baud rate. Users' commands and faults come in addition. The robot's answers,
 * signals and final pose must match tests/wire/programs.txt. PTYBOT_UPDATE_GOLDEN=1 updates that
 * file after an intended change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/hash.h"
#include "protocols/registry.h"
#include "sim/parse/scene_parse.h"
#include "sim/scene/scene.h"
#include "tests/fuzz/frame_maker.h"
#include "tests/fuzz/words.h"
#include "tests/places.h"
#include "tests/support/furnished_room.h"
#include "tests/support/record.h"

/* Chosen: long enough for a tune and for the way to a nearby dock. All of it takes about a second
 * of CPU time. */
enum {
    PROGRAMS = 12,
    STEPS = 6000,
    EVERY = 10,
    SIGNALS_EVERY = 100,
    RESET_EVERY = 2000,
    TRIES = 50
};

static const char programs[] = PTYBOT_SOURCE_DIR "/tests/wire/programs.txt";

/* ---- Scenes ---- */

/* Every fourth program begins in front of a dock and faces it. */
static struct pose place(struct dice *dice, size_t program)
{
    static const struct pose docking[] = {{2.45, 0.9, 0}, {0.55, 0.9, 180}};
    static const struct pose others[] = {
        {0.5, 0.4, 0}, {1.4, 0.5, 90}, {1.5, 1.4, 200}, {0.5, 1.4, 120}, {2.5, 1.6, -60}};
    struct pose pose = program % 4 == 0 ? docking[program / 4 % COUNT(docking)]
                                        : others[roll(dice, COUNT(others))];
    pose.heading_rad += (double)roll(dice, 41) - 20; /* in degrees here */
    return pose;
}

/* A scene with some random options. NULL: the options exclude each other. */
static struct scene *try_scene(const struct robot_type *type, size_t program, uint64_t seed,
                               struct error *refusal)
{
    char text[8192];
    struct dice dice = {.seed = seed};
    struct pose pose = place(&dice, program);
    int used = snprintf(text, sizeof text, "seed: %zu\n" FURNISHED_ROOM, program);
    used +=
        snprintf(text + used, sizeof text - (size_t)used,
                 "robots:\n- {name: %s, type: %s, pose: {x: %g, y: %g, heading: %g}, options: {",
                 type->name, type->name, pose.x_m, pose.y_m, pose.heading_rad);
    struct writer to = writer_begin(text + used, sizeof text - (size_t)used);
    for (size_t i = 0; i < type->option_count; i++)
        if (roll(&dice, type->option_count) < 4) {
            writer_text(&to, type->options[i].key);
            writer_text(&to, ": ");
            words_value_of(&dice, &type->options[i], &to);
            writer_text(&to, ", ");
        }
    writer_text(&to, "}}\n");
    writer_end(&to);
    return scene_parse(text, strlen(text), "program.yaml", refusal);
}

static struct scene *make_scene(const struct robot_type *type, size_t program)
{
    uint64_t seed = rng_u64(hash_bytes(HASH_START, type->name, strlen(type->name)), program);
    struct error refusal;
    for (uint64_t i = 0; i < TRIES; i++) {
        struct scene *scene = try_scene(type, program, seed + i, &refusal);
        if (scene)
            return scene;
    }
    fail_msg("%s: no scene of %d was good: %s", type->name, TRIES, refusal.text);
    return NULL;
}

/* ---- Programs ---- */

static void say_frame(struct record *run, struct dice *dice, size_t channel)
{
    uint8_t frame[FRAME_MADE_MAX];
    unsigned of_robot;
    size_t robot = sim_channel_robot(run->sim, channel, &of_robot);
    size_t size = frame_make(sim_robot_type(run->sim, robot), of_robot, WIRE_TO_ROBOT,
                             roll(dice, UINT64_MAX), frame);
    if (size > 0 && size <= sim_host_room(run->sim, channel))
        sim_host_bytes(run->sim, channel, frame, size);
}

static void command(struct record *run, struct dice *dice)
{
    char text[1024];
    struct error refusal;
    struct writer to = writer_begin(text, sizeof text);
    words_robot_command(dice, sim_robot_type(run->sim, 0), &to);
    writer_end(&to);
    (void)sim_do(run->sim, text, &refusal); /* a refused command has changed nothing */
}

static void disturb(struct record *run, struct dice *dice, size_t channel)
{
    static const uint32_t bauds[] = {0, 0, 9600, 115200};
    switch (roll(dice, 3)) {
    case 0:
        sim_host_present(run->sim, channel, roll(dice, 2));
        break;
    case 1:
        sim_host_baud(run->sim, channel, bauds[roll(dice, COUNT(bauds))]);
        break;
    default:
        sim_host_reads(run->sim, channel, roll(dice, 4));
        break;
    }
}

/* Restores the initial state, with hosts that behave well. */
static void begin_anew(struct record *run)
{
    struct error error;
    if (!sim_do(run->sim, "world.reset", &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < sim_channel_count(run->sim); i++) {
        sim_host_present(run->sim, i, true);
        sim_host_baud(run->sim, i, 0);
        sim_host_reads(run->sim, i, true);
    }
}

static void act(struct record *run, struct dice *dice)
{
    size_t channel = (size_t)roll(dice, sim_channel_count(run->sim));
    uint64_t what = roll(dice, 32);
    if (what < 14)
        record_say(run, channel, (size_t)roll(dice, 1000));
    else if (what < 29)
        say_frame(run, dice, channel);
    else if (what < 31)
        command(run, dice);
    else
        disturb(run, dice, channel);
}

static size_t play(const struct robot_type *type, size_t program, char *text, size_t size)
{
    struct error error = {0};
    struct dice dice = {.seed = program + 1};
    struct scene *scene = make_scene(type, program);
    struct sim *sim = sim_create(scene, NULL, NULL, &error);
    if (!sim)
        fail_msg("%s: %s", type->name, error.text);
    static struct record run;
    char name[32];
    record_begin(&run, sim);
    while (run.steps < STEPS) {
        if (run.steps > 0 && run.steps % RESET_EVERY == 0)
            begin_anew(&run);
        else if (run.steps % EVERY == 0)
            act(&run, &dice);
        record_step(&run);
        if (run.steps % SIGNALS_EVERY == 0)
            record_sample(&run);
    }
    snprintf(name, sizeof name, "program %zu", program);
    size_t used = record_report(&run, name, text, size);
    sim_destroy(sim);
    scene_destroy(scene);
    return used;
}

static void all_programs_run_as_ever_to_the_last_byte(void **state)
{
    (void)state;
    static char text[RECORD_TEXT_MAX];
    size_t used = 0, count;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t program = 0; program < PROGRAMS; program++)
            used += play(types[i], program, text + used, sizeof text - used);
    record_check(programs, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_programs_run_as_ever_to_the_last_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
