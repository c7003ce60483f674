/* Lateness of packets that are sent fifty times per second, compared with a bare loop on a timerfd
 * that writes the same number of bytes to a pty at the same time. One reader reads both. The
 * earliest of all packets defines the schedule; the lateness of a packet is its delay relative to
 * this schedule. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/plot.h"
#include "tests/bench/wire/late_picture.h"
#include "tests/bench/wire/wire_bench.h"

enum { LOADS_MAX = 64 };

/* ---- Received packets ---- */

struct heard {
    double *at_us; /* of each packet */
    size_t count, room;
    size_t missing; /* bytes of the packet that is being read */
    unsigned head;  /* bytes of its head that are known */
};

/* Packets of a Kobuki: AA 55, a length, as many bytes and a checksum. */
static void hear(struct heard *heard, const uint8_t *bytes, size_t size, double now_us)
{
    for (size_t i = 0; i < size; i++) {
        if (heard->head == 3) {
            if (--heard->missing > 0)
                continue;
            heard->head = 0;
            if (heard->count < heard->room)
                heard->at_us[heard->count++] = now_us;
        } else if (heard->head == 2) {
            heard->missing = (size_t)bytes[i] + 1;
            heard->head = 3;
        } else {
            heard->head = bytes[i] == (heard->head == 0 ? 0xaa : 0x55) ? heard->head + 1 : 0;
        }
    }
}

/* Converts times into lateness, sorted. */
static void make_late(struct heard *heard)
{
    double from_us = INFINITY;
    for (size_t i = 0; i < heard->count; i++)
        from_us = fmin(from_us, heard->at_us[i] - (double)i * PERIOD_US);
    for (size_t i = 0; i < heard->count; i++)
        heard->at_us[i] -= from_us + (double)i * PERIOD_US;
    qsort(heard->at_us, heard->count, sizeof *heard->at_us, bench_by_size);
}

/* ---- The bare writer ---- */

static pid_t start_writer(int *slave, bool is_realtime)
{
    int master;
    bench_pty(&master, slave);
    pid_t child = fork();
    if (child == 0) {
        uint8_t packet[PACKET] = {0xaa, 0x55, PACKET - 4};
        uint64_t ticks;
        int timer = timerfd_create(CLOCK_MONOTONIC, 0);
        const struct itimerspec each = {.it_interval.tv_nsec = PERIOD_US * 1000L,
                                        .it_value.tv_nsec = PERIOD_US * 1000L};
        close(*slave);
        if (is_realtime)
            bench_realtime(REALTIME_THEIRS);
        timerfd_settime(timer, 0, &each, NULL);
        while (read(timer, &ticks, sizeof ticks) == sizeof ticks)
            for (uint64_t i = 0; i < ticks; i++)
                if (write(master, packet, sizeof packet) != sizeof packet)
                    _exit(1);
        _exit(1);
    }
    close(master);
    return child;
}

/* ---- The reader ---- */

static void listen_to(const int fds[2], struct heard heard[2], double seconds)
{
    uint8_t bytes[4096];
    struct pollfd ready[2] = {{.fd = fds[0], .events = POLLIN}, {.fd = fds[1], .events = POLLIN}};
    for (int i = 0; i < 2; i++) // begins with whole packets
        while (bench_await(fds[i], 0) && read(fds[i], bytes, sizeof bytes) > 0)
            ;
    double end_us = bench_now_us() + seconds * 1e6;
    for (double now_us = 0; now_us < end_us;) {
        if (poll(ready, 2, 1000) <= 0)
            bench_fail("packets");
        now_us = bench_now_us();
        for (int i = 0; i < 2; i++) {
            if (!(ready[i].revents & POLLIN))
                continue;
            ssize_t size = read(fds[i], bytes, sizeof bytes);
            if (size > 0)
                hear(&heard[i], bytes, (size_t)size, now_us);
        }
    }
}

static void start_loads(pid_t loads[LOADS_MAX], bool is_busy)
{
    long processors = is_busy ? sysconf(_SC_NPROCESSORS_ONLN) : 0;
    for (long i = 0; i < LOADS_MAX; i++) {
        loads[i] = i < processors ? fork() : 0;
        if (i < processors && loads[i] == 0)
            for (volatile unsigned turns = 0;; turns++)
                ;
    }
}

/* ---- One round ---- */

static void tell(const char *round, const struct heard heard[2])
{
    static const struct {
        const char *name;
        double share;
    } quantiles[] = {{"median", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}};
    char name[64];
    for (size_t i = 0; i < 3; i++) {
        double ours = bench_quantile(heard[0].at_us, heard[0].count, quantiles[i].share);
        double bare = bench_quantile(heard[1].at_us, heard[1].count, quantiles[i].share);
        snprintf(name, sizeof name, "wire.late.%s.%s", round, quantiles[i].name);
        bench_line(name, ours, "us", ours / bare, "those of a bare writer on a timerfd");
    }
}

static void measure(const struct wire_bench *bench, const char *round, bool is_busy,
                    bool is_realtime, struct plot *picture)
{
    pid_t loads[LOADS_MAX];
    struct heard heard[2] = {0};
    int fds[2];
    const char *const words[] = {is_realtime ? "--realtime" : NULL, NULL};
    struct ptybot_run *run = bench_run(bench, "kobuki", words);
    pid_t writer = start_writer(&fds[1], is_realtime);
    fds[0] = bench_open(ptybot_port(run, "kobuki"));
    for (int i = 0; i < 2; i++) {
        heard[i].room = (size_t)(bench->seconds * 1.1e6 / PERIOD_US) + 8;
        heard[i].at_us = calloc(heard[i].room, sizeof *heard[i].at_us);
        if (!heard[i].at_us)
            bench_fail("memory");
    }
    start_loads(loads, is_busy);
    usleep(300000); // until all of it runs
    listen_to(fds, heard, bench->seconds);
    for (int i = 0; i < LOADS_MAX; i++)
        bench_end(loads[i]);
    bench_end(writer);
    double dropped_s = ptybot_get(run, "world.dropped_s");
    if (dropped_s > 0)
        fprintf(stderr,
                "bench wire: %s: the machine kept ptybot away for more than 100 ms at a time; %.3g "
                "s of "
                "simulated time are lost, all that follows counts as late by that\n",
                round, dropped_s);
    close(fds[0]);
    close(fds[1]);
    if (ptybot_end(run) != 0)
        bench_fail("the run");
    for (int i = 0; i < 2; i++) {
        make_late(&heard[i]);
        if (!late_picture_add(picture, round, i == 1, heard[i].at_us, heard[i].count))
            bench_fail("memory");
    }
    tell(round, heard);
    free(heard[0].at_us);
    free(heard[1].at_us);
}

static void measure_all(const struct wire_bench *bench)
{
    struct plot *picture = late_picture_begin(bench->picture);
    if (!picture)
        bench_fail(bench->picture);
    if (bench->may_realtime)
        bench_realtime(REALTIME_OURS);
    measure(bench, "idle", false, false, picture);
    measure(bench, "busy", true, false, picture);
    if (bench->may_realtime) {
        measure(bench, "idle_realtime", false, true, picture);
        measure(bench, "busy_realtime", true, true, picture);
    }
    if (!plot_end(picture))
        bench_fail(bench->picture);
}

void wire_late(const struct wire_bench *bench)
{
    int status = -1;
    pid_t reader = fork();
    if (reader == 0) { // so that its priority ends with it
        measure_all(bench);
        exit(0);
    }
    if (waitpid(reader, &status, 0) != reader || status != 0)
        bench_fail("what listens");
}
