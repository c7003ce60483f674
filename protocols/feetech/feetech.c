/* The robot types: options, signals, commands, and the passes of the firmware. */
#include "protocols/feetech/feetech.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "protocols/feetech/feetech_state.h"

#define STEP_US 1000

/* ---- Options ---- */

static const char *const roles[] = {"follower", "leader", NULL};

#define COMMON_ROWS(of_model, volts)                                                               \
    ROW_CHOICE("model", feetech_options, model, feetech_model_names, of_model, "kind of servo"),   \
        ROW_NUMBER("supply_v", feetech_options, supply_v, "V", 0, 26, volts,                       \
                   "voltage of the supply without load"),                                          \
        ROW_NUMBER("supply_ohm", feetech_options, supply_ohm, "ohm", 0, 10, "0",                   \
                   "resistance of supply and cables: the voltage sags with the current"),          \
        ROW_SCALED("eeprom_ms", feetech_options, eeprom_s, "ms", 0.001, 0, 1000, "0",              \
                   "delay of the answer to a write of permanent memory")
#define ROLE_ROW                                                                                   \
    ROW_CHOICE("role", feetech_options, role, roles, "follower",                                   \
               "gears of the arm: a leader is moved by hand (move_joint)")

static const struct option_row bare_rows[] = {
    ROW_INTEGER("servos", feetech_options, servos, "", 1, 16, "1", "servos, with ids from 1 on"),
    COMMON_ROWS("sts3215", "7.4"),
};
static const struct option_row arm_rows[] = {ROLE_ROW, COMMON_ROWS("sts3215", "5")};
static const struct option_row lekiwi_rows[] = {
    ROW_NUMBER("wheel_gain", feetech_options, wheel_gain, "", 0.1, 2, "1",
               "true speed of the wheels for each measured one"),
    COMMON_ROWS("sts3215_12v", "12"),
};

/* ---- Signals and commands ---- */

static const struct signal_row signal_rows[] = {
    SIGNAL_ROW("supply_v", feetech_state, supply_v, "V", "voltage at the servos"),
    SIGNAL_ROW("current_a", feetech_state, current_a, "A", "current of all servos"),
    SIGNAL_ROW("clamped", feetech_state, clamped, "", "numbers beyond the range of a register"),
    SIGNAL_ROW("ignored", feetech_state, ignored, "", "writes to registers that are read only"),
    SIGNAL_ROW("fault_packets", feetech_state, fault_packets, "",
               "status packets that a fault has hit"),
    SIGNAL_ROW("boots", feetech_state, boots, "", "power-ons"),
};

static const struct signal_row servo_rows[] = {
    SIGNAL_ROW("angle_deg", feetech_servo, joint.angle_rad, "deg",
               "ground truth: angle of the shaft", .scale = 1 / ANGLE_RAD_DEG),
    SIGNAL_ROW("speed_deg_s", feetech_servo, joint.speed_rad_s, "deg/s",
               "ground truth: speed of the shaft", .scale = 1 / ANGLE_RAD_DEG),
    SIGNAL_ROW("current_a", feetech_servo, joint.current_a, "A", "current of the motor"),
    SIGNAL_ROW("reach_m", feetech_servo, joint.reach_m, "m",
               "horizontal distance of the end of its link"),
    SIGNAL_ROW("height_m", feetech_servo, joint.height_m, "m",
               "height of the end of its link, above the shoulder"),
};

/* In the order of feetech_packets. */
#define REQUEST(number, packet)                                                                    \
    {                                                                                              \
        &packet, offsetof(struct feetech_state, requests[number])                                  \
    }
static const struct signal_mirror mirror_rows[] = {
    REQUEST(0, feetech_ping),
    REQUEST(1, feetech_read),
    REQUEST(2, feetech_write),
    REQUEST(3, feetech_reg_write),
    REQUEST(4, feetech_action),
    REQUEST(5, feetech_restore),
    REQUEST(6, feetech_reboot),
    REQUEST(7, feetech_reset_turns),
    REQUEST(8, feetech_calibrate),
    REQUEST(9, feetech_sync_read),
    REQUEST(10, feetech_sync_write),
    {&feetech_status_packet, offsetof(struct feetech_state, status)},
};

struct move_args {
    char servo[32];
    double to_rad, over_s;
};
static const struct option_row move_rows[] = {
    ROW_TEXT("servo", move_args, servo, NULL, "name of a servo"),
    ROW_ANGLE("to", move_args, to_rad, "deg", -3600, 3600, NULL, "angle of its shaft"),
    ROW_NUMBER("over", move_args, over_s, "s", 0.001, 1000, "1", "time that it takes"),
};

/* The joint of a name; COUNT: there is none. */
static size_t find(const struct servo_spec *specs, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && (specs[i].axis == SERVO_WHEEL || strcmp(specs[i].name, name) != 0))
        i++;
    return i;
}

static bool move_check(const void *setup, const void *data, struct error *error)
{
    const struct robot_body *body = ((const struct robot_setup *)setup)->body;
    const struct move_args *args = data;
    char names[512] = "";
    size_t used = 0;
    if (find(body->servos, body->servo_count, args->servo) < body->servo_count)
        return true;
    for (size_t i = 0; i < body->servo_count && used < sizeof names; i++)
        if (body->servos[i].axis != SERVO_WHEEL)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     body->servos[i].name);
    return error_set(error, "servo: there is no joint '%s'; allowed: %s", args->servo, names);
}

static bool move_joint(void *memory, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us;
    struct feetech_state *state = memory;
    const struct move_args *args = data;
    size_t found = find(state->specs, state->count, args->servo);
    if (found == state->count)
        return error_set(error, "servo: there is no joint '%s'", args->servo);
    const struct servo_spec *spec = &state->specs[found];
    struct servo_joint *joint = &state->servos[found].joint;
    joint->hand_rad = args->to_rad;
    if (spec->low_rad < spec->high_rad)
        joint->hand_rad = number_between(args->to_rad, spec->low_rad, spec->high_rad);
    joint->hand_rad_s = fabs(joint->hand_rad - joint->angle_rad) / args->over_s;
    return true;
}

static const struct command_row command_rows[] = {
    COMMAND_ROW("move_joint", move_rows, move_args, move_joint,
                "turn a joint by hand, against the servo if need be", .check = move_check),
};

/* ---- The contract ---- */

static const struct channel_spec channels[] = {
    {.name = "bus",
     .kind = CHANNEL_SERIAL,
     .baud = 1000000, /* memory table: register 6 */
     .frame_max = FEETECH_FRAME_MAX,
     .device = "/dev/ttyACM0", /* lerobot: LeKiwiConfig */
     .frames = {&feetech_framing[WIRE_TO_HOST], &feetech_framing[WIRE_TO_ROBOT]},
     .framing = "`FF FF`, id, length, instruction or error, parameters, and the inverted sum of "
                "all bytes behind the `FF FF`. The length counts the bytes behind it"},
};

static int64_t feetech_reset(void *memory, const struct robot_start *from)
{
    struct feetech_state *state = memory;
    memset(state, 0, sizeof *state);
    const struct robot_type *type = from->type;
    option_copy(type->options, type->option_count, from->options, &state->options);
    if (state->options.wheel_gain == 0) // of a type without that option
        state->options.wheel_gain = 1;
    state->count = from->body->servo_count;
    memcpy(state->specs, from->body->servos, sizeof state->specs);
    size_t size = state->count * FEETECH_EEPROM;
    bool is_kept = from->storage && from->storage->size == size;
    state->storage.size = (uint32_t)size;
    if (is_kept)
        memcpy(state->storage.bytes, from->storage->bytes, size);
    for (size_t i = 0; i < state->count; i++) {
        struct feetech_servo *servo = &state->servos[i];
        while (*state->specs[i].model && feetech_model_names[servo->model] &&
               strcmp(feetech_model_names[servo->model], state->specs[i].model) != 0)
            servo->model++;
        if (is_kept)
            memcpy(servo->eeprom, state->storage.bytes + i * FEETECH_EEPROM, FEETECH_EEPROM);
        else
            feetech_servo_make(state, i);
        feetech_servo_boot(state, i);
        servo->joint.temperature_c = 25;
    }
    state->storage.is_dirty = is_kept && from->storage->is_dirty;
    state->stepped_us = from->now_us;
    state->supply_v = state->options.supply_v;
    state->boots = 1;
    return from->now_us + STEP_US;
}

static int64_t feetech_host(void *memory, unsigned channel, bool present, int64_t now_us)
{
    (void)memory, (void)channel, (void)present;
    return now_us + STEP_US;
}

static int64_t feetech_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                          int64_t now_us)
{
    (void)channel;
    struct feetech_state *state = memory;
    feetech_push(&state->parser, bytes, size, &state->stats);
    return now_us;
}

static int64_t feetech_tick(void *memory, const struct robot_sensors *sensors,
                            struct robot_actuators *actuators, const struct robot_tx *tx,
                            int64_t now_us)
{
    struct feetech_state *state = memory;
    feetech_servos_step(state, sensors, now_us);
    feetech_bus_serve(state, sensors, now_us);
    feetech_bus_send(state, tx, now_us);
    for (size_t i = 0; i < state->count; i++) {
        const struct servo_spec *spec = &state->specs[i];
        const struct feetech_servo *servo = &state->servos[i];
        if (spec->axis != SERVO_WHEEL)
            continue;
        actuators->motor[spec->wheel] =
            servo->joint.wheel_rad_s * state->options.wheel_gain * (spec->is_reversed ? -1 : 1);
        actuators->motor_free[spec->wheel] = servo->table.torque_enable == 0;
    }
    actuators->baud[0] = feetech_bus_baud(state);
    return now_us + STEP_US;
}

#define TYPE(label, words, of_body, rows, of_looks)                                                \
    {                                                                                              \
        .name = label, .title = words, .folder = "feetech", .guide = "feetech",                    \
        .channels = channels, .channel_count = 1, .options = rows, .option_count = COUNT(rows),    \
        .options_size = sizeof(struct feetech_options), .signals = signal_rows,                    \
        .signal_count = COUNT(signal_rows), .servo_packet = &feetech_registers,                    \
        .servo_offset = offsetof(struct feetech_state, servos),                                    \
        .servo_size = sizeof(struct feetech_servo), .servo_signals = servo_rows,                   \
        .servo_signal_count = COUNT(servo_rows), .servo_models = feetech_model_names,              \
        ROBOT_MIRRORS, ROBOT_COMMANDS, .appearance = &of_looks, .packets = feetech_packets,        \
        .answers = feetech_answers, .state_size = sizeof(struct feetech_state),                    \
        .stats_offset = offsetof(struct feetech_state, stats),                                     \
        .storage_offset = offsetof(struct feetech_state, storage),                                 \
        .boots_offset = offsetof(struct feetech_state, boots), .body = of_body,                    \
        ROBOT_FUNCTIONS(feetech)                                                                   \
    }
const struct robot_type sts3215_type =
    TYPE("sts3215", "Feetech STS3215 servos", feetech_bare_body, bare_rows, feetech_bare_looks);
const struct robot_type so100_type =
    TYPE("so100", "SO-100 arm", feetech_so100_body, arm_rows, feetech_arm_looks);
const struct robot_type so101_type =
    TYPE("so101", "SO-101 arm", feetech_so101_body, arm_rows, feetech_arm_looks);
const struct robot_type lekiwi_type =
    TYPE("lekiwi", "LeKiwi", feetech_lekiwi_body, lekiwi_rows, feetech_lekiwi_looks);
