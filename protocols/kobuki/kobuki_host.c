/* Commands of the host, and the packets for it. Unknown commands are skipped by their length and
 * counted. Left out: commands 10 and 11 (change frame, request eeprom) of the driver's list, which
 * it never sends. */
#include "protocols/kobuki/kobuki_state.h"

#include <math.h>
#include <string.h>

#include "protocols/kobuki/kobuki_motion.h"
#include "protocols/kobuki/kobuki_power.h"
#include "protocols/kobuki/kobuki_senses.h"

/* ---- Commands ---- */

/* Each handler finds its message decoded in state->last. */
static void run_base_control(struct kobuki_state *state)
{
    const struct kobuki_base_control *base = &state->last.base_control;
    kobuki_motion_command(state, base->speed, base->radius, state->heard_us);
}

static void run_sound(struct kobuki_state *state)
{
    kobuki_sounds_note(&state->play, state->last.sound.note, state->last.sound.duration,
                       state->heard_us);
}

static void run_sound_sequence(struct kobuki_state *state)
{
    uint8_t number = state->last.sound_sequence.number;
    if (number >= KOBUKI_MELODY_COUNT) {
        state->bad_values++;
        return;
    }
    kobuki_sounds_melody(&state->play, (enum kobuki_melody)number, state->heard_us);
}

/* Bits 0..3 are bits 4..7 of the output word. */
static void run_set_power(struct kobuki_state *state)
{
    if (state->options.set_power == KOBUKI_SET_POWER_IGNORE)
        return;
    uint16_t flags = state->last.set_power.flags;
    unsigned powers = (flags & 0x0Fu) << 4;
    unsigned others = state->power.outputs & ~(unsigned)KOBUKI_OUTPUT_POWERS;
    kobuki_power_outputs(state, (uint16_t)(others | powers));
}

static void run_request_extra(struct kobuki_state *state)
{
    const unsigned known = KOBUKI_REQUEST_HARDWARE | KOBUKI_REQUEST_FIRMWARE | KOBUKI_REQUEST_UDID;
    state->requests = (uint16_t)(state->requests | (state->last.request_extra.flags & known));
}

static void run_outputs(struct kobuki_state *state)
{
    kobuki_power_outputs(state, state->last.outputs.flags);
}

static void run_set_gain(struct kobuki_state *state)
{
    const struct kobuki_gain *set = &state->last.set_gain;
    if (set->type == 0) {
        kobuki_gains_reset(&state->gains);
    } else if (set->type == 1) {
        memcpy(&state->gains, set, sizeof *set);
    } else {
        state->bad_values++;
        return;
    }
    kobuki_motion_restart(state);
}

static void run_get_gain(struct kobuki_state *state)
{
    state->wants_gains = true;
}

struct command {
    const struct wire_packet *packet;
    size_t message; /* offset in the state */
    bool is_gain;   /* firmware 1.2 and later */
    void (*run)(struct kobuki_state *state);
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

static void command_run(struct kobuki_state *state, const struct kobuki_part *part)
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
    command->run(state);
}

/* Any good frame shows that a host is alive. The firmware then plays a melody
 * (applications.rst). */
static void host_heard(struct kobuki_state *state, int64_t now_us)
{
    state->heard_us = now_us;
    if (!state->is_host_alive) {
        state->is_host_alive = true;
        kobuki_sounds_melody(&state->play, KOBUKI_MELODY_ON, now_us);
    }
}

void kobuki_host_watch(struct kobuki_state *state, int64_t now_us)
{
    int64_t limit_us = (int64_t)floor(state->options.watchdog_s * 1e6);
    if (limit_us > 0 && state->is_host_alive && now_us - state->heard_us >= limit_us) {
        state->is_host_alive = false;
        kobuki_sounds_melody(&state->play, KOBUKI_MELODY_OFF, now_us);
    }
}

void kobuki_host_obey(struct kobuki_state *state, const uint8_t *payload, size_t size,
                      int64_t now_us)
{
    host_heard(state, now_us);
    size_t at = 0;
    struct kobuki_part part;
    while (kobuki_part_next(payload, size, &at, &part))
        command_run(state, &part);
    if (at != size)
        state->stats.bad_lengths++; /* the last one runs past the payload's end */
}

/* ---- Feedback: sub-payloads in ascending order of their ids, as in captures; replies are part of
 * it (protocol.rst, "Structure") ---- */

static const double KOBUKI_CURRENT_A = 0.01; /* unit of sub-payload 6 */
static const double KOBUKI_BATTERY_V = 0.1;  /* unit of the battery byte */

static uint16_t stream_timestamp(const struct kobuki_state *state)
{
    uint64_t ms = state->packets * (KOBUKI_PACKET_PERIOD_US / 1000);
    return (uint16_t)((ms + (uint64_t)state->options.timestamp_start_ms) & 0xFFFF);
}

static uint16_t stream_encoder(int64_t start, int64_t ticks)
{
    return (uint16_t)((uint64_t)(start + ticks) & 0xFFFF);
}

static void fill_basic(struct kobuki_state *state)
{
    struct kobuki_basic *basic = &state->last.basic;
    const struct kobuki_wheel *left = &state->motion.wheel[KOBUKI_LEFT];
    const struct kobuki_wheel *right = &state->motion.wheel[KOBUKI_RIGHT];
    basic->timestamp = stream_timestamp(state);
    /* Chosen: a touch between two packets is reported in the next packet. The reason: a real bumper
     * has travel and stays pressed for longer than the contact of a rigid body lasts. */
    basic->bumper = state->touched;
    basic->wheel_drop = state->wheel_drop;
    basic->cliff = state->cliff;
    basic->left_encoder = stream_encoder(state->options.left_encoder_start, left->ticks);
    basic->right_encoder = stream_encoder(state->options.right_encoder_start, right->ticks);
    basic->left_pwm = wire_saturate_i8(left->duty * 100);
    basic->right_pwm = wire_saturate_i8(right->duty * 100);
    basic->buttons = state->buttons;
    basic->charger = state->power.charger;
    basic->battery = wire_saturate_u8(state->power.battery_v / KOBUKI_BATTERY_V);
    basic->over_current = (uint8_t)((left->is_cut ? 0x01 : 0) | (right->is_cut ? 0x02 : 0));
}

static void fill_senses(struct kobuki_state *state)
{
    struct kobuki_messages *last = &state->last;
    last->docking.right = state->dock[0];
    last->docking.center = state->dock[1];
    last->docking.left = state->dock[2];

    uint8_t unused = kobuki_profile(state)->inertia_fill;
    last->inertia.angle = wire_saturate_i16(state->gyro.angle_deg * 100);
    last->inertia.rate = wire_saturate_i16(kobuki_gyro_rate(&state->gyro) * 100);
    last->inertia.unused0 = unused;
    last->inertia.unused1 = unused;
    last->inertia.unused2 = unused;

    last->cliff.right = state->cliff_adc[0];
    last->cliff.center = state->cliff_adc[1];
    last->cliff.left = state->cliff_adc[2];

    const struct kobuki_wheel *wheel = state->motion.wheel;
    last->current.left = wire_saturate_u8(fabs(wheel[KOBUKI_LEFT].current_a) / KOBUKI_CURRENT_A);
    last->current.right = wire_saturate_u8(fabs(wheel[KOBUKI_RIGHT].current_a) / KOBUKI_CURRENT_A);

    last->gyro.frame_id = kobuki_gyro_frame_id(state);
    last->gyro.followed_length = (uint8_t)(3 * state->gyro.count);
    if (state->gyro.count > 0)
        last->gyro_sample = state->gyro.samples[state->gyro.count - 1];
    kobuki_senses_inputs(state, &last->inputs);
}

static void add_versions(struct kobuki_state *state, struct kobuki_frame *frame, unsigned requests)
{
    const struct kobuki_profile *profile = kobuki_profile(state);
    struct kobuki_messages *last = &state->last;
    last->hardware = (struct kobuki_version){.major = 1, .patch = (uint8_t)state->options.hardware};
    last->hardware_legacy.version = (uint16_t)(100 + state->options.hardware);
    last->firmware = profile->version;
    last->firmware_legacy.version = profile->legacy_number;
    bool is_legacy = profile->legacy_number != 0;
    if (requests & KOBUKI_REQUEST_HARDWARE && is_legacy)
        kobuki_frame_add(frame, &kobuki_hardware_legacy_packet, &last->hardware_legacy);
    else if (requests & KOBUKI_REQUEST_HARDWARE)
        kobuki_frame_add(frame, &kobuki_hardware_packet, &last->hardware);
    if (requests & KOBUKI_REQUEST_FIRMWARE && is_legacy)
        kobuki_frame_add(frame, &kobuki_firmware_legacy_packet, &last->firmware_legacy);
    else if (requests & KOBUKI_REQUEST_FIRMWARE)
        kobuki_frame_add(frame, &kobuki_firmware_packet, &last->firmware);
}

static void add_udid_and_gains(struct kobuki_state *state, struct kobuki_frame *frame,
                               unsigned requests)
{
    struct kobuki_messages *last = &state->last;
    if (requests & KOBUKI_REQUEST_UDID) {
        last->udid = (struct kobuki_udid){state->udid[0], state->udid[1], state->udid[2]};
        kobuki_frame_add(frame, &kobuki_udid_packet, &last->udid);
    }
    if (state->wants_gains) {
        memcpy(&last->controller_info, &state->gains, sizeof state->gains);
        kobuki_frame_add(frame, &kobuki_controller_info_packet, &last->controller_info);
    }
}

void kobuki_host_send(struct kobuki_state *state, const struct robot_tx *tx)
{
    struct kobuki_messages *last = &state->last;
    struct kobuki_frame frame;
    /* The driver reports the versions when the UDID arrives. Therefore the UDID is never sent
     * without them here. */
    unsigned requests = state->requests;
    if (state->options.is_udid_always)
        requests |= KOBUKI_REQUEST_HARDWARE | KOBUKI_REQUEST_FIRMWARE | KOBUKI_REQUEST_UDID;
    state->packets++;
    fill_basic(state);
    fill_senses(state);

    kobuki_frame_begin(&frame);
    kobuki_frame_add(&frame, &kobuki_basic_packet, &last->basic);
    kobuki_frame_add(&frame, &kobuki_docking_packet, &last->docking);
    kobuki_frame_add(&frame, &kobuki_inertia_packet, &last->inertia);
    kobuki_frame_add(&frame, &kobuki_cliff_packet, &last->cliff);
    kobuki_frame_add(&frame, &kobuki_current_packet, &last->current);
    add_versions(state, &frame, requests);
    kobuki_frame_add_repeated(&frame, &kobuki_gyro_packet, &last->gyro, state->gyro.samples,
                              state->gyro.count);
    kobuki_frame_add(&frame, &kobuki_inputs_packet, &last->inputs);
    add_udid_and_gains(state, &frame, requests);
    kobuki_frame_end(&frame);

    state->requests = 0;
    state->wants_gains = false;
    state->touched = 0;
    kobuki_gyro_sent(&state->gyro);
    tx_send(tx, 0, frame.bytes, frame.size, &state->stats);
}
