/* A map of the room with a dot for each place where a robot began: green where it passed. */
#ifndef PTYBOT_APP_LAB_RESULTS_REPORT_MAP_H
#define PTYBOT_APP_LAB_RESULTS_REPORT_MAP_H

#include <stddef.h>
#include <stdio.h>

#include "app/lab/results/statistics.h"

struct map_place {
    double x_m, y_m, heading_deg;
    struct share share; /* of the cases that began there */
    const char *name;   /* of the first of them */
};

/* Writes one element <svg>. SCENE: as for scene_file_find; the room is painted as pictures of it
 * are, and where that cannot be the dots stand between the bounds of their places. The picture goes
 * by a file beside PATH, that of the page. */
void report_map(FILE *page, const char *path, const char *scene, const struct map_place *places,
                size_t count);

#endif
