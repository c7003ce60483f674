/* The driver commands of a run as processes. Each gets its own process group, with the serial shim
 * preloaded. ptybot watches it, and ends it together with its descendants. In identifiers, host
 * means the driver. */
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

/* The process to start. The texts must stay valid until it has started. */
struct host_command {
    const char *const *words;    /* NULL-terminated; the first is looked up in PATH */
    const char *folder;          /* its working folder; NULL: the current one */
    const char *const *settings; /* NAME=value, NULL-terminated */
    const char *log;   /* file for its output, created or truncated; outlives the host. NULL: the
                          output of ptybot */
    bool is_on_stderr; /* without a log: all its output goes to stderr */
    struct rlimit descriptors; /* its limit of open files */
    const struct warp *warp;   /* its clock; NULL: real time */
};

struct host {
    struct keeper keeper;
    pid_t pid;                /* 0: never started */
    bool is_ended;            /* the command itself; its descendants may still run */
    int status;               /* of waitpid, once ended */
    int64_t start_ns, end_ns; /* by the monotonic clock */
    const char *log;          /* of its command; or NULL */
    int64_t log_poll_ns;      /* when to check the size of the log next */
    uint64_t log_left_out;    /* bytes cut from its middle so far */
};

/* The drivers of a run; all zero: no driver. */
enum { HOSTS_MAX = 16 }; /* chosen */
struct hosts {
    struct host items[HOSTS_MAX];
    size_t count;
    size_t awaited; /* the run ends when the first AWAITED drivers have ended */
    uint64_t sent;  /* by hosts_interrupt: bit N is the signal N of UNIX */
};

/* Starts the command. False, with the reason in ERROR. */
bool host_start(struct host *host, const struct host_command *command, int64_t now_ns,
                struct error *error);

/* Checks which commands have ended, and keeps their logs short (long_log_thin). Never waits. */
void hosts_poll(struct hosts *hosts, int64_t now_ns);

/* Whether the awaited drivers have ended, or a driver has failed. */
bool hosts_have_ended(const struct hosts *hosts);

/* Whether a process still runs that a command has left behind. */
bool hosts_left_any(const struct hosts *hosts);

/* Whether all commands and their descendants have ended, or there were no commands. */
bool hosts_are_gone(struct hosts *hosts);

/* Sends a signal of UNIX to the groups of the commands that still run, as a terminal does. */
void hosts_interrupt(struct hosts *hosts, int number);

/* Whether a command ended as that signal demands: by the signal itself, or with the exit code that
 * shells and similar programs return for it. */
bool host_obeyed(const struct hosts *hosts, const struct host *host);

/* Sends a signal to the groups of the commands and to all processes that they have left behind. */
void hosts_signal(const struct hosts *hosts, int number);

/* Kills all drivers, and waits until they have ended. */
void hosts_kill(struct hosts *hosts);

/* Returns NAME=value texts, NULL-terminated: PTYBOT_CONTROL; for each robot PTYBOT_PORT_<ROBOT>
 * with the port of its first link, and PTYBOT_PORT_<ROBOT>_<CHANNEL> for each link. If two names
 * are equal, that of the robot takes precedence. A port is a path or host:port; a real UART has
 * none, since the driver is at its other end. NULL: no memory. */
char **host_settings(const struct sim *sim, const struct links *links, const char *control);

void host_settings_free(char **settings);

/* Returns a copy of WORDS with ports in place of {ROBOT} and {ROBOT.CHANNEL}; other braces stay.
 * Free it with host_settings_free. NULL, with the reason in ERROR: a whole word in braces resembles
 * the name of a port, or there is no memory. */
char **host_words(const char *const *words, char *const *settings, struct error *error);

/* The first of WORDS that contains $PTYBOT_PORT_... although no shell will expand it; or NULL. */
const char *host_unread_port(const char *const *words);
