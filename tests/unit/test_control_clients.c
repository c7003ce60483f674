/* Clients of the control socket that misbehave: they disconnect, never read or never end a line. */
#include <fnmatch.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/control_rig.h"

/* Replaces the function of the C library. A get with a glob calls it for the name of each signal,
 * so the count measures the work for the request. */
static unsigned long names_matched;
int fnmatch(const char *pattern, const char *name, int flags)
{
    (void)flags;
    names_matched++;
    return strcmp(pattern, "*") == 0 || strcmp(pattern, name) == 0 ? 0 : FNM_NOMATCH;
}

#define WAIT(condition)                                                                            \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"wait\",\"params\":{\"until\":\"" condition         \
    "\",\"timeout_s\":9}}"

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

/* Sends a line many times: more than one turn of the loop can execute. All lines fit into the
 * socket. */
enum { MANY = 400 };
static void say_often(int fd, const char *line)
{
    static char text[MANY * 128];
    size_t size = 0;
    for (int i = 0; i < MANY; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s\n", line);
    // In one call, because no turn may run in between.
    assert_int_equal(send(fd, text, size, MSG_DONTWAIT), size);
}

static void what_only_asks_is_not_looked_up_for_clients_that_have_left(void **state)
{
    enum { CLIENTS = 16 };
    struct fixture *f = *state;
    int other = dial(f);
    json_decref(ask(f, other, GET("world.time_s")));
    for (int i = 0; i < CLIENTS; i++) {
        int fd = dial(f);
        say_often(fd, GET("*"));
        close(fd);
    }
    names_matched = 0;
    for (int i = 0; i < 20; i++)
        turn(f);
    json_decref(ask(f, other, GET("world.time_s")));
    assert_int_equal(names_matched, 0);
    close(other);
}

static void a_client_that_leaves_while_it_is_answered_is_answered_no_more(void **state)
{
    struct fixture *f = *state;
    int fd = dial(f), other = dial(f);
    say_often(fd, GET("*"));
    say(f, fd, DO("world.speed x=5"));
    names_matched = 0;
    while (names_matched == 0)
        turn(f);
    unsigned long of_a_few = names_matched;
    close(fd);
    // Commands that change something are executed, even if they are last.
    for (int i = 0; i < MANY && signal_of(f, other, GET("world.speed")) != 5; i++)
        turn(f);
    assert_true(signal_of(f, other, GET("world.speed")) == 5);
    // At most the requests of one more turn were executed: those that the loop had started.
    assert_true(names_matched - of_a_few <= of_a_few);
    close(other);
}

static void what_comes_after_a_wait_goes_with_the_client(void **state)
{
    struct fixture *f = *state;
    int fd = dial(f), other = dial(f);
    say(f, fd, DO("world.speed x=5"));
    say(f, fd, WAIT("world.time_s > 1"));
    say(f, fd, DO("world.speed x=7"));
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
    // The connection may be closed while we still write.
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
    // The server accepts requests until too many replies are pending; then it reads not one more
    // byte.
    while (same < 200) {
        ssize_t some = send(fd, GET("*") "\n", strlen(GET("*")) + 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        same = some > 0 ? 0 : same + 1;
        taken += some > 0 ? (size_t)some : 0;
        turn(f);
        assert_true(taken < 64 * (1 << 20));
    }
    assert_true(time_of(ask(f, other, STEP(1))) == 0.001);
    // When the client reads, it gets every reply.
    json_t *reply = hear(f, fd);
    assert_non_null(json_object_get(reply, "result"));
    json_decref(reply);
    close(fd);
    close(other);
}

static void many_requests_at_once_leave_time_for_the_robots(void **state)
{
    enum { CLIENTS = 16, EACH = 32 };
    struct fixture *f = *state;
    static char text[1 << 20];
    int fds[CLIENTS];
    size_t replies = 0, some;
    for (int i = 0; i < CLIENTS; i++) {
        fds[i] = dial(f);
        json_decref(ask(f, fds[i], GET("world.time_s")));
    }
    for (int i = 0; i < CLIENTS; i++)
        for (int j = 0; j < EACH; j++)
            assert_true(send(fds[i], GET("*") "\n", strlen(GET("*")) + 1, 0) > 0);
    // One turn of the loop handles a part, and each client gets its share in the end.
    for (int turns = 0; replies < CLIENTS * EACH; turns++) {
        turn(f);
        for (int i = 0; i < CLIENTS; i++) {
            ssize_t size = recv(fds[i], text, sizeof text, MSG_DONTWAIT);
            for (some = 0; size > 0 && some < (size_t)size; some++)
                replies += text[some] == '\n';
        }
        assert_true(turns > 0 || replies < CLIENTS * EACH);
    }
    assert_int_equal(replies, CLIENTS * EACH);
    for (int i = 0; i < CLIENTS; i++)
        close(fds[i]);
}

static void a_client_too_many_gets_an_error_and_a_place_that_is_left_serves_again(void **state)
{
    struct fixture *f = *state;
    int fds[CONTROL_CLIENTS_MAX];
    for (int i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        fds[i] = dial(f);
        json_decref(ask(f, fds[i], GET("world.time_s")));
    }
    for (int i = 0; i < 5; i++) {
        int fd = dial(f);
        put(f, fd, GET("world.time_s") "\n", strlen(GET("world.time_s")) + 1);
        assert_int_equal(code_of(hear(f, fd)), -32004);
        assert_null(hear(f, fd));
        close(fd);
    }
    // Connected clients are not affected, and a place that becomes free can be used again.
    for (int i = 0; i < CONTROL_CLIENTS_MAX; i++)
        json_decref(ask(f, fds[i], GET("world.time_s")));
    close(fds[0]);
    for (int i = 0; i < 5; i++)
        turn(f);
    fds[0] = dial(f);
    assert_true(time_of(ask(f, fds[0], STEP(1))) == 0.001);
    for (int i = 0; i < CONTROL_CLIENTS_MAX; i++)
        close(fds[i]);
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
        // In every second round, a request with one wrong byte.
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_client_that_only_shuts_its_writing_end_gets_its_replies),
        TEST(what_was_asked_before_a_hang_up_counts),
        TEST(what_only_asks_is_not_looked_up_for_clients_that_have_left),
        TEST(a_client_that_leaves_while_it_is_answered_is_answered_no_more),
        TEST(what_comes_after_a_wait_goes_with_the_client),
        TEST(a_line_without_end_is_refused_and_others_are_served),
        TEST(a_client_that_never_reads_is_held_back_and_others_are_served),
        TEST(many_requests_at_once_leave_time_for_the_robots),
        TEST(a_client_too_many_gets_an_error_and_a_place_that_is_left_serves_again),
        TEST(garbage_harms_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
