/* Serial port settings as numbers and words. */
#include "base/serial_settings.h"

#include <stdio.h>

#include "base/array.h"
#include "base/text.h"

const char *const serial_parity_words[] = {"none", "odd", "even", "mark", "space", NULL};

bool serial_settings_equal(struct serial_settings a, struct serial_settings b)
{
    return a.baud == b.baud && a.mode == b.mode;
}

enum serial_parity serial_mode_parity(uint32_t mode)
{
    return (enum serial_parity)((mode & SERIAL_PARITY) >> SERIAL_PARITY_SHIFT);
}

unsigned serial_mode_data_bits(uint32_t mode)
{
    return 8 - ((mode & SERIAL_MISSING_BITS) >> SERIAL_MISSING_BITS_SHIFT);
}

unsigned serial_mode_stop_bits(uint32_t mode)
{
    return mode & SERIAL_TWO_STOP_BITS ? 2 : 1;
}

const char *serial_settings_text(struct serial_settings settings,
                                 char text[static SERIAL_SETTINGS_TEXT_SIZE])
{
    static const char *const flags[] = {"ICANON", "ECHO",   "ISIG", "ICRNL", "INLCR", "IGNCR",
                                        "ISTRIP", "PARMRK", "IXON", "IXOFF", "OPOST"};
    static const char parities[] = "NOEMS???"; // a journal may hold any number
    snprintf(text, SERIAL_SETTINGS_TEXT_SIZE, "%u baud, %u%c%u, %s", (unsigned)settings.baud,
             serial_mode_data_bits(settings.mode), parities[serial_mode_parity(settings.mode)],
             serial_mode_stop_bits(settings.mode),
             settings.mode & SERIAL_NOT_RAW ? "not raw" : "raw");
    const char *before = " (";
    for (size_t i = 0; i < COUNT(flags); i++) {
        if (!(settings.mode & 1U << i))
            continue;
        text_add(text, SERIAL_SETTINGS_TEXT_SIZE, before, "%s", flags[i]);
        before = ", ";
    }
    if (settings.mode & SERIAL_NOT_RAW)
        text_add(text, SERIAL_SETTINGS_TEXT_SIZE, "", ")");
    return text;
}
