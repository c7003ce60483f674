/* Pictures of groups, kept by their key: many small robots are then copies of few. */
#ifndef PTYBOT_VIEWER_PAINT_PAINT_GROUP_H
#define PTYBOT_VIEWER_PAINT_PAINT_GROUP_H

#include <cairo.h>

#include "viewer/draw/draw_list.h"

struct paint_groups;

/* NULL where memory is short. */
struct paint_groups *paint_groups_create(void);
void paint_groups_destroy(struct paint_groups *self);

/* Puts the picture of a group where ITEM says. False: there is none yet. */
bool paint_group_show(struct paint_groups *self, cairo_t *cairo, const struct draw_item *item);

/* What a group is to be painted with for the first time: in place and turn of ITEM, which it is
 * then shown in by paint_group_show. The caller destroys it. NULL: it cannot be kept. */
cairo_t *paint_group_begin(struct paint_groups *self, cairo_t *cairo, const struct draw_item *item);

#endif
