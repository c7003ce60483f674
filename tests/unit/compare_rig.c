#include "tests/unit/compare_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <string.h>

#include "app/record/capture_writer.h"
#include "base/modem_lines.h"
#include "sim/parse/scene_parse.h"
#include "sim/sim.h"
#include "tests/hosts/kobuki_client.h"

enum {
    BEFORE_MS = 5000, /* the recording begins in the middle */
    LENGTH_MS = 20000,
};
#define DRIFT   200e-6
#define BATCH_S 0.016

struct scene *rig_scene(const char *const set[8])
{
    static const char text[] = "world: {size: {x: 40, y: 40}}\n"
                               "robots: [{name: kobuki, type: kobuki, pose: {x: 20, y: 20}}]\n";
    struct error error = {0};
    struct scene *scene = scene_parse(text, sizeof text - 1, "rig.yaml", &error);
    for (int i = 0; scene && i < 8 && set[i]; i++)
        if (!scene_set(scene, set[i], &error))
            fail_msg("%s", error.text);
    if (!scene)
        fail_msg("%s", error.text);
    return scene;
}

/* The recording's clock at a time of the robot. */
static int64_t clock_ns(double time_s)
{
    return INT64_C(1700000000000000000) + (int64_t)(time_s * (1 + DRIFT) * 1e9);
}

static void write_frame(struct capture_writer *writer, const struct rig_plan *plan, double time_s,
                        const uint8_t *bytes, size_t size)
{
    static unsigned number;
    static double last_s;
    uint8_t frame[512];
    assert_true(size <= sizeof frame);
    if (time_s < 0.05)
        number = 0, last_s = 0;
    memcpy(frame, bytes, size);
    double late_s = plan->plant ? plan->plant(frame, size, number) : 0;
    number++;
    if (late_s < 0)
        return;
    frame[size - 1] = 0;
    for (size_t i = 2; i + 1 < size; i++)
        frame[size - 1] ^= frame[i];
    double at_s = time_s + late_s;
    if (!plan->is_precise)
        at_s = ceil(at_s / BATCH_S) * BATCH_S;
    last_s = at_s > last_s ? at_s : last_s;
    capture_writer_add(writer, &(struct capture_block){.kind = CAPTURE_TO_HOST,
                                                       .time_ns = clock_ns(last_s),
                                                       .lines = MODEM_HOST_LINES,
                                                       .bytes = frame,
                                                       .size = size,
                                                       .comment = ""});
}

/* What the driver wants after so many milliseconds: mm/s, and a radius as the robot takes it. */
static size_t drive(uint8_t command[KOBUKI_COMMAND_MAX], int ms)
{
    static const int16_t moves[][2] = {{0, 0},    {200, 0},  {100, 1},    {200, 500},
                                       {-150, 0}, {150, -1}, {250, -300}, {0, 0}};
    const int16_t *move = moves[ms / (LENGTH_MS / 8) % 8];
    return kobuki_base_control(command, move[0], move[1]);
}

void rig_record(const struct folder *folder, const char *name, const struct rig_plan *plan,
                char path[FOLDER_PATH_MAX])
{
    const struct capture_interface interface = {
        .name = "rosie.uart", .description = "kobuki uart", .baud = 115200};
    struct scene *scene = rig_scene(plan->set);
    struct error error = {0};
    struct sim *sim = sim_create(scene, NULL, NULL, &error);
    struct capture_writer *writer =
        capture_writer_open(folder_path(folder, name, path), "--capture", &error);
    assert_true(sim && writer);
    capture_writer_interface(writer, &interface);
    sim_host_present(sim, 0, true);
    for (int ms = -BEFORE_MS; ms < LENGTH_MS; ms++) {
        uint8_t command[KOBUKI_COMMAND_MAX];
        const uint8_t *bytes;
        size_t size;
        if (ms >= 0 && ms % 100 == 0) {
            size = drive(command, plan->is_still ? 0 : ms);
            sim_host_bytes(sim, 0, command, size);
            capture_writer_add(writer, &(struct capture_block){.kind = CAPTURE_TO_ROBOT,
                                                               .time_ns = clock_ns(ms * 1e-3),
                                                               .lines = MODEM_HOST_LINES,
                                                               .bytes = command,
                                                               .size = size,
                                                               .comment = ""});
        }
        sim_step(sim);
        while (sim_output(sim, 0, &bytes, &size))
            if (ms >= 0)
                write_frame(writer, plan, ms * 1e-3, bytes, size);
    }
    assert_true(capture_writer_close(writer, &error));
    sim_destroy(sim);
    scene_destroy(scene);
}
