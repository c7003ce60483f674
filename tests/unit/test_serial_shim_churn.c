/* The serial shim under many threads and forks: it must not leak, crash or stay locked. It
 * is preloaded into this program, which starts itself again with it. */
#define _GNU_SOURCE
#include "tests/unit/test_pty_support.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>

#include "tests/support/shim.h"

enum {
    PROCESSES = 2,
    THREADS = 4,
    OPENS = 10000 / PROCESSES / THREADS, /* of a thread */
    FORK_EVERY = 125,
};

static atomic_uint failures;
static const char *port;
static char entry[PTY_PATH_MAX + 64];

static void check(bool is_right)
{
    if (!is_right)
        atomic_fetch_add(&failures, 1);
}

static bool has_lines(int fd)
{
    int lines = 0;
    return ioctl(fd, TIOCMGET, &lines) == 0 && (lines & TIOCM_CTS) != 0;
}

/* A child of a process with threads: the shim must work in it, too. */
static void fork_once(int fd)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0)
        _exit(has_lines(fd) && access(entry, F_OK) == 0 ? 0 : 1);
    check(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void *churn(void *unused)
{
    (void)unused;
    char target[64];
    for (int i = 0; i < OPENS; i++) {
        int lines = i % 2 ? TIOCM_DTR : TIOCM_RTS;
        int fd = open(port, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
        check(fd >= 0);
        int copy = dup(fd);
        check(has_lines(fd) && has_lines(copy));
        check(ioctl(fd, TIOCMBIC, &lines) == 0 && ioctl(copy, TIOCMBIS, &lines) == 0);
        check(readlink(entry, target, sizeof target) > 0);
        if (i % FORK_EVERY == 0)
            fork_once(fd);
        close(copy);
        close(fd);
    }
    return NULL;
}

static unsigned count_descriptors(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder != NULL && readdir(folder) != NULL)
        count++;
    if (folder != NULL)
        closedir(folder);
    return count;
}

static unsigned count_pages(void)
{
    char line[512];
    unsigned count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        count += strstr(line, ".pts-") != NULL;
    if (maps != NULL)
        fclose(maps);
    return count;
}

/* A host process: exit 0 if all went well. */
static _Noreturn void run_host(void)
{
    pthread_t threads[THREADS];
    unsigned descriptors = count_descriptors(), pages = count_pages();

    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, churn, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    unsigned opened = count_descriptors(), mapped = count_pages();
    if (failures > 0 || opened != descriptors || mapped != pages) {
        fprintf(stderr, "%u failures, %u descriptors after %u, %u pages after %u\n", failures,
                opened, descriptors, mapped, pages);
        _exit(1);
    }
    _exit(0);
}

/* Serves the link until all children have ended; returns how many ended well. */
static unsigned serve(struct byte_link *robot, unsigned children)
{
    unsigned well = 0;
    while (children > 0) {
        struct byte_link_event event;
        struct pollfd fds[BYTE_LINK_FDS_MAX];
        char bytes[256];
        int status;
        byte_link_update(robot);
        do {
            while (byte_link_read(robot, bytes, sizeof bytes) > 0)
                ;
        } while (byte_link_next_event(robot, &event));
        poll(fds, (nfds_t)byte_link_fds(robot, fds), 10);
        while (children > 0 && waitpid(-1, &status, WNOHANG) > 0) {
            children--;
            well += status == 0;
        }
    }
    return well;
}

static void two_processes_with_threads_and_forks_leave_nothing_behind(void **state)
{
    (void)state;
    struct byte_link *robot = test_link_open("churn");

    assert_non_null(robot);
    port = byte_link_name(robot);
    snprintf(entry, sizeof entry, "/sys/class/tty/%s", port + strlen("/dev/"));
    for (int i = 0; i < PROCESSES; i++)
        if (fork() == 0)
            run_host();
    assert_int_equal(serve(robot, PROCESSES), PROCESSES);
    byte_link_close(robot);
    test_folder_remove();
}

int main(int argc, char **argv)
{
    (void)argc;
    shim_preload(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_processes_with_threads_and_forks_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
