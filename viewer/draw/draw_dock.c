/* Docks, beacons and their infrared light. Left, center and right are seen from the dock towards
 * the robot; each has a color and a letter. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/angle.h"
#include "viewer/draw/draw.h"

/* The beams of each dock_kind and, after them, of each beacon_kind, the lowest layer first. */
static const uint32_t beams_of[][7] = {
    // Far regions below near ones, and the narrow center above the sides.
    {BEAM_FAR_LEFT, BEAM_FAR_RIGHT, BEAM_FAR_CENTER, BEAM_NEAR_LEFT, BEAM_NEAR_RIGHT,
     BEAM_NEAR_CENTER},
    {BEAM_GREEN_BUOY, BEAM_RED_BUOY, BEAM_FORCE_FIELD},
    {BEAM_VIRTUAL_WALL},
    {BEAM_LIGHTHOUSE_GREEN, BEAM_LIGHTHOUSE_RED, BEAM_LIGHTHOUSE_FENCE, BEAM_LIGHTHOUSE_FIELD},
};

uint32_t draw_dock_color(const struct theme *theme, uint32_t bits)
{
    if (bits &
        (BEAM_FORCE_FIELD | BEAM_VIRTUAL_WALL | BEAM_LIGHTHOUSE_FENCE | BEAM_LIGHTHOUSE_FIELD))
        return theme->field;
    if (bits & (BEAM_RED_BUOY | BEAM_LIGHTHOUSE_RED))
        return theme->odometry;
    if (bits & (BEAM_GREEN_BUOY | BEAM_LIGHTHOUSE_GREEN))
        return theme->good;
    if (bits & (BEAM_NEAR_CENTER | BEAM_FAR_CENTER))
        return theme->center;
    return bits & (BEAM_NEAR_LEFT | BEAM_FAR_LEFT) ? theme->left : theme->right;
}

static bool is_far(uint32_t beam)
{
    return beam & (BEAM_FAR_LEFT | BEAM_FAR_CENTER | BEAM_FAR_RIGHT);
}

/* ---- Light ---- */

/* The range of the farthest beam of a dock or beacon. */
static double range_m(const struct drawing *drawing, size_t source)
{
    double range = 0;
    for (const uint32_t *beam = beams_of[source]; *beam; beam++) {
        struct snapshot_span field = drawing->snapshot->fields[ffs((int)*beam) - 1];
        const struct snapshot_point *points = snapshot_at(drawing->snapshot, field);
        for (size_t i = 0; i < field.count; i++)
            range = fmax(range, hypot((double)points[i].x_m, (double)points[i].y_m));
    }
    return range;
}

/* Clips to the area that the light reaches; the rest is in the shadow of walls and bodies.
 * LIGHT_X_M: position of the light on the axis of its pose. HALF_RAD: half the angle of the light.
 * KEY: of draw_clip. */
static void clip_to_reach(const struct drawing *drawing, struct snapshot_pose light,
                          double light_x_m, double half_rad, double most_m,
                          const float reaches_m[SNAPSHOT_LIGHT_RAYS], uint64_t key)
{
    struct viewport_point points[SNAPSHOT_LIGHT_RAYS + 1];
    light.x_m += cos(light.heading_rad) * light_x_m;
    light.y_m += sin(light.heading_rad) * light_x_m;
    points[SNAPSHOT_LIGHT_RAYS] = viewport_px(drawing->viewport, light.x_m, light.y_m);
    for (int i = 0; i < SNAPSHOT_LIGHT_RAYS; i++) {
        double angle = half_rad * (2.0 * i / (SNAPSHOT_LIGHT_RAYS - 1) - 1);
        double reach_m = fmin((double)reaches_m[i], most_m);
        points[i] =
            viewport_local_px(drawing->viewport, light, cos(angle) * reach_m, sin(angle) * reach_m);
    }
    draw_clip(drawing->list, points, SNAPSHOT_LIGHT_RAYS + 1, key);
}

/* The region where a beam is visible: its outline without obstacles, or its area. */
static void draw_region(const struct drawing *drawing, struct snapshot_pose pose, uint32_t seen,
                        uint32_t beam, bool is_outline)
{
    struct snapshot_span field = drawing->snapshot->fields[ffs((int)beam) - 1];
    const struct snapshot_point *points = snapshot_at(drawing->snapshot, field);
    struct viewport_point px[DRAWING_POINTS_MAX];
    for (size_t i = 0; i < field.count; i++)
        px[i] = viewport_local_px(drawing->viewport, pose, (double)points[i].x_m,
                                  (double)points[i].y_m);
    bool is_seen = seen & beam;
    uint32_t color = draw_dock_color(drawing->theme, beam);
    if (is_outline) {
        draw_polygon(drawing->list,
                     (struct draw_item){.stroke = theme_alpha(color, 0.22),
                                        .width_px = 1,
                                        .dash_px = is_far(beam) ? 6 : 0},
                     px, field.count);
        return;
    }
    double alpha = is_far(beam) ? (is_seen ? 0.22 : 0.08) : (is_seen ? 0.34 : 0.13);
    draw_polygon(drawing->list,
                 (struct draw_item){.fill = theme_alpha(color, alpha),
                                    .stroke = theme_alpha(color, is_seen ? 0.95 : 0.45),
                                    .width_px = is_seen ? 1.75 : 1,
                                    .dash_px = is_far(beam) ? 6 : 0},
                 px, field.count);
}

/* Whether the light reaches a point in the dock's frame. */
static bool is_reached(const struct snapshot_dock *dock, double x_m, double y_m)
{
    double from_light_m = x_m - (double)dock->light_x_m;
    double turn = atan2(y_m, from_light_m) / ANGLE_PI;
    long ray = lround((turn + 0.5) * (SNAPSHOT_LIGHT_RAYS - 1));
    return ray >= 0 && ray < SNAPSHOT_LIGHT_RAYS &&
           (double)dock->reach_m[ray] > hypot(from_light_m, y_m);
}

static void draw_letter(const struct drawing *drawing, const struct snapshot_dock *dock, double x_m,
                        double y_m, uint32_t color, const char *text)
{
    struct viewport_point at = viewport_local_px(drawing->viewport, dock->pose, x_m, y_m);
    if (!is_reached(dock, x_m, y_m))
        return;
    at.y += 5;
    drawing_text(
        drawing,
        (struct draw_item){.flags = DRAW_BOLD, .fill = color, .size_px = 15, .align = DRAW_CENTER},
        at, text);
}

static void draw_letters(const struct drawing *drawing, const struct snapshot_dock *dock)
{
    const struct theme *theme = drawing->theme;
    // In the near and in the far half of the regions.
    static const double AT_M[] = {1.65, 3.6}, ASIDE_M[] = {0.42, 0.62};
    if (dock->kind == DOCK_HOME_BASE) {
        draw_letter(drawing, dock, AT_M[0], -ASIDE_M[0], theme->good, "G");
        draw_letter(drawing, dock, AT_M[0], ASIDE_M[0], theme->odometry, "R");
        return;
    }
    for (int i = 0; i < 2; i++) {
        draw_letter(drawing, dock, AT_M[i], ASIDE_M[i], theme->left, "L");
        draw_letter(drawing, dock, AT_M[i], 0, theme->center, "C");
        draw_letter(drawing, dock, AT_M[i], -ASIDE_M[i], theme->right, "R");
    }
}

static void draw_regions(const struct drawing *drawing, size_t source, struct snapshot_pose pose,
                         uint32_t seen, bool is_outline)
{
    for (const uint32_t *beam = beams_of[source]; *beam; beam++)
        draw_region(drawing, pose, seen, *beam, is_outline);
}

/* The key of the regions of a light; their colors depend on SEEN. 0: too many lights. */
static uint64_t key_of(size_t light, uint32_t seen)
{
    return light < DRAW_LAYERS_MAX ? (uint64_t)(light + 1) << 32 | seen : 0;
}

void draw_dock_outlines(const struct drawing *drawing)
{
    const struct snapshot *snapshot = drawing->snapshot;
    const struct snapshot_dock *docks = snapshot_at(snapshot, snapshot->docks);
    drawing_clip_to_room(drawing);
    for (size_t i = 0; i < snapshot->docks.count; i++)
        draw_regions(drawing, docks[i].kind, docks[i].pose, 0, true);
    draw_unclip(drawing->list);
}

void draw_dock_light(const struct drawing *drawing)
{
    const struct snapshot *snapshot = drawing->snapshot;
    const struct snapshot_dock *docks = snapshot_at(snapshot, snapshot->docks);
    for (size_t i = 0; i < snapshot->docks.count; i++) {
        clip_to_reach(drawing, docks[i].pose, (double)docks[i].light_x_m, ANGLE_PI / 2,
                      range_m(drawing, docks[i].kind), docks[i].reach_m, key_of(i, docks[i].seen));
        draw_regions(drawing, docks[i].kind, docks[i].pose, docks[i].seen, false);
        draw_unclip(drawing->list);
        if (drawing->viewport->shows & SHOW_LABELS)
            draw_letters(drawing, &docks[i]);
    }
    const struct snapshot_beacon *beacons = snapshot_at(snapshot, snapshot->beacons);
    for (size_t i = 0; i < snapshot->beacons.count; i++) {
        size_t source = DOCK_KINDS + beacons[i].kind;
        clip_to_reach(drawing, beacons[i].pose, 0, ANGLE_PI, range_m(drawing, source),
                      beacons[i].reach_m, key_of(snapshot->docks.count + i, beacons[i].seen));
        draw_regions(drawing, source, beacons[i].pose, beacons[i].seen, false);
        draw_unclip(drawing->list);
    }
}

/* ---- The dock itself ---- */

static void draw_dock(const struct drawing *drawing, const struct snapshot_dock *dock)
{
    const struct theme *theme = drawing->theme;
    double depth_m = (double)dock->depth_m, width_m = (double)dock->width_m;
    double plate_m = (double)dock->pin_x_m + 0.035 - depth_m / 2;
    drawing_rounded(
        drawing,
        (struct draw_item){
            .fill = theme->dock_plate, .stroke = theme_alpha(theme->wall, 0.6), .width_px = 1},
        dock->pose, depth_m / 2 + plate_m / 2 - 0.02, 0, 0, plate_m + 0.04, width_m * 0.84, 0.03);
    for (int side = -1; side <= 1; side += 2)
        drawing_rounded(drawing, (struct draw_item){.fill = theme->pin}, dock->pose,
                        (double)dock->pin_x_m, side * (double)dock->pin_y_m, 0, 0.014, 0.022,
                        0.006);
    drawing_rounded(drawing,
                    (struct draw_item){.fill = theme->dock, .stroke = theme->wall, .width_px = 1},
                    dock->pose, 0, 0, 0, depth_m, width_m, 0.025);
    // Three windows in the colors of their light.
    static const double ASIDE_M[] = {0.035, 0, -0.035};
    bool is_base = dock->kind == DOCK_HOME_BASE;
    const uint32_t colors[] = {is_base ? theme->odometry : theme->left,
                               is_base ? theme->field : theme->center,
                               is_base ? theme->good : theme->right};
    for (int i = 0; i < 3; i++)
        drawing_rounded(drawing, (struct draw_item){.fill = colors[i]}, dock->pose,
                        depth_m / 2 - 0.014, ASIDE_M[i], 0, 0.012, 0.026, 0.006);
}

/* Behind the beacon but inside the room, since the wall would cross the text. */
static void draw_beacon_name(const struct drawing *drawing, const struct snapshot_beacon *beacon)
{
    static const char *const names[] = {"virtual wall", "lighthouse"}; // by enum beacon_kind
    const char *name = names[beacon->kind % 2];
    struct viewport_point at = viewport_local_px(drawing->viewport, beacon->pose, -0.05, 0);
    struct viewport_point room =
        viewport_px(drawing->viewport, drawing->snapshot->high.x_m, drawing->snapshot->high.y_m);
    double half_px = 4.0 * (double)strlen(name); // chosen: as for wide letters
    at.x = fmin(at.x, room.x - half_px);
    at.y += sin(beacon->pose.heading_rad) < 0 ? -6 : 18;
    drawing_text(
        drawing,
        (struct draw_item){.fill = drawing->theme->text, .size_px = 13, .align = DRAW_CENTER}, at,
        name);
}

void draw_docks(const struct drawing *drawing)
{
    const struct snapshot *snapshot = drawing->snapshot;
    const struct snapshot_dock *docks = snapshot_at(snapshot, snapshot->docks);
    for (size_t i = 0; i < snapshot->docks.count; i++)
        draw_dock(drawing, &docks[i]);
    const struct snapshot_beacon *beacons = snapshot_at(snapshot, snapshot->beacons);
    for (size_t i = 0; i < snapshot->beacons.count; i++) {
        drawing_rounded(drawing,
                        (struct draw_item){.fill = drawing->theme->dock,
                                           .stroke = drawing->theme->wall,
                                           .width_px = 1},
                        beacons[i].pose, 0, 0, 0, 0.08, 0.10, 0.02);
        drawing_rounded(drawing, (struct draw_item){.fill = drawing->theme->field}, beacons[i].pose,
                        0.026, 0, 0, 0.012, 0.04, 0.006);
        if (drawing->viewport->shows & SHOW_LABELS)
            draw_beacon_name(drawing, &beacons[i]);
    }
}
