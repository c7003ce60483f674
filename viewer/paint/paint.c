/* Paints draw lists on cairo surfaces. A cairo error only leaves out a part of the picture. */
#include "viewer/paint/paint.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/angle.h"
#include "base/number.h"
#include "viewer/draw/draw_change.h"
#include "viewer/draw/draw_scene.h"
#include "viewer/paint/paint_copy.h"
#include "viewer/paint/paint_text.h"

/* ---- Groups: cached by key, so that many small robots are copies of a few pictures ---- */

enum {
    GROUPS_MAX = 128,  /* chosen: about 10 MB at most; appearances of a hundred robots */
    FINER = 2,         /* resolution of a picture relative to the surface: sharp when rotated */
    TURNED_MAX = 1024, /* chosen: about 15 MB at most; a hundred robots that drive straight */
    TURNED_WAYS = 4,   /* number of slots in the table for each */
    TURNED_PX = 28,    /* chosen: groups up to this radius, in pixels of the surface, are cached */
    TURNS = 256,       /* number of headings (1.4 degrees apart, less than a pixel at the rim) */
    PARTS = 2,         /* number of positions in each direction within a pixel */
};

struct cached_group {
    uint64_t key;
    double scale, radius_px;
    cairo_surface_t *picture;
    uint64_t used; /* when it was last used */
};

/* A group as drawn on the surface: rotated, and at a fraction of a pixel. Rotating a picture takes
 * ten times as long as copying it. */
struct turned_group {
    uint64_t key;
    double scale, radius_px;
    int place; /* heading, and fraction of a pixel */
    int half_px;
    struct paint_copy *picture;
    uint64_t used; /* when it was last used */
};

struct group_cache {
    struct cached_group cached[GROUPS_MAX];
    struct turned_group turned[TURNED_MAX];
    uint64_t uses;
};

static void group_cache_clear(struct group_cache *self)
{
    for (size_t i = 0; i < TURNED_MAX; i++)
        free(self->turned[i].picture);
    for (size_t i = 0; i < GROUPS_MAX; i++)
        if (self->cached[i].picture)
            cairo_surface_destroy(self->cached[i].picture);
}

/* Pixels of the picture per pixel of the list. */
static double scale_of(cairo_t *cairo)
{
    double x = 1, y = 0;
    cairo_user_to_device_distance(cairo, &x, &y);
    return hypot(x, y) * FINER;
}

static struct cached_group *find_group(struct group_cache *self, const struct draw_item *item,
                                       double scale)
{
    for (size_t i = 0; i < GROUPS_MAX; i++) {
        struct cached_group *cached = &self->cached[i];
        if (cached->picture && cached->key == item->key && cached->scale == scale &&
            cached->radius_px == item->radius_px)
            return cached;
    }
    return NULL;
}

/* Draws a picture rotated to TURN_RAD about a point of the context. */
static void show_turned(cairo_t *cairo, const struct cached_group *cached, double x, double y,
                        double turn_rad, double scale)
{
    double half = cairo_image_surface_get_width(cached->picture) / 2.0;
    cairo_save(cairo);
    cairo_translate(cairo, x, y);
    // On the surface y points down, which reverses angles.
    cairo_rotate(cairo, -turn_rad);
    cairo_scale(cairo, 1 / scale, 1 / scale);
    cairo_set_source_surface(cairo, cached->picture, -half, -half);
    cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_BILINEAR);
    cairo_paint(cairo);
    cairo_restore(cairo);
}

/* The position of a group on the surface, rounded to those of rotated groups. */
struct stand {
    int x_px, y_px; /* of the pixel */
    int turn, part_x, part_y;
};

static struct stand stand_of(cairo_t *cairo, const struct draw_item *item)
{
    double x_px = item->x_px, y_px = item->y_px;
    cairo_user_to_device(cairo, &x_px, &y_px);
    long x = lround(x_px * PARTS), y = lround(y_px * PARTS);
    long turn = lround(item->from_rad * (TURNS / (2 * ANGLE_PI))) % TURNS;
    struct stand stand = {.x_px = (int)floor((double)x / PARTS),
                          .y_px = (int)floor((double)y / PARTS),
                          .turn = (int)(turn < 0 ? turn + TURNS : turn)};
    stand.part_x = (int)(x - (long)stand.x_px * PARTS);
    stand.part_y = (int)(y - (long)stand.y_px * PARTS);
    return stand;
}

/* The slot of the picture of a group at a place. If it is not in the table, the least recently used
 * slot. */
static struct turned_group *turned_slot(struct group_cache *self, const struct draw_item *item,
                                        double scale, int place, bool *is_there)
{
    uint64_t slot = (item->key ^ (uint64_t)place * 0x9E3779B97F4A7C15u) * 0x100000001B3u >> 32;
    struct turned_group *ways = &self->turned[slot % (TURNED_MAX / TURNED_WAYS) * TURNED_WAYS];
    struct turned_group *oldest = ways;
    for (struct turned_group *way = ways; way < ways + TURNED_WAYS; way++) {
        *is_there = way->picture && way->key == item->key && way->place == place &&
                    way->scale == scale && way->radius_px == item->radius_px;
        if (*is_there)
            return way;
        if (way->used < oldest->used)
            oldest = way;
    }
    return oldest;
}

/* The rotated picture of a small group; painted if it is not in the table. NULL: out of memory, or
 * the group itself is not cached. */
static struct turned_group *turned_group(struct group_cache *self, const struct draw_item *item,
                                         double scale, const struct stand *stand)
{
    int place = (stand->turn * PARTS + stand->part_x) * PARTS + stand->part_y;
    bool is_there;
    struct turned_group *turned = turned_slot(self, item, scale, place, &is_there);
    turned->used = ++self->uses;
    if (is_there)
        return turned;
    struct cached_group *cached = find_group(self, item, scale);
    if (!cached)
        return NULL;
    cached->used = ++self->uses;
    int half = (int)ceil(item->radius_px * scale / FINER) + 1;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 2 * half, 2 * half);
    cairo_t *painting = cairo_create(surface);
    show_turned(painting, cached, half + (double)stand->part_x / PARTS,
                half + (double)stand->part_y / PARTS, stand->turn * (2 * ANGLE_PI / TURNS), FINER);
    bool is_painted = cairo_status(painting) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(painting);
    free(turned->picture);
    struct paint_copy *picture = is_painted ? paint_copy_make(surface) : NULL;
    cairo_surface_destroy(surface);
    *turned =
        (struct turned_group){item->key, scale, item->radius_px, place, half, picture, self->uses};
    return picture ? turned : NULL;
}

/* Draws the picture of a group at the position of ITEM. False: it is not cached. */
static bool group_show(struct group_cache *self, cairo_t *cairo, const struct draw_item *item,
                       bool is_clipped)
{
    double scale = scale_of(cairo);
    if (item->radius_px * scale / FINER <= TURNED_PX) {
        struct stand stand = stand_of(cairo, item);
        const struct turned_group *turned = turned_group(self, item, scale, &stand);
        if (!turned)
            return false;
        paint_copy_show(turned->picture, cairo, stand.x_px - turned->half_px,
                        stand.y_px - turned->half_px, is_clipped);
        return true;
    }
    struct cached_group *cached = find_group(self, item, scale);
    if (!cached)
        return false;
    show_turned(cairo, cached, item->x_px, item->y_px, item->from_rad, scale);
    cached->used = ++self->uses;
    return true;
}

/* Returns a context to paint a group for the first time, at the position and rotation of ITEM. Its
 * picture is twice as fine as the surface, so that it stays sharp when it is rotated. It replaces
 * the least recently used group. The caller destroys the context. NULL: out of memory. */
static cairo_t *group_begin(struct group_cache *self, cairo_t *cairo, const struct draw_item *item)
{
    struct cached_group *oldest = &self->cached[0];
    for (size_t i = 1; i < GROUPS_MAX; i++)
        if (self->cached[i].used < oldest->used)
            oldest = &self->cached[i];
    double scale = scale_of(cairo);
    int half = (int)ceil(item->radius_px * scale) + 1;
    cairo_surface_t *picture = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 2 * half, 2 * half);
    if (cairo_surface_status(picture) != CAIRO_STATUS_SUCCESS) {
        cairo_surface_destroy(picture);
        return NULL;
    }
    if (oldest->picture)
        cairo_surface_destroy(oldest->picture);
    *oldest = (struct cached_group){item->key, scale, item->radius_px, picture, ++self->uses};
    cairo_t *painting = cairo_create(picture);
    cairo_translate(painting, half, half);
    cairo_scale(painting, scale, scale);
    cairo_rotate(painting, item->from_rad);
    cairo_translate(painting, -item->x_px, -item->y_px);
    return painting;
}

/* ---- Painters ---- */

enum { DOT_PARTS = 4 }; /* possible positions of a dot within a pixel, in each direction */

/* Pictures of the last painted dot. */
struct dots {
    uint32_t fill;
    double radius_px;
    struct paint_copy *copies[DOT_PARTS * DOT_PARTS];
};

/* A picture of the items of a clip with a key, without the clip; as large as the surface. */
struct layer {
    uint64_t key;
    cairo_surface_t *picture;
};

struct painter {
    struct paint_text *text;
    struct group_cache groups;
    struct painter_counts counts;    /* without texts */
    struct draw_list fixed, moving;  /* MOVING is folded if the surface has pixels */
    struct draw_list parts;          /* of a group without a copy */
    const struct snapshot *snapshot; /* of the folded list, while it is painted */
    bool is_short;                   /* PARTS was incomplete in this picture */
    int clips;                       /* number of clips around the present item */
    int limits[4];               /* the box around the innermost clip: left, top, right, bottom */
    const struct draw_box *only; /* items outside this box are left out; NULL: all are painted */
    struct dots dots;
    struct layer layers[DRAW_LAYERS_MAX]; /* for VIEWPORT, SCALE and GENERATION */
    struct draw_list before;              /* moving items of the previous picture */
    cairo_surface_t *background;          /* the painted static layer; NULL: not painted yet */
    cairo_surface_t *paths;               /* the paths of `before` */
    cairo_surface_t *calm;                /* background with light and paths of `before` */
    bool is_kept;                         /* the painter paints on `calm`, whose layers it keeps */
    struct viewport viewport;             /* of the background */
    double scale;
    uint64_t generation;
};

static cairo_surface_t *surface_like(cairo_surface_t *other, cairo_content_t content)
{
    return cairo_surface_create_similar(other, content, cairo_image_surface_get_width(other),
                                        cairo_image_surface_get_height(other));
}

/* Copies a layer to the surface of CAIRO. */
static void copy_layer(cairo_t *cairo, cairo_surface_t *layer)
{
    if (paint_copy_whole(cairo_get_target(cairo), layer))
        return;
    cairo_set_source_surface(cairo, layer, 0, 0);
    cairo_set_operator(cairo, CAIRO_OPERATOR_SOURCE);
    cairo_paint(cairo);
    cairo_set_operator(cairo, CAIRO_OPERATOR_OVER);
}

static void layers_clear(struct painter *painter)
{
    for (size_t i = 0; i < DRAW_LAYERS_MAX; i++) {
        cairo_surface_destroy(painter->layers[i].picture);
        painter->layers[i] = (struct layer){0};
    }
}

struct painter *painter_create(void)
{
    struct painter *painter = calloc(1, sizeof *painter);
    if (!painter)
        return NULL;
    painter->text = paint_text_create();
    if (painter->text)
        return painter;
    painter_destroy(painter);
    return NULL;
}

void painter_destroy(struct painter *painter)
{
    if (!painter)
        return;
    cairo_surface_destroy(painter->background);
    cairo_surface_destroy(painter->calm);
    cairo_surface_destroy(painter->paths);
    layers_clear(painter);
    for (size_t i = 0; i < (size_t)DOT_PARTS * DOT_PARTS; i++)
        free(painter->dots.copies[i]);
    draw_list_free(&painter->fixed);
    draw_list_free(&painter->moving);
    draw_list_free(&painter->before);
    draw_list_free(&painter->parts);
    paint_text_destroy(painter->text);
    group_cache_clear(&painter->groups);
    free(painter);
}

struct painter_counts painter_counts(const struct painter *painter)
{
    struct painter_counts counts = painter->counts;
    counts.texts = paint_text_laid_out(painter->text);
    return counts;
}

/* Called by the sanitizers. Fontconfig, D-Bus and X11 keep their tables until the process ends, and
 * the race detector cannot see into libraries that start threads. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libdbus\nleak:libX11\n";
}

const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "called_from_lib:libpangoft2\ncalled_from_lib:libfontconfig\n"
           "called_from_lib:libglib\ncalled_from_lib:libpango-1\n"
           "called_from_lib:libpangocairo\n";
}

/* ---- Items ---- */

static bool is_seen(uint32_t color)
{
    return (color & 0xFF) != 0;
}

static void trace(cairo_t *cairo, const struct draw_list *list, const struct draw_item *item)
{
    for (size_t i = 0; i < item->count; i++)
        cairo_line_to(cairo, list->points[item->first + i].x, list->points[item->first + i].y);
}

static void stroke(cairo_t *cairo, const struct draw_item *item)
{
    if (!is_seen(item->stroke) || item->width_px <= 0) {
        cairo_new_path(cairo);
        return;
    }
    paint_color(cairo, item->stroke);
    cairo_set_line_width(cairo, item->width_px);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cairo, item->flags & DRAW_BUTT ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
    if (item->dash_px > 0) {
        cairo_set_line_cap(cairo, CAIRO_LINE_CAP_BUTT);
        cairo_set_dash(cairo, (double[]){item->dash_px, item->dash_px * 0.8}, 2, 0);
    }
    cairo_stroke(cairo);
    cairo_set_dash(cairo, NULL, 0, 0);
}

/* Slanted lines, clipped to the path. */
static void hatch(cairo_t *cairo, const struct draw_item *item)
{
    double left, top, right, bottom;
    cairo_path_extents(cairo, &left, &top, &right, &bottom);
    cairo_path_t *path = cairo_copy_path(cairo);
    cairo_save(cairo);
    cairo_clip(cairo);
    double step = item->hatch_px, high = bottom - top;
    for (double x = floor((left - high) / step) * step; x < right; x += step) {
        cairo_move_to(cairo, x, bottom);
        cairo_line_to(cairo, x + high, top);
    }
    paint_color(cairo, (item->stroke & 0xFFFFFF00u) | (item->stroke & 0xFF) * 3 / 10);
    cairo_set_line_width(cairo, 1.25);
    cairo_stroke(cairo);
    cairo_restore(cairo);
    cairo_append_path(cairo, path);
    cairo_path_destroy(path);
}

/* A shadow inside the edge of the path: strokes of growing width on top of each other. */
static void inner_shadow(cairo_t *cairo, const struct draw_item *item)
{
    enum { STROKES = 12 };
    cairo_path_t *path = cairo_copy_path(cairo);
    cairo_save(cairo);
    cairo_clip(cairo);
    for (int i = 1; i <= STROKES; i++) {
        cairo_append_path(cairo, path);
        cairo_set_source_rgba(cairo, 0, 0, 0, 0.085);
        cairo_set_line_width(cairo, 2 * item->soft_px * i / STROKES);
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
        cairo_stroke(cairo);
    }
    cairo_restore(cairo);
    cairo_append_path(cairo, path);
    cairo_path_destroy(path);
}

static void paint_polygon(cairo_t *cairo, const struct draw_list *list,
                          const struct draw_item *item)
{
    trace(cairo, list, item);
    cairo_close_path(cairo);
    if (is_seen(item->fill)) {
        paint_color(cairo, item->fill);
        cairo_set_fill_rule(cairo, item->flags & DRAW_EVEN ? CAIRO_FILL_RULE_EVEN_ODD
                                                           : CAIRO_FILL_RULE_WINDING);
        cairo_fill_preserve(cairo);
        cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_WINDING);
    }
    if (item->hatch_px > 0)
        hatch(cairo, item);
    if (item->flags & DRAW_SOFT)
        inner_shadow(cairo, item);
    stroke(cairo, item);
}

static void paint_disc(cairo_t *cairo, const struct draw_item *item)
{
    cairo_new_sub_path(cairo);
    cairo_arc(cairo, item->x_px, item->y_px, item->radius_px, 0, 2 * ANGLE_PI);
    if (item->flags & DRAW_SOFT) {
        double red = (item->fill >> 24 & 0xFF) / 255.0, green = (item->fill >> 16 & 0xFF) / 255.0;
        double blue = (item->fill >> 8 & 0xFF) / 255.0, alpha = (item->fill & 0xFF) / 255.0;
        cairo_pattern_t *glow = cairo_pattern_create_radial(item->x_px, item->y_px, 0, item->x_px,
                                                            item->y_px, item->radius_px);
        cairo_pattern_add_color_stop_rgba(glow, 0, red, green, blue, alpha);
        cairo_pattern_add_color_stop_rgba(glow, 0.35, red, green, blue, alpha * 0.45);
        cairo_pattern_add_color_stop_rgba(glow, 1, red, green, blue, 0);
        cairo_set_source(cairo, glow);
        cairo_fill(cairo);
        cairo_pattern_destroy(glow);
        return;
    }
    if (is_seen(item->fill)) {
        paint_color(cairo, item->fill);
        cairo_fill_preserve(cairo);
    }
    stroke(cairo, item);
}

/* Paints the dot of ITEM, SCALE times as large, at all positions within a pixel. */
static void dots_make(struct dots *dots, const struct draw_item *item, double scale)
{
    int half = (int)ceil(item->radius_px * scale) + 1;
    for (int i = 0; i < DOT_PARTS * DOT_PARTS; i++) {
        cairo_surface_t *picture =
            cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 2 * half + 1, 2 * half + 1);
        cairo_t *cairo = cairo_create(picture);
        struct draw_item dot = *item;
        int row = i / DOT_PARTS;
        dot.x_px = half + (double)(i % DOT_PARTS) / DOT_PARTS;
        dot.y_px = half + (double)row / DOT_PARTS;
        dot.radius_px *= scale;
        paint_disc(cairo, &dot);
        cairo_destroy(cairo);
        free(dots->copies[i]);
        dots->copies[i] = paint_copy_make(picture);
        cairo_surface_destroy(picture);
    }
    dots->fill = item->fill;
    dots->radius_px = item->radius_px * scale;
}

static void paint_dots(struct painter *painter, cairo_t *cairo, const struct draw_list *list,
                       const struct draw_item *item)
{
    const struct viewport_point *points = list->points + item->first;
    double scale = scale_of(cairo) / FINER;
    struct dots *dots = &painter->dots;
    // A vector file gets shapes, not pixels.
    if (cairo_surface_get_type(cairo_get_target(cairo)) != CAIRO_SURFACE_TYPE_IMAGE) {
        for (size_t i = 0; i < item->count; i++) {
            struct draw_item dot = *item;
            dot.x_px = points[i].x;
            dot.y_px = points[i].y;
            paint_disc(cairo, &dot);
        }
        return;
    }
    if (dots->fill != item->fill || dots->radius_px != item->radius_px * scale)
        dots_make(dots, item, scale);
    int half = (int)ceil(item->radius_px * scale) + 1;
    struct paint_place places[64];
    size_t used = 0;
    for (size_t i = 0; i < item->count; i++) {
        double x = points[i].x * scale * DOT_PARTS + 0.5, y = points[i].y * scale * DOT_PARTS + 0.5;
        int column = (int)floor(number_between(x, -1e6, 1e6));
        int row = (int)floor(number_between(y, -1e6, 1e6));
        int part_x = column & (DOT_PARTS - 1), part_y = row & (DOT_PARTS - 1);
        places[used++] = (struct paint_place){dots->copies[part_y * DOT_PARTS + part_x],
                                              (column - part_x) / DOT_PARTS - half,
                                              (row - part_y) / DOT_PARTS - half};
        if (used == 64 || i + 1 == item->count) {
            paint_copy_show_all(cairo_get_target(cairo), places, used, painter->limits);
            used = 0;
        }
    }
}

static void paint_arc(cairo_t *cairo, const struct draw_item *item)
{
    cairo_new_sub_path(cairo);
    // On the surface y points down, which reverses angles.
    cairo_arc_negative(cairo, item->x_px, item->y_px, item->radius_px, -item->from_rad,
                       -item->to_rad);
    stroke(cairo, item);
}

/* One channel of a gray pixel, between the colors of black and of white. */
static uint32_t gray_part(const struct draw_item *item, uint32_t gray, int shift)
{
    uint32_t dark = item->stroke >> shift & 0xFF, bright = item->fill >> shift & 0xFF;
    return (dark * (255 - gray) + bright * gray) / 255;
}

/* A pixel in cairo's format, 0x00RRGGBB. */
static uint32_t pixel_of(const struct draw_item *item, const uint8_t *bytes, size_t pixel)
{
    if (item->count > (size_t)item->columns * item->rows)
        return (uint32_t)bytes[3 * pixel] << 16 | (uint32_t)bytes[3 * pixel + 1] << 8 |
               bytes[3 * pixel + 2];
    uint32_t gray = bytes[pixel];
    return gray_part(item, gray, 24) << 16 | gray_part(item, gray, 16) << 8 |
           gray_part(item, gray, 8);
}

static void paint_image(cairo_t *cairo, const struct draw_list *list, const struct draw_item *item)
{
    const uint8_t *bytes = (const uint8_t *)list->bytes + item->first;
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)item->columns, (int)item->rows);
    if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS)
        return;
    unsigned char *rows = cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image);
    for (uint32_t y = 0; y < item->rows; y++) {
        uint32_t *row = (uint32_t *)(void *)(rows + (size_t)stride * y);
        for (uint32_t x = 0; x < item->columns; x++)
            row[x] = pixel_of(item, bytes, (size_t)y * item->columns + x);
    }
    cairo_surface_mark_dirty(image);
    cairo_save(cairo);
    cairo_translate(cairo, item->x_px, item->y_px);
    cairo_scale(cairo, item->width_px / item->columns, item->size_px / item->rows);
    cairo_set_source_surface(cairo, image, 0, 0);
    bool is_larger = item->width_px > item->columns;
    cairo_pattern_set_filter(cairo_get_source(cairo),
                             is_larger ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
    cairo_paint(cairo);
    cairo_restore(cairo);
    cairo_surface_destroy(image);
}

/* The index of the DRAW_UNGROUP of the group that begins at FIRST. */
static size_t end_of_group(const struct draw_list *list, size_t first)
{
    size_t end = first;
    while (end < list->item_count && list->items[end].kind != DRAW_UNGROUP)
        end++;
    return end;
}

static void paint_items(struct painter *painter, cairo_t *cairo, const struct draw_list *list,
                        size_t from, size_t to);

/* Paints the items of a group: those from FIRST to END, or those of a robot that a folded list left
 * out. */
static void paint_parts(struct painter *painter, cairo_t *cairo, const struct draw_list *list,
                        size_t first, size_t end)
{
    if (!list->is_folded || end > first + 1) {
        paint_items(painter, cairo, list, first + 1, end);
        return;
    }
    draw_list_clear(&painter->parts);
    draw_group(&painter->parts, &painter->viewport, painter->snapshot, list->items[first].first);
    painter->is_short = painter->is_short || painter->parts.is_short;
    paint_items(painter, cairo, &painter->parts, 0, painter->parts.item_count);
}

/* Paints a group, as a copy if possible, and returns its last item. */
static size_t paint_group(struct painter *painter, cairo_t *cairo, const struct draw_list *list,
                          size_t first)
{
    const struct draw_item *item = &list->items[first];
    size_t end = end_of_group(list, first);
    // A vector file gets shapes, not pixels.
    bool is_pixels = cairo_surface_get_type(cairo_get_target(cairo)) == CAIRO_SURFACE_TYPE_IMAGE;
    if (is_pixels && group_show(&painter->groups, cairo, item, painter->clips > 0))
        return end;
    cairo_t *painting = is_pixels ? group_begin(&painter->groups, cairo, item) : NULL;
    if (painting) {
        paint_parts(painter, painting, list, first, end);
        cairo_destroy(painting);
        painter->counts.groups++;
        if (group_show(&painter->groups, cairo, item, painter->clips > 0))
            return end;
    }
    paint_parts(painter, cairo, list, first, end);
    return end;
}

/* The picture of the items in the clip at FIRST, painted if it is not cached. */
static cairo_surface_t *layer_of(struct painter *painter, cairo_t *cairo,
                                 const struct draw_list *list, size_t first, size_t end)
{
    struct layer *layer = &painter->layers[(list->items[first].key >> 32) - 1];
    if (layer->key == list->items[first].key)
        return layer->picture;
    cairo_surface_destroy(layer->picture);
    layer->key = list->items[first].key;
    // cairo paints opaque pictures faster, so the first layer includes the static one.
    layer->picture =
        surface_like(painter->calm, first == 0 ? CAIRO_CONTENT_COLOR : CAIRO_CONTENT_COLOR_ALPHA);
    cairo_t *painting = cairo_create(layer->picture);
    if (first == 0)
        copy_layer(painting, painter->background);
    cairo_matrix_t matrix;
    cairo_get_matrix(cairo, &matrix);
    cairo_set_matrix(painting, &matrix);
    const struct draw_box *only = painter->only;
    painter->only = NULL;
    paint_items(painter, painting, list, first + 1, end);
    painter->only = only;
    cairo_destroy(painting);
    return layer->picture;
}

/* Paints a clip with a key and its items. Returns the index of its end. */
static size_t paint_layer(struct painter *painter, cairo_t *cairo, const struct draw_list *list,
                          size_t first)
{
    size_t end = first;
    while (end < list->item_count && list->items[end].kind != DRAW_UNCLIP)
        end++;
    cairo_surface_t *picture = layer_of(painter, cairo, list, first, end);
    trace(cairo, list, &list->items[first]);
    cairo_save(cairo);
    cairo_identity_matrix(cairo);
    cairo_set_source_surface(cairo, picture, 0, 0);
    cairo_fill(cairo);
    cairo_restore(cairo);
    return end;
}

static bool is_left_out(const struct draw_box *only, const struct draw_list *list,
                        const struct draw_item *item)
{
    const struct draw_box box = draw_item_box(list, item);
    return item->kind != DRAW_UNCLIP && !draw_box_meets(only, &box);
}

/* Sets the limits to the whole pixels around a clip. */
static void set_limits(struct painter *painter, cairo_t *cairo, const struct draw_list *list,
                       const struct draw_item *item)
{
    struct viewport_point low = list->points[item->first], high = low;
    for (size_t i = 1; i < item->count; i++) {
        const struct viewport_point *at = &list->points[item->first + i];
        low = (struct viewport_point){fmin(low.x, at->x), fmin(low.y, at->y)};
        high = (struct viewport_point){fmax(high.x, at->x), fmax(high.y, at->y)};
    }
    cairo_user_to_device(cairo, &low.x, &low.y);
    cairo_user_to_device(cairo, &high.x, &high.y);
    const double edges[] = {low.x, low.y, high.x, high.y};
    for (int i = 0; i < 4; i++)
        painter->limits[i] = (int)lround(number_between(edges[i], -1e6, 1e6));
}

static void paint_items(struct painter *painter, cairo_t *cairo, const struct draw_list *list,
                        size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct draw_item *item = &list->items[i];
        if (painter->only && is_left_out(painter->only, list, item)) {
            while (item->kind == DRAW_CLIP && list->items[i].kind != DRAW_UNCLIP)
                i++;
            continue;
        }
        switch (item->kind) {
        case DRAW_POLYGON:
            paint_polygon(cairo, list, item);
            break;
        case DRAW_LINE:
            trace(cairo, list, item);
            stroke(cairo, item);
            break;
        case DRAW_DISC:
            paint_disc(cairo, item);
            break;
        case DRAW_ARC:
            paint_arc(cairo, item);
            break;
        case DRAW_TEXT:
            paint_text_show(painter->text, cairo, item, list->bytes + item->first,
                            painter->clips > 0);
            break;
        case DRAW_IMAGE:
            paint_image(cairo, list, item);
            break;
        case DRAW_DOTS:
            paint_dots(painter, cairo, list, item);
            break;
        case DRAW_CLIP:
            if (item->key != 0 && painter->is_kept) {
                i = paint_layer(painter, cairo, list, i);
                break;
            }
            cairo_save(cairo);
            trace(cairo, list, item);
            cairo_clip(cairo);
            set_limits(painter, cairo, list, item);
            painter->clips++;
            break;
        case DRAW_UNCLIP:
            cairo_restore(cairo);
            painter->clips--;
            break;
        case DRAW_GROUP:
            i = paint_group(painter, cairo, list, i);
            break;
        case DRAW_UNGROUP:
            break;
        }
    }
}

void painter_list(struct painter *painter, cairo_t *cairo, const struct draw_list *list)
{
    paint_items(painter, cairo, list, 0, list->item_count);
}

/* ---- Whole pictures ---- */

/* Paints the static layer on a new surface, compatible with LIKE. */
static void paint_background(struct painter *painter, cairo_surface_t *like, double scale,
                             const struct viewport *viewport, const struct snapshot *snapshot)
{
    cairo_surface_t **layers[] = {&painter->background, &painter->calm, &painter->paths};
    for (size_t i = 0; i < 3; i++) {
        cairo_surface_destroy(*layers[i]);
        *layers[i] = cairo_surface_create_similar(
            like, i < 2 ? CAIRO_CONTENT_COLOR : CAIRO_CONTENT_COLOR_ALPHA,
            (int)ceil(viewport->width_px * scale), (int)ceil(viewport->height_px * scale));
    }
    cairo_t *cairo = cairo_create(painter->background);
    cairo_scale(cairo, scale, scale);
    painter_list(painter, cairo, &painter->fixed);
    cairo_destroy(cairo);
    layers_clear(painter);
    painter->viewport = *viewport;
    painter->scale = scale;
    painter->generation = snapshot->generation;
    painter->counts.backgrounds++;
}

/* Prepares to paint a part of the calm items in a box of a layer, or everywhere: copies BELOW
 * (NULL: nothing) first. Returns the context, for further items. */
static cairo_t *begin_box(struct painter *painter, cairo_surface_t *layer, cairo_surface_t *below,
                          const struct draw_box *box, enum draw_calm part)
{
    cairo_t *cairo = cairo_create(layer);
    double scale = painter->scale;
    if (box) {
        double left = floor(box->left * scale), top = floor(box->top * scale);
        cairo_rectangle(cairo, left, top, ceil(box->right * scale) - left,
                        ceil(box->bottom * scale) - top);
        cairo_clip(cairo);
    }
    cairo_set_operator(cairo, below ? CAIRO_OPERATOR_SOURCE : CAIRO_OPERATOR_CLEAR);
    if (below)
        cairo_set_source_surface(cairo, below, 0, 0);
    cairo_paint(cairo);
    cairo_set_operator(cairo, CAIRO_OPERATOR_OVER);
    cairo_save(cairo);
    cairo_scale(cairo, scale, scale);
    painter->only = box;
    painter->clips++;
    paint_items(painter, cairo, &painter->moving,
                part > 0 ? painter->moving.calm_ends[part - 1] : 0,
                painter->moving.calm_ends[part]);
    painter->clips--;
    painter->only = NULL;
    cairo_restore(cairo);
    return cairo;
}

static void paint_calm_box(struct painter *painter, const struct draw_box *box)
{
    painter->is_kept = true;
    cairo_t *cairo = begin_box(painter, painter->calm, painter->background, box, DRAW_LIGHT);
    painter->is_kept = false;
    cairo_set_source_surface(cairo, painter->paths, 0, 0);
    cairo_paint(cairo);
    cairo_destroy(cairo);
}

/* Updates the calm layers. IS_CURRENT: background and viewport are those of the previous
 * picture. */
static void paint_calm(struct painter *painter, bool is_current)
{
    for (int part = DRAW_CALMS; part-- > 0;) { // paths first: the light is below them
        struct draw_change change = {.count = 1, .is_all = true};
        if (is_current)
            draw_change_find(&change, &painter->before, &painter->moving, (enum draw_calm)part);
        for (size_t i = 0; i < (change.is_all ? 1 : change.count); i++) {
            const struct draw_box *box = change.is_all ? NULL : &change.boxes[i];
            if (part == DRAW_PATHS)
                cairo_destroy(begin_box(painter, painter->paths, NULL, box, DRAW_PATHS));
            paint_calm_box(painter, box);
        }
    }
}

static void paint_moving(struct painter *painter, cairo_t *cairo, size_t from)
{
    painter->limits[0] = painter->limits[1] = 0;
    painter->limits[2] = painter->limits[3] = INT_MAX;
    paint_items(painter, cairo, &painter->moving, from, painter->moving.item_count);
}

bool painter_paint(struct painter *painter, cairo_surface_t *surface, double scale,
                   const struct viewport *viewport, const struct snapshot *snapshot)
{
    // A vector file gets shapes, not copied pixels.
    bool is_pixels = cairo_surface_get_type(surface) == CAIRO_SURFACE_TYPE_IMAGE;
    bool is_current = is_pixels && painter->background && painter->scale == scale &&
                      painter->generation == snapshot->generation &&
                      viewport_is_same(&painter->viewport, viewport);
    if (!is_current) {
        draw_list_clear(&painter->fixed);
        draw_static(&painter->fixed, viewport, snapshot);
    }
    draw_list_clear(&painter->moving);
    painter->moving.is_folded = is_pixels;
    draw_moving(&painter->moving, viewport, snapshot);

    painter->snapshot = snapshot;
    painter->is_short = false;
    if (is_pixels && !is_current)
        paint_background(painter, surface, scale, viewport, snapshot);
    if (is_pixels)
        paint_calm(painter, is_current);
    cairo_t *cairo = cairo_create(surface);
    if (is_pixels)
        copy_layer(cairo, painter->calm);
    cairo_scale(cairo, scale, scale);
    if (!is_pixels)
        painter_list(painter, cairo, &painter->fixed);
    paint_moving(painter, cairo, is_pixels ? painter->moving.calm_ends[DRAW_PATHS] : 0);
    bool is_whole = cairo_status(cairo) == CAIRO_STATUS_SUCCESS && !painter->fixed.is_short &&
                    !painter->moving.is_short && !painter->is_short;
    cairo_destroy(cairo);
    const struct draw_list now = painter->moving;
    painter->moving = painter->before;
    painter->before = now;
    return is_whole;
}
