/* Drivers that use the sensors of the e-puck2, with the real program: along a wall by infrared,
 * along a line by ground sensors, to a red box by the camera. In lockstep, each command answers a
 * packet, so that the load of the machine has no effect. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/sample.h"
#include "tests/support/stage.h"

enum { COMMAND_SIZE = 21, STEP_MS = 11 };

struct trial {
    struct stage *stage;
    struct program host;
    struct ptybot_run *client;
    unsigned frames_a_turn;
    double time_s, x_m, y_m, collisions, frames;
    bool is_driven; /* it was commanded to move */
};

/* Starts the scene of that name on a free port, and its driver. */
static void trial_start(struct trial *trial, struct stage *stage, const char *scene,
                        const char *host, const char *count)
{
    static const char type[] = "    type: epuck2\n";
    struct folder scenes = {.path = PTYBOT_SOURCE_DIR "/scenes"};
    trial->stage = stage;
    char *text = folder_read(&scenes, scene);
    const char *robot = strstr(text, type);
    if (!robot)
        fail_msg("%s has no e-puck2", scene);
    folder_write(&stage->folder, scene, "%.*s    links: [{tcp: auto}]\n%s", (int)(robot - text),
                 text, robot);
    free(text);
    stage_start(stage, scene, (const char *const[]){"--lockstep", NULL});
    WAIT_UNTIL(program_has_said(&stage->ptybot, "\ncontrol "));
    char *said = program_out(&stage->ptybot);
    const char *at = strstr(said, "127.0.0.1:");
    assert_non_null(at);
    char where[64], path[FOLDER_PATH_MAX];
    snprintf(where, sizeof where, "127.0.0.1:%ld", strtol(at + strlen("127.0.0.1:"), NULL, 10));
    snprintf(path, sizeof path, "%s/%s", PTYBOT_HOSTS_DIR, host);
    free(said);
    const char *const words[] = {path, where, count, NULL};
    program_start(&trial->host, &stage->folder, "host", words, 0);
    trial->client = stage_client(stage);
}

static void trial_check(struct trial *trial)
{
    struct ptybot_run *client = trial->client; /* time stops between steps */
    trial->time_s = ptybot_get(client, "world.time_s");
    trial->x_m = ptybot_get(client, "epuck2.x_m");
    trial->y_m = ptybot_get(client, "epuck2.y_m");
    trial->collisions = ptybot_get(client, "epuck2.collisions");
    trial->frames = ptybot_get(client, "epuck2.wifi.to_host_frames");
    trial->is_driven = ptybot_get(client, "epuck2.left_wanted") != 0 ||
                       ptybot_get(client, "epuck2.right_wanted") != 0;
    assert_true(trial->frames >= 0);
}

/* Runs one step, after the driver has answered everything that it received before. */
static void trial_step(struct trial *trial)
{
    char params[128];
    double commands = 1 + floor(trial->frames / trial->frames_a_turn);
    snprintf(params, sizeof params, "{\"ms\":%d,\"received\":{\"epuck2.wifi\":%.0f}}", STEP_MS,
             commands * COMMAND_SIZE);
    if (!ptybot_call(trial->client, "step", params))
        fail_msg("%s", ptybot_error(trial->client));
    trial_check(trial);
}

static void trial_connect(struct trial *trial)
{
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    while (stage_get(trial->stage, "epuck2.wifi.host") == 0) {
        assert_true(now_ms() < end_ms);
        assert_true(ptybot_step(trial->client, 1));
        sleep_ms(1);
    }
    trial_check(trial);
}

/* The driver has stopped the robot: waits until the driver has ended. */
static void trial_end(struct trial *trial, int code)
{
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    while (program_is_running(&trial->host)) {
        assert_true(now_ms() < end_ms);
        assert_true(ptybot_step(trial->client, 100));
        sleep_ms(5);
    }
    char *said = program_out(&trial->host), *warned = program_err(&trial->host);
    int ended = program_wait(&trial->host);
    print_message("after %.1f s: %s%s", trial->time_s, said, warned);
    free(said);
    free(warned);
    assert_int_equal(ended, code);
    trial_check(trial);
    ptybot_end(trial->client);
}

struct place {
    double x_m, y_m, within_m;
    bool is_visited;
};

static void visit(struct place *places, size_t count, const struct trial *trial)
{
    for (size_t i = 0; i < count; i++)
        if (hypot(places[i].x_m - trial->x_m, places[i].y_m - trial->y_m) < places[i].within_m)
            places[i].is_visited = true;
}

static void check_visits(const struct place *places, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!places[i].is_visited)
            fail_msg("it has not been at (%g, %g)", places[i].x_m, places[i].y_m);
}

static void a_host_goes_round_a_room_by_infrared_alone(void **state)
{
    static struct trial trial;
    /* Corners of the room, both sides of the projecting wall, and around the block. */
    struct place places[] = {
        {0.08, 0.08, 0.08, false}, {0.34, 0.06, 0.08, false}, {0.40, 0.26, 0.08, false},
        {0.46, 0.06, 0.08, false}, {0.72, 0.08, 0.08, false}, {0.72, 0.38, 0.08, false},
        {0.56, 0.40, 0.08, false}, {0.54, 0.54, 0.08, false}, {0.08, 0.52, 0.08, false},
    };
    const size_t count = sizeof places / sizeof places[0];
    trial = (struct trial){.frames_a_turn = 1};
    trial_start(&trial, *state, "epuck2_maze.yaml", "epuck2_wall", "3200");
    trial_connect(&trial);
    for (bool has_moved = false; trial.is_driven || !has_moved; trial_step(&trial)) {
        has_moved = has_moved || trial.is_driven;
        visit(places, count, &trial);
        assert_true(trial.time_s < 120);
    }
    trial_end(&trial, 0);
    print_message("%.0f collisions\n", trial.collisions);
    check_visits(places, count);
    assert_true(trial.collisions == 0);
    stage_end(*state);
}

/* Distance to a closed line through these points. */
static double distance_m(const double (*points)[2], size_t count, double x_m, double y_m)
{
    double least_m = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const double *a = points[i], *b = points[(i + 1) % count];
        double x = b[0] - a[0], y = b[1] - a[1];
        double along = ((x_m - a[0]) * x + (y_m - a[1]) * y) / (x * x + y * y);
        along = along < 0 ? 0 : along > 1 ? 1 : along;
        least_m = fmin(least_m, hypot(a[0] + along * x - x_m, a[1] + along * y - y_m));
    }
    return least_m;
}

static void a_host_follows_a_line_by_the_ground_sensors(void **state)
{
    static struct trial trial;
    static const double line[][2] = {{0.3, 0.15}, {0.7, 0.15}, {0.85, 0.3}, {0.85, 0.5},
                                     {0.7, 0.65}, {0.3, 0.65}, {0.15, 0.5}, {0.15, 0.3}};
    enum { CORNERS = 8 };
    struct place places[CORNERS];
    for (size_t i = 0; i < CORNERS; i++)
        places[i] = (struct place){line[i][0], line[i][1], 0.04, false};
    double farthest_m = 0;
    trial = (struct trial){.frames_a_turn = 1};
    trial_start(&trial, *state, "epuck2_line.yaml", "epuck2_line", "2600");
    trial_connect(&trial);
    for (bool has_moved = false; trial.is_driven || !has_moved; trial_step(&trial)) {
        has_moved = has_moved || trial.is_driven;
        visit(places, CORNERS, &trial);
        farthest_m = fmax(farthest_m, distance_m(line, CORNERS, trial.x_m, trial.y_m));
        assert_true(trial.time_s < 120);
    }
    trial_end(&trial, 0);
    print_message("never more than %.1f mm beside the line\n", farthest_m * 1000);
    check_visits(places, CORNERS);
    /* Chosen: the sensors are 3 cm in front of the axle, so the robot cuts the corners. */
    assert_true(farthest_m < 0.02);
    stage_end(*state);
}

static void a_host_finds_the_red_box_by_the_camera_and_drives_to_it(void **state)
{
    static struct trial trial;
    trial = (struct trial){.frames_a_turn = 2};
    trial_start(&trial, *state, "epuck2_box.yaml", "epuck2_box", "1000");
    trial_connect(&trial);
    for (bool has_moved = false; trial.is_driven || !has_moved; trial_step(&trial)) {
        has_moved = has_moved || trial.is_driven;
        assert_true(trial.time_s < 120);
    }
    trial_end(&trial, 0);
    double away_m = hypot(trial.x_m - 1.3, trial.y_m - 0.95);
    print_message("%.0f mm from the middle of the box\n", away_m * 1000);
    /* A side of the box is 40 mm from its center, a corner 57 mm, and the robot's rim 35 mm from
     * the robot's center. */
    assert_true(away_m > 0.075 && away_m < 0.13);
    assert_true(trial.collisions == 0);
    stage_end(*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(a_host_finds_the_red_box_by_the_camera_and_drives_to_it),
    };
    /* The driver above uses the camera; its robot has the other sensors too. */
    const struct CMUnitTest more[] = {
        STAGED(a_host_goes_round_a_room_by_infrared_alone),
        STAGED(a_host_follows_a_line_by_the_ground_sensors),
    };
    return SAMPLE_RUN(tests, more);
}
