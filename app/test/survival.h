/* What a run shows of a driver under a hardship: numbers that survival_judge.h compares. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/drivers/host.h"
#include "app/links/links.h"
#include "app/links/live.h"
#include "app/test/wire_log.h"
#include "sim/sim.h"

/* ---- What a driver believes of its robot, as it says on its standard output in lines like
 * `ptybot estimate x_m=1.2 y_m=0 heading_deg=90 speed_m_s=0.2 turn_deg_s=0` or by the command
 * world.estimate, and how far that is from the simulation. A driver's frame has its origin wherever
 * its first estimate says. ---- */

enum { ESTIMATE_X, ESTIMATE_Y, ESTIMATE_HEADING, ESTIMATE_SPEED, ESTIMATE_TURN, ESTIMATE_KEYS };

enum { ESTIMATE_UPDATES = 10 }; /* a second of looks: an estimate may be as old */

/* Plain data; all zero is the start. */
struct estimate {
    long offset;    /* in the log */
    char line[512]; /* that has not ended; longer than any estimate */
    size_t line_size;
    bool is_given[ESTIMATE_KEYS];
    double values[ESTIMATE_KEYS];
    /* Poses of the first estimate, by the driver and by the two references. */
    bool has_origin;
    double origin[3], truth[3], odometry[3];
    double speeds[ESTIMATE_UPDATES], turns[ESTIMATE_UPDATES]; /* true ones of the last looks */
    unsigned updates;
};

struct estimate_error {
    double position_m, speed_m_s, turn_deg_s; /* 0: no estimate, or right */
};

/* Reads new lines in the log of the driver and the commands of LIVE, and compares with the first
 * robot: ten times a second. The smaller of the errors against truth and odometry counts. */
struct estimate_error estimate_update(struct estimate *estimate, const struct sim *sim,
                                      const struct live *live, const char *log);

/* ---- Facts ---- */

enum {
    SURVIVAL_TENTHS = 1800, /* chosen: three minutes; later tenths are not compared */
    SURVIVAL_PACKETS = 48,  /* chosen: three channels of WIRE_ACCOUNT_PACKETS */
    SURVIVAL_NAME = 80,
};

/* A kind of packet that the driver sent, and the highest speed in it. */
struct survival_packet {
    char name[SURVIVAL_NAME]; /* ROBOT.CHANNEL PACKET */
    double speed;             /* largest amount of a field in a unit per second; 0: has no such */
};

/* A driver that did not wait for as long spins: the run ends. Chosen: 100 times what a good one was
 * charged. */
#define SURVIVAL_SPIN_S 1.0

#define SURVIVAL_STANDS_M_S 0.01 /* chosen: slower than any command of a driver */

/* Plain data: processes share it. */
struct survival_facts {
    bool is_there;
    bool is_held; /* time waited for the driver, so that the run repeats */
    /* Totals of all channels at the end of each tenth of a second. */
    uint64_t commands[SURVIVAL_TENTHS]; /* good frames from the driver */
    uint64_t taken[SURVIVAL_TENTHS];    /* bytes that the driver read */
    uint64_t written[SURVIVAL_TENTHS];  /* bytes that it wrote */
    uint64_t opened[SURVIVAL_TENTHS];   /* times that it opened a port */
    struct estimate_error errors[SURVIVAL_TENTHS];
    size_t tenths;
    struct estimate estimate;
    bool is_ended, is_out_of_time; /* the driver ended; time stood for --host-timeout */
    int status;                    /* of waitpid, where it ended */
    double end_s, run_s;           /* simulated time of its end, and of the end of the run */
    double charged_s;              /* during which it kept computing or polling */
    double hits;                   /* of faults; NAN: not counted */
    double speed_m_s;              /* largest true speed of a robot at the end of the run */
    uint64_t channels;             /* bit i: a driver opened channel i */
    uint64_t refused;              /* frames that robots refused */
    bool counts_descriptors;       /* given: a look at all processes takes a while */
    size_t descriptors, descriptors_first; /* of all processes of the drivers */
    char note[320];                        /* the first diagnosis of the run; "": none */
    struct survival_packet packets[SURVIVAL_PACKETS];
    size_t packet_count;
};

/* Notes what there is now. Call it before each step. */
void survival_update(struct survival_facts *facts, const struct sim *sim, const struct live *live,
                     const struct links *links, const struct hosts *hosts);

/* Notes the rest, at the end of the run, which was decided at END_NS of the monotonic clock. */
void survival_finish(struct survival_facts *facts, const struct sim *sim,
                     const struct wire_log *log, const struct hosts *hosts, int64_t end_ns);

/* The words of a driver behind those of a shell with the SCRIPT, whose arguments they are. Valid
 * until the next call. */
const char *const *survival_words(const char *script, const char *const *words);

/* Events a second of COUNTER (an array of FACTS) in a span of time. */
double survival_rate(const struct survival_facts *facts, const uint64_t *counter, double from_s,
                     double until_s);
