#include "sim/room/light_and_sound.h"

#include <math.h>

#include "sim/state/state.h"

#define TOUCHED_M 1e-3 /* chosen: what is nearer to a lamp is in it */
#define LOUDEST_M 0.05 /* chosen: where a robot that plays with level 1 is heard with level 1 */
#define FAR_SIDE  0.2  /* chosen: what the body leaves of a sound from behind it */

double ambience_light(const struct sim_robot *robot, const struct sensor_spec *spec)
{
    const struct sim *sim = robot->sim;
    struct vec2 at = geom_to_world(robot->pose, (struct vec2){spec->x_m, spec->y_m});
    double level = sim->light;
    for (size_t i = 0; i < sim->lamp_count; i++) {
        const struct scene_lamp *lamp = &sim->lamps[i];
        double x = lamp->at.x - at.x, y = lamp->at.y - at.y, away_m = sqrt(x * x + y * y);
        if (away_m < TOUCHED_M)
            return 1;
        struct vec2 toward = {x / away_m, y / away_m};
        double cosine = geom_rotate(-robot->pose.heading_rad - spec->heading_rad, toward).x;
        if (cosine <= 0)
            continue;
        struct world_hit hit =
            world_ray_toward(sim->world, at, toward, away_m - TOUCHED_M, robot->body_index);
        if (!hit.is_hit)
            level += cosine * lamp->brightness / (away_m * away_m);
    }
    return level < 1 ? level : 1;
}

/* What the body leaves of a sound from a place: most where the microphone's side looks at it. */
static double side_of(const struct sensor_spec *spec, struct vec2 source)
{
    double out_m = sqrt(spec->x_m * spec->x_m + spec->y_m * spec->y_m);
    double away_m = sqrt(source.x * source.x + source.y * source.y);
    if (out_m == 0 || away_m == 0)
        return 1;
    double cosine = (spec->x_m * source.x + spec->y_m * source.y) / (out_m * away_m);
    return FAR_SIDE + (1 - FAR_SIDE) * (1 + cosine) / 2;
}

double ambience_sound(const struct sim_robot *robot, const struct sensor_spec *spec)
{
    const struct sim *sim = robot->sim;
    double power = 0;
    for (size_t i = 0; i < sim->robot_count; i++) {
        const struct sim_robot *other = &sim->robots[sim->by_name[i]];
        if (!(other->actuators.sound_level > 0 && other->actuators.sound_hz > 0))
            continue;
        /* One's own speaker is in the middle. */
        struct vec2 source = {other->pose.x_m, other->pose.y_m};
        source = other == robot ? (struct vec2){0, 0} : geom_to_local(robot->pose, source);
        double x = source.x - spec->x_m, y = source.y - spec->y_m;
        double away_m = sqrt(x * x + y * y);
        double level = other->actuators.sound_level * side_of(spec, source) *
                       (away_m > LOUDEST_M ? LOUDEST_M / away_m : 1);
        power += level * level;
    }
    double level = sqrt(power);
    return level < 1 ? level : 1;
}
