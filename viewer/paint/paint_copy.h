/* Small pictures that are put on a surface again and again, at whole pixels. They come out as cairo
 * paints them, to the bit, without what cairo does around each. */
#pragma once

#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>

struct paint_copy;

/* What is to be seen of a picture (CAIRO_FORMAT_ARGB32), which stays the caller's; the copy is
 * to be freed. NULL: out of memory. */
struct paint_copy *paint_copy_make(cairo_surface_t *picture);

/* Puts it on the image that CAIRO paints on, the picture's upper left corner at a pixel of that.
 * IS_CLIPPED: the context has a clip. */
void paint_copy_show(const struct paint_copy *self, cairo_t *cairo, int x_px, int y_px,
                     bool is_clipped);

/* A copy at a place of an image. */
struct paint_place {
    const struct paint_copy *copy;
    int x_px, y_px;
};

/* Puts many of them on a surface, inside of LIMITS: left, top, right and bottom. */
void paint_copy_show_all(cairo_surface_t *surface, const struct paint_place *places, size_t count,
                         const int limits[4]);

/* Makes the whole of an image equal to another of the same format and size. False: they differ in
 * these, and nothing was done. */
bool paint_copy_whole(cairo_surface_t *to, cairo_surface_t *from);
