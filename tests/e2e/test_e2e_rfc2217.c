/* A Kobuki on an RFC 2217 port: pyserial drives a square, a client of raw bytes does the same, and
 * ser2net with a pty behaves like ptybot's port. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/host_libraries.h"
#include "tests/support/test_stage.h"

/* Runs a Kobuki on a port and returns its number. */
static unsigned run(struct stage *stage)
{
    folder_write(&stage->folder, "rfc2217.yaml",
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 10, y: 10}, links: [{rfc2217: "
                 "auto}]}]\n");
    stage_start(stage, "rfc2217.yaml", (const char *const[]){"--speed", "4", NULL});
    WAIT_UNTIL(program_has_said(&stage->ptybot, "\ncontrol "));
    char *said = program_out(&stage->ptybot);
    const char *place = strstr(said, "127.0.0.1:");
    assert_non_null(place);
    unsigned port = (unsigned)strtoul(place + strlen("127.0.0.1:"), NULL, 10);
    free(said);
    assert_int_not_equal(port, 0);
    return port;
}

static void square(const struct stage *stage, const char *url)
{
    struct program host;
    const char *const words[] = {
        "/usr/bin/python3", PTYBOT_SOURCE_DIR "/tests/hosts/kobuki_square_pyserial.py", url, NULL};
    int code = program_run(&host, &stage->folder, "host", words);
    if (code != 0) {
        char *err = program_err(&host);
        fail_msg("%s: exit code %d: %s", url, code, err);
    }
    /* It has turned once; further if a busy machine sends its commands late. */
    assert_true(stage_get(stage, "kobuki.heading_deg") > 350);
    assert_true(stage_get(stage, "kobuki.uart.bad_frames") == 0);
}

/* The same in virtual time, so that the load of the machine has no effect. */
static void square_held(struct stage *stage, const char *scheme)
{
    char line[512];
    need_python_with_pyserial(stage);
    folder_write(&stage->folder, "square.yaml",
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 10, y: 10}, links: [{rfc2217: "
                 "auto}]}]\n"
                 "expect:\n"
                 "  - {that: kobuki.x_m > 10.4, within: 8}\n"
                 "  - {that: abs(kobuki.x_m - 10) < 0.1, at_end: true}\n"
                 "  - {that: abs(kobuki.y_m - 10) < 0.1, at_end: true}\n"
                 "  - {that: kobuki.uart.bad_frames == 0, always: true}\n");
    snprintf(line, sizeof line,
             "/usr/bin/python3 %s/tests/hosts/kobuki_square_pyserial.py %s://$PTYBOT_PORT_KOBUKI "
             "&& %s ctl get kobuki.uart.bad_requests | grep -q ' 0$'",
             PTYBOT_SOURCE_DIR, scheme, PTYBOT_BINARY);
    int code = TEST_RUN(stage, "square.yaml", "--warp", "max", "--", "sh", "-c", line);
    if (code != 0)
        fail_msg("%s: exit code %d", scheme, code);
}

static void pyserial_drives_a_square_over_rfc2217(void **state)
{
    square_held(*state, "rfc2217");
    test_stage_said(*state, "passed   serial settings of kobuki.uart");
}

static void a_client_of_bare_bytes_drives_a_square_over_the_same_port(void **state)
{
    square_held(*state, "socket");
}

static int connect_to(unsigned port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int host = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(host >= 0);
    if (connect(host, (struct sockaddr *)&to, sizeof to) == 0)
        return host;
    close(host);
    return -1;
}

static void lines_baud_and_nonsense_of_a_host_show_in_the_signals(void **state)
{
    struct stage *stage = *state;
    static const char says[] = "\xff\xfb\x2c"                             /* the serial option */
                               "\xff\xfa\x2c\x01\x00\x00\x25\x80\xff\xf0" /* 9600 baud */
                               "\xff\xfa\x2c\x05\x09\xff\xf0"             /* DTR off */
                               "\xff\xfa\x2c\x63\x01\xff\xf0"             /* no such command */
                               "\xff\x01";                                /* nor this */
    int host = connect_to(run(stage));
    assert_int_equal(send(host, says, sizeof says - 1, 0), sizeof says - 1);
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.bad_requests") == 2);
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.dtr") == 0);
    assert_true(stage_get(stage, "kobuki.uart.rts") == 1);
    assert_true(stage_get(stage, "kobuki.uart.host_baud") == 9600);
    WAIT_UNTIL(program_has_warned(&stage->ptybot, "the driver set 9600 baud"));
    close(host);
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.host") == 0);
    stage_end(stage);
}

/* Reads until the port sends WANTED; ignores its other answers, and the robot's bytes. */
static void wait_for(int host, const char *wanted, size_t size)
{
    uint8_t last[16] = {0}, byte;
    for (long left = 1000000; left > 0; left--) {
        assert_int_equal(recv(host, &byte, 1, 0), 1);
        memmove(last, last + 1, sizeof last - 1);
        last[sizeof last - 1] = byte;
        if (memcmp(last + sizeof last - size, wanted, size) == 0)
            return;
    }
    fail_msg("it was never said");
}

static void errors_that_faults_make_are_reported_to_a_host_that_asks(void **state)
{
    struct stage *stage = *state;
    static const char says[] = "\xff\xfb\x2c"
                               "\xff\xfa\x2c\x0a\x1e\xff\xf0";
    int host = connect_to(run(stage));
    assert_int_equal(send(host, says, sizeof says - 1, 0), sizeof says - 1);
    wait_for(host, "\xff\xfa\x2c\x6e\x1e\xff\xf0", 7);
    stage_do(stage, "kobuki.fault uart=insert rate=0.01 direction=to_host");
    wait_for(host, "\xff\xfa\x2c\x6a\x08\xff\xf0", 7); /* framing */
    stage_do(stage, "kobuki.fault uart=none");
    stage_do(stage, "kobuki.fault uart=flip rate=0.01 direction=to_host");
    wait_for(host, "\xff\xfa\x2c\x6a\x04\xff\xf0", 7); /* parity */
    stage_do(stage, "kobuki.fault uart=none");
    stage_do(stage, "kobuki.fault uart=baud baud=1000000 direction=to_host");
    wait_for(host, "\xff\xfa\x2c\x6a\x18\xff\xf0", 7); /* framing, break */
    stage_do(stage, "kobuki.modem what=uart cts=off");
    wait_for(host, "\xff\xfa\x2c\x6b\xa1\xff\xf0", 7); /* CTS has changed */
    close(host);
    stage_end(stage);
}

static void pyserial_gets_errors_as_well(void **state)
{
    struct stage *stage = *state;
    struct program host;
    char script[512];
    static const char waits[] = "import serial, sys, time\n"
                                "from serial.rfc2217 import SET_LINESTATE_MASK\n"
                                "port = serial.serial_for_url(sys.argv[1], timeout=1)\n"
                                "port.rfc2217_send_subnegotiation(SET_LINESTATE_MASK, b'\\x1e')\n"
                                "while not port._linestate & 4:\n"
                                "    port.read(100)\n";
    need_python_with_pyserial(stage);
    snprintf(script, sizeof script, "rfc2217://127.0.0.1:%u", run(stage));
    stage_do(stage, "kobuki.fault uart=flip rate=0.01 direction=to_host");
    const char *const words[] = {
        "/usr/bin/timeout", "60", "/usr/bin/python3", "-c", waits, script, NULL};
    assert_int_equal(program_run(&host, &stage->folder, "host", words), 0);
    stage_end(stage);
}

/* A port that no program uses now. */
static unsigned free_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(probe, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(probe, (struct sockaddr *)&at, &size), 0);
    close(probe);
    return ntohs(at.sin_port);
}

static void start_ser2net(const struct stage *stage, struct program *ser2net, unsigned port,
                          const char *accepter, const char *connector)
{
    int host = -1;
    char file[FOLDER_PATH_MAX];
    if (access("/usr/sbin/ser2net", X_OK) != 0) {
        print_message("SKIPPED: ser2net is not installed\n");
        skip();
    }
    folder_write(&stage->folder, "ser2net.yaml",
                 "connection: &robot\n  accepter: %s,127.0.0.1,%u\n  connector: %s\n", accepter,
                 port, connector);
    folder_path(&stage->folder, "ser2net.yaml", file);
    const char *const words[] = {"/usr/sbin/ser2net", "-n", "-u", "-c", file, NULL};
    program_start(ser2net, &stage->folder, "ser2net", words, 0);
    WAIT_UNTIL((host = connect_to(port)) >= 0);
    close(host);
}

static void a_client_of_ser2net_in_front_of_a_pty_drives_a_square(void **state)
{
    struct stage *stage = *state;
    struct program ser2net;
    char url[64], connector[FOLDER_PATH_MAX + 64];
    unsigned port = free_port();
    need_python_with_pyserial(stage);
    stage_write_kobuki(stage, "", "");
    /* ser2net and its pty add a hop each: at this speed, delays of a busy machine count less. */
    STAGE_RUN_KOBUKI(stage, "--speed", "2");
    snprintf(connector, sizeof connector, "serialdev,%s,115200n81,local", stage->port);
    start_ser2net(stage, &ser2net, port, "telnet(rfc2217),tcp", connector);
    /* A pty has no modem lines. */
    snprintf(url, sizeof url, "rfc2217://127.0.0.1:%u?ign_set_control", port);
    square(stage, url);
    program_end(&ser2net, SIGTERM);
    stage_end(stage);
}

static void ser2net_as_a_client_of_our_port_carries_bare_bytes(void **state)
{
    struct stage *stage = *state;
    struct program ser2net;
    char url[64], connector[96];
    unsigned port = free_port();
    need_python_with_pyserial(stage);
    snprintf(connector, sizeof connector, "telnet(rfc2217),tcp,127.0.0.1,%u", run(stage));
    start_ser2net(stage, &ser2net, port, "tcp", connector);
    snprintf(url, sizeof url, "socket://127.0.0.1:%u", port);
    square(stage, url);
    assert_true(stage_get(stage, "kobuki.uart.bad_requests") == 0);
    program_end(&ser2net, SIGTERM);
    stage_end(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(pyserial_drives_a_square_over_rfc2217),
        TEST_STAGED(a_client_of_bare_bytes_drives_a_square_over_the_same_port),
        STAGED(lines_baud_and_nonsense_of_a_host_show_in_the_signals),
        STAGED(errors_that_faults_make_are_reported_to_a_host_that_asks),
        STAGED(pyserial_gets_errors_as_well),
        STAGED(a_client_of_ser2net_in_front_of_a_pty_drives_a_square),
        STAGED(ser2net_as_a_client_of_our_port_carries_bare_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
