#include "tests/support/record.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "tests/support/golden.h"

enum { FILES_MAX = 8, TYPES_MAX = 32 };

/* ---- Frames that hosts send to robots of a type ---- */

struct speech {
    const struct robot_type *type;
    struct golden_file files[FILES_MAX];
    size_t file_count;
};

static struct speech *speech_of(const struct robot_type *type)
{
    static struct speech all[TYPES_MAX];
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

/* Golden frame NUMBER to a channel, or NULL after the last frame; *COUNT: number of frames before
 * it. */
static const struct golden_frame *frame_to(const struct speech *speech, unsigned channel,
                                           size_t number, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < speech->file_count; i++)
        for (size_t k = 0; k < speech->files[i].count; k++) {
            const struct golden_frame *frame = &speech->files[i].frames[k];
            if (frame->direction != WIRE_TO_ROBOT || frame->channel != channel)
                continue;
            if (*count == number)
                return frame;
            ++*count;
        }
    return NULL;
}

size_t record_frames(const struct robot_type *type, unsigned channel)
{
    size_t count;
    (void)frame_to(speech_of(type), channel, SIZE_MAX, &count);
    return count;
}

void record_say(struct record *self, size_t channel, size_t number)
{
    struct sim *sim = self->sim;
    unsigned of_robot;
    size_t robot = sim_channel_robot(sim, channel, &of_robot);
    const struct robot_type *type = sim_robot_type(sim, robot);
    size_t count = record_frames(type, of_robot);
    const struct golden_frame *frame =
        count > 0 ? frame_to(speech_of(type), of_robot, number % count, &count) : NULL;
    if (frame && frame->size <= sim_host_room(sim, channel))
        sim_host_bytes(sim, channel, frame->bytes, frame->size);
}

/* ---- Recorded bytes and signals ---- */

void record_begin(struct record *self, struct sim *sim)
{
    *self = (struct record){.sim = sim};
    assert_in_range(sim_channel_count(sim), 1, RECORD_CHANNELS_MAX);
    assert_in_range(sim_robot_count(sim), 1, RECORD_CHANNELS_MAX);
    for (size_t i = 0; i < RECORD_CHANNELS_MAX; i++)
        self->heard[i].hash = self->seen[i].hash = HASH_START;
    for (size_t i = 0; i < sim_channel_count(sim); i++)
        sim_host_present(sim, i, true);
}

static uint64_t hash_number(uint64_t hash, int64_t number)
{
    char text[32];
    return hash_bytes(hash, text, (size_t)snprintf(text, sizeof text, "%" PRId64, number));
}

static void listen(struct sim *sim, size_t channel, struct record_part *heard)
{
    const uint8_t *bytes;
    size_t size;
    while (sim_output(sim, channel, &bytes, &size)) {
        heard->hash = hash_bytes(hash_number(heard->hash, sim_now_us(sim)), bytes, size);
        heard->count += size;
    }
}

void record_step(struct record *self)
{
    sim_step(self->sim);
    for (size_t i = 0; i < sim_channel_count(self->sim); i++)
        listen(self->sim, i, &self->heard[i]);
    self->steps++;
}

/* Records the values of a robot's signals, to nine digits. */
static void look(const struct sim *sim, size_t robot, struct record_part *seen)
{
    const char *name = sim_robot_name(sim, robot);
    size_t length = strlen(name);
    seen->count = 0;
    for (size_t i = 0; i < sim_signal_count(sim); i++) {
        struct sim_signal signal = sim_signal_info(sim, i);
        if (signal.is_live || strncmp(signal.name, name, length) != 0 || signal.name[length] != '.')
            continue;
        char text[160];
        int size = snprintf(text, sizeof text, "%s %.9g", signal.name, sim_signal_value(sim, i));
        seen->hash = hash_bytes(seen->hash, text, (size_t)size);
        seen->count++;
    }
}

void record_sample(struct record *self)
{
    for (size_t i = 0; i < sim_robot_count(self->sim); i++)
        look(self->sim, i, &self->seen[i]);
}

size_t record_report(const struct record *self, const char *name, char *text, size_t size)
{
    const struct sim *sim = self->sim;
    size_t used = 0;
    for (size_t i = 0; i < sim_robot_count(sim); i++) {
        const struct pose pose = sim_robot_pose(sim, i);
        used += (size_t)snprintf(text + used, size - used,
                                 "%s %s at %.9f %.9f %.9f, %zu signals %016" PRIx64 "\n", name,
                                 sim_robot_name(sim, i), pose.x_m, pose.y_m, pose.heading_rad,
                                 self->seen[i].count, self->seen[i].hash);
        assert_true(used < size);
    }
    for (size_t i = 0; i < sim_channel_count(sim); i++) {
        unsigned of_robot;
        size_t robot = sim_channel_robot(sim, i, &of_robot);
        used += (size_t)snprintf(text + used, size - used, "%s %s.%s %zu bytes %016" PRIx64 "\n",
                                 name, sim_robot_name(sim, robot),
                                 sim_robot_type(sim, robot)->channels[of_robot].name,
                                 self->heard[i].count, self->heard[i].hash);
        assert_true(used < size);
    }
    return used;
}

/* ---- Comparison with the golden file ---- */

void record_check(const char *path, const char *text)
{
    static char expected[RECORD_TEXT_MAX];
    bool is_updated = getenv("PTYBOT_UPDATE_GOLDEN") != NULL;
    FILE *file = fopen(path, is_updated ? "w" : "r");
    assert_non_null(file);
    if (is_updated) {
        assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
        return;
    }
    expected[fread(expected, 1, sizeof expected - 1, file)] = '\0';
    (void)fclose(file);
    const char *is = text, *was = expected;
    for (; *is && strncmp(is, was, strcspn(is, "\n") + 1) == 0; is += strcspn(is, "\n") + 1)
        was += strcspn(was, "\n") + 1;
    if (*is || *was)
        fail_msg("%s: was\n%.*s\nis\n%.*s\nPTYBOT_UPDATE_GOLDEN=1 writes it anew", path,
                 (int)strcspn(was, "\n"), was, (int)strcspn(is, "\n"), is);
}
