/* Dispatch of the host's commands. Unknown ids are skipped by their length and counted. Left out:
 * commands 10 and 11 (change frame, request eeprom) of the driver's list, which it never sends. */
#include "protocols/kobuki/kobuki_commands.h"

#include <math.h>

#include "protocols/kobuki/kobuki_motion.h"
#include "protocols/kobuki/kobuki_power.h"
#include "protocols/kobuki/kobuki_sounds.h"

/* Each handler finds its message decoded in state->last. */
static void run_base_control(struct kobuki_state *state, int64_t now_us)
{
    const struct kobuki_base_control *base = &state->last.base_control;
    kobuki_motion_command(state, base->speed, base->radius, now_us);
}

static void run_sound(struct kobuki_state *state, int64_t now_us)
{
    kobuki_sounds_note(&state->play, state->last.sound.note, state->last.sound.duration, now_us);
}

static void run_sound_sequence(struct kobuki_state *state, int64_t now_us)
{
    uint8_t number = state->last.sound_sequence.number;
    if (number >= KOBUKI_MELODY_COUNT) {
        state->bad_values++;
        return;
    }
    kobuki_sounds_melody(&state->play, (enum kobuki_melody)number, now_us);
}

/* Bits 0..3 stand for the bits 4..7 of the output word. */
static void run_set_power(struct kobuki_state *state, int64_t now_us)
{
    (void)now_us;
    if (state->options.set_power == KOBUKI_SET_POWER_IGNORE)
        return;
    uint16_t flags = state->last.set_power.flags;
    unsigned powers = (flags & 0x0Fu) << 4;
    unsigned others = state->power.outputs & ~(unsigned)KOBUKI_OUTPUT_POWERS;
    kobuki_power_outputs(state, (uint16_t)(others | powers));
}

static void run_request_extra(struct kobuki_state *state, int64_t now_us)
{
    (void)now_us;
    const unsigned known = KOBUKI_REQUEST_HARDWARE | KOBUKI_REQUEST_FIRMWARE | KOBUKI_REQUEST_UDID;
    state->requests = (uint16_t)(state->requests | (state->last.request_extra.flags & known));
}

static void run_outputs(struct kobuki_state *state, int64_t now_us)
{
    (void)now_us;
    kobuki_power_outputs(state, state->last.outputs.flags);
}

static void run_set_gain(struct kobuki_state *state, int64_t now_us)
{
    (void)now_us;
    const struct kobuki_gain *set = &state->last.set_gain;
    if (set->type == 0) {
        kobuki_gains_reset(&state->gains);
    } else if (set->type == 1) {
        state->gains.type = 1;
        state->gains.p = set->p;
        state->gains.i = set->i;
        state->gains.d = set->d;
    } else {
        state->bad_values++;
        return;
    }
    kobuki_motion_restart(state);
}

static void run_get_gain(struct kobuki_state *state, int64_t now_us)
{
    (void)now_us;
    state->wants_gains = true;
}

struct command {
    const struct wire_packet *packet;
    size_t message; /* offset in the state */
    bool is_gain;   /* firmware 1.2 and later */
    void (*run)(struct kobuki_state *state, int64_t now_us);
};

#define LAST(member) offsetof(struct kobuki_state, last.member)
static const struct command commands[] = {
    {&kobuki_base_control_packet, LAST(base_control), false, run_base_control},
    {&kobuki_sound_packet, LAST(sound), false, run_sound},
    {&kobuki_sound_sequence_packet, LAST(sound_sequence), false, run_sound_sequence},
    {&kobuki_set_power_packet, LAST(set_power), false, run_set_power},
    {&kobuki_request_extra_packet, LAST(request_extra), false, run_request_extra},
    {&kobuki_outputs_packet, LAST(outputs), false, run_outputs},
    {&kobuki_set_gain_packet, LAST(set_gain), true, run_set_gain},
    {&kobuki_get_gain_packet, LAST(get_gain), true, run_get_gain},
};

static const struct command *command_find(const struct kobuki_state *state, uint8_t id)
{
    bool has_gains = kobuki_profile(state)->has_gains;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (commands[i].packet->id == id && (has_gains || !commands[i].is_gain))
            return &commands[i];
    return NULL;
}

static void command_run(struct kobuki_state *state, const struct kobuki_part *part, int64_t now_us)
{
    const struct command *command = command_find(state, part->id);
    if (!command) {
        state->stats.unknown_ids++;
        return;
    }
    void *message = (char *)state + command->message;
    if (!wire_decode(command->packet, part->body, part->size, message)) {
        state->stats.bad_lengths++;
        return;
    }
    command->run(state, now_us);
}

/* Any good frame shows that a host lives; the firmware greets it (applications.rst). */
static void host_heard(struct kobuki_state *state, int64_t now_us)
{
    state->heard_us = now_us;
    if (!state->is_host_alive) {
        state->is_host_alive = true;
        kobuki_sounds_melody(&state->play, KOBUKI_MELODY_ON, now_us);
    }
}

void kobuki_commands_watch(struct kobuki_state *state, int64_t now_us)
{
    int64_t limit_us = (int64_t)floor(state->options.watchdog_s * 1e6);
    if (limit_us > 0 && state->is_host_alive && now_us - state->heard_us >= limit_us) {
        state->is_host_alive = false;
        kobuki_sounds_melody(&state->play, KOBUKI_MELODY_OFF, now_us);
    }
}

void kobuki_commands_run(struct kobuki_state *state, const uint8_t *payload, size_t size,
                         int64_t now_us)
{
    host_heard(state, now_us);
    size_t at = 0;
    struct kobuki_part part;
    while (kobuki_part_next(payload, size, &at, &part))
        command_run(state, &part, now_us);
    if (at != size)
        state->stats.bad_lengths++; /* the last one runs over the payload's end */
}
