/* Lockstep: the same scene, seed and driver give the same bytes on the wire, each time. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/hosts/kobuki_client.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/serial_port.h"
#include "tests/support/stage.h"

enum { RUNS = 20, ROUNDS = 150, HEARD_MAX = 1 << 17 };

/* The bytes that a driver has read. */
struct heard {
    uint8_t bytes[HEARD_MAX];
    size_t size;
};

/* A command before a given round. */
struct cue {
    unsigned round;
    const char *command;
};

static int lockstep_setup(void **state)
{
    stage_setup(state);
    stage_write_kobuki(*state, "", "");
    return 0;
}

#define LOCKSTEP(test) cmocka_unit_test_setup_teardown(test, lockstep_setup, stage_teardown)

/* Reads the bytes that the last step has sent. */
static void read_answer(int port, struct heard *heard, struct ptybot_run *client)
{
    size_t total = heard->size + (size_t)ptybot_sent(client, "kobuki");
    assert_true(total <= HEARD_MAX);
    while (heard->size < total) {
        int got = serial_port_read(port, heard->bytes + heard->size, total - heard->size,
                                   TEST_TIMEOUT_MS);
        assert_true(got > 0);
        heard->size += (size_t)got;
    }
}

/* One run: each round the driver writes a command, and a step of 20 ms produces the answer. */
static void run_once(struct stage *stage, const struct cue *cues, struct heard *heard)
{
    heard->size = 0;
    STAGE_RUN_KOBUKI(stage, "--lockstep", "--journal", "j");
    struct ptybot_run *client = stage_client(stage);
    int port = serial_port_await(stage->port);
    serial_port_set(port, B115200);
    // A step without a fence still includes the driver's open and baud rate.
    assert_true(ptybot_step(client, 1));
    read_answer(port, heard, client);
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint8_t command[KOBUKI_COMMAND_MAX];
        for (; cues->command && cues->round == round; cues++)
            stage_do(stage, cues->command);
        size_t size =
            kobuki_base_control(command, (int16_t)(7 * round % 600), (int16_t)(round / 10 % 2));
        assert_true(serial_port_write(port, command, size));
        assert_true(ptybot_step_after(client, 20, "kobuki", size));
        read_answer(port, heard, client);
    }
    ptybot_end(client);
    stage_end(stage);
    close(port);
}

/* The inputs and results of a run: the lines of the journal without their checks. The caller frees
 * them. */
static char *story(const struct stage *stage)
{
    char *text = folder_read(&stage->folder, "j");
    char *out = text;
    const char *start = strstr(text, " start\n");
    assert_non_null(start);
    for (const char *line = strchr(start, '\n') + 1; *line;) {
        const char *end = strchr(line, '\n') + 1;
        assert_true(end - line > 9);
        memmove(out, line + 9, (size_t)(end - line) - 9);
        out += end - line - 9;
        line = end;
    }
    *out = '\0';
    return text;
}

static void repeat(struct stage *stage, const struct cue *cues)
{
    static struct heard first, heard;
    char *first_story = NULL;
    for (int run = 0; run < RUNS; run++) {
        run_once(stage, cues, run == 0 ? &first : &heard);
        char *this_story = story(stage);
        if (run == 0) {
            first_story = this_story;
            assert_true(first.size > ROUNDS * 40);
            continue;
        }
        if (heard.size != first.size || memcmp(heard.bytes, first.bytes, first.size) != 0)
            fail_msg("run %d heard other bytes", run + 1);
        assert_string_equal(this_story, first_story);
        free(this_story);
    }
    free(first_story);
    struct program replay;
    const char *const words[] = {PTYBOT_BINARY, "replay", "j", NULL};
    assert_int_equal(program_run(&replay, &stage->folder, "replay", words), 0);
}

static void twenty_runs_of_twenty_give_the_same_bytes(void **state)
{
    static const struct cue cues[] = {
        {10, "kobuki.press bumper=left for=0.2"},
        {40, "kobuki.lift for=0.3"},
        {70, "kobuki.place x=3 y=4 heading=30"},
        {100, "kobuki.reset"},
        {0, NULL},
    };
    repeat(*state, cues);
}

static void twenty_runs_with_faults_give_the_same_bytes(void **state)
{
    static const struct cue cues[] = {
        {5, "kobuki.fault uart=drop rate=0.01"},
        {5, "kobuki.fault uart=flip rate=0.01"},
        {10, "kobuki.fault uart=insert rate=0.01 direction=to_host"},
        {15, "kobuki.fault uart=duplicate rate=0.1 unit=frame"},
        {20, "kobuki.fault uart=split rate=0.2"},
        {30, "kobuki.fault uart=delay rate=0.05 ms=30"},
        {50, "kobuki.fault uart=stall for=0.3"},
        {60, "kobuki.fault uart=ftdi"},
        {70, "kobuki.fault gyro=drift deg_s=3"},
        {80, "kobuki.fault encoder_0=loss rate=0.3"},
        {90, "kobuki.fault power=brownout for=0.2"},
        {120, "kobuki.heal"},
        {125, "kobuki.fault uart=drop rate=0.5 unit=frame"},
        {0, NULL},
    };
    repeat(*state, cues);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOCKSTEP(twenty_runs_of_twenty_give_the_same_bytes),
        LOCKSTEP(twenty_runs_with_faults_give_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
