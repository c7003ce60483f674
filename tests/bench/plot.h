/* Curves over logarithmic axes as a picture (SVG): two panels side by side with the same axes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* From left to right, or from the top down. Its words are put at equal distances, the first one
 * and the last one at its ends. What lies beyond is drawn at the end. */
struct plot_axis {
    double from, to;
    const char *const *words;
    int count;
};

struct plot_form {
    const char *titles[2]; /* of the panels */
    struct plot_axis x, y;
    double key_y_px[2]; /* of the first row of each panel's key, from its top */
};

struct plot;

/* NULL: the file cannot be written, errno has why. plot_end frees it. FORM outlives it. */
struct plot *plot_begin(const char *path, const struct plot_form *form);

/* A curve through COUNT points, as it stands in the key of its PANEL, 0 or 1. */
struct plot_curve {
    const char *name, *color;
    bool is_dashed;
    const double *x, *y;
    size_t count;
};
void plot_add(struct plot *plot, int panel, const struct plot_curve *curve);

/* False: the file is not whole. */
bool plot_end(struct plot *plot);
