/* Drivers that connect to and disconnect from a Kobuki's pty, properly or not, and the state that
 * they leave. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/kobuki_host.h"
#include "tests/support/serial_port.h"
#include "tests/support/stage.h"

static const char listen_host[] = PTYBOT_HOSTS_DIR "/kobuki_listen";

static void the_next_host_hears_and_leaves_no_stale_bytes(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "5");
    struct kobuki_host first, second;
    kobuki_host_open(&first, stage->port);
    kobuki_host_hear(&first, 10);
    assert_true(serial_port_write(first.port, "what the first host wrote\n", 26));
    sleep_ms(200); /* packets that it will not read */
    uint16_t left_ms = first.timestamp_ms;
    kobuki_host_close(&first);
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.host") == 0);
    double closed_s = stage_get(stage, "world.time_s");
    WAIT_UNTIL(stage_get(stage, "world.time_s") > closed_s + 4);

    kobuki_host_open(&second, stage->port);
    kobuki_host_hear(&second, 1);
    uint16_t passed_ms = (uint16_t)(second.timestamp_ms - left_ms);
    assert_true(passed_ms >= 4000);
    kobuki_host_hear(&second, 50);
    kobuki_host_check(&second, 0);
    kobuki_host_close(&second);
}

static void drivers_may_come_and_go_quickly(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "5");
    for (unsigned i = 0; i < 20; i++) {
        /* Faster than the disconnection of the last driver is noticed. Its unread data may still be
         * there; drivers discard it when they open the port. */
        struct kobuki_client driver;
        struct kobuki_host host;
        assert_null(kobuki_client_open(&driver, stage->port));
        kobuki_host_use(&host, driver.descriptor);
        kobuki_host_hear(&host, 1 + i % 3);
        kobuki_host_check(&host, 0);
        assert_true(serial_port_write(host.port, "\xaa\x55garbage", 1 + i % 9));
        kobuki_host_close(&host);
    }
    stage_end(stage);
}

static void hosts_may_come_as_soon_as_the_last_one_is_known_to_be_gone(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "5");
    for (unsigned i = 0; i < 20; i++) {
        struct kobuki_host host;
        kobuki_host_open(&host, stage->port);
        kobuki_host_hear(&host, 1 + i % 3);
        kobuki_host_check(&host, 0);
        kobuki_host_close(&host);
        WAIT_UNTIL(stage_get(stage, "kobuki.uart.host") == 0);
    }
    stage_end(stage);
}

static void a_command_from_a_shell_that_closes_at_once_moves_the_robot(void **state)
{
    struct stage *stage = *state;
    struct program shell;
    char line[FOLDER_PATH_MAX + 64];
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "1");
    double from_m = stage_get(stage, "kobuki.x_m");
    /* Base control, straight at 200 mm/s. */
    snprintf(line, sizeof line, "printf '\\252\\125\\006\\001\\004\\310\\000\\000\\000\\313' > %s",
             stage->port);
    assert_int_equal(program_run(&shell, &stage->folder, "shell",
                                 (const char *const[]){"/bin/sh", "-c", line, NULL}),
                     0);
    WAIT_UNTIL(stage_get(stage, "kobuki.x_m") > from_m + 0.05);
}

/* Terminal defaults: echo, line mode, translated newlines. */
static void make_cooked(int port)
{
    struct termios mode;
    assert_int_equal(tcgetattr(port, &mode), 0);
    mode.c_iflag |= ICRNL | IXON;
    mode.c_oflag |= OPOST | ONLCR;
    mode.c_lflag |= ECHO | ICANON | ISIG;
    assert_int_equal(cfsetspeed(&mode, B38400), 0);
    assert_int_equal(tcsetattr(port, TCSANOW, &mode), 0);
}

static void the_mode_that_a_host_leaves_is_not_the_next_hosts_problem(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "4");
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    kobuki_host_hear(&host, 5);
    make_cooked(host.port);
    sleep_ms(100);
    kobuki_host_close(&host);
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.host") == 0);
    /* Data echoed to the robot in this mode is still on the wire. */
    double left_s = stage_get(stage, "world.time_s");
    WAIT_UNTIL(stage_get(stage, "world.time_s") > left_s + 1);

    double heard = stage_get(stage, "kobuki.uart.from_host_bytes");
    kobuki_host_open(&host, stage->port);
    struct termios mode;
    assert_int_equal(tcgetattr(host.port, &mode), 0);
    assert_false(mode.c_lflag & ICANON);
    assert_false(mode.c_oflag & ONLCR);
    assert_int_equal(cfgetospeed(&mode), B9600);
    kobuki_host_hear(&host, 50);
    kobuki_host_check(&host, 0);
    assert_true(stage_get(stage, "kobuki.uart.from_host_bytes") == heard);
    kobuki_host_close(&host);
}

/* A child process that writes the first half of a command and waits to be killed. */
static pid_t start_half_command(const char *path)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    int port = serial_port_open(path);
    if (port >= 0 && write(port, "\xaa\x55\x06\x01\x04", 5) == 5)
        pause();
    _exit(1);
}

static void a_host_killed_within_a_packet_does_not_hinder_the_next(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "4");
    pid_t child = start_half_command(stage->port);
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.from_host_bytes") == 5);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.host") == 0);

    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    kobuki_host_drive_on(&host);
    kobuki_host_check(&host, 0);
    kobuki_host_close(&host);
}

static void a_host_that_died_with_the_port_claimed_locks_nobody_out(void **state)
{
    struct stage *stage = *state;
    struct program first, second;
    const uid_t nobody = 65534;
    if (geteuid() == 0) {
        /* Root ignores such a claim, so this part runs as another user. */
        stage->user = nobody;
        assert_int_equal(chown(stage->folder.path, nobody, nobody), 0);
    }
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "5");
    const char *const claim[] = {listen_host, stage->port, "100000", "exclusive", NULL};
    program_start(&first, &stage->folder, "first", claim, stage->user);
    WAIT_UNTIL(program_has_said(&first, "listening"));
    assert_int_equal(program_end(&first, SIGKILL), 128 + SIGKILL);

    const char *const again[] = {listen_host, stage->port, "50", NULL};
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    do {
        program_start(&second, &stage->folder, "second", again, stage->user);
        assert_true(now_ms() < end_ms);
    } while (program_wait(&second) != 0);
}

static void a_host_can_lock_the_port_against_others(void **state)
{
    struct stage *stage = *state;
    struct program first, second;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "2");
    const char *const words[] = {listen_host, stage->port, "200", NULL};
    program_start(&first, &stage->folder, "first", words, 0);
    WAIT_UNTIL(program_has_said(&first, "listening"));
    assert_int_equal(program_run(&second, &stage->folder, "second", words), 1);
    assert_true(program_has_warned(&second, "locked"));
    assert_int_equal(program_wait(&first), 0);
    /* When the first has ended, its lock is gone too. */
    assert_int_equal(program_run(&second, &stage->folder, "second", words), 0);
}

static void a_python_host_with_pyserial_reads_the_packets(void **state)
{
    struct stage *stage = *state;
    struct program python;
    static const char script[] = PTYBOT_SOURCE_DIR "/tests/hosts/kobuki_pyserial.py";
    const char *const probe[] = {"/usr/bin/python3", "-c", "import serial", NULL};
    if (program_run(&python, &stage->folder, "probe", probe) != 0) {
        print_message("python3-serial is not installed\n");
        skip();
    }
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "2");
    const char *const words[] = {probe[0], script, stage->port, "50", NULL};
    assert_int_equal(program_run(&python, &stage->folder, "python", words), 0);
    assert_true(program_has_said(&python, "50 packets"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(the_next_host_hears_and_leaves_no_stale_bytes),
        STAGED(drivers_may_come_and_go_quickly),
        STAGED(hosts_may_come_as_soon_as_the_last_one_is_known_to_be_gone),
        STAGED(a_command_from_a_shell_that_closes_at_once_moves_the_robot),
        STAGED(the_mode_that_a_host_leaves_is_not_the_next_hosts_problem),
        STAGED(a_host_killed_within_a_packet_does_not_hinder_the_next),
        STAGED(a_host_that_died_with_the_port_claimed_locks_nobody_out),
        STAGED(a_host_can_lock_the_port_against_others),
        STAGED(a_python_host_with_pyserial_reads_the_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
