/* Paints draw lists with cairo and pango: the same for the window, PNG and SVG. */
#ifndef PTYBOT_VIEWER_PAINT_PAINT_H
#define PTYBOT_VIEWER_PAINT_PAINT_H

#include <cairo.h>

#include "viewer/draw/draw_list.h"

/* Keeps what does not change from picture to picture: the part that stands still, small robots and
 * texts. */
struct painter;

/* NULL where memory is short. */
struct painter *painter_create(void);
void painter_destroy(struct painter *painter);

/* Paints a whole picture on a surface of the viewport's size times SCALE device pixels. What stands
 * still is painted again only where the viewport, SCALE or snapshot->generation has changed; two
 * simulations need two painters. False: memory is short, and a part is missing. */
bool painter_paint(struct painter *painter, cairo_surface_t *surface, double scale,
                   const struct viewport *viewport, const struct snapshot *snapshot);

/* How much a painter has done since it was made, beside copying what it has kept. */
struct painter_counts {
    uint64_t grounds; /* times that it painted what stands still */
    uint64_t groups;  /* groups painted anew */
    uint64_t words;   /* texts laid out */
};
struct painter_counts painter_counts(const struct painter *painter);

/* Paints one list, for parts of a window that are no room. */
void painter_list(struct painter *painter, cairo_t *cairo, const struct draw_list *list);

/* Width in pixels that a text takes. */
double painter_text_width(struct painter *painter, const char *text, double size_px,
                          uint32_t flags);

#endif
