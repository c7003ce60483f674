/* `./dev bench wire`: timing of the wire as its hosts see it, each figure compared with the minimum
 * that a bare pty reaches in the same run. */
#define _GNU_SOURCE
#include "tests/bench/wire/wire_bench.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* Kobuki protocol, Base Control. */
const uint8_t bench_command[COMMAND] = {0xaa, 0x55, 6, 1, 4, 0xc8, 0x00, 0x90, 0x01, 0x5a};

double bench_now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

_Noreturn void bench_fail(const char *what)
{
    fprintf(stderr, "bench wire: %s: %s\n", what, errno ? strerror(errno) : "failed");
    exit(1);
}

void bench_line(const char *name, double value, const char *unit, double ratio, const char *to)
{
    printf("%s\t%.4g\t%s\t%.3f\t%s\n", name, value, unit, ratio, to);
    fflush(stdout);
}

int bench_by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

double bench_quantile(const double *sorted, size_t count, double share)
{
    size_t at = (size_t)(share * (double)count);
    return count == 0 ? 0 : sorted[at < count ? at : count - 1];
}

double bench_cpu_of_s(pid_t pid)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        bench_fail("the CPU time of a process");
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

bool bench_realtime(int priority)
{
    const struct sched_param parameter = {.sched_priority = priority};
    return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameter) == 0;
}

void bench_pty(int *master, int *slave)
{
    struct termios mode;
    if (openpty(master, slave, NULL, NULL, NULL) != 0 || tcgetattr(*slave, &mode) != 0)
        bench_fail("a pty");
    cfmakeraw(&mode);
    tcsetattr(*slave, TCSANOW, &mode);
}

int bench_open(const char *port)
{
    int fd = port ? open(port, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd < 0)
        bench_fail(port ? port : "a port");
    return fd;
}

bool bench_await(int fd, int timeout_ms)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    return poll(&ready, 1, timeout_ms) == 1 && (ready.revents & POLLIN) != 0;
}

struct ptybot_run *bench_run(const struct wire_bench *bench, const char *scene,
                             const char *const words[])
{
    const char *all[8] = {scene};
    for (size_t i = 0; words[i]; i++)
        all[i + 1] = words[i];
    struct ptybot_run *run = ptybot_start_words(bench->ptybot, all);
    if (!run) {
        fprintf(stderr, "bench wire: %s\n", ptybot_error(NULL));
        exit(1);
    }
    return run;
}

void bench_end(pid_t child)
{
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
}

struct measure {
    const char *name;
    void (*run)(const struct wire_bench *bench);
};

static const struct measure measures[] = {
    {"wire.late", wire_late},   {"wire.answer", wire_answer}, {"wire.lockstep", wire_lockstep},
    {"wire.start", wire_start}, {"wire.crowd", wire_crowd},
};

static double number_of(const char *name, double fallback)
{
    const char *text = getenv(name);
    return text ? strtod(text, NULL) : fallback;
}

static bool may_realtime(void)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        _exit(!bench_realtime(REALTIME_OURS));
    return waitpid(child, &status, 0) == child && status == 0;
}

int main(int count, char **words)
{
    if (count < 3) {
        fputs("usage: wire_bench PTYBOT PICTURE.svg [NAME]\n", stderr);
        return 2;
    }
    struct wire_bench bench = {.ptybot = words[1],
                               .picture = words[2],
                               .seconds = number_of("PTYBOT_BENCH_SECONDS", 10),
                               .robots = (int)number_of("PTYBOT_BENCH_ROBOTS", 100),
                               .folder = "/tmp/ptybot-wire-XXXXXX",
                               .may_realtime = may_realtime()};
    const char *wanted = count > 3 ? words[3] : "";
    if (!mkdtemp(bench.folder))
        bench_fail(bench.folder);
    if (!bench.may_realtime)
        fputs("bench wire: SCHED_FIFO is not allowed here: nothing is measured with --realtime, "
              "and what "
              "measures is a normal program too\n",
              stderr);
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
        const char *name = measures[i].name;
        size_t shorter = strlen(name) < strlen(wanted) ? strlen(name) : strlen(wanted);
        if (strncmp(name, wanted, shorter) == 0)
            measures[i].run(&bench);
    }
    if (rmdir(bench.folder) != 0)
        bench_fail(bench.folder);
    return 0;
}
