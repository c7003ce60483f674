/* Shared by the measurements of `./dev bench wire`: clocks, children, a bare pty with only a loop
 * behind it, and the printed lines. Any failure ends the benchmark. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "include/ptybot/client.h"

enum {
    PACKET = 81,        /* bytes of a Kobuki's packet */
    PERIOD_US = 20000,  /* and how often it comes */
    COMMAND = 10,       /* bytes of its base control */
    REALTIME_OURS = 2,  /* priority of the measuring process: above the measured process */
    REALTIME_THEIRS = 1 /* like `ptybot run --realtime` */
};

extern const uint8_t bench_command[COMMAND]; /* 200 mm/s on an arc of 400 mm */

struct wire_bench {
    const char *ptybot;  /* the program */
    const char *picture; /* where the SVG goes */
    double seconds;      /* of each measure in real time */
    int robots;          /* of a crowd */
    char folder[64];     /* for scenes and recordings */
    bool may_realtime;
};

double bench_now_us(void);
_Noreturn void bench_fail(const char *what);

/* Prints one figure: NAME, VALUE, UNIT, RATIO, and TO, the reference of the ratio. */
void bench_line(const char *name, double value, const char *unit, double ratio, const char *to);

int bench_by_size(const void *a, const void *b); /* of doubles, for qsort */
/* The value that a share of the sorted values does not exceed. */
double bench_quantile(const double *sorted, size_t count, double share);

/* CPU time that a process has used, s. */
double bench_cpu_of_s(pid_t pid);

/* Gives this thread real-time priority, so that it gets a processor as soon as it is ready. False:
 * not allowed. */
bool bench_realtime(int priority);

/* A pty in raw mode; the caller closes both. */
void bench_pty(int *master, int *slave);
int bench_open(const char *port); /* of a run; without waiting, raw already */
bool bench_await(int fd, int timeout_ms);

/* Starts `ptybot run SCENE WORDS...` (ended by NULL). The caller ends it with ptybot_end. */
struct ptybot_run *bench_run(const struct wire_bench *bench, const char *scene,
                             const char *const words[]);

/* Ends a child. */
void bench_end(pid_t child);

/* The measures. */
void wire_late(const struct wire_bench *bench);
void wire_answer(const struct wire_bench *bench);
void wire_lockstep(const struct wire_bench *bench);
void wire_start(const struct wire_bench *bench);
void wire_crowd(const struct wire_bench *bench);
