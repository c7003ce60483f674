/* From a body file to a robot type, and back. */
#include "sim/body/body_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/angle.h"
#include "base/text.h"
#include "protocols/registry.h"
#include "sim/body/body_keys.h"
#include "sim/yaml/scene_print.h"

/* Reports an error in a key of the file. */
#define FAIL(key, ...)                                                                             \
    scene_yaml_fail(yaml, (struct scene_at[]){scene_yaml_child(yaml, at, (key))}, __VA_ARGS__)

/* ---- firmware ---- */

static const char FIRMWARES[] = "a robot type such as kobuki, {run: \"a command\"} or "
                                "{avr: firmware.elf}";

static bool built_in(struct scene_yaml *yaml, const struct scene_at *at, struct custom_robot *own)
{
    char advice[TEXT_ADVICE_SIZE];
    const char *text;
    if (!scene_yaml_text(yaml, at, FIRMWARES, &text))
        return false;
    own->base = scene_robot_type(text, NULL, advice, sizeof advice);
    if (!own->base)
        return scene_yaml_fail(yaml, at, "no robot type '%s' with such a firmware; %s",
                               TEXT_QUOTE(text), advice);
    own->type = *own->base;
    return true;
}

static bool program(struct scene_yaml *yaml, const struct scene_at *at, struct custom_robot *own)
{
    const struct robot_type *process = registry_process();
    if (!scene_yaml_fill(yaml, at, &body_program_spec, &own->program))
        return false;
    if (!own->program.run == !own->program.avr)
        return scene_yaml_fail(yaml, at, "%s; allowed: one of run, avr",
                               own->program.run ? "has both" : "has neither");
    if (!process)
        return scene_yaml_fail(yaml, at, "this build starts no process; allowed: a robot type");
    own->program.folder = own->folder;
    own->type = *process;
    own->type.program = &own->program;
    return true;
}

static bool read_firmware(struct scene_yaml *yaml, const struct scene_at *at,
                          struct custom_robot *own)
{
    const struct scene_at child = scene_yaml_child(yaml, at, "firmware");
    if (child.node == 0)
        return scene_yaml_fail(yaml, &child, "missing; allowed: %s", FIRMWARES);
    if (scene_yaml_is_mapping(yaml, &child))
        return program(yaml, &child, own);
    return built_in(yaml, &child, own);
}

/* ---- The machine ---- */

/* A number that a machine needs, and its minimum. The bounds are chosen: far below any robot, and
 * far enough from 0 for the physics. */
struct bound {
    const char *section, *key;
    double number, least;
};

static bool check_bounds(struct scene_yaml *yaml, const struct scene_at *at,
                         const struct bound *bounds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(bounds[i].number >= bounds[i].least))
            return FAIL(bounds[i].section, "%s is %g; allowed: at least %g", bounds[i].key,
                        bounds[i].number, bounds[i].least);
    return true;
}

static bool check_shape(struct scene_yaml *yaml, const struct scene_at *at, struct robot_body *body)
{
    bool is_disc = body->shape == ROBOT_DISC;
    double round = body->radius_m * body->radius_m / 2;
    double square = (body->length_m * body->length_m + body->width_m * body->width_m) / 12;
    if (body->inertia_kg_m2 == 0) // of a plate of this shape
        body->inertia_kg_m2 = body->mass_kg * (is_disc ? round : square);
    const struct bound bounds[] = {
        {"body", "the radius of a disc", is_disc ? body->radius_m : 1, 0.005},
        {"body", "the length of a box", is_disc ? 1 : body->length_m, 0.005},
        {"body", "the width of a box", is_disc ? 1 : body->width_m, 0.005},
        {"body", "inertia", body->inertia_kg_m2, body->mass_kg * 1e-6},
    };
    return check_bounds(yaml, at, bounds, COUNT(bounds));
}

/* Fills missing numbers of a motor with those of a small gear motor that turns the wheels at the
 * speed of the body file. Chosen: 12 V, 3.2 A stall current, 30:1. */
static void fill_motor(struct robot_body *body)
{
    struct {
        double *number, usual;
    } rows[] = {{&body->supply_v, 12},
                {&body->resistance_ohm, 3.75},
                {&body->torque_nm_a, 0.0075},
                {&body->gear, 30},
                {&body->idle_a, 0.15}};
    bool is_given = body->emf_v_s_rad > 0;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (!is_given && *rows[i].number == 0)
            *rows[i].number = rows[i].usual;
    double free_v = body->supply_v - body->idle_a * body->resistance_ohm;
    double radius_m = body->wheels[0].radius_m;
    if (!is_given)
        body->emf_v_s_rad = free_v * radius_m / (body->speed_max_m_s * body->gear);
    if (body->speed_max_m_s == 0 && body->gear > 0)
        body->speed_max_m_s = free_v / (body->emf_v_s_rad * body->gear) * radius_m;
    if (body->wheel_inertia_kg_m2 == 0) // a rotor of 10 g cm2
        body->wheel_inertia_kg_m2 = 1.0e-6 * body->gear * body->gear;
}

/* Fills wheels with a different gear, or without a motor. Chosen: a wheel without a motor is a disc
 * of 50 g. */
static void fill_wheel(struct robot_wheel *wheel)
{
    if (wheel->wheel_inertia_kg_m2 == 0 && wheel->is_passive)
        wheel->wheel_inertia_kg_m2 = 0.025 * wheel->radius_m * wheel->radius_m;
    else if (wheel->wheel_inertia_kg_m2 == 0 && wheel->gear > 0)
        wheel->wheel_inertia_kg_m2 = 1.0e-6 * wheel->gear * wheel->gear;
}

/* Each steered wheel needs a drive that turns it. */
static bool check_steering(struct scene_yaml *yaml, const struct scene_at *at,
                           struct robot_body *body)
{
    double first_m = INFINITY, last_m = -INFINITY;
    size_t steered = 0, driven = 0;
    for (size_t i = 0; i < body->wheel_count; i++) {
        steered += body->wheels[i].is_steered;
        driven += !body->wheels[i].is_passive;
        first_m = fmin(first_m, body->wheels[i].x_m);
        last_m = fmax(last_m, body->wheels[i].x_m);
        fill_wheel(&body->wheels[i]);
    }
    if (driven == 0)
        return FAIL("wheels", "no wheel is driven; leave `passive: true` out for at least one");
    if (body->drive == ROBOT_ACKERMANN && steered == 0)
        return FAIL("wheels", "an ackermann drive steers; add `steered: true` to the wheels that "
                              "turn");
    if (body->drive == ROBOT_ACKERMANN && body->wheel_base_m == 0)
        body->wheel_base_m = last_m - first_m;
    bool is_long = body->drive != ROBOT_ACKERMANN || body->wheel_base_m > 0;
    return steered == 0 || (is_long && body->steer_max_rad > 0 && body->steer_rate_rad_s > 0) ||
           FAIL("drive", "wheels that steer need %s",
                is_long ? "steer_max and steer_rate" : "wheel_base");
}

static bool check_drive(struct scene_yaml *yaml, const struct scene_at *at, struct robot_body *body)
{
    if (body->wheel_count == 0)
        return true;
    if (body->wheel_count == 1)
        return FAIL("wheels",
                    "one wheel is not enough; allowed: 2 to %d, those without motor with `passive: "
                    "true`",
                    ROBOT_WHEELS_MAX);
    if (body->drive == ROBOT_DIFFERENTIAL &&
        (body->wheel_count != 2 || body->wheels[0].y_m <= body->wheels[1].y_m))
        return FAIL("wheels", "a differential drive has two: the left one (y above 0), the right "
                              "one");
    if (!check_steering(yaml, at, body))
        return false;
    if (body->speed_max_m_s == 0 && (body->motor != ROBOT_MOTOR_DC || body->emf_v_s_rad == 0))
        return FAIL("drive", "needs speed_max: m/s at the rim of a wheel without load");
    if (body->grip == 0)
        body->grip = 0.8; // chosen: rubber on a hard floor
    bool is_dc = body->motor == ROBOT_MOTOR_DC;
    if (is_dc)
        fill_motor(body);
    const struct bound bounds[] = {
        {"drive", "grip", body->grip, 0.05},
        {"drive", "speed_max", body->speed_max_m_s, 0.01},
        {"drive", "supply", is_dc ? body->supply_v : 1, 1},
        {"drive", "resistance", is_dc ? body->resistance_ohm : 1, 0.01},
        {"drive", "torque", is_dc ? body->torque_nm_a : 1, 1e-5},
        {"drive", "emf", is_dc ? body->emf_v_s_rad : 1, 1e-5},
        {"drive", "gear", is_dc ? body->gear : 1, 0.01},
        {"drive", "wheel_inertia", is_dc ? body->wheel_inertia_kg_m2 : 1, 1e-9},
    };
    return check_bounds(yaml, at, bounds, COUNT(bounds));
}

/* Chosen: from a telephoto lens to the widest angle of a picture without lens distortion. */
#define CAMERA_HALF_LEAST_RAD (1 * ANGLE_RAD_DEG - 1e-9)
#define CAMERA_HALF_MOST_RAD  (80 * ANGLE_RAD_DEG + 1e-9)

static bool check_sensor(struct scene_yaml *yaml, const struct scene_at *at,
                         const struct robot_body *body, size_t i)
{
    const struct sensor_spec *sensor = &body->sensors[i];
    for (size_t k = 0; k < i; k++)
        if (strcmp(body->sensors[k].name, sensor->name) == 0)
            return body_fail_item(yaml, at, "sensors", i, "name", "the name of another sensor");
    bool has_cone = sensor->kind == SENSOR_RANGE || sensor->kind == SENSOR_DOCK_IR;
    if (has_cone && !(sensor->range_m > 0 && sensor->rays > 0))
        return body_fail_item(yaml, at, "sensors", i, "range", "it needs range and rays above 0");
    if (sensor->kind == SENSOR_SCANNER && !(sensor->z_m > 0 && sensor->range_m > 0))
        return body_fail_item(
            yaml, at, "sensors", i, "z",
            "a scanner needs range and z above 0; at floor height a ray hits every object");
    if (sensor->kind == SENSOR_CAMERA && !(sensor->width > 0 && sensor->height > 0))
        return body_fail_item(yaml, at, "sensors", i, "width", "a camera needs width and height");
    if (sensor->kind == SENSOR_CAMERA && !(sensor->cone_half_rad >= CAMERA_HALF_LEAST_RAD &&
                                           sensor->cone_half_rad <= CAMERA_HALF_MOST_RAD))
        return body_fail_item(yaml, at, "sensors", i, "cone_half",
                              "a camera needs half its horizontal angle of view, 1 to 80 degrees");
    if (sensor->kind == SENSOR_CURRENT && sensor->motor > body->wheel_count)
        return body_fail_item(yaml, at, "sensors", i, "motor",
                              "the robot has fewer wheels; they are numbered from 1");
    if (sensor->kind == SENSOR_CAMERA && !(sensor->z_m > 0))
        return body_fail_item(yaml, at, "sensors", i, "z",
                              "a camera needs z above 0: on the floor it sees no floor");
    return true;
}

static bool check_senses(struct scene_yaml *yaml, const struct scene_at *at,
                         const struct robot_body *body)
{
    for (size_t i = 0; i < body->sensor_count; i++)
        if (!check_sensor(yaml, at, body, i))
            return false;
    for (size_t i = 0; i < body->bumper_count; i++)
        if (!(body->bumpers[i].to_rad > body->bumpers[i].from_rad))
            return body_fail_item(yaml, at, "bumpers", i, "to", "must be above from");
    for (size_t i = 0; i < body->part_count; i++)
        if (body->parts[i].high_m < body->parts[i].low_m)
            return body_fail_item(yaml, at, "parts", i, "high", "must not be below low");
    return body->battery_min_v <= body->battery_max_v ||
           FAIL("battery", "empty must not be above full");
}

/* ---- Tables ---- */

static bool take_channels(struct scene_yaml *yaml, const struct scene_at *at,
                          struct custom_robot *own)
{
    static const char framing[] = "separate bytes";
    if (own->channel_count == 0)
        return own->base || FAIL("channels", "missing; allowed: a list such as [{name: uart, baud: "
                                             "115200}]");
    if (own->base && own->channel_count != own->base->channel_count)
        return FAIL("channels", "has %zu items; the firmware of a %s needs %zu", own->channel_count,
                    own->base->name, own->base->channel_count);
    for (size_t i = 0; i < own->channel_count; i++) {
        struct channel_spec *channel = &own->channels[i];
        const struct channel_spec *from = own->base ? &own->base->channels[i] : NULL;
        if (from && (strcmp(from->name, channel->name) != 0 || from->kind != channel->kind))
            return body_fail_item(
                yaml, at, "channels", i, "name",
                "differs from the channel of the firmware; leave channels out to use its channels");
        bool is_usb = from && from->baud == 0; // then any baud is right
        if (channel->kind == CHANNEL_SERIAL && channel->baud == 0 && !is_usb)
            return body_fail_item(yaml, at, "channels", i, "baud",
                                  "missing; a serial channel needs this key");
        if (channel->kind == CHANNEL_TCP_SERVER && channel->tcp_port == 0)
            return body_fail_item(yaml, at, "channels", i, "port",
                                  "missing; a TCP server needs this key");
        if (channel->frame_max == 0)
            channel->frame_max = from ? from->frame_max : 1024; // chosen
        if (!channel->framing)
            channel->framing = from ? from->framing : framing;
        if (from)
            memcpy(channel->frames, from->frames, sizeof channel->frames);
    }
    own->type.baud = NULL;
    own->type.channels = own->channels;
    own->type.channel_count = own->channel_count;
    return true;
}

static bool same_words(const char *const *a, const char *const *b)
{
    while (a && b && *a && *b && strcmp(*a, *b) == 0)
        a++, b++;
    return (!a || !*a) && (!b || !*b);
}

static bool take_buttons(struct scene_yaml *yaml, const struct scene_at *at,
                         struct custom_robot *own)
{
    if (!scene_yaml_has(yaml, at, "buttons"))
        return true;
    if (own->base && !same_words(own->buttons, own->base->buttons))
        return FAIL("buttons", "the firmware of a %s defines them; leave the key out",
                    own->base->name);
    own->type.buttons = own->buttons;
    return true;
}

/* Signals of a program follow the built-in signals of the type. The offset of the first one is
 * where the numbers begin; each is a double. */
static bool take_signals(struct scene_yaml *yaml, const struct scene_at *at,
                         struct custom_robot *own)
{
    if (own->base)
        return own->signal_count == 0 ||
               FAIL("signals", "the firmware of a %s defines them; leave the key out",
                    own->base->name);
    const struct signal_row *standing = own->type.signals;
    size_t first = own->type.signal_count;
    if (own->signal_count + first - 1 > ROBOT_SIGNALS_MAX)
        return FAIL("signals", "has %zu items; allowed: at most %zu", own->signal_count,
                    ROBOT_SIGNALS_MAX + 1 - first);
    for (size_t i = own->signal_count; i-- > 0;) {
        struct signal_row row = own->signals[i];
        for (size_t k = 1; k < first; k++)
            if (strcmp(row.name, standing[k].name) == 0)
                return body_fail_item(yaml, at, "signals", i, "name",
                                      "every program has this option already; choose another name");
        row.type = SIGNAL_DOUBLE;
        row.offset = standing[0].offset + i * sizeof(double);
        row.unit = row.unit ? row.unit : "";
        row.note = row.note ? row.note : "";
        own->signals[i + first - 1] = row;
    }
    memcpy(own->signals, standing + 1, (first - 1) * sizeof *standing);
    own->type.signals = own->signals;
    own->type.signal_count = own->signal_count + first - 1;
    return true;
}

/* Checks the names in a list of COUNT items of SIZE bytes, each with its name at NAME_AT:
 * conditions, timelines and journals must be able to contain them. */
static bool check_list(struct scene_yaml *yaml, const struct scene_at *at, const char *list,
                       const void *items, size_t count, size_t size, size_t name_at)
{
    static const char plain[] =
        "allowed: a letter, then letters, digits and _, all lower-case; each "
        "once";
    for (size_t i = 0; i < count; i++) {
        const char *name = *(const char *const *)((const char *)items + i * size + name_at);
        bool is_good = text_is_name(name);
        for (size_t k = 0; k < i; k++)
            is_good =
                is_good &&
                strcmp(name, *(const char *const *)((const char *)items + k * size + name_at)) != 0;
        if (!is_good)
            return body_fail_item(yaml, at, list, i, "name", plain);
    }
    return true;
}

#define NAMES_GOOD(list, items, count, of)                                                         \
    check_list(yaml, at, (list), (items), (count), sizeof(of), offsetof(of, name))

static bool check_names(struct scene_yaml *yaml, const struct scene_at *at,
                        struct custom_robot *own)
{
    const struct scene_at lists[] = {scene_yaml_child(yaml, at, "signals"),
                                     scene_yaml_child(yaml, at, "commands")};
    for (size_t i = 0; i < own->signal_count; i++) {
        const struct scene_at item = scene_yaml_item(yaml, &lists[0], i);
        own->signal_places[i] = scene_yaml_place(yaml, &item);
    }
    for (size_t i = 0; i < own->command_count; i++) {
        const struct scene_at item = scene_yaml_item(yaml, &lists[1], i);
        own->command_places[i] = scene_yaml_place(yaml, &item);
    }
    size_t buttons = 0;
    while (own->buttons && own->buttons[buttons])
        buttons++;
    return check_list(yaml, at, "buttons", own->buttons, buttons, sizeof *own->buttons, 0) &&
           NAMES_GOOD("channels", own->channels, own->channel_count, struct channel_spec) &&
           NAMES_GOOD("bumpers", own->body.bumpers, own->body.bumper_count, struct bumper_spec) &&
           NAMES_GOOD("signals", own->signals, own->signal_count, struct signal_row) &&
           NAMES_GOOD("commands", own->commands, own->command_count, struct command_row);
}

/* The arguments of command number I are numbers; each is a double. */
static bool take_arguments(struct scene_yaml *yaml, const struct scene_at *at,
                           struct command_row *command, size_t i)
{
    struct option_row *rows = (struct option_row *)command->args; // read into the heap
    for (size_t k = 0; k < command->arg_count; k++) {
        double scratch;
        struct option_row here = rows[k];
        bool is_good = text_is_name(here.key);
        for (size_t n = 0; n < k; n++)
            is_good = is_good && strcmp(here.key, rows[n].key) != 0;
        if (!is_good)
            return body_fail_item(yaml, at, "commands", i, "arguments",
                                  "a name is a letter, then letters, digits and _, all lower-case; "
                                  "each once");
        rows[k].type = here.type = OPTION_NUMBER;
        rows[k].unit = here.unit = here.unit ? here.unit : "";
        rows[k].offset = k * sizeof(double);
        if (here.max < here.min)
            return body_fail_item(yaml, at, "commands", i, "arguments",
                                  "max must not be below min");
        if (here.fallback && !option_set(&here, here.fallback, &scratch, NULL))
            return body_fail_item(yaml, at, "commands", i, "arguments",
                                  "default is not one of the allowed values");
    }
    return true;
}

/* Commands of a program: the type has a function for each number of a command. */
static bool take_commands(struct scene_yaml *yaml, const struct scene_at *at,
                          struct custom_robot *own)
{
    if (own->base)
        return own->command_count == 0 ||
               FAIL("commands", "the firmware of a %s defines them; leave the key out",
                    own->base->name);
    if (own->command_count > own->type.command_count)
        return FAIL("commands", "has %zu items; allowed: at most %zu", own->command_count,
                    own->type.command_count);
    for (size_t i = 0; i < own->command_count; i++) {
        struct command_row *command = &own->commands[i];
        if (!take_arguments(yaml, at, command, i))
            return false;
        command->run = own->type.commands[i].run;
        command->args_size = own->type.commands[i].args_size;
        command->note = command->note ? command->note : "";
    }
    own->type.commands = own->commands;
    own->type.command_count = own->command_count;
    return true;
}

static bool take_appearance(struct scene_yaml *yaml, const struct scene_at *at,
                            struct custom_robot *own)
{
    const char *key = own->old_appearance ? "looks" : "appearance";
    if (own->old_appearance && own->appearance)
        return FAIL("looks", "the old name of 'appearance', which the file has too: remove one");
    if (own->old_appearance) {
        own->appearance = own->old_appearance;
        own->appearance_count = own->old_appearance_count;
    }
    for (size_t i = 0; i < own->appearance_count; i++)
        if (own->appearance[i].lit_by && own->appearance[i].lit_color == 0)
            return body_fail_item(yaml, at, key, i, "lit",
                                  "missing: the color that lit_by switches on");
    static const struct appearance_row plain[] = {
        {.shape = APPEARANCE_BODY, .color = 0x3A3F46FF, .lit_color = 0x3A3F46FF},
        {.shape = APPEARANCE_WHEELS, .color = 0x101214FF, .lit_color = 0x101214FF}};
    own->appearance_list = (struct appearance_list){own->appearance, own->appearance_count};
    if (own->appearance_count == 0)
        own->appearance_list = (struct appearance_list){plain, COUNT(plain)};
    if (own->appearance_count > 0 || !own->base)
        own->type.appearance = &own->appearance_list;
    return true;
}

static bool check_servos(struct scene_yaml *yaml, const struct scene_at *at,
                         const struct custom_robot *own)
{
    bool has_bus = own->base && own->base->servo_packet;
    const char *names[ROBOT_SERVOS_MAX];
    uint32_t wheels = 0; // that have a servo
    if (has_bus != (own->body.servo_count > 0))
        return FAIL("servos",
                    has_bus ? "missing; the firmware of a %s moves servos"
                            : "the firmware of a %s has no servos; leave the key out",
                    own->base ? own->base->name : "program");
    for (size_t i = 0; i < own->body.servo_count; i++) {
        const struct servo_spec *servo = &own->body.servos[i];
        uint32_t wheel = servo->axis == SERVO_WHEEL ? UINT32_C(1) << servo->wheel : 0;
        if ((wheel & wheels) || wheel >> own->body.wheel_count)
            return body_fail_item(yaml, at, "servos", i, "wheel",
                                  "the body has no such wheel, or it has a servo already");
        if (servo->high_rad < servo->low_rad)
            return body_fail_item(yaml, at, "servos", i, "high", "must not be below low");
        names[i] = servo->name;
        wheels |= wheel;
    }
    return check_list(yaml, at, "servos", names, own->body.servo_count, sizeof *names, 0);
}

/* ---- The whole file ---- */

/* my-Robot.yaml becomes my_robot. */
static void take_names(struct custom_robot *own, const char *file)
{
    size_t length, used = 0;
    const char *base = text_stem(file, &length);
    if (!isalpha((unsigned char)base[0]))
        used = (size_t)snprintf(own->name, sizeof own->name, "robot_");
    for (size_t i = 0; i < length && used + 1 < sizeof own->name; i++) {
        unsigned char c = (unsigned char)base[i];
        bool is_plain = c < 0x80 && isalnum(c);
        own->name[used++] = (char)(is_plain ? tolower(c) : '_');
    }
    snprintf(own->file, sizeof own->file, "%s", file);
    int folder = (int)(base - file); // with its slash; 0: none
    snprintf(own->folder, sizeof own->folder, "%.*s", folder > 1 ? folder - 1 : 1,
             folder > 0 ? file : ".");
}

static bool body_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct custom_robot *own = out;
    if (!read_firmware(yaml, at, own) || !check_shape(yaml, at, &own->body) ||
        !check_drive(yaml, at, &own->body) || !check_senses(yaml, at, &own->body) ||
        !take_channels(yaml, at, own) || !take_buttons(yaml, at, own) ||
        !check_names(yaml, at, own) || !check_servos(yaml, at, own) ||
        !body_take_pins(yaml, at, own) || !take_signals(yaml, at, own) ||
        !take_commands(yaml, at, own) || !take_appearance(yaml, at, own))
        return false;
    own->type.name = own->name;
    own->type.title = own->title ? own->title : own->name;
    own->type.body = NULL;
    own->type.fixed_body = &own->body;
    return true;
}

struct custom_robot *custom_robot_parse(const char *bytes, size_t size, const char *file,
                                        struct error *error)
{
    const struct scene_spec spec = {
        .parts = body_parts,
        .part_count = body_part_count,
        .finish = body_finish,
        .least =
            "a body file has at least the keys firmware and body: see docs/tutorials/own-robot.md"};
    struct custom_robot *own = calloc(1, sizeof *own);
    if (!own)
        return error_null(error_set(error, "%s: out of memory", file));
    take_names(own, file);
    if (!scene_yaml_read_kept(bytes, size, file, &spec, own, &own->kept, error))
        custom_robot_free(&own);
    return own;
}

/* ---- Writing a file ---- */

char *custom_robot_print(const struct robot_type *type, const void *options, struct error *error)
{
    struct scene_text text = {0};
    struct custom_robot *own = calloc(1, sizeof *own);
    bool is_good = own != NULL;
    if (own) {
        robot_type_body(type, options, &own->body);
        own->title = type->title;
        own->buttons = type->buttons;
        own->channel_count = type->channel_count;
        memcpy(own->channels, type->channels, type->channel_count * sizeof *type->channels);
        for (size_t i = 0; type->baud && i < own->channel_count; i++)
            own->channels[i].baud = type->baud(options, (unsigned)i);
        own->appearance = (struct appearance_row *)type->appearance->rows;
        own->appearance_count = type->appearance->count;
    }
    for (size_t i = 0; own && i < body_part_count; i++) {
        if (strcmp(body_parts[i].key, "firmware") == 0)
            scene_text_add(&text, "firmware: %s\n", type->name);
        is_good = is_good && scene_print_part(&text, &body_parts[i], own, error);
    }
    free(own);
    if (is_good && !text.is_short)
        return text.bytes;
    if (is_good || !own)
        error_set(error, "out of memory for the body of a %s", type->name);
    free(text.bytes);
    return NULL;
}
