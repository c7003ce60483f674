/* The control socket: requests, steps and the path of the socket. */
#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/control_rig.h"

/* ---- Requests ---- */

static void the_socket_is_for_its_owner_only(void **state)
{
    struct fixture *f = *state;
    struct stat found;
    assert_int_equal(stat(f->socket_path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
}

static void wrong_requests_get_the_codes_of_the_specification(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *line;
        int code;
    } cases[] = {
        {"{", -32700},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"get\"}", -32700},
        {"\"\xff\"", -32700},
        {"1", -32600},
        {"[]", -32600},
        {"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get\"}]", -32600},
        {"{}", -32600},
        {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"get\"}", -32600},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", -32600},
        {"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"get\"}", -32600},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get\",\"params\":3}", -32600},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"gte\"}", -32601},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get\"}", -32602},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get\",\"params\":[1]}", -32602},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get\",\"params\":{\"signals\":[1]}}", -32602},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pause\",\"params\":{\"x\":1}}", -32602},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"speed\",\"params\":{\"factor\":\"2\"}}",
         -32602},
        {STEP(1.5), -32602},
        {STEP(-1), -32602},
        {GET("kobuki.no_such"), -32001},
        {GET("nothing.*"), -32001},
        {DO("kobuki.no_such"), -32000},
        {DO("nobody.press"), -32000},
    };
    int fd = dial(f);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int code = code_of(ask(f, fd, cases[i].line));
        if (code != cases[i].code)
            fail_msg("%s: %d", cases[i].line, code);
    }
    close(fd);
}

static void the_reply_carries_the_id_as_it_came(void **state)
{
    struct fixture *f = *state;
    static const char *const ids[] = {"\"a\\u00e9\"", "-7", "1.5", "null", "9007199254740993"};
    int fd = dial(f);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        char line[256];
        snprintf(line, sizeof line,
                 "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"get\",\"params\":{\"signals\":"
                 "[\"world.time_s\"]}}",
                 ids[i]);
        json_t *reply = ask(f, fd, line);
        json_t *wanted = json_loads(ids[i], JSON_DECODE_ANY, NULL);
        assert_true(json_equal(json_object_get(reply, "id"), wanted));
        json_decref(wanted);
        json_decref(reply);
    }
    close(fd);
}

static void a_speed_that_nobody_would_obey_is_refused(void **state)
{
    static const char speed[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"speed\",\"params\":{\"factor\":3}}";
    struct fixture *f = *state;
    int fd = dial(f);
    struct pace *pace = &f->live.pace;
    const bool was_lockstep = pace->is_lockstep;
    for (int turn = 0; turn < 2; turn++) {
        pace->is_fast = turn == 0;
        pace->is_lockstep = turn == 1;
        assert_int_equal(code_of(ask(f, fd, speed)), -32000);
        assert_int_equal(code_of(ask(f, fd, DO(" world.speed x=2"))), -32000);
        assert_true(signal_of(f, fd, GET("world.speed")) == 1);
    }
    pace->is_lockstep = false;
    (void)time_of(ask(f, fd, speed));
    assert_true(signal_of(f, fd, GET("world.speed")) == 3);
    pace->is_lockstep = was_lockstep;
    close(fd);
}

static void a_notification_is_done_and_not_answered(void **state)
{
    struct fixture *f = *state;
    int fd = dial(f);
    say(f, fd, "{\"jsonrpc\":\"2.0\",\"method\":\"speed\",\"params\":{\"factor\":3}}");
    say(f, fd, "{\"jsonrpc\":\"2.0\",\"method\":\"no_such\"}");
    // The first reply belongs to the first request.
    assert_true(signal_of(f, fd, GET("world.speed")) == 3);
    close(fd);
}

static void globs_get_all_that_match_with_units(void **state)
{
    struct fixture *f = *state;
    int fd = dial(f);
    json_t *reply = ask(f, fd, GET("world.size_?_m"));
    json_t *list = json_object_get(json_object_get(reply, "result"), "signals");
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "unit")), "m");
    json_decref(reply);
    close(fd);
}

static void everything_can_be_listed_as_valid_json(void **state)
{
    struct fixture *f = *state;
    static const char *const words[] = {"robots", "signals", "commands", "options", "links"};
    int fd = dial(f);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char line[128];
        snprintf(line, sizeof line,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list\",\"params\":{\"what\":\"%s\"}}",
                 words[i]);
        json_t *reply = ask(f, fd, line);
        json_t *list = json_object_get(reply, "result");
        assert_true(json_array_size(list) > 0);
        size_t at;
        json_t *one;
        json_array_foreach(list, at, one) assert_true(json_is_string(json_object_get(one, "name")));
        json_decref(reply);
    }
    json_t *all = ask(f, fd, GET("*"));
    assert_true(json_is_object(json_object_get(all, "result")));
    json_decref(all);
    close(fd);
}

/* ---- Steps ---- */

static void a_step_is_answered_when_it_is_done(void **state)
{
    struct fixture *f = *state;
    int fd = dial(f);
    assert_true(time_of(ask(f, fd, STEP(250))) == 0.25);
    assert_int_equal(sim_now_us(f->sim), 250000);
    assert_true(time_of(ask(f, fd, STEP(0))) == 0.25);
    close(fd);
}

static void requests_of_one_client_are_answered_in_order(void **state)
{
    struct fixture *f = *state;
    int fd = dial(f);
    say(f, fd, STEP(10) "\n" GET("world.time_s") "\n" STEP(0) "\n" STEP(5));
    assert_true(time_of(hear(f, fd)) == 0.010);
    assert_true(time_of(hear(f, fd)) == 0.010);
    assert_true(time_of(hear(f, fd)) == 0.010);
    assert_true(time_of(hear(f, fd)) == 0.015);
    close(fd);
}

static void steps_of_two_clients_follow_one_another(void **state)
{
    struct fixture *f = *state;
    int first = dial(f), second = dial(f);
    say(f, first, STEP(10));
    say(f, second, STEP(10));
    double a = time_of(hear(f, first)), b = time_of(hear(f, second));
    assert_true((a == 0.010 && b == 0.020) || (a == 0.020 && b == 0.010));
    close(first);
    close(second);
}

static void a_step_while_time_runs_is_refused(void **state)
{
    struct fixture *f = *state;
    int fd = dial(f);
    json_decref(ask(f, fd, DO("world.pause paused=false")));
    assert_int_equal(code_of(ask(f, fd, STEP(1))), -32002);
    close(fd);
}

static void a_fence_waits_for_the_bytes_of_the_host(void **state)
{
    struct fixture *f = *state;
    int fd = dial(f);
    int host = open(f->pty_path, O_RDWR | O_NOCTTY | O_NONBLOCK);
    assert_true(host >= 0);
    say(f, fd, FENCE(6));
    assert_int_equal(write(host, "abcd", 4), 4);
    for (int i = 0; i < 50; i++)
        turn(f);
    assert_int_equal(sim_now_us(f->sim), 0);
    assert_int_equal(write(host, "ef", 2), 2);
    json_t *reply = hear(f, fd);
    json_t *received = json_object_get(json_object_get(reply, "result"), "received");
    assert_int_equal(json_integer_value(json_object_get(received, "kobuki.uart")), 6);
    assert_true(time_of(reply) == 0.010);
    close(host);
    close(fd);
}

/* Opening, setting a baud rate and closing are not data. A baud rate causes no event, and the test
 * waits for none. */
static void what_a_host_did_before_a_step_is_part_of_it(void **state)
{
    struct fixture *f = *state;
    struct termios mode;
    int fd = dial(f);
    for (int round = 0; round < 20; round++) {
        int host = open(f->pty_path, O_RDWR | O_NOCTTY | O_NONBLOCK);
        assert_true(host >= 0);
        json_decref(ask(f, fd, STEP(1)));
        assert_true(signal_of(f, fd, GET("kobuki.uart.host")) == 1);
        assert_int_equal(tcgetattr(host, &mode), 0);
        cfsetspeed(&mode, B57600);
        assert_int_equal(tcsetattr(host, TCSANOW, &mode), 0);
        json_decref(ask(f, fd, STEP(1)));
        assert_true(signal_of(f, fd, GET("kobuki.uart.host_baud")) == 57600);
        close(host);
        json_decref(ask(f, fd, STEP(1)));
        assert_true(signal_of(f, fd, GET("kobuki.uart.host")) == 0);
    }
    close(fd);
}

static void the_reply_to_a_step_says_how_much_a_host_can_read(void **state)
{
    struct fixture *f = *state;
    int fd = dial(f);
    int host = open(f->pty_path, O_RDWR | O_NOCTTY | O_NONBLOCK);
    assert_true(host >= 0);
    struct links_view view = {0};
    while (view.hosts == 0) {
        turn(f);
        links_view(f->links, 0, &view);
    }
    json_t *reply = ask(f, fd, STEP(500));
    json_t *written = json_object_get(json_object_get(reply, "result"), "written");
    json_int_t total = json_integer_value(json_object_get(written, "kobuki.uart"));
    json_decref(reply);
    assert_true(total > 0);
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    json_int_t read_bytes = 0;
    while (read_bytes < total && poller_now_ns() < end_ns) {
        char bytes[512];
        ssize_t some = read(host, bytes, sizeof bytes);
        read_bytes += some > 0 ? some : 0;
        turn(f);
    }
    assert_int_equal(read_bytes, total);
    close(host);
    close(fd);
}

static void a_fence_that_cannot_be_met_is_an_error(void **state)
{
    struct fixture *f = *state;
    static const char zeros[8192];
    int fd = dial(f);
    int host = open(f->pty_path, O_RDWR | O_NOCTTY | O_NONBLOCK);
    assert_true(host >= 0);
    assert_int_equal(code_of(ask(f, fd,
                                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"step\","
                                 "\"params\":{\"ms\":1,\"received\":{\"no.uart\":1}}}")),
                     -32001);
    assert_true(write(host, zeros, sizeof zeros) > 0);
    assert_int_equal(code_of(ask(f, fd, FENCE(8192))), -32003);
    close(host);
    close(fd);
}

static void a_client_that_leaves_takes_its_waiting_step_with_it(void **state)
{
    struct fixture *f = *state;
    int gone = dial(f), fd = dial(f);
    say(f, gone, FENCE(1000));
    for (int i = 0; i < 10; i++)
        turn(f);
    close(gone);
    assert_true(time_of(ask(f, fd, STEP(3))) == 0.003);
    close(fd);
}

/* ---- The path of the socket ---- */

static void a_place_in_use_and_a_foreign_file_are_not_taken(void **state)
{
    struct fixture *f = *state;
    const struct methods_scope scope = {.sim = f->sim, .pace = &f->live.pace, .links = f->links};
    struct error error = {0};
    char path[128];
    int code;
    assert_null(control_open(f->socket_path, &scope, &f->poller, &code, &error));
    assert_int_equal(code, 3);
    assert_non_null(strstr(error.text, f->socket_path));

    snprintf(path, sizeof path, "%s/file", f->folder);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_null(control_open(path, &scope, &f->poller, &code, &error));
    assert_int_equal(code, 3);
    assert_int_equal(access(path, F_OK), 0);
    close(fd);
    unlink(path);
}

static void a_socket_that_a_dead_run_left_is_replaced(void **state)
{
    struct fixture *f = *state;
    const struct methods_scope scope = {.sim = f->sim, .pace = &f->live.pace, .links = f->links};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct error error = {0};
    int code;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/dead", f->folder);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
    struct control *control = control_open(address.sun_path, &scope, &f->poller, &code, &error);
    assert_non_null(control);
    control_close(control);
    assert_int_equal(access(address.sun_path, F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_socket_is_for_its_owner_only),
        TEST(wrong_requests_get_the_codes_of_the_specification),
        TEST(the_reply_carries_the_id_as_it_came),
        TEST(a_speed_that_nobody_would_obey_is_refused),
        TEST(a_notification_is_done_and_not_answered),
        TEST(globs_get_all_that_match_with_units),
        TEST(everything_can_be_listed_as_valid_json),
        TEST(a_step_is_answered_when_it_is_done),
        TEST(requests_of_one_client_are_answered_in_order),
        TEST(steps_of_two_clients_follow_one_another),
        TEST(a_step_while_time_runs_is_refused),
        TEST(a_fence_waits_for_the_bytes_of_the_host),
        TEST(what_a_host_did_before_a_step_is_part_of_it),
        TEST(the_reply_to_a_step_says_how_much_a_host_can_read),
        TEST(a_fence_that_cannot_be_met_is_an_error),
        TEST(a_client_that_leaves_takes_its_waiting_step_with_it),
        TEST(a_place_in_use_and_a_foreign_file_are_not_taken),
        TEST(a_socket_that_a_dead_run_left_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
