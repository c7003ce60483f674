/* Layouts are kept by text, size and style; the one not wanted for longest makes room. */
#include "viewer/paint/paint_text.h"

#include <math.h>
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
    uint32_t flags, fill, stroke;
    PangoLayout *layout;
    uint64_t used;            /* when it was last wanted */
    bool is_again;            /* it was painted before: worth a picture */
    cairo_surface_t *picture; /* with its edge; NULL: not yet */
    double scale;             /* of the picture */
};

/* What is wanted of a text. */
struct wish {
    const char *text;
    double size_px;
    uint32_t flags, fill, stroke;
};

struct paint_text {
    PangoFontMap *fonts; /* our own, so that it can be let go of */
    PangoContext *context;
    struct kept_text kept[KEPT_MAX];
    uint64_t uses, laid_out;
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

static void let_go(struct kept_text *kept)
{
    if (kept->layout)
        g_object_unref(kept->layout);
    if (kept->picture)
        cairo_surface_destroy(kept->picture);
}

void paint_text_destroy(struct paint_text *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < KEPT_MAX; i++)
        let_go(&self->kept[i]);
    g_object_unref(self->context);
    g_object_unref(self->fonts);
    free(self);
}

uint64_t paint_text_laid_out(const struct paint_text *self)
{
    return self->laid_out;
}

static PangoLayout *lay_out(struct paint_text *self, const struct wish *wish)
{
    PangoLayout *layout = pango_layout_new(self->context);
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_family_static(font, wish->flags & DRAW_MONO ? MONO : SANS);
    pango_font_description_set_absolute_size(font, wish->size_px * PANGO_SCALE);
    if (wish->flags & DRAW_BOLD)
        pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    pango_layout_set_text(layout, wish->text, -1);
    self->laid_out++;
    return layout;
}

/* The text as it is kept. LONG_ONE is for those that are too long; its layout is the caller's. */
static struct kept_text *keep(struct paint_text *self, const struct wish *wish,
                              struct kept_text *long_one)
{
    if (strlen(wish->text) >= TEXT_MAX) {
        *long_one = (struct kept_text){.layout = lay_out(self, wish)};
        return long_one;
    }
    struct kept_text *oldest = &self->kept[0];
    for (size_t i = 0; i < KEPT_MAX; i++) {
        struct kept_text *kept = &self->kept[i];
        if (kept->layout && kept->flags == wish->flags && kept->size_px == wish->size_px &&
            kept->fill == wish->fill && kept->stroke == wish->stroke &&
            strcmp(kept->text, wish->text) == 0) {
            kept->used = ++self->uses;
            return kept;
        }
        if (kept->used < oldest->used)
            oldest = kept;
    }
    let_go(oldest);
    *oldest = (struct kept_text){.size_px = wish->size_px,
                                 .flags = wish->flags,
                                 .fill = wish->fill,
                                 .stroke = wish->stroke,
                                 .layout = lay_out(self, wish),
                                 .used = ++self->uses};
    strcpy(oldest->text, wish->text);
    return oldest;
}

static void set_color(cairo_t *cairo, uint32_t color)
{
    cairo_set_source_rgba(cairo, (color >> 24 & 0xFF) / 255.0, (color >> 16 & 0xFF) / 255.0,
                          (color >> 8 & 0xFF) / 255.0, (color & 0xFF) / 255.0);
}

/* Its upper left corner lies at the origin. */
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

/* Device pixels around a layout for its edge. */
static int margin_px(const struct draw_item *item, double scale)
{
    return (int)ceil(item->size_px * 0.35 * scale);
}

static bool make_picture(struct kept_text *kept, const struct draw_item *item, double scale)
{
    int width, height, margin = margin_px(item, scale);
    if (kept->picture && kept->scale == scale)
        return true;
    if (kept->picture)
        cairo_surface_destroy(kept->picture);
    pango_layout_get_pixel_size(kept->layout, &width, &height);
    kept->picture =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)ceil(width * scale) + 2 * margin,
                                   (int)ceil(height * scale) + 2 * margin);
    kept->scale = scale;
    if (cairo_surface_status(kept->picture) != CAIRO_STATUS_SUCCESS) {
        cairo_surface_destroy(kept->picture);
        kept->picture = NULL;
        return false;
    }
    cairo_t *cairo = cairo_create(kept->picture);
    cairo_translate(cairo, margin, margin);
    cairo_scale(cairo, scale, scale);
    paint_layout(cairo, kept->layout, item);
    cairo_destroy(cairo);
    return true;
}

/* On whole pixels, so that all pictures of a text are alike, and the second one can be a copy. */
static void show_pixels(cairo_t *cairo, struct kept_text *kept, const struct draw_item *item,
                        double left_px, double top_px)
{
    double scale = 1, none = 0;
    cairo_user_to_device(cairo, &left_px, &top_px);
    cairo_user_to_device_distance(cairo, &scale, &none);
    left_px = round(left_px);
    top_px = round(top_px);
    cairo_save(cairo);
    cairo_identity_matrix(cairo);
    // Edges take long, plain letters do not.
    if (item->flags & DRAW_HALO && kept->is_again && make_picture(kept, item, scale)) {
        int margin = margin_px(item, scale);
        cairo_set_source_surface(cairo, kept->picture, left_px - margin, top_px - margin);
        cairo_paint(cairo);
    } else {
        cairo_translate(cairo, left_px, top_px);
        cairo_scale(cairo, scale, scale);
        paint_layout(cairo, kept->layout, item);
    }
    cairo_restore(cairo);
    kept->is_again = kept->text[0] != '\0';
}

static struct wish wish_of(const struct draw_item *item, const char *text)
{
    return (struct wish){text, item->size_px, item->flags & (DRAW_MONO | DRAW_BOLD | DRAW_HALO),
                         item->fill, item->stroke};
}

void paint_text_show(struct paint_text *self, cairo_t *cairo, const struct draw_item *item,
                     const char *text)
{
    struct kept_text long_one;
    struct wish wish = wish_of(item, text);
    struct kept_text *kept = keep(self, &wish, &long_one);
    int width;
    pango_layout_get_size(kept->layout, &width, NULL);
    double left_px = item->x_px - (double)width / PANGO_SCALE *
                                      (item->align == DRAW_CENTER  ? 0.5
                                       : item->align == DRAW_RIGHT ? 1
                                                                   : 0);
    double top_px = item->y_px - (double)pango_layout_get_baseline(kept->layout) / PANGO_SCALE;
    if (cairo_surface_get_type(cairo_get_target(cairo)) == CAIRO_SURFACE_TYPE_IMAGE) {
        show_pixels(cairo, kept, item, left_px, top_px);
    } else {
        cairo_save(cairo);
        cairo_translate(cairo, left_px, top_px);
        paint_layout(cairo, kept->layout, item);
        cairo_restore(cairo);
    }
    if (kept == &long_one)
        g_object_unref(long_one.layout);
}

double paint_text_width(struct paint_text *self, const char *text, double size_px, uint32_t flags)
{
    struct kept_text long_one;
    struct wish wish = {.text = text, .size_px = size_px, .flags = flags & (DRAW_MONO | DRAW_BOLD)};
    struct kept_text *kept = keep(self, &wish, &long_one);
    int width;
    pango_layout_get_size(kept->layout, &width, NULL);
    if (kept == &long_one)
        g_object_unref(long_one.layout);
    return (double)width / PANGO_SCALE;
}
