/* Clients of the control socket that watch signals and wait for conditions. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/control_rig.h"

#define CALL(method, params)                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":{" params "}}"
#define WATCH(name, ms)       CALL("watch", "\"signals\":[\"" name "\"],\"every_ms\":" #ms)
#define WAIT(until, s)        CALL("wait", "\"until\":\"" until "\",\"timeout_s\":" #s)
#define STEP_UNTIL(ms, until) CALL("step", "\"ms\":" #ms ",\"until\":\"" until "\"")

/* ---- Watching ---- */

/* The time of the notification that must come next, and in VALUE the value of a signal in it. */
static double told(struct fixture *f, int fd, const char *name, double *value)
{
    json_t *message = hear(f, fd);
    assert_non_null(message);
    assert_null(json_object_get(message, "id"));
    assert_string_equal(json_string_value(json_object_get(message, "method")), "watch");
    json_t *params = json_object_get(message, "params");
    *value = json_number_value(json_object_get(json_object_get(params, "values"), name));
    double time_s = json_number_value(json_object_get(params, "time_s"));
    json_decref(message);
    return time_s;
}

static void a_watch_reports_values_at_its_rate_of_simulated_time(void **state)
{
    struct fixture *f = *state;
    double value;
    int watcher = dial(f), stepper = dial(f);
    json_t *reply = ask(f, watcher, WATCH("world.time_s", 20));
    json_t *list = json_object_get(json_object_get(reply, "result"), "signals");
    assert_int_equal(json_array_size(list), 1);
    assert_true(time_of(reply) == 0);
    json_decref(ask(f, stepper, STEP(70)));
    for (int i = 1; i <= 3; i++) {
        assert_true(told(f, watcher, "world.time_s", &value) == i * 20 / 1000.0);
        assert_true(value == i * 20 / 1000.0);
    }
    // No further notification before the end of the next period.
    json_decref(ask(f, stepper, STEP(9)));
    char byte;
    assert_true(recv(watcher, &byte, 1, MSG_DONTWAIT) < 0);
    json_decref(ask(f, stepper, STEP(1)));
    assert_true(told(f, watcher, "world.time_s", &value) == 0.08);
    close(watcher);
    close(stepper);
}

static void a_client_that_watches_is_answered_too(void **state)
{
    struct fixture *f = *state;
    double value;
    int fd = dial(f);
    json_decref(ask(f, fd, WATCH("kobuki.x_m", 10)));
    say(f, fd, STEP(20));
    assert_true(told(f, fd, "kobuki.x_m", &value) == 0.01);
    assert_true(value > 2.9 && value < 3.1);
    assert_true(told(f, fd, "kobuki.x_m", &value) == 0.02);
    assert_true(time_of(hear(f, fd)) == 0.02);
    close(fd);
}

static void another_watch_takes_the_place_of_the_first_and_an_empty_one_ends_it(void **state)
{
    struct fixture *f = *state;
    double value;
    int fd = dial(f);
    json_decref(ask(f, fd, WATCH("kobuki.x_m", 10)));
    json_decref(ask(f, fd, WATCH("world.robots", 20)));
    say(f, fd, STEP(20));
    assert_true(told(f, fd, "world.robots", &value) == 0.02);
    assert_true(value == 1);
    assert_true(time_of(hear(f, fd)) == 0.02);
    json_decref(ask(f, fd, CALL("watch", "\"signals\":[]")));
    assert_true(time_of(ask(f, fd, STEP(100))) == 0.12);
    close(fd);
}

static void a_watch_ends_with_its_client(void **state)
{
    struct fixture *f = *state;
    int gone = dial(f), fd = dial(f);
    json_decref(ask(f, gone, WATCH("*", 1)));
    close(gone);
    assert_true(time_of(ask(f, fd, STEP(2000))) == 2);
    close(fd);
}

static void a_watcher_that_has_only_shut_its_writing_end_still_gets_values(void **state)
{
    struct fixture *f = *state;
    double value;
    int watcher = dial(f), stepper = dial(f);
    json_decref(ask(f, watcher, WATCH("world.robots", 5)));
    shutdown(watcher, SHUT_WR);
    for (int i = 1; i < 20; i++) {
        json_decref(ask(f, stepper, STEP(5)));
        assert_true(told(f, watcher, "world.robots", &value) == 5 * i / 1000.0);
    }
    close(watcher);
    close(stepper);
}

static void a_watcher_that_never_reads_loses_what_does_not_fit_and_learns_how_much(void **state)
{
    struct fixture *f = *state;
    int watcher = dial(f), stepper = dial(f);
    json_decref(ask(f, watcher, WATCH("*", 1)));
    // Many times more than the kernel and our buffer can hold.
    for (int i = 0; i < 20; i++)
        json_decref(ask(f, stepper, STEP(250)));
    json_int_t heard = 0, dropped = 0;
    double time_s = 0;
    while (dropped == 0) {
        json_t *message = hear(f, watcher);
        json_t *params = json_object_get(message, "params");
        dropped = json_integer_value(json_object_get(params, "dropped"));
        time_s = json_number_value(json_object_get(params, "time_s"));
        heard++;
        json_decref(message);
        json_decref(ask(f, stepper, STEP(1)));
    }
    // Every message that was not received was counted.
    assert_int_equal(heard + dropped, (json_int_t)(time_s * 1000 + 0.5));
    close(watcher);
    close(stepper);
}

enum { EAGER = 16 }; /* clients that watch all signals at each step, and read the messages */

/* Executes a step with its watchers and reads all messages to them. Returns the largest number of
 * dropped messages that a message reports to a client. */
static unsigned long step_with(struct fixture *f, const int fds[EAGER])
{
    static char text[1 << 20];
    unsigned long most = 0;
    sim_step(f->sim);
    control_after_step(f->control);
    for (int i = 0; i < EAGER; i++) {
        ssize_t size = recv(fds[i], text, sizeof text - 1, MSG_DONTWAIT);
        text[size > 0 ? size : 0] = '\0';
        const char *dropped = strstr(text, "\"dropped\":");
        unsigned long count = dropped ? strtoul(dropped + strlen("\"dropped\":"), NULL, 10) : 0;
        most = count > most ? count : most;
    }
    return most;
}

static void watchers_of_real_time_get_a_part_of_it_and_those_of_steps_everything(void **state)
{
    struct fixture *f = *state;
    int fds[EAGER];
    for (int i = 0; i < EAGER; i++) {
        fds[i] = dial(f);
        json_decref(ask(f, fds[i], WATCH("*", 1)));
    }
    turn(f);
    for (int i = 0; i < 300; i++)
        assert_int_equal(step_with(f, fds), 0);
    // The loop does nothing but watching, which exceeds the share of time for it.
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    f->live.pace.is_paused = false;
    while (step_with(f, fds) == 0)
        assert_true(poller_now_ns() < end_ns);
    for (int i = 0; i < EAGER; i++)
        close(fds[i]);
}

static void wrong_watches_are_refused(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *line;
        int code;
    } cases[] = {
        {CALL("watch", ""), -32602},
        {CALL("watch", "\"signals\":\"kobuki.x_m\""), -32602},
        {CALL("watch", "\"signals\":[1]"), -32602},
        {CALL("watch", "\"signals\":[\"no.such\"]"), -32001},
        {WATCH("kobuki.x_m", 0), -32602},
        {WATCH("kobuki.x_m", 1.5), -32602},
        {WATCH("kobuki.x_m", -5), -32602},
        {WATCH("kobuki.x_m", 86400001), -32602},
        {CALL("watch", "\"signals\":[\"kobuki.x_m\"],\"rate\":3"), -32602},
    };
    int fd = dial(f);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int code = code_of(ask(f, fd, cases[i].line));
        if (code != cases[i].code)
            fail_msg("%s: %d", cases[i].line, code);
    }
    assert_true(time_of(ask(f, fd, STEP(50))) == 0.05);
    close(fd);
}

/* ---- Waiting ---- */

/* The time of a reply that reports a condition, and in HOLDS whether the condition was true. */
static double waited(json_t *reply, bool *holds, const char *found)
{
    json_t *result = json_object_get(reply, "result");
    assert_non_null(result);
    assert_true(json_is_boolean(json_object_get(result, "holds")));
    *holds = json_is_true(json_object_get(result, "holds"));
    assert_string_equal(json_string_value(json_object_get(result, "found")), found);
    return time_of(reply);
}

static void a_wait_ends_at_the_step_at_which_its_condition_comes_true(void **state)
{
    struct fixture *f = *state;
    bool holds;
    int waiter = dial(f), stepper = dial(f);
    say(f, waiter, WAIT("world.time_s >= 0.123", 10));
    json_decref(ask(f, stepper, STEP(500)));
    assert_true(waited(hear(f, waiter), &holds, "world.time_s = 0.123 s") == 0.123);
    assert_true(holds);
    // A condition that is already true is answered at once, although the run is paused.
    assert_true(waited(ask(f, waiter, WAIT("kobuki.collisions == 0", 10)), &holds,
                       "kobuki.collisions = 0") == 0.5);
    assert_true(holds);
    close(waiter);
    close(stepper);
}

static void a_wait_runs_out_by_simulated_time(void **state)
{
    struct fixture *f = *state;
    bool holds;
    int waiter = dial(f), stepper = dial(f);
    say(f, waiter, WAIT("kobuki.collisions > 0", 0.25));
    json_decref(ask(f, stepper, STEP(249)));
    char byte;
    assert_true(recv(waiter, &byte, 1, MSG_DONTWAIT) < 0);
    json_decref(ask(f, stepper, STEP(1)));
    assert_true(waited(hear(f, waiter), &holds, "kobuki.collisions = 0") == 0.25);
    assert_false(holds);
    assert_true(waited(ask(f, waiter, WAIT("kobuki.collisions > 0", 0)), &holds,
                       "kobuki.collisions = 0") == 0.25);
    assert_false(holds);
    close(waiter);
    close(stepper);
}

static void a_step_with_a_condition_ends_when_it_comes_true_and_time_stands_again(void **state)
{
    struct fixture *f = *state;
    bool holds;
    int fd = dial(f);
    json_t *reply = ask(f, fd, STEP_UNTIL(5000, "world.time_s > 0.3"));
    json_t *written = json_object_get(json_object_get(reply, "result"), "written");
    assert_true(json_is_integer(json_object_get(written, "kobuki.uart")));
    assert_true(waited(reply, &holds, "world.time_s = 0.301 s") == 0.301);
    assert_true(holds);
    assert_int_equal(sim_now_us(f->sim), 301000);
    // True from the start: no step is executed.
    assert_true(waited(ask(f, fd, STEP_UNTIL(100, "world.robots == 1")), &holds,
                       "world.robots = 1") == 0.301);
    assert_true(holds);
    // Never true: all steps are executed.
    assert_true(
        waited(ask(f, fd, STEP_UNTIL(99, "world.robots == 2")), &holds, "world.robots = 1") == 0.4);
    assert_false(holds);
    close(fd);
}

static void a_client_that_leaves_takes_its_wait_with_it(void **state)
{
    struct fixture *f = *state;
    int gone = dial(f), fd = dial(f);
    say(f, gone, WAIT("world.time_s > 0.05", 10));
    turn(f);
    close(gone);
    assert_true(time_of(ask(f, fd, STEP(100))) == 0.1);
    close(fd);
}

static void who_waits_when_the_run_ends_gets_the_reason(void **state)
{
    struct fixture *f = *state;
    struct error error = {0};
    int code;
    int fd = dial(f);
    say(f, fd, WAIT("world.time_s > 5", 10));
    for (int i = 0; i < 5; i++)
        turn(f);
    control_close(f->control);
    assert_int_equal(code_of(hear(f, fd)), -32005);
    close(fd);
    const struct methods_scope scope = {.sim = f->sim, .pace = &f->live.pace, .links = f->links};
    f->control = control_open(f->socket_path, &scope, &f->poller, &code, &error);
    assert_non_null(f->control);
}

static void wrong_waits_are_refused(void **state)
{
    struct fixture *f = *state;
    static const char *const lines[] = {
        CALL("wait", "\"until\":\"world.time_s > 1\""),
        CALL("wait", "\"timeout_s\":1"),
        CALL("wait", "\"until\":7,\"timeout_s\":1"),
        WAIT("world.time_s > 1", -1),
        WAIT("world.time_s > 1", 1e7),
        CALL("wait", "\"until\":\"world.time_s > 1\",\"timeout_s\":\"soon\""),
        WAIT("world.time > 1", 1),
        WAIT("", 1),
        STEP_UNTIL(10, "world.time_s"),
        CALL("step", "\"ms\":10,\"until\":null"),
    };
    int fd = dial(f);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        int code = code_of(ask(f, fd, lines[i]));
        if (code != -32602)
            fail_msg("%s: %d", lines[i], code);
    }
    assert_int_equal(sim_now_us(f->sim), 0);
    close(fd);
}

static void in_lockstep_a_condition_on_the_kernel_is_refused(void **state)
{
    struct fixture *f = *state;
    int fd = dial(f);
    bool holds;
    assert_true(waited(ask(f, fd, WAIT("kobuki.uart.hosts == 0", 1)), &holds,
                       "kobuki.uart.hosts = 0") == 0);
    f->live.pace.is_lockstep = true;
    assert_int_equal(code_of(ask(f, fd, WAIT("kobuki.uart.hosts == 0", 1))), -32602);
    assert_int_equal(code_of(ask(f, fd, STEP_UNTIL(10, "kobuki.uart.hosts == 0"))), -32602);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_watch_reports_values_at_its_rate_of_simulated_time),
        TEST(a_client_that_watches_is_answered_too),
        TEST(another_watch_takes_the_place_of_the_first_and_an_empty_one_ends_it),
        TEST(a_watch_ends_with_its_client),
        TEST(a_watcher_that_has_only_shut_its_writing_end_still_gets_values),
        TEST(a_watcher_that_never_reads_loses_what_does_not_fit_and_learns_how_much),
        TEST(watchers_of_real_time_get_a_part_of_it_and_those_of_steps_everything),
        TEST(wrong_watches_are_refused),
        TEST(a_wait_ends_at_the_step_at_which_its_condition_comes_true),
        TEST(a_wait_runs_out_by_simulated_time),
        TEST(a_step_with_a_condition_ends_when_it_comes_true_and_time_stands_again),
        TEST(a_client_that_leaves_takes_its_wait_with_it),
        TEST(who_waits_when_the_run_ends_gets_the_reason),
        TEST(wrong_waits_are_refused),
        TEST(in_lockstep_a_condition_on_the_kernel_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
