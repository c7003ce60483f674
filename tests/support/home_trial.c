#include "tests/support/home_trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "base/rng.h"
#include "sim/room/beam.h"
#include "tests/hosts/create2_seek.h"
#include "tests/support/simulation.h"

#define ROOM_M 7.0

const struct pose home_trial_dock = {SCENE_DOCK_DEPTH_M / 2, ROOM_M / 2, 0};

void home_trial_poses(uint64_t seed, struct pose *poses, size_t count)
{
    uint64_t draws = 0;
    for (size_t i = 0; i < count;) {
        double away_m = 0.45 + 1.85 * rng_uniform(seed, draws++);
        double aside_rad = (rng_uniform(seed, draws++) - 0.5) * 80 * ANGLE_RAD_DEG;
        double heading_rad = (rng_uniform(seed, draws++) - 0.5) * 2 * ANGLE_PI;
        struct vec2 at = {home_trial_dock.x_m + BEAM_DOCK_X_M + away_m * cos(aside_rad),
                          home_trial_dock.y_m + away_m * sin(aside_rad)};
        if (beams_at(BEAMS_OF_HOME_BASE, home_trial_dock, at) & (BEAM_GREEN_BUOY | BEAM_RED_BUOY))
            poses[i++] = (struct pose){at.x, at.y, heading_rad};
    }
}

static struct simulation open_room(struct pose start)
{
    char text[600];
    snprintf(text, sizeof text,
             "world:\n  size: {x: %g, y: %g}\n"
             "  docks: [{name: base, type: home_base, pose: {x: %g, y: %g}}]\n"
             "robots:\n  - {name: create, type: create2, pose: {x: %.6f, y: %.6f, heading: %.6f}, "
             "options: {battery_v: 14}}\n",
             ROOM_M, ROOM_M, home_trial_dock.x_m, home_trial_dock.y_m, start.x_m, start.y_m,
             start.heading_rad / ANGLE_RAD_DEG);
    return simulation_open(text, NULL);
}

static void say(struct sim *sim, const uint8_t *bytes, size_t size)
{
    sim_host_bytes(sim, 0, bytes, size);
}

/* Passes the bytes of a step to the host, which makes a decision at each frame. */
static void talk(struct sim *sim, struct create2_client *client, struct create2_seek *seek)
{
    const uint8_t *bytes;
    size_t size;
    while (sim_output(sim, 0, &bytes, &size))
        for (size_t i = 0; i < size; i++) {
            if (!create2_push(client, bytes[i]))
                continue;
            struct create2_speeds wheels = create2_seek_step(seek, &client->reading);
            unsigned left = (unsigned)wheels.left_mm_s, right = (unsigned)wheels.right_mm_s;
            const uint8_t drive[] = {145, (uint8_t)(right >> 8), (uint8_t)right,
                                     (uint8_t)(left >> 8), (uint8_t)left};
            static const uint8_t passive = 128, full = 132;
            if (seek->state == SEEK_DONE) {
                say(sim, &passive, 1);
                continue;
            }
            if (client->reading.mode != 3)
                say(sim, &full, 1);
            say(sim, drive, sizeof drive);
        }
}

struct home_outcome home_trial_run(enum home_trial_who who, struct pose start)
{
    static const uint8_t as_host[] = {128, 132, 148, 8, 7, 17, 52, 53, 21, 34, 35, 23};
    static const uint8_t as_firmware[] = {128, 143};
    struct simulation opened = open_room(start);
    struct sim *sim = opened.sim;
    struct create2_client client;
    struct create2_seek seek = {0};
    create2_init(&client);
    sim_host_present(sim, 0, true);
    if (who == HOME_BY_HOST)
        say(sim, as_host, sizeof as_host);
    else
        say(sim, as_firmware, sizeof as_firmware);
    struct home_outcome outcome = {0};
    while (!outcome.is_charging && sim_now_us(sim) < (int64_t)(HOME_TRIAL_LIMIT_S * 1e6)) {
        for (int i = 0; i < 10; i++) {
            sim_step(sim);
            talk(sim, &client, &seek);
        }
        outcome.is_charging = simulation_get(sim, "create.charging") == 2;
    }
    outcome.took_s = (double)sim_now_us(sim) * 1e-6;
    outcome.collisions = (uint64_t)simulation_get(sim, "create.collisions");
    outcome.damaged = client.bad_frames + client.skipped;
    outcome.end = sim_robot_pose(sim, 0);
    simulation_close(&opened);
    return outcome;
}
