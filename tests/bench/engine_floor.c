/* The walkers without physics: the lower bound of the cost. Wheel speeds become poses without any
 * obstacles, not even the walls of the room. Its rays use the minimal method that gives the results
 * of an engine: robots and walls are sorted into square cells whose width is the length of a ray,
 * and each robot searches the cells around it. Written only for this scene: equal discs, one ray
 * length, all walls known in advance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/walkers.h"

#define CELL_M WALKERS_RAY_M
enum { CELL_WALLS = 8 };

struct bare {
    struct walkers *walkers;
    struct pose *poses;
    struct vec2 *forward;
    struct vec2 rays[WALKERS_RAYS];
    int cells;      /* per row: one more than the room on each side */
    int16_t *first; /* first robot whose center is in the cell; -1: no robot */
    int16_t *next;
    int8_t (*walls)[CELL_WALLS]; /* walls that a ray from the cell may hit; -1: end of the list */
};

static int cell_of(const struct bare *bare, struct vec2 place)
{
    const int cells = bare->cells;
    int column = (int)(place.x * (1.0 / CELL_M)) + 1;
    int row = (int)(place.y * (1.0 / CELL_M)) + 1;
    column = column < 1 ? 1 : column > cells - 2 ? cells - 2 : column;
    row = row < 1 ? 1 : row > cells - 2 ? cells - 2 : row;
    return row * cells + column;
}

static void file_wall(struct bare *bare, int number)
{
    const struct walkers_wall *wall = &bare->walkers->walls[number];
    for (int cell = 0; cell < bare->cells * bare->cells; cell++) {
        struct vec2 middle = {(cell % bare->cells - 0.5) * CELL_M,
                              (cell / bare->cells - 0.5) * CELL_M};
        if (geom_to_segment_m(wall->a, wall->b, middle) > 1.75 * CELL_M)
            continue;
        int k = 0;
        while (k < CELL_WALLS && bare->walls[cell][k] >= 0)
            k++;
        if (k < CELL_WALLS)
            bare->walls[cell][k] = (int8_t)number;
    }
}

static void *floor_create(struct walkers *walkers)
{
    struct bare *bare = calloc(1, sizeof *bare);
    if (!bare)
        return NULL;
    bare->poses = calloc(walkers->count, sizeof *bare->poses);
    bare->forward = calloc(walkers->count, sizeof *bare->forward);
    bare->next = calloc(walkers->count, sizeof *bare->next);
    bare->cells = (int)(walkers->room_m / CELL_M) + 3;
    size_t cells = (size_t)bare->cells * (size_t)bare->cells;
    bare->first = malloc(cells * sizeof *bare->first);
    bare->walls = malloc(cells * sizeof *bare->walls);
    if (!bare->poses || !bare->forward || !bare->next || !bare->first || !bare->walls)
        exit(1);
    bare->walkers = walkers;
    walkers_rays(bare->rays);
    for (size_t i = 0; i < walkers->count; i++) {
        bare->poses[i] = walkers->poses[i];
        bare->forward[i] =
            (struct vec2){cos(bare->poses[i].heading_rad), sin(bare->poses[i].heading_rad)};
    }
    memset(bare->walls, -1, cells * sizeof *bare->walls);
    for (int i = 0; i < WALKERS_WALLS; i++)
        file_wall(bare, i);
    memset(bare->first, -1, cells * sizeof *bare->first);
    return bare;
}

static void floor_step(void *engine, double dt_s)
{
    struct bare *bare = engine;
    for (size_t i = 0; i < bare->walkers->count; i++) {
        struct pose *pose = &bare->poses[i];
        double left = bare->walkers->left[i];
        double right = bare->walkers->right[i];
        double way = 0.5 * (left + right) * dt_s;
        pose->x_m += way * bare->forward[i].x;
        pose->y_m += way * bare->forward[i].y;
        pose->heading_rad += (right - left) / WALKERS_TRACK_M * dt_s;
        bare->forward[i] = (struct vec2){cos(pose->heading_rad), sin(pose->heading_rad)};
    }
}

static double try_wall(const struct walkers_wall *wall, struct vec2 from, struct vec2 ray,
                       double best)
{
    struct vec2 span = {wall->b.x - wall->a.x, wall->b.y - wall->a.y};
    struct vec2 arm = {wall->a.x - from.x, wall->a.y - from.y};
    double slant = ray.x * span.y - ray.y * span.x;
    double distance = (arm.x * span.y - arm.y * span.x) / slant;
    double part = (arm.x * ray.y - arm.y * ray.x) / slant;
    return part >= 0.0 && part <= 1.0 && distance >= 0.0 && distance < best ? distance : best;
}

static double try_robot(const struct pose *robot, struct vec2 from, struct vec2 ray, double best)
{
    struct vec2 arm = {robot->x_m - from.x, robot->y_m - from.y};
    double along = arm.x * ray.x + arm.y * ray.y;
    double square = arm.x * arm.x + arm.y * arm.y - WALKERS_RADIUS_M * WALKERS_RADIUS_M;
    double root = along * along - square;
    if (along < 0.0 || root < 0.0)
        return best;
    double distance = along - sqrt(root);
    return distance < best ? distance : best;
}

static void look_around(const struct bare *bare, int16_t self, double *best,
                        const struct vec2 *rays)
{
    struct vec2 from = {bare->poses[self].x_m, bare->poses[self].y_m};
    int middle = cell_of(bare, from);
    for (int around = 0; around < 9; around++) {
        int cell = middle + (around / 3 - 1) * bare->cells + around % 3 - 1;
        for (int16_t i = bare->first[cell]; i >= 0; i = bare->next[i]) {
            if (i == self)
                continue;
            for (size_t k = 0; k < WALKERS_RAYS; k++)
                best[k] = try_robot(&bare->poses[i], from, rays[k], best[k]);
        }
    }
    for (int n = 0; n < CELL_WALLS && bare->walls[middle][n] >= 0; n++) {
        const struct walkers_wall *wall = &bare->walkers->walls[bare->walls[middle][n]];
        for (size_t k = 0; k < WALKERS_RAYS; k++)
            best[k] = try_wall(wall, from, rays[k], best[k]);
    }
}

static void file_robots(struct bare *bare)
{
    for (size_t i = 0; i < bare->walkers->count; i++) {
        int cell = cell_of(bare, (struct vec2){bare->poses[i].x_m, bare->poses[i].y_m});
        bare->next[i] = bare->first[cell];
        bare->first[cell] = (int16_t)i;
    }
}

static void clear_cells(struct bare *bare)
{
    for (size_t i = 0; i < bare->walkers->count; i++)
        bare->first[cell_of(bare, (struct vec2){bare->poses[i].x_m, bare->poses[i].y_m})] = -1;
}

static void floor_look(void *engine)
{
    struct bare *bare = engine;
    file_robots(bare);
    for (size_t i = 0; i < bare->walkers->count; i++) {
        double best[WALKERS_RAYS];
        struct vec2 rays[WALKERS_RAYS];
        for (size_t k = 0; k < WALKERS_RAYS; k++) {
            best[k] = WALKERS_RAY_M;
            rays[k] = walkers_rotate(bare->rays[k], bare->forward[i]);
        }
        look_around(bare, (int16_t)i, best, rays);
        for (size_t k = 0; k < WALKERS_RAYS; k++)
            bare->walkers->sum += best[k];
    }
    clear_cells(bare);
}

static void floor_destroy(void *engine)
{
    struct bare *bare = engine;
    free(bare->poses);
    free(bare->forward);
    free(bare->next);
    free(bare->first);
    free(bare->walls);
    free(bare);
}

const struct engine engine_floor = {"floor", floor_create, floor_step, floor_look, floor_destroy};
