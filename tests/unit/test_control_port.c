/* The control socket on a TCP port: which clients are accepted, and which are disconnected. */
#include <arpa/inet.h>
#include <jansson.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/cli/terminal.h"
#include "app/control/control_listener.h"
#include "tests/unit/control_rig.h"

/* Connects to the port of the run that the rig has opened. */
static int dial_port(struct fixture *f)
{
    const char *colon = strrchr(control_port(f->control), ':');
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)atoi(colon + 1)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void open_port(struct fixture *f)
{
    struct error error = {0};
    int code;
    if (!control_open_port(f->control, "127.0.0.1:0", false, &code, &error))
        fail_msg("%s", error.text);
}

static void a_free_port_is_found_told_and_serves_beside_the_path(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(control_port(f->control), "");
    open_port(f);
    assert_memory_equal(control_port(f->control), "127.0.0.1:", 10);
    assert_true(atoi(control_port(f->control) + 10) > 0);
    int tcp = dial_port(f), path = dial(f);
    assert_true(time_of(ask(f, tcp, STEP(7))) == 0.007);
    assert_true(time_of(ask(f, path, STEP(3))) == 0.010);
    assert_true(signal_of(f, tcp, GET("world.robots")) == 1);
    close(tcp);
    close(path);
}

static void an_address_that_others_reach_must_be_asked_for(void **state)
{
    struct fixture *f = *state;
    struct error error = {0};
    int code = 0;
    assert_false(control_open_port(f->control, "0.0.0.0:0", false, &code, &error));
    assert_int_equal(code, EXIT_CODE_USAGE);
    assert_non_null(strstr(error.text, "--control-allow-remote"));
    assert_true(control_open_port(f->control, "0.0.0.0:0", true, &code, &error));
    int fd = dial_port(f);
    assert_true(time_of(ask(f, fd, STEP(1))) == 0.001);
    close(fd);
}

static void a_port_in_use_says_so(void **state)
{
    struct fixture *f = *state;
    struct error error = {0};
    struct control_listener other = {.fd = -1};
    int code;
    assert_true(control_listener_tcp(&other, "127.0.0.1:0", false, &code, &error));
    assert_false(control_open_port(f->control, other.place, false, &code, &error));
    assert_int_equal(code, EXIT_CODE_ENVIRONMENT);
    assert_non_null(strstr(error.text, "the port is in use by another program"));
    control_listener_close(&other);
}

static void an_address_is_distinguished_from_a_path(void **state)
{
    (void)state;
    static const char *const addresses[] = {"127.0.0.1:0", "localhost:7000", "[::1]:7000"};
    static const char *const paths[] = {"", "control.sock", "/tmp/a:7000", "./a:1", "a:", "a:b1"};
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++)
        assert_true(control_listener_is_address(addresses[i]));
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        assert_false(control_listener_is_address(paths[i]));
}

static void a_request_of_a_browser_is_cut_off_before_its_body(void **state)
{
    struct fixture *f = *state;
    static const char post[] =
        "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" DO("world.speed x=7") "\n";
    open_port(f);
    int browser = dial_port(f), other = dial(f);
    put(f, browser, post, sizeof post - 1);
    assert_int_equal(code_of(hear(f, browser)), -32700);
    assert_null(hear(f, browser));
    assert_true(signal_of(f, other, GET("world.speed")) == 1);
    close(browser);
    close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_free_port_is_found_told_and_serves_beside_the_path),
        TEST(an_address_that_others_reach_must_be_asked_for),
        TEST(a_port_in_use_says_so),
        TEST(an_address_is_distinguished_from_a_path),
        TEST(a_request_of_a_browser_is_cut_off_before_its_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
