/* Runs with several links, and runs whose links cannot be opened. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/cli/terminal.h"
#include "app/links/links.h"
#include "app/links/links_view.h"
#include "sim/parse/scene_parse.h"
#include "tests/support/machine.h"

enum { ROBOTS = 10 };
#define NOW_NS     INT64_C(1000000000)
#define TIMEOUT_NS INT64_C(20000000000) /* on a busy machine; never reached on success */

struct run {
    struct scene *scene;
    struct live live;
    struct sim *sim;
    struct poller poller;
    struct links *links;
    int code;
    struct error error;
};

/* ROBOT is a printf format with the number of each robot. */
static bool open_run(struct run *run, int robots, const char *robot)
{
    char text[4096] = "world: {size: {x: 20, y: 4}}\nrobots:\n";
    *run = (struct run){.code = -1};
    for (int i = 0; i < robots; i++) {
        size_t size = strlen(text);
        int used = snprintf(text + size, sizeof text - size, "  - {pose: {x: %d, y: 2}, ", i + 1);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(text + size + used, sizeof text - size - (size_t)used, robot, i, i);
#pragma GCC diagnostic pop
        strcat(text, "}\n");
    }
    run->scene = scene_parse(text, strlen(text), "scene", &run->error);
    if (!run->scene)
        fail_msg("%s", run->error.text);
    run->sim = live_sim(&run->live, run->scene, NULL, &run->error);
    assert_non_null(run->sim);
    assert_true(poller_open(&run->poller, &run->error));
    run->links =
        links_open(run->scene, run->sim, &run->live, &run->poller, NULL, &run->code, &run->error);
    return run->links != NULL;
}

static void close_run(struct run *run)
{
    links_close(run->links);
    poller_close(&run->poller);
    sim_destroy(run->sim);
    live_close(&run->live);
    scene_destroy(run->scene);
}

static struct links_view view_of(const struct run *run, size_t index)
{
    struct links_view view;
    links_view(run->links, index, &view);
    return view;
}

static int connect_to(const char *place)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_port = htons((uint16_t)atoi(strrchr(place, ':') + 1));
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static size_t host_count(const struct run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < links_count(run->links); i++)
        count += view_of(run, i).is_host;
    return count;
}

#define TCP_ROBOT "name: r%d, type: kobuki, links: [{tcp: auto}]"

/* A visit serves a tenth of the links, and the next one others. */
static void ten_visits_serve_all_links(void **state)
{
    (void)state;
    struct run run;
    int drivers[ROBOTS];
    assert_true(open_run(&run, ROBOTS, TCP_ROBOT));
    assert_int_equal(links_count(run.links), ROBOTS);
    for (size_t i = 0; i < ROBOTS; i++)
        drivers[i] = connect_to(view_of(&run, i).place);
    for (size_t i = 1; i <= ROBOTS; i++) {
        links_visit(run.links, NOW_NS);
        assert_int_equal(host_count(&run), i);
    }
    for (size_t i = 0; i < ROBOTS; i++)
        close(drivers[i]);
    close_run(&run);
}

static void a_link_is_found_by_its_name_and_leads_to_its_robot(void **state)
{
    (void)state;
    struct run run;
    assert_true(open_run(&run, 3, TCP_ROBOT));
    for (size_t i = 0; i < 3; i++) {
        char name[16], signal[32];
        snprintf(name, sizeof name, "r%zu.uart", i);
        snprintf(signal, sizeof signal, "r%zu.uart.host", i);
        assert_int_equal(links_find(run.links, name), i);
        assert_string_equal(view_of(&run, i).name, name);
        assert_string_equal(run.live.channels[i].place, view_of(&run, i).place);
        int driver = connect_to(view_of(&run, i).place);
        links_visit_all(run.links, NOW_NS);
        sim_step(run.sim);
        assert_true(sim_signal_value(run.sim, sim_signal_find(run.sim, signal)) == 1);
        assert_int_equal(run.live.channels[i].hosts, 1);
        close(driver);
    }
    assert_int_equal(links_find(run.links, "r0"), SIZE_MAX);
    assert_int_equal(links_find(run.links, "r3.uart"), SIZE_MAX);
    assert_int_equal(links_find(run.links, "r1.uart2"), SIZE_MAX);
    close_run(&run);
}

/* ---- Ptys ---- */

static char folder[64], robot_words[256];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/ptybot-test-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(robot_words, sizeof robot_words, "name: r%%d, type: create2, links: [{pty: %s/r%%d}]",
             folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    machine_obey();
    return rmdir(folder); /* nothing is left in it */
}

static int open_raw(const struct run *run, size_t index)
{
    struct termios raw;
    int fd = open(view_of(run, index).place, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(tcgetattr(fd, &raw), 0);
    cfmakeraw(&raw);
    cfsetspeed(&raw, B115200);
    assert_int_equal(tcsetattr(fd, TCSANOW, &raw), 0);
    return fd;
}

static int open_driver(const struct run *run, size_t index)
{
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    int fd = open_raw(run, index);
    while (!view_of(run, index).is_host) {
        assert_true(poller_now_ns() < end_ns);
        links_visit_all(run->links, NOW_NS);
    }
    links_visit_all(run->links, NOW_NS);
    return fd;
}

/* The descriptor is enough: it is not necessary to check all links. */
static void a_visit_brings_bytes(void **state)
{
    (void)state;
    struct run run;
    assert_true(open_run(&run, 2, robot_words));
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    for (size_t i = 0; i < 2; i++) {
        int fd = open_driver(&run, i);
        assert_int_equal(write(fd, "\x80", 1), 1); /* Start */
        while (view_of(&run, i).received < 1) {
            assert_true(poller_now_ns() < end_ns);
            links_visit(run.links, NOW_NS);
        }
        close(fd);
    }
    close_run(&run);
}

/* The check of one pty also finds the news of another one. */
static void a_visit_of_one_pty_brings_the_drivers_of_all(void **state)
{
    (void)state;
    struct run run;
    int drivers[ROBOTS];
    assert_true(open_run(&run, ROBOTS, robot_words));
    for (size_t i = 0; i < ROBOTS; i++)
        drivers[i] = open(view_of(&run, i).place, O_RDWR | O_NOCTTY | O_CLOEXEC);
    links_visit(run.links, NOW_NS);
    assert_int_equal(host_count(&run), ROBOTS);
    for (size_t i = 0; i < ROBOTS; i++)
        close(drivers[i]);
    close_run(&run);
}

/* Also after a step that follows it, for programs that make no visits. */
static void news_of_other_ptys_is_passed_on_after_a_step(void **state)
{
    (void)state;
    struct run run;
    assert_true(open_run(&run, 2, robot_words));
    int fds[2];
    for (size_t i = 0; i < 2; i++)
        fds[i] = open_raw(&run, i);
    links_look(run.links, 0, false, NOW_NS);
    assert_int_equal(host_count(&run), 1);
    links_after_step(run.links, NOW_NS);
    assert_int_equal(host_count(&run), 2);
    sim_step(run.sim);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(run.live.channels[i].hosts, 1);
        assert_true(sim_channel_has_host(run.sim, i));
        assert_int_equal(sim_channel_host_baud(run.sim, i), 115200);
        close(fds[i]);
    }
    close_run(&run);
}

static void each_link_delivers(void **state)
{
    (void)state;
    struct run run;
    const pid_t hosts[] = {getpid()};
    int fds[2];
    assert_true(open_run(&run, 2, robot_words));
    for (size_t i = 0; i < 2; i++) {
        fds[i] = open_driver(&run, i);
        assert_int_equal(write(fds[i], "\x80\x8e\x07", 3), 3); /* Start; Sensors, packet 7 */
    }
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    while (view_of(&run, 0).received < 3 || view_of(&run, 1).received < 3) {
        assert_true(poller_now_ns() < end_ns);
        links_visit_all(run.links, NOW_NS);
    }
    while (view_of(&run, 0).written == 0 || view_of(&run, 1).written == 0) {
        assert_true(poller_now_ns() < end_ns);
        sim_step(run.sim);
        links_after_step(run.links, NOW_NS);
    }
    links_deliver(run.links, hosts, 1);
    for (size_t i = 0; i < 2; i++) {
        char bytes[64];
        assert_int_equal(read(fds[i], bytes, sizeof bytes), view_of(&run, i).written);
        close(fds[i]);
    }
    close_run(&run);
}

/* A Create 2 changes its rate by command 129; its driver follows. */
static void a_robot_that_changes_its_rate_is_compared_with_the_new_one(void **state)
{
    (void)state;
    struct run run;
    struct termios raw;
    assert_true(open_run(&run, 1, robot_words));
    int fd = open_driver(&run, 0);
    assert_int_equal(view_of(&run, 0).baud, 115200);
    assert_int_equal(write(fd, "\x80\x81\x0a", 3), 3); /* Start; Baud 57600 */
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    while (view_of(&run, 0).baud != 57600) {
        assert_true(poller_now_ns() < end_ns);
        links_visit_all(run.links, NOW_NS);
        sim_step(run.sim);
        links_after_step(run.links, NOW_NS);
    }
    assert_int_equal(tcgetattr(fd, &raw), 0);
    cfsetspeed(&raw, B57600);
    assert_int_equal(tcsetattr(fd, TCSANOW, &raw), 0);
    uint64_t received = view_of(&run, 0).received;
    assert_int_equal(write(fd, "\x80", 1), 1);
    while (view_of(&run, 0).received == received) {
        assert_true(poller_now_ns() < end_ns);
        links_visit_all(run.links, NOW_NS);
    }
    assert_int_equal(view_of(&run, 0).serial->wrong.baud, 0);
    assert_int_equal(view_of(&run, 0).serial->robot.baud, 57600);
    close(fd);
    close_run(&run);
}

/* ---- Links that cannot be opened ---- */

static void all_links_are_opened_or_none(void **state)
{
    (void)state;
    static const int reasons[] = {EMFILE, EACCES};
    for (size_t i = 0; i < 2; i++) {
        struct run run;
        unsigned before = descriptor_count();
        machine_refuse((struct refusal){.call = CALL_PTY, .after = 1, .reason = reasons[i]});
        assert_false(open_run(&run, 3, robot_words));
        assert_int_equal(machine_obey(), 1);
        assert_int_equal(strncmp(run.error.text, "r1.uart: cannot make a pseudo-terminal: ", 40),
                         0);
        assert_int_equal(run.code, EXIT_CODE_ENVIRONMENT);
        close_run(&run); /* includes links_close(NULL) */
        assert_int_equal(descriptor_count(), before);
    }
}

/* The scene, and not the machine, is wrong. */
static void an_address_that_cannot_be_right_is_a_usage_error(void **state)
{
    (void)state;
    struct run run;
    assert_true(open_run(&run, 1, robot_words));
    links_close(run.links);
    run.scene->robots[0].links[0].kind = LINK_TCP;
    strcpy(run.scene->robots[0].links[0].address, "nowhere");
    run.links = links_open(run.scene, run.sim, &run.live, &run.poller, NULL, &run.code, &run.error);
    assert_null(run.links);
    assert_int_equal(strncmp(run.error.text, "r0.uart: ", 9), 0);
    assert_int_equal(run.code, EXIT_CODE_USAGE);
    close_run(&run);
}

/* Only ptys need inotify. */
static void tcp_works_where_the_machine_has_no_inotify_left(void **state)
{
    (void)state;
    struct run run;
    machine_refuse((struct refusal){.call = CALL_WATCH, .count = 100, .reason = EMFILE});
    assert_true(open_run(&run, 1, TCP_ROBOT));
    int driver = connect_to(view_of(&run, 0).place);
    links_visit(run.links, NOW_NS);
    assert_int_equal(host_count(&run), 1);
    links_after_step(run.links, NOW_NS);
    close(driver);
    close_run(&run);
    assert_false(open_run(&run, 1, robot_words));
    assert_non_null(strstr(run.error.text, "r0.uart: "));
    assert_non_null(strstr(run.error.text, "cannot use inotify: Too many open files"));
    assert_int_equal(run.code, EXIT_CODE_ENVIRONMENT);
    close_run(&run);
    machine_obey();
}

static void a_closed_run_keeps_no_descriptor(void **state)
{
    (void)state;
    struct run run;
    unsigned before = descriptor_count();
    assert_true(open_run(&run, ROBOTS, robot_words));
    close_run(&run);
    assert_int_equal(descriptor_count(), before);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_visits_serve_all_links),
        cmocka_unit_test(a_link_is_found_by_its_name_and_leads_to_its_robot),
        TEST(a_visit_brings_bytes),
        TEST(a_visit_of_one_pty_brings_the_drivers_of_all),
        TEST(news_of_other_ptys_is_passed_on_after_a_step),
        TEST(each_link_delivers),
        TEST(a_robot_that_changes_its_rate_is_compared_with_the_new_one),
        TEST(all_links_are_opened_or_none),
        TEST(an_address_that_cannot_be_right_is_a_usage_error),
        TEST(tcp_works_where_the_machine_has_no_inotify_left),
        TEST(a_closed_run_keeps_no_descriptor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
