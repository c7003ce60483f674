/* Hosts that claim the port (TIOCEXCL) under the serial shim, which is preloaded into this program:
 * a claim does not outlive its host. */
#define _GNU_SOURCE
#include "tests/unit/test_shim_support.h"

#include <dlfcn.h>
#include <pty.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/array.h"

enum { NOBODY = 65534, CLAIMS = 30 };

/* Programs built with _FORTIFY_SOURCE call these. */
extern int __open_2(const char *path, int flags);
extern int __open64_2(const char *path, int flags);

static int by_open(const char *path, int flags)
{
    return open(path, flags);
}

static int by_open64(const char *path, int flags)
{
    return open64(path, flags);
}

/* ---- What happens while the shim waits ---- */

static const char *port;
static char hidden[PTY_PATH_MAX + 8];
static unsigned pauses;
static int64_t paused_ns;
static void (*during_pause)(void); /* NULL: the shim really waits */
static int pause_result;

/* Replaces the function of the C library. The shim waits with it. */
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name)
long syscall(long number, ...)
{
    static long (*next)(long, ...);
    long words[6];
    va_list arguments;

    va_start(arguments, number);
    for (size_t i = 0; i < COUNT(words); i++)
        words[i] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_nanosleep && during_pause != NULL) {
        const struct timespec *span = (const struct timespec *)words[0];
        paused_ns += (int64_t)span->tv_sec * 1000000000 + span->tv_nsec;
        pauses++;
        during_pause();
        errno = pause_result != 0 ? EINTR : errno;
        return pause_result;
    }
    *(void **)&next = dlsym(RTLD_NEXT, "syscall");
    return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

static int open_during(void (*what)(void))
{
    pauses = 0;
    paused_ns = 0;
    pause_result = 0;
    during_pause = what;
    int fd = open(port, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    during_pause = NULL;
    return fd;
}

static int set_up_claim(void **state)
{
    if (set_up(state) != 0)
        return -1;
    port = byte_link_name(opened);
    snprintf(hidden, sizeof hidden, "%s.hidden", port);
    return ioctl(host, TIOCEXCL);
}

static void assert_refused(int fd, int reason)
{
    assert_int_equal(errno, reason);
    assert_int_equal(fd, -1);
}

static void nothing(void) {}

static void a_claim_that_lives_is_refused_after_half_a_second(void **state)
{
    (void)state;
    assert_refused(open_during(nothing), EBUSY);
    assert_in_range(paused_ns / 1000000, 400, 600);
    assert_in_range(pauses, 100, 600); /* the next host does not wait for long */
}

static void release_soon(void)
{
    if (pauses == 5)
        assert_int_equal(ioctl(host, TIOCNXCL), 0);
}

static void each_function_that_opens_waits_for_the_release(void **state)
{
    (void)state;
    static int (*const functions[])(const char *, int) = {by_open, by_open64, __open_2, __open64_2};
    for (size_t i = 0; i < COUNT(functions); i++) {
        assert_int_equal(ioctl(host, TIOCEXCL), 0);
        pauses = 0;
        during_pause = release_soon;
        int fd = functions[i](port, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
        during_pause = NULL;
        assert_int_equal(pauses, 5);
        assert_true(fd >= 0);
        assert_int_not_equal(lines_of(fd), -1);
        close(fd);
    }
}

static void interrupt(void)
{
    pause_result = pauses == 3 ? -1 : 0;
}

static void a_signal_ends_the_wait_for_a_claim(void **state)
{
    (void)state;
    assert_refused(open_during(interrupt), EBUSY);
    assert_int_equal(pauses, 3);
}

static void hide_for_a_moment(void)
{
    if (pauses == 2 || pauses == 10)
        assert_int_equal(rename(port, hidden), 0);
    if (pauses == 5 || pauses == 13)
        assert_int_equal(rename(hidden, port), 0);
    if (pauses == 15)
        assert_int_equal(ioctl(host, TIOCNXCL), 0);
}

/* As ptybot does when it points the path at another terminal. */
static void the_path_may_lead_nowhere_for_a_moment(void **state)
{
    (void)state;
    int fd = open_during(hide_for_a_moment);
    assert_true(fd >= 0);
    assert_int_equal(pauses, 15);
    close(fd);
}

static void hide(void)
{
    if (pauses == 2)
        assert_int_equal(rename(port, hidden), 0);
}

static void a_path_that_is_gone_is_not_waited_for(void **state)
{
    (void)state;
    assert_refused(open_during(hide), EBUSY);
    assert_int_equal(rename(hidden, port), 0);
    assert_in_range(pauses, 5, 8);
}

static void forbid(void)
{
    if (pauses == 2)
        assert_int_equal(chmod(port, 0), 0);
}

static void another_error_ends_the_wait_and_is_reported(void **state)
{
    (void)state;
    assert_refused(open_during(forbid), EACCES);
    assert_int_equal(pauses, 2);
}

static void replace_by_folder(void)
{
    if (pauses != 2)
        return;
    assert_int_equal(rename(port, hidden), 0);
    assert_int_equal(mkdir(port, 0700), 0);
}

/* A folder cannot be opened for writing (EISDIR). */
static void what_is_no_terminal_is_not_waited_for(void **state)
{
    (void)state;
    assert_refused(open_during(replace_by_folder), EISDIR);
    assert_int_equal(pauses, 2);
    assert_int_equal(rmdir(port), 0);
    assert_int_equal(rename(hidden, port), 0);
}

/* It may be one that ptybot is about to replace. */
static void a_claimed_terminal_of_another_program_is_hardly_waited_for(void **state)
{
    (void)state;
    int master, slave;
    char name[64];
    assert_int_equal(openpty(&master, &slave, name, NULL, NULL), 0);
    assert_int_equal(ioctl(slave, TIOCEXCL), 0);
    const char *own = port;
    port = name;
    int fd = open_during(nothing);
    port = own;
    assert_refused(fd, EBUSY);
    assert_int_equal(pauses, 3);
    close(slave);
    close(master);
}

/* ---- Real hosts ---- */

/* A host that claims the port, ends without releasing it, and comes again at once, like a program
 * that is restarted. */
static _Noreturn void run_claimer(void)
{
    for (int i = 0; i < CLAIMS; i++) {
        int fd = open(port, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0 || ioctl(fd, TIOCEXCL) != 0) {
            fprintf(stderr, "claim %d: %s\n", i, strerror(errno));
            _exit(1);
        }
        close(fd);
    }
    _exit(0);
}

static void a_claim_does_not_outlive_its_host_by_a_moment(void **state)
{
    (void)state;
    int status;
    close(host);
    pid_t child = fork();
    if (child == 0)
        run_claimer();
    while (waitpid(child, &status, WNOHANG) == 0) {
        look(opened, &seen);
        test_pause_ms(1);
    }
    assert_int_equal(status, 0);
}

/* A claim does not stop root. */
static int become_nobody(void **state)
{
    (void)state;
    return geteuid() != 0 || (setgid(NOBODY) == 0 && setuid(NOBODY) == 0) ? 0 : -1;
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, set_up_claim, tear_down)

int main(int argc, char **argv)
{
    (void)argc;
    shim_preload(argv);
    const struct CMUnitTest tests[] = {
        CLAIM(a_claim_that_lives_is_refused_after_half_a_second),
        CLAIM(each_function_that_opens_waits_for_the_release),
        CLAIM(a_signal_ends_the_wait_for_a_claim),
        CLAIM(the_path_may_lead_nowhere_for_a_moment),
        CLAIM(a_path_that_is_gone_is_not_waited_for),
        CLAIM(another_error_ends_the_wait_and_is_reported),
        CLAIM(what_is_no_terminal_is_not_waited_for),
        CLAIM(a_claimed_terminal_of_another_program_is_hardly_waited_for),
        TEST(a_claim_does_not_outlive_its_host_by_a_moment),
    };
    return cmocka_run_group_tests(tests, become_nobody, NULL);
}
