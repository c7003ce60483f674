/* The layers of a picture, from bottom to top. */
#include "viewer/draw/draw_scene.h"

#include "viewer/draw/draw.h"

static struct drawing drawing_of(struct draw_list *list, const struct viewport *viewport,
                                 const struct snapshot *snapshot)
{
    return (struct drawing){list, viewport, snapshot, theme_of(viewport->theme)};
}

void draw_static(struct draw_list *list, const struct viewport *viewport,
                 const struct snapshot *snapshot)
{
    const struct drawing drawing = drawing_of(list, viewport, snapshot);
    draw_floor(&drawing);
    draw_walls(&drawing);
    if (viewport->shows & SHOW_CONES)
        draw_dock_outlines(&drawing);
}

void draw_moving(struct draw_list *list, const struct viewport *viewport,
                 const struct snapshot *snapshot)
{
    const struct drawing drawing = drawing_of(list, viewport, snapshot);
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    if (viewport->shows & SHOW_CONES)
        draw_dock_light(&drawing);
    draw_docks(&drawing);
    list->calm_ends[DRAW_LIGHT] = list->item_count;
    for (size_t i = 0; i < snapshot->robots.count; i++)
        draw_trail(&drawing, &robots[i]);
    list->calm_ends[DRAW_PATHS] = list->item_count;
    draw_obstacles(&drawing, false);
    drawing_clip_to_room(&drawing);
    for (size_t i = 0; viewport->shows & SHOW_RAYS && i < snapshot->robots.count; i++)
        draw_sensors(&drawing, &robots[i]);
    draw_unclip(list);
    for (int above = 0; above < 2; above++) // what rides on a robot is drawn upon it
        for (size_t i = 0; i < snapshot->robots.count; i++)
            if ((robots[i].carrier != UINT32_MAX) == (above == 1))
                draw_robot(&drawing, i);
    for (size_t i = 0; i < snapshot->robots.count; i++)
        if (robots[i].fault_count > 0)
            draw_faults(&drawing, &robots[i]);
    if (viewport->shows & SHOW_LABELS)
        draw_names(&drawing);
    if (viewport->shows & SHOW_CAPTION)
        draw_caption(&drawing);
}

void draw_group(struct draw_list *list, const struct viewport *viewport,
                const struct snapshot *snapshot, size_t robot)
{
    const struct drawing drawing = drawing_of(list, viewport, snapshot);
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    draw_robot_appearance(&drawing, &robots[robot]);
}
