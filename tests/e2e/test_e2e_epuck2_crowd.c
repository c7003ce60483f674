/* E-puck2s with clients that do not read, that never send, or that connect and disconnect by the
 * hundred: no leak, and no effect on other robots. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/epuck2_stage.h"

enum { IMAGE = 1, SENSORS, EMPTY };

static size_t descriptors(const struct stage *stage)
{
    char path[64];
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)stage->ptybot.pid);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static size_t resident_kib(const struct stage *stage)
{
    char path[64];
    unsigned long all, resident;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)stage->ptybot.pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &all, &resident), 2);
    fclose(file);
    return (size_t)resident * 4;
}

/* e2 is the other robot: its stream must continue whatever happens to e1. */
static void start_other(struct stage *stage, struct epuck2_host *other, const char *link)
{
    epuck2_run(stage, 2, link, "image_hz: 30");
    epuck2_connect(other, 2);
    epuck2_host_order(other, 2, 0, 0, 0);
    epuck2_host_await(other, SENSORS, 10);
}

/* Receives packets in a period that is enough for four times as many. */
static void check_other(struct epuck2_host *other)
{
    uint64_t before = other->packets[SENSORS];
    epuck2_host_hear(other, 2000);
    assert_true(other->packets[SENSORS] > before + 22);
}

static void a_client_that_never_reads_costs_packets_and_nothing_else(void **state)
{
    struct stage *stage = *state;
    struct epuck2_host deaf, other;
    start_other(stage, &other, "");
    epuck2_connect(&deaf, 1);
    epuck2_host_order(&deaf, 3, 0, 0, 0);
    WAIT_UNTIL(stage_get(stage, "e1.wifi.dropped_frames") > 5);
    epuck2_host_order(&deaf, 3, 0, 250, 250);
    WAIT_UNTIL(stage_get(stage, "e1.left_wanted") == 250);
    check_other(&other);
    /* The remaining data consists of whole packets. */
    epuck2_host_await(&deaf, IMAGE, 5);
    epuck2_host_close(&deaf);
    epuck2_host_close(&other);
    stage_end(stage);
}

static void with_unread_wait_it_holds_up_its_own_robot_and_no_other(void **state)
{
    struct stage *stage = *state;
    struct epuck2_host deaf, other;
    start_other(stage, &other, ", unread: wait");
    epuck2_connect(&deaf, 1);
    epuck2_host_order(&deaf, 3, 0, 0, 0);
    /* The robot has stopped. */
    double turns;
    do {
        WAIT_UNTIL(stage_get(stage, "e1.blocked") == 1);
        turns = stage_get(stage, "e1.turns");
        epuck2_host_hear(&other, 500);
    } while (stage_get(stage, "e1.turns") != turns);
    epuck2_host_order(&deaf, 3, 0, 250, 250);
    check_other(&other);
    assert_true(stage_get(stage, "e1.left_wanted") == 0);
    assert_true(stage_get(stage, "e1.wifi.dropped_frames") == 0);
    epuck2_host_await(&deaf, IMAGE, 20);
    WAIT_UNTIL(stage_get(stage, "e1.left_wanted") == 250);
    assert_true(stage_get(stage, "e1.wifi.dropped_frames") == 0);
    assert_true(stage_get(stage, "e1.wifi.overruns") == 0);
    epuck2_host_close(&deaf);
    epuck2_host_close(&other);
    stage_end(stage);
}

/* When a driver receives its data depends on the kernel, and still the run can be repeated. */
static void a_run_that_was_held_up_is_replayed_to_the_byte(void **state)
{
    struct stage *stage = *state;
    struct epuck2_host slow;
    struct program replay;
    const char *const words[] = {PTYBOT_BINARY, "replay", "run.journal", NULL};
    epuck2_scene(stage, 1, ", unread: wait", "image_hz: 30");
    stage_start(stage, "epuck2.yaml", (const char *const[]){"--journal", "run.journal", NULL});
    epuck2_connect(&slow, 1);
    epuck2_host_order(&slow, 3, 0, 200, 100);
    for (int i = 0; i < 5; i++) {
        WAIT_UNTIL(stage_get(stage, "e1.blocked") == 1);
        epuck2_host_await(&slow, IMAGE, 6);
    }
    epuck2_host_order(&slow, 3, 0, -100, 100);
    WAIT_UNTIL(stage_get(stage, "e1.blocked") == 1);
    epuck2_host_close(&slow);
    WAIT_UNTIL(stage_get(stage, "e1.phase") == 0);
    stage_end(stage);
    if (program_run(&replay, &stage->folder, "replay", words) != 0)
        fail_msg("%s", program_err(&replay));
}

static void a_thousand_clients_come_and_go(void **state)
{
    struct stage *stage = *state;
    struct epuck2_host host, other;
    size_t before = 0;
    size_t memory_kib = 0;
    start_other(stage, &other, "");
    for (int i = 0; i < 1000; i++) {
        epuck2_connect(&host, 1);
        if (i % 3 > 0)
            epuck2_host_order(&host, (uint8_t)(i % 4), 0, 0, 0);
        if (i % 100 == 0) {
            epuck2_host_order(&host, 2, 0, 0, 0);
            epuck2_host_await(&host, SENSORS, 1);
            memory_kib = i == 100 ? resident_kib(stage) : memory_kib;
            before = i == 0 ? descriptors(stage) : before;
            assert_in_range(descriptors(stage), before - 2, before + 2);
        }
        epuck2_host_close(&host);
        epuck2_host_hear(&other, 1);
    }
    check_other(&other);
    epuck2_connect(&host, 1);
    epuck2_host_order(&host, 2, 0, 0, 0);
    epuck2_host_await(&host, SENSORS, 5);
    assert_true(resident_kib(stage) < memory_kib + 4096);
    epuck2_host_close(&host);
    epuck2_host_close(&other);
    stage_end(stage);
}

static void half_open_clients_wait_and_do_no_harm(void **state)
{
    struct stage *stage = *state;
    struct epuck2_host idle[8], other;
    start_other(stage, &other, "");
    for (int i = 0; i < 8; i++) {
        epuck2_connect(&idle[i], 1);
        epuck2_host_send(&idle[i], "\x80\x02", 2); /* the rest never comes */
    }
    check_other(&other);
    /* The first ones disconnect; the last one is served in the end. */
    for (int i = 0; i < 7; i++)
        epuck2_host_close(&idle[i]);
    epuck2_host_send(&idle[7], (uint8_t[19]){0}, 19);
    epuck2_host_await(&idle[7], SENSORS, 5);
    epuck2_host_close(&idle[7]);
    epuck2_host_close(&other);
    stage_end(stage);
}

static void hostile_bytes_end_in_the_counters(void **state)
{
    struct stage *stage = *state;
    struct epuck2_host hostile, other;
    static uint8_t noise[65536];
    uint64_t seed = 1;
    start_other(stage, &other, "");
    epuck2_connect(&hostile, 1);
    for (size_t i = 0; i < sizeof noise; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        noise[i] = (uint8_t)(seed >> 56);
    }
    epuck2_host_send(&hostile, noise, sizeof noise);
    WAIT_UNTIL(stage_get(stage, "e1.wifi.from_host_bytes") == sizeof noise);
    check_other(&other);
    assert_true(stage_get(stage, "e1.wifi.noise_bytes") > 1000);
    epuck2_host_close(&hostile);
    epuck2_host_close(&other);
    stage_end(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(a_client_that_never_reads_costs_packets_and_nothing_else),
        STAGED(with_unread_wait_it_holds_up_its_own_robot_and_no_other),
        STAGED(a_run_that_was_held_up_is_replayed_to_the_byte),
        STAGED(a_thousand_clients_come_and_go),
        STAGED(half_open_clients_wait_and_do_no_harm),
        STAGED(hostile_bytes_end_in_the_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
