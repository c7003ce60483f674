/* Layouts are cached by text, size and style; a new one replaces the least recently used. */
#include "viewer/paint/paint_text.h"

#include <math.h>
#include <pango/pangocairo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/paint/paint_copy.h"

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
    double width_px, baseline_px; /* of the layout; baseline from its top */
    uint64_t used;                /* when it was last used */
    bool is_again;                /* it was painted before, so a cached picture is useful */
    struct paint_copy *picture;   /* with its outline; NULL: not made yet */
    double scale;                 /* of the picture */
};

/* The key of a cached text. */
struct text_style {
    const char *text;
    double size_px;
    uint32_t flags, fill, stroke;
};

struct paint_text {
    PangoFontMap *fonts; /* a private map, so that it can be freed */
    PangoContext *context;
    struct cached_text cached[TEXTS_MAX];
    uint32_t hashes[TEXTS_MAX]; /* of the styles, in one compact array for fast search: many robots
                                   have many names */
    uint64_t uses, laid_out;
};

struct paint_text *paint_text_create(void)
{
    struct paint_text *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->fonts = pango_cairo_font_map_new();
    self->context = pango_font_map_create_context(self->fonts);
    // Without hinting, letters have the same shape and place at any size and on any surface.
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
    free(cached->picture);
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

/* A text with its layout and no other data. */
static struct cached_text lay_out(struct paint_text *self, const struct text_style *style)
{
    int width;
    PangoLayout *layout = pango_layout_new(self->context);
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_family_static(font, style->flags & DRAW_MONO ? MONO : SANS);
    pango_font_description_set_absolute_size(font, style->size_px * PANGO_SCALE);
    if (style->flags & DRAW_BOLD)
        pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    pango_layout_set_text(layout, style->text, -1);
    pango_layout_get_size(layout, &width, NULL);
    self->laid_out++;
    return (struct cached_text){.layout = layout,
                                .width_px = (double)width / PANGO_SCALE,
                                .baseline_px =
                                    (double)pango_layout_get_baseline(layout) / PANGO_SCALE};
}

static uint32_t hash_of(const struct text_style *style)
{
    uint32_t hash = 0x811C9DC5u ^ style->flags ^ style->fill ^ (uint32_t)(style->size_px * 64);
    for (const char *at = style->text; *at; at++) // FNV-1a
        hash = (hash ^ (uint8_t)*at) * 0x01000193u;
    return hash;
}

static bool is_of_style(const struct cached_text *cached, const struct text_style *style)
{
    return cached->layout && cached->flags == style->flags && cached->size_px == style->size_px &&
           cached->fill == style->fill && cached->stroke == style->stroke &&
           strcmp(cached->text, style->text) == 0;
}

/* A text with its layout, from the cache or new. If it is too long for the cache, it is put into
 * UNCACHED, and the caller frees its layout. */
static struct cached_text *find_or_lay_out(struct paint_text *self, const struct text_style *style,
                                           struct cached_text *uncached)
{
    if (strlen(style->text) >= TEXT_MAX) {
        *uncached = lay_out(self, style);
        return uncached;
    }
    uint32_t hash = hash_of(style);
    for (size_t i = 0; i < TEXTS_MAX; i++)
        if (self->hashes[i] == hash && is_of_style(&self->cached[i], style)) {
            self->cached[i].used = ++self->uses;
            return &self->cached[i];
        }
    struct cached_text *oldest = &self->cached[0];
    for (size_t i = 1; i < TEXTS_MAX; i++)
        if (self->cached[i].used < oldest->used)
            oldest = &self->cached[i];
    release(oldest);
    *oldest = lay_out(self, style);
    oldest->size_px = style->size_px;
    oldest->flags = style->flags;
    oldest->fill = style->fill;
    oldest->stroke = style->stroke;
    oldest->used = ++self->uses;
    snprintf(oldest->text, sizeof oldest->text, "%s", style->text);
    self->hashes[oldest - self->cached] = hash;
    return oldest;
}

void paint_color(cairo_t *cairo, uint32_t color)
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
        paint_color(cairo, item->stroke);
        cairo_set_line_width(cairo, item->size_px * 0.28);
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
        cairo_stroke(cairo);
    }
    paint_color(cairo, item->fill);
    cairo_move_to(cairo, 0, 0);
    pango_cairo_show_layout(cairo, layout);
    cairo_new_path(cairo);
}

/* Device pixels around a layout for its outline. */
static int margin_px(const struct draw_item *item, double scale)
{
    return (int)ceil(item->size_px * 0.35 * scale);
}

static bool make_picture(struct cached_text *cached, const struct draw_item *item, double scale)
{
    int width, height, margin = margin_px(item, scale);
    if (cached->picture && cached->scale == scale)
        return true;
    free(cached->picture);
    pango_layout_get_pixel_size(cached->layout, &width, &height);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)ceil(width * scale) + 2 * margin,
                                   (int)ceil(height * scale) + 2 * margin);
    cairo_t *cairo = cairo_create(surface);
    cairo_translate(cairo, margin, margin);
    cairo_scale(cairo, scale, scale);
    paint_layout(cairo, cached->layout, item);
    bool is_painted = cairo_status(cairo) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(cairo);
    cached->picture = is_painted ? paint_copy_make(surface) : NULL;
    cached->scale = scale;
    cairo_surface_destroy(surface);
    return cached->picture != NULL;
}

/* At whole pixels, so that a text always looks the same and can be copied. */
static void show_pixels(cairo_t *cairo, struct cached_text *cached, const struct draw_item *item,
                        struct viewport_point corner, bool is_clipped)
{
    double scale = 1, none = 0;
    cairo_user_to_device(cairo, &corner.x, &corner.y);
    cairo_user_to_device_distance(cairo, &scale, &none);
    corner.x = round(corner.x);
    corner.y = round(corner.y);
    // Outlines are slow to paint, plain letters are fast.
    if (item->flags & DRAW_HALO && cached->is_again && make_picture(cached, item, scale)) {
        int margin = margin_px(item, scale);
        paint_copy_show(cached->picture, cairo, (int)corner.x - margin, (int)corner.y - margin,
                        is_clipped);
    } else {
        cairo_save(cairo);
        cairo_identity_matrix(cairo);
        cairo_translate(cairo, corner.x, corner.y);
        cairo_scale(cairo, scale, scale);
        paint_layout(cairo, cached->layout, item);
        cairo_restore(cairo);
    }
    cached->is_again = cached->text[0] != '\0';
}

static struct text_style text_style_of(const struct draw_item *item, const char *text)
{
    return (struct text_style){text, item->size_px,
                               item->flags & (DRAW_MONO | DRAW_BOLD | DRAW_HALO), item->fill,
                               item->stroke};
}

void paint_text_show(struct paint_text *self, cairo_t *cairo, const struct draw_item *item,
                     const char *text, bool is_clipped)
{
    struct cached_text uncached;
    struct text_style style = text_style_of(item, text);
    struct cached_text *cached = find_or_lay_out(self, &style, &uncached);
    double before = item->align == DRAW_CENTER ? 0.5 : item->align == DRAW_RIGHT ? 1 : 0;
    struct viewport_point corner = {item->x_px - cached->width_px * before,
                                    item->y_px - cached->baseline_px};
    if (cairo_surface_get_type(cairo_get_target(cairo)) == CAIRO_SURFACE_TYPE_IMAGE) {
        show_pixels(cairo, cached, item, corner, is_clipped);
    } else {
        cairo_save(cairo);
        cairo_translate(cairo, corner.x, corner.y);
        paint_layout(cairo, cached->layout, item);
        cairo_restore(cairo);
    }
    if (cached == &uncached)
        g_object_unref(uncached.layout);
}
