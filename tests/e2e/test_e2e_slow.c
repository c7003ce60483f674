/* A slow driver: `--host-delay`, `--wake-order`, and the same in a scene. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/test_stage.h"

#define HOST PTYBOT_HOSTS_DIR "/held_host"

/* Runs a driver that waits in this WAY; returns its journal, which the caller frees. */
static char *drive_with(struct stage *stage, const char *host, const char *way, const char *delay,
                        const char *seed)
{
    char line[FOLDER_PATH_MAX];
    snprintf(line, sizeof line, "exec %s %s $PTYBOT_PORT_KOBUKI", host, way);
    int code = TEST_RUN(stage, "s.yaml", "--warp", "max", "--host-delay", delay, "--seed", seed,
                        "--journal", "j", "--host", line);
    test_stage_said(stage, "\nheld: simulated time waited for the driver");
    assert_int_equal(code, 0);
    return folder_read(&stage->folder, "j");
}

static char *drive(struct stage *stage, const char *way, const char *delay, const char *seed)
{
    return drive_with(stage, HOST, way, delay, seed);
}

/* Three threads wait for one eventfd, by epoll or in read: a random number decides which of them
 * gets it. */
static void threads_that_share_a_descriptor_are_the_same_for_a_seed(void **state)
{
    struct stage *stage = *state;
    if (access(PTYBOT_HOSTS_DIR "/threads_host", X_OK) != 0)
        skip(); /* no compiler */
    test_stage_scene(stage, "s.yaml", HEARD, "");
    char *first = drive_with(stage, PTYBOT_HOSTS_DIR "/threads_host", "strand", "0..20ms", "7");
    for (int i = 0; i < 4; i++) {
        char *again = drive_with(stage, PTYBOT_HOSTS_DIR "/threads_host", "strand", "0..20ms", "7");
        check_same_lines(first, again);
        free(again);
    }
    free(first);
}

static void a_slow_host_is_the_same_for_a_seed_and_another_for_another(void **state)
{
    struct stage *stage = *state;
    static const char *const ways[] = {"poll", "vtime", "condition", "semaphore", "pipe"};
    test_stage_scene(stage, "s.yaml", HEARD, "");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char *first = drive(stage, ways[i], "0..100ms", "1");
        char *again = drive(stage, ways[i], "0..100ms", "1");
        char *other = drive(stage, ways[i], "0..100ms", "2");
        check_same_lines(first, again);
        assert_string_not_equal(strstr(first, " bytes "), strstr(other, " bytes "));
        assert_non_null(strstr(first, " delay "));
        free(first);
        free(again);
        free(other);
    }
}

static void a_journal_with_delays_is_replayed(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", HEARD, "");
    free(drive(stage, "poll", "0..400ms", "3"));
    int code = program_run(&stage->ptybot, &stage->folder, "replay",
                           (const char *const[]){PTYBOT_BINARY, "replay", "j", NULL});
    test_stage_said(stage, " bytes to drivers, compared up to ");
    assert_int_equal(code, 0);
}

/* Each wait ends exactly this much later, in simulated time. */
static void a_delay_of_one_length_is_added_to_each_wait(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 1.139, at_end: true}",
                     "host: {command: sleep 0.5; sleep 0.5; date +%N, delay: 70ms}\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--out", "out"),
                     0);
    char *log = folder_read(&stage->folder, "out/host.log");
    assert_int_equal(strncmp(log, "14000000", 8), 0); // `sleep` adds some nanoseconds
    free(log);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--out", "out",
                              "--host-delay", "80ms"),
                     0);
    log = folder_read(&stage->folder, "out/host.log");
    assert_int_equal(strncmp(log, "16000000", 8), 0);
    free(log);
}

static void threads_that_are_due_together_wake_in_the_order_of_a_seed(void **state)
{
    struct stage *stage = *state;
    static const char code[] = "import threading, time\n"
                               "def wake(n): time.sleep(1); print(n, end='', flush=True)\n"
                               "for n in range(5): threading.Thread(target=wake, args=[n]).start()";
    static const char *const orders[] = {"0", "1", "2", "1", "2"};
    char *logs[5];
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 1, at_end: true}", "");
    for (int i = 0; i < 5; i++) {
        assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--out",
                                  "out", "--wake-order", orders[i], "--", "python3", "-c", code),
                         0);
        logs[i] = folder_read(&stage->folder, "out/host.log");
        assert_int_equal(strlen(logs[i]), 5);
    }
    assert_string_equal(logs[0], "01234");
    assert_string_not_equal(logs[1], logs[2]);
    assert_string_equal(logs[1], logs[3]);
    assert_string_equal(logs[2], logs[4]);
    for (int i = 0; i < 5; i++)
        free(logs[i]);
}

static void a_slow_host_needs_virtual_time(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", HEARD, "");
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--warp", "off", "--host-delay", "1ms", "--", "true"), 2);
    test_stage_said(stage, "--host-delay and --wake-order need virtual time");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--host-delay", "5..1ms", "--", "true"), 2);
    test_stage_said(stage, "--host-delay: '5..1ms' is not a range of delays; allowed: A..B with ");
    test_stage_scene(stage, "s.yaml", HEARD, "host: {command: 'true', wake_order: 1}\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--speed", "2"), 3);
    test_stage_said(stage, "a delay or wake order of the driver needs virtual time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(threads_that_share_a_descriptor_are_the_same_for_a_seed),
        TEST_STAGED(a_slow_host_is_the_same_for_a_seed_and_another_for_another),
        TEST_STAGED(a_journal_with_delays_is_replayed),
        TEST_STAGED(a_delay_of_one_length_is_added_to_each_wait),
        TEST_STAGED(threads_that_are_due_together_wake_in_the_order_of_a_seed),
        TEST_STAGED(a_slow_host_needs_virtual_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
