/* Objects that the serial shim, preloaded into this program, must not touch: terminals, files and
 * pages that do not belong to a running ptybot. */
#define _GNU_SOURCE
#include "tests/unit/test_shim_support.h"

#include <linux/serial.h>
#include <pty.h>
#include <sys/sysmacros.h>

static void assert_untouched(int fd)
{
    struct serial_struct settings;
    errno = 0;
    assert_int_equal(lines_of(fd), -1);
    assert_int_equal(errno, ENOTTY);
    assert_int_equal(ioctl(fd, TIOCGSERIAL, &settings), -1);
    assert_int_equal(errno, ENOTTY);
    assert_int_equal(ioctl(fd, TIOCMIWAIT, TIOCM_CTS), -1);
    assert_int_equal(errno, ENOTTY);
}

static void other_terminals_and_files_pass(void **state)
{
    (void)state;
    int master, slave, pipes[2];

    assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
    assert_untouched(slave);
    assert_untouched(master);
    close(master);
    close(slave);
    assert_int_equal(pipe(pipes), 0);
    assert_untouched(pipes[0]);
    close(pipes[0]);
    close(pipes[1]);
    assert_int_equal(ioctl(-1, TIOCMGET, &(int){0}), -1);
    assert_int_equal(errno, EBADF);
    int size = 0;
    assert_int_equal(ioctl(host, FIONREAD, &size), 0);
    assert_int_equal(open("/no/such/file", O_RDONLY), -1);
    assert_int_equal(errno, ENOENT);
    char name[64];
    snprintf(name, sizeof name, "/dev/shm/unit-shim-file-%ld", (long)getpid());
    int file = open(name, O_CREAT | O_EXCL | O_WRONLY, 0640);
    struct stat about;
    assert_int_equal(fstat(file, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    close(file);
    unlink(name);
}

static void page_path(int slave, char path[128])
{
    struct stat about;
    assert_int_equal(fstat(slave, &about), 0);
    snprintf(path, 128, "/dev/shm/ptybot-%u/.pts-%u", (unsigned)about.st_uid, minor(about.st_rdev));
}

static void a_missing_page_is_ignored(void **state)
{
    (void)state;
    char path[128];
    page_path(host, path);
    assert_int_equal(unlink(path), 0);
    assert_untouched(host);
}

static void a_page_that_nobody_owns_is_ignored(void **state)
{
    (void)state;
    char path[128], bytes[256];
    int master, slave;

    /* A complete copy, a truncated one, and an empty one. None is locked, and none belongs to this
     * terminal. */
    page_path(host, path);
    int file = open(path, O_RDONLY);
    ssize_t size = read(file, bytes, sizeof bytes);
    assert_true(size > 32);
    close(file);
    assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
    page_path(slave, path);
    for (ssize_t part = size; part >= 0; part -= size / 2) {
        file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        assert_int_equal(write(file, bytes, (size_t)part), part);
        close(file);
        assert_untouched(slave);
    }
    unlink(path);
    close(master);
    close(slave);
}

/* Removes the files of a killed owner: a new owner clears the path. */
static void clear_after(pid_t owner)
{
    struct error error;
    char folder[32], path[PTY_PATH_MAX];

    snprintf(folder, sizeof folder, "unit-%ld", (long)owner);
    const struct byte_link_config config = {
        .address = "dead", .sub_folder = folder, .baud = 115200};
    byte_link_close(pty_link_open(&config, &error));
    assert_true(pty_path_folder(folder, path, sizeof path, &error));
    assert_int_equal(rmdir(path), 0);
}

/* Makes a ptybot that is killed. Its page stays; NODE becomes the name of the terminal that it had.
 */
static pid_t leave_page(char node[64])
{
    int ready[2];

    assert_int_equal(pipe(ready), 0);
    pid_t owner = fork();
    if (owner == 0) {
        struct byte_link *own = test_link_open("dead");
        ssize_t size = own ? readlink(byte_link_name(own), node, 63) : -1;
        if (size < 0 || write(ready[1], node, (size_t)size) != size)
            _exit(1);
        pause();
    }
    memset(node, 0, 64);
    assert_true(read(ready[0], node, 63) > 0);
    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);
    close(ready[0]);
    close(ready[1]);
    return owner;
}

/* Opens new terminals until one is NODE, and returns its slave. -1: another process has NODE. */
static int open_again_as(const char *node, int *master)
{
    int masters[64], count = 0, slave = -1;
    char found[64];

    while (count < 64 && slave < 0) {
        assert_int_equal(openpty(&masters[count], &slave, found, NULL, NULL), 0);
        count++;
        if (strcmp(found, node) != 0) {
            close(slave);
            slave = -1;
        }
    }
    if (slave >= 0)
        *master = masters[--count];
    while (count > 0)
        close(masters[--count]);
    return slave;
}

/* The kernel gives the number of a killed owner's terminal to another process: here to this test,
 * unless another process on this machine was faster. In that case the test starts again. */
static void the_page_of_a_dead_owner_is_ignored(void **state)
{
    (void)state;
    char node[64], path[128];
    int master = -1, slave = -1;
    pid_t owner = 0;

    for (int tries = 0; slave < 0 && tries < 50; tries++) {
        owner = leave_page(node);
        slave = open_again_as(node, &master);
        if (slave >= 0)
            page_path(slave, path);
        if (slave >= 0 && access(path, F_OK) == 0)
            break;
        /* Another process has, or had, that terminal. A ptybot replaces the page and removes it. */
        clear_after(owner);
        if (slave >= 0) {
            close(slave);
            close(master);
            slave = -1;
        }
    }
    assert_true(slave >= 0);
    assert_untouched(slave);
    unlink(path);
    close(slave);
    close(master);
    clear_after(owner);
}

int main(int argc, char **argv)
{
    (void)argc;
    shim_preload(argv);
    const struct CMUnitTest tests[] = {
        TEST(other_terminals_and_files_pass),
        TEST(a_missing_page_is_ignored),
        TEST(a_page_that_nobody_owns_is_ignored),
        TEST(the_page_of_a_dead_owner_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
