/* Registers, their effects, and the joint or wheel that a servo moves: an inner speed and
 * position control with gravity, heat and current, without collisions and elasticity. Speed and
 * torque: data sheets of the STS3215 at 7.4 and 12 V. Arm: TheRobotStudio/SO-ARM100: issue 134
 * (free speed at 12 V, stiffness), issue 132 (current), Simulation/SO101/joints_properties.xml
 * (friction, damping). */
#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/number.h"
#include "protocols/feetech/feetech_state.h"

#define STEP_RAD     (2 * ANGLE_PI / 4096)
#define KG_CM_NM     0.0980665
#define CURRENT_A    0.0065      /* a count of the current registers */
#define STIFFNESS    (17.0 / 16) /* Nm/rad for each count of P: measured 23..34 at P 32 */
#define GRAVITY_M_S2 9.81
#define FRICTION_NM  0.052
#define DAMPING_NM_S 0.6
#define DAMPED_NM_S  6.0  /* torque enable 2: short-circuited; chosen */
#define IDLE_A       0.15 /* without load 0.18 A, blocked 2.7 A */
#define STALL_A      2.5
#define ROOM_C       25.0 /* chosen, as the next two */
#define HEAT_C       60.0 /* above the room, blocked for long */
#define HEAT_S       300.0

enum { PHASE_UNIT = 0x04, PHASE_FAST_ZERO = 0x08, PHASE_TURNS = 0x10 };
enum { MODE_VELOCITY = 1, MODE_PWM, MODE_STEPS };
enum { BAD_VOLTAGE = 0x01, BAD_TEMPERATURE = 0x04, BAD_LOAD = 0x20 };
enum { DAMPING = 2, CALIBRATE = 128 };   /* of torque_enable */
enum { EFFECT_TORQUE = 1, EFFECT_GOAL }; /* effects of a write */
enum { LOCK_SCS = 48, LOCK = 55 };       /* an SCS servo has its lock elsewhere */

/* ---- Models, indexed like servo_models ---- */

/* A kind of servo: model number, position sensor, and motor at its rated voltage. */
struct feetech_model {
    uint16_t number;
    bool is_scs;
    double steps, step_rad, rated_v, free_rad_s, stall_nm;
    uint8_t max_v; /* register, 0.1 V */
};

/* Gears 1:345, 1:191, 1:147 (TheRobotStudio/SO-ARM100: README); SCS0009: its product page. */
#define GEARED(ratio)                                                                              \
    {                                                                                              \
        777, false, 4096, STEP_RAD, 7.4, 3400 * STEP_RAD * 345 / (ratio),                          \
            19.5 * KG_CM_NM *(ratio) / 345, 80                                                     \
    }
static const struct feetech_model models[] = {
    GEARED(345),
    {777, false, 4096, STEP_RAD, 12, 3140 * STEP_RAD, 30 * KG_CM_NM, 140},
    GEARED(191),
    GEARED(147),
    {1284, true, 1024, 300 * ANGLE_RAD_DEG / 1024, 6, 600 * ANGLE_RAD_DEG, 2.3 * KG_CM_NM, 80},
};

static const struct feetech_model *model_of(const struct feetech_state *state, size_t i)
{
    return &models[state->specs[i].model];
}

/* ---- The control tables ---- */

#define REGISTER(member, scale, unit, ...)                                                         \
    WIRE_FIELD(feetech_table, member, scale, unit, __VA_ARGS__)
#define PLAIN(member, ...) REGISTER(member, 1, "", __VA_ARGS__)

#define REGISTERS                                                                                  \
    PLAIN(firmware_major, "read only"), PLAIN(firmware_minor, "read only"),                        \
        PLAIN(byte_order, "read only; 0: low byte first, 1: high byte first"),                     \
        PLAIN(model, "read only; 777: STS3215"), PLAIN(id, ""),                                    \
        PLAIN(baud, "0: 1000000, 1: 500000, 2: 250000, 3: 128000, 4: 115200, 5: 76800, 6: 57600, " \
                    "7: 38400"),                                                                   \
        REGISTER(return_delay, 2, "us", ""),                                                       \
        PLAIN(response_level, "0: only ping and read; 1: all"),                                    \
        PLAIN(min_position, "steps; both 0: several turns"), PLAIN(max_position, "steps"),         \
        REGISTER(max_temperature, 1, "C", ""), REGISTER(max_voltage, 0.1, "V", ""),                \
        REGISTER(min_voltage, 0.1, "V", ""),                                                       \
        REGISTER(max_torque, 0.1, "%", "copied to torque_limit"),                                  \
        PLAIN(phase, "bit 2: unit of the velocity, 1 step/s, else 50; bit 3: velocity 0 is the "   \
                     "highest; bit 4: several turns"),                                             \
        PLAIN(unload_condition, "bits as status"), PLAIN(led_condition, "bits as status"),         \
        PLAIN(p, ""), PLAIN(d, ""), PLAIN(i, ""), REGISTER(start_force, 0.1, "%", ""),             \
        PLAIN(cw_dead_zone, "steps"), PLAIN(ccw_dead_zone, "steps"),                               \
        REGISTER(protection_current, 6.5, "mA", ""), PLAIN(angular_resolution, ""),                \
        PLAIN(homing_offset, "steps; present position = real one - this", .sign_bit = 11),         \
        PLAIN(mode, "0: position, 1: velocity, 2: PWM, 3: steps"),                                 \
        REGISTER(protective_torque, 1, "%", "torque limit during an overload"),                    \
        REGISTER(protection_time, 10, "ms", "time of the load that makes an overload"),            \
        REGISTER(overload_torque, 1, "%", "load that is an overload"), PLAIN(velocity_p, ""),      \
        REGISTER(overcurrent_time, 10, "ms", ""), PLAIN(velocity_i, ""),                           \
        PLAIN(torque_enable, "0: off, 1: on, 2: damping; 128: this place becomes 2048"),           \
        REGISTER(acceleration, 100, "steps/s2", "0: no limit"),                                    \
        PLAIN(goal_position, "steps; mode 3: from here", .sign_bit = 15),                          \
        REGISTER(goal_time, 0.1, "%", "mode 2: duty; SCS: time to the goal, ms", .sign_bit = 10),  \
        PLAIN(goal_velocity, "steps/s", .sign_bit = 15),                                           \
        REGISTER(torque_limit, 0.1, "%", "max_torque at power-on"),                                \
        WIRE_ARRAY(feetech_table, gap50, 1, "", ""),                                               \
        PLAIN(lock, "1: writes below 40 last until power-off; 0: for good"),                       \
        PLAIN(present_position, "steps", .sign_bit = 15),                                          \
        PLAIN(present_velocity, "steps/s", .sign_bit = 15),                                        \
        REGISTER(present_load, 0.1, "%", "duty of the motor", .sign_bit = 10),                     \
        REGISTER(present_voltage, 0.1, "V", ""), REGISTER(present_temperature, 1, "C", ""),        \
        PLAIN(registered, "1: a write waits for the action"),                                      \
        PLAIN(status, "bits: 0 voltage, 1 encoder, 2 temperature, 3 current, 5 overload"),         \
        PLAIN(moving, ""), PLAIN(goal_copy, "goal position"),                                      \
        REGISTER(present_current, 6.5, "mA", "", .sign_bit = 15),                                  \
        PLAIN(goal_position_2, "goal position"), WIRE_ARRAY(feetech_table, gap73, 1, "", ""),      \
        PLAIN(moving_threshold, ""), PLAIN(dts, ""), PLAIN(velocity_unit, ""), PLAIN(hts, ""),     \
        PLAIN(max_velocity, ""), PLAIN(max_acceleration, "kept; no effect"),                       \
        PLAIN(acceleration_multiplier, "")

static const struct wire_field fields[] = {REGISTERS};

/* Address, default, and range from the memory table; values of firmware and lock are from users of
 * lerobot. */
#define READ_ONLY(at, number)                                                                      \
    {                                                                                              \
        .address = at, .is_read_only = true, .initial = number                                     \
    }
#define CELL(at, number, low, high)                                                                \
    {                                                                                              \
        .address = at, .initial = number, .least = low, .most = high                               \
    }
#define ACT(at, high, of)                                                                          \
    {                                                                                              \
        .address = at, .effect = EFFECT_##of, .most = high                                         \
    }
static const struct control_row rows[] = {
    READ_ONLY(0, 3),         READ_ONLY(1, 10),      READ_ONLY(2, 0),       READ_ONLY(3, 777),
    CELL(5, 1, 0, 253),      CELL(6, 0, 0, 7),      CELL(8, 1, 0, 1),      CELL(9, 0, 0, 4095),
    CELL(11, 4095, 0, 4095), CELL(13, 70, 0, 100),  CELL(14, 80, 0, 254),  CELL(15, 40, 0, 254),
    CELL(16, 1000, 0, 1000), CELL(18, 12, 0, 254),  CELL(19, 44, 0, 254),  CELL(20, 47, 0, 254),
    CELL(21, 32, 0, 254),    CELL(22, 32, 0, 254),  CELL(24, 16, 0, 1000), CELL(26, 1, 0, 32),
    CELL(27, 1, 0, 32),      CELL(28, 500, 0, 511), CELL(30, 1, 1, 128),   CELL(33, 0, 0, 3),
    CELL(34, 20, 0, 100),    CELL(35, 200, 0, 254), CELL(36, 80, 0, 100),  CELL(37, 10, 0, 100),
    CELL(38, 200, 0, 254),   CELL(39, 10, 0, 254),  ACT(40, 128, TORQUE),  ACT(42, 0, GOAL),
    CELL(48, 1000, 0, 1000), CELL(55, 1, 0, 1),     READ_ONLY(56, 0),      READ_ONLY(58, 0),
    READ_ONLY(60, 0),        READ_ONLY(62, 0),      READ_ONLY(63, 0),      READ_ONLY(64, 0),
    READ_ONLY(65, 0),        READ_ONLY(66, 0),      READ_ONLY(67, 0),      READ_ONLY(69, 0),
    READ_ONLY(71, 0),
};
static const struct control_table tables[] = {
    {fields, COUNT(fields), rows, COUNT(rows), WIRE_LITTLE_ENDIAN},
    {fields, COUNT(fields), rows, COUNT(rows), WIRE_BIG_ENDIAN}};
const struct wire_packet feetech_registers =
    WIRE_PACKET("registers", 0, WIRE_TO_HOST, WIRE_LITTLE_ENDIAN, 87, fields, feetech_table,
                .has_no_id = true, .note = "control table of an STS3215; at = address");

/* ---- Memory ---- */

static void set_factory(const struct feetech_state *state, size_t i, struct feetech_table *table)
{
    const struct feetech_model *model = model_of(state, i);
    memset(table, 0, sizeof *table);
    control_table_reset(&tables[model->is_scs], table);
    table->byte_order = model->is_scs;
    table->model = model->number;
    table->max_voltage = model->max_v;
    table->max_position = (uint16_t)(model->steps - 1);
}

static size_t place(const struct feetech_state *state, size_t i, size_t address)
{
    return model_of(state, i)->is_scs && address == LOCK_SCS ? LOCK : address;
}

static void read_table(const struct feetech_state *state, size_t i,
                       const struct feetech_table *table, size_t address, uint8_t *out, size_t size)
{
    control_table_read(&tables[model_of(state, i)->is_scs], table, place(state, i, address), out,
                       size);
}

bool feetech_servo_read(const struct feetech_state *state, size_t i, enum servo_fault_kind fault,
                        size_t address, uint8_t *out, size_t size)
{
    uint8_t other[FEETECH_DATA_MAX];
    struct feetech_table table = state->servos[i].table;
    if (fault == SERVO_FOREIGN) {
        table.model = 2825;     // STS3250: huggingface/lerobot: motors/feetech/tables.py
        table.firmware_minor--; // users of lerobot have both 3.9 and 3.10: its issues 532, 1010
    }
    read_table(state, i, &table, address, out, size);
    if (fault != SERVO_TWIN)
        return true;
    // Another servo, with factory settings and in its middle position, answers at the same time.
    // Bytes that differ collide.
    set_factory(state, i, &table);
    table.id = state->servos[i].table.id;
    table.present_position = (uint16_t)(model_of(state, i)->steps / 2);
    read_table(state, i, &table, address, other, size);
    return memcmp(out, other, size) == 0;
}

static uint8_t *kept(struct feetech_state *state, size_t i)
{
    return state->storage.bytes + i * FEETECH_EEPROM;
}

/* Copies registers into permanent memory, as far as they have a place there. */
static void burn(struct feetech_state *state, size_t i, size_t from, size_t to)
{
    uint8_t live[FEETECH_EEPROM];
    read_table(state, i, &state->servos[i].table, 0, live, sizeof live);
    for (size_t at = from; at < to && at < sizeof live; at++) {
        state->storage.is_dirty |= kept(state, i)[at] != live[at];
        kept(state, i)[at] = live[at];
    }
}

void feetech_servo_make(struct feetech_state *state, size_t i)
{
    struct feetech_table fresh;
    const struct servo_spec *spec = &state->specs[i];
    const struct feetech_model *model = model_of(state, i);
    double rad_steps = 1 / model->step_rad, middle = model->steps / 2 + 0.5;
    set_factory(state, i, &fresh);
    fresh.id = spec->id;
    if (spec->low_rad < spec->high_rad) {
        double low = middle + spec->low_rad * rad_steps;
        double high = middle + spec->high_rad * rad_steps;
        fresh.min_position = (uint16_t)number_larger(low, 0);
        fresh.max_position = (uint16_t)number_smaller(high, model->steps - 1);
    }
    read_table(state, i, &fresh, 0, kept(state, i), FEETECH_EEPROM);
}

/* Loads the permanent registers. */
static void load(struct feetech_state *state, size_t i)
{
    uint64_t effects = 0;
    (void)control_table_write(&tables[model_of(state, i)->is_scs], &state->servos[i].table, 0,
                              kept(state, i), FEETECH_EEPROM, &effects);
}

void feetech_servo_boot(struct feetech_state *state, size_t i)
{
    struct feetech_servo *servo = &state->servos[i];
    set_factory(state, i, &servo->table);
    load(state, i);
    servo->table.torque_limit = servo->table.max_torque;
    servo->overload_s = servo->turns_steps = servo->speed_rad_s = 0;
    servo->stored_size = servo->latched = 0;
}

void feetech_servo_restore(struct feetech_state *state, size_t i)
{
    struct feetech_table fresh;
    set_factory(state, i, &fresh);
    fresh.id = state->servos[i].table.id;
    fresh.baud = state->servos[i].table.baud;
    read_table(state, i, &fresh, 0, kept(state, i), FEETECH_EEPROM);
    state->storage.is_dirty = true;
    load(state, i);
}

/* ---- Positions ---- */

static bool has_turns(const struct feetech_table *table)
{
    return (table->phase & PHASE_TURNS) || (table->min_position == 0 && table->max_position == 0);
}

/* Position in the unit of the register, without rounding. */
static double position(const struct feetech_state *state, size_t i)
{
    const struct feetech_servo *servo = &state->servos[i];
    const struct feetech_model *model = model_of(state, i);
    double steps = model->steps / 2 + servo->angle_rad / model->step_rad -
                   wire_signed(servo->table.homing_offset, 11) - servo->turns_steps;
    if (model->is_scs || has_turns(&servo->table))
        return steps;
    return steps - floor((steps + 0.5) / model->steps) * model->steps;
}

void feetech_servo_calibrate(struct feetech_state *state, size_t i, double to)
{
    struct feetech_servo *servo = &state->servos[i];
    double steps = model_of(state, i)->steps;
    double offset = position(state, i) + wire_signed(servo->table.homing_offset, 11) - to;
    offset -= floor(offset / steps + 0.5) * steps; // -2048 .. 2047
    servo->table.homing_offset = wire_unsigned(floor(offset + 0.5), 11);
    burn(state, i, 31, 33); // it is kept whatever the lock says
    servo->goal = position(state, i);
}

/* ---- Writing ---- */

void feetech_servo_write(struct feetech_state *state, size_t i, size_t address,
                         const uint8_t *bytes, size_t size)
{
    struct feetech_servo *servo = &state->servos[i];
    struct feetech_table *table = &servo->table;
    uint8_t torque = table->torque_enable;
    bool is_locked = table->lock != 0;
    uint64_t effects = 0;
    enum control_result result =
        control_table_write(&tables[model_of(state, i)->is_scs], table, place(state, i, address),
                            bytes, size, &effects);
    state->out_of_range += result == CONTROL_RANGE;
    state->ignored += result == CONTROL_ACCESS;
    if (effects >> EFFECT_TORQUE & 1) {
        if (table->torque_enable == CALIBRATE) {
            table->torque_enable = torque;
            feetech_servo_calibrate(state, i, 2048);
        } else if (table->torque_enable == 0)
            servo->latched = 0;
        else if (torque == 0)
            servo->goal = position(state, i);
    }
    if (effects >> EFFECT_GOAL & 1) {
        double goal = wire_signed(table->goal_position, 15);
        bool is_free = table->mode == MODE_STEPS || has_turns(table);
        servo->goal =
            is_free ? goal : number_between(goal, table->min_position, table->max_position);
        state->out_of_range += servo->goal != goal;
        servo->goal += table->mode == MODE_STEPS ? position(state, i) : 0;
    }
    if (!is_locked)
        burn(state, i, address, address + size);
}

/* ---- Motion ---- */

/* Value of one count of the velocity registers. */
static double velocity_rad_s(const struct feetech_state *state, size_t i)
{
    return (state->servos[i].table.phase & PHASE_UNIT ? 1 : 50) * model_of(state, i)->step_rad;
}

/* The wanted speed when the goal is AHEAD_RAD away, for a motor with FREE_RAD_S. */
static double wanted_rad_s(const struct feetech_state *state, size_t i, double free_rad_s,
                           double limit, double ahead_rad, double dt_s)
{
    const struct feetech_table *table = &state->servos[i].table;
    double accel_rad_s2 = table->acceleration * 100 * model_of(state, i)->step_rad;
    double speed_rad_s = wire_signed(table->goal_velocity, 15) * velocity_rad_s(state, i);
    double most = free_rad_s * limit;
    if (table->mode == MODE_PWM)
        return number_clamp(wire_signed(table->goal_time, 10) / 1000.0 * free_rad_s, most);
    if (table->mode == MODE_VELOCITY)
        return number_clamp(speed_rad_s, most);
    if (speed_rad_s != 0 || !(table->phase & PHASE_FAST_ZERO))
        most = number_smaller(fabs(speed_rad_s), most);
    if (accel_rad_s2 > 0) // so that it can stop at the goal
        most = number_smaller(most, sqrt(2 * accel_rad_s2 * fabs(ahead_rad)));
    return number_clamp(ahead_rad / dt_s, most);
}

/* Sets speed and duty. Cases: moved by hand, which is stronger than the servo; blocked shaft; too
 * heavy load; moving to the goal. Gravity keeps the joint below the goal by the sag. */
static void push(struct feetech_state *state, size_t i, double power, bool is_jammed,
                 double gravity_nm, double dt_s)
{
    struct feetech_servo *servo = &state->servos[i];
    const struct feetech_table *table = &servo->table;
    uint8_t unload = table->status & table->unload_condition;
    bool is_on = power > 0 && table->torque_enable == 1 && !(unload & BAD_TEMPERATURE);
    bool has_goal = table->mode != MODE_VELOCITY && table->mode != MODE_PWM;
    double limit = number_smaller(table->torque_limit / 1000.0,
                                  unload & BAD_LOAD ? table->protective_torque / 100.0 : 1);
    double free_rad_s = model_of(state, i)->free_rad_s * power;
    double stall_nm = model_of(state, i)->stall_nm * power;
    double held_nm = is_on ? number_clamp(gravity_nm, stall_nm * limit) : 0;
    double stiffness_nm_rad = STIFFNESS * table->p;
    double ahead_rad = (servo->goal - position(state, i)) * model_of(state, i)->step_rad;
    double sag_rad = stiffness_nm_rad > 0 ? gravity_nm / stiffness_nm_rad : 0;
    double want = wanted_rad_s(state, i, free_rad_s, limit, ahead_rad + sag_rad, dt_s);
    double left_rad = servo->hand_rad - servo->angle_rad;
    servo->duty = !is_on     ? 0
                  : has_goal ? number_clamp(ahead_rad * stiffness_nm_rad / stall_nm, limit)
                             : number_clamp(want * 1e6, limit);
    if (servo->hand_rad_s > 0 && power > 0) {
        servo->speed_rad_s = number_clamp(left_rad / dt_s, servo->hand_rad_s);
        if (fabs(left_rad) <= servo->hand_rad_s * dt_s)
            servo->hand_rad_s = 0;
    } else if (is_jammed) {
        servo->speed_rad_s = 0;
    } else if (!is_on || (has_goal && (held_nm != gravity_nm || stiffness_nm_rad == 0))) {
        double over_nm = number_larger(fabs(gravity_nm - held_nm) - FRICTION_NM, 0);
        double damping_nm_s = table->torque_enable == DAMPING ? DAMPED_NM_S : DAMPING_NM_S;
        servo->speed_rad_s = copysign(over_nm / damping_nm_s, gravity_nm);
        servo->duty = is_on ? -held_nm / stall_nm : 0;
    } else {
        double step = want - servo->speed_rad_s;
        double most = table->acceleration > 0
                          ? table->acceleration * 100 * model_of(state, i)->step_rad * dt_s
                          : fabs(step);
        servo->speed_rad_s += number_clamp(step, most);
        servo->duty = number_clamp(servo->speed_rad_s / free_rad_s - gravity_nm / stall_nm, limit);
    }
    // The part of the duty that the speed does not need is torque.
    bool is_much =
        is_on && fabs(servo->duty - servo->speed_rad_s / free_rad_s) * 100 > table->overload_torque;
    servo->overload_s = is_much ? servo->overload_s + dt_s : 0;
    servo->current_a = is_on ? IDLE_A + STALL_A * fabs(servo->duty) : 0;
}

/* ---- Health, and present values of the registers ---- */

static void watch_health(struct feetech_servo *servo, double volts, double celsius)
{
    struct feetech_table *table = &servo->table;
    if (servo->overload_s > table->protection_time * 0.01)
        servo->latched = BAD_LOAD;
    table->present_voltage = wire_saturate_u8(volts * 10);
    table->present_temperature = wire_saturate_u8(celsius);
    table->status = servo->latched;
    if (table->present_voltage > table->max_voltage || table->present_voltage < table->min_voltage)
        table->status |= BAD_VOLTAGE;
    if (table->present_temperature > table->max_temperature)
        table->status |= BAD_TEMPERATURE;
}

static void show(struct feetech_state *state, size_t i, double speed_rad_s)
{
    struct feetech_servo *servo = &state->servos[i];
    struct feetech_table *table = &servo->table;
    double current = copysign(servo->current_a / CURRENT_A, servo->duty);
    table->present_position = wire_unsigned(floor(position(state, i) + 0.5), 15);
    table->present_velocity = wire_unsigned(speed_rad_s / velocity_rad_s(state, i), 15);
    table->present_load = wire_unsigned(servo->duty * 1000, 10);
    table->present_current = wire_unsigned(current, 15);
    table->moving = fabs(speed_rad_s) >= model_of(state, i)->step_rad;
    table->goal_copy = table->goal_position_2 = table->goal_position;
    table->registered = servo->stored_size > 0;
}

static void step(struct feetech_state *state, size_t i, const struct robot_sensors *sensors,
                 double gravity_nm, double dt_s)
{
    struct feetech_servo *servo = &state->servos[i];
    const struct servo_spec *spec = &state->specs[i];
    const struct servo_fault *fault = &sensors->servo[i];
    double volts = fault->kind == SERVO_SAG ? fault->amount : state->supply_v;
    bool has_power = fault->kind != SERVO_ABSENT;
    if (!has_power && servo->deaf_until_us != ROBOT_NEVER) {
        feetech_servo_boot(state, i); // its volatile registers are lost
        servo->deaf_until_us = ROBOT_NEVER;
    }
    double power = has_power ? volts / model_of(state, i)->rated_v : 0;
    push(state, i, power, fault->kind == SERVO_JAMMED, gravity_nm, dt_s);
    double speed_rad_s = servo->speed_rad_s, sign = spec->is_reversed ? -1 : 1;
    if (spec->axis == SERVO_WHEEL) {
        servo->angle_rad = sensors->wheel_rad[spec->wheel] * sign;
        speed_rad_s = sensors->wheel_rad_s[spec->wheel] * sign;
    } else {
        double next_rad = servo->angle_rad + speed_rad_s * dt_s;
        bool has_ends = spec->low_rad < spec->high_rad;
        servo->angle_rad =
            has_ends ? number_between(next_rad, spec->low_rad, spec->high_rad) : next_rad;
        if (servo->angle_rad != next_rad)
            speed_rad_s = servo->speed_rad_s = 0;
    }
    servo->temperature_c +=
        (ROOM_C + HEAT_C * servo->duty * servo->duty - servo->temperature_c) * dt_s / HEAT_S;
    watch_health(servo, volts, fault->kind == SERVO_HOT ? fault->amount : servo->temperature_c);
    show(state, i, speed_rad_s);
}

/* Computes the positions of the ends of the links. */
static void find_links(struct feetech_state *state)
{
    double elevation_rad = 0, reach_m = 0, height_m = 0;
    for (size_t i = 0; i < state->count; i++) {
        struct feetech_servo *servo = &state->servos[i];
        const struct servo_spec *spec = &state->specs[i];
        double sine, cosine;
        if (spec->axis == SERVO_BEND)
            elevation_rad += spec->bend_rad - servo->angle_rad;
        angle_sin_cos(elevation_rad, &sine, &cosine);
        servo->reach_m = reach_m += cosine * spec->length_m;
        servo->height_m = height_m += sine * spec->length_m;
    }
}

void feetech_servos_step(struct feetech_state *state, const struct robot_sensors *sensors,
                         int64_t now_us)
{
    double dt_s = (double)(now_us - state->stepped_us) * 1e-6, mass_kg = 0, moment_kg_m = 0;
    double sag_v = state->options.supply_ohm * state->current_a;
    state->stepped_us = now_us;
    state->supply_v = number_larger(0, state->options.supply_v - sag_v);
    state->current_a = 0;
    find_links(state);
    for (size_t i = state->count; i-- > 0 && dt_s > 0;) { // from the end of the chain
        const struct servo_spec *spec = &state->specs[i];
        double from_m = i > 0 ? state->servos[i - 1].reach_m : 0;
        mass_kg += spec->mass_kg;
        moment_kg_m += spec->mass_kg * (from_m + state->servos[i].reach_m) / 2;
        double gravity_nm = GRAVITY_M_S2 * (moment_kg_m - mass_kg * from_m);
        step(state, i, sensors, spec->axis == SERVO_BEND ? gravity_nm : 0, dt_s);
        state->current_a += state->servos[i].current_a;
    }
}
