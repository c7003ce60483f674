/* The host commands of a run as processes: each started in its own process group with the serial
 * shim preloaded, watched, and ended together with everything that it started. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "app/cli/keeper.h"
#include "app/drivers/warp.h"
#include "app/links/links_view.h"
#include "base/error.h"
#include "sim/sim.h"

/* What to start, and how. Texts outlive the start. */
struct host_command {
    const char *const *words;    /* ended by NULL; the first is looked up in PATH */
    const char *folder;          /* to start in; NULL: the current one */
    const char *const *settings; /* NAME=value, ended by NULL */
    const char *log;   /* the file for what it prints, made anew; outlives the host. NULL: ours */
    bool is_on_stderr; /* without a log: all that it prints goes there */
    struct rlimit descriptors; /* its limit of open files */
    const struct warp *warp;   /* how its time runs; NULL: real time */
};

struct host {
    struct keeper keeper;
    pid_t pid;                /* 0: never started */
    bool is_ended;            /* the command itself; what it started may live on */
    int status;               /* of waitpid, once ended */
    int64_t start_ns, end_ns; /* of the monotonic clock */
    const char *log;          /* of its command; or NULL */
    int64_t log_poll_ns;      /* when to look at its size next */
    uint64_t log_left_out;    /* bytes cut from its middle so far */
};

/* The hosts of a run; all zero: none. */
enum { HOSTS_MAX = 16 }; /* chosen */
struct hosts {
    struct host items[HOSTS_MAX];
    size_t count;
    size_t awaited; /* the run ends when that many of them, the first ones, have ended */
    uint64_t sent;  /* by hosts_interrupt: bit N is the UNIX signal N */
};

/* Starts it. False, with the reason in ERROR: it could not be started. */
bool host_start(struct host *host, const struct host_command *command, int64_t now_ns,
                struct error *error);

/* Looks which commands have ended, and keeps their logs short (long_log_thin). Never waits. */
void hosts_poll(struct hosts *hosts, int64_t now_ns);

/* Whether those that are awaited have ended, or one has failed. */
bool hosts_have_ended(const struct hosts *hosts);

/* Whether a process lives on that a command has left behind. */
bool hosts_left_any(const struct hosts *hosts);

/* Whether all commands and all that they have started have ended, or there never were any. */
bool hosts_are_gone(struct hosts *hosts);

/* Sends a UNIX signal to the groups of the commands that still run, as a terminal does. */
void hosts_interrupt(struct hosts *hosts, int number);

/* Whether a command ended as such a signal demands: by the signal itself, or with the exit code
 * that shells and their like make of it. */
bool host_obeyed(const struct hosts *hosts, const struct host *host);

/* Sends a signal to the commands' groups and to all that they have left behind. */
void hosts_signal(const struct hosts *hosts, int number);

/* Ends them at once, and waits for that. */
void hosts_kill(struct hosts *hosts);

/* NAME=value texts, ended by NULL: PTYBOT_CONTROL; for each robot PTYBOT_PORT_<ROBOT> with the port
 * of its first link, and PTYBOT_PORT_<ROBOT>_<CHANNEL> for each, where the name of a robot takes
 * precedence. A port is a path or host:port; a real UART has none, since the host is at its other
 * end. NULL if memory is short. */
char **host_settings(const struct sim *sim, const struct links *links, const char *control);

void host_settings_free(char **settings);

/* WORDS with the port where {ROBOT} or {ROBOT.CHANNEL} stands, other braces as they are; freed with
 * host_settings_free. NULL, with the reason in ERROR: a whole word in braces is next to the name of
 * a port, or memory is short. */
char **host_words(const char *const *words, char *const *settings, struct error *error);

/* The first of WORDS that hands $PTYBOT_PORT_... on to a program, since no shell is to read it; or
 * NULL. */
const char *host_unread_port(const char *const *words);
