/* Registers and their effects. Sources as in feetech_wire.h; speed and torque: the data sheets of
 * the STS3215 at 7.4 and 12 V (free speed measured at 12 V: TheRobotStudio/SO-ARM100, issue 134).
 */
#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "base/number.h"
#include "protocols/feetech/feetech_state.h"

#define STEP_RAD   (2 * ANGLE_PI / 4096)
#define KG_CM_NM   0.0980665
#define CURRENT_A  0.0065      /* a count of the current registers */
#define UNIT_2_OFF 50          /* steps/s of a count of the velocity where bit 2 of phase is off */
#define STIFFNESS  (17.0 / 16) /* Nm/rad for each count of P: measured 23..34 at P 32 */
#define TICK_S     1e-3
#define MIDDLE     0.5 /* of the range: where a joint is at 0 */

enum {
    PHASE_UNIT = 0x04,
    PHASE_FAST_ZERO = 0x08,
    PHASE_TURNS = 0x10,
    MODE_POSITION = 0,
    MODE_VELOCITY,
    MODE_PWM,
    MODE_STEPS,
    BAD_VOLTAGE = 0x01,
    BAD_TEMPERATURE = 0x04,
    BAD_CURRENT = 0x08,
    BAD_LOAD = 0x20,
    CALIBRATE = 128,
    DAMPING = 2,
};

/* ---- Models ---- */

/* Gears 1:345, 1:191, 1:147 (TheRobotStudio/SO-ARM100: README); SCS0009: its product page. */
#define GEARED(ratio)                                                                              \
    {                                                                                              \
        777, false, 4096, 2 * ANGLE_PI, 7.4, 3400 * STEP_RAD * 345 / (ratio),                      \
            19.5 * KG_CM_NM *(ratio) / 345, 80                                                     \
    }
static const struct feetech_model models[] = {
    GEARED(345),
    {777, false, 4096, 2 * ANGLE_PI, 12, 3140 * STEP_RAD, 30 * KG_CM_NM, 140},
    GEARED(191),
    GEARED(147),
    {1284, true, 1024, 300 * ANGLE_RAD_DEG, 6, 600 * ANGLE_RAD_DEG, 2.3 * KG_CM_NM, 80},
};
const char *const feetech_model_names[] = {"sts3215",     "sts3215_12v", "sts3215_191",
                                           "sts3215_147", "scs0009",     NULL};

const struct feetech_model *feetech_model(const struct feetech_state *state, size_t servo)
{
    return &models[state->servos[servo].model];
}

const struct control_table *feetech_table_of(const struct feetech_state *state, size_t servo)
{
    return feetech_model(state, servo)->is_scs ? &feetech_scs : &feetech_sts;
}

/* ---- Memory ---- */

void feetech_factory(const struct feetech_state *state, size_t i, struct feetech_table *table)
{
    const struct feetech_model *model = feetech_model(state, i);
    memset(table, 0, sizeof *table);
    control_table_reset(feetech_table_of(state, i), table);
    table->model = model->number;
    table->max_voltage = model->max_v;
}

static void keep(struct feetech_state *state, size_t i)
{
    struct feetech_servo *servo = &state->servos[i];
    uint8_t *at = state->storage.bytes + i * FEETECH_EEPROM;
    state->storage.is_dirty = state->storage.is_dirty || memcmp(at, servo->eeprom, FEETECH_EEPROM);
    memcpy(at, servo->eeprom, FEETECH_EEPROM);
}

static void burn(struct feetech_state *state, size_t i, size_t from, size_t to)
{
    uint8_t live[FEETECH_EEPROM];
    control_table_read(feetech_table_of(state, i), &state->servos[i].table, 0, live, sizeof live);
    for (size_t at = from; at < to && at < sizeof live; at++)
        state->servos[i].eeprom[at] = live[at];
    keep(state, i);
}

void feetech_servo_make(struct feetech_state *state, size_t i)
{
    struct feetech_table *table = &state->servos[i].table;
    const struct servo_spec *spec = &state->specs[i];
    const struct feetech_model *model = feetech_model(state, i);
    double step_rad = model->range_rad / model->steps, most = model->steps - 1;
    feetech_factory(state, i, table);
    table->id = spec->id;
    if (spec->low_rad < spec->high_rad) {
        double middle = model->steps * MIDDLE;
        table->min_position =
            (uint16_t)number_between(floor(middle + spec->low_rad / step_rad + 0.5), 0, most);
        table->max_position =
            (uint16_t)number_between(floor(middle + spec->high_rad / step_rad + 0.5), 0, most);
    }
    burn(state, i, 0, FEETECH_EEPROM);
}

void feetech_servo_boot(struct feetech_state *state, size_t i)
{
    struct feetech_servo *servo = &state->servos[i];
    uint64_t effects = 0;
    feetech_factory(state, i, &servo->table);
    (void)control_table_write(feetech_table_of(state, i), &servo->table, 0, servo->eeprom,
                              FEETECH_EEPROM, &effects);
    servo->table.torque_limit = servo->table.max_torque;
    servo->latched = 0;
    servo->overload_s = servo->overcurrent_s = servo->turns_steps = 0;
    servo->stored_size = 0;
    servo->joint.speed_rad_s = 0;
}

void feetech_servo_restore(struct feetech_state *state, size_t i)
{
    struct feetech_servo *servo = &state->servos[i];
    struct feetech_table fresh;
    uint8_t bytes[FEETECH_EEPROM];
    uint64_t effects = 0;
    feetech_factory(state, i, &fresh);
    fresh.id = servo->table.id;
    fresh.baud = servo->table.baud;
    control_table_read(feetech_table_of(state, i), &fresh, 0, bytes, sizeof bytes);
    (void)control_table_write(feetech_table_of(state, i), &servo->table, 0, bytes, sizeof bytes,
                              &effects);
    burn(state, i, 0, FEETECH_EEPROM);
}

/* ---- Positions ---- */

static double step_rad(const struct feetech_state *state, size_t i)
{
    const struct feetech_model *model = feetech_model(state, i);
    return model->range_rad / model->steps;
}

static bool has_turns(const struct feetech_table *table)
{
    return (table->phase & PHASE_TURNS) || (table->min_position == 0 && table->max_position == 0);
}

/* As the register counts, but not rounded. */
static double position(const struct feetech_state *state, size_t i)
{
    const struct feetech_servo *servo = &state->servos[i];
    const struct feetech_model *model = feetech_model(state, i);
    double steps = model->steps * MIDDLE + servo->joint.angle_rad / step_rad(state, i) -
                   wire_signed(servo->table.homing_offset, 11) - servo->turns_steps;
    if (model->is_scs || has_turns(&servo->table))
        return steps;
    return steps - floor((steps + 0.5) / model->steps) * model->steps;
}

void feetech_servo_calibrate(struct feetech_state *state, size_t i, double wanted)
{
    struct feetech_servo *servo = &state->servos[i];
    const struct feetech_model *model = feetech_model(state, i);
    double offset = position(state, i) + wire_signed(servo->table.homing_offset, 11) - wanted;
    offset -= floor(offset / model->steps + 0.5) * model->steps; // -2048 .. 2047
    servo->table.homing_offset = wire_unsigned(floor(offset + 0.5), 11);
    burn(state, i, 31, 33); // it is kept whatever the lock says
    servo->goal = position(state, i);
}

/* ---- Writing ---- */

static void set_goal(struct feetech_state *state, size_t i)
{
    struct feetech_servo *servo = &state->servos[i];
    const struct feetech_table *table = &servo->table;
    double goal = wire_signed(table->goal_position, 15);
    if (table->mode == MODE_STEPS)
        goal += position(state, i);
    else if (!has_turns(table) && !(goal >= table->min_position && goal <= table->max_position)) {
        goal = number_between(goal, table->min_position, table->max_position);
        state->clamped++;
    }
    servo->goal = goal;
}

static void set_torque(struct feetech_state *state, size_t i, uint8_t before)
{
    struct feetech_servo *servo = &state->servos[i];
    if (servo->table.torque_enable == CALIBRATE) {
        servo->table.torque_enable = before;
        feetech_servo_calibrate(state, i, 2048);
    } else if (servo->table.torque_enable == 0) {
        servo->latched = 0;
    } else if (before == 0) {
        servo->goal = position(state, i);
    }
}

void feetech_servo_write(struct feetech_state *state, size_t i, uint8_t address,
                         const uint8_t *bytes, size_t size)
{
    struct feetech_table *table = &state->servos[i].table;
    uint8_t torque = table->torque_enable;
    bool is_locked = table->lock != 0;
    uint64_t effects = 0;
    enum control_result result =
        control_table_write(feetech_table_of(state, i), table, address, bytes, size, &effects);
    state->clamped += result == CONTROL_RANGE;
    state->ignored += result == CONTROL_ACCESS;
    if (effects >> FEETECH_EFFECT_TORQUE & 1)
        set_torque(state, i, torque);
    if (effects >> FEETECH_EFFECT_GOAL & 1)
        set_goal(state, i);
    if (!is_locked && address < FEETECH_EEPROM)
        burn(state, i, address, address + size);
}

/* ---- Motion ---- */

bool feetech_has_power(const struct robot_sensors *sensors, size_t servo)
{
    for (size_t i = 0; i <= servo; i++)
        if (sensors->servo[i].kind == SERVO_CUT)
            return false;
    return sensors->servo[servo].kind != SERVO_ABSENT;
}

/* A register of velocity in rad/s. */
static double velocity_rad_s(const struct feetech_state *state, size_t i, uint16_t number)
{
    double unit = state->servos[i].table.phase & PHASE_UNIT ? 1 : UNIT_2_OFF;
    return wire_signed(number, 15) * unit * step_rad(state, i);
}

static struct servo_drive drive_of(const struct feetech_state *state, size_t i,
                                   const struct servo_motor *motor)
{
    const struct feetech_servo *servo = &state->servos[i];
    const struct feetech_table *table = &servo->table;
    uint8_t unload = table->status & table->unload_condition;
    struct servo_drive drive = {
        .is_on = table->torque_enable == 1 && !(unload & (BAD_TEMPERATURE | BAD_CURRENT)),
        .is_damped = table->torque_enable == DAMPING,
        .accel_rad_s2 = table->acceleration * 100 * step_rad(state, i),
        .limit = table->torque_limit / 1000.0,
        .stiffness_nm_rad = STIFFNESS * table->p,
        .speed_rad_s = velocity_rad_s(state, i, table->goal_velocity),
    };
    if (unload & BAD_LOAD)
        drive.limit = number_smaller(drive.limit, table->protective_torque / 100.0);
    if (table->mode == MODE_VELOCITY) {
        drive.mode = SERVO_VELOCITY;
    } else if (table->mode == MODE_PWM) {
        drive.mode = SERVO_PWM;
        drive.duty = wire_signed(table->goal_time, 10) / 1000.0;
    } else {
        drive.ahead_rad = (servo->goal - position(state, i)) * step_rad(state, i);
        drive.speed_rad_s = fabs(drive.speed_rad_s);
        if (drive.speed_rad_s == 0 && table->phase & PHASE_FAST_ZERO)
            drive.speed_rad_s = motor->free_rad_s;
    }
    return drive;
}

/* Whether something has been too much for long enough. */
static bool lasts(double *since_s, bool is_too_much, double limit_s, double dt_s)
{
    *since_s = is_too_much ? *since_s + dt_s : 0;
    return is_too_much && *since_s > limit_s;
}

static void watch_health(struct feetech_state *state, size_t i, const struct servo_fault *fault,
                         double volts, double dt_s)
{
    struct feetech_servo *servo = &state->servos[i];
    struct feetech_table *table = &servo->table;
    double celsius = fault->kind == SERVO_HOT ? fault->amount : servo->joint.temperature_c;
    table->present_voltage = wire_saturate_u8(volts * 10);
    table->present_temperature = wire_saturate_u8(celsius);
    bool is_load = lasts(&servo->overload_s, fabs(servo->joint.duty) * 100 > table->overload_torque,
                         table->protection_time * 0.01, dt_s);
    bool is_current =
        lasts(&servo->overcurrent_s, servo->joint.current_a > table->protection_current * CURRENT_A,
              table->overcurrent_time * 0.01, dt_s);
    if (is_load)
        servo->latched |= BAD_LOAD;
    if (is_current)
        servo->latched |= BAD_CURRENT;
    bool is_volts =
        table->present_voltage > table->max_voltage || table->present_voltage < table->min_voltage;
    bool is_hot = table->present_temperature > table->max_temperature;
    table->status =
        (uint8_t)(servo->latched | (is_volts ? BAD_VOLTAGE : 0) | (is_hot ? BAD_TEMPERATURE : 0));
}

static void show(struct feetech_state *state, size_t i, double speed_rad_s)
{
    struct feetech_servo *servo = &state->servos[i];
    struct feetech_table *table = &servo->table;
    double unit = table->phase & PHASE_UNIT ? 1 : UNIT_2_OFF;
    double steps_s = speed_rad_s / step_rad(state, i);
    double load = servo->joint.duty * 1000;
    table->present_position = wire_unsigned(floor(position(state, i) + 0.5), 15);
    table->present_velocity = wire_unsigned(steps_s / unit, 15);
    table->present_load = wire_unsigned(load, 10);
    table->present_current =
        wire_unsigned(copysign(servo->joint.current_a / CURRENT_A, servo->joint.duty), 15);
    table->moving = fabs(steps_s) >= 1;
    table->goal_copy = table->goal_position_2 = table->goal_position;
    table->registered = servo->stored_size > 0;
}

static double sign_of(const struct servo_spec *spec)
{
    return spec->is_reversed ? -1 : 1;
}

static void step(struct feetech_state *state, size_t i, const struct robot_sensors *sensors,
                 double gravity_nm, double dt_s)
{
    struct feetech_servo *servo = &state->servos[i];
    const struct servo_spec *spec = &state->specs[i];
    const struct feetech_model *model = feetech_model(state, i);
    const struct servo_fault *fault = &sensors->servo[i];
    double volts = fault->kind == SERVO_SAG ? fault->amount : state->supply_v;
    double power = feetech_has_power(sensors, i) ? volts / model->rated_v : 0;
    const struct servo_motor motor = {model->free_rad_s * power, model->stall_nm * power};
    if (power == 0 && servo->deaf_until_us != ROBOT_NEVER) {
        feetech_servo_boot(state, i); // its volatile registers are lost
        servo->deaf_until_us = ROBOT_NEVER;
    }
    struct servo_drive drive = drive_of(state, i, &motor);
    drive.is_jammed = fault->kind == SERVO_JAMMED;
    servo_joint_step(&servo->joint, spec, &motor, &drive, gravity_nm, dt_s);
    double speed_rad_s = servo->joint.speed_rad_s;
    if (spec->axis == SERVO_WHEEL) {
        servo->joint.angle_rad = sensors->wheel_rad[spec->wheel] * sign_of(spec);
        speed_rad_s = sensors->wheel_rad_s[spec->wheel] * sign_of(spec);
    }
    watch_health(state, i, fault, volts, dt_s);
    show(state, i, speed_rad_s);
}

void feetech_servos_step(struct feetech_state *state, const struct robot_sensors *sensors,
                         int64_t now_us)
{
    double gravity_nm[ROBOT_SERVOS_MAX];
    size_t count = state->count;
    double dt_s = (double)(now_us - state->stepped_us) * 1e-6;
    state->stepped_us = now_us;
    servo_chain(&state->servos[0].joint, sizeof state->servos[0], state->specs, count, gravity_nm);
    state->supply_v =
        number_larger(0, state->options.supply_v - state->options.supply_ohm * state->current_a);
    state->current_a = 0;
    for (size_t i = 0; i < count && dt_s > 0; i++) {
        step(state, i, sensors, gravity_nm[i], dt_s);
        state->current_a += state->servos[i].joint.current_a;
    }
}
