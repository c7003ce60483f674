#include "tests/support/dock_trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/angle.h"
#include "base/rng.h"
#include "sim/parse/scene_parse.h"
#include "sim/room/beam.h"
#include "sim/sim.h"
#include "tests/hosts/dock_drive.h"
#include "tests/hosts/straight_in.h"

#define ROOM_M    7.0
#define RADIUS_M  0.18 /* a Kobuki's radius plus a margin */
#define NEAREST_M 0.4
#define FAR_M     5.0

const struct pose dock_trial_dock = {SCENE_DOCK_DEPTH_M / 2, ROOM_M / 2, 0};
const struct vec2 dock_trial_face = {SCENE_DOCK_DEPTH_M, ROOM_M / 2};

static void give_up(const char *what)
{
    fprintf(stderr, "dock_trial: %s\n", what);
    exit(1);
}

static struct sim *open_room(struct pose start, bool is_noisy, struct scene **scene)
{
    char yaml[512];
    struct error error = {0};
    int size = snprintf(yaml, sizeof yaml,
                        "world:\n"
                        "  size: {x: %g, y: %g}\n"
                        "  docks: [{name: dock, pose: {x: %g, y: %g}}]\n"
                        "robots:\n"
                        "  - name: kobuki\n"
                        "    type: kobuki\n"
                        "    pose: {x: %.6f, y: %.6f, heading: %.6f}\n"
                        "    options: {noise: %s}\n",
                        ROOM_M, ROOM_M, dock_trial_dock.x_m, dock_trial_dock.y_m, start.x_m,
                        start.y_m, start.heading_rad * 180 / ANGLE_PI, is_noisy ? "on" : "off");
    *scene = scene_parse(yaml, (size_t)size, "trial.yaml", &error);
    struct sim *sim = *scene ? sim_create(*scene, NULL, NULL, &error) : NULL;
    if (!sim)
        give_up(error.text);
    sim_host_present(sim, 0, true);
    return sim;
}

static double get(const struct sim *sim, const char *name)
{
    size_t signal = sim_signal_find(sim, name);
    if (signal == SIZE_MAX)
        give_up(name);
    return sim_signal_value(sim, signal);
}

/* ---- One trial ---- */

/* Makes steps until a packet has arrived. */
static void hear(struct sim *sim, struct kobuki_client *client)
{
    for (uint64_t before = client->counters.packets; client->counters.packets == before;) {
        const uint8_t *bytes;
        size_t size;
        sim_step(sim);
        while (sim_output(sim, 0, &bytes, &size))
            for (size_t i = 0; i < size; i++)
                kobuki_client_push(client, bytes[i]);
    }
}

static void answer(struct sim *sim, double v_m_s, double w_rad_s)
{
    int16_t speed, radius;
    uint8_t packet[KOBUKI_COMMAND_MAX];
    kobuki_encode_velocity(v_m_s, w_rad_s, &speed, &radius);
    sim_host_bytes(sim, 0, packet, kobuki_base_control(packet, speed, radius));
}

struct dock_outcome dock_trial_run(struct pose start, bool is_noisy, struct dock_brain brain)
{
    struct scene *scene;
    struct sim *sim = open_room(start, is_noisy, &scene);
    struct dock_outcome outcome = {0};
    struct kobuki_client client;
    kobuki_client_init(&client);
    bool is_over = false, was_pressed = false;
    while (!is_over && sim_now_us(sim) < (int64_t)(DOCK_TRIAL_LIMIT_S * 1e6)) {
        double v_m_s, w_rad_s;
        hear(sim, &client);
        brain.step(brain.self, &client.reading, &v_m_s, &w_rad_s, &is_over);
        answer(sim, v_m_s, w_rad_s);
        outcome.bumps += client.reading.bumper && !was_pressed;
        was_pressed = client.reading.bumper;
    }
    outcome.is_charging =
        is_over && client.reading.charger == 6 && get(sim, "kobuki.dock_contact") == 1;
    outcome.took_s = (double)sim_now_us(sim) * 1e-6;
    outcome.end = sim_robot_pose(sim, 0);
    outcome.collisions = (uint64_t)get(sim, "kobuki.collisions");
    outcome.damaged = (unsigned)(client.counters.bad_packets + client.counters.skipped +
                                 client.counters.malformed);
    sim_destroy(sim);
    scene_destroy(scene);
    return outcome;
}

static void drive_step(void *self, const struct kobuki_reading *reading, double *v_m_s,
                       double *w_rad_s, bool *is_over)
{
    struct dock_drive *drive = self;
    dock_drive_step(drive, reading);
    *v_m_s = drive->v_m_s;
    *w_rad_s = drive->w_rad_s;
    *is_over = drive->state == DOCK_DONE;
}

struct dock_outcome dock_trial_drive(struct pose start, bool is_noisy, bool is_wary)
{
    struct dock_drive drive = {.is_wary = is_wary};
    return dock_trial_run(start, is_noisy, (struct dock_brain){&drive, drive_step});
}

static void straight_step(void *self, const struct kobuki_reading *reading, double *v_m_s,
                          double *w_rad_s, bool *is_over)
{
    struct straight_in *straight = self;
    straight_in_step(straight, reading);
    *v_m_s = straight->v_m_s;
    *w_rad_s = straight->w_rad_s;
    *is_over = straight_in_is_over(straight);
}

struct dock_outcome dock_trial_straight(struct pose start, bool is_noisy)
{
    struct straight_in straight = {0};
    return dock_trial_run(start, is_noisy, (struct dock_brain){&straight, straight_step});
}

/* ---- Poses ---- */

bool dock_trial_can_see(struct pose start)
{
    struct scene *scene;
    struct sim *sim = open_room(start, false, &scene);
    struct kobuki_client client;
    kobuki_client_init(&client);
    bool sees = false;
    for (int deg = 0; deg < 360 && !sees; deg += 5) {
        char command[96];
        struct error error = {0};
        snprintf(command, sizeof command, "kobuki.place x=%.6f y=%.6f heading=%d", start.x_m,
                 start.y_m, deg);
        if (!sim_do(sim, command, &error))
            give_up(error.text);
        hear(sim, &client);
        hear(sim, &client);
        sees = client.reading.dock_ir[0] || client.reading.dock_ir[1] || client.reading.dock_ir[2];
    }
    sim_destroy(sim);
    scene_destroy(scene);
    return sees;
}

static struct pose draw(uint64_t key, uint64_t counter, bool is_inside)
{
    double heading_rad = (2 * rng_uniform(key, counter + 2) - 1) * ANGLE_PI;
    double first = rng_uniform(key, counter), second = rng_uniform(key, counter + 1);
    if (!is_inside)
        return (struct pose){first * ROOM_M, second * ROOM_M, heading_rad};
    double away_m = NEAREST_M + (FAR_M - NEAREST_M) * first, angle_rad = (second - 0.5) * ANGLE_PI;
    return (struct pose){dock_trial_face.x + away_m * cos(angle_rad),
                         dock_trial_face.y + away_m * sin(angle_rad), heading_rad};
}

static bool fits(struct pose pose, bool is_inside)
{
    double x = pose.x_m - dock_trial_face.x, y = pose.y_m - dock_trial_face.y;
    bool is_free = pose.x_m > RADIUS_M && pose.x_m < ROOM_M - RADIUS_M && pose.y_m > RADIUS_M &&
                   pose.y_m < ROOM_M - RADIUS_M && sqrt(x * x + y * y) >= NEAREST_M;
    bool is_lit =
        beams_at(BEAMS_OF_KOBUKI_DOCK, dock_trial_dock, (struct vec2){pose.x_m, pose.y_m}) != 0;
    return is_free && is_lit == is_inside;
}

void dock_trial_poses(uint64_t seed, bool is_inside, struct pose *poses, size_t count)
{
    uint64_t counter = 0;
    for (size_t i = 0; i < count; i++)
        do {
            poses[i] = draw(seed, counter, is_inside);
            counter += 3;
        } while (!fits(poses[i], is_inside));
}

void dock_trial_poses_in_front(struct pose *poses, size_t count)
{
    for (size_t i = 0; i < count; i++)
        poses[i] = (struct pose){dock_trial_face.x + 0.45 + 0.1 * (double)i,
                                 dock_trial_face.y + 0.01 * ((double)(i % 3) - 1),
                                 (double)(i * 77 % 360) * ANGLE_PI / 180};
}
