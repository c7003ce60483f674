#include "protocols/pins.h"

#include <stdio.h>
#include <string.h>

const char *const board_names[] = {[BOARD_UNO] = "uno",
                                   [BOARD_NANO] = "nano",
                                   [BOARD_LEONARDO] = "leonardo",
                                   [BOARD_MEGA] = "mega",
                                   NULL};

const char *const pin_kind_names[] = {
    [PIN_FORWARD] = "forward",     [PIN_BACKWARD] = "backward",
    [PIN_ENABLE] = "enable",       [PIN_DIRECTION] = "direction",
    [PIN_STEP] = "step",           [PIN_ESC] = "esc",
    [PIN_STEERING] = "steering",   [PIN_SERVO] = "servo",
    [PIN_SIGNAL] = "signal",       [PIN_TRIGGER] = "trigger",
    [PIN_ECHO] = "echo",           [PIN_ENCODER_A] = "encoder_a",
    [PIN_ENCODER_B] = "encoder_b", [PIN_BUMPER] = "bumper",
    [PIN_BUTTON] = "button",       [PIN_BATTERY] = "battery",
    [PIN_DISTANCE] = "distance",   [PIN_REFLECTANCE] = "reflectance",
    [PIN_CURRENT] = "current",     [PIN_MPU6050] = "mpu6050",
    [PIN_SERIAL] = "serial",       NULL};

/* Pin maps of the boards: ArduinoCore-avr, variants/STANDARD, eightanaloginputs, leonardo, mega. */
static const struct {
    int digital, analog, serial;
} boards[] = {
    [BOARD_UNO] = {14, 6, 1},
    [BOARD_NANO] = {14, 8, 1},
    [BOARD_LEONARDO] = {14, 6, 2},
    [BOARD_MEGA] = {54, 16, 4},
};

/* Whether NAME is PREFIX and a number below COUNT in its shortest form. */
static bool is_numbered(const char *name, const char *prefix, int count)
{
    char plain[24];
    for (int i = 0; i < count; i++) {
        snprintf(plain, sizeof plain, "%s%d", prefix, i);
        if (strcmp(plain, name) == 0)
            return true;
    }
    return false;
}

bool board_has_pin(enum pin_board board, enum pin_kind kind, const char *name,
                   char advice[PIN_ADVICE_SIZE])
{
    int digital = boards[board].digital, analog = boards[board].analog;
    int serial = boards[board].serial;
    if (kind == PIN_SERIAL) {
        snprintf(advice, PIN_ADVICE_SIZE, serial > 1 ? "Serial .. Serial%d" : "Serial", serial - 1);
        return strcmp(name, "Serial") == 0 ||
               (strcmp(name, "Serial0") != 0 && is_numbered(name, "Serial", serial));
    }
    if (kind == PIN_MPU6050) {
        snprintf(advice, PIN_ADVICE_SIZE, "Wire");
        return strcmp(name, "Wire") == 0;
    }
    bool is_analog = pin_is_analog(kind);
    snprintf(advice, PIN_ADVICE_SIZE, "A0 .. A%d", analog - 1);
    if (!is_analog)
        snprintf(advice, PIN_ADVICE_SIZE, "0 .. %d, A0 .. A%d", digital - 1, analog - 1);
    return is_numbered(name, "A", analog) || (!is_analog && is_numbered(name, "", digital));
}
