/* Every scene of scenes/ for some seconds, with hosts that say in turn all that a host can say:
 * what the robots answer and where they end is what tests/wire/runs.txt says, to the last bit. The
 * same scene, seed and bytes of hosts give the same bytes: from every compiler, on every machine,
 * and tomorrow, when an old journal is run again. PTYBOT_BLESS=1 writes that file anew, after a
 * change on purpose. */
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

#include "base/hash.h"
#include "tests/places.h"
#include "tests/support/golden.h"
#include "tests/support/simulation.h"

enum {
    STEPS = 5000,
    EVERY = 40,
    LIFTED_AT = 1900,
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

static void lift_all(struct sim *sim)
{
    for (size_t i = 0; i < sim_robot_count(sim); i++) {
        char command[80];
        struct error ignored; // what is mounted on a robot is lifted with it
        snprintf(command, sizeof command, "%s.lift for=0.3", sim_robot_name(sim, i));
        (void)sim_do(sim, command, &ignored);
    }
}

static size_t tell(const struct sim *sim, const struct heard *heard, const char *name, char *text,
                   size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < sim_robot_count(sim); i++) {
        const struct pose pose = sim_robot_pose(sim, i);
        used += (size_t)snprintf(text + used, size - used, "%s %s at %.9f %.9f %.9f\n", name,
                                 sim_robot_name(sim, i), pose.x_m, pose.y_m, pose.heading_rad);
    }
    for (size_t i = 0; i < sim_channel_count(sim); i++) {
        unsigned of_robot;
        size_t robot = sim_channel_robot(sim, i, &of_robot);
        used += (size_t)snprintf(text + used, size - used, "%s %s.%s %zu bytes %016" PRIx64 "\n",
                                 name, sim_robot_name(sim, robot),
                                 sim_robot_type(sim, robot)->channels[of_robot].name,
                                 heard[i].bytes, heard[i].hash);
    }
    assert_true(used < size);
    return used;
}

static size_t run_scene(const char *yaml, const char *name, char *text, size_t size)
{
    struct simulation simulation = simulation_open(yaml, NULL);
    struct sim *sim = simulation.sim;
    struct heard heard[CHANNELS_MAX];
    size_t channels = sim_channel_count(sim);
    assert_in_range(channels, 1, CHANNELS_MAX);
    for (size_t i = 0; i < channels; i++) {
        heard[i] = (struct heard){.hash = HASH_START};
        sim_host_present(sim, i, true);
    }
    for (size_t step = 0; step < STEPS; step++) {
        if (step == LIFTED_AT)
            lift_all(sim);
        for (size_t i = 0; step % EVERY == 0 && i < channels; i++)
            say(sim, i, step / EVERY);
        sim_step(sim);
        for (size_t i = 0; i < channels; i++)
            listen(sim, i, &heard[i]);
    }
    size_t used = tell(sim, heard, name, text, size);
    simulation_close(&simulation);
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
