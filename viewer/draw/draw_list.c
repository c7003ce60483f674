/* The arrays of a list, and its text form. */
#include "viewer/draw/draw_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"

/* ---- Arrays ---- */

/* Reserves memory for COUNT elements. */
static bool grow(struct draw_list *list, void *array, size_t *room, size_t count, size_t size)
{
    bool is_there = array_reserve(array, room, count, size);
    list->is_short |= !is_there;
    return is_there;
}

void draw_list_clear(struct draw_list *list)
{
    list->item_count = list->point_count = list->byte_count = 0;
    memset(list->calm_ends, 0, sizeof list->calm_ends);
    list->is_short = false;
}

void draw_list_free(struct draw_list *list)
{
    free(list->items);
    free(list->points);
    free(list->bytes);
    *list = (struct draw_list){0};
}

static void add_item(struct draw_list *list, const struct draw_item *item)
{
    if (grow(list, &list->items, &list->item_room, list->item_count + 1, sizeof *list->items))
        list->items[list->item_count++] = *item;
}

static void add_points(struct draw_list *list, struct draw_item *item,
                       const struct viewport_point *points, size_t count)
{
    if (!grow(list, &list->points, &list->point_room, list->point_count + count,
              sizeof *list->points))
        return;
    item->first = list->point_count;
    item->count = count;
    memcpy(list->points + list->point_count, points, count * sizeof *points);
    list->point_count += count;
    add_item(list, item);
}

static bool add_bytes(struct draw_list *list, size_t *first, const void *bytes, size_t count)
{
    if (!grow(list, &list->bytes, &list->byte_room, list->byte_count + count, 1))
        return false;
    *first = list->byte_count;
    memcpy(list->bytes + list->byte_count, bytes, count);
    list->byte_count += count;
    return true;
}

/* ---- Items ---- */

void draw_polygon(struct draw_list *list, struct draw_item item,
                  const struct viewport_point *points, size_t count)
{
    item.kind = DRAW_POLYGON;
    add_points(list, &item, points, count);
}

void draw_rect(struct draw_list *list, struct draw_item item, double x_px, double y_px,
               double to_x_px, double to_y_px)
{
    const struct viewport_point corners[] = {
        {x_px, y_px}, {to_x_px, y_px}, {to_x_px, to_y_px}, {x_px, to_y_px}};
    add_points(list, &item, corners, 4);
}

void draw_line(struct draw_list *list, struct draw_item item, const struct viewport_point *points,
               size_t count)
{
    item.kind = DRAW_LINE;
    add_points(list, &item, points, count);
}

void draw_disc(struct draw_list *list, struct draw_item item, struct viewport_point middle,
               double radius_px)
{
    item.kind = DRAW_DISC;
    item.x_px = middle.x;
    item.y_px = middle.y;
    item.radius_px = radius_px;
    add_item(list, &item);
}

void draw_dots(struct draw_list *list, struct draw_item item, const struct viewport_point *points,
               size_t count, double radius_px)
{
    item.kind = DRAW_DOTS;
    item.radius_px = radius_px;
    add_points(list, &item, points, count);
}

void draw_arc(struct draw_list *list, struct draw_item item, struct viewport_point middle,
              double radius_px, double from_rad, double to_rad)
{
    item.kind = DRAW_ARC;
    item.x_px = middle.x;
    item.y_px = middle.y;
    item.radius_px = radius_px;
    item.from_rad = from_rad;
    item.to_rad = to_rad;
    add_item(list, &item);
}

void draw_text(struct draw_list *list, struct draw_item item, struct viewport_point anchor,
               const char *text)
{
    item.kind = DRAW_TEXT;
    item.x_px = anchor.x;
    item.y_px = anchor.y;
    item.count = strlen(text);
    if (add_bytes(list, &item.first, text, item.count + 1))
        add_item(list, &item);
}

void draw_image(struct draw_list *list, struct draw_item item, struct viewport_point corner,
                struct viewport_point opposite, const uint8_t *bytes, uint32_t columns,
                uint32_t rows, bool is_color)
{
    item.kind = DRAW_IMAGE;
    item.x_px = corner.x;
    item.y_px = corner.y;
    item.width_px = opposite.x - corner.x;
    item.size_px = opposite.y - corner.y;
    item.count = (size_t)columns * rows * (is_color ? 3 : 1);
    item.columns = columns;
    item.rows = rows;
    if (add_bytes(list, &item.first, bytes, item.count))
        add_item(list, &item);
}

void draw_clip(struct draw_list *list, const struct viewport_point *points, size_t count,
               uint64_t key)
{
    add_points(list, &(struct draw_item){.kind = DRAW_CLIP, .key = key}, points, count);
}

void draw_unclip(struct draw_list *list)
{
    add_item(list, &(struct draw_item){.kind = DRAW_UNCLIP});
}

void draw_group_begin(struct draw_list *list, struct viewport_point middle, double turn_rad,
                      double radius_px, uint64_t key, size_t robot)
{
    add_item(list, &(struct draw_item){.kind = DRAW_GROUP,
                                       .x_px = middle.x,
                                       .y_px = middle.y,
                                       .from_rad = turn_rad,
                                       .radius_px = radius_px,
                                       .key = key,
                                       .first = robot});
}

void draw_group_end(struct draw_list *list)
{
    add_item(list, &(struct draw_item){.kind = DRAW_UNGROUP});
}

/* ---- Text form ---- */

/* Rounded to 0.1; never -0.0, whose sign would depend on rounding errors. */
static double tenth(double value)
{
    double rounded = round(value * 10) / 10;
    return rounded == 0 ? 0 : rounded;
}

static void write_style(const struct draw_item *item, FILE *out)
{
    static const struct {
        uint32_t flag;
        const char *word;
    } words[] = {{DRAW_BOLD, " bold"}, {DRAW_MONO, " mono"}, {DRAW_HALO, " halo"},
                 {DRAW_SOFT, " soft"}, {DRAW_BUTT, " butt"}, {DRAW_EVEN, " even"}};
    if (item->fill & 0xFF)
        fprintf(out, " fill %08x", (unsigned)item->fill);
    if (item->stroke & 0xFF)
        fprintf(out, " stroke %08x", (unsigned)item->stroke);
    if (item->width_px > 0)
        fprintf(out, " width %.1f", tenth(item->width_px));
    if (item->dash_px > 0)
        fprintf(out, " dash %.1f", tenth(item->dash_px));
    if (item->hatch_px > 0)
        fprintf(out, " hatch %.1f", tenth(item->hatch_px));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (item->flags & words[i].flag)
            fputs(words[i].word, out);
}

static void write_points(const struct draw_list *list, const struct draw_item *item, FILE *out)
{
    for (size_t i = 0; i < item->count; i++)
        fprintf(out, " %.1f,%.1f", tenth(list->points[item->first + i].x),
                tenth(list->points[item->first + i].y));
}

bool draw_has_points(const struct draw_item *item)
{
    return item->kind == DRAW_POLYGON || item->kind == DRAW_LINE || item->kind == DRAW_CLIP ||
           item->kind == DRAW_DOTS;
}

static void write_item(const struct draw_list *list, const struct draw_item *item, FILE *out)
{
    static const char *const names[] = {"polygon", "line",   "disc",  "arc",     "text", "image",
                                        "clip",    "unclip", "group", "ungroup", "dots"};
    static const char *const aligns[] = {"left", "center", "right"};
    enum draw_kind kind = item->kind;
    fputs(names[kind], out);
    if (draw_has_points(item))
        write_points(list, item, out);
    else if (kind != DRAW_UNCLIP && kind != DRAW_UNGROUP)
        fprintf(out, " %.1f,%.1f", tenth(item->x_px), tenth(item->y_px));
    if (kind == DRAW_DISC || kind == DRAW_DOTS || kind == DRAW_ARC || kind == DRAW_GROUP)
        fprintf(out, " radius %.1f", tenth(item->radius_px));
    if (kind == DRAW_ARC)
        fprintf(out, " from %.1f to %.1f deg", tenth(item->from_rad / ANGLE_RAD_DEG),
                tenth(item->to_rad / ANGLE_RAD_DEG));
    if (kind == DRAW_GROUP)
        fprintf(out, " turn %.1f deg", tenth(item->from_rad / ANGLE_RAD_DEG));
    if (kind == DRAW_TEXT)
        fprintf(out, " %s size %.1f \"%s\"", aligns[item->align], tenth(item->size_px),
                list->bytes + item->first);
    if (kind == DRAW_IMAGE)
        fprintf(out, " %.1fx%.1f of %ux%u", tenth(item->width_px), tenth(item->size_px),
                (unsigned)item->columns, (unsigned)item->rows);
    else
        write_style(item, out);
    fputc('\n', out);
}

void draw_list_write_text(const struct draw_list *list, FILE *out)
{
    for (size_t i = 0; i < list->item_count; i++)
        write_item(list, &list->items[i], out);
}
