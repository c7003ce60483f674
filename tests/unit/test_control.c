/* The control socket: real sockets as clients, a real simulation and a real pty behind it. The test
 * is the loop, so nothing here waits for a clock. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/app/control.h"
#include "sim/app/pacer.h"

#define PATIENCE_NS INT64_C(20000000000) /* on a busy machine; never reached on success */

struct fixture {
    char folder[64], socket_path[96], pty_path[96];
    struct scene *scene;
    struct sim *sim;
    struct poller poller;
    struct links *links;
    struct control *control;
    struct pacer pacer;
};

/* ---- The run and its clients ---- */

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct error error = {0};
    int code;
    strcpy(f->folder, "/tmp/ptybot-test-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->socket_path, sizeof f->socket_path, "%s/control.sock", f->folder);
    snprintf(f->pty_path, sizeof f->pty_path, "%s/kobuki", f->folder);
    f->scene = scene_of_type("kobuki", &error);
    assert_non_null(f->scene);
    strcpy(f->scene->robots[0].links[0].address, f->pty_path);
    f->sim = sim_create(f->scene, NULL, &error);
    assert_non_null(f->sim);
    assert_true(poller_open(&f->poller, &error));
    f->links = links_open(f->scene, f->sim, &f->poller, &code, &error);
    if (!f->links)
        fail_msg("%s", error.text);
    const struct methods_scope scope = {.sim = f->sim, .links = f->links};
    f->control = control_open(f->socket_path, &scope, &f->poller, &code, &error);
    assert_non_null(f->control);
    pacer_init(&f->pacer, PACER_REAL_TIME);
    sim_pace(f->sim)->is_paused = true;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    control_close(f->control);
    links_close(f->links);
    poller_close(&f->poller);
    sim_destroy(f->sim);
    scene_destroy(f->scene);
    // Nothing must be left in it.
    assert_int_equal(rmdir(f->folder), 0);
    free(f);
    return 0;
}

/* One turn of the loop: what is ready, requests, the steps that are wanted. */
static void turn(struct fixture *f)
{
    struct poller_ready ready[POLLER_READY_MAX];
    int64_t now_ns = poller_now_ns();
    size_t count = poller_wait(&f->poller, now_ns + 1000000, ready);
    for (size_t i = 0; i < count; i++) {
        if (ready[i].owner == POLLER_LISTENER)
            control_listener_ready(f->control);
        if (ready[i].owner == POLLER_CLIENT)
            control_client_ready(f->control, ready[i].index, ready[i].events);
        if (ready[i].owner == POLLER_LINK)
            links_ready(f->links, ready[i].index, now_ns);
    }
    control_advance(f->control);
    struct sim_pace *pace = sim_pace(f->sim);
    while (pace->is_paused && pace->steps_wanted > 0) {
        sim_step(f->sim);
        pacer_stepped(&f->pacer, pace);
        links_after_step(f->links, now_ns);
    }
    control_advance(f->control);
}

static int dial(struct fixture *f)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    strcpy(address.sun_path, f->socket_path);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* Sends bytes while the loop turns. False: the connection was closed. */
static bool put(struct fixture *f, int fd, const char *bytes, size_t size)
{
    for (size_t sent = 0; sent < size;) {
        ssize_t some = send(fd, bytes + sent, size - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (some < 0 && errno != EAGAIN)
            return false;
        sent += some > 0 ? (size_t)some : 0;
        if (some < 0)
            turn(f);
    }
    return true;
}

static void say(struct fixture *f, int fd, const char *line)
{
    assert_true(put(f, fd, line, strlen(line)));
    assert_true(put(f, fd, "\n", 1));
}

/* The next reply, or NULL when the connection was closed. */
static json_t *hear(struct fixture *f, int fd)
{
    size_t size = 0, cap = 1 << 16;
    char *line = malloc(cap);
    int64_t end_ns = poller_now_ns() + PATIENCE_NS;
    for (;;) {
        ssize_t some = recv(fd, line + size, 1, MSG_DONTWAIT);
        if (some == 0 || (some < 0 && errno != EAGAIN)) {
            free(line);
            return NULL;
        }
        if (some < 0) {
            assert_true(poller_now_ns() < end_ns);
            turn(f);
            continue;
        }
        if (line[size++] == '\n')
            break;
        if (size == cap)
            line = realloc(line, cap *= 2);
    }
    json_t *reply = json_loadb(line, size, 0, NULL);
    free(line);
    assert_non_null(reply);
    assert_string_equal(json_string_value(json_object_get(reply, "jsonrpc")), "2.0");
    return reply;
}

static json_t *ask(struct fixture *f, int fd, const char *line)
{
    say(f, fd, line);
    return hear(f, fd);
}

static int code_of(json_t *reply)
{
    json_t *error = json_object_get(reply, "error");
    assert_true(json_is_string(json_object_get(error, "message")));
    assert_null(json_object_get(reply, "result"));
    int code = (int)json_integer_value(json_object_get(error, "code"));
    json_decref(reply);
    return code;
}

static double time_of(json_t *reply)
{
    json_t *time_s = json_object_get(json_object_get(reply, "result"), "time_s");
    assert_true(json_is_number(time_s));
    double value = json_number_value(time_s);
    json_decref(reply);
    return value;
}

#define STEP(ms) "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"step\",\"params\":{\"ms\":" #ms "}}"
#define FENCE(n)                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"step\",\"params\":{\"ms\":10,\"received\":"        \
    "{\"kobuki.uart\":" #n "}}}"
#define GET(name)                                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get\",\"params\":{\"signals\":[\"" name "\"]}}"
#define DO(text)                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"do\",\"params\":{\"command\":\"" text "\"}}"

static double signal_of(struct fixture *f, int fd, const char *line)
{
    json_t *reply = ask(f, fd, line);
    json_t *list = json_object_get(json_object_get(reply, "result"), "signals");
    assert_int_equal(json_array_size(list), 1);
    double value = json_number_value(json_object_get(json_array_get(list, 0), "value"));
    json_decref(reply);
    return value;
}

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

static void a_notification_is_done_and_not_answered(void **state)
{
    struct fixture *f = *state;
    int fd = dial(f);
    say(f, fd, "{\"jsonrpc\":\"2.0\",\"method\":\"speed\",\"params\":{\"factor\":3}}");
    say(f, fd, "{\"jsonrpc\":\"2.0\",\"method\":\"no_such\"}");
    // The first reply is that of the first request.
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
    int64_t end_ns = poller_now_ns() + PATIENCE_NS;
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

/* ---- Clients that misbehave ---- */

static void a_client_that_only_shuts_its_writing_end_gets_its_replies(void **state)
{
    struct fixture *f = *state;
    int fd = dial(f);
    assert_true(put(f, fd, STEP(20), strlen(STEP(20)))); // without a newline
    shutdown(fd, SHUT_WR);
    assert_true(time_of(hear(f, fd)) == 0.020);
    assert_null(hear(f, fd));
    close(fd);
}

static void what_was_asked_before_a_hang_up_counts(void **state)
{
    struct fixture *f = *state;
    int fd = dial(f), other = dial(f);
    say(f, fd, DO("world.speed x=5"));
    close(fd);
    for (int i = 0; i < 10; i++)
        turn(f);
    assert_true(signal_of(f, other, GET("world.speed")) == 5);
    close(other);
}

static void a_line_without_end_is_refused_and_others_are_served(void **state)
{
    struct fixture *f = *state;
    int fd = dial(f), other = dial(f);
    char *line = malloc(CONTROL_LINE_MAX * 2);
    memset(line, 'x', CONTROL_LINE_MAX * 2);
    // It may be closed while we still write.
    put(f, fd, line, CONTROL_LINE_MAX + 100000);
    assert_int_equal(code_of(hear(f, fd)), -32600);
    assert_null(hear(f, fd));
    assert_true(time_of(ask(f, other, STEP(1))) == 0.001);
    free(line);
    close(fd);
    close(other);
}

static void a_client_that_never_reads_is_held_back_and_others_are_served(void **state)
{
    struct fixture *f = *state;
    int fd = dial(f), other = dial(f);
    size_t taken = 0, same = 0;
    // Requests are taken until the replies that wait are too many; then not a byte more.
    while (same < 200) {
        ssize_t some = send(fd, GET("*") "\n", strlen(GET("*")) + 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        same = some > 0 ? 0 : same + 1;
        taken += some > 0 ? (size_t)some : 0;
        turn(f);
        assert_true(taken < 64 * (1 << 20));
    }
    assert_true(time_of(ask(f, other, STEP(1))) == 0.001);
    // Once it reads, it gets every reply.
    json_t *reply = hear(f, fd);
    assert_non_null(json_object_get(reply, "result"));
    json_decref(reply);
    close(fd);
    close(other);
}

static void more_clients_than_places_wait_their_turn(void **state)
{
    struct fixture *f = *state;
    int fds[CONTROL_CLIENTS_MAX + 5];
    enum { COUNT = CONTROL_CLIENTS_MAX + 5 };
    for (int i = 0; i < COUNT; i++) {
        fds[i] = dial(f);
        say(f, fds[i], GET("world.time_s"));
        turn(f); // or the kernel's queue of connections fills up
    }
    for (int i = 0; i < CONTROL_CLIENTS_MAX; i++)
        json_decref(hear(f, fds[i]));
    for (int i = 0; i < CONTROL_CLIENTS_MAX; i++)
        close(fds[i]);
    for (int i = CONTROL_CLIENTS_MAX; i < COUNT; i++) {
        json_t *reply = hear(f, fds[i]);
        assert_non_null(reply);
        json_decref(reply);
        close(fds[i]);
    }
}

static void garbage_harms_nobody(void **state)
{
    struct fixture *f = *state;
    uint32_t random = 1;
    int other = dial(f);
    for (int round = 0; round < 200; round++) {
        char bytes[512];
        int fd = dial(f);
        static const char good[] = STEP(1) "\n";
        for (size_t i = 0; i < sizeof bytes; i++) {
            random = random * 1664525U + 1013904223U;
            bytes[i] = (char)(random >> 24);
        }
        // Every other round a request with one wrong byte.
        if (round % 2) {
            memcpy(bytes, good, sizeof good - 1);
            bytes[random % (sizeof good - 1)] = (char)random;
        }
        put(f, fd, bytes, round % 2 ? sizeof good - 1 : sizeof bytes);
        close(fd);
        turn(f);
    }
    assert_true(signal_of(f, other, GET("world.robots")) == 1);
    close(other);
}

/* ---- The place ---- */

static void a_place_in_use_and_a_foreign_file_are_not_taken(void **state)
{
    struct fixture *f = *state;
    const struct methods_scope scope = {.sim = f->sim, .links = f->links};
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
    const struct methods_scope scope = {.sim = f->sim, .links = f->links};
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_socket_is_for_its_owner_only),
        TEST(wrong_requests_get_the_codes_of_the_specification),
        TEST(the_reply_carries_the_id_as_it_came),
        TEST(a_notification_is_done_and_not_answered),
        TEST(globs_get_all_that_match_with_units),
        TEST(everything_can_be_listed_as_valid_json),
        TEST(a_step_is_answered_when_it_is_done),
        TEST(requests_of_one_client_are_answered_in_order),
        TEST(steps_of_two_clients_follow_one_another),
        TEST(a_step_while_time_runs_is_refused),
        TEST(a_fence_waits_for_the_bytes_of_the_host),
        TEST(the_reply_to_a_step_says_how_much_a_host_can_read),
        TEST(a_fence_that_cannot_be_met_is_an_error),
        TEST(a_client_that_leaves_takes_its_waiting_step_with_it),
        TEST(a_client_that_only_shuts_its_writing_end_gets_its_replies),
        TEST(what_was_asked_before_a_hang_up_counts),
        TEST(a_line_without_end_is_refused_and_others_are_served),
        TEST(a_client_that_never_reads_is_held_back_and_others_are_served),
        TEST(more_clients_than_places_wait_their_turn),
        TEST(garbage_harms_nobody),
        TEST(a_place_in_use_and_a_foreign_file_are_not_taken),
        TEST(a_socket_that_a_dead_run_left_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
