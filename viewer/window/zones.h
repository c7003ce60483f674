/* Parts of the window that can be clicked. */
#ifndef PTYBOT_VIEWER_WINDOW_ZONES_H
#define PTYBOT_VIEWER_WINDOW_ZONES_H

#include <stddef.h>
#include <stdint.h>

#include "viewer/window/actions.h"

enum { ZONES_MAX = 512 }; /* chosen: more than a panel as high as a wall has */

struct zone {
    double x_px, y_px, width_px, height_px;
    enum action action;
    uint32_t number;
    const char *hint; /* what it does, or NULL */
};

struct zones {
    struct zone zone[ZONES_MAX];
    size_t count;
};

/* Further ones than there is room for are left out. */
static inline void zones_add(struct zones *zones, struct zone zone)
{
    if (zones->count < ZONES_MAX)
        zones->zone[zones->count++] = zone;
}

/* The one under a point, or NULL. */
static inline const struct zone *zones_at(const struct zones *zones, double x_px, double y_px)
{
    for (size_t i = zones->count; i-- > 0;) {
        const struct zone *zone = &zones->zone[i];
        if (x_px >= zone->x_px && x_px < zone->x_px + zone->width_px && y_px >= zone->y_px &&
            y_px < zone->y_px + zone->height_px)
            return zone;
    }
    return NULL;
}

#endif
