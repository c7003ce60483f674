/* The commands of a run start together, with their ports and their clock, or no command starts. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "app/drivers/host_run.h"
#include "app/links/poller.h"
#include "pty/shim/clock_shm.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/machine.h"
#include "tests/unit/control_rig.h"

struct rig {
    struct fixture *f;
    struct folder folder; /* for files of drivers */
    struct session session;
    struct host_options options;
    struct host_run run;
};

static struct rig rig;

static int setup(void **state)
{
    set_up(state);
    rig = (struct rig){.f = *state, .options.warp = 1};
    folder_make(&rig.folder);
    rig.session = (struct session){
        .scene = rig.f->scene, .sim = rig.f->sim, .links = rig.f->links, .descriptors = {64, 64}};
    snprintf(rig.session.control_path, sizeof rig.session.control_path, "%s", rig.f->socket_path);
    snprintf(rig.session.folder.path, sizeof rig.session.folder.path, "%s", rig.f->folder);
    pacer_init(&rig.session.pacer, PACER_REAL_TIME);
    return 0;
}

static int teardown(void **state)
{
    hosts_kill(&rig.run.hosts);
    host_run_close(&rig.run);
    folder_remove(&rig.folder);
    return tear_down(state);
}

/* Two scripts, which start in the folder of the rig. */
static void choose(const char *one, const char *two)
{
    rig.options.shells.texts[0] = one;
    rig.options.shells.texts[1] = two;
    rig.options.shells.count = 2;
    host_run_choose(&rig.run, &rig.options, rig.session.scene);
    for (size_t i = 0; i < rig.run.count; i++)
        rig.run.commands[i].folder = rig.folder.path;
}

static void open_run(void)
{
    struct error error = {0};
    if (!host_run_open(&rig.run, &rig.session, &error))
        fail_msg("%s", error.text);
}

static void start(void)
{
    struct error error = {0};
    size_t failed = 99;
    if (!host_run_start(&rig.run, &failed, &error))
        fail_msg("%zu: %s", failed, error.text);
}

static bool have_ended(void)
{
    hosts_poll(&rig.run.hosts, poller_now_ns());
    return hosts_have_ended(&rig.run.hosts);
}

/* ---- Start ---- */

static void all_commands_start_with_their_ports(void **state)
{
    (void)state;
    char wanted[400];
    int64_t begin_ns = poller_now_ns();
    choose("echo {kobuki} $PTYBOT_CONTROL >one", "echo {kobuki.uart} >two; ulimit -n >>two");
    open_run();
    start();
    assert_int_equal(rig.run.hosts.count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_in_range(rig.run.hosts.items[i].start_ns, begin_ns, poller_now_ns());
    WAIT_UNTIL(have_ended());
    char *one = folder_read(&rig.folder, "one"), *two = folder_read(&rig.folder, "two");
    snprintf(wanted, sizeof wanted, "%s %s\n", rig.f->pty_path, rig.f->socket_path);
    assert_string_equal(one, wanted);
    snprintf(wanted, sizeof wanted, "%s\n64\n", rig.f->pty_path);
    assert_string_equal(two, wanted);
    free(one);
    free(two);
    // Reports show the words as the user gave them.
    assert_string_equal(rig.run.commands[1].words[2], "echo {kobuki.uart} >two; ulimit -n >>two");
    assert_null(rig.session.hold);
    assert_false(rig.session.live.pace.is_waiting);
}

static void if_one_cannot_start_none_runs(void **state)
{
    (void)state;
    struct error error = {0};
    size_t failed = 99;
    const char *const words[] = {"/no/such/driver", NULL};
    choose("exec sleep 1000", "");
    rig.run.commands[1].words = words;
    open_run();
    assert_false(host_run_start(&rig.run, &failed, &error));
    assert_int_equal(failed, 1);
    assert_string_equal(error.text, "/no/such/driver: No such file or directory");
    pid_t first = rig.run.hosts.items[0].pid;
    assert_true(first > 0);
    assert_int_equal(kill(first, 0), -1);
}

static void a_misspelled_port_stops_the_start(void **state)
{
    (void)state;
    struct error error = {0};
    size_t failed = 99;
    const char *const words[] = {"echo", "{kobuky}", NULL};
    choose("", "exec sleep 1000");
    rig.run.commands[0].words = words;
    open_run();
    assert_false(host_run_start(&rig.run, &failed, &error));
    assert_int_equal(failed, 0);
    assert_non_null(strstr(error.text, "did you mean '{kobuki}'?"));
    assert_int_equal(rig.run.hosts.count, 0);
    assert_int_equal(rig.run.hosts.items[1].pid, 0);
}

/* ---- Virtual time ---- */

static bool are_watched(void)
{
    pid_t hosts[HOLD_HOSTS_MAX];
    size_t count;
    hold_may_go(rig.session.hold);
    count = hold_hosts(rig.session.hold, hosts);
    for (size_t i = 0; i < 2; i++) {
        bool is_found = false;
        for (size_t j = 0; j < count; j++)
            is_found |= hosts[j] == rig.run.hosts.items[i].pid;
        if (!is_found)
            return false;
    }
    return hosts[0] == rig.run.hosts.items[0].keeper.pid;
}

static void check_held(double factor)
{
    unsigned descriptors = descriptor_count();
    struct diagnoses diagnoses = {0};
    struct warp_outcome outcome = {0};
    rig.options.is_warped = true;
    rig.options.warp = factor;
    choose("exec sleep 1000", "exec sleep 1000");
    open_run();
    assert_true(rig.run.is_open);
    assert_ptr_equal(rig.session.hold, &rig.run.warp.hold);
    assert_true(rig.session.live.pace.is_waiting);
    assert_int_equal(rig.session.live.pace.is_fast, isinf(factor));
    assert_true(rig.session.pacer.is_awaited);
    assert_int_equal(rig.session.pacer.lag_max_ns,
                     isinf(factor) ? PACER_LAG_MAX_NS : warp_lag_max_ns(factor));
    start();
    WAIT_UNTIL(are_watched());
    host_run_find(&rig.run, 6, 2, &diagnoses, &outcome);
    assert_true(outcome.speed == 3);
    assert_int_equal(outcome.is_held, diagnoses.count == 0);
    diagnoses_free(&diagnoses);
    hosts_kill(&rig.run.hosts);
    host_run_close(&rig.run);
    assert_int_equal(descriptor_count(), descriptors);
}

static void all_commands_are_watched_in_virtual_time(void **state)
{
    (void)state;
    check_held(2);
}

static void without_a_limit_the_clock_is_as_fast_as_it_can_be(void **state)
{
    (void)state;
    check_held(INFINITY);
}

static void a_slow_host_is_that_of_the_flags_or_else_that_of_the_scene(void **state)
{
    (void)state;
    rig.options.is_warped = true;
    rig.f->scene->host_delay = (struct scene_host_delay){.min_us = 1, .max_us = 2};
    rig.f->scene->wake_order = 9;
    choose("true", "true");
    open_run();
    assert_int_equal(rig.run.warp.shm->delay_min_us, 1);
    assert_int_equal(rig.run.warp.shm->delay_max_us, 2);
    assert_int_equal(rig.run.warp.hold.wake_order, 9);
    host_run_close(&rig.run);
    rig.run = (struct host_run){0};
    strcpy(rig.options.delay_text, "3..4us");
    rig.options.delay = (struct scene_host_delay){.min_us = 3, .max_us = 4};
    rig.options.wake_order = 5;
    choose("true", "true");
    open_run();
    assert_int_equal(rig.run.warp.shm->delay_min_us, 3);
    assert_int_equal(rig.run.warp.shm->delay_max_us, 4);
    assert_int_equal(rig.run.warp.hold.wake_order, 5);
}

static void each_process_outside_of_the_drivers_is_a_warning(void **state)
{
    (void)state;
    struct diagnoses diagnoses = {0};
    struct warp_outcome outcome = {0};
    rig.options.is_warped = true;
    choose("true", "true");
    open_run();
    start();
    struct external_peers *peers = &rig.run.warp.hold.peers;
    peers->count = 2;
    peers->peers[0] = (struct external_peer){.process = 7, .name = "a", .where = "127.0.0.1:80"};
    peers->peers[1] = (struct external_peer){.process = 8, .name = "b", .where = "/run/bus"};
    atomic_store(&rig.run.warp.shm->programs, 1);
    host_run_find(&rig.run, 1, 1, &diagnoses, &outcome);
    assert_true(diagnoses.count >= 2);
    const struct diagnosis *last = &diagnoses.items[diagnoses.count - 1];
    assert_non_null(strstr(last[-1].text, "a (process 7) talked to 127.0.0.1:80, outside"));
    assert_non_null(strstr(last->text, "b (process 8) talked to /run/bus, outside"));
    assert_string_equal(last->entry, "troubleshooting.md#external-process");
    assert_int_equal(last->kind, DIAGNOSIS_MACHINE);
    assert_int_equal(last->severity, DIAGNOSIS_WARNING);
    diagnoses_free(&diagnoses);
}

/* The machine hides the state of drivers. The drivers' clock then follows simulated time, which
 * does not wait for them, and a warning is reported. */
static void where_time_cannot_wait_it_follows_the_world(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct diagnoses diagnoses = {0};
        struct warp_outcome outcome = {0};
        rig.options.is_warped = true;
        rig.options.warp = i == 0 ? INFINITY : 3;
        rig.run = (struct host_run){0};
        choose("true", "true");
        machine_refuse(
            (struct refusal){.call = CALL_SYSCALL, .request = SYS_pidfd_open, .reason = ENOSYS});
        open_run();
        assert_int_equal(machine_obey(), 1);
        assert_null(rig.session.hold);
        assert_true(rig.run.is_open);
        assert_string_equal(rig.run.reason, "pidfd_getfd of a child: Function not implemented");
        assert_true(rig.run.warp.factor == (i == 0 ? 1 : 3));
        for (size_t j = 0; j < 2; j++)
            assert_ptr_equal(rig.run.commands[j].warp, &rig.run.warp);
        host_run_find(&rig.run, 1, 1, &diagnoses, &outcome);
        assert_int_equal(diagnoses.count, 2);
        assert_string_equal(diagnoses.items[0].entry, "troubleshooting.md#time-does-not-wait");
        assert_int_equal(strstr(diagnoses.items[0].text,
                                "outcome, and --warp max runs at the speed of real time: pidfd_") !=
                             NULL,
                         i == 0);
        assert_string_equal(diagnoses.items[1].entry, "troubleshooting.md#clock-not-loaded");
        assert_int_equal(diagnoses.items[1].kind, DIAGNOSIS_DRIVER);
        diagnoses_free(&diagnoses);
        host_run_close(&rig.run);
    }
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_commands_start_with_their_ports),
        TEST(if_one_cannot_start_none_runs),
        TEST(a_misspelled_port_stops_the_start),
        TEST(all_commands_are_watched_in_virtual_time),
        TEST(without_a_limit_the_clock_is_as_fast_as_it_can_be),
        TEST(a_slow_host_is_that_of_the_flags_or_else_that_of_the_scene),
        TEST(each_process_outside_of_the_drivers_is_a_warning),
        TEST(where_time_cannot_wait_it_follows_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
