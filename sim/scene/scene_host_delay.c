/* The range of delays of a slow driver. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/text.h"
#include "sim/scene/scene.h"

/* Chosen: longer than a test waits for a driver; fits 32 bits of us. */
enum { DELAY_MAX_S = 1000 };

static const struct delay_unit {
    const char *name;
    double us;
} units[] = {{"ms", 1e3}, {"us", 1}, {"s", 1e6}};

/* Removes the unit at the end of TEXT and returns it; NULL: no unit. */
static const struct delay_unit *take_unit(char *text)
{
    size_t size = strlen(text);
    for (size_t i = 0; i < COUNT(units); i++) {
        size_t length = strlen(units[i].name);
        if (size > length && strcmp(text + size - length, units[i].name) == 0) {
            text[size - length] = '\0';
            return &units[i];
        }
    }
    return NULL;
}

static bool read_end(const char *text, const struct delay_unit *unit, uint32_t *out_us)
{
    double value;
    if (!unit || !number_parse(text, &value) || !(value >= 0) ||
        !(value * unit->us <= DELAY_MAX_S * 1e6))
        return false;
    *out_us = (uint32_t)(value * unit->us + 0.5);
    return true;
}

/* The first end may omit its unit: it then has that of the second. */
bool scene_host_delay_parse(const char *text, struct scene_host_delay *out, struct error *error)
{
    char copy[SCENE_NAME_MAX] = "";
    snprintf(copy, sizeof copy, "%s", text);
    char *dots = strstr(copy, ".."), *high = dots ? dots + 2 : copy;
    if (dots)
        *dots = '\0';
    const struct delay_unit *high_unit = take_unit(high);
    const struct delay_unit *low_unit = dots ? take_unit(copy) : NULL;
    struct scene_host_delay read;
    if (strlen(text) < sizeof copy && read_end(high, high_unit, &read.max_us) &&
        read_end(copy, low_unit ? low_unit : high_unit, &read.min_us) &&
        read.min_us <= read.max_us) {
        *out = read;
        return true;
    }
    return error_set(error,
                     "'%s' is not a range of delays; allowed: A..B with a unit (us, ms, s) from 0 "
                     "to %d s, such as 0..400ms",
                     TEXT_QUOTE(text), DELAY_MAX_S);
}
