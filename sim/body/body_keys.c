/* The keys of a body file: what a person writes of each member of struct robot_body, of the looks,
 * channels and signals. Ranges are those of small robots, chosen: a number outside is a unit gone
 * wrong. */
#include "sim/body/body_keys.h"

#include "base/angle.h"
#include "sim/scene/own_robot.h"

/* ---- Kinds of rows: KEY of a file is the MEMBER of a struct OF ---- */

#define NUMBER(name, of, member, unit_, low, high, default_)                                       \
    {                                                                                              \
        .key = (name), .type = OPTION_NUMBER, .offset = offsetof(of, member), .unit = (unit_),     \
        .min = (low), .max = (high), .fallback = (default_)                                        \
    }
#define PLACE(name, of, member)          NUMBER(name, of, member, "m", -2, 2, "0")
#define LENGTH(name, of, member, least_) NUMBER(name, of, member, "m", 0, 2, least_)
#define ANGLE(name, of, member, low, high)                                                         \
    {                                                                                              \
        .key = (name), .type = OPTION_ANGLE, .offset = offsetof(of, member), .unit = "deg",        \
        .scale = ANGLE_RAD_DEG, .min = (low), .max = (high), .fallback = "0"                       \
    }
#define COUNT_OF(name, of, member, bytes, low, high, default_)                                     \
    {                                                                                              \
        .key = (name), .type = OPTION_INTEGER, .offset = offsetof(of, member), .size = (bytes),    \
        .unit = "", .min = (low), .max = (high), .fallback = (default_)                            \
    }
#define CHOICE(name, of, member, words, default_)                                                  \
    {                                                                                              \
        .key = (name), .type = OPTION_CHOICE, .offset = offsetof(of, member), .choices = (words),  \
        .fallback = (default_)                                                                     \
    }
#define TRUTH(name, of, member)                                                                    \
    {                                                                                              \
        .key = (name), .type = OPTION_BOOL, .offset = offsetof(of, member), .fallback = "false"    \
    }
#define COLOR(name, of, member)                                                                    \
    {                                                                                              \
        .key = (name), .type = OPTION_COLOR, .offset = offsetof(of, member),                       \
        .fallback = "#00000000"                                                                    \
    }
#define TEXT(name, of, member)                                                                     \
    {                                                                                              \
        .key = (name), .kind = PART_TEXT, .offset = offsetof(of, member)                           \
    }
#define NAME(name, of, member)                                                                     \
    {                                                                                              \
        .key = (name), .kind = PART_TEXT, .offset = offsetof(of, member), .is_required = true      \
    }
#define ARRAY(name, items, of_spec, items_count)                                                   \
    {                                                                                              \
        .key = (name), .kind = PART_ARRAY, .spec = &(of_spec),                                     \
        .offset = offsetof(struct own_robot, items),                                               \
        .count_offset = offsetof(struct own_robot, items_count),                                   \
        .item_size = sizeof(((struct own_robot *)0)->items[0]),                                    \
        .max = COUNT(((struct own_robot *)0)->items)                                               \
    }
#define SECTION(name, of_spec, at)                                                                 \
    {                                                                                              \
        .key = (name), .kind = PART_MAPPING, .spec = &(of_spec),                                   \
        .offset = offsetof(struct own_robot, at)                                                   \
    }

/* Choices are stored as the position of their word. */
_Static_assert(sizeof(enum robot_shape) == sizeof(int32_t), "an enum has the size of a choice");

/* ---- body: shape and weight ---- */

static const char *const shapes[] = {[ROBOT_DISC] = "disc", [ROBOT_BOX] = "box", NULL};

#define BODY struct robot_body
static const struct option_row shape_rows[] = {
    CHOICE("shape", BODY, shape, shapes, NULL),
    LENGTH("radius", BODY, radius_m, "0"),
    LENGTH("length", BODY, length_m, "0"),
    LENGTH("width", BODY, width_m, "0"),
    PLACE("center_x", BODY, center_x_m),
    NUMBER("height", BODY, height_m, "m", 0.005, 2, NULL),
    NUMBER("mass", BODY, mass_kg, "kg", 0.001, 100, NULL),
    NUMBER("inertia", BODY, inertia_kg_m2, "kg m2", 0, 100, "0"),
    PLACE("mass_center_x", BODY, mass_center_x_m),
};
static const struct scene_spec shape_spec = {SCENE_ROWS(shape_rows)};

/* ---- drive: motors and what they turn ---- */

static const char *const drives[] = {[ROBOT_DIFFERENTIAL] = "differential",
                                     [ROBOT_SKID] = "skid",
                                     [ROBOT_TRACKED] = "tracked",
                                     [ROBOT_MECANUM] = "mecanum",
                                     [ROBOT_OMNI] = "omni",
                                     [ROBOT_ACKERMANN] = "ackermann",
                                     NULL};
static const char *const motors[] = {
    [ROBOT_MOTOR_DC] = "dc", [ROBOT_MOTOR_STEPPER] = "stepper", NULL};

static const struct option_row drive_rows[] = {
    CHOICE("kind", BODY, drive, drives, "differential"),
    CHOICE("motor", BODY, motor, motors, "dc"),
    LENGTH("wheel_base", BODY, wheel_base_m, "0"),
    ANGLE("steer_max", BODY, steer_max_rad, 0, 90),
    {.key = "steer_rate",
     .type = OPTION_ANGLE,
     .offset = offsetof(BODY, steer_rate_rad_s),
     .unit = "deg/s",
     .scale = ANGLE_RAD_DEG,
     .max = 6000,
     .fallback = "0"},
    NUMBER("speed_max", BODY, speed_max_m_s, "m/s", 0, 10, "0"),
    NUMBER("grip", BODY, grip, "", 0, 2, "0"),
    NUMBER("supply", BODY, supply_v, "V", 0, 60, "0"),
    NUMBER("resistance", BODY, resistance_ohm, "ohm", 0, 1000, "0"),
    NUMBER("torque", BODY, torque_nm_a, "Nm/A", 0, 10, "0"),
    NUMBER("emf", BODY, emf_v_s_rad, "V s/rad", 0, 10, "0"),
    NUMBER("gear", BODY, gear, "", 0, 1000, "0"),
    NUMBER("idle", BODY, idle_a, "A", 0, 5, "0"),
    NUMBER("wheel_inertia", BODY, wheel_inertia_kg_m2, "kg m2", 0, 1, "0"),
};
static const struct scene_spec drive_spec = {SCENE_ROWS(drive_rows)};

static const struct option_row wheel_rows[] = {
    PLACE("x", struct robot_wheel, x_m),
    PLACE("y", struct robot_wheel, y_m),
    ANGLE("heading", struct robot_wheel, heading_rad, -360, 360),
    ANGLE("roller", struct robot_wheel, roller_rad, -360, 360),
    NUMBER("radius", struct robot_wheel, radius_m, "m", 0.002, 0.5, NULL),
    TRUTH("steered", struct robot_wheel, is_steered),
};
static const struct scene_spec wheel_spec = {SCENE_ROWS(wheel_rows)};

/* ---- What senses ---- */

static const char *const sensor_kinds[] = {
    [SENSOR_RANGE] = "range",           [SENSOR_CLIFF] = "cliff",
    [SENSOR_GROUND] = "ground",         [SENSOR_DOCK_IR] = "dock_ir",
    [SENSOR_MICROPHONE] = "microphone", [SENSOR_CAMERA] = "camera",
    [SENSOR_SCANNER] = "scanner",       NULL};

#define SENSOR struct sensor_spec
static const struct option_row sensor_rows[] = {
    CHOICE("kind", SENSOR, kind, sensor_kinds, NULL),
    PLACE("x", SENSOR, x_m),
    PLACE("y", SENSOR, y_m),
    LENGTH("z", SENSOR, z_m, "0"),
    ANGLE("heading", SENSOR, heading_rad, -360, 360),
    ANGLE("cone_half", SENSOR, cone_half_rad, 0, 180),
    NUMBER("range", SENSOR, range_m, "m", 0, 100, "0"),
    COUNT_OF("rays", SENSOR, rays, 1, 0, 255, "0"),
    COUNT_OF("width", SENSOR, width, 2, 0, 4096, "0"),
    COUNT_OF("height", SENSOR, height, 2, 0, 4096, "0"),
};
static const struct scene_part sensor_parts[] = {NAME("name", SENSOR, name)};
static const struct scene_spec sensor_spec = {SCENE_ROWS(sensor_rows), SCENE_PARTS(sensor_parts)};

static const struct option_row bumper_rows[] = {
    ANGLE("from", struct bumper_spec, from_rad, -360, 360),
    ANGLE("to", struct bumper_spec, to_rad, -360, 720),
};
static const struct scene_part bumper_parts[] = {NAME("name", struct bumper_spec, name)};
static const struct scene_spec bumper_spec = {SCENE_ROWS(bumper_rows), SCENE_PARTS(bumper_parts)};

/* ---- Battery, docking, parts ---- */

static const struct option_row battery_rows[] = {
    NUMBER("empty", BODY, battery_min_v, "V", 0, 60, "0"),
    NUMBER("full", BODY, battery_max_v, "V", 0, 60, "0"),
};
static const struct scene_spec battery_spec = {SCENE_ROWS(battery_rows)};

static const char *const docks[] = {[DOCK_KOBUKI] = "kobuki", [DOCK_HOME_BASE] = "home_base", NULL};

static const struct option_row docking_rows[] = {
    CHOICE("dock", BODY, dock, docks, "kobuki"),
    PLACE("contact_x", BODY, contact_x_m),
    LENGTH("contact_half_y", BODY, contact_half_y_m, "0"),
};
static const struct scene_spec docking_spec = {SCENE_ROWS(docking_rows)};

static const struct option_row part_rows[] = {
    PLACE("x", struct part_spec, x_m),
    PLACE("y", struct part_spec, y_m),
    NUMBER("radius", struct part_spec, radius_m, "m", 0.001, 2, NULL),
    NUMBER("low", struct part_spec, low_m, "m", 0, 2, NULL),
    NUMBER("high", struct part_spec, high_m, "m", 0, 2, NULL),
};
static const struct scene_spec part_spec = {SCENE_ROWS(part_rows)};

/* ---- Channels, signals, looks ---- */

static const char *const channel_kinds[] = {
    [CHANNEL_SERIAL] = "serial", [CHANNEL_TCP_SERVER] = "tcp_server", NULL};

#define CHANNEL struct channel_spec
static const struct option_row channel_rows[] = {
    CHOICE("kind", CHANNEL, kind, channel_kinds, "serial"),
    COUNT_OF("baud", CHANNEL, baud, 4, 0, 4000000, "0"),
    COUNT_OF("port", CHANNEL, tcp_port, 2, 0, 65535, "0"),
    COUNT_OF("frame_max", CHANNEL, frame_max, 4, 0, 1048576, "0"),
};
static const struct scene_part channel_parts[] = {
    NAME("name", CHANNEL, name),
    TEXT("device", CHANNEL, device),
    TEXT("framing", CHANNEL, framing),
};
static const struct scene_spec line_spec = {SCENE_ROWS(channel_rows), SCENE_PARTS(channel_parts)};

static const struct scene_part signal_parts[] = {
    NAME("name", struct signal_row, name),
    TEXT("unit", struct signal_row, unit),
    TEXT("note", struct signal_row, note),
    {.key = "words", .kind = PART_WORDS, .offset = offsetof(struct signal_row, names), .max = 64},
};
static const struct scene_spec signal_spec = {SCENE_PARTS(signal_parts)};

#define ARGUMENT struct option_row
static const struct option_row argument_rows[] = {
    NUMBER("min", ARGUMENT, min, "", 0, 0, "0"),
    NUMBER("max", ARGUMENT, max, "", 0, 0, "0"),
};
static const struct scene_part argument_parts[] = {
    NAME("name", ARGUMENT, key),
    TEXT("unit", ARGUMENT, unit),
    TEXT("default", ARGUMENT, fallback),
    TEXT("note", ARGUMENT, note),
};
static const struct scene_spec argument_spec = {SCENE_ROWS(argument_rows),
                                                SCENE_PARTS(argument_parts)};

static const struct scene_part command_parts[] = {
    NAME("name", struct command_row, name),
    TEXT("note", struct command_row, note),
    {.key = "arguments",
     .kind = PART_LIST,
     .spec = &argument_spec,
     .offset = offsetof(struct command_row, args),
     .count_offset = offsetof(struct command_row, arg_count),
     .item_size = sizeof(struct option_row),
     .max = ROBOT_ARGUMENTS_MAX},
};
static const struct scene_spec command_spec = {SCENE_PARTS(command_parts)};

static const char *const look_shapes[] = {
    [LOOK_DISC] = "disc", [LOOK_RING] = "ring", [LOOK_ARC] = "arc",       [LOOK_BOX] = "box",
    [LOOK_LINE] = "line", [LOOK_BODY] = "body", [LOOK_WHEELS] = "wheels", NULL};

#define LOOK struct look_row
static const struct option_row look_rows[] = {
    CHOICE("shape", LOOK, shape, look_shapes, NULL),
    PLACE("x", LOOK, x_m),
    PLACE("y", LOOK, y_m),
    ANGLE("heading", LOOK, heading_rad, -360, 360),
    LENGTH("length", LOOK, length_m, "0"),
    LENGTH("width", LOOK, width_m, "0"),
    ANGLE("from", LOOK, from_rad, -360, 360),
    ANGLE("to", LOOK, to_rad, -360, 720),
    COLOR("color", LOOK, color),
    COLOR("lit", LOOK, lit_color),
};
static const struct scene_part look_parts[] = {
    TEXT("lit_by", LOOK, lit_by),
    TEXT("click", LOOK, click),
    TEXT("label", LOOK, label),
};
static const struct scene_spec look_spec = {SCENE_ROWS(look_rows), SCENE_PARTS(look_parts)};

/* ---- All ---- */

static const struct option_row program_rows[] = {
    CHOICE("board", struct robot_program, board, board_names, "uno"),
};
static const struct scene_part program_parts[] = {
    TEXT("run", struct robot_program, run),
    TEXT("avr", struct robot_program, avr),
};
const struct scene_spec body_program_spec = {SCENE_ROWS(program_rows), SCENE_PARTS(program_parts)};

#define PIN struct pin
static const struct option_row pin_rows[] = {
    CHOICE("is", PIN, kind, pin_kind_names, NULL),
    NUMBER("counts", PIN, counts, "", 0, 1000000, "0"),
    NUMBER("scale", PIN, scale, "V", 0, 1000, "1"),
};
static const struct scene_part pin_parts[] = {
    NAME("pin", PIN, name),
    TEXT("of", PIN, of),
};
static const struct scene_spec pin_spec = {SCENE_ROWS(pin_rows), SCENE_PARTS(pin_parts)};

const struct scene_part body_parts[] = {
    TEXT("title", struct own_robot, title),
    {.key = "firmware", .kind = PART_OWN},
    {.key = "body",
     .kind = PART_MAPPING,
     .spec = &shape_spec,
     .offset = offsetof(struct own_robot, body),
     .is_required = true},
    SECTION("drive", drive_spec, body),
    ARRAY("wheels", body.wheels, wheel_spec, body.wheel_count),
    ARRAY("sensors", body.sensors, sensor_spec, body.sensor_count),
    ARRAY("bumpers", body.bumpers, bumper_spec, body.bumper_count),
    {.key = "buttons",
     .kind = PART_WORDS,
     .offset = offsetof(struct own_robot, buttons),
     .max = ROBOT_BUTTONS_MAX},
    SECTION("battery", battery_spec, body),
    SECTION("docking", docking_spec, body),
    ARRAY("parts", body.parts, part_spec, body.part_count),
    ARRAY("channels", channels, line_spec, channel_count),
    ARRAY("signals", signals, signal_spec, signal_count),
    ARRAY("commands", commands, command_spec, command_count),
    ARRAY("pins", pins, pin_spec, pin_count),
    {.key = "looks",
     .kind = PART_LIST,
     .spec = &look_spec,
     .offset = offsetof(struct own_robot, looks),
     .count_offset = offsetof(struct own_robot, look_count),
     .item_size = sizeof(struct look_row),
     .max = 256}, /* chosen */
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
