#include "viewer/draw/draw_change.h"

#include <math.h>
#include <string.h>

static const double EDGE_PX = 2; /* chosen: more than the width of antialiased edges */

/* ---- Boxes ---- */

static const struct draw_box NOWHERE = {INFINITY, INFINITY, -INFINITY, -INFINITY};

bool draw_box_meets(const struct draw_box *a, const struct draw_box *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

static struct draw_box around(struct draw_box a, struct draw_box b)
{
    return (struct draw_box){fmin(a.left, b.left), fmin(a.top, b.top), fmax(a.right, b.right),
                             fmax(a.bottom, b.bottom)};
}

static struct draw_box grown(struct draw_box box, double by_px)
{
    return (struct draw_box){box.left - by_px, box.top - by_px, box.right + by_px,
                             box.bottom + by_px};
}

static struct draw_box box_of_points(const struct draw_list *list, size_t from, size_t to)
{
    struct draw_box box = NOWHERE;
    for (const struct viewport_point *at = list->points + from; at < list->points + to; at++)
        box = around(box, (struct draw_box){at->x, at->y, at->x, at->y});
    return box;
}

struct draw_box draw_item_box(const struct draw_list *list, const struct draw_item *item)
{
    struct draw_box box = {item->x_px, item->y_px, item->x_px, item->y_px};
    double edge_px = item->radius_px + item->width_px / 2 + EDGE_PX;
    if (draw_has_points(item))
        box = box_of_points(list, item->first, item->first + item->count);
    if (item->kind == DRAW_TEXT)
        edge_px = ((double)item->count + 2) * item->size_px;
    if (item->kind == DRAW_IMAGE)
        box = (struct draw_box){box.left, box.top, box.left + item->width_px,
                                box.top + item->size_px};
    return grown(box, edge_px);
}

/* Adds a box. Overlapping boxes are merged. If there are too many, the last two are merged. */
static void add(struct draw_change *change, struct draw_box box)
{
    for (size_t i = 0; i < change->count; i++)
        if (draw_box_meets(&change->boxes[i], &box)) {
            box = around(box, change->boxes[i]);
            change->boxes[i] = change->boxes[--change->count];
            i = (size_t)-1; // it may meet others now
        }
    if (change->count == DRAW_CHANGE_MAX)
        box = around(box, change->boxes[--change->count]);
    change->boxes[change->count++] = box;
}

/* ---- Items ---- */

static bool has_same_style(const struct draw_item *a, const struct draw_item *b)
{
    const double of_a[] = {a->width_px,  a->dash_px,  a->soft_px, a->hatch_px, a->x_px,   a->y_px,
                           a->radius_px, a->from_rad, a->to_rad,  a->size_px,  a->columns};
    const double of_b[] = {b->width_px,  b->dash_px,  b->soft_px, b->hatch_px, b->x_px,   b->y_px,
                           b->radius_px, b->from_rad, b->to_rad,  b->size_px,  b->columns};
    for (size_t i = 0; i < sizeof of_a / sizeof of_a[0]; i++)
        if (of_a[i] != of_b[i])
            return false;
    return a->kind == b->kind && a->flags == b->flags && a->fill == b->fill &&
           a->stroke == b->stroke && a->align == b->align &&
           (a->key == b->key || a->kind == DRAW_CLIP); // whose items differ, too
}

static bool is_same_point(const struct viewport_point *a, const struct viewport_point *b)
{
    return a->x == b->x && a->y == b->y;
}

static bool is_same(const struct draw_list *before, const struct draw_item *a,
                    const struct draw_list *now, const struct draw_item *b)
{
    if (!has_same_style(a, b) || a->count != b->count)
        return false;
    if (draw_has_points(a))
        return memcmp(before->points + a->first, now->points + b->first,
                      a->count * sizeof *now->points) == 0;
    return (a->kind != DRAW_TEXT && a->kind != DRAW_IMAGE) ||
           memcmp(before->bytes + a->first, now->bytes + b->first, a->count) == 0;
}

/* Adds the area where two shapes of the same style differ: between the first and the last point
 * that differs. */
static void add_points(struct draw_change *change, const struct draw_list *before,
                       const struct draw_item *a, const struct draw_list *now,
                       const struct draw_item *b)
{
    const struct viewport_point *old = before->points + a->first, *new = now->points + b->first;
    size_t least = a->count < b->count ? a->count : b->count, first = 0, last = 0;
    while (first < least && is_same_point(&old[first], &new[first]))
        first++;
    // A dash pattern begins at the first point.
    while (a->dash_px == 0 && first + last < least &&
           is_same_point(&old[a->count - 1 - last], &new[b->count - 1 - last]))
        last++;
    size_t from = first > 0 ? first - 1 : 0, kept = last > 0 ? last - 1 : 0;
    if (a->kind != DRAW_LINE && (first == 0 || last == 0))
        from = kept = 0; // the first and the last one are neighbors
    struct draw_box box = around(box_of_points(before, a->first + from, a->first + a->count - kept),
                                 box_of_points(now, b->first + from, b->first + b->count - kept));
    add(change, grown(box, a->width_px / 2 + EDGE_PX));
}

void draw_change_find(struct draw_change *change, const struct draw_list *before,
                      const struct draw_list *now, enum draw_calm part)
{
    *change = (struct draw_change){0};
    size_t old_from = part > 0 ? before->calm_ends[part - 1] : 0;
    size_t new_from = part > 0 ? now->calm_ends[part - 1] : 0;
    size_t old = before->calm_ends[part] - old_from, new = now->calm_ends[part] - new_from;
    const struct draw_item *old_items = before->items + old_from;
    const struct draw_item *new_items = now->items + new_from;
    size_t least = old < new ? old : new, first = 0, last = 0;
    while (first < least && is_same(before, &old_items[first], now, &new_items[first]))
        first++;
    while (first + last < least &&
           is_same(before, &old_items[old - 1 - last], now, &new_items[new - 1 - last]))
        last++;
    for (size_t i = first; i < old - last || i < new - last; i++) {
        const struct draw_item *a = i < old - last ? &old_items[i] : NULL;
        const struct draw_item *b = i < new - last ? &new_items[i] : NULL;
        bool is_clip = (a && a->kind >= DRAW_CLIP) || (b && b->kind >= DRAW_CLIP);
        if (a && b && is_same(before, a, now, b))
            continue;
        bool is_alike = old == new &&draw_has_points(a) && has_same_style(a, b);
        if (is_alike && a->hatch_px + a->soft_px == 0) {
            add_points(change, before, a, now, b);
            continue;
        }
        change->is_all = change->is_all || is_clip; // the items after them are painted elsewhere
        if (a)
            add(change, draw_item_box(before, a));
        if (b)
            add(change, draw_item_box(now, b));
    }
}
