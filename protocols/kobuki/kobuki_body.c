/* The machine: geometry, motors, sensors. Main source: the robot's description in yujinrobot/kobuki
 * (kobuki_description: urdf/kobuki.urdf.xacro), below "urdf". */
#include <math.h>
#include <string.h>

#include "protocols/kobuki/kobuki_power.h"
#include "protocols/kobuki/kobuki_rows.h"

#define RAD(degrees) ((degrees)*0.017453292519943295769)

/* base_link is 10.2 mm above the floor, the cliff sensors 21.4 mm above that: urdf. */
#define CLIFF_Z_M (0.0102 + 0.0214)

/* The cliff sensors measure 2 to 15 cm (GP2Y0A51SK0F datasheet); range_m is larger so that the
 * output still fades behind that. */
#define CLIFF_RANGE_M 0.60

/* Dock light receivers: one in front, two sideways. The axes at 60 degrees and the half angle of 45
 * let the vendor's docking program find its way; the true ones are unknown. Range: docking works
 * within 5 m (specifications.rst). Place and height: guessed from anatomy.rst. */
#define DOCK_IR_Z_M     0.06
#define DOCK_IR_RANGE_M 5.0

#define CLIFF(text, x, y)                                                                          \
    {                                                                                              \
        .kind = SENSOR_CLIFF, .name = (text), .x_m = (x), .y_m = (y), .z_m = CLIFF_Z_M,            \
        .range_m = CLIFF_RANGE_M, .rays = 1                                                        \
    }
#define RECEIVER(text, x, y, heading)                                                              \
    {                                                                                              \
        .kind = SENSOR_DOCK_IR, .name = (text), .x_m = (x), .y_m = (y), .z_m = DOCK_IR_Z_M,        \
        .heading_rad = RAD(heading), .cone_half_rad = RAD(45), .range_m = DOCK_IR_RANGE_M,         \
        .rays = 1                                                                                  \
    }

static const struct sensor_spec sensors[KOBUKI_SENSOR_COUNT] = {
    [KOBUKI_CLIFF_RIGHT] = CLIFF("cliff_right", 0.085, -0.13601),
    [KOBUKI_CLIFF_CENTER] = CLIFF("cliff_center", 0.156, 0),
    [KOBUKI_CLIFF_LEFT] = CLIFF("cliff_left", 0.08734, 0.13601),
    [KOBUKI_DOCK_RIGHT] = RECEIVER("dock_right", 0.08, -0.14, -60),
    [KOBUKI_DOCK_CENTER] = RECEIVER("dock_center", 0.165, 0, 0),
    [KOBUKI_DOCK_LEFT] = RECEIVER("dock_left", 0.08, 0.14, 60),
};

/* Sectors of 60 degrees (kobuki_desktop: gazebo_ros_kobuki_updates.cpp), in the order of the
 * protocol's bits. */
static const struct bumper_spec bumpers[] = {
    {"right", RAD(-90), RAD(-30)},
    {"center", RAD(-30), RAD(30)},
    {"left", RAD(30), RAD(90)},
};

/* Wheelbase 230 mm, wheel radius 35 mm (conversions.rst). */
static const struct robot_wheel wheels[KOBUKI_WHEELS] = {
    [KOBUKI_LEFT] = {.y_m = 0.115, .radius_m = 0.035},
    [KOBUKI_RIGHT] = {.y_m = -0.115, .radius_m = 0.035},
};

/* The motor RP385-ST-2060 (anatomy.rst, specifications.rst). */
static void body_motors(struct robot_body *body)
{
    body->drive = ROBOT_DIFFERENTIAL;
    body->motor = ROBOT_MOTOR_DC;
    body->wheel_count = KOBUKI_WHEELS;
    memcpy(body->wheels, wheels, sizeof wheels);
    body->supply_v = 14.8; /* nominal voltage of the pack (specifications.rst) */
    body->resistance_ohm = 1.5506;
    body->torque_nm_a = 0.010913;
    body->emf_v_s_rad = 60 / (830 * 6.283185307179586477); /* 830 rpm/V */
    body->gear = 6545.0 / 132.0;
    body->idle_a = 0.21;
    /* Chosen: a rotor of 10 g cm2, usual for motors of this size, seen through the gear. */
    body->wheel_inertia_kg_m2 = 1.0e-6 * body->gear * body->gear;
    double idle_v = body->idle_a * body->resistance_ohm;
    body->speed_max_m_s =
        (body->supply_v - idle_v) / (body->emf_v_s_rad * body->gear) * wheels[0].radius_m;
    body->grip = 0.8; /* chosen: rubber on a hard floor */
}

void kobuki_body(const void *options, struct robot_body *body)
{
    const struct kobuki_options *chosen = options;
    enum kobuki_pack pack = (enum kobuki_pack)chosen->battery_pack;
    memset(body, 0, sizeof *body);
    body->shape = ROBOT_DISC;
    body->radius_m = 0.176; /* extent of main_body.dae in kobuki_description */
    body->height_m = 0.124; /* the same */
    body->mass_kg = pack == KOBUKI_PACK_4S2P ? 2.6 : 2.4; /* urdf, specifications.rst */
    body->inertia_kg_m2 = 0.03675;                        /* urdf */
    body->mass_center_x_m = 0.01;                         /* urdf */
    body_motors(body);

    body->sensor_count = KOBUKI_SENSOR_COUNT;
    memcpy(body->sensors, sensors, sizeof sensors);
    body->bumper_count = sizeof bumpers / sizeof bumpers[0];
    memcpy(body->bumpers, bumpers, sizeof bumpers);

    /* Charge pads, measured off bottom_view.jpg of anatomy.rst, +-5 mm. */
    body->contact_x_m = 0.128;
    body->contact_half_y_m = 0.044;
    body->battery_min_v = kobuki_battery_empty_v(pack);
    body->battery_max_v = kobuki_battery_full_v(pack);
}
