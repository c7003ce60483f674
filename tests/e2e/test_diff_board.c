/* A chassis board with the real program: ten minutes with a driver that never pauses, and
 * parameters that survive runs, kills and damaged files. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/serial_port.h"
#include "tests/support/stage.h"

enum { BLOCK_SIZE = 64, FRAME_MAX = BLOCK_SIZE + 4 };

/* ---- A driver that reads and writes parameters ---- */

static size_t make_frame(uint8_t *out, uint8_t id, const uint8_t *body, size_t size)
{
    unsigned sum = 0;
    out[0] = 0x5a;
    out[1] = id;
    out[2] = (uint8_t)size;
    if (size > 0)
        memcpy(out + 3, body, size);
    for (size_t i = 0; i < size + 3; i++)
        sum += out[i];
    out[size + 3] = (uint8_t)(sum & 0xff);
    return size + 4;
}

/* Sends one request and reads a reply of SIZE bytes into OUT. */
static void ask(const struct stage *stage, uint8_t id, const uint8_t *body, size_t body_size,
                uint8_t *out, size_t size)
{
    uint8_t frame[FRAME_MAX], came[FRAME_MAX];
    int port = serial_port_await(stage->port);
    serial_port_set(port, B115200);
    assert_true(serial_port_write(port, frame, make_frame(frame, id, body, body_size)));
    size_t used = 0;
    while (used < size + 4) {
        int got = serial_port_read(port, came + used, sizeof came - used, TEST_TIMEOUT_MS);
        assert_true(got > 0);
        used += (size_t)got;
    }
    assert_int_equal(used, size + 4);
    make_frame(frame, id, came + 3, size);
    assert_memory_equal(came, frame, used);
    memcpy(out, came + 3, size);
    close(port);
}

static void read_block(const struct stage *stage, uint8_t block[BLOCK_SIZE])
{
    ask(stage, 2, NULL, 0, block, BLOCK_SIZE);
}

static void write_block(const struct stage *stage, const uint8_t block[BLOCK_SIZE])
{
    ask(stage, 1, block, BLOCK_SIZE, (uint8_t[1]){0}, 0);
}

/* ---- Scenes ---- */

static void write_scene(const struct stage *stage, const char *storage)
{
    folder_write(&stage->folder, "board.yaml",
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots:\n"
                 "  - {name: board, type: diff_board, pose: {x: 10, y: 10}, storage: %s,\n"
                 "     links: [{pty: %s}]}\n",
                 storage, stage->port);
}

static void run_scene(struct stage *stage)
{
    stage_run(stage, "board.yaml", (const char *const[]){"--speed", "5", NULL});
}

/* Parameters that differ from the factory settings. */
static void fill_block(uint8_t block[BLOCK_SIZE], uint8_t first)
{
    for (size_t i = 0; i < BLOCK_SIZE; i++)
        block[i] = (uint8_t)(first + i);
}

static void assert_block(const struct stage *stage, const uint8_t block[BLOCK_SIZE])
{
    uint8_t found[BLOCK_SIZE];
    read_block(stage, found);
    assert_memory_equal(found, block, BLOCK_SIZE);
}

/* ---- Storage ---- */

static void parameters_survive_the_end_of_a_run(void **state)
{
    (void)state;
    struct stage *stage = *state;
    uint8_t block[BLOCK_SIZE], factory[BLOCK_SIZE];
    char path[FOLDER_PATH_MAX];
    folder_path(&stage->folder, "board.storage", path);
    write_scene(stage, "board.storage");
    run_scene(stage);
    read_block(stage, factory);
    assert_int_equal(factory[0], 65);
    stage_end(stage);
    assert_false(path_exists(path)); /* nothing was written, so there is no file */

    run_scene(stage);
    fill_block(block, 1);
    write_block(stage, block);
    stage_end(stage); /* immediately: the last save is part of the end */
    assert_true(path_exists(path));
    run_scene(stage);
    assert_block(stage, block);

    /* A kill during the run loses nothing that was saved. */
    fill_block(block, 100);
    write_block(stage, block);
    WAIT_UNTIL(stage_get(stage, "board.unsaved") == 0);
    program_end(&stage->ptybot, SIGKILL);
    run_scene(stage);
    assert_block(stage, block);
    stage_end(stage);

    /* Without the file it has its factory settings. */
    assert_int_equal(unlink(path), 0);
    run_scene(stage);
    assert_block(stage, factory);
    stage_end(stage);
}

static void a_relative_file_lies_beside_the_scene(void **state)
{
    (void)state;
    struct stage *stage = *state;
    char folder[FOLDER_PATH_MAX], path[FOLDER_PATH_MAX];
    uint8_t block[BLOCK_SIZE];
    assert_int_equal(mkdir(folder_path(&stage->folder, "sub", folder), 0755), 0);
    folder_write(&stage->folder, "sub/board.yaml",
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots:\n"
                 "  - {name: board, type: diff_board, pose: {x: 10, y: 10}, storage: a.storage,\n"
                 "     links: [{pty: %s}]}\n",
                 stage->port);
    stage_run(stage, "sub/board.yaml", (const char *const[]){NULL});
    fill_block(block, 7);
    write_block(stage, block);
    stage_end(stage);
    assert_true(path_exists(folder_path(&stage->folder, "sub/a.storage", path)));
}

static void a_spoiled_file_warns_and_erases(void **state)
{
    (void)state;
    struct stage *stage = *state;
    static const char *const spoiled[] = {
        "",
        "ptybot storage 1\nrobot kobuki\nbytes 1\nhash 0000000000000000\n00\n",
        "ptybot storage 1\nrobot diff_board\nbytes 999\nhash 0000000000000000\n00\n",
        "ptybot storage 1\nrobot diff_board\nbytes 4\nhash 0000000000000000\n00 01\n",
        "ptybot storage 1\nrobot diff_board\nbytes 2\nhash 0000000000000000\n00 01\n",
    };
    uint8_t erased[BLOCK_SIZE], block[BLOCK_SIZE];
    memset(erased, 0xff, sizeof erased);
    fill_block(block, 3);
    write_scene(stage, "board.storage");
    for (size_t i = 0; i < sizeof spoiled / sizeof spoiled[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, i ? "board.storage.bad%zu" : "board.storage.bad", i);
        folder_write(&stage->folder, "board.storage", "%s", spoiled[i]);
        run_scene(stage);
        assert_true(program_has_warned(&stage->ptybot, "board.storage: "));
        assert_true(program_has_warned(&stage->ptybot, "board starts with erased memory"));
        assert_block(stage, erased);
        write_block(stage, block);
        stage_end(stage);
        char *kept = folder_read(&stage->folder, name);
        assert_string_equal(kept, spoiled[i]);
        free(kept);
        run_scene(stage);
        assert_false(program_has_warned(&stage->ptybot, "erased"));
        assert_block(stage, block);
        stage_end(stage);
    }
    // None of them replaces another.
    char *first = folder_read(&stage->folder, "board.storage.bad");
    assert_string_equal(first, spoiled[0]);
    free(first);
}

static void what_stands_beside_the_file_is_left_as_it_is(void **state)
{
    (void)state;
    struct stage *stage = *state;
    static const char thesis[] = "something else\n";
    uint8_t block[BLOCK_SIZE];
    char path[FOLDER_PATH_MAX];
    struct stat found;
    folder_write(&stage->folder, "board.storage.new", "%s", thesis);
    assert_int_equal(mkfifo(folder_path(&stage->folder, "board.storage.new1", path), 0600), 0);
    write_scene(stage, "board.storage");
    run_scene(stage);
    fill_block(block, 5);
    write_block(stage, block);
    stage_end(stage);
    char *kept = folder_read(&stage->folder, "board.storage.new");
    assert_string_equal(kept, thesis);
    free(kept);
    assert_int_equal(stat(path, &found), 0);
    assert_true(S_ISFIFO(found.st_mode));
    assert_false(path_exists(folder_path(&stage->folder, "board.storage.new2", path)));
    run_scene(stage);
    assert_block(stage, block);
    stage_end(stage);
}

static void a_file_that_cannot_be_written_warns_and_the_run_goes_on(void **state)
{
    (void)state;
    struct stage *stage = *state;
    uint8_t block[BLOCK_SIZE];
    char folder[FOLDER_PATH_MAX], path[FOLDER_PATH_MAX];
    folder_path(&stage->folder, "sub", folder);
    folder_path(&stage->folder, "sub/board.storage", path);
    write_scene(stage, "sub/board.storage");
    run_scene(stage);
    fill_block(block, 9);
    write_block(stage, block);
    WAIT_UNTIL(program_has_warned(&stage->ptybot,
                                  "sub/board.storage: the storage of board cannot be "
                                  "saved: No such file or directory; its folder"));
    assert_block(stage, block);
    assert_int_equal(mkdir(folder, 0755), 0);
    WAIT_UNTIL(program_has_warned(&stage->ptybot, "is saved again"));
    assert_true(path_exists(path));
    stage_end(stage);
    run_scene(stage);
    assert_block(stage, block);
    stage_end(stage);
}

static void a_file_that_cannot_be_read_ends_the_run_before_it_begins(void **state)
{
    (void)state;
    struct stage *stage = *state;
    char folder[FOLDER_PATH_MAX];
    assert_int_equal(mkdir(folder_path(&stage->folder, "board.storage", folder), 0755), 0);
    write_scene(stage, "board.storage");
    stage_start(stage, "board.yaml", (const char *const[]){NULL});
    assert_int_equal(program_wait(&stage->ptybot), 3);
    assert_true(program_has_warned(&stage->ptybot,
                                   "board.storage: the storage of board cannot be read: Is a "
                                   "directory; make it readable"));
}

static void expect_refused(struct stage *stage, const char *storage, const char *reason)
{
    write_scene(stage, storage);
    stage_start(stage, "board.yaml", (const char *const[]){NULL});
    assert_int_equal(program_wait(&stage->ptybot), 3);
    assert_true(program_has_warned(&stage->ptybot, reason));
    assert_true(program_has_warned(&stage->ptybot, "name another file"));
}

static void what_is_no_storage_file_is_refused_and_left_as_it_is(void **state)
{
    (void)state;
    struct stage *stage = *state;
    static const char thesis[] = "something else\n";
    char path[FOLDER_PATH_MAX];
    struct stat found;
    folder_write(&stage->folder, "thesis.txt", "%s", thesis);
    expect_refused(stage, "thesis.txt",
                   "thesis.txt: the storage of board is a file of another kind");
    char *kept = folder_read(&stage->folder, "thesis.txt");
    assert_string_equal(kept, thesis);
    free(kept);
    assert_false(path_exists(folder_path(&stage->folder, "thesis.txt.bad", path)));

    assert_int_equal(mkfifo(folder_path(&stage->folder, "pipe", path), 0600), 0);
    expect_refused(stage, "pipe", "pipe: the storage of board is no regular file");
    assert_int_equal(stat(path, &found), 0);
    assert_true(S_ISFIFO(found.st_mode));

    // Through a symbolic link to the device.
    assert_int_equal(symlink("/dev/null", folder_path(&stage->folder, "device", path)), 0);
    expect_refused(stage, "device", "/dev/null: the storage of board is no regular file");
}

/* ---- A long drive ---- */

enum { BOARDS = 3 };

static void start_poller(const struct stage *stage, struct program *host, int number,
                         const char *rate_hz)
{
    char name[32], port[FOLDER_PATH_MAX];
    snprintf(name, sizeof name, "port%d", number);
    folder_path(&stage->folder, name, port);
    /* A busy machine may be later than the 150 ms of the drivers; a board never is. */
    const char *const words[] = {PTYBOT_HOSTS_DIR "/diff_board_poll",
                                 port,
                                 "--rate",
                                 rate_hz,
                                 "--speed",
                                 "20",
                                 "--timeout",
                                 "20000",
                                 number == BOARDS - 1 ? "--fast-line" : NULL,
                                 NULL};
    WAIT_UNTIL(path_exists(port));
    snprintf(name, sizeof name, "poll%d", number);
    program_start(host, &stage->folder, name, words, 0);
}

/* PTYBOT_POLL_SECONDS: duration in simulated time; ./dev nightly poll takes ten minutes. */
static void a_long_polling_loses_no_reply(void **state)
{
    struct stage *stage = *state;
    const char *seconds = getenv("PTYBOT_POLL_SECONDS");
    double lasting_s = seconds ? strtod(seconds, NULL) : 60;
    static const char *const rates_hz[BOARDS] = {"20", "100", "1000"};
    struct program hosts[BOARDS];
    char port[BOARDS][FOLDER_PATH_MAX];
    for (int i = 0; i < BOARDS; i++) {
        char name[32];
        snprintf(name, sizeof name, "port%d", i);
        folder_path(&stage->folder, name, port[i]);
    }
    folder_write(&stage->folder, "boards.yaml",
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots:\n"
                 "  - {name: b0, type: diff_board, pose: {x: 5, y: 5}, links: [{pty: %s}]}\n"
                 "  - {name: b1, type: diff_board, pose: {x: 15, y: 5}, links: [{pty: %s}],\n"
                 "     options: {model: hera}}\n"
                 "  - {name: b2, type: diff_board, pose: {x: 5, y: 15}, links: [{pty: %s}],\n"
                 "     options: {model: hades, board: stm32f4}}\n",
                 port[0], port[1], port[2]);
    stage_start(stage, "boards.yaml", (const char *const[]){"--speed", "20", NULL});
    for (int i = 0; i < BOARDS; i++)
        start_poller(stage, &hosts[i], i, rates_hz[i]);

    double start_s = stage_get(stage, "world.time_s");
    while (stage_get(stage, "world.time_s") < start_s + lasting_s) {
        for (int i = 0; i < BOARDS; i++)
            assert_true(program_is_running(&hosts[i]));
        sleep_ms(500);
    }
    for (int i = 0; i < BOARDS; i++) {
        int code = program_end(&hosts[i], SIGTERM);
        char *said = program_out(&hosts[i]);
        const char *counts = strstr(said, "loops,");
        print_message("%s Hz: %s", rates_hz[i], counts && code == 0 ? counts : said);
        free(said);
        assert_int_equal(code, 0);
        assert_true(program_has_said(&hosts[i], " 0 lost, 0 out of order, 0 stray bytes"));
        char signal_name[64];
        snprintf(signal_name, sizeof signal_name, "b%d.uart.overruns", i);
        assert_true(stage_get(stage, signal_name) == 0);
        snprintf(signal_name, sizeof signal_name, "b%d.uart.bad_frames", i);
        assert_true(stage_get(stage, signal_name) == 0);
    }
    stage_end(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(parameters_survive_the_end_of_a_run),
        STAGED(a_relative_file_lies_beside_the_scene),
        STAGED(a_spoiled_file_warns_and_erases),
        STAGED(what_stands_beside_the_file_is_left_as_it_is),
        STAGED(a_file_that_cannot_be_written_warns_and_the_run_goes_on),
        STAGED(a_file_that_cannot_be_read_ends_the_run_before_it_begins),
        STAGED(what_is_no_storage_file_is_refused_and_left_as_it_is),
        STAGED(a_long_polling_loses_no_reply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
