/* Each plot is a ring of values. */
#include "viewer/model/plots.h"

#include <string.h>

void plots_clear(struct plots *plots)
{
    for (size_t i = 0; i < PLOTS_MAX; i++)
        plots->plot[i].signal = PLOTS_NONE;
}

static size_t place_of(const struct plots *plots, uint32_t number)
{
    size_t at = 0;
    while (at < PLOTS_MAX && plots->plot[at].signal != number)
        at++;
    return at;
}

const struct plot *plots_find(const struct plots *plots, uint32_t number)
{
    size_t at = place_of(plots, number);
    return at < PLOTS_MAX ? &plots->plot[at] : NULL;
}

void plots_toggle(struct plots *plots, uint32_t number)
{
    size_t at = place_of(plots, number);
    if (at < PLOTS_MAX) {
        plots->plot[at].signal = PLOTS_NONE;
        return;
    }
    at = place_of(plots, PLOTS_NONE);
    if (at == PLOTS_MAX) {
        at = PLOTS_MAX - 1;
        memmove(&plots->plot[0], &plots->plot[1], at * sizeof plots->plot[0]);
    }
    plots->plot[at].signal = number;
    plots->plot[at].total = 0;
}

static void add(struct plot *plot, int64_t at_us, double value)
{
    plot->at_us[plot->total % PLOT_POINTS] = at_us;
    plot->value[plot->total++ % PLOT_POINTS] = (float)value;
}

void plots_restart(struct plots *plots, uint32_t number)
{
    size_t at = place_of(plots, number);
    if (at < PLOTS_MAX)
        plots->plot[at].total = 0;
}

void plots_add(struct plots *plots, uint32_t number, int64_t at_us, double value)
{
    size_t at = place_of(plots, number);
    if (at < PLOTS_MAX)
        add(&plots->plot[at], at_us, value);
}

void plots_take(struct plots *plots, const struct snapshot *snapshot)
{
    const double *values = snapshot_at(snapshot, snapshot->values);
    for (size_t i = 0; i < PLOTS_MAX; i++) {
        struct plot *plot = &plots->plot[i];
        if (plot->signal >= snapshot->values.count)
            continue;
        int64_t last_us = plot->total > 0 ? plot->at_us[(plot->total - 1) % PLOT_POINTS] : -1;
        if (snapshot->now_us < last_us)
            plot->total = 0;
        // Many snapshots in a short time must not push ten seconds out of the ring.
        if (plot->total > 0 && snapshot->now_us - last_us < PLOT_SPAN_US / PLOT_POINTS)
            continue;
        add(plot, snapshot->now_us, values[plot->signal]);
    }
}
