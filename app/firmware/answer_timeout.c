#include "app/firmware/answer_timeout.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double CPU_MAX_S = 5; /* chosen: a tick needs milliseconds, a start a second */
static const int64_t IDLE_MAX_US = 2000000;     /* chosen: a tick has nothing to wait for */
static const int64_t ALL_IDLE_MAX_US = 5000000; /* chosen: two such ticks and a slow start */
static const int64_t BETWEEN_MAX_US =
    100000;             /* chosen: this program may have been stopped itself */
enum { DEPTH_MAX = 8 }; /* of processes below processes; chosen */

/* Reads a file of /proc into TEXT. */
static bool read_text(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, text, size - 1) : -1;
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

struct found {
    unsigned long long ticks; /* of computing */
    bool is_running;
};

/* The fields of /proc/PID/stat stand behind the name in brackets, which may hold anything. */
static void add_process(pid_t process, int depth, struct found *found)
{
    char path[64], text[1024], state;
    unsigned long long user, kernel;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    if (!read_text(path, text, sizeof text))
        return;
    const char *after = strrchr(text, ')');
    if (!after || sscanf(after + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &state,
                         &user, &kernel) != 3)
        return;
    found->ticks += user + kernel;
    found->is_running |= state == 'R' || state == 'D';
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process, (int)process);
    if (depth == DEPTH_MAX || !read_text(path, text, sizeof text))
        return;
    char *at = text, *end;
    for (long child = strtol(at, &end, 10); end != at; at = end, child = strtol(at, &end, 10))
        add_process((pid_t)child, depth + 1, found);
}

void answer_timeout_begin(struct answer_timeout *timeout)
{
    int64_t all_us = timeout->all_idle_us - ANSWER_POLL_US;
    *timeout = (struct answer_timeout){.all_idle_us = all_us > 0 ? all_us : 0};
}

bool answer_timeout_check(struct answer_timeout *timeout, pid_t process, int64_t now_us,
                          struct error *error)
{
    struct found found = {0};
    add_process(process, 0, &found);
    double cpu_s = (double)found.ticks / (double)sysconf(_SC_CLK_TCK);
    if (!timeout->has_begun)
        timeout->began_cpu_s = timeout->cpu_s = cpu_s;
    bool is_idle = timeout->has_begun && !found.is_running && cpu_s == timeout->cpu_s;
    int64_t between_us = is_idle ? now_us - timeout->polled_us : 0;
    between_us = between_us < BETWEEN_MAX_US ? between_us : BETWEEN_MAX_US;
    timeout->has_begun = true;
    timeout->cpu_s = cpu_s;
    timeout->polled_us = now_us;
    timeout->idle_us = is_idle ? timeout->idle_us + between_us : 0;
    timeout->all_idle_us += between_us;
    if (cpu_s - timeout->began_cpu_s > CPU_MAX_S)
        return error_set(error, "computed for more than %g s without an answer", CPU_MAX_S);
    if (timeout->idle_us >= IDLE_MAX_US)
        return error_set(error, "slept for %g s without an answer", 1e-6 * (double)IDLE_MAX_US);
    return timeout->all_idle_us < ALL_IDLE_MAX_US ||
           error_set(error, "slept for %g s in its answers; allowed: at most %g ms per tick",
                     1e-6 * (double)ALL_IDLE_MAX_US, ANSWER_POLL_US * 1e-3);
}
