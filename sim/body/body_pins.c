/* The pins of a body file: the part that a pin is wired to must exist, and a pin that needs a
 * partner must have one. */
#include "sim/body/body_keys.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { NAMES_MAX = ROBOT_SIGNALS_MAX + 1 };

static const char NO_USB[] =
    "Serial of a leonardo is its USB port, which the simulation of the chip does not have: use "
    "Serial1 in the sketch, with {pin: Serial1, is: serial, of: a channel} here";

/* ---- Possible owners of a pin ---- */

/* The names of the wheels: by side for one wheel per side, otherwise by number. */
static size_t name_wheels(const struct custom_robot *own, const char **names)
{
    static const char *const sides[] = {"left", "right"};
    static const char *const numbers[ROBOT_WHEELS_MAX] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    for (size_t i = 0; i < own->body.wheel_count; i++)
        names[i] = own->body.wheel_count == 2 ? sides[i] : numbers[i];
    return own->body.wheel_count;
}

static size_t name_sensors(const struct custom_robot *own, const char **names)
{
    for (size_t i = 0; i < own->body.sensor_count; i++)
        names[i] = own->body.sensors[i].name;
    return own->body.sensor_count;
}

static size_t name_bumpers(const struct custom_robot *own, const char **names)
{
    for (size_t i = 0; i < own->body.bumper_count; i++)
        names[i] = own->body.bumpers[i].name;
    return own->body.bumper_count;
}

static size_t name_buttons(const struct custom_robot *own, const char **names)
{
    size_t count = 0;
    for (; own->buttons && own->buttons[count]; count++)
        names[count] = own->buttons[count];
    return count;
}

static size_t name_signals(const struct custom_robot *own, const char **names)
{
    for (size_t i = 0; i < own->signal_count; i++)
        names[i] = own->signals[i].name;
    return own->signal_count;
}

static size_t name_channels(const struct custom_robot *own, const char **names)
{
    for (size_t i = 0; i < own->channel_count; i++)
        names[i] = own->channels[i].name;
    return own->channel_count;
}

/* The parts that pins of a kind may belong to. */
struct owner {
    const char *what;
    size_t (*name)(const struct custom_robot *own, const char **names);
};

static const struct owner wheel = {"a wheel", name_wheels}, sensor = {"a sensor", name_sensors},
                          bumper = {"a bumper", name_bumpers}, button = {"a button", name_buttons},
                          signal = {"a signal", name_signals},
                          channel = {"a channel", name_channels};

/* NULL: the kind belongs to the robot as a whole. */
static const struct owner *const owners[] = {
    [PIN_FORWARD] = &wheel,   [PIN_BACKWARD] = &wheel,  [PIN_ENABLE] = &wheel,
    [PIN_DIRECTION] = &wheel, [PIN_STEP] = &wheel,      [PIN_ESC] = &wheel,
    [PIN_STEERING] = NULL,    [PIN_SERVO] = &sensor,    [PIN_SIGNAL] = &signal,
    [PIN_TRIGGER] = &sensor,  [PIN_ECHO] = &sensor,     [PIN_ENCODER_A] = &wheel,
    [PIN_ENCODER_B] = &wheel, [PIN_BUMPER] = &bumper,   [PIN_BUTTON] = &button,
    [PIN_BATTERY] = NULL,     [PIN_DISTANCE] = &sensor, [PIN_REFLECTANCE] = &sensor,
    [PIN_CURRENT] = &sensor,  [PIN_MPU6050] = &sensor,  [PIN_SERIAL] = &channel,
};

/* ---- A pin, and all pins ---- */

static bool find_owner(struct scene_yaml *yaml, const struct scene_at *at,
                       const struct custom_robot *own, struct pin *pin, size_t i)
{
    const char *names[NAMES_MAX];
    char advice[TEXT_ADVICE_SIZE], sentence[512];
    const struct owner *owner = owners[pin->kind];
    if (!owner)
        return !pin->of ||
               body_fail_item(yaml, at, "pins", i, "of", "belongs to the robot; leave it out");
    names[owner->name(own, names)] = NULL;
    for (pin->index = 0; pin->of && names[pin->index]; pin->index++)
        if (strcmp(names[pin->index], pin->of) == 0)
            return true;
    text_advice(names, pin->of, advice);
    if (pin->of)
        snprintf(sentence, sizeof sentence, "'%s' is not %s; %s", TEXT_QUOTE(pin->of), owner->what,
                 names[0] ? advice : "the robot has none");
    else
        snprintf(sentence, sizeof sentence, "missing: %s; %s", owner->what,
                 names[0] ? advice : "the robot has none");
    return body_fail_item(yaml, at, "pins", i, "of", sentence);
}

static const struct pin *partner(const struct custom_robot *own, const struct pin *pin,
                                 enum pin_kind kind)
{
    for (size_t i = 0; i < own->pin_count; i++)
        if (own->pins[i].kind == kind && own->pins[i].index == pin->index)
            return &own->pins[i];
    return NULL;
}

/* An output pin may be wired to several parts of the same kind. */
static bool is_free(const struct custom_robot *own, size_t i)
{
    const struct pin *pin = &own->pins[i];
    for (size_t k = 0; k < i; k++)
        if (strcmp(own->pins[k].name, pin->name) == 0 &&
            !(pin_is_output(pin->kind) && own->pins[k].kind == pin->kind &&
              own->pins[k].index != pin->index))
            return false;
    return true;
}

static bool check_pin(struct scene_yaml *yaml, const struct scene_at *at, struct custom_robot *own,
                      size_t i)
{
    char sentence[256], has[PIN_ADVICE_SIZE];
    struct pin *pin = &own->pins[i];
    enum pin_board board = own->program.board;
    if (!board_has_pin(board, pin->kind, pin->name, has)) {
        snprintf(sentence, sizeof sentence, "'%s' is not such a pin of the board %s; allowed: %s",
                 TEXT_QUOTE(pin->name), board_names[board], has);
        return body_fail_item(yaml, at, "pins", i, "pin", sentence);
    }
    if (!find_owner(yaml, at, own, pin, i))
        return false;
    return is_free(own, i) || body_fail_item(yaml, at, "pins", i, "pin", "is wired already");
}

/* Checks that need other pins: done when all pins have their owners. */
static bool check_partner(struct scene_yaml *yaml, const struct scene_at *at,
                          const struct custom_robot *own, size_t i)
{
    const struct pin *pin = &own->pins[i];
    if (pin->kind == PIN_ENCODER_A && !(pin->counts > 0))
        return body_fail_item(yaml, at, "pins", i, "counts",
                              "missing: counts per turn of the wheel, four per slot");
    if (pin->kind == PIN_ENCODER_B && !partner(own, pin, PIN_ENCODER_A))
        return body_fail_item(yaml, at, "pins", i, "is", "its encoder_a is missing");
    if (pin->kind == PIN_STEP && !(pin->counts > 0))
        return body_fail_item(yaml, at, "pins", i, "counts",
                              "missing: steps per turn of the wheel");
    bool is_step =
        pin->kind == PIN_STEP || (pin->kind == PIN_DIRECTION && partner(own, pin, PIN_STEP));
    if ((pin->kind <= PIN_ESC) && is_step != (own->body.motor == ROBOT_MOTOR_STEPPER))
        return body_fail_item(yaml, at, "pins", i, "is",
                              is_step ? "needs a motor of the kind stepper"
                                      : "needs a motor of the kind dc");
    if ((pin->kind == PIN_CURRENT && own->body.sensors[pin->index].kind != SENSOR_CURRENT) ||
        (pin->kind == PIN_MPU6050 && own->body.sensors[pin->index].kind != SENSOR_IMU))
        return body_fail_item(yaml, at, "pins", i, "of",
                              pin->kind == PIN_CURRENT ? "needs a sensor of the kind current"
                                                       : "needs a sensor of the kind imu");
    if (pin->kind == PIN_ECHO && !partner(own, pin, PIN_TRIGGER))
        return body_fail_item(yaml, at, "pins", i, "is", "its trigger is missing");
    return true;
}

/* simavr has no USB port for a driver. */
static bool check_usb(struct scene_yaml *yaml, const struct scene_at *at,
                      const struct custom_robot *own)
{
    bool is_wired = false;
    if (own->base || !own->program.avr || own->program.board != BOARD_LEONARDO)
        return true;
    for (size_t i = 0; i < own->pin_count; i++) {
        is_wired = is_wired || own->pins[i].kind == PIN_SERIAL;
        if (strcmp(own->pins[i].name, "Serial") == 0)
            return body_fail_item(yaml, at, "pins", i, "pin", NO_USB);
    }
    struct scene_at child = scene_yaml_child(yaml, at, "pins");
    return is_wired || scene_yaml_fail(yaml, &child, "%s", NO_USB);
}

bool body_take_pins(struct scene_yaml *yaml, const struct scene_at *at, struct custom_robot *own)
{
    if (own->pin_count > 0 && own->base)
        return body_fail_item(yaml, at, "pins", 0, "pin",
                              "a built-in firmware has no pins; leave the key out");
    for (size_t i = 0; i < own->pin_count; i++)
        if (!check_pin(yaml, at, own, i))
            return false;
    for (size_t i = 0; i < own->pin_count; i++)
        if (!check_partner(yaml, at, own, i))
            return false;
    if (!check_usb(yaml, at, own))
        return false;
    own->program.pins = own->pins;
    own->program.pin_count = own->pin_count;
    return true;
}
