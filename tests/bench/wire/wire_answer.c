/* Time from a command to its answer: in real time, which includes the transmission time of the
 * simulated line, and in lockstep, which includes only computing time. Each is compared with a bare
 * pty with an echo behind it. Also the time of a run from its start to the first packet. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/wire/wire_bench.h"

enum {
    ASKS = 400,    /* in real time */
    STARTS = 40,   /* of a run */
    TIMEOUT = 5000 /* ms */
};

/* Reads SIZE bytes. */
static void read_all(int fd, size_t size)
{
    uint8_t bytes[4096];
    for (size_t done = 0; done < size;) {
        if (!bench_await(fd, TIMEOUT))
            bench_fail("no answer");
        ssize_t got = read(fd, bytes, size - done < sizeof bytes ? size - done : sizeof bytes);
        done += got > 0 ? (size_t)got : 0;
    }
}

static void write_all(int fd, const void *bytes, size_t size)
{
    if (write(fd, bytes, size) != (ssize_t)size)
        bench_fail("write");
}

/* A child that answers every ASK bytes with ANSWER bytes. */
static pid_t start_echo(int *slave, size_t ask, size_t answer)
{
    int master;
    bench_pty(&master, slave);
    pid_t child = fork();
    if (child == 0) {
        const uint8_t bytes[PACKET] = {0xaa};
        close(*slave);
        for (;;) {
            read_all(master, ask);
            write_all(master, bytes, answer);
        }
    }
    close(master);
    return child;
}

/* The median round-trip time, us. */
static double ask_echo_us(size_t ask, size_t answer)
{
    static double ways[ASKS];
    int slave;
    pid_t echo = start_echo(&slave, ask, answer);
    for (size_t i = 0; i < ASKS; i++) {
        double from_us = bench_now_us();
        write_all(slave, bench_command, ask);
        read_all(slave, answer);
        ways[i] = bench_now_us() - from_us;
    }
    bench_end(echo);
    close(slave);
    qsort(ways, ASKS, sizeof *ways, bench_by_size);
    return bench_quantile(ways, ASKS, 0.5);
}

/* A Create 2 is asked for its sensor packet 7, a byte (Create 2 Open Interface: Start 128, Sensors
 * 142). */
void wire_answer(const struct wire_bench *bench)
{
    static double ways[ASKS];
    static const uint8_t start = 128, ask[2] = {142, 7};
    struct ptybot_run *run = bench_run(bench, "create2", (const char *const[]){NULL});
    int port = bench_open(ptybot_port(run, "create2"));
    uint8_t banner[4096];
    write_all(port, &start, 1);
    while (bench_await(port, 500)) // what it says when it wakes
        if (read(port, banner, sizeof banner) <= 0)
            break;
    for (size_t i = 0; i < ASKS; i++) {
        usleep((useconds_t)(3000 + i % 10 * 100)); // at any time of a step
        double from_us = bench_now_us();
        write_all(port, ask, sizeof ask);
        read_all(port, 1);
        ways[i] = bench_now_us() - from_us;
    }
    close(port);
    ptybot_end(run);
    double bare_us = ask_echo_us(2, 1);
    qsort(ways, ASKS, sizeof *ways, bench_by_size);
    double median_us = bench_quantile(ways, ASKS, 0.5);
    bench_line("wire.answer.median", median_us, "us in real time, with the line's own 260 us",
               median_us / bare_us, "those of an echo on a bare pty");
    double p99_us = bench_quantile(ways, ASKS, 0.99);
    bench_line("wire.answer.p99", p99_us, "us", p99_us / bare_us, "the median of an echo");
}

/* ---- Lockstep ---- */

/* Blocks of each kind alternate, so that other load on the machine affects all kinds equally. The
 * printed time is the tenth percentile of the blocks of a kind. */
enum { BLOCKS = 100, BLOCK = 50 };

struct lockstep {
    struct ptybot_run *run;
    int port;
    double ticks_us[BLOCKS], steps_us[BLOCKS];
};

static void start_lockstep(struct lockstep *self, const struct wire_bench *bench, bool has_page)
{
    if (has_page)
        unsetenv("PTYBOT_STEP_PAGE");
    else
        setenv("PTYBOT_STEP_PAGE", "off", 1);
    self->run = bench_run(bench, "kobuki", (const char *const[]){"--lockstep", NULL});
    self->port = bench_open(ptybot_port(self->run, "kobuki"));
    if (!ptybot_step(self->run, 1)) // which finds the page
        bench_fail(ptybot_error(self->run));
}

/* Runs ticks, each with a command, 20 ms and a packet; and steps of 1 ms. */
static void run_block(struct lockstep *self, int block)
{
    uint64_t bytes = 0;
    double from_us = bench_now_us();
    for (int i = 0; i < BLOCK; i++) {
        write_all(self->port, bench_command, COMMAND);
        if (!ptybot_step_after(self->run, PERIOD_US / 1000, "kobuki", COMMAND))
            bench_fail(ptybot_error(self->run));
        bytes += ptybot_sent(self->run, "kobuki");
        read_all(self->port, (size_t)ptybot_sent(self->run, "kobuki"));
    }
    self->ticks_us[block] = (bench_now_us() - from_us) / BLOCK;
    if (bytes < (uint64_t)BLOCK * PACKET / 2)
        bench_fail("packets of a tick");
    from_us = bench_now_us();
    for (int i = 0; i < BLOCK; i++)
        if (!ptybot_step(self->run, 1))
            bench_fail(ptybot_error(self->run));
    self->steps_us[block] = (bench_now_us() - from_us) / BLOCK;
    for (uint8_t byte; bench_await(self->port, 0) && read(self->port, &byte, 1) > 0;)
        continue; // the packets of these steps
}

static double tenth(double *blocks_us)
{
    qsort(blocks_us, BLOCKS, sizeof *blocks_us, bench_by_size);
    return bench_quantile(blocks_us, BLOCKS, 0.1);
}

static void print_lockstep(const char *way, double tick_us, double step_us, double floor_us)
{
    char ticks[64], steps[64];
    snprintf(ticks, sizeof ticks, "wire.lockstep.ticks%s", way);
    snprintf(steps, sizeof steps, "wire.lockstep.steps%s", way);
    bench_line(ticks, 1e6 / tick_us, "ticks of 20 ms a second, each a command and a packet",
               tick_us / floor_us, "time of as many bytes there and back on a bare pty");
    bench_line(steps, 1e6 / step_us, "steps of 1 ms a second", step_us / floor_us, "that time");
}

/* The same with the Python package, whose program prints both times first with the shared page,
 * then with messages. */
static void lockstep_in_python(const struct wire_bench *bench, double floor_us)
{
    static const char *const ways[] = {".python", ".python.message"};
    setenv("PTYBOT", bench->ptybot, 1);
    setenv("PYTHONPATH", BENCH_PYTHON, 1);
    FILE *program = popen("/usr/bin/python3 " BENCH_LOCKSTEP, "re");
    for (size_t i = 0; i < 2; i++) {
        double tick_us, step_us;
        if (!program || fscanf(program, "%lf %lf", &tick_us, &step_us) != 2)
            bench_fail(BENCH_LOCKSTEP);
        print_lockstep(ways[i], tick_us, step_us, floor_us);
    }
    pclose(program);
}

void wire_lockstep(const struct wire_bench *bench)
{
    static struct lockstep kinds[2]; // by the page, by messages
    static double bare_us[BLOCKS];
    int slave;
    pid_t echo = start_echo(&slave, COMMAND, PACKET);
    for (int i = 0; i < 2; i++)
        start_lockstep(&kinds[i], bench, i == 0);
    for (int block = 0; block < BLOCKS; block++) {
        double from_us = bench_now_us();
        for (int i = 0; i < BLOCK; i++) {
            write_all(slave, bench_command, COMMAND);
            read_all(slave, PACKET);
        }
        bare_us[block] = (bench_now_us() - from_us) / BLOCK;
        for (int i = 0; i < 2; i++)
            run_block(&kinds[i], block);
    }
    bench_end(echo);
    close(slave);
    double floor_us = tenth(bare_us);
    for (int i = 0; i < 2; i++) {
        double tick_us = tenth(kinds[i].ticks_us), step_us = tenth(kinds[i].steps_us);
        close(kinds[i].port);
        ptybot_end(kinds[i].run);
        print_lockstep(i == 0 ? "" : ".message", tick_us, step_us, floor_us);
    }
    lockstep_in_python(bench, floor_us);
}

static double start_us(const struct wire_bench *bench)
{
    double from_us = bench_now_us();
    struct ptybot_run *run = bench_run(bench, "kobuki", (const char *const[]){NULL});
    int port = bench_open(ptybot_port(run, "kobuki"));
    read_all(port, 1);
    double took_us = bench_now_us() - from_us;
    close(port);
    ptybot_end(run);
    return took_us;
}

static double true_us(void)
{
    char name[] = "/bin/true";
    pid_t child;
    int status = -1;
    double from_us = bench_now_us();
    errno = posix_spawn(&child, name, NULL, NULL, (char *const[]){name, NULL}, environ);
    if (errno || waitpid(child, &status, 0) != child || status != 0)
        bench_fail(name);
    return bench_now_us() - from_us;
}

void wire_start(const struct wire_bench *bench)
{
    double took[STARTS], bare[STARTS];
    for (size_t i = 0; i < STARTS; i++) {
        took[i] = start_us(bench);
        bare[i] = true_us();
    }
    qsort(took, STARTS, sizeof *took, bench_by_size);
    qsort(bare, STARTS, sizeof *bare, bench_by_size);
    bench_line("wire.start", took[STARTS / 2] * 1e-3,
               "ms from the start to the first packet, 20 of them the packet's own",
               took[STARTS / 2] / bare[STARTS / 2], "what starting `true` takes");
}
