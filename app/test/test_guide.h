/* How far a run with hosts goes: the world waits for the host, runs while something is to be
 * judged, and ends when the host has ended, all is decided, time is up or somebody asks for it;
 * then every child is ended. */
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

/* The picture of a failure: of the moment in which the first expectation failed, else of the end.
 */
struct test_picture {
    char path[PATH_MAX];
    struct watch *watch;       /* from the first step on, so that the picture has trails; or NULL */
    struct picture_feed *feed; /* the painter at work; or NULL */
    bool is_tried;
};

/* Of a test that HAS_FAILED, takes it now at the latest; waits for the painter. */
void test_picture_finish(struct test_picture *picture, const struct session *session,
                         bool has_failed);

enum test_phase {
    TEST_WAITS, /* at t = 0, for the first host to open a channel */
    TEST_RUNS,
    TEST_DRAINS, /* the host has ended, its last bytes are on their way to the robots */
    TEST_STOPS,  /* the world stands still, children are being ended */
    TEST_LASTS,  /* no host is left, and the simulation continues for some seconds */
};

enum test_end {
    TEST_END_HOST,     /* the host commands have ended, or one has failed */
    TEST_END_FOR,      /* --for */
    TEST_END_DECIDED,  /* and no host runs */
    TEST_END_FAILED,   /* an expectation that stops, or with --fail-fast any */
    TEST_END_TIMEOUT,  /* --host-timeout */
    TEST_END_DEADLINE, /* of simulated time */
    TEST_END_FIRMWARE, /* the process that is a robot's firmware is gone */
    TEST_END_SIGNAL,   /* SIGINT and the like */
};

struct test_guide {
    struct session *session;
    struct warp *warp;            /* the host's clock; NULL: real time */
    struct wire_log *wire;        /* to be kept short; or NULL */
    struct test_picture *picture; /* or NULL */
    struct survival_facts *facts; /* filled; or NULL */
    struct hosts *hosts;          /* none: there is no host command */
    int64_t timeout_ns;           /* wall time that hosts may take, or that one may take to come */
    int64_t deadline_us;          /* for the awaited hosts, from the first open on; 0: none */
    int64_t continue_us;          /* how long to continue after the hosts have ended */
    bool is_fail_fast;            /* the first failure ends it */
    bool ends_decided;            /* without a host, as soon as time can decide nothing more */
    enum test_phase phase;
    enum test_end end;
    bool is_ending;
    bool has_hung;                 /* a host missed the deadline */
    bool is_host_survived;         /* a command ended before what it had started */
    int64_t advanced_us, clock_ns; /* simulated time, and the clock of held hosts */
    int64_t advanced_ns;           /* when one of them was last another */
    int64_t advanced_clock_ns;     /* the clock when simulated time was last another */
    int64_t start_ns, end_ns;      /* of the guide; of when the end was decided */
    int64_t run_ns;                /* when the world began to run */
    int64_t done_ns;               /* of when the world stood still */
    int64_t opened_us;             /* simulated time of the first open; -1: none yet */
    int64_t last_us;               /* simulated time up to which it continues without hosts */
    int64_t kill_ns;               /* when to kill the children */
    size_t *rooms;                 /* room of each link while it is empty */
};

/* IS_HELD: the world waits for the first host. False where memory is short. */
bool test_guide_open(struct test_guide *guide, bool is_held, int64_t now_ns);
void test_guide_close(struct test_guide *guide);

/* For session_run. */
struct loop_guide test_guide_hooks(struct test_guide *guide);

struct test_guide_traffic {
    uint64_t hosts; /* that opened a channel so far */
    uint64_t bytes; /* that they wrote */
};
struct test_guide_traffic test_guide_traffic(const struct test_guide *guide);
