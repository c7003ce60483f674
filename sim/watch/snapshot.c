/* Fills snapshots: the layout and the static part (room, names, tables) if they have changed, the
 * moving part each time. */
#include "sim/watch/snapshot.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "sim/commands/fault_commands.h"
#include "sim/commands/fault_list.h"
#include "sim/room/beam.h"
#include "sim/room/dock.h"
#include "sim/room/room.h"
#include "sim/room/scenery.h"
#include "sim/state/robots.h"
#include "sim/state/state.h"
#include "sim/verdict/expect.h"
#include "sim/verdict/timeline.h"
#include "sim/watch/watch.h"

_Static_assert((int)SNAPSHOT_NAME_MAX == (int)SCENE_NAME_MAX + 1, "names fit");
_Static_assert((int)SNAPSHOT_LABEL_MAX == (int)SCENE_LABEL_MAX, "labels fit");
_Static_assert((int)SNAPSHOT_TRAIL_MAX == (int)WATCH_TRAIL_MAX, "trails fit");

static void *at(struct snapshot *out, struct snapshot_span span)
{
    return (char *)out + span.at;
}

/* 0: the appearance has no color. */
static uint32_t color_of(const struct scene_appearance *appearance)
{
    return appearance->color[0] ? appearance->rgb << 8 | 0xFFu : 0;
}

/* The color that cameras see. */
static uint32_t thing_color(const struct scene_appearance *appearance, uint32_t otherwise)
{
    return appearance->color[0] ? color_of(appearance) : otherwise << 8 | 0xFFu;
}

/* ---- Layout ---- */

/* Reserves one array after the other. Without a snapshot it only counts bytes. */
struct layout {
    const struct sim *sim;
    struct snapshot *out; /* or NULL */
    size_t used;
    size_t signals_found;       /* number of signals of the robots so far */
    struct snapshot_span parts; /* parts of the previous robot */
};

/* Reserves an array of COUNT elements. Sets SPAN, and returns the array in the snapshot, or
 * NULL. */
static void *take(struct layout *layout, size_t count, size_t size, struct snapshot_span *span)
{
    layout->used = (layout->used + 15) & ~(size_t)15;
    *span = (struct snapshot_span){(uint32_t)layout->used, (uint32_t)count};
    layout->used += count * size;
    return layout->out ? at(layout->out, *span) : NULL;
}

/* Reserves and writes a text with its NUL; returns its offset. */
static uint32_t take_text(struct layout *layout, const char *text)
{
    size_t size = strlen(text) + 1;
    if (layout->out)
        memcpy((char *)layout->out + layout->used, text, size);
    layout->used += size;
    return (uint32_t)(layout->used - size);
}

static struct snapshot_point point_of(struct vec2 point)
{
    return (struct snapshot_point){(float)point.x, (float)point.y};
}

static struct snapshot_span take_points(struct layout *layout, const struct vec2 *points,
                                        size_t count)
{
    struct snapshot_span span;
    struct snapshot_point *out = take(layout, count, sizeof *out, &span);
    for (size_t i = 0; out && i < count; i++)
        out[i] = point_of(points[i]);
    return span;
}

/* ---- Static part: the room ---- */

static void take_walls(struct layout *layout, struct snapshot_span *span)
{
    const struct room *room = layout->sim->room;
    size_t count = 0;
    for (size_t i = 0; i < room->wall_count; i++)
        count += room->walls[i].shape != NULL;
    struct snapshot_wall *out = take(layout, count, sizeof *out, span);
    for (size_t i = 0; out && i < room->wall_count; i++) {
        const struct scene_wall *wall = room->walls[i].shape;
        if (wall)
            *out++ = (struct snapshot_wall){.from = point_of(wall->from),
                                            .to = point_of(wall->to),
                                            .color = color_of(&wall->appearance),
                                            .number = (uint32_t)i + 1,
                                            .is_border = wall->is_border};
    }
}

static size_t count_boxes(const struct room *room)
{
    size_t count = 0;
    for (size_t i = 0; i < room->box_count; i++)
        count += room->boxes[i].shape != NULL;
    return count;
}

static void take_lines(struct layout *layout, struct snapshot_span *span)
{
    const struct scene *scene = layout->sim->scene;
    struct snapshot_line *out = take(layout, scene->line_count, sizeof *out, span);
    for (size_t i = 0; out && i < span->count; i++)
        out[i] = (struct snapshot_line){.from = point_of(scene->lines[i].from),
                                        .to = point_of(scene->lines[i].to),
                                        .width_m = (float)scene->lines[i].width_m,
                                        .reflectance = (float)scene->lines[i].reflectance};
}

static void take_lamps(struct layout *layout, struct snapshot_span *span)
{
    const struct scene *scene = layout->sim->scene;
    struct snapshot_lamp *out = take(layout, scene->lamp_count, sizeof *out, span);
    for (size_t i = 0; out && i < span->count; i++)
        out[i] = (struct snapshot_lamp){.at = point_of(scene->lamps[i].at),
                                        .brightness = (float)scene->lamps[i].brightness};
}

enum polygon_kind { POLYGON_SOLID, POLYGON_CLIFF, POLYGON_SHADE };

static struct snapshot_polygon take_polygon(struct layout *layout, enum polygon_kind kind, size_t i)
{
    const struct scene *scene = layout->sim->scene;
    if (kind == POLYGON_CLIFF) {
        const struct scene_cliff *cliff = &scene->cliffs[i];
        return (struct snapshot_polygon){.points =
                                             take_points(layout, cliff->points, cliff->point_count),
                                         .value = (float)cliff->depth_m};
    }
    if (kind == POLYGON_SHADE) {
        const struct scene_shade *shade = &scene->shades[i];
        return (struct snapshot_polygon){.points =
                                             take_points(layout, shade->points, shade->point_count),
                                         .value = (float)shade->reflectance};
    }
    const struct scene_polygon *polygon = &scene->polygons[i];
    return (struct snapshot_polygon){.points =
                                         take_points(layout, polygon->points, polygon->point_count),
                                     .color = color_of(&polygon->appearance)};
}

static void take_polygons(struct layout *layout, enum polygon_kind kind, size_t count,
                          struct snapshot_span *span)
{
    struct snapshot_polygon *out = take(layout, count, sizeof *out, span);
    for (size_t i = 0; i < count; i++) {
        struct snapshot_polygon polygon = take_polygon(layout, kind, i);
        if (out)
            out[i] = polygon;
    }
}

static void take_floor(struct layout *layout, struct snapshot *head)
{
    const struct scene_floor *floor = &layout->sim->scene->floor;
    if (floor->gray) {
        head->floor_width = (uint32_t)floor->width;
        head->floor_height = (uint32_t)floor->height;
    }
    size_t size = (size_t)head->floor_width * head->floor_height;
    uint8_t *out = take(layout, size, 1, &head->floor);
    if (out && floor->gray)
        memcpy(out, floor->gray, size);
}

static void lay_out_room(struct layout *layout, struct snapshot *head)
{
    const struct scene *scene = layout->sim->scene;
    head->low = point_of(scene->low);
    head->high =
        point_of((struct vec2){scene->low.x + scene->size_x_m, scene->low.y + scene->size_y_m});
    memcpy(head->title, scene->name, sizeof head->title);
    take_walls(layout, &head->walls);
    take_polygons(layout, POLYGON_SOLID, scene->polygon_count, &head->polygons);
    take_polygons(layout, POLYGON_CLIFF, scene->cliff_count, &head->cliffs);
    take_polygons(layout, POLYGON_SHADE, scene->shade_count, &head->shades);
    take_lines(layout, &head->lines);
    take_lamps(layout, &head->lamps);
    take_floor(layout, head);
    for (size_t i = 0; scene->dock_count + scene->beacon_count > 0 && i < SNAPSHOT_BEAMS; i++) {
        struct vec2 points[64];
        size_t count = beam_outline(UINT32_C(1) << i, points, sizeof points / sizeof points[0]);
        head->fields[i] = take_points(layout, points, count);
    }
    take(layout, count_boxes(layout->sim->room), sizeof(struct snapshot_box), &head->boxes);
    take(layout, scene->disc_count, sizeof(struct snapshot_disc), &head->discs);
    take(layout, scene->dock_count, sizeof(struct snapshot_dock), &head->docks);
    take(layout, scene->beacon_count, sizeof(struct snapshot_beacon), &head->beacons);
}

/* ---- Static part: names and tables ---- */

static uint32_t take_words(struct layout *layout, const char *const *words)
{
    if (!words)
        return 0;
    uint32_t first = (uint32_t)layout->used;
    for (size_t i = 0; words[i]; i++)
        take_text(layout, words[i]);
    take_text(layout, "");
    return first;
}

static void lay_out_signals(struct layout *layout, struct snapshot *head)
{
    const struct sim *sim = layout->sim;
    take(layout, sim->signal_count, sizeof(double), &head->values);
    struct snapshot_signal *out = take(layout, sim->signal_count, sizeof *out, &head->signals);
    for (size_t i = 0; i < sim->signal_count; i++) {
        const struct sim_signal info = sim_signal_info(sim, i);
        struct snapshot_signal row = {
            .name = take_text(layout, info.name),
            .unit = take_text(layout, info.unit),
            .note = take_text(layout, info.note ? info.note : ""),
            .words = take_words(layout, info.names),
            .is_live = info.is_live,
        };
        if (out)
            out[i] = row;
    }
}

static void lay_out_fault_kinds(struct layout *layout, struct snapshot *head)
{
    struct sim_fault_info info;
    size_t count = 0;
    while (sim_fault_info(count, &info))
        count++;
    struct snapshot_fault_kind *out = take(layout, count, sizeof *out, &head->fault_kinds);
    for (size_t i = 0; sim_fault_info(i, &info); i++) {
        struct snapshot_fault_kind row = {.name = take_text(layout, info.kind),
                                          .arguments = take_text(layout, info.arguments),
                                          .note = take_text(layout, info.note)};
        if (out)
            out[i] = row;
    }
}

static void lay_out_verdicts(struct layout *layout, struct snapshot *head)
{
    size_t count = sim_expectation_count(layout->sim);
    struct snapshot_verdict *out = take(layout, count, sizeof *out, &head->verdicts);
    for (size_t i = 0; i < count; i++) {
        const struct sim_expectation one = sim_expectation(layout->sim, i);
        struct snapshot_verdict row = {.name = take_text(layout, one.name),
                                       .that = take_text(layout, one.that),
                                       .when = take_text(layout, one.when)};
        if (out)
            out[i] = row;
    }
}

/* The parts of a robot that can fail. */
static void take_parts(struct layout *layout, const struct sim_robot *robot)
{
    struct fault_part parts[FAULT_PARTS_MAX];
    struct sim_fault_info info;
    size_t count = fault_parts(robot->type, robot->body, parts);
    struct snapshot_fault_part *out = take(layout, count, sizeof *out, &layout->parts);
    for (size_t i = 0; i < count; i++) {
        struct snapshot_fault_part row = {.name = take_text(layout, parts[i].name)};
        for (size_t k = 0; sim_fault_info(k, &info); k++)
            row.kinds |= (uint64_t)fault_befalls(k, robot, &parts[i]) << k;
        if (out)
            out[i] = row;
    }
}

static bool has_same_parts(const struct sim_robot *a, const struct sim_robot *b)
{
    struct fault_part of_a[FAULT_PARTS_MAX], of_b[FAULT_PARTS_MAX];
    if (a->type != b->type)
        return false;
    size_t count = fault_parts(a->type, a->body, of_a);
    if (count != fault_parts(b->type, b->body, of_b))
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(of_a[i].name, of_b[i].name) != 0)
            return false;
    return true;
}

static bool is_of_robot(const struct sim *sim, const struct signal_entry *entry, size_t robot)
{
    switch ((enum signal_source)entry->source) {
    case SOURCE_WORLD:
    case SOURCE_SCENE:
    case SOURCE_RUN:
        return false;
    case SOURCE_CHANNEL:
    case SOURCE_RUN_CHANNEL:
        return sim->channels[entry->owner].robot == robot;
    case SOURCE_ROBOT:
    case SOURCE_STATE:
    case SOURCE_MIRROR:
        break;
    }
    return entry->owner == robot;
}

/* The signals of a robot are contiguous: its own, then those of its channels. Robots are in the
 * order of the scene: the search starts at FIRST, the end of the signals of the previous robot. */
static void find_signals(const struct sim *sim, size_t robot, size_t *first, size_t *count)
{
    while (*first < sim->signal_count && !is_of_robot(sim, &sim->signals[*first], robot))
        ++*first;
    *count = 0;
    while (*first + *count < sim->signal_count &&
           is_of_robot(sim, &sim->signals[*first + *count], robot))
        ++*count;
}

/* The index of the signal that lights or moves a part; UINT32_MAX: none. */
static uint32_t signal_of_part(const struct sim *sim, const struct sim_robot *robot,
                               const char *signal, size_t first, size_t count)
{
    char name[SIM_SIGNAL_NAME_MAX];
    snprintf(name, sizeof name, "%s.%s", robot->name, signal);
    for (size_t i = first; i < first + count; i++)
        if (strcmp(signal_name(sim, &sim->signals[i]), name) == 0)
            return (uint32_t)i;
    return UINT32_MAX;
}

static void describe_body(const struct robot_body *body, struct snapshot_robot *out)
{
    out->shape = (uint8_t)body->shape;
    out->drive = (uint8_t)body->drive;
    out->radius_m = (float)body->radius_m;
    out->length_m = (float)body->length_m;
    out->width_m = (float)body->width_m;
    out->center_x_m = (float)body->center_x_m;
    out->wheel_count = (uint32_t)body->wheel_count;
    for (size_t i = 0; i < body->wheel_count; i++) {
        const struct robot_wheel *wheel = &body->wheels[i];
        out->wheels[i] = (struct snapshot_wheel){
            .x_m = (float)wheel->x_m,
            .y_m = (float)wheel->y_m,
            .heading_rad = (float)wheel->heading_rad,
            .roller_rad = (float)wheel->roller_rad,
            .radius_m = (float)wheel->radius_m,
        };
    }
    out->sensor_count = (uint32_t)body->sensor_count;
    for (size_t i = 0; i < body->sensor_count; i++) {
        const struct sensor_spec *spec = &body->sensors[i];
        out->sensors[i] = (struct snapshot_sensor){
            .kind = (uint8_t)spec->kind,
            .x_m = (float)spec->x_m,
            .y_m = (float)spec->y_m,
            .heading_rad = (float)spec->heading_rad,
            .cone_half_rad = (float)spec->cone_half_rad,
            .range_m = (float)spec->range_m,
        };
    }
}

static size_t image_size(const struct robot_body *body)
{
    for (size_t i = 0; i < body->sensor_count; i++)
        if (body->sensors[i].kind == SENSOR_CAMERA)
            return SNAPSHOT_IMAGE_MAX;
    return 0;
}

/* The scanner whose measurements the firmware keeps; NULL: none. */
static const struct sensor_spec *scanner_of(const struct sim_robot *robot)
{
    for (size_t i = 0; robot->type->scan_offset > 0 && i < robot->body->sensor_count; i++)
        if (robot->body->sensors[i].kind == SENSOR_SCANNER)
            return &robot->body->sensors[i];
    return NULL;
}

/* The appearance of a robot's type, stored with the first robot of the type. */
static struct snapshot_span take_appearance(struct layout *layout, const struct snapshot *head,
                                            size_t index)
{
    const struct sim_robot *robots = layout->sim->robots;
    const struct appearance_list *list = robots[index].type->appearance;
    for (size_t i = 0; i < index; i++)
        if (robots[i].type == robots[index].type)
            return layout->out
                       ? ((struct snapshot_robot *)at(layout->out, head->robots))[i].appearance
                       : (struct snapshot_span){0};
    struct snapshot_span span;
    struct snapshot_appearance *out = take(layout, list->count, sizeof *out, &span);
    for (size_t i = 0; i < list->count; i++) {
        const struct appearance_row *row = &list->rows[i];
        struct snapshot_appearance appearance = {
            .x_m = row->x_m,
            .y_m = row->y_m,
            .heading_rad = row->heading_rad,
            .length_m = row->length_m,
            .width_m = row->width_m,
            .from_rad = row->from_rad,
            .to_rad = row->to_rad,
            .shape = (uint32_t)row->shape,
            .color = row->color,
            .lit_color = row->lit_color,
            .lit_by = row->lit_by ? take_text(layout, row->lit_by) : 0,
            .click = row->click ? take_text(layout, row->click) : 0,
            .label = row->label ? take_text(layout, row->label) : 0,
        };
        if (out)
            out[i] = appearance;
    }
    return span;
}

static void lay_out_robot(struct layout *layout, const struct snapshot *head, size_t index)
{
    const struct sim_robot *robot = &layout->sim->robots[index];
    const struct robot_type *type = robot->type;
    struct snapshot_span lit_by, image, points;
    uint32_t *lights = take(layout, 3 * type->appearance->count, sizeof *lights, &lit_by);
    struct snapshot_span appearance = take_appearance(layout, head, index);
    uint32_t title = take_text(layout, type->title);
    take(layout, image_size(robot->body), 1, &image);
    take(layout, scanner_of(robot) ? ROBOT_SCAN_MAX : 0, sizeof(struct snapshot_point), &points);
    // Successive robots of one type, as in a fleet, share their list.
    bool is_same = index > 0 && has_same_parts(&robot[-1], robot);
    if (!is_same)
        take_parts(layout, robot);
    if (!layout->out)
        return;
    struct snapshot_robot *out = (struct snapshot_robot *)at(layout->out, head->robots) + index;
    memset(out, 0, sizeof *out);
    memcpy(out->name, robot->name, sizeof out->name);
    memcpy(out->label, robot->label, sizeof out->label);
    describe_body(robot->body, out);
    snprintf(out->wire, sizeof out->wire, "%s", sim_robot_wire(layout->sim, index));
    out->title = title;
    out->appearance = appearance;
    out->lit_by = lit_by;
    out->image = image;
    out->scan = points;
    out->parts = layout->parts;
    out->carrier = robot_is_mounted(robot) ? (uint32_t)robot->mount.carrier : UINT32_MAX;
    out->first_channel = (uint32_t)robot->first_channel;
    out->channel_count = (uint32_t)type->channel_count;

    size_t first = layout->signals_found, count;
    find_signals(layout->sim, index, &first, &count);
    layout->signals_found = first + count;
    out->first_signal = (uint32_t)first;
    out->signals = (struct snapshot_span){
        head->signals.at + (uint32_t)(first * sizeof(struct snapshot_signal)), (uint32_t)count};
    for (size_t i = 0; i < type->appearance->count; i++) {
        const struct appearance_row *row = &type->appearance->rows[i];
        const char *const names[] = {row->lit_by, row->turned_by, row->length_by};
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            lights[k * type->appearance->count + i] =
                names[k] ? signal_of_part(layout->sim, robot, names[k], first, count) : UINT32_MAX;
    }
}

static void name_docks_and_channels(struct layout *layout, const struct snapshot *head)
{
    const struct sim *sim = layout->sim;
    assert(layout->out);
    struct snapshot_dock *docks = at(layout->out, head->docks);
    for (size_t i = 0; i < sim->scene->dock_count; i++)
        memcpy(docks[i].name, sim->scene->docks[i].name, sizeof docks[i].name);
    struct snapshot_channel *channels = at(layout->out, head->channels);
    for (size_t i = 0; i < sim->channel_count; i++) {
        channels[i].robot = (uint32_t)sim->channels[i].robot;
        channels[i].channel = sim->channels[i].channel;
        snprintf(channels[i].name, sizeof channels[i].name, "%s",
                 sim->robots[sim->channels[i].robot].type->channels[sim->channels[i].channel].name);
    }
}

/* Lays out a snapshot and writes its static part; OUT NULL: only calculates the size. Returns the
 * size. */
static size_t lay_out(const struct sim *sim, struct snapshot *out)
{
    struct layout layout = {.sim = sim, .out = out, .used = sizeof(struct snapshot)};
    struct snapshot head = {.magic = SNAPSHOT_MAGIC, .version = SNAPSHOT_VERSION};
    lay_out_room(&layout, &head);
    take(&layout, sim->robot_count, sizeof(struct snapshot_robot), &head.robots);
    take(&layout, sim->channel_count, sizeof(struct snapshot_channel), &head.channels);
    take(&layout, SNAPSHOT_FAULTS_MAX, sizeof(struct snapshot_fault), &head.faults);
    lay_out_fault_kinds(&layout, &head);
    lay_out_verdicts(&layout, &head);
    lay_out_signals(&layout, &head);
    for (size_t i = 0; i < sim->robot_count; i++)
        lay_out_robot(&layout, &head, i);
    if (out) {
        name_docks_and_channels(&layout, &head);
        head.size = layout.used;
        head.generation = sim->room->generation;
        *out = head;
    }
    return layout.used;
}

static struct snapshot_pose pose_of(struct pose pose)
{
    return (struct snapshot_pose){pose.x_m, pose.y_m, pose.heading_rad};
}

/* ---- Moving part: obstacles and docks ---- */

static void fill_obstacles(const struct sim *sim, struct snapshot *out)
{
    const struct room *room = sim->room;
    struct snapshot_box *boxes = at(out, out->boxes);
    for (size_t i = 0; i < room->box_count; i++) {
        const struct scene_box *box = room->boxes[i].shape;
        if (!box)
            continue;
        *boxes++ = (struct snapshot_box){
            .pose = pose_of(world_pose(sim->world, room->boxes[i].body)),
            .length_m = (float)box->length_m,
            .width_m = (float)box->width_m,
            .mass_kg = (float)box->mass_kg,
            .color = thing_color(&box->appearance, SCENERY_BOX_RGB),
            .number = (uint32_t)i + 1,
        };
    }
    struct snapshot_disc *discs = at(out, out->discs);
    for (size_t i = 0; i < sim->scene->disc_count; i++) {
        const struct scene_disc *disc = &sim->scene->discs[i];
        discs[i] = (struct snapshot_disc){
            .pose = pose_of(world_pose(sim->world, room->first_disc + i)),
            .radius_m = (float)disc->radius_m,
            .mass_kg = (float)disc->mass_kg,
            .color = thing_color(&disc->appearance, SCENERY_DISC_RGB),
        };
    }
}

/* The beams of a dock or beacon that any robot's receivers detect. */
static uint32_t seen_of(const struct sim *sim, enum beam_source source, struct pose pose)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < sim->robot_count; i++) {
        const struct sim_robot *robot = &sim->robots[i];
        for (size_t k = 0; k < robot->body->sensor_count; k++) {
            const struct sensor_spec *spec = &robot->body->sensors[k];
            if (spec->kind != SENSOR_DOCK_IR || !robot->sensors.sensor[k].beams ||
                robot->faults.senses[k].kind != FAULT_NONE)
                continue;
            struct vec2 point = geom_to_world(robot->pose, (struct vec2){spec->x_m, spec->y_m});
            seen |= beams_at(source, pose, point) & robot->sensors.sensor[k].beams;
        }
    }
    return seen;
}

/* Range of the light: rays to both sides of its heading. */
static void fill_reach(const struct sim *sim, const struct snapshot *out, struct pose light,
                       double half_rad, size_t skip, float reach_m[SNAPSHOT_LIGHT_RAYS])
{
    double far_m = out->high.x_m - out->low.x_m + out->high.y_m - out->low.y_m;
    for (int i = 0; i < SNAPSHOT_LIGHT_RAYS; i++) {
        double aside_rad = half_rad * (2.0 * i / (SNAPSHOT_LIGHT_RAYS - 1) - 1);
        reach_m[i] = (float)world_ray(sim->world, (struct vec2){light.x_m, light.y_m},
                                      light.heading_rad + aside_rad, far_m, skip)
                         .distance_m;
    }
}

static void fill_beacons(const struct sim *sim, struct snapshot *out)
{
    struct snapshot_beacon *beacons = at(out, out->beacons);
    for (size_t i = 0; i < sim->scene->beacon_count; i++) {
        const struct scene_beacon *beacon = &sim->scene->beacons[i];
        enum beam_source source = (enum beam_source)(DOCK_KINDS + beacon->kind);
        beacons[i] = (struct snapshot_beacon){.pose = pose_of(beacon->pose),
                                              .kind = (uint32_t)beacon->kind,
                                              .seen = seen_of(sim, source, beacon->pose)};
        fill_reach(sim, out, beacon->pose, ANGLE_PI, SIZE_MAX, beacons[i].reach_m);
    }
}

static void fill_docks(const struct sim *sim, struct snapshot *out)
{
    struct snapshot_dock *docks = at(out, out->docks);
    for (size_t i = 0; i < sim->scene->dock_count; i++) {
        const struct scene_dock *dock = &sim->scene->docks[i];
        docks[i].pose = pose_of(dock->pose);
        docks[i].depth_m = (float)SCENE_DOCK_DEPTH_M;
        docks[i].width_m = (float)SCENE_DOCK_WIDTH_M;
        docks[i].light_x_m = (float)BEAM_DOCK_X_M;
        docks[i].pin_x_m = (float)dock_pins((enum dock_kind)dock->kind).x_m;
        docks[i].pin_y_m = (float)dock_pins((enum dock_kind)dock->kind).y_m;
        docks[i].kind = (uint32_t)dock->kind;
        docks[i].seen = seen_of(sim, (enum beam_source)dock->kind, dock->pose);
        struct vec2 light = geom_to_world(dock->pose, (struct vec2){BEAM_DOCK_X_M, 0});
        fill_reach(sim, out, (struct pose){light.x, light.y, dock->pose.heading_rad}, ANGLE_PI / 2,
                   sim->room->first_dock + i, docks[i].reach_m);
    }
}

/* ---- Moving part: robots ---- */

static void fill_trail(const struct watch_trail *from, struct snapshot_trail *out)
{
    out->count = (uint32_t)(from->total < WATCH_TRAIL_MAX ? from->total : WATCH_TRAIL_MAX);
    out->gone = (uint32_t)(from->total - out->count);
    for (uint32_t i = 0; i < out->count; i++) {
        uint64_t slot = (from->total - out->count + i) % WATCH_TRAIL_MAX;
        out->points[i] = (struct snapshot_point){from->point[slot].x_m, from->point[slot].y_m};
    }
}

static void fill_wheels(const struct sim_robot *robot, struct snapshot_robot *out)
{
    if (robot->body->wheel_count == 0)
        return;
    const struct drive *drive = world_drive(robot->sim->world, robot->body_index);
    for (size_t i = 0; i < robot->body->wheel_count; i++) {
        const struct robot_wheel *wheel = &robot->body->wheels[i];
        double steer_rad =
            wheel->is_steered ? drive_wheel_steer_rad(&drive->def, i, drive->steer_rad) : 0;
        out->wheels[i].heading_rad = (float)(wheel->heading_rad + steer_rad);
        out->wheels[i].turned_rad = (float)fmod(drive->wheels[i].rad, 2 * ANGLE_PI);
        out->wheels[i].is_dropped = drive->wheels[i].is_dropped;
    }
}

static void fill_image(const struct robot_image *image, struct snapshot *snapshot,
                       struct snapshot_robot *out)
{
    size_t size = (size_t)image->width * image->height * 3;
    if (!image->rgb || size > out->image.count)
        return; // the previous image stays the last one
    out->image_width = image->width;
    out->image_height = image->height;
    memcpy(at(snapshot, out->image), image->rgb, size);
}

/* The measured points that have a distance. */
static void fill_scan(const struct sim_robot *robot, struct snapshot *snapshot,
                      struct snapshot_robot *out)
{
    const struct sensor_spec *spec = scanner_of(robot);
    out->scan_count = 0;
    if (!spec)
        return;
    const struct robot_scan *scan =
        (const struct robot_scan *)((const uint8_t *)robot->state + robot->type->scan_offset);
    struct snapshot_point *points = at(snapshot, out->scan);
    uint32_t count = scan->count < ROBOT_SCAN_MAX ? scan->count : ROBOT_SCAN_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const struct robot_point *point = &scan->points[(scan->total - count + i) % ROBOT_SCAN_MAX];
        double sine, cosine, away_m = point->distance_mm * 1e-3;
        angle_sin_cos(spec->heading_rad + point->heading * (2 * ANGLE_PI / 65536), &sine, &cosine);
        if (away_m > 0)
            points[out->scan_count++] = (struct snapshot_point){
                (float)(spec->x_m + away_m * cosine), (float)(spec->y_m + away_m * sine)};
    }
}

static void fill_robot(const struct sim_robot *robot, struct snapshot *snapshot,
                       struct snapshot_robot *out)
{
    out->pose = pose_of(robot->pose);
    out->odometry = pose_of(robot->odometry.pose);
    out->has_odometry = robot->odometry.has_last;
    out->is_lifted = robot->handling.is_lifted;
    out->is_docked = robot->is_docked;
    out->has_adapter = robot->handling.has_adapter;
    out->speed_m_s = (float)robot->speed_m_s;
    out->turn_rad_s = (float)robot->turn_rad_s;
    out->charge = (float)robot->charge;
    out->sound_hz = (float)robot->actuators.sound_hz;
    out->sound_level = (float)robot->actuators.sound_level;
    out->collisions = (uint32_t)robot->collisions;
    fill_wheels(robot, out);
    for (size_t i = 0; i < robot->body->sensor_count; i++) {
        const struct sensor_reading *reading = &robot->sensors.sensor[i];
        out->sensors[i].heading_rad =
            (float)(robot->body->sensors[i].heading_rad + robot->aim_rad[i]);
        out->sensors[i].distance_m = (float)reading->distance_m;
        out->sensors[i].beams = reading->beams;
        out->sensors[i].is_failing = false;
    }
    fill_image(&robot->sensors.image, snapshot, out);
    fill_scan(robot, snapshot, out);
}

/* ---- Moving part: channels ---- */

static void fill_channel(const struct sim *sim, size_t index, struct snapshot_channel *out)
{
    const struct sim_channel *channel = &sim->channels[index];
    const struct line_stats *line = sim_channel_line(sim, index);
    out->is_host = channel->is_host;
    out->is_plugged = channel->is_plugged;
    out->is_failing = false;
    out->baud = channel->baud;
    out->stats = *sim_channel_stats(sim, index);
    out->to_host_frames = line->to_host_frames;
    out->to_host_bytes = line->to_host_bytes;
    out->from_host_bytes = line->from_host_bytes;
}

/* ---- Moving part: faults and future events ---- */

static void fill_faults_of(const struct sim *sim, size_t index, struct snapshot *out)
{
    struct fault_now list[FAULT_PARTS_MAX];
    struct snapshot_robot *robot = (struct snapshot_robot *)at(out, out->robots) + index;
    struct snapshot_channel *channels = at(out, out->channels);
    struct snapshot_fault *faults = at(out, out->faults);
    robot->fault_count = (uint32_t)fault_list(&sim->robots[index], list, FAULT_PARTS_MAX);
    for (size_t i = 0; i < robot->fault_count; i++) {
        const struct fault_part *part = &list[i].part;
        if (part->class == FAULT_SENSOR)
            robot->sensors[part->number].is_failing = true;
        if (part->class == FAULT_CHANNEL)
            channels[robot->first_channel + part->number].is_failing = true;
        if (out->fault_count == SNAPSHOT_FAULTS_MAX)
            continue;
        struct snapshot_fault *fault = &faults[out->fault_count++];
        *fault = (struct snapshot_fault){.robot = (uint32_t)index, .left_s = INFINITY};
        snprintf(fault->part, sizeof fault->part, "%.39s", part->name);
        snprintf(fault->what, sizeof fault->what, "%.79s", list[i].what);
        if (list[i].until_us != ROBOT_NEVER)
            fault->left_s = (float)((double)(list[i].until_us - sim->now_us) * 1e-6);
    }
}

static void fill_verdicts(const struct sim *sim, struct snapshot *out)
{
    struct snapshot_verdict *verdicts = at(out, out->verdicts);
    for (size_t i = 0; i < out->verdicts.count; i++) {
        const struct sim_expectation one = sim_expectation(sim, i);
        bool is_open = one.verdict == SIM_PENDING;
        verdicts[i].verdict = one.verdict;
        verdicts[i].at_us = is_open ? 0 : one.at_us;
        snprintf(verdicts[i].found, sizeof verdicts[i].found, "%.95s", is_open ? "" : one.found);
    }
}

static void fill_events(const struct sim *sim, struct snapshot *out)
{
    out->event_count = 0;
    for (size_t i = 0; i < sim_action_count(sim); i++) {
        const struct sim_expectation action = sim_action(sim, i);
        if (action.verdict != SIM_PENDING || out->event_count++ >= SNAPSHOT_EVENTS_MAX)
            continue;
        struct snapshot_event *event = &out->events[out->event_count - 1];
        *event = (struct snapshot_event){.at_us = timeline_due_us(sim, i)};
        snprintf(event->when, sizeof event->when, "%s", action.when);
        snprintf(event->command, sizeof event->command, "%s", action.that);
    }
}

/* ---- Moving part: data from the watch ---- */

static void fill_watched(const struct sim *sim, const struct watch *watch, struct snapshot *out)
{
    static const struct watch_trails no_trails;
    static const struct frame_ring no_frames[2];
    struct snapshot_robot *robots = at(out, out->robots);
    for (size_t i = 0; i < sim->robot_count; i++) {
        const struct watch_trails *trails = watch ? watch_trails(watch, i) : &no_trails;
        fill_trail(&trails->truth, &robots[i].trail);
        fill_trail(&trails->belief, &robots[i].odometry_trail);
    }
    struct snapshot_channel *channels = at(out, out->channels);
    for (size_t i = 0; i < sim->channel_count; i++) {
        const struct frame_ring *frames = watch ? watch_frames(watch, i) : NULL;
        memcpy(channels[i].frames, frames ? frames : no_frames, sizeof channels[i].frames);
    }
}

/* ---- Whole snapshots ---- */

size_t snapshot_size(const struct sim *sim)
{
    return lay_out(sim, NULL);
}

bool snapshot_fill(const struct sim *sim, const struct watch *watch, void *buffer, size_t size)
{
    struct snapshot *out = buffer;
    if (size < sizeof *out)
        return false;
    bool is_ours = out->magic == SNAPSHOT_MAGIC && out->version == SNAPSHOT_VERSION &&
                   out->generation == sim->room->generation && out->size <= size;
    if (!is_ours) {
        if (lay_out(sim, NULL) > size)
            return false;
        lay_out(sim, out);
    }
    out->now_us = sim->now_us;
    out->speed = 1;
    fill_obstacles(sim, out);
    fill_docks(sim, out);
    fill_beacons(sim, out);
    struct snapshot_robot *robots = at(out, out->robots);
    for (size_t i = 0; i < sim->robot_count; i++)
        fill_robot(&sim->robots[i], out, &robots[i]);
    struct snapshot_channel *channels = at(out, out->channels);
    for (size_t i = 0; i < sim->channel_count; i++)
        fill_channel(sim, i, &channels[i]);
    out->fault_count = 0;
    for (size_t i = 0; i < sim->robot_count; i++)
        fill_faults_of(sim, i, out);
    fill_events(sim, out);
    fill_verdicts(sim, out);
    fill_watched(sim, watch, out);
    double *values = at(out, out->values);
    for (size_t i = 0; i < sim->signal_count; i++)
        values[i] = sim_signal_value(sim, i);
    return true;
}
