/* An item of the list `world.lamps` of a scene. */
#include "sim/scene/scene_spec.h"

#include "base/array.h"

static bool lamp_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_lamp *lamp = out;
    lamp->place = scene_yaml_place(yaml, at->node);
    return true;
}

static const struct option_row lamp_rows[] = {
    {.key = "brightness",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct scene_lamp, brightness),
     .unit = "",
     .min = 0,
     .max = 100,
     .fallback = "0.2"}, /* chosen: dazzles a sensor at 0.45 m, and is seen at 2 m */
};
static const struct scene_part lamp_parts[] = {
    {.key = "at",
     .kind = PART_MAPPING,
     .spec = &scene_point_spec,
     .offset = offsetof(struct scene_lamp, at),
     .is_required = true},
};
const struct scene_spec scene_lamp_spec = {.rows = lamp_rows,
                                           .row_count = COUNT(lamp_rows),
                                           .parts = lamp_parts,
                                           .part_count = COUNT(lamp_parts),
                                           .finish = lamp_finish};
