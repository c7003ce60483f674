/* A recording instead of a robot: its bytes at their times, and a driver that deviates from it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/record/capture_writer.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/stage.h"

enum { SPACING_MS = 100 };

/* Three blocks of a robot, 100 ms apart, and a driver that answers "ok" to the first and "go" to
 * the second; times since 1970, as for a real robot. */
static void record(const struct stage *stage, char path[FOLDER_PATH_MAX])
{
    static const struct {
        enum capture_kind kind;
        int at_ms;
        const char *bytes;
    } said[] = {{CAPTURE_TO_HOST, 0, "one"},
                {CAPTURE_TO_ROBOT, 20, "ok"},
                {CAPTURE_TO_HOST, SPACING_MS, "two"},
                {CAPTURE_TO_ROBOT, SPACING_MS + 20, "go"},
                {CAPTURE_TO_HOST, 2 * SPACING_MS, "three"}};
    struct capture_interface interface = {.description = "kobuki uart", .baud = 115200};
    struct error error;
    folder_path(&stage->folder, "real.pcapng", path);
    snprintf(interface.name, sizeof interface.name, "recorded-%ld.uart", (long)getpid());
    struct capture_writer *writer = capture_writer_open(path, "--capture", &error);
    assert_non_null(writer);
    capture_writer_interface(writer, &interface);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        capture_writer_add(
            writer, &(struct capture_block){
                        .kind = said[i].kind,
                        .time_ns = INT64_C(1700000000000000000) + said[i].at_ms * INT64_C(1000000),
                        .bytes = (const uint8_t *)said[i].bytes,
                        .size = strlen(said[i].bytes),
                        .comment = "",
                    });
    assert_true(capture_writer_close(writer, &error));
}

static int start(struct stage *stage, const char *path)
{
    char port[FOLDER_PATH_MAX * 2] = "";
    const char *const words[] = {PTYBOT_BINARY, "run", "--recorded", path, NULL};
    program_start(&stage->ptybot, &stage->folder, "ptybot", words, 0);
    WAIT_UNTIL(program_has_said(&stage->ptybot, ".uart  /"));
    char *said = program_out(&stage->ptybot);
    assert_int_equal(sscanf(strstr(said, "  /") + 2, "%511s", port), 1);
    free(said);
    int host = open(port, O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(host >= 0);
    return host;
}

static int64_t hear(int host, const char *text)
{
    char bytes[16] = "";
    size_t done = 0;
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    while (done < strlen(text) && now_ms() < end_ms) {
        struct pollfd ready = {.fd = host, .events = POLLIN};
        if (poll(&ready, 1, 20) > 0 && (ready.revents & POLLIN) != 0)
            done += (size_t)read(host, bytes + done, strlen(text) - done);
    }
    assert_string_equal(bytes, text);
    return now_ms();
}

static void say(int host, const char *text)
{
    assert_int_equal(write(host, text, strlen(text)), strlen(text));
}

static void a_host_that_says_what_was_recorded_hears_all_at_its_times(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    record(stage, path);
    /* Measured from before the start: a busy machine may receive the first block late. */
    int64_t from_ms = now_ms();
    int host = start(stage, path);
    hear(host, "one");
    say(host, "okgo"); /* earlier than recorded */
    hear(host, "two");
    int64_t took_ms = hear(host, "three") - from_ms;
    assert_true(took_ms >= 2 * SPACING_MS - 1);
    assert_int_equal(program_wait(&stage->ptybot), 0);
    assert_true(program_has_said(&stage->ptybot, "11 bytes played, 0 unread"));
    assert_true(program_has_said(&stage->ptybot, "4 bytes from drivers, 4 recorded\n"));
    close(host);
}

/* A debugger, or a busy machine, may stop it for longer than the rest of the recording. */
static void a_host_that_was_stopped_still_hears_all(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    record(stage, path);
    int host = start(stage, path);
    hear(host, "one");
    say(host, "okgo");
    hear(host, "two");
    sleep_ms(SPACING_MS + 1500);
    hear(host, "three");
    assert_int_equal(program_wait(&stage->ptybot), 0);
    assert_true(program_has_said(&stage->ptybot, "11 bytes played, 0 unread"));
    close(host);
}

static void a_host_that_says_something_else_is_reported_with_its_place(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    record(stage, path);
    int host = start(stage, path);
    hear(host, "one");
    say(host, "okno");
    hear(host, "two");
    hear(host, "three"); /* playback continues */
    assert_int_equal(program_wait(&stage->ptybot), 1);
    assert_true(program_has_warned(&stage->ptybot,
                                   "byte 2 of the driver differs from the recording: "
                                   "0x6e, recorded: 0x67"));
    close(host);
}

static void a_host_that_says_less_or_more_is_reported_at_the_end(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    record(stage, path);
    int host = start(stage, path);
    hear(host, "one");
    say(host, "okg");
    assert_int_equal(program_wait(&stage->ptybot), 1);
    assert_true(program_has_said(&stage->ptybot, "3 bytes played, 8 unread"));
    assert_true(program_has_warned(
        &stage->ptybot,
        "byte 3 of the driver differs from the recording: 1 bytes fewer than recorded"));
    close(host);
    host = start(stage, path);
    say(host, "okgo!!");
    assert_int_equal(program_wait(&stage->ptybot), 1);
    assert_true(program_has_warned(
        &stage->ptybot,
        "byte 4 of the driver differs from the recording: 2 bytes more than recorded"));
    close(host);
}

static void what_cannot_be_played_is_said(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    record(stage, path);
    const char *const with_scene[] = {PTYBOT_BINARY, "run", "kobuki", "--recorded", path, NULL};
    assert_int_equal(program_run(&stage->ptybot, &stage->folder, "a", with_scene), 2);
    assert_true(program_has_warned(&stage->ptybot, "takes no scene"));
    folder_write(&stage->folder, "no.pcapng", "hello, this is no recording of anything at all");
    folder_path(&stage->folder, "no.pcapng", path);
    const char *const words[] = {PTYBOT_BINARY, "run", "--recorded", path, NULL};
    assert_int_equal(program_run(&stage->ptybot, &stage->folder, "b", words), 2);
}

/* The name of a line comes from the file: it must not create a port outside the folder. */
static void a_line_with_a_hostile_name_stays_in_its_folder(void **state)
{
    struct stage *stage = *state;
    struct capture_interface interface = {.description = "kobuki uart", .baud = 115200};
    struct error error;
    char path[FOLDER_PATH_MAX], trap[FOLDER_PATH_MAX];
    folder_path(&stage->folder, "trap", trap);
    snprintf(interface.name, sizeof interface.name, "%.40s", trap); // absolute
    struct capture_writer *writer =
        capture_writer_open(folder_path(&stage->folder, "real.pcapng", path), "--capture", &error);
    assert_non_null(writer);
    capture_writer_interface(writer, &interface);
    capture_writer_add(writer, &(struct capture_block){.kind = CAPTURE_TO_HOST,
                                                       .bytes = (const uint8_t *)"one",
                                                       .size = 3,
                                                       .comment = ""});
    assert_true(capture_writer_close(writer, &error));
    const char *const words[] = {PTYBOT_BINARY, "run", "--recorded", path, NULL};
    program_start(&stage->ptybot, &stage->folder, "ptybot", words, 0);
    WAIT_UNTIL(program_has_said(&stage->ptybot, "  /"));
    assert_int_not_equal(access(interface.name, F_OK), 0);
    assert_true(program_has_said(&stage->ptybot, "/_"));
    program_end(&stage->ptybot, SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(a_host_that_says_what_was_recorded_hears_all_at_its_times),
        STAGED(a_host_that_was_stopped_still_hears_all),
        STAGED(a_host_that_says_something_else_is_reported_with_its_place),
        STAGED(a_host_that_says_less_or_more_is_reported_at_the_end),
        STAGED(what_cannot_be_played_is_said),
        STAGED(a_line_with_a_hostile_name_stays_in_its_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
