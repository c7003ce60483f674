/* Only simavr, as a measure for ptybot-avr: avr_bare FIRMWARE.elf SECONDS of the chip of a mega.
 * With a third word it has the repairs of clients/avr/chip.c: simavr 1.6 spends much time on timers
 * and interrupts that it gets wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/avr/chip.h"

#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

enum { CLOCK_HZ = 16000000 };

static void sleep_no_time(avr_t *avr, avr_cycle_count_t cycles)
{
    (void)avr, (void)cycles;
}

static int run_simavr(const char *path, double seconds)
{
    elf_firmware_t firmware = {0};
    avr_t *avr = avr_make_mcu_by_name("atmega2560");
    if (!avr || elf_read_firmware(path, &firmware) != 0)
        return EXIT_FAILURE;
    avr_init(avr);
    firmware.frequency = CLOCK_HZ;
    avr_load_firmware(avr, &firmware);
    avr->sleep = sleep_no_time;
    avr_cycle_count_t end = (avr_cycle_count_t)(seconds * CLOCK_HZ);
    while (avr->cycle < end && avr->state != cpu_Done && avr->state != cpu_Crashed)
        avr_run(avr);
    return avr->cycle < end ? EXIT_FAILURE : EXIT_SUCCESS;
}

static void hear_level(void *context, int pin, bool is_high, int64_t now)
{
    (void)context, (void)pin, (void)is_high, (void)now;
}

static void hear_byte(void *context, unsigned serial, uint8_t byte)
{
    (void)context, (void)serial, (void)byte;
}

static int run_chip(const char *path, double seconds)
{
    const struct chip_ear ear = {NULL, hear_level, hear_byte};
    struct chip *chip = chip_open(BOARD_MEGA, path, &ear);
    if (!chip)
        return EXIT_FAILURE;
    chip_reset(chip, 0);
    return chip_run(chip, (int64_t)(seconds * 1e9)) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return EXIT_FAILURE;
    return (argc > 3 ? run_chip : run_simavr)(argv[1], atof(argv[2]));
}
