/* The colors of a picture, light and dark. Colors with a meaning are from the palette of M. Okabe
 * and K. Ito, "Color Universal Design" (2008), which people with any color vision can distinguish.
 * Color is never the only difference. */
#pragma once

#include <stdint.h>

#include "viewer/draw/viewport.h"

/* 0xRRGGBBAA. Panels and bars have the color of the floor. */
struct theme {
    uint32_t page, floor, dark_floor; /* dark_floor: at reflectance 0 */
    uint32_t grid, grid_fine;
    uint32_t text, faint, halo;
    uint32_t wall;
    uint32_t box, box_edge;     /* fixed obstacles; boxes and discs have individual colors */
    uint32_t crate_edge;        /* of movable objects */
    uint32_t depth, depth_edge; /* cliffs */
    uint32_t shadow;
    uint32_t dock, dock_plate, pin;
    uint32_t left, center, right; /* the dock's light; left: also the selection in the panel */
    uint32_t field;               /* force field of a dock, virtual wall, view of a camera */
    uint32_t trail, odometry;
    uint32_t ray, hit;
    uint32_t warn, good, selection;
    uint32_t lamp;
    uint32_t outline; /* of robots, since their bodies are dark */
};

const struct theme *theme_of(enum theme_name name);

/* A color with its alpha replaced, 0..1. */
uint32_t theme_alpha(uint32_t color, double alpha);

/* A mix of two colors; PART 0: only the first, 1: only the second. */
uint32_t theme_mix(uint32_t from, uint32_t to, double part);
