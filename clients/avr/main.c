/* ptybot-avr: runs the firmware of an AVR as a robot's firmware process. For a body file with
 * `firmware: {avr: firmware.elf, board: uno}`, ptybot starts it with the path of the firmware. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/avr/chip.h"
#include "clients/avr/mpu6050.h"
#include "clients/avr/wiring.h"

enum { SPAN_US = 1000, DTR = 1 };
/* How long the boot loader waits for a program. Chosen: Optiboot of an Uno waits 1 s, the boot
 * loader of a Mega 1.5 s. */
static const int64_t BOOT_NS = 1600000000;

struct station {
    struct wiring wiring;
    struct chip *chip;
    struct mpu6050 mpu6050;
    bool has_auto_reset, is_dtr_on;
    int64_t start; /* start of the sketch; before it the board ignores its inputs */
};

static void hear_level(void *context, int pin, bool is_high, int64_t now)
{
    struct station *self = context;
    wiring_set(&self->wiring, pin, is_high, now);
}

static void hear_byte(void *context, unsigned serial, uint8_t byte)
{
    struct station *self = context;
    wiring_send(&self->wiring, serial, byte);
}

static void set_volts(struct station *self)
{
    const struct ptybot_senses *now = ptybot_firmware_senses(self->wiring.firmware);
    for (size_t i = 0; i < self->wiring.row_count; i++) {
        enum pin_kind kind = self->wiring.rows[i].kind;
        int pin = self->wiring.rows[i].pin;
        if (pin_is_analog(kind))
            chip_set_volts(self->chip, pin, self->wiring.volts[pin]);
        else if (kind == PIN_MPU6050)
            mpu6050_feel(&self->mpu6050, now->accel_m_s2, now->gyro_rad_s, now->temperature_c);
    }
}

/* Power-on, or a reset by DTR, which a capacitor connects to the reset pin. */
static void start(struct station *self, bool is_power_on)
{
    self->start = is_power_on ? 0 : self->wiring.from + BOOT_NS;
    chip_reset(self->chip, self->start);
    if (is_power_on) {
        wiring_start(&self->wiring);
        mpu6050_reset(&self->mpu6050);
    }
    for (int pin = 0; pin < WIRING_PINS; pin++)
        if (self->wiring.is_wired[pin])
            chip_set_level(self->chip, pin, self->wiring.level[pin]);
}

/* Runs the span whose inputs the last question made known. */
static bool run(struct station *self)
{
    struct wiring *wiring = &self->wiring;
    set_volts(self);
    for (int64_t at; (at = wiring_next(wiring)) <= wiring->to;) {
        if (!chip_run(self->chip, at))
            return false;
        struct wiring_event event = wiring_happen(wiring);
        if (event.serial >= 0 && at >= self->start)
            chip_receive(self->chip, (unsigned)event.serial, event.byte);
        else if (event.pin >= 0)
            chip_set_level(self->chip, event.pin, wiring->level[event.pin]);
    }
    return chip_run(self->chip, wiring->to);
}

static void act(struct station *self)
{
    for (size_t i = 0; i < self->wiring.row_count; i++)
        if (pin_is_output(self->wiring.rows[i].kind))
            wiring_set(&self->wiring, self->wiring.rows[i].pin,
                       chip_duty(self->chip, self->wiring.rows[i].pin), self->wiring.to);
    for (unsigned i = 0; i < WIRING_SERIALS; i++)
        wiring_set_baud(&self->wiring, i, chip_baud(self->chip, i));
    wiring_act(&self->wiring);
    ptybot_firmware_deeds(self->wiring.firmware)->wait_us = SPAN_US;
}

/* Reads the time and the modem lines of the last question. */
static void take(struct station *self)
{
    const struct ptybot_senses *now = ptybot_firmware_senses(self->wiring.firmware);
    int channel = self->wiring.serials[0].channel;
    bool was_on = self->is_dtr_on;
    self->is_dtr_on = channel >= 0 && now->channels[channel].lines & DTR;
    if (now->is_start)
        start(self, true);
    else
        wiring_take(&self->wiring);
    // A driver that opened the port before the first question also resets the board.
    bool is_opened = self->is_dtr_on && (now->is_start ? now->power_us == 0 : !was_on);
    if (self->has_auto_reset && is_opened)
        start(self, false);
}

int main(int argc, char **argv)
{
    static struct station station;
    const struct chip_ear ear = {&station, hear_level, hear_byte};
    struct ptybot_firmware *firmware = argc >= 2 ? ptybot_firmware_open() : NULL;
    if (argc < 2)
        fprintf(stderr,
                "ptybot starts this: write `firmware: {avr: firmware.elf, board: uno}` in a "
                "body file\n");
    if (!firmware)
        return EXIT_FAILURE;
    wiring_init(&station.wiring, firmware);
    station.chip = chip_open(station.wiring.board, argv[1], &ear);
    if (!station.chip)
        return EXIT_FAILURE;
    for (size_t i = 0; i < station.wiring.row_count; i++) {
        enum pin_kind kind = station.wiring.rows[i].kind;
        if (kind == PIN_TRIGGER || (kind >= PIN_DIRECTION && kind <= PIN_SERVO))
            chip_listen(station.chip, station.wiring.rows[i].pin);
        else if (kind == PIN_MPU6050)
            chip_attach_mpu6050(station.chip, &station.mpu6050);
    }
    station.has_auto_reset = station.wiring.board != BOARD_LEONARDO &&
                             !(argc > 2 && strcmp(argv[2], "--no-auto-reset") == 0);
    while (ptybot_firmware_ask(firmware)) {
        take(&station);
        if (!run(&station))
            return EXIT_FAILURE;
        act(&station);
    }
    ptybot_firmware_close(firmware);
    return EXIT_SUCCESS;
}
