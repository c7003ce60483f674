/* The control socket and `ptybot ctl`, with well-behaved and misbehaving clients. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/control_socket.h"
#include "tests/support/kobuki_host.h"
#include "tests/support/serial_port.h"
#include "tests/support/stage.h"

enum { REPLY_MAX = 1 << 16 };

static int run_setup(void **state)
{
    stage_setup(state);
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "1");
    return 0;
}

static int lockstep_setup(void **state)
{
    stage_setup(state);
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--lockstep");
    return 0;
}

static bool ctl_said(const struct stage *stage, const char *text)
{
    char *said = folder_read(&stage->folder, "ctl.out");
    bool is_there = strstr(said, text) != NULL;
    free(said);
    return is_there;
}

static bool ctl_warned(const struct stage *stage, const char *text)
{
    char *said = folder_read(&stage->folder, "ctl.err");
    bool is_there = strstr(said, text) != NULL;
    free(said);
    return is_there;
}

/* Sends a line unchanged and reads the reply. */
static void send_line(struct control_socket *client, const char *line, char *reply)
{
    assert_true(control_socket_send(client, line, strlen(line)));
    assert_true(control_socket_send(client, "\n", 1));
    assert_true(control_socket_line(client, reply, REPLY_MAX));
}

/* A new client is served, so the run works. */
static void check_alive(const struct stage *stage)
{
    double from_s = stage_get(stage, "world.time_s");
    WAIT_UNTIL(stage_get(stage, "world.time_s") > from_s);
}

/* ---- ctl ---- */

static void ctl_gets_signals_and_says_what_they_are(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STAGE_CTL(stage, "get", "kobuki.x_m", "kobuki.heading_deg"), 0);
    assert_true(ctl_said(stage, "kobuki.x_m"));
    assert_true(ctl_said(stage, "10"));
    assert_true(ctl_said(stage, "kobuki.heading_deg"));
    assert_true(ctl_said(stage, "deg"));
}

static void ctl_suggests_the_signal_that_was_meant(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STAGE_CTL(stage, "get", "kobuki.x_n"), 2);
    assert_true(ctl_warned(stage, "did you mean 'kobuki.x_m'"));
}

static void ctl_places_the_robot(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STAGE_CTL(stage, "kobuki.place", "x=3", "y=4", "heading=90"), 0);
    assert_float_equal(stage_get(stage, "kobuki.x_m"), 3, 1e-3);
    assert_float_equal(stage_get(stage, "kobuki.y_m"), 4, 1e-3);
    assert_float_equal(stage_get(stage, "kobuki.heading_deg"), 90, 1e-3);
}

static void ctl_reports_why_a_command_is_refused(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STAGE_CTL(stage, "kobuki.place", "x=-3", "y=4"), 2);
    assert_true(ctl_warned(stage, "outside the room"));
    assert_int_equal(STAGE_CTL(stage, "kobuki.jump"), 2);
    assert_true(ctl_warned(stage, "place"));
}

static void ctl_pauses_and_resumes_time(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STAGE_CTL(stage, "world.pause"), 0);
    double paused_s = stage_get(stage, "world.time_s");
    sleep_ms(300);
    assert_true(stage_get(stage, "world.time_s") == paused_s);
    assert_int_equal(STAGE_CTL(stage, "world.pause", "paused=false"), 0);
    check_alive(stage);
}

static void ctl_changes_the_speed_of_time(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STAGE_CTL(stage, "world.speed", "x=50"), 0);
    assert_true(stage_get(stage, "world.speed") == 50);
    double from_s = stage_get(stage, "world.time_s");
    int64_t start_ms = now_ms();
    WAIT_UNTIL(stage_get(stage, "world.time_s") > from_s + 20);
    /* In real time, 20 s of simulated time would take 20 s. */
    assert_true(now_ms() - start_ms < 15000);
}

static void ctl_without_a_run_says_so(void **state)
{
    struct stage *stage = *state;
    stage_end(stage);
    assert_int_equal(STAGE_CTL(stage, "get", "world.time_s"), 3);
    assert_true(ctl_warned(stage, stage->control));
}

/* Text quoted on a terminal cannot contain control sequences. */
static void ctl_presses_no_button_that_a_robot_does_not_have(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "cobot.yaml",
                 "world: {size: {x: 4, y: 4}}\nrobots:\n  - {name: cobot, type: cobot, pose: {x: "
                 "2, y: 2}, links: [{channel: uart, pty: %s}]}\n",
                 stage->port);
    stage_run(stage, "cobot.yaml", (const char *const[]){NULL});
    assert_int_equal(STAGE_CTL(stage, "cobot.press", "button=left"), 2);
    assert_true(ctl_warned(stage, "cobot.press: button: there is no 'left'; it has: none"));
    assert_int_equal(STAGE_CTL(stage, "cobot.release", "button=le\x1b[2Jft"), 2);
    assert_true(ctl_warned(stage, "cobot.release: button: there is no 'le?[2Jft'; it has: none"));
    assert_int_equal(STAGE_CTL(stage, "cobot.lift", "\x07=1"), 2);
    assert_true(ctl_warned(stage, "unknown argument '?'"));
    check_alive(stage);
    stage_end(stage);
}

/* The same glob COUNT times in one request. */
static void get_globs(struct control_socket *client, const char *glob, int count, char *reply)
{
    static char line[REPLY_MAX];
    size_t used = (size_t)sprintf(
        line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get\",\"params\":{\"signals\":[");
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s\"%s\"", i ? "," : "", glob);
    snprintf(line + used, sizeof line - used, "]}}");
    send_line(client, line, reply);
}

/* The robots wait for the reply. */
static void one_request_asks_for_no_more_than_all_signals(void **state)
{
    struct stage *stage = *state;
    static struct control_socket client;
    static char reply[REPLY_MAX];
    char path[FOLDER_PATH_MAX];
    FILE *file = fopen(folder_path(&stage->folder, "crowd.yaml", path), "w");
    assert_non_null(file);
    fprintf(file,
            "world: {size: {x: 21, y: 21}}\nrobots:\n  - {name: kobuki, type: kobuki, pose: {x: "
            "0.5, y: 0.5}, links: [{pty: %s}]}\n",
            stage->port);
    for (int i = 0; i < 200; i++)
        fprintf(file, "  - {name: r%d, type: kobuki, pose: {x: %d, y: %d}, links: []}\n", i,
                1 + i % 20, 2 + i / 20);
    assert_int_equal(fclose(file), 0);
    stage_run(stage, "crowd.yaml", (const char *const[]){"--lockstep", NULL});
    control_socket_open(&client, stage->control);
    get_globs(&client, "kobuki.x_?", 20, reply);
    assert_non_null(strstr(reply, "\"result\""));
    get_globs(&client, "kobuki.x_?", 900, reply);
    assert_non_null(strstr(reply, "signals: 900 globs; at most "));
    get_globs(&client, "*", 3, reply);
    assert_non_null(strstr(reply, "signals: at most "));
    get_globs(&client, "kobuki.x_m", 1000, reply);
    assert_non_null(strstr(reply, "\"result\""));
    control_socket_close(&client);
    stage_end(stage);
}

/* ---- The socket ---- */

static void malformed_requests_are_answered_with_errors(void **state)
{
    struct stage *stage = *state;
    static struct control_socket client;
    static char reply[REPLY_MAX];
    static const char *const rows[][2] = {
        {"this is not JSON", "-32700"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get\"", "-32700"},
        {"\xff\xfe", "-32700"},
        {"42", "-32600"},
        {"{\"id\":1,\"method\":\"get\"}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"get\"}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"gte\"}", "-32601"},
        {"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"get\",\"params\":{\"signal\":[]}}", "-32602"},
        {"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"get\",\"params\":{\"signals\":[1]}}",
         "-32602"},
        {"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"step\",\"params\":{\"ms\":1}}", "-32002"},
    };
    control_socket_open(&client, stage->control);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        send_line(&client, rows[i][0], reply);
        if (!strstr(reply, rows[i][1]))
            fail_msg("to %s came %s", rows[i][0], reply);
    }
    /* The same client continues. */
    control_socket_call(&client, "get", "{\"signals\":[\"world.time_s\"]}", reply, sizeof reply);
    assert_non_null(strstr(reply, "\"value\""));
    control_socket_close(&client);
}

static void an_unknown_method_is_answered_with_what_was_meant(void **state)
{
    struct stage *stage = *state;
    static struct control_socket client;
    static char reply[REPLY_MAX];
    control_socket_open(&client, stage->control);
    control_socket_call(&client, "lits", "{}", reply, sizeof reply);
    assert_non_null(strstr(reply, "did you mean 'list'"));
    control_socket_close(&client);
}

static void a_line_without_end_costs_only_the_client_that_sends_it(void **state)
{
    struct stage *stage = *state;
    static struct control_socket client;
    static char piece[4096], reply[REPLY_MAX];
    memset(piece, 'a', sizeof piece);
    control_socket_open(&client, stage->control);
    /* Longer than any valid request; the server may disconnect the client. */
    for (int i = 0; i < 1024; i++)
        if (!control_socket_send(&client, piece, sizeof piece))
            break;
    if (control_socket_line(&client, reply, sizeof reply))
        assert_non_null(strstr(reply, "\"error\""));
    control_socket_close(&client);
    check_alive(stage);
}

static void fifty_clients_are_served_side_by_side(void **state)
{
    enum { CLIENTS = 50 };
    struct stage *stage = *state;
    static struct control_socket clients[CLIENTS];
    static char reply[REPLY_MAX];
    for (int i = 0; i < CLIENTS; i++)
        control_socket_open(&clients[i], stage->control);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < CLIENTS; i++) {
            control_socket_call(&clients[i], "get", "{\"signals\":[\"kobuki.x_m\"]}", reply,
                                sizeof reply);
            assert_non_null(strstr(reply, "\"value\":10"));
        }
    }
    for (int i = 0; i < CLIENTS; i++)
        control_socket_close(&clients[i]);
    check_alive(stage);
}

static void a_client_that_sends_a_byte_at_a_time_is_served(void **state)
{
    struct stage *stage = *state;
    static struct control_socket client;
    static char reply[REPLY_MAX];
    static const char request[] = "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"get\",\"params\":{"
                                  "\"signals\":[\"kobuki.x_m\"]}}"
                                  "\n";
    control_socket_open(&client, stage->control);
    for (size_t i = 0; i < sizeof request - 1; i++) {
        assert_true(control_socket_send(&client, &request[i], 1));
        sleep_ms(1);
    }
    assert_true(control_socket_line(&client, reply, sizeof reply));
    assert_non_null(strstr(reply, "\"id\":5"));
    control_socket_close(&client);
}

static void a_client_that_never_reads_holds_up_nobody(void **state)
{
    struct stage *stage = *state;
    static struct control_socket client;
    static const char request[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list\",\"params\":{\"what\":\"signals\"}}\n";
    control_socket_open(&client, stage->control);
    /* Replies of about 100 kB each are buffered in the kernel and in the program. */
    for (int i = 0; i < 100; i++)
        assert_true(control_socket_send(&client, request, sizeof request - 1));
    for (int i = 0; i < 5; i++)
        check_alive(stage);
    control_socket_close(&client);
    check_alive(stage);
    stage_end(stage);
}

/* ---- Lockstep ---- */

static void in_lockstep_time_goes_on_only_by_steps(void **state)
{
    struct stage *stage = *state;
    static struct control_socket client;
    static char reply[REPLY_MAX];
    assert_true(stage_get(stage, "world.time_s") == 0);
    sleep_ms(300);
    assert_true(stage_get(stage, "world.time_s") == 0);
    control_socket_open(&client, stage->control);
    control_socket_call(&client, "step", "{\"ms\":1500}", reply, sizeof reply);
    assert_non_null(strstr(reply, "\"time_s\":1.5"));
    assert_true(stage_get(stage, "world.time_s") == 1.5);
    sleep_ms(100);
    assert_true(stage_get(stage, "world.time_s") == 1.5);
    control_socket_call(&client, "pause", "{\"paused\":false}", reply, sizeof reply);
    assert_non_null(strstr(reply, "lockstep"));
    assert_int_equal(STAGE_CTL(stage, "world.pause", "paused=false"), 2);
    assert_true(ctl_warned(stage, "lockstep"));
    control_socket_close(&client);
    stage_end(stage);
}

static void a_pause_ends_a_step_that_is_under_way(void **state)
{
    struct stage *stage = *state;
    static struct control_socket stepper, other;
    static char reply[REPLY_MAX];
    static const char step[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"step\","
                               "\"params\":{\"ms\":86400000}}\n";
    control_socket_open(&stepper, stage->control);
    control_socket_open(&other, stage->control);
    assert_true(control_socket_send(&stepper, step, sizeof step - 1));
    WAIT_UNTIL(stage_get(stage, "world.time_s") > 0);
    control_socket_call(&other, "pause", "{}", reply, sizeof reply);
    double paused_s = stage_get(stage, "world.time_s");
    assert_true(control_socket_line(&stepper, reply, sizeof reply));
    assert_non_null(strstr(reply, "-32002"));
    sleep_ms(100);
    assert_true(stage_get(stage, "world.time_s") == paused_s);
    control_socket_call(&stepper, "step", "{\"ms\":20}", reply, sizeof reply);
    assert_non_null(strstr(reply, "\"written\""));
    control_socket_close(&stepper);
    control_socket_close(&other);
    stage_end(stage);
}

/* The number after `"kobuki.uart":` in the part KEY of REPLY. */
static long total_of(const char *reply, const char *key)
{
    const char *part = strstr(reply, key);
    const char *number = part ? strstr(part, "\"kobuki.uart\":") : NULL;
    if (!number)
        fail_msg("no %s in %s", key, reply);
    return number ? strtol(number + strlen("\"kobuki.uart\":"), NULL, 10) : -1;
}

static void a_host_in_lockstep_knows_how_much_to_read(void **state)
{
    struct stage *stage = *state;
    static struct control_socket client;
    static char reply[REPLY_MAX];
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    control_socket_open(&client, stage->control);
    /* External bytes take effect in the next step. */
    do
        control_socket_call(&client, "step", "{\"ms\":1}", reply, sizeof reply);
    while (stage_get(stage, "kobuki.uart.host") == 0);
    for (int i = 0; i < 50; i++) {
        control_socket_call(&client, "step", "{\"ms\":100}", reply, sizeof reply);
        uint64_t written = (uint64_t)total_of(reply, "\"written\"");
        while (host.bytes < written)
            kobuki_host_hear(&host, 1);
        assert_true(host.bytes == written);
    }
    kobuki_host_check(&host, 0);
    assert_in_range(host.protocol.counters.packets, 248, 250);
    control_socket_close(&client);
    kobuki_host_close(&host);
}

static void a_step_waits_for_the_bytes_that_a_host_has_promised(void **state)
{
    struct stage *stage = *state;
    static struct control_socket client;
    static char reply[REPLY_MAX];
    uint8_t command[KOBUKI_COMMAND_MAX];
    struct kobuki_host host;
    static const char request[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"step\","
                                  "\"params\":{\"ms\":1000,\"received\":{\"kobuki.uart\":10}}}\n";
    kobuki_host_open(&host, stage->port);
    control_socket_open(&client, stage->control);
    assert_true(control_socket_send(&client, request, sizeof request - 1));
    sleep_ms(200);
    assert_true(stage_get(stage, "world.time_s") == 0);

    size_t size = kobuki_base_control(command, 200, 0);
    assert_int_equal(size, 10);
    assert_true(serial_port_write(host.port, command, size));
    assert_true(control_socket_line(&client, reply, sizeof reply));
    assert_int_equal(total_of(reply, "\"received\""), 10);
    assert_true(stage_get(stage, "world.time_s") == 1);
    assert_true(stage_get(stage, "kobuki.x_m") > 10.1);
    control_socket_close(&client);
    kobuki_host_close(&host);
}

#define RUNNING(test)  cmocka_unit_test_setup_teardown(test, run_setup, stage_teardown)
#define LOCKSTEP(test) cmocka_unit_test_setup_teardown(test, lockstep_setup, stage_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNNING(ctl_gets_signals_and_says_what_they_are),
        RUNNING(ctl_suggests_the_signal_that_was_meant),
        RUNNING(ctl_places_the_robot),
        RUNNING(ctl_reports_why_a_command_is_refused),
        RUNNING(ctl_pauses_and_resumes_time),
        RUNNING(ctl_changes_the_speed_of_time),
        RUNNING(ctl_without_a_run_says_so),
        STAGED(one_request_asks_for_no_more_than_all_signals),
        STAGED(ctl_presses_no_button_that_a_robot_does_not_have),
        RUNNING(malformed_requests_are_answered_with_errors),
        RUNNING(an_unknown_method_is_answered_with_what_was_meant),
        RUNNING(a_line_without_end_costs_only_the_client_that_sends_it),
        RUNNING(fifty_clients_are_served_side_by_side),
        RUNNING(a_client_that_sends_a_byte_at_a_time_is_served),
        RUNNING(a_client_that_never_reads_holds_up_nobody),
        LOCKSTEP(in_lockstep_time_goes_on_only_by_steps),
        LOCKSTEP(a_pause_ends_a_step_that_is_under_way),
        LOCKSTEP(a_host_in_lockstep_knows_how_much_to_read),
        LOCKSTEP(a_step_waits_for_the_bytes_that_a_host_has_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
