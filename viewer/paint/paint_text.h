/* The painter's text, by pango: laid out once and cached for the next pictures. */
#pragma once

#include <cairo.h>

#include "viewer/draw/draw_list.h"

/* Sets the color 0xRRGGBBAA. */
void paint_color(cairo_t *cairo, uint32_t color);

struct paint_text;

struct paint_text *paint_text_create(void);
void paint_text_destroy(struct paint_text *self);

/* How many texts were laid out since it was created. */
uint64_t paint_text_laid_out(const struct paint_text *self);

/* Paints a text item. IS_CLIPPED: the context has a clip. */
void paint_text_show(struct paint_text *self, cairo_t *cairo, const struct draw_item *item,
                     const char *text, bool is_clipped);
