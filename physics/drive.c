/* Angles and motors of wheels, from the table of wheels. */
#include "physics/drive.h"

#include <math.h>

#include "base/angle.h"
#include "base/number.h"
#include "physics/geom.h"

/* Mean x of the wheels ahead of x = BEHIND that are steered, or unsteered if IS_STEERED is false.
 * NAN: there is no such wheel. */
static double mean_x(const struct drive_def *def, bool is_steered, double behind)
{
    double sum = 0.0;
    double count = 0.0;
    for (size_t i = 0; i < def->wheel_count; i++) {
        if (def->wheels[i].is_steered != is_steered || def->wheels[i].place.x <= behind)
            continue;
        sum += def->wheels[i].place.x;
        count += 1.0;
    }
    return count > 0.0 ? sum / count : NAN;
}

void drive_axles(const struct drive_def *def, double *axle, double *wheelbase)
{
    double unsteered = mean_x(def, false, -INFINITY);
    double steered = mean_x(def, true, -INFINITY);
    *axle = isnan(unsteered) ? steered : unsteered;
    double ahead = mean_x(def, true, *axle);
    *wheelbase = isnan(steered) ? 0.0 : (isnan(ahead) ? steered : ahead) - *axle;
}

double drive_wheel_steer_rad(const struct drive_def *def, size_t wheel, double steer_rad)
{
    double axle, wheelbase;
    drive_axles(def, &axle, &wheelbase);
    if (wheelbase == 0.0 || def->is_parallel)
        return steer_rad;

    double sine, cosine;
    angle_sin_cos(steer_rad, &sine, &cosine);
    struct vec2 place = def->wheels[wheel].place;
    double curve = sine / wheelbase; /* times the cosine, like all that follows */
    return angle_atan2(curve * (place.x - axle), cosine - curve * place.y);
}

static double own_or(double own, double all)
{
    return own > 0.0 ? own : all;
}

struct motor_def drive_motor(const struct drive_def *def, size_t wheel)
{
    const struct motor_def *own = &def->wheels[wheel].own;
    return (struct motor_def){
        .resistance_ohm = own_or(own->resistance_ohm, def->resistance_ohm),
        .torque_nm_a = own_or(own->torque_nm_a, def->torque_nm_a),
        .emf_v_s_rad = own_or(own->emf_v_s_rad, def->emf_v_s_rad),
        .gear = own_or(own->gear, def->gear),
        .idle_a = own_or(own->idle_a, def->idle_a),
        .wheel_inertia_kg_m2 = own_or(own->wheel_inertia_kg_m2, def->wheel_inertia_kg_m2),
    };
}

double drive_duty(const struct drive_def *def, double input)
{
    double duty = number_clamp(input, 1.0);
    if (def->dead_band == 0.0)
        return duty;
    double rest = (fabs(duty) - def->dead_band) / (1.0 - def->dead_band);
    return rest > 0.0 ? copysign(rest, duty) : 0.0;
}
