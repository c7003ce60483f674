/* What can be observed of a COBOT beside its wire: signals and mirrors. */
#include <stddef.h>

#include "protocols/cobot/cobot_rows.h"
#include "protocols/cobot/cobot_state.h"

#define AT(member) .offset = offsetof(struct cobot_state, member)
#define NUMBER(label, kind, member, units, words)                                                  \
    {                                                                                              \
        .name = (label), .type = SIGNAL_##kind, AT(member), .unit = (units), .note = (words)       \
    }
#define WHEEL(label, i)                                                                            \
    NUMBER(label "_target_m_s", DOUBLE, motion.wheel[i].target_m_s, "m/s", "wanted rim speed"),    \
        NUMBER(label "_window_m_s", DOUBLE, motion.wheel[i].speed_m_s, "m/s",                      \
               "rim speed as the board measures it, over 50 ms"),                                  \
        NUMBER(label "_duty", DOUBLE, motion.wheel[i].duty, "", "-1..1 of the supply"),            \
        NUMBER(label "_current_a", DOUBLE, motion.wheel[i].current_a, "A", "signed"),              \
        NUMBER(label "_counts", I64, motion.wheel[i].counts, "", "of the encoder, 330 a turn")

const struct signal_row cobot_signal_rows[COBOT_SIGNAL_COUNT] = {
    {.name = "model",
     .type = SIGNAL_I32,
     AT(options.model),
     .unit = "",
     .names = cobot_model_words,
     .note = "the chassis"},
    NUMBER("wanted_x_m_s", DOUBLE, motion.wanted.x_m_s, "m/s", "command in force, limited"),
    NUMBER("wanted_y_m_s", DOUBLE, motion.wanted.y_m_s, "m/s", "left positive"),
    NUMBER("wanted_turn_rad_s", DOUBLE, motion.wanted.turn_rad_s, "rad/s", "left positive"),
    {.name = "wanted_steer_deg",
     .type = SIGNAL_DOUBLE,
     AT(motion.steer_rad),
     .scale = 57.295779513082320877,
     .unit = "deg",
     .note = "Ackermann: of the servo, left positive"},
    NUMBER("driven", BOOL, motion.is_driven, "", "a command is in force"),
    NUMBER("silent_passes", U32, motion.silent, "", "control passes of 10 ms without a host"),
    NUMBER("watchdog_stops", U64, motion.watchdog_stops, "", "times that silence stopped it"),
    WHEEL("front_left", COBOT_FRONT_LEFT),
    WHEEL("rear_left", COBOT_REAR_LEFT),
    WHEEL("front_right", COBOT_FRONT_RIGHT),
    WHEEL("rear_right", COBOT_REAR_RIGHT),
    NUMBER("phone_speed_mm_s", I32, phone.speed_mm_s, "mm/s", "of the letters 6 and 7"),
    NUMBER("accel_x_m_s2", DOUBLE, inertia.accel_m_s2[0], "m/s2", "robot frame, filtered"),
    NUMBER("accel_y_m_s2", DOUBLE, inertia.accel_m_s2[1], "m/s2", "robot frame, filtered"),
    NUMBER("accel_z_m_s2", DOUBLE, inertia.accel_m_s2[2], "m/s2", "robot frame, filtered"),
    NUMBER("imu_samples", U64, inertia.samples, "", "messages 06 since power-on"),
    NUMBER("battery_v", DOUBLE, power.battery_v, "V", ""),
    NUMBER("battery_charge", DOUBLE, power.charge, "", "0 empty .. 1 full"),
    NUMBER("charging", BOOL, power.is_charging, "", ""),
};

#define LAST(member) offsetof(struct cobot_state, last.member)

const struct signal_mirror cobot_mirror_rows[COBOT_MIRROR_COUNT] = {
    {&cobot_motion_packet, LAST(motion)},     {&cobot_letter_packet, LAST(letter)},
    {&cobot_velocity_packet, LAST(velocity)}, {&cobot_motors_packet, LAST(motors)},
    {&cobot_battery_packet, LAST(battery)},   {&cobot_attitude_packet, LAST(attitude)},
    {&cobot_imu_packet, LAST(imu)},           {&cobot_model_packet, LAST(model)},
};
