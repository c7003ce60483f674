/* A Kobuki on a real serial device: the device is a pty with the serial shim, and the test is the
 * driver at the other end of the cable. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/modem_lines.h"
#include "pty/terminal/pty_link.h"
#include "tests/hosts/kobuki_client.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/link_lines.h"
#include "tests/support/stage.h"

struct far_end {
    struct stage *stage;
    struct byte_link *cable;
    struct kobuki_client protocol;
};

static int setup(void **state)
{
    struct far_end *self = calloc(1, sizeof *self);
    struct error error = {0};
    void *stage;
    stage_setup(&stage);
    self->stage = stage;
    /* Below /dev, as libserialport requires. */
    snprintf(self->stage->port, sizeof self->stage->port, "/dev/shm/ptybot-cable-%ld",
             (long)getpid());
    const struct byte_link_config config = {.address = self->stage->port, .baud = 9600};
    self->cable = pty_link_open(&config, &error);
    if (!self->cable)
        fail_msg("%s", error.text);
    kobuki_client_init(&self->protocol);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    struct far_end *self = *state;
    void *stage = self->stage;
    int code = stage_teardown(&stage);
    byte_link_close(self->cable);
    free(self);
    return code;
}

/* Starts `ptybot run` with the Kobuki on the cable, under the shim; does not wait. */
static void start(struct far_end *self, const char *device)
{
    struct stage *stage = self->stage;
    folder_write(&stage->folder, "uart.yaml",
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 10, y: 10}, links: [{uart: "
                 "%s}]}]\n",
                 device);
    setenv("LD_PRELOAD", PTYBOT_SHIM, 1);
    stage_start(stage, "uart.yaml", (const char *const[]){NULL});
    unsetenv("LD_PRELOAD");
}

/* Communicates with the robot as a driver does until COUNT more packets have arrived. */
static void drive(struct far_end *self, unsigned count)
{
    uint8_t bytes[512], command[KOBUKI_COMMAND_MAX];
    size_t size = kobuki_base_control(command, 200, 0);
    uint64_t until = self->protocol.counters.packets + count;
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    while (self->protocol.counters.packets < until) {
        struct byte_link_event event;
        if (now_ms() > end_ms)
            fail_msg("the robot is silent after %llu packets",
                     (unsigned long long)self->protocol.counters.packets);
        byte_link_update(self->cable);
        do {
            size_t got;
            while ((got = byte_link_read(self->cable, bytes, sizeof bytes)) > 0)
                for (size_t i = 0; i < got; i++)
                    if (kobuki_client_push(&self->protocol, bytes[i]))
                        byte_link_write(self->cable, command, size);
        } while (byte_link_next_event(self->cable, &event));
        sleep_ms(2);
    }
}

static void a_kobuki_at_the_end_of_a_cable_drives(void **state)
{
    struct far_end *self = *state;
    start(self, self->stage->port);
    drive(self, 60);
    assert_int_equal(self->protocol.counters.bad_packets, 0);
    assert_int_not_equal(self->protocol.reading.left_ticks, 0);
    assert_int_equal(byte_link_host_settings(self->cable).baud, 115200);
    assert_true(stage_get(self->stage, "kobuki.x_m") > 10.02);
    assert_true(stage_get(self->stage, "kobuki.uart.bad_frames") == 0);
    stage_end(self->stage);
}

static void a_device_that_is_lost_and_returns_goes_on(void **state)
{
    struct far_end *self = *state;
    struct error error;
    start(self, self->stage->port);
    for (int i = 0; i < 3; i++) {
        drive(self, 10);
        byte_link_unplug(self->cable);
        WAIT_UNTIL(stage_get(self->stage, "kobuki.uart.host") == 0);
        assert_true(program_has_warned(&self->stage->ptybot, "has disappeared; waiting"));
        double from_s = stage_get(self->stage, "world.time_s");
        WAIT_UNTIL(stage_get(self->stage, "world.time_s") > from_s + 0.3);
        assert_true(byte_link_replug(self->cable, &error));
    }
    drive(self, 50);
    assert_true(program_has_warned(&self->stage->ptybot, "is connected again"));
    stage_end(self->stage);
}

static void a_cable_pulled_at_the_robot_is_silence_for_the_host(void **state)
{
    struct far_end *self = *state;
    start(self, self->stage->port);
    drive(self, 10);
    stage_do(self->stage, "kobuki.unplug what=uart");
    WAIT_UNTIL(stage_get(self->stage, "kobuki.uart.host") == 0);
    WAIT_UNTIL((byte_link_update(self->cable), !byte_link_host_present(self->cable)));
    stage_do(self->stage, "kobuki.plug what=uart");
    drive(self, 10);
    stage_end(self->stage);
}

static void lines_pass_over_the_cable_both_ways(void **state)
{
    struct far_end *self = *state;
    start(self, self->stage->port);
    drive(self, 5);
    byte_link_set_lines(self->cable, MODEM_DSR);
    WAIT_UNTIL(stage_get(self->stage, "kobuki.uart.rts") == 0);
    assert_true(stage_get(self->stage, "kobuki.uart.dtr") == 1);
    byte_link_set_lines(self->cable, MODEM_CTS);
    WAIT_UNTIL(stage_get(self->stage, "kobuki.uart.host") == 0);
    byte_link_set_lines(self->cable, MODEM_DSR | MODEM_CTS);
    WAIT_UNTIL(stage_get(self->stage, "kobuki.uart.host") == 1);
    stage_do(self->stage, "kobuki.modem what=uart cts=off");
    WAIT_UNTIL(
        (byte_link_update(self->cable), byte_link_host_lines(self->cable) == (unsigned)MODEM_DTR));
}

static void a_missing_device_ends_with_3_and_the_remedy(void **state)
{
    struct far_end *self = *state;
    start(self, "/dev/ttyNOSUCH7");
    assert_int_equal(program_wait(&self->stage->ptybot), 3);
    assert_true(program_has_warned(&self->stage->ptybot, "/dev/ttyNOSUCH7"));
    assert_true(program_has_warned(&self->stage->ptybot, "ptybot list ports"));
}

static void a_busy_device_ends_with_3_and_the_remedy(void **state)
{
    struct far_end *self = *state;
    start(self, self->stage->port);
    drive(self, 5);
    struct program second;
    setenv("LD_PRELOAD", PTYBOT_SHIM, 1);
    int code = program_run(
        &second, &self->stage->folder, "second",
        (const char *const[]){PTYBOT_BINARY, "run", "uart.yaml", "--control", "second.sock", NULL});
    unsetenv("LD_PRELOAD");
    assert_int_equal(code, 3);
    assert_true(program_has_warned(&second, "is in use by"));
    drive(self, 5);
    assert_false(program_has_warned(&self->stage->ptybot, "has disappeared"));
}

static void ports_are_listed(void **state)
{
    struct far_end *self = *state;
    struct program list;
    assert_int_equal(program_run(&list, &self->stage->folder, "list",
                                 (const char *const[]){PTYBOT_BINARY, "list", "ports", NULL}),
                     0);
    assert_true(program_has_said(&list, "port"));
}

#define ON_CABLE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_CABLE(a_kobuki_at_the_end_of_a_cable_drives),
        ON_CABLE(a_device_that_is_lost_and_returns_goes_on),
        ON_CABLE(a_cable_pulled_at_the_robot_is_silence_for_the_host),
        ON_CABLE(lines_pass_over_the_cable_both_ways),
        ON_CABLE(a_missing_device_ends_with_3_and_the_remedy),
        ON_CABLE(a_busy_device_ends_with_3_and_the_remedy),
        ON_CABLE(ports_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
