/* `ptybot run --journal` with live hosts, and `ptybot replay`. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/e2e/journal_stage.h"
#include "tests/hosts/kobuki_client.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/serial_port.h"
#include "tests/support/stage.h"

/* Whether a file of the folder is the concatenation of the bytes. */
static bool are_in_file(const struct stage *stage, const char *name, const struct heard *heard)
{
    char path[FOLDER_PATH_MAX];
    static uint8_t all[8 * HEARD_MAX];
    FILE *file = fopen(folder_path(&stage->folder, name, path), "rb");
    assert_non_null(file);
    size_t size = fread(all, 1, sizeof all, file);
    fclose(file);
    return memmem(all, size, heard->bytes, heard->size);
}

static void a_run_with_live_hosts_is_replayed_to_the_byte(void **state)
{
    struct stage *stage = *state;
    static struct heard first, wrong, second;
    STAGE_RUN_KOBUKI(stage, "--journal", "j", "--log", "run.csv");
    int port = serial_port_await(stage->port);
    serial_port_set(port, B115200);
    journal_drive(port, &first, 4000);
    stage_do(stage, "world.speed x=4");
    stage_do(stage, "kobuki.press bumper=left for=0.3");
    serial_port_set(port, B57600);
    journal_drive(port, &wrong, 2000);
    close(port);

    WAIT_UNTIL(stage_get(stage, "kobuki.uart.host") == 0);
    stage_do(stage, "world.pause");
    stage_do(stage, "kobuki.place x=3 y=4 heading=30");
    sleep_ms(50);
    stage_do(stage, "world.pause paused=false");
    stage_do(stage, "kobuki.lift for=0.4");
    port = serial_port_await(stage->port);
    serial_port_set(port, B115200);
    journal_drive(port, &second, 8000);
    stage_do(stage, "kobuki.fault uart=flip rate=0.02");
    stage_do(stage, "kobuki.fault uart=split rate=0.3");
    stage_do(stage, "kobuki.unplug what=uart");
    WAIT_UNTIL(!path_exists(stage->port));
    close(port);
    stage_do(stage, "kobuki.plug what=uart");
    port = serial_port_await(stage->port);
    serial_port_set(port, B115200);
    journal_drive(port, &second, 3000);
    stage_do(stage, "kobuki.fault power=brownout for=0.2");
    journal_drive(port, &second, 3000);
    stage_do(stage, "kobuki.heal");
    stage_do(stage, "kobuki.reset");
    journal_drive(port, &second, 3000);
    stage_end(stage);
    close(port);

    if (REPLAY(stage, "j", "--bytes", "sent", "--log", "again.csv") != 0)
        journal_said(stage, "replay.err", "nothing, since it must be the same");
    journal_said(stage, "replay.out", "inputs: the same");
    assert_true(are_in_file(stage, "sent/kobuki.uart", &first));
    assert_true(are_in_file(stage, "sent/kobuki.uart", &second));
    /* A second time. */
    assert_int_equal(REPLAY(stage, "j", "--bytes", "again"), 0);
    char *a = folder_read(&stage->folder, "run.csv"), *b = folder_read(&stage->folder, "again.csv");
    size_t rows_a = 0, rows_b = 0;
    for (const char *at = a; (at = strchr(at, '\n')); at++)
        rows_a++;
    for (const char *at = b; (at = strchr(at, '\n')); at++)
        rows_b++;
    assert_true(rows_a == rows_b && rows_a > 100);
    free(a);
    free(b);
}

static void a_run_that_was_killed_is_replayed_up_to_there(void **state)
{
    struct stage *stage = *state;
    static struct heard heard;
    STAGE_RUN_KOBUKI(stage, "--journal", "j", "--speed", "5");
    int port = serial_port_await(stage->port);
    serial_port_set(port, B115200);
    journal_drive(port, &heard, 10000);
    assert_int_equal(program_end(&stage->ptybot, SIGKILL), 128 + SIGKILL);
    close(port);
    assert_int_equal(REPLAY(stage, "j", "--bytes", "sent"), 0);
    journal_said(stage, "replay.out", "the journal is incomplete");
    char path[FOLDER_PATH_MAX];
    struct stat sent;
    assert_int_equal(stat(folder_path(&stage->folder, "sent/kobuki.uart", path), &sent), 0);
    assert_true(sent.st_size > 5000);
}

/* ---- The file ---- */

static void a_file_that_is_no_journal_stays(void **state)
{
    struct stage *stage = *state;
    stage_start(stage, "kobuki.yaml", (const char *const[]){"--journal", "kobuki.yaml", NULL});
    assert_int_equal(program_wait(&stage->ptybot), 3);
    journal_said(stage, "run.err", "is not a journal, so ptybot does not replace it");
    journal_said(stage, "kobuki.yaml", "One Kobuki");
    stage_start(stage, "kobuki.yaml", (const char *const[]){"--journal", "no/folder", NULL});
    assert_int_equal(program_wait(&stage->ptybot), 3);
    journal_said(stage, "run.err", "--journal no/folder: No such file");
    stage_start(stage, "kobuki.yaml", (const char *const[]){"--journal", "/dev/full", NULL});
    assert_int_equal(program_wait(&stage->ptybot), 3);
    journal_said(stage, "run.err", "--journal /dev/full: No space left");
}

static void a_run_outlives_a_full_disk_and_says_so(void **state)
{
    struct stage *stage = *state;
    static struct heard heard;
    /* A limit of 16 KiB on the size of files simulates a full disk. */
    const char *const words[] = {"/bin/sh",     "-c",           "ulimit -f 32; exec \"$0\" \"$@\"",
                                 PTYBOT_BINARY, "run",          "kobuki.yaml",
                                 "--control",   stage->control, "--journal",
                                 "j",           "--speed",      "5",
                                 NULL};
    program_start(&stage->ptybot, &stage->folder, "run", words, 0);
    int port = serial_port_await(stage->port);
    serial_port_set(port, B115200);
    for (int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
         !program_has_warned(&stage->ptybot, "--journal j: writing stopped");) {
        assert_true(now_ms() < end_ms);
        journal_drive(port, &heard, 1000);
    }
    journal_drive(port, &heard, 4000);
    assert_int_equal(program_end(&stage->ptybot, SIGTERM), 3);
    close(port);
    journal_said(stage, "run.err", "could not be written completely");
    char *said = folder_read(&stage->folder, "run.err");
    assert_null(strstr(strstr(said, "writing stopped") + 1, "writing stopped"));
    free(said);
    assert_int_equal(REPLAY(stage, "j"), 0);
    journal_said(stage, "replay.out", "the journal is incomplete");
}

/* ---- Content of a journal ---- */

static void a_map_is_in_the_journal(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    folder_write(&stage->folder, "map.pgm", "P5 4 4 255\n%s",
                 "\x01\x01\x01\x01\x01\xfe\xfe\x01\x01\xfe\xfe\x01\x01\x01\x01\x01");
    folder_write(&stage->folder, "map.yaml",
                 "image: map.pgm\nresolution: 1.0\norigin: [0, 0, 0]\nnegate: 0\n"
                 "occupied_thresh: 0.65\nfree_thresh: 0.196\n");
    folder_write(&stage->folder, "scene.yaml",
                 "world: {map: map.yaml}\n"
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 2, y: 2}, links: [{pty: %s}]}]\n",
                 stage->port);
    stage_start(stage, "scene.yaml",
                (const char *const[]){"--journal", "j", "--fast", "--for", "2", NULL});
    int code = program_wait(&stage->ptybot);
    if (code != 0)
        journal_said(stage, "run.err", "nothing");
    static const char *const names[] = {"map.pgm", "map.yaml", "scene.yaml"};
    for (size_t i = 0; i < 3; i++)
        unlink(folder_path(&stage->folder, names[i], path));
    assert_int_equal(REPLAY(stage, "j"), 0);
    journal_said(stage, "replay.out", "2.000 s replayed");
}

static void the_memory_at_the_start_is_in_the_journal(void **state)
{
    struct stage *stage = *state;
    uint8_t block[64 + 4] = {0x5a, 1, 64}, reply[4];
    folder_write(&stage->folder, "board.yaml",
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots: [{name: kobuki, type: diff_board, pose: {x: 10, y: 10},\n"
                 "  storage: memory, links: [{pty: %s}]}]\n",
                 stage->port);
    for (int run = 0; run < 2; run++) {
        stage_run(stage, "board.yaml",
                  (const char *const[]){"--journal", run == 0 ? "fresh" : "kept", NULL});
        int port = serial_port_await(stage->port);
        serial_port_set(port, B115200);
        unsigned sum = 0;
        for (size_t i = 3; i < 67; i++)
            block[i] = (uint8_t)(run + 1);
        for (size_t i = 0; i < 67; i++)
            sum += block[i];
        block[67] = (uint8_t)sum;
        assert_true(serial_port_write(port, block, sizeof block));
        for (size_t used = 0; used < sizeof reply;) {
            int got = serial_port_read(port, reply + used, sizeof reply - used, TEST_TIMEOUT_MS);
            assert_true(got > 0);
            used += (size_t)got;
        }
        char path[FOLDER_PATH_MAX];
        WAIT_UNTIL(path_exists(folder_path(&stage->folder, "memory", path)));
        WAIT_UNTIL(stage_get(stage, "kobuki.unsaved") == 0);
        stage_end(stage);
        close(port);
    }
    journal_said(stage, "kept", " storage 0 ");
    journal_said(stage, "kept", " saved ");
    char *before = folder_read(&stage->folder, "memory");
    assert_int_equal(REPLAY(stage, "fresh"), 0);
    assert_int_equal(REPLAY(stage, "kept"), 0);
    char *after = folder_read(&stage->folder, "memory");
    check_same_lines(before, after);
    free(before);
    free(after);
}

static void a_test_leaves_a_journal_that_can_be_replayed(void **state)
{
    struct stage *stage = *state;
    struct program test;
    folder_write(&stage->folder, "judged.yaml",
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 10, y: 10}}]\n"
                 "timeline: [{at: 0.5, do: 'kobuki.press bumper=left'}]\n"
                 "expect: [{that: 'kobuki.uart.to_host_bytes > 1000', within: 60}]\n");
    static const char host[] =
        "exec 3<>\"$PTYBOT_PORT_KOBUKI\"; stty raw -echo 115200 <&3; head -c 2000 <&3 | wc -c";
    const char *const words[] = {PTYBOT_BINARY, "test",    "judged.yaml", "--out", "kept",
                                 "--",          "/bin/sh", "-c",          host,    NULL};
    if (program_run(&test, &stage->folder, "test", words) != 0)
        journal_said(stage, "test.out", "nothing, since it must pass");
    assert_int_equal(REPLAY(stage, "kept/run.journal", "judged.yaml"), 0);
    journal_said(stage, "replay.out", "inputs: the same");
    // The replay judges again, with the same result as the test.
    char *said = folder_read(&stage->folder, "test.out");
    char *found = strstr(said, "kobuki.uart.to_host_bytes = ");
    assert_non_null(found);
    found[strcspn(found, "\n")] = '\0';
    journal_said(stage, "replay.out", found);
    journal_said(stage, "replay.out", "passed ");
    free(said);
}

/* ---- Inspecting a replay ---- */

static void a_replay_can_be_looked_into_and_stepped(void **state)
{
    struct stage *stage = *state;
    journal_make(stage);
    struct program replay;
    const char *const words[] = {PTYBOT_BINARY, "replay",       "j", "--paused",
                                 "--control",   stage->control, NULL};
    program_start(&replay, &stage->folder, "again", words, 0);
    struct ptybot_run *client = stage_client(stage);
    assert_true(ptybot_step(client, 500));
    assert_true(stage_get(stage, "world.time_s") == 0.5);
    assert_false(ptybot_do(client, "kobuki.lift"));
    assert_non_null(strstr(ptybot_error(client), "a replay accepts only"));
    assert_true(ptybot_pause(client, false));
    assert_int_equal(program_wait(&replay), 0);
    ptybot_end(client);
    program_cleanup(&replay);
}

static void a_replay_goes_to_any_moment_and_back(void **state)
{
    struct stage *stage = *state;
    journal_make(stage);
    struct program replay;
    const char *const words[] = {PTYBOT_BINARY, "replay",       "j", "--paused",
                                 "--control",   stage->control, NULL};
    program_start(&replay, &stage->folder, "replay", words, 0);
    struct ptybot_run *client = stage_client(stage);
    assert_true(ptybot_do(client, "world.seek to=0.4"));
    assert_true(stage_get(stage, "world.time_s") == 0.4);
    double x_m = stage_get(stage, "kobuki.x_m");
    double bytes = stage_get(stage, "kobuki.uart.to_host_bytes");
    assert_true(ptybot_step(client, 100));
    assert_true(ptybot_do(client, "world.seek to=0.1"));
    assert_true(stage_get(stage, "world.time_s") == 0.1);
    assert_true(stage_get(stage, "kobuki.uart.to_host_bytes") < bytes);
    assert_int_equal((int)stage_get(stage, "world.paused"), 1);
    assert_true(ptybot_do(client, "world.seek to=0.4"));
    assert_true(stage_get(stage, "kobuki.x_m") == x_m);
    assert_true(stage_get(stage, "kobuki.uart.to_host_bytes") == bytes);
    assert_false(ptybot_do(client, "world.seek to=1e6"));
    const char *end = strstr(ptybot_error(client), "the journal ends at ");
    double end_s = end ? strtod(end + strlen("the journal ends at "), NULL) : 0;
    char command[64];
    snprintf(command, sizeof command, "world.seek to=%.3f", end_s);
    assert_true(ptybot_do(client, command)); // at the time when a failure ended a test
    assert_true(stage_get(stage, "world.time_s") == end_s);
    assert_true(ptybot_pause(client, false));
    assert_int_equal(program_wait(&replay), 0);
    journal_said(stage, "replay.out", "inputs: the same");
    ptybot_end(client);
    program_cleanup(&replay);
}

/* Two tables of signals are equal except for the four columns about the speed, after the time. */
static void check_same_table(const struct stage *stage, const char *a, const char *b)
{
    char *texts[] = {folder_read(&stage->folder, a), folder_read(&stage->folder, b)};
    char *at[] = {texts[0], texts[1]};
    while (*at[0] || *at[1]) {
        assert_int_equal(strcspn(at[0], ","), strcspn(at[1], ","));
        assert_memory_equal(at[0], at[1], strcspn(at[0], ","));
        for (int i = 0; i < 2; i++)
            for (int column = 0; column < 5; column++)
                at[i] += strcspn(at[i], ",\n") + 1;
        size_t size = strcspn(at[0], "\n");
        assert_int_equal(strcspn(at[1], "\n"), size);
        assert_memory_equal(at[0], at[1], size);
        at[0] += size + 1;
        at[1] += size + 1;
    }
    free(texts[0]);
    free(texts[1]);
}

static void a_replay_that_writes_goes_only_ahead(void **state)
{
    struct stage *stage = *state;
    journal_make(stage);
    struct program replay;
    const char *const words[] = {PTYBOT_BINARY,  "replay", "j",         "--paused", "--control",
                                 stage->control, "--log",  "again.csv", NULL};
    assert_int_equal(REPLAY(stage, "j", "--log", "whole.csv"), 0);
    program_start(&replay, &stage->folder, "replay", words, 0);
    struct ptybot_run *client = stage_client(stage);
    assert_true(ptybot_do(client, "world.seek to=0.3"));
    assert_false(ptybot_do(client, "world.seek to=0.1"));
    assert_non_null(strstr(ptybot_error(client), "--log"));
    assert_true(ptybot_pause(client, false));
    assert_int_equal(program_wait(&replay), 0);
    check_same_table(stage, "whole.csv", "again.csv");
    ptybot_end(client);
    program_cleanup(&replay);
}

static void a_run_has_no_other_moment(void **state)
{
    struct stage *stage = *state;
    STAGE_RUN_KOBUKI(stage, "--fast");
    struct ptybot_run *client = stage_client(stage);
    assert_false(ptybot_do(client, "world.seek to=0"));
    assert_non_null(strstr(ptybot_error(client), "only a replay"));
    ptybot_end(client);
    stage_end(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JOURNALED(a_run_with_live_hosts_is_replayed_to_the_byte),
        JOURNALED(a_run_that_was_killed_is_replayed_up_to_there),
        JOURNALED(a_file_that_is_no_journal_stays),
        JOURNALED(a_run_outlives_a_full_disk_and_says_so),
        JOURNALED(a_map_is_in_the_journal),
        JOURNALED(the_memory_at_the_start_is_in_the_journal),
        JOURNALED(a_test_leaves_a_journal_that_can_be_replayed),
        JOURNALED(a_replay_can_be_looked_into_and_stepped),
        JOURNALED(a_replay_goes_to_any_moment_and_back),
        JOURNALED(a_replay_that_writes_goes_only_ahead),
        JOURNALED(a_run_has_no_other_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
