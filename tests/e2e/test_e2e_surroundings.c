/* `ptybot run` in a hostile environment: bursts of signals, terminals that accept no text, missing
 * standard streams, full disks, few descriptors. In all cases it prints a correct reason, and
 * leaves no file or process behind. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/kobuki_host.h"
#include "tests/support/stage.h"

/* Starts a shell command that becomes ptybot; "$0" is its file. */
static void start_shell(struct stage *stage, const char *line)
{
    const char *const words[] = {"/bin/sh", "-c", line, PTYBOT_BINARY, NULL};
    program_start(&stage->ptybot, &stage->folder, "run", words, 0);
}

static void check_warned(const struct stage *stage, const char *text)
{
    char *said = program_err(&stage->ptybot);
    bool is_there = strstr(said, text) != NULL;
    if (!is_there)
        print_error("it said: %s", said);
    free(said);
    assert_true(is_there);
}

/* Whether the process PID has a folder for its run. */
static bool has_run_folder(pid_t pid)
{
    char path[FOLDER_PATH_MAX];
    snprintf(path, sizeof path, "/dev/shm/ptybot-%u/run-%ld", (unsigned)getuid(), (long)pid);
    return path_exists(path);
}

/* ---- Ends ---- */

static void signals_in_one_burst_are_one_orderly_end(void **state)
{
    struct stage *stage = *state;
    static const int signals[] = {SIGHUP, SIGTERM, SIGHUP, SIGINT, SIGTERM, SIGINT};
    stage_write_kobuki(stage, "", "");
    for (int turn = 0; turn < 10; turn++) {
        STAGE_RUN_KOBUKI(stage, NULL);
        for (size_t i = 0; i < 30 * sizeof signals / sizeof signals[0]; i++)
            kill(stage->ptybot.pid, signals[i % (sizeof signals / sizeof signals[0])]);
        assert_int_equal(program_wait(&stage->ptybot), 0);
        assert_false(path_exists(stage->port));
    }
}

/* Reads from the other end of the terminal until the whole table of the start has arrived. */
static bool has_shown_start(int screen, char *shown, size_t cap)
{
    size_t size = strlen(shown);
    ssize_t some = read(screen, shown + size, cap - 1 - size);
    shown[size + (some > 0 ? (size_t)some : 0)] = '\0';
    const char *last = strstr(shown, "control  ");
    return last && strchr(last, '\n');
}

static void a_terminal_that_takes_no_text_does_not_keep_the_path(void **state)
{
    struct stage *stage = *state;
    char line[256], shown[4096] = "";
    stage_write_kobuki(stage, "", "");
    int screen = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    assert_true(screen >= 0 && grantpt(screen) == 0 && unlockpt(screen) == 0);
    int terminal = open(ptsname(screen), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(terminal >= 0);
    snprintf(line, sizeof line, "exec \"$0\" run kobuki.yaml >%s", ptsname(screen));
    start_shell(stage, line);
    WAIT_UNTIL(has_shown_start(screen, shown, sizeof shown));

    // Like Ctrl S: a program that writes blocks.
    assert_int_equal(tcflow(terminal, TCOOFF), 0);
    kill(stage->ptybot.pid, SIGTERM);
    WAIT_UNTIL(!path_exists(stage->port) && !has_run_folder(stage->ptybot.pid));
    assert_int_equal(tcflow(terminal, TCOON), 0);
    assert_int_equal(program_wait(&stage->ptybot), 0);
    close(terminal);
    close(screen);
}

/* ---- Ports ---- */

static void a_port_that_is_deleted_is_put_back_and_told_once(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, NULL);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(unlink(stage->port), 0);
        WAIT_UNTIL(path_exists(stage->port));
    }
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    kobuki_host_hear(&host, 10);
    kobuki_host_close(&host);
    char *said = program_err(&stage->ptybot);
    char *first = strstr(said, "removed");
    assert_non_null(first);
    assert_null(strstr(first + 1, "removed"));
    free(said);
    stage_end(stage);
    assert_false(path_exists(stage->port));
}

static void many_hosts_are_reported_in_few_lines(void **state)
{
    struct stage *stage = *state;
    size_t lines = 0;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, NULL);
    for (int i = 0; i < 2000; i++) {
        int port = open(stage->port, O_RDWR | O_NOCTTY | O_CLOEXEC);
        assert_true(port >= 0);
        close(port);
        if (i % 10 == 0)
            sleep_ms(1); // so that many of them are seen
    }
    WAIT_UNTIL(program_has_warned(&stage->ptybot, "messages about its drivers omitted"));
    double seconds = stage_get(stage, "world.time_s");
    stage_end(stage);
    char *said = program_err(&stage->ptybot);
    for (const char *at = said; (at = strstr(at, "kobuki.uart: ")); at++)
        lines++;
    free(said);
    assert_in_range(lines, 9, 10 + (size_t)seconds + 1);
}

/* ---- Streams ---- */

static void check_stream_is_null(const struct stage *stage, int number)
{
    char path[64], target[FOLDER_PATH_MAX] = "";
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)stage->ptybot.pid, number);
    assert_true(readlink(path, target, sizeof target - 1) > 0);
    assert_string_equal(target, "/dev/null");
}

static void closed_standard_streams_are_not_taken_for_other_things(void **state)
{
    struct stage *stage = *state;
    struct kobuki_host host;
    stage_write_kobuki(stage, "", "");
    start_shell(stage, "exec \"$0\" run kobuki.yaml <&- >&- 2>&-");
    WAIT_UNTIL(path_exists(stage->port));
    kobuki_host_open(&host, stage->port);
    kobuki_host_hear(&host, 10);
    kobuki_host_check(&host, 0);
    for (int number = 0; number < 3; number++)
        check_stream_is_null(stage, number);
    kobuki_host_close(&host);
    program_end(&stage->ptybot, SIGTERM);
    assert_false(path_exists(stage->port));
}

static void output_that_cannot_be_written_is_reported_with_its_reason(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    start_shell(stage, "exec \"$0\" run kobuki.yaml --fast --for 0.1 >/dev/full");
    assert_int_equal(program_wait(&stage->ptybot), 3);
    check_warned(stage, "No space left on device");
    start_shell(stage, "exec \"$0\" run kobuki.yaml --fast --for 0.1 >&-");
    assert_int_equal(program_wait(&stage->ptybot), 3);
    check_warned(stage, "Bad file descriptor");
}

static void a_reader_that_went_away_is_no_error(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    start_shell(stage, "{ \"$0\" run kobuki.yaml --fast --for 600; echo code $? >&2; } | :");
    assert_int_equal(program_wait(&stage->ptybot), 0);
    check_warned(stage, "code 0\n");
}

/* Number of bytes waiting in a pipe. */
static int waiting_in(int pipe)
{
    int size = 0;
    assert_int_equal(ioctl(pipe, FIONREAD, &size), 0);
    return size;
}

static void a_reader_of_the_log_that_has_stopped_does_not_hold_up_the_end(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    stage_write_kobuki(stage, "", "");
    assert_int_equal(mkfifo(folder_path(&stage->folder, "log.csv", path), 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    start_shell(stage, "exec \"$0\" run kobuki.yaml --fast --log log.csv");
    WAIT_UNTIL(waiting_in(reader) >= fcntl(reader, F_GETPIPE_SZ));
    pid_t pid = stage->ptybot.pid;
    kill(pid, SIGTERM);
    assert_int_equal(program_wait(&stage->ptybot), 3);
    check_warned(
        stage,
        "--log log.csv: not all data could be written: the reader of the pipe has closed it");
    assert_false(has_run_folder(pid));
    assert_false(path_exists(stage->port));
    close(reader);
}

static void a_reader_of_the_log_may_come_late_and_gets_all_of_it(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    start_shell(stage, "mkfifo log.csv; \"$0\" run kobuki.yaml --fast --for 60 --log log.csv & "
                       "sleep 0.2; { sleep 0.2; cat; } <log.csv >got; wait $! && wc -l <got");
    assert_int_equal(program_wait(&stage->ptybot), 0);
    assert_true(program_has_said(&stage->ptybot, "3002\n")); /* names, the start, 50 a second */
}

static void a_pipe_without_a_reader_does_not_hold_up_the_end(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    start_shell(stage, "mkfifo log.csv; exec \"$0\" run kobuki.yaml --fast --log log.csv");
    WAIT_UNTIL(path_exists(stage->port));
    kill(stage->ptybot.pid, SIGTERM);
    assert_int_equal(program_wait(&stage->ptybot), 3);
    assert_false(path_exists(stage->port));
}

/* ---- Limits ---- */

static void a_log_that_grows_beyond_the_limit_of_files_is_reported(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    start_shell(stage,
                "ulimit -f 16; exec \"$0\" run kobuki.yaml --fast --for 60 --log log.csv 2>err");
    pid_t pid = stage->ptybot.pid;
    assert_int_equal(program_wait(&stage->ptybot), 3);
    char *said = folder_read(&stage->folder, "err");
    assert_non_null(strstr(said, "--log log.csv"));
    free(said);
    assert_false(has_run_folder(pid));
    assert_false(path_exists(stage->port));
}

static void too_few_descriptors_are_reported_and_leave_nothing(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    int refused = 0;
    for (int most = 5; most < 20; most++) {
        char line[128];
        snprintf(line, sizeof line,
                 "exec 3>&- 4>&-; ulimit -n %d; exec \"$0\" run kobuki.yaml --fast --for 0.1",
                 most);
        start_shell(stage, line);
        pid_t pid = stage->ptybot.pid;
        int code = program_wait(&stage->ptybot);
        if (code == 127)
            continue; // the dynamic linker could not open its files
        if (code != 0 && code != 3)
            fail_msg("with %d descriptors: exit code %d", most, code);
        refused += code == 3;
        if (code == 3)
            check_warned(stage, "Too many open files");
        assert_false(has_run_folder(pid));
        assert_false(path_exists(stage->port));
    }
    assert_in_range(refused, 1, 14);
}

/* ---- Elsewhere ---- */

static void an_installed_program_has_the_scenes_beside_it_and_no_others(void **state)
{
    struct stage *stage = *state;
    start_shell(stage, "mkdir -p bin share/ptybot/scenes && cp \"$0\" bin/ptybot && "
                       "echo 'world: {size: {x: 4, y: 4}}' >share/ptybot/scenes/yard.yaml && "
                       "echo 'robots: [{name: a, type: kobuki, pose: {x: 2, y: 2}}]' "
                       ">>share/ptybot/scenes/yard.yaml && "
                       "bin/ptybot list scenes && exec bin/ptybot check yard");
    assert_int_equal(program_wait(&stage->ptybot), 0);
    assert_true(program_has_said(&stage->ptybot, "share/ptybot/scenes/yard.yaml"));
    assert_true(program_has_said(&stage->ptybot, "ok: yard"));
    assert_false(program_has_said(&stage->ptybot, "kobuki_square"));
}

static void a_word_that_is_a_folder_is_reported(void **state)
{
    struct stage *stage = *state;
    start_shell(stage, "mkdir yard && exec \"$0\" run yard");
    assert_int_equal(program_wait(&stage->ptybot), 2);
    check_warned(stage, "yard: found a folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(signals_in_one_burst_are_one_orderly_end),
        STAGED(a_terminal_that_takes_no_text_does_not_keep_the_path),
        STAGED(a_port_that_is_deleted_is_put_back_and_told_once),
        STAGED(many_hosts_are_reported_in_few_lines),
        STAGED(closed_standard_streams_are_not_taken_for_other_things),
        STAGED(output_that_cannot_be_written_is_reported_with_its_reason),
        STAGED(a_reader_that_went_away_is_no_error),
        STAGED(a_reader_of_the_log_that_has_stopped_does_not_hold_up_the_end),
        STAGED(a_reader_of_the_log_may_come_late_and_gets_all_of_it),
        STAGED(a_pipe_without_a_reader_does_not_hold_up_the_end),
        STAGED(a_log_that_grows_beyond_the_limit_of_files_is_reported),
        STAGED(too_few_descriptors_are_reported_and_leave_nothing),
        STAGED(an_installed_program_has_the_scenes_beside_it_and_no_others),
        STAGED(a_word_that_is_a_folder_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
