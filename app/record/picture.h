/* Pictures of a simulation. A separate process (ptybot-picture) paints them from snapshots, so a
 * picture costs the simulation only the time of a copy. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "app/cli/arguments.h"
#include "app/links/live.h"
#include "base/error.h"
#include "sim/sim.h"

/* The content of pictures, as set by picture_flags. */
struct picture_view {
    char size[16];   /* WIDTHxHEIGHT in pixels */
    int32_t theme;   /* 0 light, 1 dark */
    char around[64]; /* robot or dock in the center; "": the center of the room */
    double span_m;   /* width of the visible area; 0: the whole room */
    bool is_action;  /* robots, docks and movable objects fill the gliding picture */

    bool is_map; /* this point is in the center; rays, trails and caption are hidden */
    double middle_x_m, middle_y_m;
};

/* --size, --theme, --around, --span, --action: fill a struct picture_view. */
extern const struct flag_group picture_flags;

struct picture_options {
    const char *out;                 /* a file .png or .svg for one picture; or NULL */
    const char *frames;              /* a folder for numbered PNG files; or NULL */
    const struct picture_view *view; /* NULL: the whole room in 1280x800, light */
    bool is_awaited;                 /* simulated time waits for each picture */
};

struct picture_feed;
struct watch;

/* Whether the file name is that of a picture: .png or .svg. */
bool picture_has_name(const char *path);

/* Whether the extension of the file is allowed. */
bool picture_check(const struct picture_options *options, struct error *error);

/* Whether the size is allowed, and the scene has the robot or dock in the center. */
bool picture_check_view(const struct picture_view *view, const struct scene *scene,
                        struct error *error);

/* Starts the painter. NULL, with the reason and a remedy in ERROR: it is not installed, or the
 * folder cannot be created. */
struct picture_feed *picture_open(const struct picture_options *options, struct error *error);

/* Passes the present state of the simulation to the painter, with the trails of WATCH (NULL:
 * without) and the data of LIVE. If the painter has not copied the previous picture yet, waits for
 * it (IS_PATIENT), or skips this picture and counts it. False: there is no memory for it, as
 * picture_reason reports; or the painter has ended, and picture_close reports the code. */
bool picture_take(struct picture_feed *feed, const struct sim *sim, const struct watch *watch,
                  const struct live *live, bool is_patient);

/* Waits for the last picture. False: a picture could not be written; the painter has printed which
 * one. */
bool picture_close(struct picture_feed *feed);

/* Writes one picture of a simulation to a file: open, take, close. The painter prints errors on
 * stderr. */
bool picture_write(const struct sim *sim, const struct watch *watch, const struct live *live,
                   const struct picture_options *options, struct error *error);

/* ---- --frames: a run as numbered pictures, evenly spaced in simulated time ---- */

struct picture_log_options {
    char folder[PATH_MAX]; /* "": none */
    double per_s;          /* of simulated time */
    struct picture_view view;
};

struct picture_log;

/* Starts the painter, and creates the folder if it is missing. If IS_PATIENT, simulated time waits
 * for the painter; otherwise pictures that come too fast are skipped and counted, and the wire is
 * never delayed. NULL with ERROR. SIM, LIVE and OPTIONS outlive it. */
struct picture_log *picture_log_open(const struct picture_log_options *options, struct sim *sim,
                                     const struct live *live, bool is_patient, struct error *error);

/* Passes a picture to the painter if one is due; call it after each step. */
void picture_log_step(struct picture_log *log);

/* Waits for the last picture, and prints how many were skipped. False, with the reason in ERROR, if
 * a picture could not be written. NULL is allowed. */
bool picture_log_close(struct picture_log *log, struct error *error);
