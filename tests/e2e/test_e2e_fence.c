/* Lockstep with the byte fence: a driver writes, runs 20 ms and reads exactly the answer, and the
 * same driver gets the same bytes in every run. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/kobuki_host.h"
#include "tests/support/serial_port.h"
#include "tests/support/stage.h"

enum { ROUNDS = 100, RUNS = 5, ANSWER_MAX = 1024 };

/* All bytes that a driver read in one run, and their number in each round. */
struct record {
    uint8_t bytes[ROUNDS * ANSWER_MAX];
    size_t size;
    size_t answers[ROUNDS];
};

/* Reads SIZE bytes, and checks that no further byte is available. */
static void read_exactly(int port, struct record *record, size_t size)
{
    size_t end = record->size + size;
    assert_true(size <= ANSWER_MAX && end <= sizeof record->bytes);
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    while (record->size < end) {
        int some = serial_port_read(port, record->bytes + record->size, end - record->size, 100);
        assert_true(some >= 0 && now_ms() < end_ms);
        record->size += (size_t)some;
    }
    uint8_t more;
    assert_int_equal(serial_port_read(port, &more, 1, 0), 0);
}

static void play(struct record *record)
{
    void *state;
    stage_setup(&state);
    struct stage *stage = state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--lockstep");
    int port = serial_port_await(stage->port);
    struct ptybot_run *client = stage_client(stage);
    *record = (struct record){0};
    for (int i = 0; i < ROUNDS; i++) {
        uint8_t command[KOBUKI_COMMAND_MAX];
        size_t size = kobuki_base_control(command, (int16_t)(i % 2 ? 200 : 100), 0);
        assert_true(serial_port_write(port, command, size));
        if (!ptybot_step_after(client, 20, "kobuki", size))
            fail_msg("%s", ptybot_error(client));
        record->answers[i] = (size_t)ptybot_sent(client, "kobuki");
        read_exactly(port, record, record->answers[i]);
    }
    assert_true(stage_get(stage, "world.time_s") == ROUNDS * 0.02);
    assert_true(stage_get(stage, "kobuki.uart.frames") == ROUNDS);
    ptybot_end(client);
    close(port);
    assert_int_equal(stage_teardown(&state), 0);
}

static void every_20_ms_bring_one_packet_and_every_run_the_same_bytes(void **state)
{
    (void)state;
    static struct record first, again;
    play(&first);
    assert_true(first.size > 0);
    for (size_t i = 1; i < ROUNDS; i++) {
        // One packet per cycle: its bytes take 10 bits each on the wire, so no packet is delayed
        // longer.
        if (first.answers[i] < 50 || first.answers[i] > 120)
            fail_msg("round %zu brought %zu bytes", i, first.answers[i]);
    }
    for (int run = 1; run < RUNS; run++) {
        // Also by messages instead of the page.
        assert_int_equal(
            run % 2 ? setenv("PTYBOT_STEP_PAGE", "off", 1) : unsetenv("PTYBOT_STEP_PAGE"), 0);
        play(&again);
        assert_memory_equal(again.answers, first.answers, sizeof first.answers);
        assert_int_equal(again.size, first.size);
        assert_memory_equal(again.bytes, first.bytes, first.size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_20_ms_bring_one_packet_and_every_run_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
