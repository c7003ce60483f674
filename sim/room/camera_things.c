/* Objects on the floor, as slabs in the columns of a picture: each side of a wall or body is
 * projected onto the columns, and a column keeps only visible slabs. */
#include <math.h>
#include <string.h>

#include "sim/room/camera_view.h"
#include "sim/room/room.h"

#define NEAR_M 1e-4 /* chosen: what is nearer is not seen */

/* Appearance of a surface. */
struct surface {
    double rise_m; /* its top relative to the camera; below 0: its upper surface is visible */
    double light;
    uint32_t rgb, body;
};

static uint32_t shade(uint32_t rgb, double light)
{
    uint32_t part = (uint32_t)(light * 256);
    return (((rgb >> 16 & 0xff) * part >> 8) << 16) | (((rgb >> 8 & 0xff) * part >> 8) << 8) |
           ((rgb & 0xff) * part >> 8);
}

/* Inserts a slab at a depth into a column, and removes the slabs that it hides. NULL: it is hidden
 * itself. If two slabs have the same depth, the first one stays. */
static struct slab *open_slab(struct column *column, double inverse_m, double reach)
{
    size_t at = column->count;
    while (at > 0 && column->slabs[at - 1].inverse_m < inverse_m)
        at--;
    if (at > 0 && column->slabs[at - 1].reach >= reach)
        return NULL;
    size_t behind = at;
    while (behind < column->count && column->slabs[behind].reach <= reach)
        behind++;
    if (at == CAMERA_SLABS_MAX)
        return NULL;
    size_t kept = column->count - behind;
    if (at + 1 + kept > CAMERA_SLABS_MAX)
        kept = CAMERA_SLABS_MAX - at - 1;
    memmove(&column->slabs[at + 1], &column->slabs[behind], kept * sizeof column->slabs[0]);
    column->count = at + 1 + kept;
    return &column->slabs[at];
}

/* LEAVE_INVERSE_M: 1 / depth at the far end of the upper surface. */
static void put_slab(struct camera *camera, size_t u, double inverse_m, double leave_inverse_m,
                     const struct surface *surface)
{
    double top = surface->rise_m * inverse_m;
    double reach = surface->rise_m < 0 ? surface->rise_m * leave_inverse_m : top;
    reach = reach < camera->top_slope ? reach : camera->top_slope;
    struct slab *slab = open_slab(&camera->columns[u], inverse_m, reach);
    if (!slab)
        return;
    double fade = camera_fade(inverse_m);
    *slab = (struct slab){
        .inverse_m = inverse_m,
        .top = top,
        .reach = reach,
        .body = surface->body,
        .side_rgb = shade(surface->rgb, surface->light * fade),
        .lid_rgb = shade(surface->rgb, fade),
    };
}

/* ---- Flat sides ---- */

/* A side in the camera's frame: 1 / depth is linear over the columns. */
struct side {
    struct vec2 a, b;
    double constant, slope; /* 1 / depth = constant + slope x aside */
};

/* False: the camera sees the side edge-on. */
static bool make_side(struct vec2 a, struct vec2 b, struct side *side)
{
    double x = b.x - a.x, y = b.y - a.y, turn = x * a.y - y * a.x;
    *side = (struct side){a, b, -y / turn, x / turn};
    return turn != 0;
}

/* Columns FROM (included) to TO; false if the side is out of view. */
static bool side_columns(const struct camera *camera, const struct side *side, size_t *from,
                         size_t *to)
{
    struct vec2 a = side->a, b = side->b;
    double wide = camera->aside[0] + 1 / camera->focal;
    if ((a.x < NEAR_M && b.x < NEAR_M) || (a.y > wide * a.x && b.y > wide * b.x) ||
        (-a.y > wide * a.x && -b.y > wide * b.x))
        return false;
    if (a.x < NEAR_M)
        a = (struct vec2){NEAR_M, a.y + (b.y - a.y) * (NEAR_M - a.x) / (b.x - a.x)};
    if (b.x < NEAR_M)
        b = (struct vec2){NEAR_M, b.y + (a.y - b.y) * (NEAR_M - b.x) / (a.x - b.x)};
    double one = camera->middle_u - camera->focal * a.y / a.x;
    double other = camera->middle_u - camera->focal * b.y / b.x;
    *from = camera_first(one < other ? one : other, camera->width);
    *to = camera_first(one < other ? other : one, camera->width);
    return *from < *to;
}

static void see_walls(struct camera *camera)
{
    const struct scenery *scenery = &camera->sim->room->scenery;
    for (size_t i = 0; i < scenery->wall_count; i++) {
        const struct scenery_wall *wall = &scenery->walls[i];
        struct side side;
        size_t from, to;
        if (!make_side(camera_to_view(camera, wall->a), camera_to_view(camera, wall->b), &side) ||
            !side_columns(camera, &side, &from, &to))
            continue;
        bool is_left = side.a.x * side.b.y - side.a.y * side.b.x > 0;
        const struct surface surface = {
            .rise_m = wall->height_m - camera->spec.z_m,
            .light = is_left ? wall->left_light : wall->right_light,
            .rgb = wall->rgb,
            .body = CAMERA_WALL,
        };
        for (size_t u = from; u < to; u++) {
            double inverse_m = side.constant + side.slope * camera->aside[u];
            put_slab(camera, u, inverse_m, inverse_m, &surface);
        }
    }
}

/* ---- Boxes ---- */

/* 1 / depth of the nearest of the far sides of a convex outline. */
static double leave_inverse(const struct side *sides, const bool *is_far, double aside)
{
    double inverse_m = 0;
    for (size_t i = 0; i < 4; i++) {
        double here = sides[i].constant + sides[i].slope * aside;
        if (is_far[i] && here > inverse_m)
            inverse_m = here;
    }
    return inverse_m;
}

static void see_box(struct camera *camera, const struct scenery_body *body, struct pose pose,
                    struct surface surface)
{
    const double x = body->half_x_m, y = body->half_y_m;
    const struct vec2 corners[4] = {{x, -y}, {x, y}, {-x, y}, {-x, -y}};
    const struct vec2 normals[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    struct vec2 seen[4];
    for (size_t i = 0; i < 4; i++) {
        struct vec2 local = {corners[i].x + body->offset.x, corners[i].y + body->offset.y};
        seen[i] = camera_to_view(camera, geom_to_world(pose, local));
    }
    struct side sides[4];
    bool is_far[4], is_near[4];
    for (size_t i = 0; i < 4; i++) {
        bool is_seen = make_side(seen[i], seen[(i + 1) % 4], &sides[i]);
        /* The corners are counter-clockwise: the camera is outside of a side if it is on its
         * right. */
        double turn = sides[i].a.x * sides[i].b.y - sides[i].a.y * sides[i].b.x;
        is_far[i] = is_seen && turn > 0;
        is_near[i] = is_seen && turn < 0;
    }
    for (size_t i = 0; i < 4; i++) {
        size_t from, to;
        if (!is_near[i] || !side_columns(camera, &sides[i], &from, &to))
            continue;
        surface.light = scenery_light(geom_rotate(pose.heading_rad, normals[i]));
        for (size_t u = from; u < to; u++) {
            double inverse_m = sides[i].constant + sides[i].slope * camera->aside[u];
            double leave_m =
                surface.rise_m < 0 ? leave_inverse(sides, is_far, camera->aside[u]) : inverse_m;
            put_slab(camera, u, inverse_m, leave_m, &surface);
        }
    }
}

/* ---- Discs ---- */

/* Columns between which a disc in front of the camera is visible; all columns if it is too near to
 * calculate them. */
static void disc_columns(const struct camera *camera, struct vec2 middle, double radius_m,
                         size_t *from, size_t *to)
{
    *from = 0;
    *to = camera->width;
    double near_m = middle.x - radius_m, far_m = middle.x + radius_m;
    if (near_m < NEAR_M)
        return;
    double left_m = middle.y + radius_m, right_m = middle.y - radius_m;
    double left = left_m / (left_m > 0 ? near_m : far_m);
    double right = right_m / (right_m > 0 ? far_m : near_m);
    *from = camera_first(camera->middle_u - camera->focal * left, camera->width);
    *to = camera_first(camera->middle_u - camera->focal * right, camera->width);
}

static void see_disc(struct camera *camera, const struct scenery_body *body, struct pose pose,
                     struct surface surface)
{
    struct vec2 world = geom_to_world(pose, body->offset);
    struct vec2 middle = camera_to_view(camera, world);
    double square = middle.x * middle.x + middle.y * middle.y - body->radius_m * body->radius_m;
    if (middle.x + body->radius_m < NEAR_M || square <= 0)
        return;
    size_t from, to;
    disc_columns(camera, middle, body->radius_m, &from, &to);
    for (size_t u = from; u < to; u++) {
        /* Depth of the rim along the ray depth x (1, aside). */
        double aside = camera->aside[u], a = 1 + aside * aside, b = middle.x + middle.y * aside;
        double root = b * b - a * square;
        if (root < 0 || b < 0)
            continue;
        root = sqrt(root);
        double depth_m = (b - root) / a;
        double x = (depth_m - middle.x) / body->radius_m;
        double y = (depth_m * aside - middle.y) / body->radius_m;
        surface.light = scenery_light((struct vec2){camera->ahead.x * x - camera->ahead.y * y,
                                                    camera->ahead.y * x + camera->ahead.x * y});
        put_slab(camera, u, 1 / depth_m, a / (b + root), &surface);
    }
}

/* ---- Lamps ---- */

static uint32_t add_light(uint32_t one, uint32_t other)
{
    uint32_t sum = CAMERA_LIT;
    for (int shift = 0; shift < 24; shift += 8) {
        uint32_t part = (one >> shift & 0xff) + (other >> shift & 0xff);
        sum |= (part < 0xff ? part : 0xff) << shift;
    }
    return sum;
}

/* A lamp on the rim lights the columns in front of it, if the camera sees that side of the body. A
 * lamp as large as the body makes all of it glow. */
static void see_lamp(struct camera *camera, const struct scenery_body *body, struct pose pose,
                     const struct scenery_lamp *lamp)
{
    struct vec2 local = {body->offset.x + lamp->place.x, body->offset.y + lamp->place.y};
    struct vec2 at = camera_to_view(camera, geom_to_world(pose, local));
    struct vec2 middle = camera_to_view(camera, geom_to_world(pose, body->offset));
    struct vec2 out = {at.x - middle.x, at.y - middle.y};
    bool is_whole = lamp->radius_m * lamp->radius_m > out.x * out.x + out.y * out.y;
    bool is_turned = out.x * at.x + out.y * at.y >= 0; /* away */
    if (at.x < NEAR_M || (!is_whole && is_turned))
        return;
    double middle_u = camera->middle_u - camera->focal * at.y / at.x;
    double half_u = camera->focal * lamp->radius_m / at.x;
    size_t from = camera_first(middle_u - half_u, camera->width);
    size_t to = camera_first(middle_u + half_u, camera->width);
    for (size_t u = from; u < to; u++) {
        struct column *column = &camera->columns[u];
        for (size_t i = 0; i < column->count; i++) {
            struct slab *slab = &column->slabs[i];
            if (slab->body != body->body)
                continue;
            uint32_t *light = is_whole ? &slab->glow_rgb : &slab->lamp_rgb;
            *light = add_light(*light, lamp->rgb);
        }
    }
}

static void see_lamps(struct camera *camera)
{
    const struct scenery *scenery = &camera->sim->room->scenery;
    for (size_t i = 0; i < scenery->body_count; i++) {
        const struct scenery_body *body = &scenery->bodies[i];
        if (body->lamp_count == 0 || body->body == camera->robot->body_index)
            continue;
        for (size_t k = 0; k < body->lamp_count; k++) {
            const struct scenery_lamp *lamp = &scenery->lamps[body->first_lamp + k];
            if (sim_signal_value(camera->sim, lamp->signal) != 0)
                see_lamp(camera, body, world_pose(camera->sim->world, body->body), lamp);
        }
    }
}

void camera_find_things(struct camera *camera)
{
    const struct scenery *scenery = &camera->sim->room->scenery;
    for (size_t u = 0; u < camera->width; u++)
        camera->columns[u].count = 0;
    see_walls(camera);
    for (size_t i = 0; i < scenery->body_count; i++) {
        const struct scenery_body *body = &scenery->bodies[i];
        if (body->body == camera->robot->body_index ||
            world_is_lifted(camera->sim->world, body->body))
            continue;
        struct pose pose = world_pose(camera->sim->world, body->body);
        const struct surface surface = {.rise_m = body->height_m - camera->spec.z_m,
                                        .rgb = body->rgb,
                                        .body = (uint32_t)body->body};
        if (body->is_disc)
            see_disc(camera, body, pose, surface);
        else
            see_box(camera, body, pose, surface);
    }
    see_lamps(camera);
}
