#include "sim/commands/fault_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "base/text.h"
#include "sim/commands/fault_commands.h"
#include "sim/state/power.h"
#include "sim/state/state.h"
#include "sim/wire/line.h"

__attribute__((format(printf, 3, 4))) static void add(struct fault_now *now, int64_t until_us,
                                                      const char *format, ...)
{
    char words[FAULT_WORDS_MAX];
    va_list values;
    va_start(values, format);
    vsnprintf(words, sizeof words, format, values);
    va_end(values);
    text_add(now->what, sizeof now->what, ", ", "%s", words);
    if (until_us > now->until_us)
        now->until_us = until_us;
}

/* " 5 %", or an empty string for a fault that affects everything. */
static const char *rate_word(double rate, char word[16])
{
    *word = '\0';
    if (rate > 0 && rate < 1)
        snprintf(word, 16, " %.3g %%", 100 * rate);
    return word;
}

/* Adds a fault that is active in one direction, or equally in both. */
static void add_line_fault(struct fault_now *now, const struct line *line,
                           enum line_fault_kind kind, int64_t now_us)
{
    const struct line_fault *to_host = line_fault_of(line, LINE_TO_HOST, kind, now_us);
    const struct line_fault *to_robot = line_fault_of(line, LINE_TO_ROBOT, kind, now_us);
    const struct line_fault *fault = to_host ? to_host : to_robot;
    char rate[16], more[32] = "";
    if (!fault)
        return;
    const char *way = "";
    if (!(to_host && to_robot) && kind != LINE_FAULT_FTDI)
        way = to_host ? " to host" : " to robot"; // words: off note-start
    if (kind == LINE_FAULT_DELAY || kind == LINE_FAULT_SPLIT || kind == LINE_FAULT_FTDI)
        snprintf(more, sizeof more, " %g ms", (double)fault->span_us / 1000);
    else if (kind == LINE_FAULT_GARBAGE || kind == LINE_FAULT_BAUD)
        snprintf(more, sizeof more, " %u", fault->quantity);
    add(now, fault->until_us, "%s%s%s%s", fault_word(FAULT_CHANNEL, (int)kind),
        rate_word(fault->rate, rate), more, way);
}

static void add_channel(struct fault_now *now, const struct sim_robot *robot)
{
    const struct sim *sim = robot->sim;
    const struct sim_channel *channel = &sim->channels[robot->first_channel + now->part.number];
    for (int kind = 0; kind < LINE_FAULT_KINDS; kind++)
        add_line_fault(now, channel->line, (enum line_fault_kind)kind, sim->now_us);
    if (!channel->is_plugged && channel->replug_us != ROBOT_NEVER &&
        channel->replug_us == channel->hangup_until_us)
        add(now, channel->replug_us, "%s", fault_word(FAULT_CHANNEL, FAULT_KIND_HANGUP));
}

static void add_sense(struct fault_now *now, const struct sim_robot *robot)
{
    static const int kinds[] = {[FAULT_STUCK] = FAULT_KIND_STUCK,
                                [FAULT_DEAD] = FAULT_KIND_DEAD,
                                [FAULT_LOSS] = FAULT_KIND_LOSS};
    const struct robot_faults *faults = &robot->faults;
    const struct fault_sense *sense = &faults->senses[fault_sense_of(&now->part)];
    char rate[16];
    if (sense->kind != FAULT_NONE && sense->until_us > robot->sim->now_us)
        add(now, sense->until_us, "%s%s", fault_word(now->part.class, kinds[sense->kind]),
            rate_word(sense->rate, rate));
    if (now->part.class == FAULT_INERTIAL && now->part.number == FAULT_GYRO &&
        faults->drift_rad_s != 0 && faults->drift_until_us > robot->sim->now_us)
        add(now, faults->drift_until_us, "%s %g deg/s", fault_word(FAULT_INERTIAL, FAULT_KIND_TURN),
            faults->drift_rad_s / ANGLE_RAD_DEG);
}

static void add_wheel(struct fault_now *now, const struct sim_robot *robot)
{
    const struct drive *drive = world_drive(robot->sim->world, robot->body_index);
    double slip = drive->wheels[now->part.number].slip;
    if (slip > 0)
        add(now, robot->faults.slip_until_us[now->part.number], "%s, %.3g %% grip",
            fault_word(FAULT_WHEEL, FAULT_KIND_SLIP), 100 * (1 - slip));
}

static void describe(struct fault_now *now, const struct sim_robot *robot)
{
    const struct robot_faults *faults = &robot->faults;
    const struct servo_fault *servo = &faults->servos[now->part.number % ROBOT_SERVOS_MAX];
    char rate[16];
    switch (now->part.class) {
    case FAULT_CHANNEL:
        add_channel(now, robot);
        break;
    case FAULT_SENSOR:
    case FAULT_BUMPER:
    case FAULT_BUTTON:
    case FAULT_INERTIAL:
    case FAULT_ENCODER:
        add_sense(now, robot);
        break;
    case FAULT_WHEEL:
        add_wheel(now, robot);
        break;
    case FAULT_BATTERY:
        if (faults->drain != 0 && faults->drain_until_us > robot->sim->now_us)
            add(now, faults->drain_until_us, "%s %g times",
                fault_word(FAULT_BATTERY, FAULT_KIND_DRAIN), faults->drain);
        break;
    case FAULT_SERVO:
        if (servo->kind != SERVO_GOOD && servo->until_us > robot->sim->now_us)
            add(now, servo->until_us, "%s%s",
                fault_word(FAULT_SERVO, FAULT_KIND_SERVO + (int)servo->kind),
                rate_word(servo->rate, rate));
        break;
    case FAULT_POWER:
        if (faults->power != POWER_ON)
            add(now, faults->power_until_us, "%s",
                fault_word(FAULT_POWER,
                           faults->power == POWER_USB ? FAULT_KIND_USB : FAULT_KIND_OFF));
        break;
    }
}

/* Whether any part may have a fault; if not, the parts need not be checked. */
static bool is_suspect(const struct sim_robot *robot)
{
    const struct robot_faults *faults = &robot->faults;
    const struct sim *sim = robot->sim;
    bool is_any = faults->is_any || faults->drain != 0 || faults->power != POWER_ON;
    for (size_t i = 0; i < robot->body->wheel_count; i++)
        is_any |= world_drive(sim->world, robot->body_index)->wheels[i].slip > 0;
    for (size_t c = 0; c < robot->type->channel_count; c++) {
        const struct sim_channel *channel = &sim->channels[robot->first_channel + c];
        is_any |= !channel->is_plugged;
        for (int kind = 0; kind < LINE_FAULT_KINDS; kind++)
            for (int way = 0; way < LINE_WAYS; way++)
                is_any |= line_fault_of(channel->line, (enum line_way)way,
                                        (enum line_fault_kind)kind, sim->now_us) != NULL;
    }
    return is_any;
}

size_t fault_list(const struct sim_robot *robot, struct fault_now *list, size_t most)
{
    if (!is_suspect(robot))
        return 0;
    struct fault_part parts[FAULT_PARTS_MAX];
    size_t count = fault_parts(robot->type, robot->body, parts), found = 0;
    for (size_t i = 0; i < count; i++) {
        struct fault_now now = {.part = parts[i]};
        if (parts[i].number == FAULT_ALL)
            continue;
        describe(&now, robot);
        if (!*now.what)
            continue;
        if (found < most)
            list[found] = now;
        found++;
    }
    return found;
}
