/* Processes that ptybot starts, such as drivers, firmwares, painters and windows. Between ptybot
 * and each of them is a keeper, a process that adopts everything that the started process leaves
 * behind (a subreaper). The keeper ends when no process is left, and kills all of them as soon as
 * ptybot is gone, however ptybot ended. So no process outlives a run. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* The name of the process. */
#define KEEPER_NAME "ptybot-keeper"

struct keeper {
    pid_t pid;   /* of the keeper; 0: none */
    pid_t child; /* the started process; 0: it has ended */
    int place;   /* 1 + the processor that the child is bound to; 0: none */
    int link;    /* socket to the keeper; in the started process: reports that it failed */
};

/* Returns 0 in the new process, which calls exec or keeper_fail, and its pid in the caller, which
 * waits for one of both. -1, with errno: it could not be started. IS_APART: the keeper gets a new
 * process group. */
pid_t keeper_fork(struct keeper *keeper, bool is_apart);

/* In the new process: ends it. The caller of keeper_fork gets errno. */
_Noreturn void keeper_fail(const struct keeper *keeper);

/* Whether the started process has ended, with its STATUS as of waitpid; true only once. WAITS:
 * blocks until then. */
bool keeper_poll(struct keeper *keeper, bool waits, int *status);

/* Whether the process and all its descendants have ended. Never waits. */
bool keeper_is_gone(struct keeper *keeper);

/* Kills all processes that are left, and waits until they have ended. */
void keeper_end(struct keeper *keeper);

/* Call it before ptybot sleeps and the process runs in its turn. Binds both to one processor,
 * because another processor wakes slowly. Every 64th turn the kernel chooses the processor. */
void keeper_take_turns(struct keeper *keeper);

struct keeper_stat {
    char state; /* a letter of /proc/PID/stat */
    pid_t parent, group;
    unsigned long long user, kernel; /* CPU time in clock ticks */
};

/* Reads the kernel's data of a process. False: there is no such process. */
bool keeper_look(pid_t pid, struct keeper_stat *stat);

/* Calls VISIT for each child process of PARENT that has not ended. */
void keeper_visit(pid_t parent, void (*visit)(pid_t pid, pid_t group, void *context),
                  void *context);
