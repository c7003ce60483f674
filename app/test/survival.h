/* Observations of a driver under a hardship: numbers that survival_judge.h compares. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/drivers/host.h"
#include "app/links/links.h"
#include "app/links/live.h"
#include "app/test/wire_log.h"
#include "sim/sim.h"

/* ---- The driver's estimate of its robot's state, and its error. The driver reports the estimate
 * on its standard output in lines like `ptybot estimate x_m=1.2 y_m=0 heading_deg=90 speed_m_s=0.2
 * turn_deg_s=0`, or by the command world.estimate. The first estimate defines the origin of the
 * driver's frame. ---- */

enum { ESTIMATE_X, ESTIMATE_Y, ESTIMATE_HEADING, ESTIMATE_SPEED, ESTIMATE_TURN, ESTIMATE_KEYS };

enum { ESTIMATE_UPDATES = 10 }; /* updates in one second: an estimate may be as old */

/* Plain data. Initial value: all zero. */
struct estimate {
    long offset;    /* position in the log */
    char line[512]; /* incomplete line; longer than any estimate */
    size_t line_size;
    bool is_given[ESTIMATE_KEYS];
    double values[ESTIMATE_KEYS];
    /* Poses at the first estimate: by the driver and by the two references. */
    bool has_origin;
    double origin[3], truth[3], odometry[3];
    double speeds[ESTIMATE_UPDATES], turns[ESTIMATE_UPDATES]; /* true values at the last updates */
    unsigned updates;
};

struct estimate_error {
    double position_m, speed_m_s, turn_deg_s; /* 0: no estimate, or no error */
};

/* Reads new lines in the log of the driver and the commands in LIVE, and compares them with the
 * first robot. Call it ten times per second. The smaller of the errors against truth and odometry
 * counts. */
struct estimate_error estimate_update(struct estimate *estimate, const struct sim *sim,
                                      const struct live *live, const char *log);

/* ---- Facts ---- */

enum {
    SURVIVAL_TENTHS = 1800, /* chosen: three minutes; later tenths are not compared */
    SURVIVAL_PACKETS = 48,  /* chosen: three channels of WIRE_ACCOUNT_PACKETS */
    SURVIVAL_NAME = 80,
};

/* A kind of packet that the driver sent, and the highest speed that it contained. */
struct survival_packet {
    char name[SURVIVAL_NAME]; /* ROBOT.CHANNEL PACKET */
    double speed; /* largest absolute value of a field with a unit per second; 0: no such field */
};

/* In s. A driver that was charged more simulated time without waiting counts as spinning, and the
 * run ends. Chosen: 100 times the charge of a good driver. */
#define SURVIVAL_SPIN_S 1.0

#define SURVIVAL_STANDS_M_S 0.01 /* chosen: slower than any command of a driver */

/* Plain data, shared between processes. */
struct survival_facts {
    bool is_there;
    bool is_held; /* time waited for the driver, so that the run is reproducible */
    /* Totals of all channels at the end of each tenth of a second. */
    uint64_t commands[SURVIVAL_TENTHS]; /* valid frames from the driver */
    uint64_t taken[SURVIVAL_TENTHS];    /* bytes that the driver read */
    uint64_t written[SURVIVAL_TENTHS];  /* bytes that it wrote */
    uint64_t opened[SURVIVAL_TENTHS];   /* number of times that it opened a port */
    struct estimate_error errors[SURVIVAL_TENTHS];
    size_t tenths;
    struct estimate estimate;
    bool is_ended, is_out_of_time; /* the driver ended; --host-timeout expired */
    int status;                    /* of waitpid, if it ended */
    double end_s, run_s;           /* simulated time when it ended, and when the run ended */
    double charged_s;              /* simulated time while it kept computing */
    double polled_s;         /* the same while it kept polling, which may be its way to wait */
    double hits;             /* number of faults that acted; NAN: not counted */
    double speed_m_s;        /* largest true speed of a robot at the end of the run */
    uint64_t channels;       /* bit i: a driver opened channel i */
    uint64_t refused;        /* frames that robots refused */
    bool counts_descriptors; /* input: counting descriptors of all processes takes a while */
    size_t descriptors, descriptors_first; /* open in all processes of the drivers; first count */
    char note[320];                        /* first diagnosis of the run; "": no diagnosis */
    struct survival_packet packets[SURVIVAL_PACKETS];
    size_t packet_count;
};

/* Records the present state. Call it before each step. */
void survival_update(struct survival_facts *facts, const struct sim *sim, const struct live *live,
                     const struct links *links, const struct hosts *hosts);

/* Records the rest at the end of the run. The end was decided at END_NS of the monotonic clock. */
void survival_finish(struct survival_facts *facts, const struct sim *sim,
                     const struct wire_log *log, const struct hosts *hosts, int64_t end_ns);

/* The command of a shell that runs SCRIPT with WORDS, the command of a driver, as its arguments.
 * Valid until the next call. */
const char *const *survival_words(const char *script, const char *const *words);

/* Events per second of COUNTER (an array of FACTS) in an interval of simulated time. */
double survival_rate(const struct survival_facts *facts, const uint64_t *counter, double from_s,
                     double until_s);
