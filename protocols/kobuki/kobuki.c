/* The Kobuki as a robot type: power-on, bytes in, one pass of the loop. */
#include "protocols/kobuki/kobuki.h"

#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"
#include "protocols/kobuki/kobuki_commands.h"
#include "protocols/kobuki/kobuki_gyro.h"
#include "protocols/kobuki/kobuki_motion.h"
#include "protocols/kobuki/kobuki_power.h"
#include "protocols/kobuki/kobuki_rows.h"
#include "protocols/kobuki/kobuki_senses.h"
#include "protocols/kobuki/kobuki_sounds.h"
#include "protocols/kobuki/kobuki_state.h"
#include "protocols/kobuki/kobuki_stream.h"

static const struct channel_spec channels[] = {
    {.name = "uart",
     .kind = CHANNEL_SERIAL,
     .baud = 115200, /* protocol.rst */
     .frame_max = KOBUKI_STREAM_FRAME_MAX,
     .device = "/dev/kobuki"}, /* kobuki_core: 60-kobuki.rules */
};

/* ---- Identity ---- */

/* Reads one decimal number up to 2^32 - 1 and moves *AT behind it. */
static bool udid_number(const char **at, uint32_t *number)
{
    uint64_t value = 0;
    const char *from = *at;
    for (; **at >= '0' && **at <= '9' && value <= UINT32_MAX; ++*at)
        value = value * 10 + (uint64_t)(**at - '0');
    *number = (uint32_t)value;
    return *at > from && value <= UINT32_MAX;
}

static bool udid_parse(const char *text, uint32_t udid[3])
{
    for (int i = 0; i < 3; i++) {
        if (!udid_number(&text, &udid[i]) || *text != (i < 2 ? '-' : '\0'))
            return false;
        text++;
    }
    return true;
}

static void udid_set(struct kobuki_state *state, uint64_t rng_of_robot)
{
    const char *text = state->options.udid;
    if (udid_parse(text, state->udid))
        return;
    uint64_t key = text[0] == '\0' ? rng_key(rng_of_robot, "udid")
                                   : hash_bytes(HASH_START, text, strlen(text));
    for (uint64_t i = 0; i < 3; i++)
        state->udid[i] = (uint32_t)(rng_u64(key, i) & UINT32_MAX);
}

/* ---- The contract ---- */

static int64_t next_due(const struct kobuki_state *state)
{
    int64_t due = state->packet_due_us;
    due = state->control_due_us < due ? state->control_due_us : due;
    due = state->gyro.due_us < due ? state->gyro.due_us : due;
    return state->play.until_us < due ? state->play.until_us : due;
}

static int64_t kobuki_reset(void *memory, const struct robot_start *start)
{
    struct kobuki_state *state = memory;
    memset(state, 0, sizeof *state);
    option_copy(kobuki_option_rows, KOBUKI_OPTION_COUNT, start->options, &state->options);
    state->start_us = start->now_us;
    state->packet_due_us = start->now_us + KOBUKI_PACKET_PERIOD_US;
    state->control_due_us = start->now_us + KOBUKI_CONTROL_PERIOD_US;
    state->gyro_key = rng_key(start->rng_key, "gyro");
    state->adc_key = rng_key(start->rng_key, "adc");
    udid_set(state, start->rng_key);
    kobuki_motion_reset(state);
    kobuki_gyro_reset(state, start->now_us);
    kobuki_sounds_reset(&state->play);
    kobuki_power_reset(state);
    return next_due(state);
}

/* The converter on the robot's board hides from the firmware whether a host is there. */
static int64_t kobuki_host(void *memory, unsigned channel, bool present, int64_t now_us)
{
    (void)channel;
    (void)present;
    (void)now_us;
    return next_due(memory);
}

static int64_t kobuki_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                         int64_t now_us)
{
    (void)channel;
    struct kobuki_state *state = memory;
    bool is_lenient = state->options.checksum == KOBUKI_CHECKSUM_LENIENT;
    for (size_t i = 0; i < size; i++) {
        const uint8_t *payload;
        size_t payload_size;
        kobuki_framer_push(&state->framer, bytes[i]);
        while (
            kobuki_framer_next(&state->framer, is_lenient, &state->stats, &payload, &payload_size))
            kobuki_commands_run(state, payload, payload_size, now_us);
    }
    return next_due(state);
}

static void control_pass(struct kobuki_state *state, const struct robot_sensors *sensors)
{
    int64_t now_us = state->control_due_us;
    uint64_t pass = (uint64_t)((now_us - state->start_us) / KOBUKI_CONTROL_PERIOD_US);
    kobuki_senses_convert(state, sensors, pass);
    kobuki_commands_watch(state, now_us);
    kobuki_motion_step(state, now_us);
    if (kobuki_power_read(state, sensors, now_us))
        kobuki_sounds_melody(&state->play, KOBUKI_MELODY_RECHARGE, now_us);
    kobuki_power_lamps(state, now_us);
    state->control_due_us += KOBUKI_CONTROL_PERIOD_US;
}

/* Does the one thing that is due at DUE_US; at one time, what is sent comes last. */
static void run_due(struct kobuki_state *state, const struct robot_sensors *sensors,
                    const struct robot_tx *tx, int64_t due_us)
{
    if (state->gyro.due_us == due_us) {
        kobuki_gyro_sample(state, sensors);
    } else if (state->play.until_us == due_us) {
        kobuki_sounds_next(&state->play);
    } else if (state->control_due_us == due_us) {
        control_pass(state, sensors);
    } else {
        kobuki_stream_send(state, tx);
        state->packet_due_us += KOBUKI_PACKET_PERIOD_US;
    }
}

static int64_t kobuki_tick(void *memory, const struct robot_sensors *sensors,
                           struct robot_actuators *actuators, const struct robot_tx *tx,
                           int64_t now_us)
{
    struct kobuki_state *state = memory;
    kobuki_senses_read(state, sensors);
    int64_t due_us;
    while ((due_us = next_due(state)) <= now_us)
        run_due(state, sensors, tx, due_us);
    for (int i = 0; i < KOBUKI_WHEELS; i++) {
        actuators->motor[i] = state->motion.wheel[i].duty;
        actuators->motor_free[i] = state->motion.wheel[i].is_cut;
    }
    actuators->sound_hz = state->play.hz;
    actuators->sound_level = state->play.hz > 0 ? 1 : 0;
    actuators->charge_rate_1_s = kobuki_power_charge_rate(state);
    return due_us;
}

static bool kobuki_walk(unsigned channel, enum wire_direction direction, const uint8_t *frame,
                        size_t size, robot_visit *visit, void *user)
{
    (void)channel;
    const uint8_t *payload;
    size_t payload_size;
    if (!kobuki_frame_payload(frame, size, &payload, &payload_size))
        return false;
    /* Once to see that all parts are whole, once to show them. */
    struct kobuki_part part;
    size_t at = 0;
    while (kobuki_part_next(payload, payload_size, &at, &part)) {
    }
    if (at != payload_size)
        return false;
    at = 0;
    while (kobuki_part_next(payload, payload_size, &at, &part)) {
        const struct wire_packet *packet = kobuki_packet_find(direction, part.id, part.size);
        visit(user, packet, part.id, part.body, part.size);
    }
    return true;
}

/* ---- Battery ---- */

static double charge_at(const void *options, double volts)
{
    const struct kobuki_options *chosen = options;
    return kobuki_battery_charge((enum kobuki_pack)chosen->battery_pack, volts);
}

static double charge_at_start(const void *options)
{
    const struct kobuki_options *chosen = options;
    return charge_at(options, chosen->battery_v);
}

/* ---- Motion, as kobuki_node takes it: the way from the encoders, the heading from the gyro ----
 */

static void kobuki_odometry(const void *state, struct robot_odometry *odometry)
{
    static const double M_PER_TICK = 0.000085292090497737556558; /* conversions.rst */
    const struct kobuki_messages *last = &((const struct kobuki_state *)state)->last;
    odometry->kind = ROBOT_ODOMETRY_WHEELS;
    odometry->left_m = last->basic.left_encoder * M_PER_TICK;
    odometry->right_m = last->basic.right_encoder * M_PER_TICK;
    odometry->wrap_m = 65536 * M_PER_TICK;
    odometry->heading_rad = last->inertia.angle * (0.01 * 0.017453292519943295769);
}

const char *const kobuki_button_names[] = {"b0", "b1", "b2", NULL};

const struct robot_type kobuki_type = {
    .name = "kobuki",
    .title = "Yujin Kobuki",
    .channels = channels,
    .channel_count = 1,
    .options = kobuki_option_rows,
    .option_count = KOBUKI_OPTION_COUNT,
    .options_size = sizeof(struct kobuki_options),
    .signals = kobuki_signal_rows,
    .signal_count = KOBUKI_SIGNAL_COUNT,
    .mirrors = kobuki_mirror_rows,
    .mirror_count = KOBUKI_MIRROR_COUNT,
    .commands = kobuki_command_rows,
    .command_count = KOBUKI_COMMAND_COUNT,
    .looks = kobuki_look_rows,
    .look_count = KOBUKI_LOOK_COUNT,
    .packets = kobuki_packets,
    .packet_count = KOBUKI_PACKET_COUNT,
    .buttons = kobuki_button_names,
    .state_size = sizeof(struct kobuki_state),
    .stats_offset = offsetof(struct kobuki_state, stats),
    .storage_offset = SIZE_MAX,
    .body = kobuki_body,
    .battery_charge = charge_at,
    .battery_start = charge_at_start,
    .reset = kobuki_reset,
    .host = kobuki_host,
    .rx = kobuki_rx,
    .tick = kobuki_tick,
    .odometry = kobuki_odometry,
    .walk = kobuki_walk,
};
