/* The modem lines of a pty in shared memory: lines, pulses, failures, and memory that is lost. */
#define _GNU_SOURCE
#include "tests/unit/test_pty_scratch.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "base/array.h"
#include "pty/shim/modem_shm.h"
#include "pty/terminal/pty_device.h"
#include "pty/terminal/pty_modem.h"
#include "tests/support/link_lines.h"
#include "tests/support/machine.h"

static struct transcript seen;

static int set_up(void **state)
{
    memset(&seen, 0, sizeof seen);
    return scratch_set_up(state);
}

static int tear_down(void **state)
{
    machine_obey();
    return scratch_tear_down(state);
}

/* ---- Failures: a link works without modem lines ---- */

static void modem_lines_that_the_machine_refuses_name_the_step_and_leave_nothing(void **state)
{
    (void)state;
    static const struct {
        struct refusal refusal;
        const char *part; /* of the message */
    } rows[] = {
        {{.call = CALL_OPEN, .reason = EMFILE}, ": cannot make it: Too many open files; drivers"},
        {{.call = CALL_FCNTL, .reason = ENOLCK}, ": cannot lock it: No locks available; drivers"},
        {{.call = CALL_FALLOCATE, .reason = ENODEV}, "reserve it: No such device; drivers with"},
        {{.call = CALL_FALLOCATE, .reason = ENOSPC}, "no modem lines: make room in its folder"},
        {{.call = CALL_FALLOCATE, .reason = EDQUOT}, "no modem lines: make room in its folder"},
        {{.call = CALL_RENAME, .reason = EIO}, ": cannot put it in place: Input/output error"},
    };
    struct pty_device device;
    struct error error;
    assert_true(pty_device_open(&device, 9600, &error));
    unsigned before = descriptor_count();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct pty_modem modem;
        char fresh[PTY_PATH_MAX + 8];
        machine_refuse(rows[i].refusal);
        assert_false(pty_modem_open(&modem, device.node, 0, &error));
        assert_int_equal(machine_obey(), 1);
        assert_true(error.is_environment);
        assert_has(error.text, rows[i].part);
        assert_has(error.text, modem.path);
        assert_int_equal(strstr(error.text, "make room") != NULL,
                         rows[i].refusal.reason == ENOSPC || rows[i].refusal.reason == EDQUOT);
        snprintf(fresh, sizeof fresh, "%s.new", modem.path);
        assert_false(is_there(modem.path));
        assert_false(is_there(fresh));
        assert_int_equal(descriptor_count(), before);
        /* A second close must not close a descriptor of other code. */
        int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
        pty_modem_close(&modem);
        assert_int_equal(close(other), 0);
    }
    pty_device_close(&device);
}

/* Every program of the same user can truncate the file. */
static void modem_lines_that_another_program_cuts_short_are_given_up(void **state)
{
    (void)state;
    struct pty_device devices[3];
    struct pty_modem modem, second, failed;
    struct error error;
    unsigned pulsed;
    uint32_t count;
    for (size_t i = 0; i < COUNT(devices); i++)
        assert_true(pty_device_open(&devices[i], 9600, &error));
    assert_true(pty_modem_open(&modem, devices[0].node, MODEM_ROBOT_READY, &error));
    assert_true(pty_modem_open(&second, devices[1].node, MODEM_ROBOT_READY, &error));
    assert_false(pty_modem_is_lost(&modem));
    assert_int_equal(pty_modem_take(&modem, &pulsed), MODEM_HOST_LINES);
    assert_int_equal(truncate(modem.path, 0), 0);
    assert_true(pty_modem_is_lost(&modem));
    /* Another one that fails leaves the handler in place. */
    assert_int_equal(truncate(second.path, 0), 0);
    machine_refuse((struct refusal){.call = CALL_FALLOCATE, .reason = ENOSPC});
    assert_false(pty_modem_open(&failed, devices[2].node, 0, &error));
    assert_int_equal(machine_obey(), 1);
    assert_true(pty_modem_is_lost(&second));
    pty_modem_close(&second);
    pty_modem_set(&modem, 0);
    pty_modem_count(&modem, 1, 2);
    pty_modem_close(&modem);
    assert_false(is_there(modem.path));
    /* Without shared memory both lines count as on. */
    assert_int_equal(pty_modem_take(&modem, &pulsed), MODEM_HOST_LINES);
    assert_int_equal(pulsed, 0);
    assert_null(pty_modem_framing(&modem, &count));
    assert_int_equal(count, 0);
    assert_false(pty_modem_has_news(&modem));
    for (size_t i = 0; i < COUNT(devices); i++)
        pty_device_close(&devices[i]);
}

static void a_machine_without_modem_lines_is_reported_once_and_its_links_work(void **state)
{
    (void)state;
    char notice[256];
    for (int i = 0; i < 2; i++) {
        struct error error;
        machine_refuse((struct refusal){.call = CALL_FALLOCATE, .reason = ENOSPC});
        struct byte_link *opened = open_at(in_scratch("robot"), &error);
        assert_int_equal(machine_obey(), 1);
        assert_non_null(opened);
        assert_int_equal(byte_link_take_notice(opened, notice, sizeof notice), i == 0);
        assert_has(notice, "no modem lines: make room");
        memset(&seen, 0, sizeof seen);
        int host = host_open(opened);
        assert_int_equal(write(host, "works", 5), 5);
        assert_string_equal(run_until(opened, &seen, "+works"), "+works");
        assert_int_equal(byte_link_host_lines(opened), MODEM_HOST_LINES);
        byte_link_set_lines(opened, 0);
        close(host);
        byte_link_close(opened);
    }
}

/* ---- The modem lines of a host with the shim ---- */

static struct pty_device modem_device;
static struct pty_modem modem;

static int modem_up(void **state)
{
    struct error error;
    if (set_up(state) != 0 || !pty_device_open(&modem_device, 9600, &error))
        return -1;
    return pty_modem_open(&modem, modem_device.node, MODEM_ROBOT_READY, &error) ? 0 : -1;
}

static int modem_down(void **state)
{
    pty_modem_close(&modem);
    pty_device_close(&modem_device);
    return tear_down(state);
}

/* It shows the lines of a robot, and takes those of its driver. */
static void only_its_user_may_open_the_memory_of_a_port(void **state)
{
    (void)state;
    struct stat file;
    assert_int_equal(stat(modem.path, &file), 0);
    assert_int_equal(file.st_mode & 07777, 0600);
}

static void a_host_sets(unsigned lines)
{
    atomic_store(&modem.shm->host, modem_shm_host(atomic_load(&modem.shm->host), lines));
}

static void assert_takes(unsigned lines, unsigned pulsed)
{
    unsigned got;
    assert_int_equal(pty_modem_take(&modem, &got), lines);
    assert_int_equal(got, pulsed);
    assert_false(pty_modem_has_news(&modem));
}

static void a_line_that_changes_and_changes_back_is_a_pulse_of_that_line(void **state)
{
    (void)state;
    const unsigned both = MODEM_DTR | MODEM_RTS;
    assert_takes(both, 0);
    for (unsigned off = 1; off <= both; off++) {
        a_host_sets(both & ~off);
        assert_true(pty_modem_has_news(&modem));
        a_host_sets(both);
        assert_takes(both, off);
        assert_takes(both, 0);
        /* A change without a change back is not a pulse. */
        a_host_sets(both & ~off);
        assert_takes(both & ~off, 0);
        /* A line that is off can pulse, too. */
        a_host_sets(both);
        a_host_sets(both & ~off);
        assert_takes(both & ~off, off);
        a_host_sets(both);
        assert_takes(both, 0);
    }
}

/* "The next one finds DTR and RTS on, as if opening a serial port." */
static void the_next_host_finds_nothing_of_the_last_ones_modem(void **state)
{
    (void)state;
    uint32_t count;
    a_host_sets(0);
    atomic_store(&modem.shm->serial_flags, 7);
    atomic_store(&modem.shm->framing, 0);
    atomic_store(&modem.shm->settings, 3);
    assert_int_equal(*pty_modem_framing(&modem, &count), 0);
    assert_int_equal(count, 3);
    assert_takes(0, 0);
    pty_modem_renew(&modem);
    assert_false(pty_modem_has_news(&modem));
    assert_takes(MODEM_DTR | MODEM_RTS, 0);
    assert_int_equal(atomic_load(&modem.shm->serial_flags), 0);
    assert_int_equal(*pty_modem_framing(&modem, &count), MODEM_SHM_FRAMING_START);
    assert_int_equal(count, 0);
    /* Without shared memory, nothing happens. */
    pty_modem_close(&modem);
    pty_modem_renew(&modem);
    pty_modem_count(&modem, 1, 2);
    pty_modem_set(&modem, 0);
}

/* ---- SIGBUS ---- */

static volatile sig_atomic_t bus_errors;

static void count_bus_error(int number)
{
    bus_errors++;
    signal(number, SIG_DFL);
}

static void assert_bus_is(void (*handler)(int))
{
    struct sigaction action;
    assert_int_equal(sigaction(SIGBUS, NULL, &action), 0);
    assert_true(action.sa_handler == handler);
}

static void the_signal_of_lost_memory_is_handled_only_while_there_is_some(void **state)
{
    (void)state;
    struct error error;
    struct pty_modem failed;
    void (*before)(int) = signal(SIGBUS, count_bus_error);
    assert_true(pty_device_open(&modem_device, 9600, &error));
    /* Neither by one that fails, */
    machine_refuse((struct refusal){.call = CALL_FALLOCATE, .reason = ENOSPC});
    assert_false(pty_modem_open(&failed, modem_device.node, 0, &error));
    assert_int_equal(machine_obey(), 1);
    assert_bus_is(count_bus_error);
    /* nor after the last one. */
    assert_true(pty_modem_open(&modem, modem_device.node, 0, &error));
    pty_modem_close(&modem);
    assert_bus_is(count_bus_error);
    pty_device_close(&modem_device);
    signal(SIGBUS, before);
}

/* A program has its own mappings, too. */
static void the_signal_of_other_lost_memory_reaches_its_handler(void **state)
{
    (void)state;
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        struct error error;
        alarm(10); /* instead of faulting endlessly */
        signal(SIGBUS, count_bus_error);
        int file = open(in_scratch("other"), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
        if (!pty_device_open(&modem_device, 9600, &error) ||
            !pty_modem_open(&modem, modem_device.node, 0, &error) || ftruncate(file, 1) != 0)
            _exit(2);
        volatile char *other = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (ftruncate(file, 0) != 0)
            _exit(3);
        other[0] = 1;
        _exit(4);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGBUS);
}

#define CASE(name)  cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define MODEM(name) cmocka_unit_test_setup_teardown(name, modem_up, modem_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(modem_lines_that_the_machine_refuses_name_the_step_and_leave_nothing),
        CASE(modem_lines_that_another_program_cuts_short_are_given_up),
        CASE(a_machine_without_modem_lines_is_reported_once_and_its_links_work),
        MODEM(only_its_user_may_open_the_memory_of_a_port),
        MODEM(a_line_that_changes_and_changes_back_is_a_pulse_of_that_line),
        MODEM(the_next_host_finds_nothing_of_the_last_ones_modem),
        CASE(the_signal_of_lost_memory_is_handled_only_while_there_is_some),
        CASE(the_signal_of_other_lost_memory_reaches_its_handler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
