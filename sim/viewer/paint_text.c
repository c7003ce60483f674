/* Layouts are kept by text, size and style; the one not wanted for longest makes room. */
#include "sim/viewer/paint_text.h"

#include <pango/pangocairo.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEPT_MAX = 256, /* chosen: more texts than a busy window shows */
    TEXT_MAX = 160, /* bytes; longer ones are laid out each time */
};

/* Pango looks for a font of the list that has the letter. */
static const char SANS[] = "DejaVu Sans, Noto Sans, Noto Sans CJK SC, sans-serif";
static const char MONO[] = "DejaVu Sans Mono, Noto Sans Mono, Noto Sans Mono CJK SC, monospace";

struct kept_text {
    char text[TEXT_MAX];
    double size_px;
    uint32_t flags;
    PangoLayout *layout;
    uint64_t used; /* when it was last wanted */
};

struct paint_text {
    PangoFontMap *fonts; /* our own, so that it can be let go of */
    PangoContext *context;
    struct kept_text kept[KEPT_MAX];
    uint64_t uses;
};

struct paint_text *paint_text_create(void)
{
    struct paint_text *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->fonts = pango_cairo_font_map_new();
    self->context = pango_font_map_create_context(self->fonts);
    // Letters keep their shapes and places at any size and on any surface.
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(self->context, options);
    cairo_font_options_destroy(options);
    return self;
}

void paint_text_destroy(struct paint_text *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < KEPT_MAX; i++)
        if (self->kept[i].layout)
            g_object_unref(self->kept[i].layout);
    g_object_unref(self->context);
    g_object_unref(self->fonts);
    free(self);
}

static PangoLayout *lay_out(struct paint_text *self, const char *text, double size_px,
                            uint32_t flags)
{
    PangoLayout *layout = pango_layout_new(self->context);
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_family_static(font, flags & DRAW_MONO ? MONO : SANS);
    pango_font_description_set_absolute_size(font, size_px * PANGO_SCALE);
    if (flags & DRAW_BOLD)
        pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    pango_layout_set_text(layout, text, -1);
    return layout;
}

/* The layout of a text; the caller gives it back with g_object_unref. */
static PangoLayout *layout_of(struct paint_text *self, const char *text, double size_px,
                              uint32_t flags)
{
    flags &= DRAW_MONO | DRAW_BOLD;
    if (strlen(text) >= TEXT_MAX)
        return lay_out(self, text, size_px, flags);
    struct kept_text *oldest = &self->kept[0];
    for (size_t i = 0; i < KEPT_MAX; i++) {
        struct kept_text *kept = &self->kept[i];
        if (kept->layout && kept->flags == flags && kept->size_px == size_px &&
            strcmp(kept->text, text) == 0) {
            kept->used = ++self->uses;
            return g_object_ref(kept->layout);
        }
        if (kept->used < oldest->used)
            oldest = kept;
    }
    if (oldest->layout)
        g_object_unref(oldest->layout);
    strcpy(oldest->text, text);
    oldest->size_px = size_px;
    oldest->flags = flags;
    oldest->layout = lay_out(self, text, size_px, flags);
    oldest->used = ++self->uses;
    return g_object_ref(oldest->layout);
}

static void set_color(cairo_t *cairo, uint32_t color)
{
    cairo_set_source_rgba(cairo, (color >> 24 & 0xFF) / 255.0, (color >> 16 & 0xFF) / 255.0,
                          (color >> 8 & 0xFF) / 255.0, (color & 0xFF) / 255.0);
}

void paint_text_show(struct paint_text *self, cairo_t *cairo, const struct draw_item *item,
                     const char *text)
{
    PangoLayout *layout = layout_of(self, text, item->size_px, item->flags);
    int width;
    pango_layout_get_size(layout, &width, NULL);
    double left_px = item->x_px - (double)width / PANGO_SCALE *
                                      (item->align == DRAW_CENTER  ? 0.5
                                       : item->align == DRAW_RIGHT ? 1
                                                                   : 0);
    double base_px = (double)pango_layout_get_baseline(layout) / PANGO_SCALE;
    if (item->flags & DRAW_HALO) {
        cairo_move_to(cairo, left_px, item->y_px - base_px);
        pango_cairo_layout_path(cairo, layout);
        set_color(cairo, item->stroke);
        cairo_set_line_width(cairo, item->size_px * 0.28);
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
        cairo_stroke(cairo);
    }
    set_color(cairo, item->fill);
    cairo_move_to(cairo, left_px, item->y_px - base_px);
    pango_cairo_show_layout(cairo, layout);
    cairo_new_path(cairo);
    g_object_unref(layout);
}

double paint_text_width(struct paint_text *self, const char *text, double size_px, uint32_t flags)
{
    PangoLayout *layout = layout_of(self, text, size_px, flags);
    int width;
    pango_layout_get_size(layout, &width, NULL);
    g_object_unref(layout);
    return (double)width / PANGO_SCALE;
}
