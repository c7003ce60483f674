/* The picture of a group is twice as fine as the surface, so that it stays sharp when it is turned;
 * the one not wanted for longest makes room. */
#include "viewer/paint/paint_group.h"

#include <math.h>
#include <stdlib.h>

enum {
    KEPT_MAX = 128, /* chosen: some 10 MB at most; looks that a hundred robots may have at a time */
    FINER = 2,
};

struct kept_group {
    uint64_t key;
    double scale, radius_px;
    cairo_surface_t *picture;
    uint64_t used; /* when it was last wanted */
};

struct paint_groups {
    struct kept_group kept[KEPT_MAX];
    uint64_t uses;
};

struct paint_groups *paint_groups_create(void)
{
    return calloc(1, sizeof(struct paint_groups));
}

void paint_groups_destroy(struct paint_groups *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < KEPT_MAX; i++)
        if (self->kept[i].picture)
            cairo_surface_destroy(self->kept[i].picture);
    free(self);
}

/* Pixels of the picture for one of the list. */
static double scale_of(cairo_t *cairo)
{
    double x = 1, y = 0;
    cairo_user_to_device_distance(cairo, &x, &y);
    return hypot(x, y) * FINER;
}

bool paint_group_show(struct paint_groups *self, cairo_t *cairo, const struct draw_item *item)
{
    double scale = scale_of(cairo);
    for (size_t i = 0; i < KEPT_MAX; i++) {
        struct kept_group *kept = &self->kept[i];
        if (!kept->picture || kept->key != item->key || kept->scale != scale ||
            kept->radius_px != item->radius_px)
            continue;
        double half = cairo_image_surface_get_width(kept->picture) / 2.0;
        cairo_save(cairo);
        cairo_translate(cairo, item->x_px, item->y_px);
        // On the surface y runs down, so angles run backward.
        cairo_rotate(cairo, -item->from_rad);
        cairo_scale(cairo, 1 / scale, 1 / scale);
        cairo_set_source_surface(cairo, kept->picture, -half, -half);
        cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_BILINEAR);
        cairo_paint(cairo);
        cairo_restore(cairo);
        kept->used = ++self->uses;
        return true;
    }
    return false;
}

cairo_t *paint_group_begin(struct paint_groups *self, cairo_t *cairo, const struct draw_item *item)
{
    struct kept_group *oldest = &self->kept[0];
    for (size_t i = 1; i < KEPT_MAX; i++)
        if (self->kept[i].used < oldest->used)
            oldest = &self->kept[i];
    double scale = scale_of(cairo);
    int half = (int)ceil(item->radius_px * scale) + 1;
    cairo_surface_t *picture = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 2 * half, 2 * half);
    if (cairo_surface_status(picture) != CAIRO_STATUS_SUCCESS) {
        cairo_surface_destroy(picture);
        return NULL;
    }
    if (oldest->picture)
        cairo_surface_destroy(oldest->picture);
    *oldest = (struct kept_group){item->key, scale, item->radius_px, picture, ++self->uses};
    cairo_t *painting = cairo_create(picture);
    cairo_translate(painting, half, half);
    cairo_scale(painting, scale, scale);
    cairo_rotate(painting, item->from_rad);
    cairo_translate(painting, -item->x_px, -item->y_px);
    return painting;
}
