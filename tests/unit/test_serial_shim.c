/* The serial shim, preloaded into this program: it starts itself again with the shim. */
#define _GNU_SOURCE
#include "tests/unit/test_shim_support.h"

#include <limits.h>
#include <linux/serial.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/modem_lines.h"
#include "tests/support/link_lines.h"

static void set_lines(unsigned long request, int lines)
{
    assert_int_equal(ioctl(host, request, &lines), 0);
}

/* ---- Lines ---- */

static void a_fresh_port_shows_a_ready_robot_and_the_lines_of_an_opened_port(void **state)
{
    (void)state;
    assert_int_equal(lines_of(host), TIOCM_DTR | TIOCM_RTS | TIOCM_CTS | TIOCM_DSR | TIOCM_CAR);
}

static void ports_of_all_numbers_have_their_lines(void **state)
{
    (void)state;
    int masters[12];
    for (size_t i = 0; i < 12; i++)
        masters[i] = posix_openpt(O_RDWR | O_NOCTTY);
    struct byte_link *other = test_link_open("other");
    int one = host_open(other);
    assert_int_equal(lines_of(one), TIOCM_DTR | TIOCM_RTS | TIOCM_CTS | TIOCM_DSR | TIOCM_CAR);
    byte_link_set_lines(other, MODEM_RI);
    assert_int_equal(lines_of(one), TIOCM_DTR | TIOCM_RTS | TIOCM_RNG);
    close(one);
    byte_link_close(other);
    for (size_t i = 0; i < 12; i++)
        close(masters[i]);
}

static void lines_that_the_host_sets_are_reported(void **state)
{
    (void)state;
    set_lines(TIOCMBIC, TIOCM_DTR);
    assert_true(byte_link_has_news(opened));
    assert_string_equal(run_until(opened, &seen, "+{2}"), "+{2}");
    assert_false(byte_link_has_news(opened));
    set_lines(TIOCMBIC, TIOCM_RTS);
    assert_string_equal(run_until(opened, &seen, "+{2}{0}"), "+{2}{0}");
    set_lines(TIOCMBIS, TIOCM_DTR);
    assert_string_equal(run_until(opened, &seen, "+{2}{0}{1}"), "+{2}{0}{1}");
    set_lines(TIOCMSET, TIOCM_RTS);
    assert_string_equal(run_until(opened, &seen, "+{2}{0}{1}{2}"), "+{2}{0}{1}{2}");
    assert_int_equal(lines_of(host) & (TIOCM_DTR | TIOCM_RTS), TIOCM_RTS);
    assert_int_equal(byte_link_host_lines(opened), MODEM_RTS);
}

static void a_pulse_between_two_looks_is_reported(void **state)
{
    (void)state;
    set_lines(TIOCMBIC, TIOCM_DTR);
    set_lines(TIOCMBIS, TIOCM_DTR);
    assert_string_equal(run_until(opened, &seen, "+{2}{3}"), "+{2}{3}");
    /* Both lines at once: the first line is back at its old state, the second has changed. */
    set_lines(TIOCMBIC, TIOCM_DTR | TIOCM_RTS);
    set_lines(TIOCMBIS, TIOCM_DTR);
    assert_string_equal(run_until(opened, &seen, "+{2}{3}{0}{1}"), "+{2}{3}{0}{1}");
}

static void the_next_host_finds_its_lines_on(void **state)
{
    (void)state;
    set_lines(TIOCMBIC, TIOCM_DTR | TIOCM_RTS);
    run_until(opened, &seen, "+{0}");
    close(host);
    assert_string_equal(run_until(opened, &seen, "+{0}-"), "+{0}-");
    assert_int_equal(byte_link_host_lines(opened), 0);
    host = host_open(opened);
    assert_string_equal(run_until(opened, &seen, "+{0}-+"), "+{0}-+");
    assert_int_equal(lines_of(host) & (TIOCM_DTR | TIOCM_RTS), TIOCM_DTR | TIOCM_RTS);
    assert_int_equal(byte_link_host_lines(opened), MODEM_HOST_LINES);
}

static void lines_of_the_robot_are_seen_and_counted(void **state)
{
    (void)state;
    struct serial_icounter_struct counts;

    byte_link_set_lines(opened, MODEM_RI);
    assert_int_equal(lines_of(host), TIOCM_DTR | TIOCM_RTS | TIOCM_RNG);
    byte_link_set_lines(opened, MODEM_CTS);
    assert_int_equal(ioctl(host, TIOCGICOUNT, &counts), 0);
    assert_int_equal(counts.cts, 2);
    assert_int_equal(counts.dsr, 1);
    assert_int_equal(counts.dcd, 1);
    assert_int_equal(counts.rng, 2);
}

static void bytes_are_counted_as_the_host_sees_them(void **state)
{
    (void)state;
    struct serial_icounter_struct counts;
    char bytes[8];

    assert_int_equal(write(host, "abc", 3), 3);
    assert_string_equal(run_until(opened, &seen, "+abc"), "+abc");
    assert_true(byte_link_write(opened, "12345", 5));
    assert_int_equal(host_read(host, bytes, 5), 5);
    look(opened, &seen);
    assert_int_equal(ioctl(host, TIOCGICOUNT, &counts), 0);
    assert_int_equal(counts.tx, 3);
    assert_int_equal(counts.rx, 5);
}

/* ---- Waiting for a line ---- */

static void a_wait_ends_with_the_line_it_is_for(void **state)
{
    (void)state;
    struct wait wait = {.mask = TIOCM_RNG | TIOCM_DSR};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, wait_for_line, &wait), 0);
    test_pause_ms(50);
    byte_link_set_lines(opened, MODEM_DSR | MODEM_DCD); /* CTS goes off: it is not awaited */
    test_pause_ms(50);
    assert_false(wait.is_over);
    for (unsigned lines = 0; !wait.is_over; lines ^= MODEM_RI) {
        byte_link_set_lines(opened, MODEM_DSR | MODEM_DCD | lines);
        test_pause_ms(20);
    }
    pthread_join(thread, NULL);
    assert_int_equal(wait.result, 0);
}

static void a_wait_ends_when_the_cable_is_pulled(void **state)
{
    (void)state;
    struct wait wait = {.mask = TIOCM_CTS};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, wait_for_line, &wait), 0);
    test_pause_ms(50);
    byte_link_unplug(opened);
    pthread_join(thread, NULL);
    assert_int_equal(wait.result, -1);
    assert_int_equal(wait.reason, EIO);
}

/* ---- Other answers of a UART ---- */

static void the_settings_of_a_serial_driver_are_kept(void **state)
{
    (void)state;
    struct serial_struct settings = {0};

    assert_int_equal(ioctl(host, TIOCGSERIAL, &settings), 0);
    assert_int_not_equal(settings.type, PORT_UNKNOWN);
    assert_int_equal(settings.flags, 0);
    settings.flags = (int)ASYNC_LOW_LATENCY;
    assert_int_equal(ioctl(host, TIOCSSERIAL, &settings), 0);
    memset(&settings, 0, sizeof settings);
    assert_int_equal(ioctl(host, TIOCGSERIAL, &settings), 0);
    assert_int_equal(settings.flags, ASYNC_LOW_LATENCY);
}

static void a_break_is_accepted(void **state)
{
    (void)state;
    assert_int_equal(ioctl(host, TIOCSBRK), 0);
    assert_int_equal(ioctl(host, TIOCCBRK), 0);
    assert_int_equal(tcsendbreak(host, 0), 0);
}

static void a_null_address_is_refused_as_by_the_kernel(void **state)
{
    (void)state;
    void *volatile nowhere = NULL;
    assert_int_equal(ioctl(host, TIOCMGET, nowhere), -1);
    assert_int_equal(errno, EFAULT);
}

static void assert_entry(const char *path)
{
    char target[256], resolved[PATH_MAX];
    struct stat about;

    assert_int_equal(lstat(path, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(stat(path, &about), 0);
    assert_true(S_ISDIR(about.st_mode));
    ssize_t size = readlink(path, target, sizeof target);
    assert_true(size > 0 && (size_t)size < sizeof target);
    assert_int_equal(readlink(path, target, 3), 3);
    assert_non_null(realpath(path, resolved));
    assert_true(strncmp(resolved, "/sys/", 5) == 0);
    assert_int_equal(access(path, F_OK), 0);
}

static void the_port_is_found_in_sysfs_by_path_link_and_number(void **state)
{
    (void)state;
    char entry[PTY_PATH_MAX + 64], target[64], link_path[64];
    const char *name = byte_link_name(opened);

    assert_true(strncmp(name, "/dev/", 5) == 0);
    snprintf(entry, sizeof entry, "/sys/class/tty/%s", name + 5);
    assert_entry(entry);

    ssize_t size = readlink(name, target, sizeof target - 1);
    assert_true(size > 5);
    target[size] = '\0';
    snprintf(entry, sizeof entry, "/sys/class/tty/%s", target + 5);
    assert_entry(entry);

    snprintf(link_path, sizeof link_path, "/dev/shm/unit-shim-link-%ld", (long)getpid());
    assert_int_equal(symlink(name, link_path), 0);
    snprintf(entry, sizeof entry, "/sys/class/tty/%s", link_path + 5);
    assert_entry(entry);
    unlink(link_path);

    struct stat about;
    errno = 0;
    assert_int_equal(lstat(entry, &about), -1);
    assert_int_equal(errno, ENOENT);
}

static void copies_streams_and_children_have_the_lines_too(void **state)
{
    (void)state;
    int copy = dup(host), status;
    FILE *stream = fopen(byte_link_name(opened), "r+");

    assert_non_null(stream);
    assert_true(lines_of(copy) > 0);
    assert_true(lines_of(fileno(stream)) > 0);
    pid_t child = fork();
    if (child == 0) {
        int lines = TIOCM_DTR;
        _exit(lines_of(copy) > 0 && ioctl(host, TIOCMBIC, &lines) == 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_string_equal(run_until(opened, &seen, "+{2}"), "+{2}");
    fclose(stream);
    close(copy);
}

int main(int argc, char **argv)
{
    (void)argc;
    signal(SIGHUP, SIG_IGN); // a terminal that the leader of a session opens becomes its own
    shim_preload(argv);
    const struct CMUnitTest tests[] = {
        TEST(a_fresh_port_shows_a_ready_robot_and_the_lines_of_an_opened_port),
        TEST(ports_of_all_numbers_have_their_lines),
        TEST(lines_that_the_host_sets_are_reported),
        TEST(a_pulse_between_two_looks_is_reported),
        TEST(the_next_host_finds_its_lines_on),
        TEST(lines_of_the_robot_are_seen_and_counted),
        TEST(bytes_are_counted_as_the_host_sees_them),
        TEST(a_wait_ends_with_the_line_it_is_for),
        TEST(a_wait_ends_when_the_cable_is_pulled),
        TEST(the_settings_of_a_serial_driver_are_kept),
        TEST(a_break_is_accepted),
        TEST(a_null_address_is_refused_as_by_the_kernel),
        TEST(the_port_is_found_in_sysfs_by_path_link_and_number),
        TEST(copies_streams_and_children_have_the_lines_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
