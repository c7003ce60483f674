/* Driver commands as processes: their environment and streams, their end, and the processes that
 * remain after them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/drivers/host.h"
#include "app/links/poller.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/machine.h"

struct rig {
    struct folder folder;
    struct hosts hosts;
    const char *words[4];
    struct host_command command;
};

static const char *const no_settings[] = {NULL};

static int setup(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    folder_make(&rig->folder);
    rig->words[0] = "/bin/sh";
    rig->words[1] = "-c";
    rig->command = (struct host_command){
        .words = rig->words, .folder = rig->folder.path, .settings = no_settings};
    rig->hosts.awaited = 1;
    *state = rig;
    return 0;
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    hosts_kill(&rig->hosts);
    folder_remove(&rig->folder);
    free(rig);
    return 0;
}

static struct host *start(struct rig *rig, const char *script)
{
    struct error error = {0};
    struct host *host = &rig->hosts.items[rig->hosts.count++];
    rig->words[2] = script;
    if (!host_start(host, &rig->command, 1000, &error))
        fail_msg("%s", error.text);
    return host;
}

static bool has_ended(struct rig *rig, const struct host *host)
{
    hosts_poll(&rig->hosts, 5000);
    return host->is_ended;
}

/* The output of a script that is the only command, from its log; the caller frees it. */
static char *printed_by(struct rig *rig, const char *script)
{
    char log[FOLDER_PATH_MAX];
    rig->command.log = folder_path(&rig->folder, "log", log);
    struct host *host = start(rig, script);
    WAIT_UNTIL(has_ended(rig, host));
    host->log = NULL; // of this function
    return folder_read(&rig->folder, "log");
}

static void a_command_sees_its_settings_and_no_port_of_others(void **state)
{
    struct rig *rig = *state;
    setenv("PTYBOT_PORT_OLD", "/old", 1);
    setenv("PTYBOT_PORT_OLDER", "/older", 1);
    setenv("PTYBOT_PORTAL", "stays", 1);
    setenv("LD_PRELOAD", "libc.so.6", 1);
    rig->command.settings =
        (const char *const[]){"PTYBOT_PORT_NEW=/new=1", "PTYBOT_CONTROL=/control", NULL};
    char *said = printed_by(rig, "exec env");
    unsetenv("LD_PRELOAD");
    assert_non_null(strstr(said, "\nPTYBOT_PORTAL=stays\n"));
    assert_non_null(strstr(said, "PTYBOT_PORT_NEW=/new=1\n"));
    assert_non_null(strstr(said, "PTYBOT_CONTROL=/control\n"));
    assert_null(strstr(said, "PTYBOT_PORT_OLD"));
    assert_non_null(strstr(said, ":libc.so.6\n")); // after the library for serial ports
    assert_non_null(getenv("PTYBOT_PORT_OLD"));
    assert_null(strstr(said, "PTYBOT_WARP"));
    free(said);
}

/* A shell cannot set the first name. The second name has 256 bytes, the size of a buffer. */
static void odd_names_of_ports_stop_nobody(void **state)
{
    struct rig *rig = *state;
    char longest[300] = "PTYBOT_PORT_";
    memset(longest + 12, 'X', 256 - 12);
    strcpy(longest + 256, "=1");
    char *own[1000] = {"PTYBOT_PORT_ALONE", longest, "PTYBOT_PORT_OLD=2"};
    char **before = environ;
    for (size_t i = 0; before[i] && i < 900; i++)
        own[3 + i] = before[i];
    environ = own;
    char *said = printed_by(rig, "exec env");
    environ = before;
    assert_null(strstr(said, "PTYBOT_PORT_OLD"));
    free(said);
}

static void a_long_log_is_short_after_the_end_of_its_command(void **state)
{
    struct rig *rig = *state;
    char log[FOLDER_PATH_MAX];
    struct stat about;
    rig->command.log = folder_path(&rig->folder, "log", log);
    struct host *host = start(rig, "head -c 17000000 /dev/zero");
    WAIT_UNTIL(has_ended(rig, host));
    assert_int_equal(stat(log, &about), 0);
    assert_in_range(about.st_size, 1, 16000000);
    assert_in_range(host->log_left_out, 1000000, 17000000);
    assert_true(host->log_poll_ns > 5000); // not at each turn of the loop
}

static bool is_thin(struct rig *rig, const char *log, int64_t *now_ns)
{
    struct stat about;
    hosts_poll(&rig->hosts, *now_ns += 20000000);
    return stat(log, &about) == 0 && about.st_size == 17000000 && about.st_blocks * 512 < 16000000;
}

static void a_long_log_is_thinned_while_its_command_runs(void **state)
{
    struct rig *rig = *state;
    char log[FOLDER_PATH_MAX];
    int64_t now_ns = 5000;
    rig->command.log = folder_path(&rig->folder, "log", log);
    start(rig, "head -c 17000000 /dev/zero; exec sleep 1000");
    WAIT_UNTIL(is_thin(rig, log, &now_ns));
}

/* The ID of a process that was never started would address a whole process group. */
static void a_command_that_never_started_gets_no_signal(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct hosts hosts = {.count = 1};
        setpgid(0, 0);
        hosts_signal(&hosts, SIGTERM);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void a_command_in_virtual_time_loads_the_clock_first(void **state)
{
    struct rig *rig = *state;
    struct warp warp;
    struct error error = {0};
    char wanted[3 * FOLDER_PATH_MAX + PATH_MAX];
    assert_true(warp_open(&warp, 2.5, rig->folder.path, &error));
    rig->command.warp = &warp;
    char *said = printed_by(rig, "exec env");
    assert_non_null(strstr(said, "PTYBOT_WARP=2.5\n"));
    snprintf(wanted, sizeof wanted, "PTYBOT_WARP_PAGE=%s/clock\n", rig->folder.path);
    assert_non_null(strstr(said, wanted));
    snprintf(wanted, sizeof wanted, "PTYBOT_WARP_ORIGIN=%lld:%lld\n", (long long)warp.origin_ns,
             (long long)warp.realtime_ns);
    assert_non_null(strstr(said, wanted));
    snprintf(wanted, sizeof wanted, "LD_PRELOAD=%s:", warp.library);
    assert_non_null(strstr(said, wanted));
    free(said);
    warp_close(&warp);
}

static void a_command_has_three_streams_and_nothing_else_of_ours(void **state)
{
    struct rig *rig = *state;
    char earlier[5000] = "";
    memset(earlier, 'x', sizeof earlier - 1);
    folder_write(&rig->folder, "log", "%s", earlier);
    int input = dup(0), other = open("/proc/self/status", O_RDONLY);
    dup2(other, 0);
    close(other);
    rig->command.descriptors = (struct rlimit){77, 78};
    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC); // those of the parent process
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    char *said = printed_by(rig, "echo err >&2; readlink /proc/self/fd/0; readlink /proc/self/fd/3;"
                                 "ulimit -n; pwd -P; grep SigIgn /proc/self/status;"
                                 "grep flags /proc/self/fdinfo/1");
    dup2(input, 0);
    close(input);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    char wanted[FOLDER_PATH_MAX + 100];
    snprintf(wanted, sizeof wanted, "err\n/dev/null\n77\n%s\nSigIgn:\t", rig->folder.path);
    size_t size = strlen(wanted);
    assert_memory_equal(said, wanted, size);
    unsigned long long ignored = strtoull(said + size, NULL, 16);
    assert_true(strlen(said) < 1000); // nothing of the earlier run
    const char *flags = strstr(said, "flags:\t");
    assert_non_null(flags);
    assert_int_equal(strtoul(flags + 7, NULL, 8) & (O_APPEND | O_ACCMODE), O_APPEND | O_WRONLY);
    assert_int_equal(ignored & (1ULL << (SIGPIPE - 1) | 1ULL << (SIGXFSZ - 1)), 0);
    free(said);
}

static void a_command_without_a_log_prints_where_we_do(void **state)
{
    struct rig *rig = *state;
    char path[FOLDER_PATH_MAX];
    int file = open(folder_path(&rig->folder, "err", path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    int before = dup(STDERR_FILENO);
    assert_true(file >= 0 && before >= 0);
    dup2(file, STDERR_FILENO);
    rig->command.is_on_stderr = true;
    struct host *host = start(rig, "echo out; echo err >&2");
    dup2(before, STDERR_FILENO);
    close(before);
    close(file);
    WAIT_UNTIL(has_ended(rig, host));
    char *said = folder_read(&rig->folder, "err");
    assert_string_equal(said, "out\nerr\n");
    free(said);
}

static void a_log_can_be_read_by_whom_the_user_allows_it(void **state)
{
    struct rig *rig = *state;
    struct stat about;
    char path[FOLDER_PATH_MAX];
    mode_t before = umask(026);
    free(printed_by(rig, "exit 0"));
    umask(before);
    assert_int_equal(stat(folder_path(&rig->folder, "log", path), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
}

static void a_command_that_cannot_start_says_why(void **state)
{
    struct rig *rig = *state;
    struct host host;
    struct error error = {0};
    const char *words[] = {"/no/such/command", NULL};
    rig->command.words = words;
    assert_false(host_start(&host, &rig->command, 0, &error));
    assert_string_equal(error.text, "/no/such/command: No such file or directory");
    words[0] = "/bin/true";
    rig->command.folder = "/no/such/folder";
    assert_false(host_start(&host, &rig->command, 0, &error));
    assert_string_equal(error.text, "/bin/true: No such file or directory");
    rig->command.folder = NULL;
    rig->command.log = "/no/such/folder/log";
    assert_false(host_start(&host, &rig->command, 0, &error));
}

/* The first file that it opens is its input, the second is its log. */
static void a_command_without_its_streams_does_not_start(void **state)
{
    struct rig *rig = *state;
    char log[FOLDER_PATH_MAX];
    rig->words[2] = "exit 0";
    rig->command.log = folder_path(&rig->folder, "log", log);
    for (unsigned i = 0; i < 2; i++) {
        struct host host;
        struct error error = {0};
        machine_refuse((struct refusal){.call = CALL_OPEN, .after = i, .reason = EMFILE});
        bool is_started = host_start(&host, &rig->command, 0, &error);
        machine_obey();
        assert_false(is_started);
        assert_string_equal(error.text, "/bin/sh: Too many open files");
    }
}

/* The names of libraries are not truncated. */
static void a_list_of_libraries_that_is_too_long_stays_as_it_is(void **state)
{
    struct rig *rig = *state;
    char shim[PATH_MAX], list[3 * PATH_MAX] = "";
    program_find(PROGRAM_SHIM, shim, sizeof shim);
    assert_true(*shim);
    memset(list, 'x', sizeof list - strlen(shim) - 1);
    setenv("LD_PRELOAD", list, 1);
    char *said = printed_by(rig, "exec env 2>/dev/null");
    assert_non_null(strstr(said, "LD_PRELOAD=xxx"));
    free(said);
    setenv("LD_PRELOAD", "", 1);
    said = printed_by(rig, "exec env");
    unsetenv("LD_PRELOAD");
    snprintf(list, sizeof list, "LD_PRELOAD=%s\n", shim);
    assert_non_null(strstr(said, list));
    free(said);
}

static void the_end_of_a_command_is_seen_once_with_its_time_and_status(void **state)
{
    struct rig *rig = *state;
    struct host *host = start(rig, "exit 3");
    assert_int_equal(host->start_ns, 1000);
    WAIT_UNTIL(has_ended(rig, host));
    hosts_poll(&rig->hosts, 9000);
    assert_int_equal(host->end_ns, 5000);
    assert_int_equal(WEXITSTATUS(host->status), 3);
    assert_true(hosts_have_ended(&rig->hosts));
    WAIT_UNTIL(hosts_are_gone(&rig->hosts));
}

static void a_run_ends_with_the_commands_that_are_awaited_or_with_the_first_that_fails(void **state)
{
    (void)state;
    const int good = 0, bad = W_EXITCODE(1, 0);
    struct hosts hosts = {0};
    assert_false(hosts_have_ended(&hosts));
    hosts = (struct hosts){.count = 3, .awaited = 2};
    assert_false(hosts_have_ended(&hosts));
    hosts.items[2] = (struct host){.is_ended = true, .status = good};
    hosts.items[0] = (struct host){.is_ended = true, .status = good};
    assert_false(hosts_have_ended(&hosts));
    hosts.items[1] = (struct host){.is_ended = true, .status = good};
    assert_true(hosts_have_ended(&hosts));
    hosts.items[1] = (struct host){.status = bad}; // valid only after the process has ended
    assert_false(hosts_have_ended(&hosts));
    hosts.items[2].status = bad;
    assert_true(hosts_have_ended(&hosts));
    hosts.items[2].status = SIGINT;
    assert_true(hosts_have_ended(&hosts));
    hosts.sent = 1 << SIGINT; // it ended on request
    assert_false(hosts_have_ended(&hosts));
}

static void a_command_obeys_a_signal_by_it_or_by_the_code_that_shells_make_of_it(void **state)
{
    (void)state;
    struct hosts hosts = {.sent = UINT64_C(1) << SIGINT | UINT64_C(1) << SIGTERM |
                                  UINT64_C(1) << 63 | 1 << SIGHUP | 1};
    static const struct {
        int status;
        bool is_obeyed;
    } cases[] = {
        {SIGINT, true},
        {SIGTERM, true},
        {SIGKILL, false},
        {W_EXITCODE(128 + SIGINT, 0), true},
        {W_EXITCODE(128 + SIGTERM, 0), true},
        {W_EXITCODE(128 + SIGKILL, 0), false},
        {W_EXITCODE(SIGINT, 0), false},
        {W_EXITCODE(0, 0), false},
        {W_EXITCODE(128, 0), false},
        {W_EXITCODE(255, 0), false},
        {63, true},
        {SIGHUP, true},
        {64, false}, // the last signal
        {W_EXITCODE(128 + 64, 0), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct host host = {.is_ended = true, .status = cases[i].status};
        assert_int_equal(host_obeyed(&hosts, &host), cases[i].is_obeyed);
        host.is_ended = false;
        assert_false(host_obeyed(&hosts, &host));
    }
}

static void an_interrupt_reaches_all_commands_that_still_run(void **state)
{
    struct rig *rig = *state;
    struct host *one = start(rig, "exec sleep 1000"), *two = start(rig, "sleep 1000; exit 0");
    struct host *ended = start(rig, "exit 0");
    WAIT_UNTIL(has_ended(rig, ended));
    assert_false(one->is_ended || two->is_ended);
    hosts_interrupt(&rig->hosts, SIGTERM);
    assert_int_equal(rig->hosts.sent, UINT64_C(1) << SIGTERM);
    WAIT_UNTIL(has_ended(rig, one) && has_ended(rig, two));
    assert_true(host_obeyed(&rig->hosts, one));
    assert_true(host_obeyed(&rig->hosts, two));
    assert_false(host_obeyed(&rig->hosts, ended));
}

static bool is_alive(const struct rig *rig, const char *name)
{
    char *text = folder_read(&rig->folder, name);
    pid_t pid = (pid_t)atol(text);
    free(text);
    return pid > 0 && kill(pid, 0) == 0;
}

static bool is_zombie(const struct rig *rig, const char *name)
{
    struct keeper_stat stat;
    char *text = folder_read(&rig->folder, name);
    pid_t pid = (pid_t)atol(text);
    free(text);
    return !keeper_look(pid, &stat) || stat.state == 'Z';
}

static void what_a_command_leaves_behind_is_seen_and_gets_signals(void **state)
{
    struct rig *rig = *state;
    // One in the group of the command, and one that has left it.
    struct host *host = start(rig, "sleep 1000 & echo $! >one; setsid sleep 1000 & "
                                   "echo $! >two; sleep 0.1; exit 0");
    assert_false(hosts_left_any(&rig->hosts) && host->is_ended);
    WAIT_UNTIL(has_ended(rig, host));
    assert_true(hosts_have_ended(&rig->hosts));
    assert_true(hosts_left_any(&rig->hosts));
    assert_false(hosts_are_gone(&rig->hosts));
    sleep_ms(20);
    assert_true(hosts_left_any(&rig->hosts)); // a query has no side effect
    assert_false(hosts_are_gone(&rig->hosts));
    assert_true(is_alive(rig, "one") && is_alive(rig, "two"));
    assert_false(is_zombie(rig, "one") || is_zombie(rig, "two"));
    hosts_signal(&rig->hosts, SIGTERM);
    WAIT_UNTIL(hosts_are_gone(&rig->hosts));
    assert_false(hosts_left_any(&rig->hosts));
    assert_false(is_alive(rig, "one") || is_alive(rig, "two"));
}

static void one_process_that_is_left_behind_is_seen_too(void **state)
{
    struct rig *rig = *state;
    struct host *host = start(rig, "sleep 1000 & exit 0");
    WAIT_UNTIL(has_ended(rig, host));
    assert_true(hosts_left_any(&rig->hosts));
    hosts_signal(&rig->hosts, SIGKILL);
    WAIT_UNTIL(!hosts_left_any(&rig->hosts));
}

static void a_command_that_runs_is_not_left_behind(void **state)
{
    struct rig *rig = *state;
    const struct host *host = start(rig, "exec sleep 1000");
    assert_int_equal(getpgid(host->pid), host->pid);
    assert_int_not_equal(getpgid(host->keeper.pid),
                         getpgrp()); // the keeper gets no signal of our group
    assert_false(hosts_left_any(&rig->hosts));
    assert_false(hosts_are_gone(&rig->hosts));
    assert_false(hosts_have_ended(&rig->hosts));
}

static void all_are_killed_at_once_with_what_they_started(void **state)
{
    struct rig *rig = *state;
    start(rig, "trap '' TERM; echo $$ >one; setsid sleep 1000 & echo $! >two; wait");
    start(rig, "echo $$ >three; sleep 1000; exit 0");
    WAIT_UNTIL(is_alive(rig, "one") && is_alive(rig, "two") && is_alive(rig, "three"));
    hosts_kill(&rig->hosts);
    assert_false(is_alive(rig, "one") || is_alive(rig, "two") || is_alive(rig, "three"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        // First, because this test also fails if this process becomes the command.
        TEST(the_end_of_a_command_is_seen_once_with_its_time_and_status),
        TEST(a_command_sees_its_settings_and_no_port_of_others),
        TEST(odd_names_of_ports_stop_nobody),
        TEST(a_long_log_is_short_after_the_end_of_its_command),
        TEST(a_long_log_is_thinned_while_its_command_runs),
        TEST(a_command_that_never_started_gets_no_signal),
        TEST(a_command_in_virtual_time_loads_the_clock_first),
        TEST(a_command_has_three_streams_and_nothing_else_of_ours),
        TEST(a_command_without_a_log_prints_where_we_do),
        TEST(a_log_can_be_read_by_whom_the_user_allows_it),
        TEST(a_command_that_cannot_start_says_why),
        TEST(a_command_without_its_streams_does_not_start),
        TEST(a_list_of_libraries_that_is_too_long_stays_as_it_is),
        cmocka_unit_test(
            a_run_ends_with_the_commands_that_are_awaited_or_with_the_first_that_fails),
        cmocka_unit_test(a_command_obeys_a_signal_by_it_or_by_the_code_that_shells_make_of_it),
        TEST(an_interrupt_reaches_all_commands_that_still_run),
        TEST(what_a_command_leaves_behind_is_seen_and_gets_signals),
        TEST(one_process_that_is_left_behind_is_seen_too),
        TEST(a_command_that_runs_is_not_left_behind),
        TEST(all_are_killed_at_once_with_what_they_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
