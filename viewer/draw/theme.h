/* The colors of a picture, light and dark. Everything that tells two things apart uses the palette
 * of M. Okabe and K. Ito, "Color Universal Design" (2008), which people with any color vision tell
 * apart; and it is never by color alone. */
#ifndef PTYBOT_VIEWER_DRAW_THEME_H
#define PTYBOT_VIEWER_DRAW_THEME_H

#include <stdint.h>

#include "viewer/draw/viewport.h"

/* 0xRRGGBBAA */
struct theme {
    uint32_t page, floor, dark_floor; /* dark_floor: of reflectance 0 */
    uint32_t grid, grid_fine;
    uint32_t text, faint, halo;
    uint32_t wall;
    uint32_t box, box_edge;     /* fixed */
    uint32_t crate, crate_edge; /* can be pushed */
    uint32_t depth, depth_edge; /* cliffs */
    uint32_t shadow;
    uint32_t dock, dock_plate, pin;
    uint32_t left, center, right; /* the dock's light */
    uint32_t trail, odometry;
    uint32_t ray, hit;
    uint32_t warn, good, selection;
    uint32_t lamp;
    uint32_t outline; /* of robots, which are dark */
};

const struct theme *theme_of(enum theme_name name);

/* A color with another alpha, 0..1. */
uint32_t theme_alpha(uint32_t color, double alpha);

/* A color on the way from one to another, 0..1. */
uint32_t theme_mix(uint32_t from, uint32_t to, double part);

#endif
