/* Paints draw lists with cairo and pango, for the window, PNG and SVG alike. */
#pragma once

#include <cairo.h>

#include "viewer/draw/draw_list.h"

/* Caches pictures of parts that do not change: the static layer, small robots and texts. */
struct painter;

/* NULL: out of memory. */
struct painter *painter_create(void);
void painter_destroy(struct painter *painter);

/* Paints a whole picture on a surface of the viewport's size times SCALE device pixels. Paints the
 * static layer again only if the viewport, SCALE or snapshot->generation has changed; two
 * simulations need two painters. False: out of memory, and a part of the picture is missing. */
bool painter_paint(struct painter *painter, cairo_surface_t *surface, double scale,
                   const struct viewport *viewport, const struct snapshot *snapshot);

/* Work of a painter since its creation, without copies from its caches. */
struct painter_counts {
    uint64_t backgrounds; /* number of paintings of the static layer */
    uint64_t groups;      /* groups painted, not copied */
    uint64_t texts;       /* texts laid out, not copied */
};
struct painter_counts painter_counts(const struct painter *painter);

/* Paints one list, for the parts of a window that do not show the room. The context must have no
 * clip. */
void painter_list(struct painter *painter, cairo_t *cairo, const struct draw_list *list);
