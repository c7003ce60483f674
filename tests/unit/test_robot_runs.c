/* Every scene of scenes/ for some seconds, with hosts that say in turn all that a host can say, and
 * one robot of each type that is told every command: what the robots answer, what their signals
 * show and where they end is what tests/wire/runs.txt says. The same scene, seed and bytes of hosts
 * give the same bytes: from every compiler, on every machine, and tomorrow, when an old journal is
 * run again. PTYBOT_BLESS=1 writes that file anew, after a change on purpose. */
#include <glob.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/hash.h"
#include "sim/state/state.h"
#include "tests/places.h"
#include "tests/support/all_types.h"
#include "tests/support/golden.h"
#include "tests/support/simulation.h"

enum {
    STEPS = 5000,
    EVERY = 40,
    LIFTED_AT = 1900,
    LOOK_EVERY = 250,
    COMMAND_EVERY = 60,
    RESET_EVERY = 1500,
    CHANNELS_MAX = 64,
    FILES_MAX = 8,
    TEXT_MAX = 65536
};

static const char runs[] = PTYBOT_SOURCE_DIR "/tests/wire/runs.txt";

/* ---- What hosts say to robots of a type ---- */

struct speech {
    const struct robot_type *type;
    struct golden_file files[FILES_MAX];
    size_t file_count;
};

static struct speech *speech_of(const struct robot_type *type)
{
    static struct speech all[16];
    struct speech *speech = all;
    while (speech->type && speech->type != type)
        speech++;
    if (speech->type)
        return speech;
    speech->type = type;
    char **paths = golden_paths(type);
    for (size_t i = 0; paths[i]; i++) {
        struct error error;
        assert_in_range(i, 0, FILES_MAX - 1);
        if (!golden_load(type, paths[i], &speech->files[speech->file_count++], &error))
            fail_msg("%s", error.text);
    }
    golden_paths_free(paths);
    return speech;
}

/* The frame of that NUMBER to a channel of a robot, round and round; NULL: there is none. */
static const struct golden_frame *frame_to(const struct speech *speech, unsigned channel,
                                           size_t number)
{
    size_t count = 0;
    for (int is_counted = 0; is_counted < 2; is_counted++) {
        size_t at = 0;
        for (size_t i = 0; i < speech->file_count; i++)
            for (size_t k = 0; k < speech->files[i].count; k++) {
                const struct golden_frame *frame = &speech->files[i].frames[k];
                if (frame->direction != WIRE_TO_ROBOT || frame->channel != channel)
                    continue;
                if (is_counted && at == number % count)
                    return frame;
                at++;
            }
        count = at;
        if (count == 0)
            return NULL;
    }
    return NULL;
}

static void say(struct sim *sim, size_t channel, size_t number)
{
    unsigned of_robot;
    size_t robot = sim_channel_robot(sim, channel, &of_robot);
    const struct golden_frame *frame =
        frame_to(speech_of(sim_robot_type(sim, robot)), of_robot, number + robot);
    if (frame && frame->size <= sim_host_room(sim, channel))
        sim_host_bytes(sim, channel, frame->bytes, frame->size);
}

/* ---- Runs ---- */

struct heard {
    uint64_t hash;
    size_t bytes;
};

static uint64_t hash_number(uint64_t hash, int64_t number)
{
    char text[32];
    return hash_bytes(hash, text, (size_t)snprintf(text, sizeof text, "%" PRId64, number));
}

static void listen(struct sim *sim, size_t channel, struct heard *heard)
{
    const uint8_t *bytes;
    size_t size;
    while (sim_output(sim, channel, &bytes, &size)) {
        heard->hash = hash_bytes(hash_number(heard->hash, sim_now_us(sim)), bytes, size);
        heard->bytes += size;
    }
}

/* What the signals of a robot show, to nine digits. */
static void look(const struct sim *sim, size_t robot, struct heard *seen)
{
    const char *name = sim_robot_name(sim, robot);
    size_t length = strlen(name);
    seen->bytes = 0;
    for (size_t i = 0; i < sim_signal_count(sim); i++) {
        struct sim_signal signal = sim_signal_info(sim, i);
        if (signal.is_live || strncmp(signal.name, name, length) != 0 || signal.name[length] != '.')
            continue;
        char text[160];
        int size = snprintf(text, sizeof text, "%s %.9g", signal.name, sim_signal_value(sim, i));
        seen->hash = hash_bytes(seen->hash, text, (size_t)size);
        seen->bytes++;
    }
}

static void lift_all(struct sim *sim)
{
    for (size_t i = 0; i < sim_robot_count(sim); i++) {
        char command[80];
        struct error ignored; // what is mounted on a robot is lifted with it
        snprintf(command, sizeof command, "%s.lift for=0.3", sim_robot_name(sim, i));
        (void)sim_do(sim, command, &ignored);
    }
}

struct run {
    struct sim *sim;
    struct heard heard[CHANNELS_MAX], seen[CHANNELS_MAX]; /* of channels, of robots */
    size_t steps;
};

static void begin(struct run *run, struct sim *sim)
{
    *run = (struct run){.sim = sim};
    assert_in_range(sim_channel_count(sim), 1, CHANNELS_MAX);
    assert_in_range(sim_robot_count(sim), 1, CHANNELS_MAX);
    for (size_t i = 0; i < CHANNELS_MAX; i++)
        run->heard[i].hash = run->seen[i].hash = HASH_START;
    for (size_t i = 0; i < sim_channel_count(sim); i++)
        sim_host_present(sim, i, true);
}

static void step(struct run *run)
{
    struct sim *sim = run->sim;
    size_t channels = sim_channel_count(sim);
    for (size_t i = 0; run->steps % EVERY == 0 && i < channels; i++)
        say(sim, i, run->steps / EVERY);
    sim_step(sim);
    for (size_t i = 0; i < channels; i++)
        listen(sim, i, &run->heard[i]);
    for (size_t i = 0; run->steps % LOOK_EVERY == 0 && i < sim_robot_count(sim); i++)
        look(sim, i, &run->seen[i]);
    run->steps++;
}

static size_t tell(const struct run *run, const char *name, char *text, size_t size)
{
    const struct sim *sim = run->sim;
    size_t used = 0;
    for (size_t i = 0; i < sim_robot_count(sim); i++) {
        const struct pose pose = sim_robot_pose(sim, i);
        used += (size_t)snprintf(text + used, size - used,
                                 "%s %s at %.9f %.9f %.9f, %zu signals %016" PRIx64 "\n", name,
                                 sim_robot_name(sim, i), pose.x_m, pose.y_m, pose.heading_rad,
                                 run->seen[i].bytes, run->seen[i].hash);
    }
    for (size_t i = 0; i < sim_channel_count(sim); i++) {
        unsigned of_robot;
        size_t robot = sim_channel_robot(sim, i, &of_robot);
        used += (size_t)snprintf(text + used, size - used, "%s %s.%s %zu bytes %016" PRIx64 "\n",
                                 name, sim_robot_name(sim, robot),
                                 sim_robot_type(sim, robot)->channels[of_robot].name,
                                 run->heard[i].bytes, run->heard[i].hash);
    }
    assert_true(used < size);
    return used;
}

static size_t run_scene(const char *yaml, const char *name, char *text, size_t size)
{
    struct simulation simulation = simulation_open(yaml, NULL);
    static struct run run;
    begin(&run, simulation.sim);
    while (run.steps < STEPS) {
        if (run.steps == LIFTED_AT)
            lift_all(run.sim);
        step(&run);
    }
    size_t used = tell(&run, name, text, size);
    simulation_close(&simulation);
    return used;
}

/* ---- Commands ---- */

/* A value for an argument, another one in each ROUND. */
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

/* What is refused has changed nothing. */
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

/* Each robot is told its commands in turn, those of its type and those of all. */
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
    static struct run run;
    begin(&run, sim);
    while (run.steps < 2 * STEPS) {
        if (run.steps % RESET_EVERY == 0)
            simulation_do(sim, "world.reset");
        else if (run.steps % COMMAND_EVERY == 0)
            command_all(sim, run.steps / COMMAND_EVERY);
        step(&run);
    }
    size_t used = tell(&run, "commands", text, size);
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
    static char yaml[TEXT_MAX], text[TEXT_MAX], expected[TEXT_MAX];
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
    if (getenv("PTYBOT_BLESS")) {
        FILE *file = fopen(runs, "w");
        assert_non_null(file);
        assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
        return;
    }
    (void)read_whole(runs, expected, sizeof expected);
    const char *is = text, *was = expected;
    for (; *is && strncmp(is, was, strcspn(is, "\n") + 1) == 0; is += strcspn(is, "\n") + 1)
        was += strcspn(was, "\n") + 1;
    if (*is || *was)
        fail_msg("%s: was\n%.*s\nis\n%.*s\nPTYBOT_BLESS=1 writes it anew", runs,
                 (int)strcspn(was, "\n"), was, (int)strcspn(is, "\n"), is);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_scenes_run_as_ever_to_the_last_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
