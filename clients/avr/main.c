/* ptybot-avr: a firmware of an AVR as the process of a robot. ptybot starts it with the path of the
 * firmware, from a body file with `firmware: {avr: firmware.elf, board: uno}`. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "clients/avr/chip.h"
#include "clients/avr/wiring.h"

enum { SPAN_US = 1000 };

struct station {
    struct wiring wiring;
    struct chip *chip;
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
    for (size_t i = 0; i < self->wiring.row_count; i++) {
        enum pin_kind kind = self->wiring.rows[i].kind;
        int pin = self->wiring.rows[i].pin;
        if (kind >= PIN_BATTERY && kind <= PIN_REFLECTANCE)
            chip_set_volts(self->chip, pin, self->wiring.volts[pin]);
    }
}

static void start(struct station *self)
{
    chip_reset(self->chip);
    wiring_start(&self->wiring);
    for (int pin = 0; pin < WIRING_PINS; pin++)
        if (self->wiring.is_wired[pin])
            chip_set_level(self->chip, pin, self->wiring.level[pin]);
}

/* The span that the last question has told. */
static bool run(struct station *self)
{
    struct wiring *wiring = &self->wiring;
    set_volts(self);
    for (int64_t at; (at = wiring_next(wiring)) <= wiring->to;) {
        if (!chip_run(self->chip, at))
            return false;
        struct wiring_event event = wiring_happen(wiring);
        if (event.serial >= 0)
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

int main(int argc, char **argv)
{
    static struct station station;
    const struct chip_ear ear = {&station, hear_level, hear_byte};
    struct ptybot_firmware *firmware = argc == 2 ? ptybot_firmware_open() : NULL;
    if (argc != 2)
        fprintf(stderr,
                "ptybot starts this: write `firmware: {avr: firmware.elf, board: uno}` in a "
                "body file\n");
    if (!firmware)
        return EXIT_FAILURE;
    wiring_init(&station.wiring, firmware);
    station.chip = chip_open(station.wiring.board, argv[1], &ear);
    if (!station.chip)
        return EXIT_FAILURE;
    for (size_t i = 0; i < station.wiring.sonar_count; i++)
        chip_listen(station.chip, station.wiring.sonars[i].trigger);
    while (ptybot_firmware_ask(firmware)) {
        if (ptybot_firmware_senses(firmware)->is_start)
            start(&station);
        else
            wiring_take(&station.wiring);
        if (!run(&station))
            return EXIT_FAILURE;
        act(&station);
    }
    ptybot_firmware_close(firmware);
    return EXIT_SUCCESS;
}
