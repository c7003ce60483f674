/* The scene that engines are compared in: places, walls and the random walk. */
#include "tests/bench/walkers.h"

#include <math.h>
#include <stdlib.h>

#include "base/angle.h"

static double next_number(struct walkers *walkers)
{
    walkers->random = walkers->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(walkers->random >> 11) / 9007199254740992.0;
}

static void place_walls(struct walkers *walkers)
{
    const double room = walkers->room_m;
    const struct vec2 corners[] = {{0, 0}, {room, 0}, {room, room}, {0, room}};
    for (size_t i = 0; i < 4; i++)
        walkers->walls[i] = (struct walkers_wall){corners[i], corners[(i + 1) % 4]};
    for (size_t i = 4; i < WALKERS_WALLS; i++) {
        double heading = 2.0 * ANGLE_PI * next_number(walkers);
        struct vec2 a = {1.0 + (room - 2.0) * next_number(walkers),
                         1.0 + (room - 2.0) * next_number(walkers)};
        walkers->walls[i].a = a;
        walkers->walls[i].b = (struct vec2){a.x + cos(heading), a.y + sin(heading)};
    }
}

static bool is_free(const struct walkers *walkers, struct vec2 place, size_t before)
{
    for (size_t i = 0; i < WALKERS_WALLS; i++) {
        const struct walkers_wall *wall = &walkers->walls[i];
        if (geom_to_segment_m(wall->a, wall->b, place) < 1.1 * WALKERS_RADIUS_M)
            return false;
    }
    for (size_t i = 0; i < before; i++) {
        const struct pose *pose = &walkers->poses[i];
        if (hypot(pose->x_m - place.x, pose->y_m - place.y) < 2.2 * WALKERS_RADIUS_M)
            return false;
    }
    return true;
}

bool walkers_create(struct walkers *walkers, size_t count)
{
    *walkers = (struct walkers){.count = count, .random = 1, .room_m = WALKERS_ROOM_M};
    if (count > 1000)
        walkers->room_m *= sqrt((double)count / 1000);
    walkers->poses = calloc(count, sizeof *walkers->poses);
    walkers->left = calloc(count, sizeof *walkers->left);
    walkers->right = calloc(count, sizeof *walkers->right);
    if (!walkers->poses || !walkers->left || !walkers->right) {
        walkers_destroy(walkers);
        return false;
    }
    place_walls(walkers);
    for (size_t i = 0; i < count; i++) {
        struct vec2 place;
        do {
            place.x = walkers->room_m * next_number(walkers);
            place.y = walkers->room_m * next_number(walkers);
        } while (!is_free(walkers, place, i));
        walkers->poses[i] = (struct pose){place.x, place.y, 2.0 * ANGLE_PI * next_number(walkers)};
    }
    for (long step = 0; step < 2; step++) /* all have speeds from the start */
        walkers_steer(walkers, step, 1);
    return true;
}

void walkers_destroy(struct walkers *walkers)
{
    free(walkers->poses);
    free(walkers->left);
    free(walkers->right);
}

void walkers_rays(struct vec2 directions[WALKERS_RAYS])
{
    for (size_t i = 0; i < WALKERS_RAYS; i++) {
        double heading = 2.0 * ANGLE_PI / WALKERS_RAYS * (double)i;
        directions[i] = (struct vec2){cos(heading), sin(heading)};
    }
}

void walkers_steer(struct walkers *walkers, long step, long steps_a_second)
{
    size_t every = (size_t)steps_a_second;
    for (size_t i = (size_t)step % every; i < walkers->count; i += every) {
        walkers->left[i] = WALKERS_SPEED_M_S * (1.4 * next_number(walkers) - 0.4);
        walkers->right[i] = WALKERS_SPEED_M_S * (1.4 * next_number(walkers) - 0.4);
    }
}
