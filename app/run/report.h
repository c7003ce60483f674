/* What a run tells people: the table at the start, the status line, the summary at the end, and how
 * the expectations and the timeline of its scene came out. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "app/links/links_view.h"
#include "app/time/pacer.h"
#include "sim/scene/scene.h"
#include "sim/sim.h"

struct report {
    struct sim *sim;
    struct links *links;
    const struct pacer *pacer;
    const struct pace *pace;
    const char *control_port; /* HOST:PORT of the control socket; NULL or "": none */
    int64_t start_ns;         /* wall time of the start */
    int64_t status_ns;        /* of the last status line */
    int64_t status_us;        /* simulated time then */
    uint64_t drops_reported;  /* of the pacer, as last told */
    int64_t late_reported_ns; /* when */
};

/* Nothing is printed yet. All parts outlive the report. */
void report_init(struct report *report, struct sim *sim, struct links *links,
                 const struct pacer *pacer, const struct pace *pace, int64_t now_ns);

/* Prints robots, where to connect, and what to run for drivers with a fixed path; flushed, so that
 * a program that waits for it can read it now. */
void report_start(struct report *report, const struct scene *scene, const char *control_path,
                  int64_t now_ns);

/* The status line, once a second, if there is a terminal. */
void report_status(struct report *report, int64_t now_ns);

/* Says that a step came too late for real time; at most once a second. Cheap: call it whenever
 * steps are due. A warped clock waits for the world, so that it is not said there. */
void report_late(struct report *report, int64_t now_ns);

/* How much real time a run has lost by that, with the remedy; false: none. */
bool report_lateness(const struct report *report, char *text, size_t size);

/* Writes what each channel carried and how well the pace was kept. */
void report_end(struct report *report, int64_t now_ns, FILE *out);

/* Writes a table of the expectations and one of the timeline; nothing for a scene without either.
 */
void report_verdicts(const struct sim *sim, FILE *out);

/* How many expectations failed, and commands of the timeline that were refused. */
size_t report_failures(const struct sim *sim);
