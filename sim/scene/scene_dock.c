/* An item of the list `world.docks` of a scene. */
#include "sim/scene/scene_spec.h"

#include "base/array.h"

static bool dock_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_dock *dock = out;
    dock->place = scene_yaml_place(yaml, at->node);
    dock->name_place = scene_yaml_place(yaml, scene_yaml_find(yaml, at->node, "name"));
    return scene_name_check(yaml, at, dock->name, "a dock", "");
}

static const struct option_row dock_rows[] = {
    {.key = "name",
     .type = OPTION_TEXT,
     .offset = offsetof(struct scene_dock, name),
     .size = SCENE_NAME_MAX + 1},
};
static const struct scene_part dock_parts[] = {
    {.key = "pose",
     .kind = PART_MAPPING,
     .spec = &scene_pose_spec,
     .offset = offsetof(struct scene_dock, pose),
     .is_required = true},
};
const struct scene_spec scene_dock_spec = {.rows = dock_rows,
                                           .row_count = COUNT(dock_rows),
                                           .parts = dock_parts,
                                           .part_count = COUNT(dock_parts),
                                           .finish = dock_finish};
