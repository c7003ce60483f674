/* Cost of the serial shim for a host, for the benchmark, which runs this program alternately
 * without and with the preloaded shim. Prints the nanoseconds of one write, one read, and one
 * TIOCMGET (-1 without the shim) on a pty of ptybot. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "pty/terminal/pty_link.h"

enum {
    ROUNDS = 20000,
    SIZE = 16, /* bytes of a write: about a command of a driver */
};

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "shim_cost: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* Reads all bytes at the robot's end. */
static void take(struct byte_link *robot)
{
    char bytes[4096];
    struct byte_link_event event;
    byte_link_update(robot);
    do {
        while (byte_link_read(robot, bytes, sizeof bytes) > 0)
            ;
    } while (byte_link_next_event(robot, &event));
}

static double time_writes(struct byte_link *robot, int host)
{
    double took = 0;
    const char bytes[SIZE] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        double start = now_ns();
        if (write(host, bytes, SIZE) != SIZE)
            fail("write");
        took += now_ns() - start;
        if (i % 32 == 0)
            take(robot);
    }
    take(robot);
    return took / ROUNDS;
}

static double time_reads(struct byte_link *robot, int host)
{
    double took = 0;
    char bytes[SIZE] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        if (!byte_link_write(robot, bytes, SIZE))
            fail("the robot's write");
        /* The time that the bytes need to arrive must not count as time of the read. */
        poll(&(struct pollfd){.fd = host, .events = POLLIN}, 1, -1);
        double start = now_ns();
        if (read(host, bytes, SIZE) <= 0)
            fail("read");
        took += now_ns() - start;
    }
    return took / ROUNDS;
}

static double time_lines(int host)
{
    int lines;
    double start = now_ns();
    for (int i = 0; i < ROUNDS; i++)
        if (ioctl(host, TIOCMGET, &lines) != 0)
            return -1;
    return (now_ns() - start) / ROUNDS;
}

int main(void)
{
    char name[64];
    struct error error = {0};
    snprintf(name, sizeof name, "bench-%ld", (long)getpid());
    const struct byte_link_config config = {.address = name, .baud = 115200};
    struct byte_link *robot = pty_link_open(&config, &error);
    if (!robot) {
        fprintf(stderr, "shim_cost: %s\n", error.text);
        return 1;
    }
    int host = open(byte_link_name(robot), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (host < 0)
        fail(byte_link_name(robot));
    take(robot);
    double write_ns = time_writes(robot, host), read_ns = time_reads(robot, host);
    printf("%.1f %.1f %.1f\n", write_ns, read_ns, time_lines(host));
    close(host);
    byte_link_close(robot);
    return 0;
}
