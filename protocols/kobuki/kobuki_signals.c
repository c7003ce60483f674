/* What can be observed of a Kobuki beside its wire: signals and mirrors. */
#include "protocols/kobuki/kobuki_rows.h"
#include "protocols/kobuki/kobuki_state.h"

static const char *const melody_words[] = {
    "on", "off", "recharge", "button", "error", "cleaning_start", "cleaning_end", NULL};
static const char *const led_words[] = {"off", "red", "green", "orange", NULL};
static const char *const status_words[] = {"on", "low", "emergency", "charging", NULL};

#define AT(member) .offset = offsetof(struct kobuki_state, member)
#define NUMBER(label, kind, member, units, words)                                                  \
    {                                                                                              \
        .name = (label), .type = SIGNAL_##kind, AT(member), .unit = (units), .note = (words)       \
    }
#define NAMED(label, kind, member, list, words)                                                    \
    {                                                                                              \
        .name = (label), .type = SIGNAL_##kind, AT(member), .unit = "", .names = (list),           \
        .note = (words)                                                                            \
    }
#define GAIN(label, member, words)                                                                 \
    {                                                                                              \
        .name = (label), .type = SIGNAL_U32, AT(member), .scale = 0.001, .unit = "",               \
        .note = (words)                                                                            \
    }
#define BIT(label, kind, member, bits, words)                                                      \
    {                                                                                              \
        .name = (label), .type = SIGNAL_##kind, AT(member), .mask = (bits), .unit = "",            \
        .note = (words)                                                                            \
    }

const struct signal_row kobuki_signal_rows[KOBUKI_SIGNAL_COUNT] = {
    /* Motion. */
    NUMBER("left_target_m_s", DOUBLE, motion.wheel[0].target_m_s, "m/s", "wanted wheel speed"),
    NUMBER("right_target_m_s", DOUBLE, motion.wheel[1].target_m_s, "m/s", "wanted wheel speed"),
    NUMBER("left_duty", DOUBLE, motion.wheel[0].duty, "", "-1..1 of the supply"),
    NUMBER("right_duty", DOUBLE, motion.wheel[1].duty, "", "-1..1 of the supply"),
    NUMBER("left_current_a", DOUBLE, motion.wheel[0].current_a, "A", "signed"),
    NUMBER("right_current_a", DOUBLE, motion.wheel[1].current_a, "A", "signed"),
    NUMBER("left_ticks", I64, motion.wheel[0].ticks, "tick", "since power-on, does not wrap"),
    NUMBER("right_ticks", I64, motion.wheel[1].ticks, "tick", "since power-on, does not wrap"),
    NUMBER("left_over_current", BOOL, motion.wheel[0].is_cut, "", "power of the motor is cut"),
    NUMBER("right_over_current", BOOL, motion.wheel[1].is_cut, "", "power of the motor is cut"),
    NUMBER("over_currents", U64, motion.overloads, "", "times that a motor was cut"),
    NUMBER("driven", BOOL, motion.is_driven, "", "a base control is in force"),
    NUMBER("watchdog_stops", U64, motion.watchdog_stops, "", "times that silence stopped it"),
    NUMBER("queued_commands", U32, motion.queue_used, "", "base controls in the dead time"),
    NUMBER("gain_type", U8, gains.type, "", "0 factory, 1 user"),
    GAIN("gain_p", gains.p, "factory 100"),
    GAIN("gain_i", gains.i, "factory 0.1"),
    GAIN("gain_d", gains.d, "factory 2"),

    /* Senses. */
    BIT("bumper_right", U8, bumper, 0x01, ""),
    BIT("bumper_center", U8, bumper, 0x02, ""),
    BIT("bumper_left", U8, bumper, 0x04, ""),
    BIT("wheel_drop_right", U8, wheel_drop, 0x01, ""),
    BIT("wheel_drop_left", U8, wheel_drop, 0x02, ""),
    BIT("cliff_right", U8, cliff, 0x01, ""),
    BIT("cliff_center", U8, cliff, 0x02, ""),
    BIT("cliff_left", U8, cliff, 0x04, ""),
    BIT("button_b0", U8, buttons, 0x01, ""),
    BIT("button_b1", U8, buttons, 0x02, ""),
    BIT("button_b2", U8, buttons, 0x04, ""),
    NUMBER("dock_right", U8, dock[0], "", "bits that the receiver sees"),
    NUMBER("dock_center", U8, dock[1], "", "bits that the receiver sees"),
    NUMBER("dock_left", U8, dock[2], "", "bits that the receiver sees"),
    NUMBER("gyro_angle_deg", DOUBLE, gyro.angle_deg, "deg", "the firmware's heading"),
    NUMBER("gyro_rate_deg_s", DOUBLE, gyro.rate_deg_s, "deg/s", "bias removed"),
    NUMBER("gyro_samples", U64, gyro.index, "", "since power-on"),
    NUMBER("digital_inputs", U16, digital_inputs, "", "expansion port"),

    /* Power. */
    NUMBER("battery_v", DOUBLE, power.battery_v, "V", ""),
    NUMBER("battery_charge", DOUBLE, power.charge, "", "0 empty .. 1 full"),
    NUMBER("charger", U8, power.charger, "", "the byte of the protocol"),
    NUMBER("charging", BOOL, power.is_charging, "", ""),
    NUMBER("charged", BOOL, power.is_full, "", "on a charger and full"),
    NUMBER("recharge_outlet", BOOL, power.has_outlet, "", "19 V outlet, live while charging"),
    NUMBER("outputs", U16, power.outputs, "", "the output word"),
    BIT("output0", U16, power.outputs, 0x0001, "digital output"),
    BIT("output1", U16, power.outputs, 0x0002, "digital output"),
    BIT("output2", U16, power.outputs, 0x0004, "digital output"),
    BIT("output3", U16, power.outputs, 0x0008, "digital output"),
    BIT("power_3v3", U16, power.outputs, KOBUKI_OUTPUT_3V3, "rail"),
    BIT("power_5v", U16, power.outputs, KOBUKI_OUTPUT_5V, "rail"),
    BIT("power_12v_5a", U16, power.outputs, KOBUKI_OUTPUT_12V_5A, "rail"),
    BIT("power_12v_1a5", U16, power.outputs, KOBUKI_OUTPUT_12V_1A5, "rail"),

    /* Lamps. */
    NAMED("led1", U8, power.led1, led_words, ""),
    NAMED("led2", U8, power.led2, led_words, ""),
    NAMED("status", U8, power.status, status_words, "what the status lamp tells"),
    BIT("led1_red", U8, power.lamps, KOBUKI_LAMP_LED1_RED, "lit in this color"),
    BIT("led1_green", U8, power.lamps, KOBUKI_LAMP_LED1_GREEN, "lit in this color"),
    BIT("led1_orange", U8, power.lamps, KOBUKI_LAMP_LED1_ORANGE, "lit in this color"),
    BIT("led2_red", U8, power.lamps, KOBUKI_LAMP_LED2_RED, "lit in this color"),
    BIT("led2_green", U8, power.lamps, KOBUKI_LAMP_LED2_GREEN, "lit in this color"),
    BIT("led2_orange", U8, power.lamps, KOBUKI_LAMP_LED2_ORANGE, "lit in this color"),
    BIT("status_green", U8, power.lamps, KOBUKI_LAMP_STATUS_GREEN, "lit now, blinks"),
    BIT("status_orange", U8, power.lamps, KOBUKI_LAMP_STATUS_ORANGE, "lit now, blinks"),

    /* Sound. */
    NUMBER("sound_hz", DOUBLE, play.hz, "Hz", "0: silence"),
    NAMED("melody", I32, play.sequence, melody_words, "-1: none"),
    NUMBER("sounds", U64, play.started, "", "notes and melodies started"),

    /* Host and identity. */
    NUMBER("host_alive", BOOL, is_host_alive, "", "good frames within the watchdog's time"),
    NUMBER("packets", U64, packets, "", "feedback packets since power-on"),
    NUMBER("bad_values", U64, bad_values, "", "commands with a value that means nothing"),
    NUMBER("firmware_profile", I32, options.firmware, "", "place in the option's list"),
    NUMBER("udid0", U32, udid[0], "", ""),
    NUMBER("udid1", U32, udid[1], "", ""),
    NUMBER("udid2", U32, udid[2], "", ""),
};

#define LAST(member) offsetof(struct kobuki_state, last.member)

const struct signal_mirror kobuki_mirror_rows[KOBUKI_MIRROR_COUNT] = {
    {&kobuki_basic_packet, LAST(basic)},
    {&kobuki_docking_packet, LAST(docking)},
    {&kobuki_inertia_packet, LAST(inertia)},
    {&kobuki_cliff_packet, LAST(cliff)},
    {&kobuki_current_packet, LAST(current)},
    {&kobuki_hardware_packet, LAST(hardware)},
    {&kobuki_hardware_legacy_packet, LAST(hardware_legacy)},
    {&kobuki_firmware_packet, LAST(firmware)},
    {&kobuki_firmware_legacy_packet, LAST(firmware_legacy)},
    {&kobuki_gyro_packet, LAST(gyro)},
    {&kobuki_gyro_sample_packet, LAST(gyro_sample)},
    {&kobuki_inputs_packet, LAST(inputs)},
    {&kobuki_udid_packet, LAST(udid)},
    {&kobuki_controller_info_packet, LAST(controller_info)},
    {&kobuki_base_control_packet, LAST(base_control)},
    {&kobuki_sound_packet, LAST(sound)},
    {&kobuki_sound_sequence_packet, LAST(sound_sequence)},
    {&kobuki_set_power_packet, LAST(set_power)},
    {&kobuki_request_extra_packet, LAST(request_extra)},
    {&kobuki_outputs_packet, LAST(outputs)},
    {&kobuki_set_gain_packet, LAST(set_gain)},
    {&kobuki_get_gain_packet, LAST(get_gain)},
};
