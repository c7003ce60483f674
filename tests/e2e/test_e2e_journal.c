/* `ptybot run --journal` with live hosts, and `ptybot replay`. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/e2e/journal_rewrite.h"
#include "tests/hosts/kobuki_client.h"
#include "tests/support/check.h"
#include "tests/support/control_socket.h"
#include "tests/support/serial_port.h"
#include "tests/support/stage.h"

enum { HEARD_MAX = 1 << 20 };

/* What a host has read since it opened the port. */
struct heard {
    uint8_t bytes[HEARD_MAX];
    size_t size;
};

static int journal_setup(void **state)
{
    stage_setup(state);
    stage_write_kobuki(*state, ", baud_check: strict", "");
    return 0;
}

#define JOURNALED(test) cmocka_unit_test_setup_teardown(test, journal_setup, stage_teardown)

/* `ptybot replay WORDS...` in the folder: returns its exit code. */
#define REPLAY(self, ...) replay_words(self, (const char *const[]){__VA_ARGS__, NULL})
static int replay_words(const struct stage *stage, const char *const arguments[])
{
    struct program replay;
    const char *words[16] = {PTYBOT_BINARY, "replay"};
    for (size_t i = 0; arguments[i]; i++)
        words[i + 2] = arguments[i];
    return program_run(&replay, &stage->folder, "replay", words);
}

static void check_said(const struct stage *stage, const char *name, const char *text)
{
    char *said = folder_read(&stage->folder, name);
    if (!strstr(said, text))
        fail_msg("'%s' is not in: %s", text, said);
    free(said);
}

/* A host at work: commands at random, until it has heard BYTES. */
static void drive(int port, struct heard *heard, size_t bytes)
{
    heard->size = 0;
    for (unsigned i = 0; heard->size < bytes; i++) {
        uint8_t command[KOBUKI_COMMAND_MAX];
        assert_true(heard->size < HEARD_MAX - 4096);
        int got = serial_port_read(port, heard->bytes + heard->size, 4096, PATIENCE_MS);
        assert_true(got > 0);
        heard->size += (size_t)got;
        size_t size = kobuki_base_control(command, (int16_t)(i % 700), (int16_t)(i % 3));
        assert_true(serial_port_write(port, i % 11 ? command : (const uint8_t *)"\xaa\x55\x03?",
                                      i % 11 ? size : 4));
    }
}

/* Whether the bytes are in the file of the folder, one after the other. */
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
    drive(port, &first, 4000);
    stage_do(stage, "world.speed x=4");
    stage_do(stage, "kobuki.press bumper=left for=0.3");
    serial_port_set(port, B57600);
    drive(port, &wrong, 2000);
    close(port);

    WAIT_UNTIL(stage_get(stage, "kobuki.uart.host") == 0);
    stage_do(stage, "world.pause");
    stage_do(stage, "kobuki.place x=3 y=4 heading=30");
    sleep_ms(50);
    stage_do(stage, "world.pause paused=false");
    stage_do(stage, "kobuki.lift for=0.4");
    port = serial_port_await(stage->port);
    serial_port_set(port, B115200);
    drive(port, &second, 8000);
    stage_do(stage, "kobuki.fault uart=flip rate=0.02");
    stage_do(stage, "kobuki.fault uart=split rate=0.3");
    stage_do(stage, "kobuki.unplug what=uart");
    WAIT_UNTIL(!path_exists(stage->port));
    close(port);
    stage_do(stage, "kobuki.plug what=uart");
    port = serial_port_await(stage->port);
    serial_port_set(port, B115200);
    drive(port, &second, 3000);
    stage_do(stage, "kobuki.fault power=brownout for=0.2");
    drive(port, &second, 3000);
    stage_do(stage, "kobuki.heal");
    stage_do(stage, "kobuki.reset");
    drive(port, &second, 3000);
    stage_end(stage);
    close(port);

    if (REPLAY(stage, "j", "--bytes", "sent", "--log", "again.csv") != 0)
        check_said(stage, "replay.err", "nothing, since it must be the same");
    check_said(stage, "replay.out", "inputs: the same");
    assert_true(are_in_file(stage, "sent/kobuki.uart", &first));
    assert_true(are_in_file(stage, "sent/kobuki.uart", &second));
    /* And once more. */
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
    drive(port, &heard, 10000);
    assert_int_equal(program_end(&stage->ptybot, SIGKILL), 128 + SIGKILL);
    close(port);
    assert_int_equal(REPLAY(stage, "j", "--bytes", "sent"), 0);
    check_said(stage, "replay.out", "cut off there");
    char path[FOLDER_PATH_MAX];
    struct stat sent;
    assert_int_equal(stat(folder_path(&stage->folder, "sent/kobuki.uart", path), &sent), 0);
    assert_true(sent.st_size > 5000);
}

/* ---- What departs or is refused ---- */

/* A journal of a host that drove for a while. */
static void make_journal(struct stage *stage)
{
    static struct heard heard;
    STAGE_RUN_KOBUKI(stage, "--journal", "j", "--speed", "5");
    int port = serial_port_await(stage->port);
    serial_port_set(port, B115200);
    drive(port, &heard, 6000);
    stage_end(stage);
    close(port);
}

static unsigned commands_seen;

static bool lose_the_commands_from_the_thirtieth_on(struct journal_entry *entry)
{
    return entry->kind != JOURNAL_BYTES || ++commands_seen < 30;
}

static bool claim_another_build(struct journal_entry *entry)
{
    if (entry->kind == JOURNAL_BUILD)
        entry->bytes = (const uint8_t *)"0123456789abcdef";
    return true;
}

static bool claim_another_program(struct journal_entry *entry)
{
    if (entry->kind == JOURNAL_PROGRAM) {
        entry->bytes = (const uint8_t *)"9.9.9";
        entry->size = 5;
    }
    return true;
}

static void a_replay_that_departs_says_where(void **state)
{
    struct stage *stage = *state;
    make_journal(stage);
    commands_seen = 0;
    journal_rewrite(&stage->folder, "j", "other", lose_the_commands_from_the_thirtieth_on);
    assert_int_equal(REPLAY(stage, "other"), 1);
    check_said(stage, "replay.err", "kobuki.uart departs between");
    check_said(stage, "replay.err", "bytes to the host that are the same");
    char *said = folder_read(&stage->folder, "replay.err");
    double from_s, to_s;
    const char *place = strstr(said, "kobuki.uart departs");
    assert_int_equal(sscanf(place, "kobuki.uart departs between %lf s and %lf s", &from_s, &to_s),
                     2);
    free(said);
    assert_true(to_s > 0.3 && to_s - from_s < 0.1001);
    /* Before that it is the same. */
    char until[32];
    snprintf(until, sizeof until, "%.3f", from_s);
    assert_int_equal(REPLAY(stage, "other", "--until", until), 0);
}

static void a_journal_of_another_program_is_refused(void **state)
{
    struct stage *stage = *state;
    make_journal(stage);
    journal_rewrite(&stage->folder, "j", "build", claim_another_build);
    assert_int_equal(REPLAY(stage, "build"), 2);
    check_said(stage, "replay.err", "build 0123456789abcdef");
    check_said(stage, "replay.err", "--any-build");
    assert_int_equal(REPLAY(stage, "build", "--any-build"), 0);
    journal_rewrite(&stage->folder, "j", "program", claim_another_program);
    assert_int_equal(REPLAY(stage, "program"), 2);
    check_said(stage, "replay.err", "written by ptybot 9.9.9");
}

static void a_journal_of_another_scene_is_refused_and_needs_no_files_itself(void **state)
{
    struct stage *stage = *state;
    make_journal(stage);
    assert_int_equal(REPLAY(stage, "j", "kobuki.yaml"), 0);
    stage_write_kobuki(stage, "", "battery_v: 14");
    assert_int_equal(REPLAY(stage, "j", "kobuki.yaml"), 2);
    check_said(stage, "replay.err", "differs from line 9 on");
    assert_int_equal(REPLAY(stage, "j", "kobuki"), 2);
    check_said(stage, "replay.err", "robot type kobuki");
    assert_int_equal(REPLAY(stage, "j"), 0);
    check_said(stage, "replay.err", "kobuki.yaml has changed since");
    char path[FOLDER_PATH_MAX];
    unlink(folder_path(&stage->folder, "kobuki.yaml", path));
    assert_int_equal(REPLAY(stage, "j"), 0);
}

static void a_damaged_journal_is_refused_with_its_line(void **state)
{
    struct stage *stage = *state;
    make_journal(stage);
    char *text = folder_read(&stage->folder, "j");
    char path[FOLDER_PATH_MAX];
    char *place = strstr(text, "seed: 1");
    assert_non_null(place);
    place[6] = '2';
    FILE *file = fopen(folder_path(&stage->folder, "j", path), "wb");
    fputs(text, file);
    fclose(file);
    free(text);
    assert_int_equal(REPLAY(stage, "j"), 2);
    check_said(stage, "replay.err", "is damaged");
}

static void wrong_words_are_told_apart(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(REPLAY(stage, "none"), 3);
    check_said(stage, "replay.err", "none: No such file");
    assert_int_equal(REPLAY(stage, "kobuki.yaml"), 2);
    check_said(stage, "replay.err", "no journal");
    assert_int_equal(REPLAY(stage, "."), 3);
    assert_int_equal(replay_words(stage, (const char *const[]){NULL}), 2);
    assert_int_equal(REPLAY(stage, "j", "--paused"), 2);
    check_said(stage, "replay.err", "--control");
}

/* ---- The file ---- */

static void a_file_that_is_no_journal_stays(void **state)
{
    struct stage *stage = *state;
    stage_start(stage, "kobuki.yaml", (const char *const[]){"--journal", "kobuki.yaml", NULL});
    assert_int_equal(program_wait(&stage->ptybot), 3);
    check_said(stage, "run.err", "is no journal, so it stays");
    check_said(stage, "kobuki.yaml", "One Kobuki");
    stage_start(stage, "kobuki.yaml", (const char *const[]){"--journal", "no/folder", NULL});
    assert_int_equal(program_wait(&stage->ptybot), 3);
    check_said(stage, "run.err", "--journal no/folder: No such file");
    stage_start(stage, "kobuki.yaml", (const char *const[]){"--journal", "/dev/full", NULL});
    assert_int_equal(program_wait(&stage->ptybot), 3);
    check_said(stage, "run.err", "--journal /dev/full: No space left");
}

static void a_run_outlives_a_full_disk_and_says_so(void **state)
{
    struct stage *stage = *state;
    static struct heard heard;
    /* A limit on the size of files, of 16 KiB, stands for the disk. */
    const char *const words[] = {"/bin/sh",     "-c",           "ulimit -f 32; exec \"$0\" \"$@\"",
                                 PTYBOT_BINARY, "run",          "kobuki.yaml",
                                 "--control",   stage->control, "--journal",
                                 "j",           "--speed",      "5",
                                 NULL};
    program_start(&stage->ptybot, &stage->folder, "run", words, 0);
    int port = serial_port_await(stage->port);
    serial_port_set(port, B115200);
    for (int64_t end_ms = now_ms() + PATIENCE_MS;
         !program_has_warned(&stage->ptybot, "--journal j: not written any further");) {
        assert_true(now_ms() < end_ms);
        drive(port, &heard, 1000);
    }
    drive(port, &heard, 4000);
    assert_int_equal(program_end(&stage->ptybot, SIGTERM), 3);
    close(port);
    check_said(stage, "run.err", "not all could be written");
    char *said = folder_read(&stage->folder, "run.err");
    assert_null(strstr(strstr(said, "not written any further") + 1, "not written any further"));
    free(said);
    assert_int_equal(REPLAY(stage, "j"), 0);
    check_said(stage, "replay.out", "cut off there");
}

/* ---- What a journal holds ---- */

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
        check_said(stage, "run.err", "nothing");
    static const char *const names[] = {"map.pgm", "map.yaml", "scene.yaml"};
    for (size_t i = 0; i < 3; i++)
        unlink(folder_path(&stage->folder, names[i], path));
    assert_int_equal(REPLAY(stage, "j"), 0);
    check_said(stage, "replay.out", "2.000 s replayed");
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
            int got = serial_port_read(port, reply + used, sizeof reply - used, PATIENCE_MS);
            assert_true(got > 0);
            used += (size_t)got;
        }
        char path[FOLDER_PATH_MAX];
        WAIT_UNTIL(path_exists(folder_path(&stage->folder, "memory", path)));
        WAIT_UNTIL(stage_get(stage, "kobuki.unsaved") == 0);
        stage_end(stage);
        close(port);
    }
    check_said(stage, "kept", " storage 0 ");
    check_said(stage, "kept", " saved ");
    char *before = folder_read(&stage->folder, "memory");
    assert_int_equal(REPLAY(stage, "fresh"), 0);
    assert_int_equal(REPLAY(stage, "kept"), 0);
    char *after = folder_read(&stage->folder, "memory");
    assert_string_equal(before, after);
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
    static const char host[] = "head -c 2000 \"$PTYBOT_PORT_KOBUKI\" | wc -c";
    const char *const words[] = {PTYBOT_BINARY, "test",    "judged.yaml", "--out", "kept",
                                 "--",          "/bin/sh", "-c",          host,    NULL};
    if (program_run(&test, &stage->folder, "test", words) != 0)
        check_said(stage, "test.out", "nothing, since it must pass");
    assert_int_equal(REPLAY(stage, "kept/run.journal", "judged.yaml"), 0);
    check_said(stage, "replay.out", "inputs: the same");
    // It judges again, and finds what the test found.
    char *said = folder_read(&stage->folder, "test.out");
    char *found = strstr(said, "kobuki.uart.to_host_bytes = ");
    assert_non_null(found);
    found[strcspn(found, "\n")] = '\0';
    check_said(stage, "replay.out", found);
    check_said(stage, "replay.out", "passed ");
    free(said);
}

/* ---- Looking into a replay ---- */

static void a_replay_can_be_looked_into_and_stepped(void **state)
{
    struct stage *stage = *state;
    make_journal(stage);
    struct program replay;
    const char *const words[] = {PTYBOT_BINARY, "replay",       "j", "--paused",
                                 "--control",   stage->control, NULL};
    program_start(&replay, &stage->folder, "again", words, 0);
    static struct control_socket client;
    static char reply[1 << 16];
    control_socket_open(&client, stage->control);
    control_socket_call(&client, "step", "{\"ms\":500}", reply, sizeof reply);
    assert_non_null(strstr(reply, "\"time_s\":0.5"));
    assert_true(stage_get(stage, "world.time_s") == 0.5);
    control_socket_call(&client, "do", "{\"command\":\"kobuki.lift\"}", reply, sizeof reply);
    assert_non_null(strstr(reply, "this is a replay"));
    control_socket_call(&client, "pause", "{\"paused\":false}", reply, sizeof reply);
    assert_non_null(strstr(reply, "result"));
    assert_int_equal(program_wait(&replay), 0);
    control_socket_close(&client);
    program_cleanup(&replay);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JOURNALED(a_run_with_live_hosts_is_replayed_to_the_byte),
        JOURNALED(a_run_that_was_killed_is_replayed_up_to_there),
        JOURNALED(a_replay_that_departs_says_where),
        JOURNALED(a_journal_of_another_program_is_refused),
        JOURNALED(a_journal_of_another_scene_is_refused_and_needs_no_files_itself),
        JOURNALED(a_damaged_journal_is_refused_with_its_line),
        JOURNALED(wrong_words_are_told_apart),
        JOURNALED(a_file_that_is_no_journal_stays),
        JOURNALED(a_run_outlives_a_full_disk_and_says_so),
        JOURNALED(a_map_is_in_the_journal),
        JOURNALED(the_memory_at_the_start_is_in_the_journal),
        JOURNALED(a_test_leaves_a_journal_that_can_be_replayed),
        JOURNALED(a_replay_can_be_looked_into_and_stepped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
