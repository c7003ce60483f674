/* The client library as a test program uses it: private runs, fences, errors in the program's
 * words, and ends. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/ptybot/client.h"
#include "include/ptybot/step_page.h"
#include "tests/hosts/kobuki_client.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/serial_port.h"

#define DONE(client, call)                                                                         \
    do {                                                                                           \
        if (!(call))                                                                               \
            fail_msg("%s: %s", #call, ptybot_error(client));                                       \
    } while (0)

static int use_our_program(void **state)
{
    (void)state;
    return setenv("PTYBOT", PTYBOT_BINARY, 1);
}

static struct ptybot_run *start_in_lockstep(void)
{
    struct ptybot_run *sim = ptybot_start("kobuki", "--lockstep", NULL);
    if (!sim)
        fail_msg("%s", ptybot_error(NULL));
    return sim;
}

static void check_error(const struct ptybot_run *sim, const char *words)
{
    if (!strstr(ptybot_error(sim), words))
        fail_msg("'%s' does not say '%s'", ptybot_error(sim), words);
}

static void runs_have_ports_of_their_own_which_go_with_them(void **state)
{
    (void)state;
    struct ptybot_run *one = start_in_lockstep(), *other = start_in_lockstep();
    char port[FOLDER_PATH_MAX];
    snprintf(port, sizeof port, "%s", ptybot_port(one, "kobuki"));
    assert_string_not_equal(port, ptybot_port(other, "kobuki.uart"));
    assert_true(path_exists(port));
    assert_int_equal(ptybot_end(one), 0);
    assert_false(path_exists(port));
    assert_true(path_exists(ptybot_port(other, "kobuki")));
    assert_int_equal(ptybot_end(other), 0);
}

static void a_link_of_tcp_is_an_address(void **state)
{
    (void)state;
    struct ptybot_run *sim = ptybot_start("kobuki", "--link", "kobuki=tcp:auto", NULL);
    int number = 0;
    DONE(sim, ptybot_port(sim, "kobuki"));
    assert_int_equal(sscanf(ptybot_port(sim, "kobuki"), "127.0.0.1:%d", &number), 1);
    assert_true(number > 0);
    ptybot_end(sim);
}

static void a_command_shows_on_the_wire_after_a_step(void **state)
{
    (void)state;
    struct ptybot_run *sim = start_in_lockstep();
    int port = serial_port_await(ptybot_port(sim, "kobuki"));
    for (int pressed = 0; pressed < 2; pressed++) {
        uint8_t bytes[1024];
        if (pressed)
            DONE(sim, ptybot_do(sim, "kobuki.press bumper=left"));
        DONE(sim, ptybot_step(sim, pressed ? 20 : 30)); /* the first packet begins after 20 */
        int size = (int)ptybot_sent(sim, "kobuki");
        assert_in_range(size, 50, 150);
        for (int got = 0; got < size;)
            got += serial_port_read(port, bytes + got, (size_t)(size - got), TEST_TIMEOUT_MS);
        assert_int_equal(serial_port_read(port, bytes + size, 1, 0), 0);
        assert_int_equal(bytes[7], pressed ? 4 : 0);
    }
    close(port);
    ptybot_end(sim);
}

/* Writes in another process after a while; meanwhile the caller waits for the bytes, and then for
 * that process. */
static pid_t write_later(int port, const uint8_t *bytes, size_t size)
{
    pid_t writer = fork();
    if (writer != 0)
        return writer;
    sleep_ms(100);
    _exit(write(port, bytes, size) != (ssize_t)size);
}

/* The bytes are written only while the step waits for them. */
static void a_fence_waits_for_bytes_that_are_on_their_way(void **state)
{
    (void)state;
    struct ptybot_run *sim = start_in_lockstep();
    int port = serial_port_await(ptybot_port(sim, "kobuki"));
    uint8_t command[KOBUKI_COMMAND_MAX];
    size_t size = kobuki_base_control(command, 200, 0);
    for (int i = 1; i <= 3; i++) {
        pid_t writer = write_later(port, command, size);
        DONE(sim, ptybot_step_after(sim, 1000, "kobuki", size));
        assert_true(ptybot_get(sim, "kobuki.uart.from_host_bytes") == i * (double)size);
        waitpid(writer, NULL, 0);
    }
    close(port);
    ptybot_end(sim);
}

/* IN_LOCKSTEP: time stood still until then; otherwise it was paused after the first bytes had
 * arrived. */
static void check_what_a_fence_counts(bool in_lockstep)
{
    struct ptybot_run *sim =
        in_lockstep ? start_in_lockstep() : ptybot_start("kobuki", "--speed", "20", NULL);
    int port = serial_port_await(ptybot_port(sim, "kobuki"));
    uint8_t command[KOBUKI_COMMAND_MAX];
    size_t size = kobuki_base_control(command, 200, 0);
    assert_int_equal(write(port, command, size), size);
    char have_come[64];
    snprintf(have_come, sizeof have_come, "kobuki.uart.from_host_bytes == %zu", size);
    if (in_lockstep)
        DONE(sim, ptybot_step_until(sim, 10000, have_come));
    else
        DONE(sim, ptybot_wait(sim, have_come, 1000) && ptybot_pause(sim, true));
    pid_t writer = write_later(port, command, size);
    DONE(sim, ptybot_step_after(sim, 20, "kobuki", in_lockstep ? 2 * size : size));
    assert_true(ptybot_get(sim, "kobuki.uart.from_host_bytes") == 2 * (double)size);
    waitpid(writer, NULL, 0);
    close(port);
    ptybot_end(sim);
}

static void bytes_before_a_step_without_a_fence_count_for_the_next_one(void **state)
{
    (void)state;
    check_what_a_fence_counts(true);
}

static void a_pause_counts_anew(void **state)
{
    (void)state;
    check_what_a_fence_counts(false);
}

static void a_fence_for_bytes_that_never_come_ends_and_the_run_goes_on(void **state)
{
    (void)state;
    struct ptybot_run *sim = start_in_lockstep();
    ptybot_set_timeout(sim, 0.2);
    assert_false(ptybot_step_after(sim, 10, "kobuki", 10));
    check_error(sim, "step: no reply for 0.21 s; the step waits for 10 bytes in total from the "
                     "driver of kobuki.uart");
    ptybot_set_timeout(sim, 30);
    DONE(sim, ptybot_step_after(sim, 10, "kobuki", 0));
    assert_string_equal(ptybot_error(sim), "");
    assert_true(ptybot_get(sim, "world.time_s") == 0.01);
    ptybot_end(sim);
}

static void conditions_say_what_was_found_when_they_do_not_come_true(void **state)
{
    (void)state;
    struct ptybot_run *sim = start_in_lockstep();
    assert_false(ptybot_step_until(sim, 100, "kobuki.x_m > 100"));
    check_error(sim, "kobuki.x_m > 100: did not become true: kobuki.x_m = 3 m");
    DONE(sim, ptybot_step_until(sim, 100, "world.time_s >= 0.15"));
    assert_true(fabs(ptybot_get(sim, "world.time_s") - 0.15) < 1e-9);
    DONE(sim, ptybot_wait(sim, "kobuki.x_m == 3", 0));
    assert_false(ptybot_wait(sim, "kobuki.x_m == 4", 0));
    check_error(sim, "kobuki.x_m = 3 m");
    assert_false(ptybot_wait(sim, "kobuki.x_m ==", 1));
    check_error(sim, "until: ");
    ptybot_end(sim);

    sim = ptybot_start("kobuki", NULL);
    DONE(sim, ptybot_wait(sim, "world.time_s > 0.1", 5));
    DONE(sim, ptybot_pause(sim, true));
    double paused_s = ptybot_get(sim, "world.time_s");
    DONE(sim, ptybot_step(sim, 5));
    assert_true(fabs(ptybot_get(sim, "world.time_s") - paused_s - 0.005) < 1e-9);
    ptybot_end(sim);
}

static void a_robot_is_placed_and_the_room_is_reset(void **state)
{
    (void)state;
    struct ptybot_run *sim = start_in_lockstep();
    DONE(sim, ptybot_place(sim, "kobuki", 1.25, 0.75, -90.5));
    assert_true(fabs(ptybot_get(sim, "kobuki.x_m") - 1.25) < 1e-6);
    assert_true(fabs(ptybot_get(sim, "kobuki.y_m") - 0.75) < 1e-6);
    assert_true(fabs(ptybot_get(sim, "kobuki.heading_deg") + 90.5) < 1e-6);
    assert_false(ptybot_place(sim, "kobuki", -0.5, 1, 0));
    check_error(sim, "x=-0.5 y=1 is outside the room");
    assert_false(ptybot_place(sim, "kobuki", NAN, 1, 0));
    check_error(sim, "must be finite");
    DONE(sim, ptybot_send_estimate(sim, &(struct ptybot_estimate){1, NAN, 90.5, 0.25, NAN}));
    DONE(sim, ptybot_send_estimate(sim, &(struct ptybot_estimate){NAN, NAN, NAN, -0.25, NAN}));
    assert_true(ptybot_get(sim, "world.estimate_x_m") == 1);
    assert_true(ptybot_get(sim, "world.estimate_y_m") == 0);
    assert_true(ptybot_get(sim, "world.estimate_heading_deg") == 90.5);
    assert_true(ptybot_get(sim, "world.estimate_speed_m_s") == -0.25);
    DONE(sim, ptybot_reset(sim));
    DONE(sim, ptybot_step(sim, 1));
    assert_true(ptybot_get(sim, "kobuki.x_m") == 3);
    ptybot_end(sim);
}

static void errors_are_the_words_of_the_program(void **state)
{
    (void)state;
    struct ptybot_run *sim = start_in_lockstep();
    assert_true(isnan(ptybot_get(sim, "kobuki.x_n")) != 0);
    check_error(sim, "did you mean 'kobuki.x_m'");
    assert_false(ptybot_do(sim, "kobuki.pres bumper=left"));
    check_error(sim, "did you mean 'press'");
    assert_null(ptybot_port(sim, "kobuk"));
    check_error(sim, "there is no port 'kobuk'; allowed: kobuki.uart");
    assert_null(ptybot_get_word(sim, "kobuki.x_m"));
    check_error(sim, "has no text value");
    assert_string_equal(ptybot_get_word(sim, "kobuki.led1"), "off");
    assert_null(ptybot_call(sim, "gte", NULL));
    check_error(sim, "did you mean 'get'");
    assert_null(ptybot_call(sim, "get", "{"));
    check_error(sim, "params");
    assert_false(ptybot_do(sim, "\xff"));
    check_error(sim, "UTF-8");
    assert_string_equal(ptybot_call(sim, "get", "{\"signals\":[\"kobuki.x_m\"]}"),
                        "{\"time_s\":0,\"signals\":[{\"name\":\"kobuki.x_m\",\"value\":3,"
                        "\"unit\":\"m\"}]}");
    ptybot_end(sim);
}

static void what_cannot_be_started_says_why(void **state)
{
    (void)state;
    static const char *const kobuki[] = {"kobuki", NULL};
    assert_null(ptybot_start("kobukki", NULL));
    check_error(NULL, "did you mean 'kobuki'");
    assert_null(ptybot_start_words("/nowhere/ptybot", kobuki));
    check_error(NULL, "/nowhere/ptybot: No such file or directory; install ptybot");
    assert_null(ptybot_start_words("true", kobuki));
    check_error(NULL, "without a message");
    assert_null(ptybot_attach("/nowhere/control.sock"));
    check_error(NULL,
                "/nowhere/control.sock: No such file or directory; is the simulation running?");
    unsetenv("PTYBOT_CONTROL");
    assert_null(ptybot_attach(NULL));
    check_error(NULL, "PTYBOT_CONTROL is not set");
}

static void a_run_that_is_null_fails_everything(void **state)
{
    (void)state;
    assert_null(ptybot_port(NULL, "kobuki"));
    assert_true(isnan(ptybot_get(NULL, "kobuki.x_m")) != 0);
    assert_null(ptybot_get_word(NULL, "kobuki.x_m"));
    assert_false(ptybot_do(NULL, "kobuki.lift"));
    assert_false(ptybot_place(NULL, "kobuki", 1, 1, 0));
    assert_false(ptybot_reset(NULL));
    assert_false(ptybot_pause(NULL, true));
    assert_false(ptybot_wait(NULL, "kobuki.x_m > 0", 0));
    assert_false(ptybot_step(NULL, 1));
    assert_false(ptybot_step_after(NULL, 1, "kobuki", 0));
    assert_false(ptybot_step_until(NULL, 1, "kobuki.x_m > 0"));
    assert_null(ptybot_call(NULL, "get", NULL));
    assert_null(ptybot_control(NULL));
    assert_int_equal(ptybot_sent(NULL, "kobuki"), 0);
    assert_int_equal(ptybot_pid(NULL), 0);
    ptybot_set_timeout(NULL, 1);
    assert_int_equal(ptybot_end(NULL), 0);
}

static void a_run_that_was_killed_fails_and_can_be_ended(void **state)
{
    (void)state;
    struct ptybot_run *sim = start_in_lockstep();
    assert_int_equal(kill(ptybot_pid(sim), SIGKILL), 0);
    WAIT_UNTIL(!ptybot_step(sim, 1));
    check_error(sim, "control.sock: the run has ended");
    assert_int_equal(ptybot_end(sim), -1);
}

/* ---- The page ---- */

enum { DAY_MS = 86400000 };

static pid_t signal_later(pid_t victim, int number)
{
    pid_t killer = fork();
    if (killer == 0) {
        sleep_ms(100);
        _exit(kill(victim, number) != 0);
    }
    return killer;
}

static void a_run_that_is_killed_in_mid_step_ends_the_wait(void **state)
{
    (void)state;
    struct ptybot_run *sim = start_in_lockstep();
    DONE(sim, ptybot_step(sim, 1));
    pid_t killer = signal_later(ptybot_pid(sim), SIGKILL);
    assert_false(ptybot_step(sim, DAY_MS));
    check_error(sim, "control.sock: the run has ended");
    waitpid(killer, NULL, 0);
    assert_int_equal(ptybot_end(sim), -1);
}

static void a_run_that_ends_in_mid_step_says_so(void **state)
{
    (void)state;
    struct ptybot_run *sim = start_in_lockstep();
    DONE(sim, ptybot_step(sim, 1));
    pid_t stopper = signal_later(ptybot_pid(sim), SIGTERM);
    assert_false(ptybot_step_after(sim, 1, "kobuki", 10));
    check_error(sim, "the run ended while this request was waiting");
    waitpid(stopper, NULL, 0);
    ptybot_end(sim);
}

static void a_client_that_is_killed_takes_its_step_along(void **state)
{
    (void)state;
    struct ptybot_run *sim = start_in_lockstep();
    setenv("PTYBOT_CONTROL", ptybot_control(sim), 1);
    pid_t other = fork();
    if (other == 0) {
        struct ptybot_run *client = ptybot_attach(NULL);
        _exit(ptybot_step(client, 1) && ptybot_step_after(client, 5000, "kobuki", 10));
    }
    DONE(sim, ptybot_step(sim, 0)); /* with a page before it, too */
    while (ptybot_get(sim, "world.time_s") < 0.0005)
        sleep_ms(1);
    pid_t killer = signal_later(other, SIGKILL);
    waitpid(killer, NULL, 0);
    waitpid(other, NULL, 0);
    assert_true(ptybot_get(sim, "world.time_s") <= 0.001); /* the first step has ended */
    int port = serial_port_await(ptybot_port(sim, "kobuki"));
    assert_int_equal(write(port, "0123456789", 10), 10);
    DONE(sim, ptybot_step_after(sim, 10, "kobuki", 10));
    assert_true(ptybot_get(sim, "world.time_s") == 0.011);
    unsetenv("PTYBOT_CONTROL");
    close(port);
    ptybot_end(sim);
}

/* Other clients are not affected. */
static void what_a_page_asks_in_vain_is_an_error(void **state)
{
    (void)state;
    struct ptybot_run *sim = start_in_lockstep(), *other = ptybot_attach(ptybot_control(sim));
    const char *reply = ptybot_call(other, "version", "{\"step_page\":true}");
    const char *path = reply ? strstr(reply, "\"path\":\"/proc/") : NULL;
    char name[64];
    assert_true(path && sscanf(path + 8, "%63[^\"]", name) == 1);
    int file = open(name, O_RDWR | O_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, 0), -1); /* the run would crash */
    struct ptybot_step_page *page =
        mmap(NULL, sizeof *page + sizeof *page->links, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    close(file);
    page->ms = UINT32_MAX;
    __atomic_store_n(&page->asked, 77, __ATOMIC_SEQ_CST);
    WAIT_UNTIL(__atomic_load_n(&page->answered, __ATOMIC_SEQ_CST) == 77);
    assert_true(page->code < 0 && page->text[0]);
    page->ms = 1;
    page->links[0].wanted = UINT64_MAX; /* bytes that never come */
    __atomic_store_n(&page->asked, 78, __ATOMIC_SEQ_CST);
    sleep_ms(50);
    assert_int_equal(page->answered, 77);
    DONE(sim, ptybot_step(sim, 3));
    munmap(page, sizeof *page + sizeof *page->links);
    ptybot_end(other);
    assert_true(ptybot_get(sim, "world.time_s") == 0.003);
    ptybot_end(sim);
}

/* A robot accepts only a limited number of bytes before the next step. */
static void steps_fail_alike_by_the_page_and_by_messages(void **state)
{
    (void)state;
    static char errors[2][2][1024];
    for (int by_message = 0; by_message < 2; by_message++) {
        setenv("PTYBOT_STEP_PAGE", by_message ? "off" : "on", 1);
        struct ptybot_run *sim = start_in_lockstep();
        int port = serial_port_await(ptybot_port(sim, "kobuki"));
        static const uint8_t bytes[4096];
        struct pollfd room = {.fd = port, .events = POLLOUT};
        assert_int_equal(fcntl(port, F_SETFL, O_NONBLOCK), 0);
        while (poll(&room, 1, 200) == 1)
            assert_true(write(port, bytes, sizeof bytes) > 0 || errno == EAGAIN);
        assert_false(ptybot_step_after(sim, 1, "kobuki", 10000000));
        snprintf(errors[by_message][0], 1024, "%s", ptybot_error(sim));
        assert_false(ptybot_step(sim, DAY_MS + 1));
        snprintf(errors[by_message][1], 1024, "%s", ptybot_error(sim));
        assert_true(ptybot_get(sim, "world.time_s") == 0);
        close(port);
        ptybot_end(sim);
    }
    unsetenv("PTYBOT_STEP_PAGE");
    assert_non_null(strstr(errors[0][0], "bytes requested, but the channel accepts only"));
    assert_non_null(strstr(errors[0][1], "ms: must be a whole number from 0 to 86400000"));
    assert_memory_equal(errors[0], errors[1], sizeof errors[0]);
}

static void whoever_attaches_shares_the_run_and_leaves_it_running(void **state)
{
    (void)state;
    struct ptybot_run *sim = start_in_lockstep();
    int port = serial_port_await(ptybot_port(sim, "kobuki"));
    DONE(sim, ptybot_step(sim, 100));
    setenv("PTYBOT_CONTROL", ptybot_control(sim), 1);
    struct ptybot_run *other = ptybot_attach(NULL);
    DONE(other, other);
    assert_string_equal(ptybot_port(other, "kobuki"), ptybot_port(sim, "kobuki"));
    DONE(other, ptybot_step(other, 20));
    assert_in_range(ptybot_sent(other, "kobuki"), 50, 200); /* only of this step */
    assert_int_equal(ptybot_pid(other), 0);
    assert_int_equal(ptybot_end(other), 0);
    DONE(sim, ptybot_step(sim, 1));
    unsetenv("PTYBOT_CONTROL");
    close(port);
    assert_int_equal(ptybot_end(sim), 0);
}

/* If a test program crashes, its run ends, even if another child process lives on. */
static void the_run_ends_with_the_program_that_started_it(void **state)
{
    (void)state;
    int told[2];
    char port[FOLDER_PATH_MAX] = "";
    assert_int_equal(pipe(told), 0);
    pid_t program = fork();
    if (program == 0) {
        struct ptybot_run *sim = ptybot_start("kobuki", NULL);
        const char *path = ptybot_port(sim, "kobuki");
        pid_t child = fork();
        if (child == 0) {
            execlp("sleep", "sleep", "1000", (char *)NULL);
            _exit(127);
        }
        dprintf(told[1], "%d %s", (int)child, path ? path : "");
        abort();
    }
    close(told[1]);
    assert_int_equal(waitpid(program, NULL, 0), program);
    char said[sizeof port + 16] = "";
    int child = 0;
    /* The pipe ends only with the sleeper, so the text must already be there. */
    assert_true(read(told[0], said, sizeof said - 1) > 0);
    assert_int_equal(sscanf(said, "%d %255s", &child, port), 2);
    WAIT_UNTIL(!path_exists(port));
    assert_int_equal(kill(child, SIGKILL), 0);
    close(told[0]);
}

/* Answers each request of each client with REPLY. ID in it becomes the number of the request, and
 * DEEP many brackets. */
static void serve(int listening, const char *reply)
{
    enum { DEPTH = 100000 };
    char request[4096], *line = malloc(2 * DEPTH + 4096);
    for (int client; line && (client = accept(listening, NULL, NULL)) >= 0; close(client)) {
        for (ssize_t got; (got = read(client, request, sizeof request - 1)) > 0;) {
            request[got] = '\0';
            const char *id = strstr(request, "\"id\":"), *number = strstr(reply, "ID");
            const char *deep = strstr(reply, "DEEP");
            int size = number ? sprintf(line, "%.*s%d%s", (int)(number - reply), reply,
                                        id ? atoi(id + 5) : 0, number + 2)
                              : sprintf(line, "%s", reply);
            char *at = deep ? strstr(line, "DEEP") : NULL;
            if (at) {
                memset(at, '[', DEPTH);
                memset(at + DEPTH, ']', DEPTH);
                size = (int)(at - line) + 2 * DEPTH;
                size += sprintf(line + size, "%s", number ? "}" : "");
            }
            line[size++] = '\n';
            if (write(client, line, (size_t)size) != size || !number)
                break;
        }
    }
    _exit(0);
}

static void hostile_replies_are_errors(void **state)
{
    (void)state;
    char reply[512], path[64];
    FILE *list = fopen(PTYBOT_SOURCE_DIR "/tests/support/hostile_replies.txt", "r");
    assert_non_null(list);
    while (fgets(reply, sizeof reply, list)) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        reply[strcspn(reply, "\n")] = '\0';
        snprintf(path, sizeof path, "/tmp/ptybot-hostile-%ld", (long)getpid());
        snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
        unlink(path);
        int listening = socket(AF_UNIX, SOCK_STREAM, 0);
        assert_int_equal(bind(listening, (struct sockaddr *)&address, sizeof address), 0);
        assert_int_equal(listen(listening, 1), 0);
        pid_t server = fork();
        if (server == 0)
            serve(listening, reply);
        close(listening);
        struct ptybot_run *sim = ptybot_attach(path);
        if (!sim)
            assert_true(*ptybot_error(NULL) != '\0');
        if (sim) { // for example an empty list of links
            assert_true(isnan(ptybot_get(sim, "x")) && *ptybot_error(sim) != '\0');
            assert_null(ptybot_get_word(sim, "x"));
            ptybot_step(sim, 1);
            assert_false(ptybot_wait(sim, "x > 1", 1));
            ptybot_pause(sim, true);
            ptybot_end(sim);
        }
        kill(server, SIGKILL);
        waitpid(server, NULL, 0);
    }
    unlink(path);
    fclose(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_have_ports_of_their_own_which_go_with_them),
        cmocka_unit_test(a_link_of_tcp_is_an_address),
        cmocka_unit_test(a_command_shows_on_the_wire_after_a_step),
        cmocka_unit_test(a_fence_waits_for_bytes_that_are_on_their_way),
        cmocka_unit_test(bytes_before_a_step_without_a_fence_count_for_the_next_one),
        cmocka_unit_test(a_pause_counts_anew),
        cmocka_unit_test(a_fence_for_bytes_that_never_come_ends_and_the_run_goes_on),
        cmocka_unit_test(conditions_say_what_was_found_when_they_do_not_come_true),
        cmocka_unit_test(a_robot_is_placed_and_the_room_is_reset),
        cmocka_unit_test(errors_are_the_words_of_the_program),
        cmocka_unit_test(what_cannot_be_started_says_why),
        cmocka_unit_test(a_run_that_is_null_fails_everything),
        cmocka_unit_test(a_run_that_was_killed_fails_and_can_be_ended),
        cmocka_unit_test(hostile_replies_are_errors),
        cmocka_unit_test(a_run_that_is_killed_in_mid_step_ends_the_wait),
        cmocka_unit_test(a_run_that_ends_in_mid_step_says_so),
        cmocka_unit_test(a_client_that_is_killed_takes_its_step_along),
        cmocka_unit_test(what_a_page_asks_in_vain_is_an_error),
        cmocka_unit_test(steps_fail_alike_by_the_page_and_by_messages),
        cmocka_unit_test(whoever_attaches_shares_the_run_and_leaves_it_running),
        cmocka_unit_test(the_run_ends_with_the_program_that_started_it),
    };
    const struct CMUnitTest by_messages[] = {
        cmocka_unit_test(a_fence_waits_for_bytes_that_are_on_their_way),
        cmocka_unit_test(bytes_before_a_step_without_a_fence_count_for_the_next_one),
        cmocka_unit_test(a_fence_for_bytes_that_never_come_ends_and_the_run_goes_on),
        cmocka_unit_test(a_run_that_is_killed_in_mid_step_ends_the_wait),
        cmocka_unit_test(a_run_that_ends_in_mid_step_says_so),
        cmocka_unit_test(a_client_that_is_killed_takes_its_step_along),
    };
    int failed = cmocka_run_group_tests(tests, use_our_program, NULL);
    setenv("PTYBOT_STEP_PAGE", "off", 1);
    return failed + cmocka_run_group_tests_name("by messages", by_messages, NULL, NULL);
}
