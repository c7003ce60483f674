/* Delay of a frame by a tap, compared with a bare relay that only reads and writes: for the
 * benchmark. A frame goes from a driver's port to a robot's port and back, a few thousand times,
 * with pauses like those between a robot's packets. Prints the medians and the 99th percentiles of
 * one way. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "pty/terminal/pty_link.h"

enum {
    ROUNDS = 2000,
    PAUSE_US = 2000,
    SIZE = 81, /* bytes of a Kobuki's packet */
};

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void fail(const char *what)
{
    fprintf(stderr, "tap_delay: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void await(int fd)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    if (poll(&ready, 1, 5000) != 1)
        fail("nothing comes");
}

/* Reads SIZE bytes at the robot's end. */
static void robot_read(struct byte_link *robot)
{
    uint8_t bytes[SIZE];
    struct byte_link_event event;
    for (size_t done = 0; done < SIZE;) {
        struct pollfd fds[BYTE_LINK_FDS_MAX];
        nfds_t count = (nfds_t)byte_link_fds(robot, fds);
        size_t size;
        poll(fds, count, 1000);
        byte_link_update(robot);
        do
            while ((size = byte_link_read(robot, bytes, sizeof bytes)) > 0)
                done += size;
        while (byte_link_next_event(robot, &event));
    }
}

static void driver_read(int driver)
{
    uint8_t bytes[SIZE];
    for (size_t done = 0; done < SIZE;) {
        await(driver);
        ssize_t size = read(driver, bytes, sizeof bytes - done);
        done += size > 0 ? (size_t)size : 0;
    }
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Prints NAME and the times of both directions through the tested connection. */
static void measure(const char *name, struct byte_link *robot, const char *port)
{
    static double ways[2 * ROUNDS];
    const uint8_t frame[SIZE] = {0xaa};
    int driver = open(port, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (driver < 0)
        fail(port);
    for (int i = 0; i < 2 * ROUNDS; i += 2) {
        double from_us = now_us();
        if (write(driver, frame, sizeof frame) != SIZE)
            fail("write");
        robot_read(robot);
        ways[i] = now_us() - from_us;
        from_us = now_us();
        byte_link_write(robot, frame, sizeof frame);
        driver_read(driver);
        ways[i + 1] = now_us() - from_us;
        usleep(PAUSE_US);
    }
    close(driver);
    qsort(ways, sizeof ways / sizeof *ways, sizeof *ways, by_size);
    printf("%s_median_us\t%.1f\n%s_p99_us\t%.1f\n", name, ways[ROUNDS], name,
           ways[2 * ROUNDS * 99 / 100]);
}

/* The minimal connection: reads and writes bytes between a pty and the robot's port.
 */
static void relay(const char *device, int master)
{
    uint8_t bytes[4096];
    struct pollfd fds[2] = {{.fd = master, .events = POLLIN},
                            {.fd = open(device, O_RDWR | O_NOCTTY), .events = POLLIN}};
    while (poll(fds, 2, -1) >= 0) {
        for (int i = 0; i < 2; i++) {
            ssize_t size = (fds[i].revents & POLLIN) ? read(fds[i].fd, bytes, sizeof bytes) : 0;
            if (size > 0 && write(fds[1 - i].fd, bytes, (size_t)size) != size)
                _exit(1);
        }
    }
    _exit(1);
}

static void measure_relay(struct byte_link *robot)
{
    char port[64];
    struct termios mode;
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 ||
        ptsname_r(master, port, sizeof port) != 0 || tcgetattr(master, &mode) != 0)
        fail("a pty");
    cfmakeraw(&mode);
    tcsetattr(master, TCSANOW, &mode);
    pid_t child = fork();
    if (child == 0)
        relay(byte_link_name(robot), master);
    usleep(300000);
    measure("relay", robot, port);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(master);
}

static void measure_tap(struct byte_link *robot, const char *program, const char *shim)
{
    char port[128], preload[512];
    snprintf(port, sizeof port, "/dev/shm/ptybot-tap-delay-%ld", (long)getpid());
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", shim);
    pid_t child = fork();
    if (child == 0) {
        int quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(quiet, 1);
        dup2(quiet, 2);
        execl("/usr/bin/env", "env", preload, program, "tap", byte_link_name(robot), "--as",
              "kobuki", "--port", port, (char *)NULL);
        _exit(1);
    }
    for (int i = 0; i < 500 && access(port, R_OK) != 0; i++)
        usleep(10000);
    measure("tap", robot, port);
    kill(child, SIGTERM);
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    char path[64];
    struct error error;
    if (argc != 3) {
        fprintf(stderr, "usage: tap_delay PTYBOT SHIM\n");
        return 2;
    }
    /* libserialport accepts only names in /dev. */
    snprintf(path, sizeof path, "/dev/shm/ptybot-tap-robot-%ld", (long)getpid());
    const struct byte_link_config config = {.address = path, .baud = 115200};
    struct byte_link *robot = pty_link_open(&config, &error);
    if (!robot)
        fail(error.text);
    measure("bare", robot, byte_link_name(robot));
    measure_relay(robot);
    measure_tap(robot, argv[1], argv[2]);
    byte_link_close(robot);
    return 0;
}
