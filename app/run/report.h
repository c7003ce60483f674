/* Output of a run for people: the table at the start, the status line, the summary at the end, and
 * the results of the expectations and the timeline of its scene. */
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
    int64_t start_ns;         /* wall-clock time of the start */
    int64_t status_ns;        /* of the last status line */
    int64_t status_us;        /* simulated time at that moment */
    uint64_t drops_reported;  /* of the pacer, as reported last */
    int64_t late_reported_ns; /* time of that report */
};

/* Initializes the report without output. All arguments outlive it. */
void report_init(struct report *report, struct sim *sim, struct links *links,
                 const struct pacer *pacer, const struct pace *pace, int64_t now_ns);

/* Prints robots, their ports, and commands to run for drivers with a fixed path. Flushes the
 * output, so that a program that waits for it can read it. */
void report_start(struct report *report, const struct scene *scene, const char *control_path,
                  int64_t now_ns);

/* Updates the status line, once a second, if there is a terminal. */
void report_status(struct report *report, int64_t now_ns);

/* Reports that a step came too late for real time, at most once a second. Cheap: call it whenever
 * steps are due. Reports nothing if the driver's clock waits for the simulation. */
void report_late(struct report *report, int64_t now_ns);

/* Describes how much real time a run has lost through late steps, with the remedy; false: none. */
bool report_lateness(const struct report *report, char *text, size_t size);

/* Writes the traffic of each channel, and how well the speed was kept. */
void report_end(struct report *report, int64_t now_ns, FILE *out);

/* Writes a table of the expectations and one of the timeline; nothing if the scene has neither. */
void report_verdicts(const struct sim *sim, FILE *out);

/* Number of failed expectations, and of rejected commands of the timeline. */
size_t report_failures(const struct sim *sim);
