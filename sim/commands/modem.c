/* The command `modem`: the modem lines that a host sees on a serial channel. */
#include <string.h>

#include "base/modem_lines.h"
#include "sim/state/state.h"

enum { KEEP, OFF, ON };
static const char *const words[] = {"keep", "off", "on", NULL};

enum { LINES = 4 };
static const uint8_t bits[LINES] = {MODEM_CTS, MODEM_DSR, MODEM_DCD, MODEM_RI};

#define LINE(name, number)                                                                         \
    {                                                                                              \
        .key = (name), .type = OPTION_CHOICE,                                                      \
        .offset = offsetof(struct modem_args, lines) + (number) * sizeof(int32_t), .unit = "",     \
        .fallback = "keep", .choices = words                                                       \
    }

const struct option_row modem_rows[MODEM_ROWS] = {
    {.key = "what",
     .type = OPTION_TEXT,
     .offset = offsetof(struct modem_args, what),
     .size = sizeof((struct modem_args *)0)->what,
     .unit = "",
     .note = "a serial channel"},
    LINE("cts", 0),
    LINE("dsr", 1),
    LINE("dcd", 2),
    LINE("ri", 3),
};

struct sim_channel *modem_find(struct sim_robot *robot, const struct modem_args *args,
                               struct error *error)
{
    const struct robot_type *type = robot->type;
    const char *wanted = args->what;
    for (size_t c = 0; c < type->channel_count; c++)
        if (type->channels[c].kind == CHANNEL_SERIAL && strcmp(type->channels[c].name, wanted) == 0)
            return &robot->sim->channels[robot->first_channel + c];
    error_set(error, "what: '%s' is no serial channel; the first channel is '%s'", wanted,
              type->channels[0].name);
    return NULL;
}

bool modem_set(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us;
    const struct modem_args *args = data;
    struct sim_channel *channel = modem_find(state, args, error);
    bool is_any = false;
    if (!channel)
        return false;
    for (size_t i = 0; i < LINES; i++)
        is_any = is_any || args->lines[i] != KEEP;
    if (!is_any)
        return error_set(error, "give at least one of cts, dsr, dcd, ri");
    for (size_t i = 0; i < LINES; i++)
        if (args->lines[i] == ON)
            channel->robot_lines |= bits[i];
        else if (args->lines[i] == OFF)
            channel->robot_lines &= (uint8_t)~bits[i];
    return true;
}
