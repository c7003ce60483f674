/* Curves over logarithmic axes as a picture (SVG): two panels side by side with the same axes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* From left to right, or from the top down. Its labels are placed at equal distances, the first and
 * the last at its ends. Values beyond an end are drawn at that end. */
struct plot_axis {
    double from, to;
    const char *const *words;
    int count;
};

struct plot_form {
    const char *titles[2]; /* of the panels */
    struct plot_axis x, y;
    double key_y_px[2]; /* of the first row of each panel's key, from the top of the panel */
};

struct plot;

/* NULL: the file cannot be written; errno contains the reason. plot_end frees the plot. FORM must
 * outlive it. */
struct plot *plot_begin(const char *path, const struct plot_form *form);

/* A curve through COUNT points, and its entry in the key of its PANEL, 0 or 1. */
struct plot_curve {
    const char *name, *color;
    bool is_dashed;
    const double *x, *y;
    size_t count;
};
void plot_add(struct plot *plot, int panel, const struct plot_curve *curve);

/* False: the file is incomplete. */
bool plot_end(struct plot *plot);
