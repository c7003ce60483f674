/* Layouts are cached by text, size and style; the one not used for longest makes room. */
#include "viewer/paint/paint_text.h"

#include <math.h>
#include <pango/pangocairo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXTS_MAX = 256, /* chosen: more than a busy window shows */
    TEXT_MAX = 160,  /* bytes; longer ones are not cached */
};

/* Pango takes each letter from the first font of the list that has it. */
static const char SANS[] = "DejaVu Sans, Noto Sans, Noto Sans CJK SC, sans-serif";
static const char MONO[] = "DejaVu Sans Mono, Noto Sans Mono, Noto Sans Mono CJK SC, monospace";

struct cached_text {
    char text[TEXT_MAX];
    double size_px;
    uint32_t flags, fill, stroke;
    PangoLayout *layout;
    uint64_t used;            /* when it was last used */
    bool is_again;            /* it was painted before: worth caching a picture */
    cairo_surface_t *picture; /* with its edge; NULL: not yet */
    double scale;             /* of the picture */
};

/* The key of a cached text. */
struct text_style {
    const char *text;
    double size_px;
    uint32_t flags, fill, stroke;
};

struct paint_text {
    PangoFontMap *fonts; /* our own, so that it can be freed */
    PangoContext *context;
    struct cached_text cached[TEXTS_MAX];
    uint64_t uses, laid_out;
};

struct paint_text *paint_text_create(void)
{
    struct paint_text *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->fonts = pango_cairo_font_map_new();
    self->context = pango_font_map_create_context(self->fonts);
    // Without hinting, letters keep shape and place at any size and on any surface.
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(self->context, options);
    cairo_font_options_destroy(options);
    return self;
}

static void release(struct cached_text *cached)
{
    if (cached->layout)
        g_object_unref(cached->layout);
    if (cached->picture)
        cairo_surface_destroy(cached->picture);
}

void paint_text_destroy(struct paint_text *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < TEXTS_MAX; i++)
        release(&self->cached[i]);
    g_object_unref(self->context);
    g_object_unref(self->fonts);
    free(self);
}

uint64_t paint_text_laid_out(const struct paint_text *self)
{
    return self->laid_out;
}

static PangoLayout *lay_out(struct paint_text *self, const struct text_style *style)
{
    PangoLayout *layout = pango_layout_new(self->context);
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_family_static(font, style->flags & DRAW_MONO ? MONO : SANS);
    pango_font_description_set_absolute_size(font, style->size_px * PANGO_SCALE);
    if (style->flags & DRAW_BOLD)
        pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    pango_layout_set_text(layout, style->text, -1);
    self->laid_out++;
    return layout;
}

/* A text with its layout, from the cache or new. One that is too long for the cache is put into
 * UNCACHED, and the caller frees its layout. */
static struct cached_text *find_or_lay_out(struct paint_text *self, const struct text_style *style,
                                           struct cached_text *uncached)
{
    if (strlen(style->text) >= TEXT_MAX) {
        *uncached = (struct cached_text){.layout = lay_out(self, style)};
        return uncached;
    }
    struct cached_text *oldest = &self->cached[0];
    for (size_t i = 0; i < TEXTS_MAX; i++) {
        struct cached_text *cached = &self->cached[i];
        if (cached->layout && cached->flags == style->flags && cached->size_px == style->size_px &&
            cached->fill == style->fill && cached->stroke == style->stroke &&
            strcmp(cached->text, style->text) == 0) {
            cached->used = ++self->uses;
            return cached;
        }
        if (cached->used < oldest->used)
            oldest = cached;
    }
    release(oldest);
    *oldest = (struct cached_text){.size_px = style->size_px,
                                   .flags = style->flags,
                                   .fill = style->fill,
                                   .stroke = style->stroke,
                                   .layout = lay_out(self, style),
                                   .used = ++self->uses};
    snprintf(oldest->text, sizeof oldest->text, "%s", style->text);
    return oldest;
}

static void set_color(cairo_t *cairo, uint32_t color)
{
    cairo_set_source_rgba(cairo, (color >> 24 & 0xFF) / 255.0, (color >> 16 & 0xFF) / 255.0,
                          (color >> 8 & 0xFF) / 255.0, (color & 0xFF) / 255.0);
}

/* Paints a layout with its upper left corner at the origin. */
static void paint_layout(cairo_t *cairo, PangoLayout *layout, const struct draw_item *item)
{
    if (item->flags & DRAW_HALO) {
        cairo_move_to(cairo, 0, 0);
        pango_cairo_layout_path(cairo, layout);
        set_color(cairo, item->stroke);
        cairo_set_line_width(cairo, item->size_px * 0.28);
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
        cairo_stroke(cairo);
    }
    set_color(cairo, item->fill);
    cairo_move_to(cairo, 0, 0);
    pango_cairo_show_layout(cairo, layout);
    cairo_new_path(cairo);
}

/* Device pixels around a layout for its halo. */
static int margin_px(const struct draw_item *item, double scale)
{
    return (int)ceil(item->size_px * 0.35 * scale);
}

static bool make_picture(struct cached_text *cached, const struct draw_item *item, double scale)
{
    int width, height, margin = margin_px(item, scale);
    if (cached->picture && cached->scale == scale)
        return true;
    if (cached->picture)
        cairo_surface_destroy(cached->picture);
    pango_layout_get_pixel_size(cached->layout, &width, &height);
    cached->picture =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)ceil(width * scale) + 2 * margin,
                                   (int)ceil(height * scale) + 2 * margin);
    cached->scale = scale;
    if (cairo_surface_status(cached->picture) != CAIRO_STATUS_SUCCESS) {
        cairo_surface_destroy(cached->picture);
        cached->picture = NULL;
        return false;
    }
    cairo_t *cairo = cairo_create(cached->picture);
    cairo_translate(cairo, margin, margin);
    cairo_scale(cairo, scale, scale);
    paint_layout(cairo, cached->layout, item);
    cairo_destroy(cairo);
    return true;
}

/* On whole pixels, so that a text always looks the same and can be copied. */
static void show_pixels(cairo_t *cairo, struct cached_text *cached, const struct draw_item *item,
                        double left_px, double top_px)
{
    double scale = 1, none = 0;
    cairo_user_to_device(cairo, &left_px, &top_px);
    cairo_user_to_device_distance(cairo, &scale, &none);
    left_px = round(left_px);
    top_px = round(top_px);
    cairo_save(cairo);
    cairo_identity_matrix(cairo);
    // Halos are slow to paint, plain letters are not.
    if (item->flags & DRAW_HALO && cached->is_again && make_picture(cached, item, scale)) {
        int margin = margin_px(item, scale);
        cairo_set_source_surface(cairo, cached->picture, left_px - margin, top_px - margin);
        cairo_paint(cairo);
    } else {
        cairo_translate(cairo, left_px, top_px);
        cairo_scale(cairo, scale, scale);
        paint_layout(cairo, cached->layout, item);
    }
    cairo_restore(cairo);
    cached->is_again = cached->text[0] != '\0';
}

static struct text_style text_style_of(const struct draw_item *item, const char *text)
{
    return (struct text_style){text, item->size_px,
                               item->flags & (DRAW_MONO | DRAW_BOLD | DRAW_HALO), item->fill,
                               item->stroke};
}

void paint_text_show(struct paint_text *self, cairo_t *cairo, const struct draw_item *item,
                     const char *text)
{
    struct cached_text uncached;
    struct text_style style = text_style_of(item, text);
    struct cached_text *cached = find_or_lay_out(self, &style, &uncached);
    int width;
    pango_layout_get_size(cached->layout, &width, NULL);
    double left_px = item->x_px - (double)width / PANGO_SCALE *
                                      (item->align == DRAW_CENTER  ? 0.5
                                       : item->align == DRAW_RIGHT ? 1
                                                                   : 0);
    double top_px = item->y_px - (double)pango_layout_get_baseline(cached->layout) / PANGO_SCALE;
    if (cairo_surface_get_type(cairo_get_target(cairo)) == CAIRO_SURFACE_TYPE_IMAGE) {
        show_pixels(cairo, cached, item, left_px, top_px);
    } else {
        cairo_save(cairo);
        cairo_translate(cairo, left_px, top_px);
        paint_layout(cairo, cached->layout, item);
        cairo_restore(cairo);
    }
    if (cached == &uncached)
        g_object_unref(uncached.layout);
}

double paint_text_width(struct paint_text *self, const char *text, double size_px, uint32_t flags)
{
    struct cached_text uncached;
    struct text_style style = {
        .text = text, .size_px = size_px, .flags = flags & (DRAW_MONO | DRAW_BOLD)};
    struct cached_text *cached = find_or_lay_out(self, &style, &uncached);
    int width;
    pango_layout_get_size(cached->layout, &width, NULL);
    if (cached == &uncached)
        g_object_unref(uncached.layout);
    return (double)width / PANGO_SCALE;
}
