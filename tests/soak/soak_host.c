/* One host of the endurance run: reads all bytes of its robot, writes random commands of the robot,
 * leaves and returns from time to time, and keeps its counts in a page of a file, which remains
 * when the host is killed. struct page is also in soak.py. soak_host PLACE COMMANDS PAGE PERIOD_US
 * SEED */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { GAPS = 96, COMMANDS_MAX = 1 << 16 };

struct page {
    uint64_t read, written;
    uint64_t pending;  /* bytes of the write that is under way */
    uint64_t is_quiet; /* request: the host writes nothing */
    uint64_t was_quiet;
    uint64_t opens, leaves;
    uint64_t stays;      /* request: the host does not leave on its own */
    uint64_t idles;      /* number of reads that found no bytes */
    uint64_t gaps[GAPS]; /* histogram of the deviation of reads from the period: eight bins per
                            doubling of 1 us */
};

static struct page *page;
static uint64_t seed;

static uint64_t random_number(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

_Noreturn static void fail(const char *what)
{
    fprintf(stderr, "soak_host: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- The port: a path, or ADDRESS:PORT ---- */

static int call(const char *place)
{
    char host[64];
    struct addrinfo *found, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
    const char *colon = strrchr(place, ':');
    snprintf(host, sizeof host, "%.*s", (int)(colon - place), place);
    if (getaddrinfo(host, colon + 1, &hints, &found) != 0)
        fail(place);
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) != 0) {
        close(fd);
        fd = -1;
    }
    freeaddrinfo(found);
    return fd;
}

static int open_port(const char *place)
{
    struct termios mode;
    if (*place != '/')
        return call(place);
    int fd = open(place, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && tcgetattr(fd, &mode) == 0) {
        cfmakeraw(&mode);
        tcsetattr(fd, TCSANOW, &mode);
    }
    return fd;
}

/* ---- Writing ---- */

static uint8_t commands[COMMANDS_MAX]; /* each with its size before it */
static size_t commands_size;

static void load(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail(path);
    commands_size = fread(commands, 1, sizeof commands, file);
    fclose(file);
}

static void say_something(int fd)
{
    size_t at = 0;
    for (uint64_t skip = random_number() % 256; skip > 0; skip--) {
        at += 1u + commands[at];
        if (at >= commands_size)
            at = 0;
    }
    page->pending = commands[at];
    ssize_t wrote = write(fd, commands + at + 1, commands[at]);
    page->written += wrote > 0 ? (uint64_t)wrote : 0;
    page->pending = 0;
}

/* ---- Reading ---- */

static void note_gap(double gap_us)
{
    size_t bin = 0;
    for (double top_us = 1; bin < GAPS - 1 && gap_us > top_us; bin++)
        top_us *= 1.0905077326652577; /* eighth root of 2 */
    page->gaps[bin]++;
}

/* One stay at the port. Returns when the host has left, or the line was hung up. */
static void stay(int fd, double period_us)
{
    uint8_t bytes[4096];
    double leave_us = now_us() + (double)(random_number() % 20000000) + 1e6, last_us = 0;
    double say_us = now_us();
    while (page->stays || now_us() < leave_us) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (poll(&ready, 1, 10) > 0) {
            ssize_t size = read(fd, bytes, sizeof bytes);
            if (size <= 0)
                return;
            double at_us = now_us();
            if (last_us > 0 && period_us > 0)
                note_gap(at_us - last_us > period_us ? at_us - last_us - period_us
                                                     : period_us - (at_us - last_us));
            last_us = at_us;
            page->read += (uint64_t)size;
        } else {
            page->idles++;
        }
        if (page->is_quiet) {
            page->was_quiet = 1;
        } else if (commands_size > 0 && now_us() >= say_us) {
            say_something(fd);
            say_us = now_us() + 20000 + (double)(random_number() % 30000);
        }
    }
}

int main(int count, char **words)
{
    if (count != 6) {
        fputs("usage: soak_host PLACE COMMANDS PAGE PERIOD_US SEED\n", stderr);
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    seed = strtoull(words[5], NULL, 10) * 2654435761u + 1;
    load(words[2]);
    int file = open(words[3], O_RDWR);
    page = file < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED)
        fail(words[3]);
    page->pending = 0;
    for (;;) {
        int fd = open_port(words[1]);
        if (fd >= 0) {
            page->opens++;
            stay(fd, strtod(words[4], NULL));
            close(fd);
            page->leaves++;
        } else if (page->is_quiet) {
            page->was_quiet = 1;
        }
        usleep((useconds_t)(50000 + random_number() % 500000));
    }
}
