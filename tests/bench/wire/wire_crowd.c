/* Many Kobukis in one run in real time, each with a host that reads its bytes and writes a command
 * fifty times per second. Measures the share of a processor that the run takes, compared with a
 * bare loop that writes the same number of bytes to the same number of ptys and reads the commands;
 * the additional cost of a recording, faults and watchers; and the memory per robot. All
 * measurements are made from outside the process. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/wire/wire_bench.h"

enum {
    ROBOTS_MAX = 1000,
    EVENTS = 256,
    ROW = 10 /* robots side by side, a metre apart */
};

struct crowd {
    int robots;
    double cpu_share, heard_share; /* of one processor; of the packets that were due */
    double memory_kib, late_ms, dropped_s;
};

/* ---- Hosts ---- */

static int ticker(void)
{
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    const struct itimerspec each = {.it_interval.tv_nsec = PERIOD_US * 1000L,
                                    .it_value.tv_nsec = PERIOD_US * 1000L};
    if (timer < 0 || timerfd_settime(timer, 0, &each, NULL) != 0)
        bench_fail("a timer");
    return timer;
}

/* Reads all bytes on FDS, and writes BYTES to each of them in each period. Counts the received
 * bytes in *HEARD. Does not return. */
_Noreturn static void serve(const int *fds, int count, const uint8_t *bytes, size_t size,
                            volatile uint64_t *heard)
{
    uint8_t came[4096];
    struct epoll_event events[EVENTS];
    int poller = epoll_create1(0), timer = ticker();
    for (int i = -1; i < count; i++) {
        struct epoll_event wanted = {.events = EPOLLIN, .data.fd = i < 0 ? timer : fds[i]};
        if (epoll_ctl(poller, EPOLL_CTL_ADD, wanted.data.fd, &wanted) != 0)
            bench_fail("epoll");
    }
    for (;;) {
        int ready = epoll_wait(poller, events, EVENTS, -1);
        for (int i = 0; i < ready; i++) {
            ssize_t got = read(events[i].data.fd, came, sizeof came);
            if (events[i].data.fd != timer) {
                *heard += got > 0 ? (uint64_t)got : 0;
                continue;
            }
            for (int j = 0; j < count; j++)
                if (write(fds[j], bytes, size) < 0 && errno != EAGAIN)
                    _exit(1);
        }
    }
}

static pid_t start_serving(const int *fds, int count, const uint8_t *bytes, size_t size,
                           volatile uint64_t *heard)
{
    pid_t child = fork();
    if (child == 0)
        serve(fds, count, bytes, size, heard);
    return child;
}

/* A counter shared with child processes. */
static volatile uint64_t *shared_count(void)
{
    void *page =
        mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        bench_fail("mmap");
    return page;
}

/* ---- A crowd ---- */

static void write_scene(const char *path, int robots)
{
    FILE *file = fopen(path, "w");
    if (!file)
        bench_fail(path);
    fprintf(file, "world: {size: {x: %d, y: %d}}\nrobots:\n", ROW + 1, robots / ROW + 2);
    for (int i = 0; i < robots; i++)
        fprintf(file, "  - {name: k%d, type: kobuki, pose: {x: %d, y: %d, heading: %d}}\n", i,
                i % ROW + 1, i / ROW + 1, i * 37 % 360);
    if (fclose(file) != 0)
        bench_fail(path);
}

/* Memory that the process does not share with others. */
static double memory_kib(pid_t pid)
{
    char path[64], line[128];
    long kib = -1;
    snprintf(path, sizeof path, "/proc/%ld/smaps_rollup", (long)pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Pss: %ld", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return (double)kib;
}

static void allow_descriptors(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

struct extra {
    bool is_recorded, has_faults, has_watcher;
};

/* A child that watches all robots ten times a second and reads the signals. */
static pid_t start_watcher(const struct wire_bench *bench, struct ptybot_run *run)
{
    pid_t child = fork();
    if (child == 0) {
        int quiet = open("/dev/null", O_WRONLY);
        dup2(quiet, 1);
        execl(bench->ptybot, bench->ptybot, "ctl", "--control", ptybot_control(run), "watch",
              "*.x_m", "*.y_m", "*.heading_deg", "--every", "100", (char *)NULL);
        _exit(127);
    }
    return child;
}

static void break_wires(struct ptybot_run *run, int robots)
{
    char command[64];
    for (int i = 0; i < robots; i++) {
        snprintf(command, sizeof command, "k%d.fault uart=flip rate=0.001", i);
        if (!ptybot_do(run, command))
            bench_fail(ptybot_error(run));
    }
}

static struct crowd measure(const struct wire_bench *bench, int robots, struct extra extra)
{
    static int fds[ROBOTS_MAX];
    char scene[128], recording[128], port[32];
    snprintf(scene, sizeof scene, "%s/crowd.yaml", bench->folder);
    snprintf(recording, sizeof recording, "%s/crowd.pcapng", bench->folder);
    write_scene(scene, robots);
    struct ptybot_run *run =
        bench_run(bench, scene,
                  (const char *const[]){extra.is_recorded ? "--capture" : NULL, recording, NULL});
    for (int i = 0; i < robots; i++) {
        snprintf(port, sizeof port, "k%d", i);
        fds[i] = bench_open(ptybot_port(run, port));
    }
    volatile uint64_t *heard = shared_count();
    pid_t hosts = start_serving(fds, robots, bench_command, COMMAND, heard);
    pid_t watcher = extra.has_watcher ? start_watcher(bench, run) : 0;
    if (extra.has_faults)
        break_wires(run, robots);
    sleep(1); // until all of it runs
    double cpu_s = bench_cpu_of_s(ptybot_pid(run)), from_us = bench_now_us();
    double dropped_s = ptybot_get(run, "world.dropped_s");
    uint64_t before = *heard;
    usleep((useconds_t)(bench->seconds * 1e6));
    double took_s = (bench_now_us() - from_us) * 1e-6;
    struct crowd crowd = {
        .robots = robots,
        .cpu_share = (bench_cpu_of_s(ptybot_pid(run)) - cpu_s) / took_s,
        .heard_share = (double)(*heard - before) / (took_s * 1e6 / PERIOD_US * robots * PACKET),
        .memory_kib = memory_kib(ptybot_pid(run)),
        .late_ms = ptybot_get(run, "world.late_ms"),
        .dropped_s = ptybot_get(run, "world.dropped_s") - dropped_s,
    };
    bench_end(watcher);
    bench_end(hosts);
    for (int i = 0; i < robots; i++)
        close(fds[i]);
    ptybot_end(run);
    unlink(recording);
    unlink(scene);
    return crowd;
}

/* The share of a processor that a bare loop takes for the same work on the same number of ptys. */
static double bare_share(const struct wire_bench *bench, int robots)
{
    static int masters[ROBOTS_MAX], slaves[ROBOTS_MAX];
    static const uint8_t packet[PACKET] = {0xaa};
    for (int i = 0; i < robots; i++) {
        bench_pty(&masters[i], &slaves[i]);
        fcntl(masters[i], F_SETFL, O_NONBLOCK);
        fcntl(slaves[i], F_SETFL, O_NONBLOCK);
    }
    pid_t writer = start_serving(masters, robots, packet, PACKET, shared_count());
    pid_t hosts = start_serving(slaves, robots, bench_command, COMMAND, shared_count());
    sleep(1);
    double cpu_s = bench_cpu_of_s(writer), from_us = bench_now_us();
    usleep((useconds_t)(bench->seconds * 1e6));
    double share = (bench_cpu_of_s(writer) - cpu_s) / ((bench_now_us() - from_us) * 1e-6);
    bench_end(writer);
    bench_end(hosts);
    for (int i = 0; i < robots; i++) {
        close(masters[i]);
        close(slaves[i]);
    }
    return share;
}

void wire_crowd(const struct wire_bench *bench)
{
    int robots = bench->robots < ROBOTS_MAX ? bench->robots : ROBOTS_MAX;
    char name[64];
    allow_descriptors();
    double bare = bare_share(bench, robots);
    struct crowd one = measure(bench, 1, (struct extra){0});
    struct crowd crowd = measure(bench, robots, (struct extra){0});
    snprintf(name, sizeof name, "wire.crowd.n%d", robots);
    bench_line(name, 100 * crowd.cpu_share,
               "% of a processor, each robot with a reading and writing host",
               crowd.cpu_share / bare, "a bare loop over as many ptys");
    bench_line("wire.crowd.heard", 100 * crowd.heard_share, "% of the bytes due were heard",
               crowd.dropped_s, "seconds of real time dropped");
    bench_line("wire.crowd.memory",
               (crowd.memory_kib - one.memory_kib) / (robots > 1 ? robots - 1 : 1),
               "KiB a robot more", crowd.memory_kib / one.memory_kib, "a run of one robot");
    static const struct {
        const char *name;
        struct extra extra;
    } extras[] = {{"wire.crowd.recorded", {.is_recorded = true}},
                  {"wire.crowd.faults", {.has_faults = true}},
                  {"wire.crowd.watched", {.has_watcher = true}}};
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
        struct crowd with = measure(bench, robots, extras[i].extra);
        bench_line(extras[i].name, 100 * with.cpu_share, "% of a processor",
                   with.cpu_share / crowd.cpu_share, "without");
    }
}
