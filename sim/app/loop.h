/* The one loop of a run: sleeps on descriptors and deadlines, serves links and control clients,
 * does the steps that are due. One thread. */
#ifndef PTYBOT_SIM_APP_LOOP_H
#define PTYBOT_SIM_APP_LOOP_H

#include <stdint.h>

#include "sim/app/control.h"
#include "sim/app/links.h"
#include "sim/app/pacer.h"
#include "sim/app/poller.h"
#include "sim/app/report.h"
#include "sim/app/signal_log.h"
#include "sim/app/storage.h"
#include "sim/sim.h"

/* The parts of a run; all belong to the caller. */
struct loop {
    struct sim *sim;
    struct poller *poller;
    struct links *links;
    struct control *control;
    struct pacer *pacer;
    struct report *report;
    struct storage *storage;
    struct signal_log *log; /* or NULL */
    int64_t end_us;         /* simulated time at which the run ends; INT64_MAX: never */
};

/* Runs until the end or a signal that asks for it. */
void loop_run(struct loop *loop);

#endif
