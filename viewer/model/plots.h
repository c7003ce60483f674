/* The values of the plotted signals over the last seconds. */
#pragma once

#include "sim/watch/snapshot.h"

enum { PLOTS_MAX = 16, PLOT_POINTS = 600 };
/* chosen: ten seconds, of which 600 points show each 1/60 */
#define PLOT_SPAN_US INT64_C(10000000)

struct plot {
    uint32_t signal; /* its number; PLOTS_NONE: this plot is free */
    uint64_t total;
    int64_t at_us[PLOT_POINTS];
    float value[PLOT_POINTS];
};
#define PLOTS_NONE UINT32_MAX

struct plots {
    struct plot plot[PLOTS_MAX];
};

void plots_clear(struct plots *plots);
/* Starts or stops plotting a signal. If all plots are in use, the first is given up. */
void plots_toggle(struct plots *plots, uint32_t number);
const struct plot *plots_find(const struct plots *plots, uint32_t number);
/* Empties the plot of a signal, if there is one; adds a value to it, in the order of time. */
void plots_restart(struct plots *plots, uint32_t number);
void plots_add(struct plots *plots, uint32_t number, int64_t at_us, double value);
/* Adds the values of a snapshot. If time went back, the plots start again. */
void plots_take(struct plots *plots, const struct snapshot *snapshot);
