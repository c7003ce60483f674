/* Small pictures that are copied to a surface many times, at whole pixels. The result equals that
 * of cairo bit by bit, without cairo's overhead for each copy. */
#pragma once

#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>

struct paint_copy;

/* Makes a copy of the visible part of a picture (CAIRO_FORMAT_ARGB32). The caller keeps the picture
 * and must free the copy. NULL: out of memory. */
struct paint_copy *paint_copy_make(cairo_surface_t *picture);

/* Draws the copy on the image of CAIRO, with the picture's upper left corner at the given pixel.
 * IS_CLIPPED: the context has a clip. */
void paint_copy_show(const struct paint_copy *self, cairo_t *cairo, int x_px, int y_px,
                     bool is_clipped);

/* A copy and its position on an image. */
struct paint_place {
    const struct paint_copy *copy;
    int x_px, y_px;
};

/* Draws many copies on a surface, within LIMITS: left, top, right and bottom. */
void paint_copy_show_all(cairo_surface_t *surface, const struct paint_place *places, size_t count,
                         const int limits[4]);

/* Copies a whole image to another of the same format and size. False: format or size differ, and
 * nothing was copied. */
bool paint_copy_whole(cairo_surface_t *to, cairo_surface_t *from);
