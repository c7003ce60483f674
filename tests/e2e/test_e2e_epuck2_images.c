/* Images on the wire: their content, and that their stream delays no other robot, whether it is
 * read or not. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/hosts/epuck2_client.h"
#include "tests/support/check.h"
#include "tests/support/stage.h"

enum { ROBOTS_MAX = 5 };

/* Starts a scene whose robots have `tcp: auto`, and reads their ports from the table, in its
 * order. */
static void start(struct stage *stage, const char *yaml, size_t robots, char addresses[][64])
{
    folder_write(&stage->folder, "images.yaml", "%s", yaml);
    stage_start(stage, "images.yaml", (const char *const[]){NULL});
    WAIT_UNTIL(program_has_said(&stage->ptybot, "\ncontrol "));
    char *said = program_out(&stage->ptybot);
    const char *at = said;
    for (size_t i = 0; i < robots; i++) {
        at = strstr(at, "127.0.0.1:");
        assert_non_null(at);
        long port = strtol(at + strlen("127.0.0.1:"), NULL, 10);
        snprintf(addresses[i], 64, "127.0.0.1:%ld", port);
        at = strchr(at, '\n');
        assert_non_null(at);
    }
    free(said);
}

static void open_client(struct epuck2_client *client, const char *address, uint8_t request)
{
    const char *problem = epuck2_client_open(client, address);
    if (problem)
        fail_msg("%s: %s", address, problem);
    client->command[1] = request;
    assert_true(epuck2_client_drive(client, 0, 0));
}

static bool is_red(const struct epuck2_client *client, unsigned column, unsigned row)
{
    int rgb[3];
    epuck2_client_pixel(client, column, row, rgb);
    return rgb[0] > 60 && rgb[1] == 0 && rgb[2] == 0;
}

static void a_picture_shows_a_red_box_where_it_is(void **state)
{
    struct stage *stage = *state;
    static struct epuck2_client client;
    char addresses[1][64];
    /* The camera is 3 cm in front of the center: the box begins 0.3 m from it, is 0.1 m wide, and
     * its right edge is straight ahead. */
    start(
        stage,
        "world:\n  size: {x: 2, y: 2}\n"
        "  boxes: [{pose: {x: 1.43, y: 1.05}, size: {x: 0.2, y: 0.1}, color: red, height: 0.08}]\n"
        "robots: [{name: epuck2, type: epuck2, pose: {x: 1, y: 1}, links: [{tcp: auto}]}]\n",
        1, addresses);
    open_client(&client, addresses[0], EPUCK2_CLIENT_IMAGE);
    for (int i = 0; i < 2; i++)
        assert_true(epuck2_client_wait(&client, EPUCK2_CLIENT_IMAGE, TEST_TIMEOUT_MS));
    double focal = 80 / tan(24 * 0.017453292519943295);
    double left = 79.5 - focal * 0.1 / 0.3, top = 59.5 - focal * (0.08 - 0.028) / 0.3;
    double foot = 59.5 + focal * 0.028 / 0.3;
    for (unsigned row = 0; row < EPUCK2_CLIENT_HEIGHT; row++)
        for (unsigned column = 0; column < EPUCK2_CLIENT_WIDTH; column++)
            assert_int_equal(is_red(&client, column, row),
                             column > left && column < 79.5 && row > top && row < foot);
    epuck2_client_close(&client);
    stage_end(stage);
}

static double total(const struct stage *stage, const char *robot, const char *what)
{
    char name[96];
    snprintf(name, sizeof name, "%s.%s", robot, what);
    return stage_get(stage, name);
}

/* One observation: the time, images of the robot that is read, and packets of the plain one. */
struct moment {
    double time_s, images, sent;
};

static double value_of(const char *reply, const char *name)
{
    const char *at = reply ? strstr(reply, name) : NULL;
    at = at ? strstr(at, "\"value\":") : NULL;
    if (!at) {
        fail_msg("no %s in %s", name, reply ? reply : "no reply");
        return 0;
    }
    return strtod(at + strlen("\"value\":"), NULL);
}

static struct moment look(const struct stage *stage)
{
    struct ptybot_run *client = stage_client(stage);
    const char *reply = ptybot_call(
        client, "get", "{\"signals\":[\"world.time_s\",\"reads.images\",\"plain.wifi.sent\"]}");
    struct moment now = {value_of(reply, "\"world.time_s\""), value_of(reply, "\"reads.images\""),
                         value_of(reply, "\"plain.wifi.sent\"")};
    ptybot_end(client);
    return now;
}

static const char fleet[] =
    "world: {size: {x: 2, y: 2}}\n"
    "robots:\n"
    "  - {name: reads, type: epuck2, pose: {x: 0.5, y: 0.5}, links: [{tcp: auto}]}\n"
    "  - {name: sleeps, type: epuck2, pose: {x: 1.5, y: 0.5}, links: [{tcp: auto}]}\n"
    "  - {name: idles, type: epuck2, pose: {x: 1.5, y: 1.5}, links: [{tcp: auto}]}\n"
    "  - {name: plain, type: epuck2, pose: {x: 0.5, y: 1.5}, links: [{tcp: auto}]}\n";

/* Two drivers that never read their images, one that does, and one that requests only sensor
 * data. */
static void pictures_that_nobody_reads_hold_up_no_other_robot(void **state)
{
    struct stage *stage = *state;
    static struct epuck2_client reads, sleeps, idles, plain;
    char addresses[ROBOTS_MAX][64];
    start(stage, fleet, 4, addresses);
    open_client(&reads, addresses[0], EPUCK2_CLIENT_IMAGE | EPUCK2_CLIENT_SENSORS);
    open_client(&sleeps, addresses[1], EPUCK2_CLIENT_IMAGE);
    open_client(&idles, addresses[2], EPUCK2_CLIENT_IMAGE | EPUCK2_CLIENT_SENSORS);
    open_client(&plain, addresses[3], EPUCK2_CLIENT_SENSORS);
    assert_true(epuck2_client_wait(&reads, EPUCK2_CLIENT_SENSORS, TEST_TIMEOUT_MS));
    assert_true(epuck2_client_wait(&plain, EPUCK2_CLIENT_SENSORS, TEST_TIMEOUT_MS));

    struct moment before = look(stage);
    int64_t start_ms = now_ms();
    for (int i = 0; i < 60; i++) {
        assert_true(epuck2_client_wait(&reads, EPUCK2_CLIENT_SENSORS, TEST_TIMEOUT_MS));
        /* 45 packets per 12 images; the loop waits for fewer, so that it never waits for a missing
         * packet. */
        for (int k = 0; k < 3; k++)
            assert_true(epuck2_client_wait(&plain, EPUCK2_CLIENT_SENSORS, TEST_TIMEOUT_MS));
    }
    struct moment after = look(stage);
    double past_s = after.time_s - before.time_s, images = after.images - before.images;
    double sent = after.sent - before.sent;
    print_message(
        "%.1f s at %.2f times real time: %.1f pictures and %.1f sensor packets a second\n", past_s,
        past_s * 1000 / (double)(now_ms() - start_ms), images / past_s, sent / past_s);
    /* In simulated time each stream has its rate, except for a turn at either end. */
    assert_true(fabs(images - 12 * past_s) < 3 && fabs(sent - 45 * past_s) < 3);
    assert_true(total(stage, "reads", "wifi.overruns") == 0);
    assert_true(total(stage, "plain", "wifi.overruns") == 0);
    assert_true(total(stage, "plain", "wifi.dropped_frames") == 0);

    /* Robots with unread images still execute commands. */
    double x_m = total(stage, "sleeps", "x_m");
    assert_true(epuck2_client_drive(&sleeps, 500, 500));
    WAIT_UNTIL(total(stage, "sleeps", "x_m") > x_m + 0.05);
    epuck2_client_close(&reads);
    epuck2_client_close(&sleeps);
    epuck2_client_close(&idles);
    epuck2_client_close(&plain);
    stage_end(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(a_picture_shows_a_red_box_where_it_is),
        STAGED(pictures_that_nobody_reads_hold_up_no_other_robot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
