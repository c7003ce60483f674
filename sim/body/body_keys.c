/* The keys of a body file: how each member of struct robot_body, of the appearance, channels and
 * signals is written. Ranges are chosen for small robots: a number outside is probably in a wrong
 * unit. */
#include "sim/body/body_keys.h"

#include "sim/scene/custom_robot.h"

/* ---- Kinds of rows: KEY of a file fills MEMBER of a struct TAG ---- */

#define PLACE(name, tag, member)            ROW_NUMBER(name, tag, member, "m", -2, 2, "0")
#define LENGTH(name, tag, member)           ROW_NUMBER(name, tag, member, "m", 0, 2, "0")
#define ANGLE(name, tag, member, low, high) ROW_ANGLE(name, tag, member, "deg", low, high, "0")
#define TEXT(name, tag, member)                                                                    \
    {                                                                                              \
        .key = (name), .kind = PART_TEXT, .offset = offsetof(struct tag, member)                   \
    }
#define NAME(name, tag, member)                                                                    \
    {                                                                                              \
        .key = (name), .kind = PART_TEXT, .offset = offsetof(struct tag, member),                  \
        .is_required = true                                                                        \
    }
#define ARRAY(name, items, of_spec, items_count)                                                   \
    SCENE_ARRAY(name, of_spec, custom_robot, items, items_count)
#define SECTION(name, of_spec, at) SCENE_MAPPING(name, of_spec, custom_robot, at, false)

/* Choices are stored as the position of their word. */
_Static_assert(sizeof(enum robot_shape) == sizeof(int32_t), "an enum has the size of a choice");

/* ---- body: shape and weight ---- */

static const char *const shapes[] = {[ROBOT_DISC] = "disc", [ROBOT_BOX] = "box", NULL};

static const struct option_row shape_rows[] = {
    ROW_CHOICE("shape", robot_body, shape, shapes, NULL),
    LENGTH("radius", robot_body, radius_m),
    LENGTH("length", robot_body, length_m),
    LENGTH("width", robot_body, width_m),
    PLACE("center_x", robot_body, center_x_m),
    ROW_NUMBER("height", robot_body, height_m, "m", 0.005, 2, NULL),
    ROW_NUMBER("mass", robot_body, mass_kg, "kg", 0.001, 100, NULL),
    ROW_NUMBER("inertia", robot_body, inertia_kg_m2, "kg m2", 0, 100, "0"),
    PLACE("mass_center_x", robot_body, mass_center_x_m),
};
static const struct scene_spec shape_spec = {SCENE_ROWS(shape_rows)};

/* ---- drive: motors and wheels ---- */

static const char *const drives[] = {[ROBOT_DIFFERENTIAL] = "differential",
                                     [ROBOT_SKID] = "skid",
                                     [ROBOT_TRACKED] = "tracked",
                                     [ROBOT_MECANUM] = "mecanum",
                                     [ROBOT_OMNI] = "omni",
                                     [ROBOT_ACKERMANN] = "ackermann",
                                     NULL};
static const char *const motors[] = {
    [ROBOT_MOTOR_DC] = "dc", [ROBOT_MOTOR_STEPPER] = "stepper", NULL};

/* clang-format off: it breaks rows in a macro apart */
#define MOTOR(tag)                                                                                 \
    ROW_NUMBER("resistance", tag, resistance_ohm, "ohm", 0, 1000, "0"),                            \
        ROW_NUMBER("torque", tag, torque_nm_a, "Nm/A", 0, 10, "0"),                                \
        ROW_NUMBER("emf", tag, emf_v_s_rad, "V s/rad", 0, 10, "0"),                                \
        ROW_NUMBER("gear", tag, gear, "", 0, 1000, "0"),                                           \
        ROW_NUMBER("idle", tag, idle_a, "A", 0, 5, "0")
/* clang-format on */

static const struct option_row drive_rows[] = {
    ROW_CHOICE("kind", robot_body, drive, drives, "differential"),
    ROW_CHOICE("motor", robot_body, motor, motors, "dc"),
    LENGTH("wheel_base", robot_body, wheel_base_m),
    ANGLE("steer_max", robot_body, steer_max_rad, 0, 90),
    ROW_ANGLE("steer_rate", robot_body, steer_rate_rad_s, "deg/s", 0, 6000, "0"),
    ROW_BOOL("parallel", robot_body, is_parallel, "false"),
    ROW_NUMBER("speed_max", robot_body, speed_max_m_s, "m/s", 0, 10, "0"),
    ROW_NUMBER("grip", robot_body, grip, "", 0, 2, "0"),
    ROW_NUMBER("supply", robot_body, supply_v, "V", 0, 60, "0"),
    MOTOR(robot_body),
    ROW_NUMBER("wheel_inertia", robot_body, wheel_inertia_kg_m2, "kg m2", 0, 1, "0"),
    ROW_NUMBER("dead_band", robot_body, dead_band, "", 0, 0.9, "0"),
};
static const struct scene_spec drive_spec = {SCENE_ROWS(drive_rows)};

static const struct option_row wheel_rows[] = {
    PLACE("x", robot_wheel, x_m),
    PLACE("y", robot_wheel, y_m),
    ANGLE("heading", robot_wheel, heading_rad, -360, 360),
    ANGLE("roller", robot_wheel, roller_rad, -360, 360),
    ROW_NUMBER("radius", robot_wheel, radius_m, "m", 0.002, 0.5, NULL),
    ROW_BOOL("steered", robot_wheel, is_steered, "false"),
    ROW_BOOL("passive", robot_wheel, is_passive, "false"),
    MOTOR(robot_wheel),
    ROW_NUMBER("inertia", robot_wheel, wheel_inertia_kg_m2, "kg m2", 0, 1, "0"),
};
static const struct scene_spec wheel_spec = {SCENE_ROWS(wheel_rows)};

/* ---- Sensors ---- */

static const char *const sensor_kinds[] = {[SENSOR_RANGE] = "range",
                                           [SENSOR_CLIFF] = "cliff",
                                           [SENSOR_GROUND] = "ground",
                                           [SENSOR_DOCK_IR] = "dock_ir",
                                           [SENSOR_MICROPHONE] = "microphone",
                                           [SENSOR_CAMERA] = "camera",
                                           [SENSOR_SCANNER] = "scanner",
                                           [SENSOR_CURRENT] = "current",
                                           [SENSOR_IMU] = "imu",
                                           NULL};

static const struct option_row sensor_rows[] = {
    ROW_CHOICE("kind", sensor_spec, kind, sensor_kinds, NULL),
    PLACE("x", sensor_spec, x_m),
    PLACE("y", sensor_spec, y_m),
    LENGTH("z", sensor_spec, z_m),
    ANGLE("heading", sensor_spec, heading_rad, -360, 360),
    ANGLE("cone_half", sensor_spec, cone_half_rad, 0, 180),
    ROW_NUMBER("range", sensor_spec, range_m, "m", 0, 100, "0"),
    ROW_INTEGER("rays", sensor_spec, rays, "", 0, 255, "0"),
    ROW_INTEGER("width", sensor_spec, width, "", 0, 4096, "0"),
    ROW_INTEGER("height", sensor_spec, height, "", 0, 4096, "0"),
    ROW_INTEGER("motor", sensor_spec, motor, "", 0, ROBOT_WHEELS_MAX, "0"),
};
static const struct scene_part sensor_parts[] = {NAME("name", sensor_spec, name)};
static const struct scene_spec sensor_spec = {SCENE_ROWS(sensor_rows), SCENE_PARTS(sensor_parts)};

static const struct option_row bumper_rows[] = {
    ANGLE("from", bumper_spec, from_rad, -360, 360),
    ANGLE("to", bumper_spec, to_rad, -360, 720),
};
static const struct scene_part bumper_parts[] = {NAME("name", bumper_spec, name)};
static const struct scene_spec bumper_spec = {SCENE_ROWS(bumper_rows), SCENE_PARTS(bumper_parts)};

/* ---- Battery, docking, parts ---- */

static const struct option_row battery_rows[] = {
    ROW_NUMBER("empty", robot_body, battery_min_v, "V", 0, 60, "0"),
    ROW_NUMBER("full", robot_body, battery_max_v, "V", 0, 60, "0"),
};
static const struct scene_spec battery_spec = {SCENE_ROWS(battery_rows)};

static const char *const docks[] = {[DOCK_KOBUKI] = "kobuki", [DOCK_HOME_BASE] = "home_base", NULL};

static const struct option_row docking_rows[] = {
    ROW_CHOICE("dock", robot_body, dock, docks, "kobuki"),
    PLACE("contact_x", robot_body, contact_x_m),
    LENGTH("contact_half_y", robot_body, contact_half_y_m),
};
static const struct scene_spec docking_spec = {SCENE_ROWS(docking_rows)};

static const struct option_row part_rows[] = {
    PLACE("x", part_spec, x_m),
    PLACE("y", part_spec, y_m),
    ROW_NUMBER("radius", part_spec, radius_m, "m", 0.001, 2, NULL),
    ROW_NUMBER("low", part_spec, low_m, "m", 0, 2, NULL),
    ROW_NUMBER("high", part_spec, high_m, "m", 0, 2, NULL),
};
static const struct scene_spec part_spec = {SCENE_ROWS(part_rows)};

static const char *const servo_axes[] = {"turn", "bend", "roll", "wheel", NULL};
static const struct option_row servo_rows[] = {
    ROW_TEXT("name", servo_spec, name, NULL),
    ROW_CHOICE("model", servo_spec, model, servo_models, "sts3215"),
    ROW_INTEGER("id", servo_spec, id, "", 0, 253, NULL),
    ROW_CHOICE("moves", servo_spec, axis, servo_axes, "roll"),
    ROW_INTEGER("wheel", servo_spec, wheel, "", 0, ROBOT_WHEELS_MAX - 1, "0"),
    ROW_BOOL("reversed", servo_spec, is_reversed, "false"),
    ANGLE("low", servo_spec, low_rad, -180, 180),
    ANGLE("high", servo_spec, high_rad, -180, 180),
    ANGLE("bend", servo_spec, bend_rad, -180, 180),
    LENGTH("length", servo_spec, length_m),
    ROW_NUMBER("mass", servo_spec, mass_kg, "kg", 0, 100, "0"),
};
static const struct scene_spec servo_spec = {SCENE_ROWS(servo_rows)};

/* ---- Channels, signals, appearance ---- */

static const char *const channel_kinds[] = {
    [CHANNEL_SERIAL] = "serial", [CHANNEL_TCP_SERVER] = "tcp_server", NULL};

static const struct option_row channel_rows[] = {
    ROW_CHOICE("kind", channel_spec, kind, channel_kinds, "serial"),
    ROW_INTEGER("baud", channel_spec, baud, "", 0, 4000000, "0"),
    ROW_INTEGER("port", channel_spec, tcp_port, "", 0, 65535, "0"),
    ROW_INTEGER("frame_max", channel_spec, frame_max, "", 0, 1048576, "0"),
};
static const struct scene_part channel_parts[] = {
    NAME("name", channel_spec, name),
    TEXT("device", channel_spec, device),
    TEXT("framing", channel_spec, framing),
};
static const struct scene_spec line_spec = {SCENE_ROWS(channel_rows), SCENE_PARTS(channel_parts)};

static const struct scene_part signal_parts[] = {
    NAME("name", signal_row, name),
    TEXT("unit", signal_row, unit),
    TEXT("note", signal_row, note),
    {.key = "words", .kind = PART_WORDS, .offset = offsetof(struct signal_row, names), .max = 64},
};
static const struct scene_spec signal_spec = {SCENE_PARTS(signal_parts)};

static const struct option_row argument_rows[] = {
    ROW_NUMBER("min", option_row, min, "", 0, 0, "0"),
    ROW_NUMBER("max", option_row, max, "", 0, 0, "0"),
};
static const struct scene_part argument_parts[] = {
    NAME("name", option_row, key),
    TEXT("unit", option_row, unit),
    TEXT("default", option_row, fallback),
    TEXT("note", option_row, note),
};
static const struct scene_spec argument_spec = {SCENE_ROWS(argument_rows),
                                                SCENE_PARTS(argument_parts)};

static const struct scene_part command_parts[] = {
    NAME("name", command_row, name),
    TEXT("note", command_row, note),
    SCENE_LIST("arguments", argument_spec, command_row, args, arg_count, ROBOT_ARGUMENTS_MAX),
};
static const struct scene_spec command_spec = {SCENE_PARTS(command_parts)};

static const char *const appearance_shapes[] = {
    [APPEARANCE_DISC] = "disc",     [APPEARANCE_RING] = "ring",
    [APPEARANCE_ARC] = "arc",       [APPEARANCE_BOX] = "box",
    [APPEARANCE_LINE] = "line",     [APPEARANCE_BODY] = "body",
    [APPEARANCE_WHEELS] = "wheels", NULL};

static const struct option_row appearance_rows[] = {
    ROW_CHOICE("shape", appearance_row, shape, appearance_shapes, NULL),
    PLACE("x", appearance_row, x_m),
    PLACE("y", appearance_row, y_m),
    ANGLE("heading", appearance_row, heading_rad, -360, 360),
    LENGTH("length", appearance_row, length_m),
    LENGTH("width", appearance_row, width_m),
    ANGLE("from", appearance_row, from_rad, -360, 360),
    ANGLE("to", appearance_row, to_rad, -360, 720),
    ROW_COLOR("color", appearance_row, color, "#00000000"),
    ROW_COLOR("lit", appearance_row, lit_color, "#00000000"),
};
static const struct scene_part appearance_parts[] = {
    TEXT("lit_by", appearance_row, lit_by),       TEXT("turned_by", appearance_row, turned_by),
    TEXT("length_by", appearance_row, length_by), TEXT("click", appearance_row, click),
    TEXT("label", appearance_row, label),
};
static const struct scene_spec appearance_spec = {SCENE_ROWS(appearance_rows),
                                                  SCENE_PARTS(appearance_parts)};

/* ---- All ---- */

static const struct option_row program_rows[] = {
    ROW_CHOICE("board", robot_program, board, board_names, "uno"),
    ROW_BOOL("auto_reset", robot_program, has_auto_reset, "true"),
};
static const struct scene_part program_parts[] = {
    TEXT("run", robot_program, run),
    TEXT("avr", robot_program, avr),
};
const struct scene_spec body_program_spec = {SCENE_ROWS(program_rows), SCENE_PARTS(program_parts)};

static const struct option_row pin_rows[] = {
    ROW_CHOICE("is", pin, kind, pin_kind_names, NULL),
    ROW_NUMBER("counts", pin, counts, "", 0, 1000000, "0"),
    ROW_NUMBER("scale", pin, scale, "V", -1000, 1000, "1"),
    ROW_NUMBER("zero", pin, zero_v, "V", -5, 5, "0"),
};
static const struct scene_part pin_parts[] = {
    NAME("pin", pin, name),
    TEXT("of", pin, of),
};
static const struct scene_spec pin_spec = {SCENE_ROWS(pin_rows), SCENE_PARTS(pin_parts)};

const struct scene_part body_parts[] = {
    TEXT("title", custom_robot, title),
    {.key = "firmware", .kind = PART_OWN},
    SCENE_MAPPING("body", shape_spec, custom_robot, body, true),
    SECTION("drive", drive_spec, body),
    ARRAY("wheels", body.wheels, wheel_spec, body.wheel_count),
    ARRAY("sensors", body.sensors, sensor_spec, body.sensor_count),
    ARRAY("bumpers", body.bumpers, bumper_spec, body.bumper_count),
    {.key = "buttons",
     .kind = PART_WORDS,
     .offset = offsetof(struct custom_robot, buttons),
     .max = ROBOT_BUTTONS_MAX},
    SECTION("battery", battery_spec, body),
    SECTION("docking", docking_spec, body),
    ARRAY("parts", body.parts, part_spec, body.part_count),
    ARRAY("servos", body.servos, servo_spec, body.servo_count),
    ARRAY("channels", channels, line_spec, channel_count),
    ARRAY("signals", signals, signal_spec, signal_count),
    ARRAY("commands", commands, command_spec, command_count),
    ARRAY("pins", pins, pin_spec, pin_count),
    SCENE_LIST("appearance", appearance_spec, custom_robot, appearance, appearance_count, 256),
    SCENE_LIST("looks", appearance_spec, custom_robot, old_appearance, old_appearance_count, 256),
};
const size_t body_part_count = COUNT(body_parts);

bool body_fail_item(struct scene_yaml *yaml, const struct scene_at *at, const char *list,
                    size_t item, const char *key, const char *sentence)
{
    struct scene_at whole = scene_yaml_child(yaml, at, list);
    struct scene_at one = scene_yaml_item(yaml, &whole, item);
    struct scene_at child = scene_yaml_child(yaml, &one, key);
    return scene_yaml_fail(yaml, &child, "%s", sentence);
}
