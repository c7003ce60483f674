/* The course of a run with hosts. The simulation waits for the host, and runs while something can
 * be judged. It ends when the host has ended, when everything is decided, when the time is over, or
 * on request. Then all children are ended. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "app/drivers/host.h"
#include "app/record/picture.h"
#include "app/run/loop.h"
#include "app/run/session.h"
#include "app/test/survival.h"
#include "app/test/wire_log.h"

/* The picture of a failure: when the first expectation fails, otherwise at the end. */
struct test_picture {
    char path[PATH_MAX];
    struct watch *watch; /* from the first step on, so that the picture shows trails; or NULL */
    struct picture_feed *feed; /* the running painter; or NULL */
    bool is_tried;
};

/* If the test HAS_FAILED, takes the picture now unless it was taken before. Waits for the
 * painter. */
void test_picture_finish(struct test_picture *picture, const struct session *session,
                         bool has_failed);

enum test_phase {
    TEST_WAITS, /* time is 0 until the first host opens a channel */
    TEST_RUNS,
    TEST_DRAINS, /* the host has ended, its last bytes are still on the way to the robots */
    TEST_STOPS,  /* simulated time does not advance, children are being ended */
    TEST_LASTS,  /* no host runs, and the simulation continues for some seconds */
};

enum test_end {
    TEST_END_HOST,     /* all host commands have ended, or a command has failed */
    TEST_END_FOR,      /* --for */
    TEST_END_DECIDED,  /* all expectations are decided, and no host runs */
    TEST_END_FAILED,   /* a failed expectation ended it: one with `stop`, or any with --fail-fast */
    TEST_END_TIMEOUT,  /* --host-timeout */
    TEST_END_DEADLINE, /* a deadline in simulated time */
    TEST_END_FIRMWARE, /* the firmware process of a robot has ended */
    TEST_END_SIGNAL,   /* a signal, such as SIGINT */
};

struct test_guide {
    struct session *session;
    struct warp *warp;            /* the host's clock; NULL: real time */
    struct wire_log *wire;        /* its file must be kept short; or NULL */
    struct test_picture *picture; /* or NULL */
    struct survival_facts *facts; /* observations to fill in; or NULL */
    struct hosts *hosts;          /* empty: there is no host command */
    int64_t timeout_ns;  /* longest wall-clock time of hosts, and longest wait for a host */
    int64_t deadline_us; /* for the awaited hosts, from the first open on; 0: no deadline */
    int64_t continue_us; /* time that the run continues after the hosts have ended */
    bool is_fail_fast;   /* the first failure ends the run */
    bool ends_decided;   /* a test without hosts ends as soon as more time can decide nothing */
    enum test_phase phase;
    enum test_end end;
    bool is_ending;
    bool has_hung;         /* a host missed the deadline */
    bool is_host_survived; /* a process that a host command started was still running when the
                              command ended */
    int64_t advanced_us, clock_ns; /* simulated time, and the clock of hosts in virtual time */
    int64_t advanced_ns;           /* when one of these last changed */
    int64_t advanced_clock_ns;     /* the clock when simulated time last changed */
    int64_t start_ns, end_ns;      /* start of the guide; when the end was decided */
    int64_t run_ns;                /* when simulated time started */
    int64_t done_ns;               /* when simulated time stopped */
    int64_t opened_us;             /* simulated time of the first open; -1: no open yet */
    int64_t last_us;               /* simulated time of the end, if it continues without hosts */
    int64_t kill_ns;               /* when to kill the children */
    size_t *rooms;                 /* free space of each link while it is empty */
};

/* IS_HELD: the simulation waits for the first host. False: out of memory. */
bool test_guide_open(struct test_guide *guide, bool is_held, int64_t now_ns);
void test_guide_close(struct test_guide *guide);

/* For session_run. */
struct loop_guide test_guide_hooks(struct test_guide *guide);

struct test_guide_traffic {
    uint64_t hosts; /* hosts that opened a channel so far */
    uint64_t bytes; /* bytes that they wrote */
};
struct test_guide_traffic test_guide_traffic(const struct test_guide *guide);
