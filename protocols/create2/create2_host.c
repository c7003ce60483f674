/* Communication with a host: modes, commands, queries, the stream, and the text that the firmware
 * prints. */
#include "protocols/create2/create2_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/rng.h"
#include "protocols/create2/create2_motion.h"
#include "protocols/create2/create2_power.h"
#include "protocols/create2/create2_senses.h"

/* A stream list longer than STREAM_IDS_MAX does not fit into packet 38 (OI). */
enum { STREAM_IDS_MAX = 108, STREAM_DATA_MAX = 255 };

enum { RELEASE_US = 166667 }; /* OI, Buttons: a sixth of a second */
enum { TEXT_NONE = UINT16_MAX };

/* Delay of the version block after the block of the bootloader (chosen: clients wait 5 s). */
static const int64_t VERSION_AFTER_US = 3000000;

void create2_host_reset(struct create2_state *state, int64_t now_us)
{
    struct create2_host *host = &state->host;
    memset(host, 0, sizeof *host);
    host->baud_code = CREATE2_BAUD_115200;
    host->text_line = TEXT_NONE;
    host->text_us = ROBOT_NEVER;
    host->boot_until_us = now_us;
}

/* ---- Modes ---- */

/* Changes the mode, with all consequences. */
static void create2_host_mode(struct create2_state *state, enum create2_mode mode, int64_t now_us)
{
    bool had_wheels = state->host.mode >= CREATE2_MODE_SAFE;
    bool has_wheels = mode >= CREATE2_MODE_SAFE;
    create2_conduct_end(state);
    /* Setting the present mode (safe or full) again keeps the motors running. Every other change
     * stops them (OI: full mode begins with motors and lamps off). */
    if (!had_wheels || !has_wheels || mode != state->host.mode)
        create2_motion_stop(&state->motion);
    if (has_wheels) {
        memset(&state->panel, 0, sizeof state->panel);
        state->motion.obeys_from_us = now_us + (int64_t)floor(state->options.dead_time_s * 1e6);
    }
    state->host.mode = (uint8_t)mode;
    if (!has_wheels)
        create2_panel_own(state);
}

void create2_host_guard(struct create2_state *state, int64_t now_us)
{
    if (state->host.mode != CREATE2_MODE_SAFE)
        return;
    const struct create2_motion *motion = &state->motion;
    double left = motion->wheel[CREATE2_LEFT].ramp_m_s,
           right = motion->wheel[CREATE2_RIGHT].ramp_m_s;
    /* OI, Safe mode: a cliff counts during forward motion. It also counts during backward motion
     * with a small radius, when the center of the turn is inside the robot. Chosen: 174 mm, the
     * robot's radius. */
    double base_mm = 235.0, forward = (left + right) / 2;
    double radius_mm =
        left == right ? INFINITY : fabs(base_mm / 2 * (right + left) / (right - left));
    bool minds_cliffs = forward > 0 || (forward < 0 && radius_mm < 174);
    if (state->drops == 0 && !(state->cliffs != 0 && minds_cliffs) &&
        state->power.charger == CHARGER_NONE)
        return;
    state->host.safety_trips++;
    create2_host_mode(state, CREATE2_MODE_PASSIVE, now_us);
}

/* ---- Commands ---- */

static void run_reset(struct create2_state *state)
{
    state->host.pending = CREATE2_PENDING_RESET;
}

static void run_start(struct create2_state *state)
{
    if (state->host.mode == CREATE2_MODE_OFF)
        create2_play_start(state, CREATE2_TUNE_START, state->host.heard_us);
    create2_host_mode(state, CREATE2_MODE_PASSIVE, state->host.heard_us);
}

/* Command control is an older name of command safe. */
static void run_mode(struct create2_state *state)
{
    bool is_full = state->framer.bytes[0] == CREATE2_FULL;
    create2_host_mode(state, is_full ? CREATE2_MODE_FULL : CREATE2_MODE_SAFE, state->host.heard_us);
}

/* The robot is in passive mode until the next pass, then asleep. */
static void run_power(struct create2_state *state)
{
    create2_host_mode(state, CREATE2_MODE_PASSIVE, state->host.heard_us);
    state->host.pending = CREATE2_PENDING_SLEEP;
}

/* Starts the behavior of the opcode. */
static void run_behaviour(struct create2_state *state)
{
    uint8_t opcode = state->framer.bytes[0];
    if (state->host.mode != CREATE2_MODE_PASSIVE)
        create2_host_mode(state, CREATE2_MODE_PASSIVE, state->host.heard_us);
    create2_conduct_begin(state,
                          opcode == CREATE2_SPOT    ? CREATE2_DO_SPOT
                          : opcode == CREATE2_CLEAN ? CREATE2_DO_CLEAN
                          : opcode == CREATE2_MAX   ? CREATE2_DO_MAX
                                                    : CREATE2_DO_DOCK,
                          state->host.heard_us);
}

static void run_stop(struct create2_state *state)
{
    state->host.is_streaming = false;
    state->host.stream_count = 0;
    create2_host_mode(state, CREATE2_MODE_OFF, state->host.heard_us);
    create2_play_start(state, CREATE2_TUNE_STOP, state->host.heard_us);
}

static void run_baud(struct create2_state *state)
{
    if (state->last.baud.value > CREATE2_BAUD_115200)
        state->host.bad_values++;
    else
        state->host.baud_code = state->last.baud.value;
}

static void run_drive(struct create2_state *state)
{
    double wheel_m_s[CREATE2_WHEELS];
    if (state->host.heard_us < state->motion.obeys_from_us)
        return;
    create2_motion_arc(state->last.drive.velocity, state->last.drive.radius, wheel_m_s);
    create2_motion_wheels(&state->motion, wheel_m_s[CREATE2_LEFT], wheel_m_s[CREATE2_RIGHT]);
    state->readings.requested_velocity = state->last.drive.velocity;
    state->readings.requested_radius = state->last.drive.radius;
}

static void run_drive_direct(struct create2_state *state)
{
    const struct create2_wheels *wheels = &state->last.drive_direct;
    if (state->host.heard_us < state->motion.obeys_from_us)
        return;
    create2_motion_wheels(&state->motion, wheels->left * 0.001, wheels->right * 0.001);
    state->readings.requested_right = create2_motion_reported(wheels->right);
    state->readings.requested_left = create2_motion_reported(wheels->left);
}

static void run_drive_pwm(struct create2_state *state)
{
    if (state->host.heard_us >= state->motion.obeys_from_us)
        create2_motion_pwm(&state->motion, state->last.drive_pwm.left, state->last.drive_pwm.right);
}

static void run_motors(struct create2_state *state)
{
    create2_motion_motors(&state->motion, state->last.motors.value);
}

static void run_pwm_motors(struct create2_state *state)
{
    create2_motion_pwm_motors(&state->motion, &state->last.pwm_motors);
}

static void run_leds(struct create2_state *state)
{
    state->panel.leds = state->last.leds.leds & 15;
    state->panel.color = state->last.leds.color;
    state->panel.intensity = state->last.leds.intensity;
}

static void run_schedule_leds(struct create2_state *state)
{
    state->panel.days = state->last.schedule_leds.days & 127;
    state->panel.marks = state->last.schedule_leds.marks & 31;
}

static void run_digits_raw(struct create2_state *state)
{
    for (int i = 0; i < CREATE2_DIGITS; i++)
        state->panel.digits[i] = state->last.digits_raw.digit[i] & 127;
}

static void run_digits_ascii(struct create2_state *state)
{
    for (int i = 0; i < CREATE2_DIGITS; i++)
        state->panel.digits[i] = create2_panel_segments(state->last.digits_ascii.digit[i]);
}

static void run_song(struct create2_state *state)
{
    const struct create2_song *song = &state->last.song;
    if (song->number >= CREATE2_SONGS || song->count == 0 || song->count > CREATE2_NOTES) {
        state->host.bad_values++;
        return;
    }
    struct create2_song_store *store = &state->songs[song->number];
    store->count = song->count;
    for (int i = 0; i < song->count; i++) {
        store->notes[i].note = state->framer.bytes[3 + 2 * i];
        store->notes[i].duration = state->framer.bytes[4 + 2 * i];
    }
}

/* Chosen: a song is ignored while another one is playing. */
static void run_play(struct create2_state *state)
{
    if (state->last.play.value >= CREATE2_SONGS)
        state->host.bad_values++;
    else if (state->play.song < 0)
        create2_play_start(state, state->last.play.value, state->host.heard_us);
}

static void ask(struct create2_state *state, const uint8_t *ids, size_t count)
{
    struct create2_host *host = &state->host;
    if (host->questions_used + 1 + count > CREATE2_QUESTIONS) {
        host->lost_questions++;
        return;
    }
    host->questions[host->questions_used++] = (uint8_t)count;
    memcpy(host->questions + host->questions_used, ids, count);
    host->questions_used = (uint16_t)(host->questions_used + count);
}

static void run_query(struct create2_state *state)
{
    ask(state, &state->last.sensors.value, 1);
}

static void run_query_list(struct create2_state *state)
{
    ask(state, state->framer.bytes + 2, state->last.query_list.value);
}

/* Chosen: unknown ids, and ids that do not fit into a frame, are left out. An empty list ends the
 * stream. */
static void run_stream(struct create2_state *state)
{
    struct create2_host *host = &state->host;
    size_t size = 0;
    host->stream_count = 0;
    for (int i = 0; i < state->last.stream.value; i++) {
        uint8_t id = state->framer.bytes[2 + i];
        const struct wire_packet *packet = create2_sensor_packet(id);
        bool has_room = packet && size + 1 + packet->size <= STREAM_DATA_MAX &&
                        host->stream_count < STREAM_IDS_MAX;
        host->unknown_packets += !packet;
        host->bad_values += packet && !has_room;
        if (has_room) {
            host->stream_ids[host->stream_count++] = id;
            size += 1u + packet->size;
        }
    }
    host->is_streaming = host->stream_count > 0;
}

static void run_pause_stream(struct create2_state *state)
{
    state->host.is_streaming = state->last.pause_stream.value == 1 && state->host.stream_count > 0;
    state->host.bad_values += state->last.pause_stream.value > 1;
}

static void run_press(struct create2_state *state)
{
    state->pressed = state->last.buttons.value;
    state->released_us = state->host.heard_us + RELEASE_US;
}

static bool is_menu_held(const struct create2_state *state)
{
    return state->buttons & (CREATE2_BUTTON_SCHEDULE | CREATE2_BUTTON_CLOCK);
}

/* The schedule is the last message itself. This only checks whether it may take effect. */
static void run_schedule(struct create2_state *state)
{
    if (!is_menu_held(state))
        state->clock.schedule = state->last.schedule;
}

static void run_day_time(struct create2_state *state)
{
    const struct create2_day_time *set = &state->last.day_time;
    if (set->day > 6 || set->hour > 23 || set->minute > 59) {
        state->host.bad_values++;
        return;
    }
    if (is_menu_held(state))
        return;
    state->clock.set_us = state->host.heard_us;
    state->clock.set_min = (set->day * 24 + set->hour) * 60 + set->minute;
    state->clock.checked_min = state->clock.set_min;
}

/* ---- Allowed modes of each command (OI, "Available in modes" of each command) ---- */

enum { IN_OFF = 1, IN_PASSIVE = 2, IN_SAFE = 4, IN_FULL = 8 };
enum { ALWAYS = 15, STARTED = 14, DRIVEN = 12 };

static const struct {
    uint8_t opcode, modes; /* bit I: in mode I of enum create2_mode */
    void (*run)(struct create2_state *state);
} commands[] = {
    {CREATE2_RESET, ALWAYS, run_reset},
    {CREATE2_START, ALWAYS, run_start},
    {CREATE2_BAUD, STARTED, run_baud},
    {CREATE2_CONTROL, STARTED, run_mode},
    {CREATE2_SAFE, STARTED, run_mode},
    {CREATE2_FULL, STARTED, run_mode},
    {CREATE2_POWER, STARTED, run_power},
    {CREATE2_SPOT, STARTED, run_behaviour},
    {CREATE2_CLEAN, STARTED, run_behaviour},
    {CREATE2_MAX, STARTED, run_behaviour},
    {CREATE2_DRIVE, DRIVEN, run_drive},
    {CREATE2_MOTORS, DRIVEN, run_motors},
    {CREATE2_LEDS, DRIVEN, run_leds},
    {CREATE2_SONG, STARTED, run_song},
    {CREATE2_PLAY, DRIVEN, run_play},
    {CREATE2_SENSORS_QUERY, STARTED, run_query},
    {CREATE2_SEEK_DOCK, STARTED, run_behaviour},
    {CREATE2_PWM_MOTORS, DRIVEN, run_pwm_motors},
    {CREATE2_DRIVE_DIRECT, DRIVEN, run_drive_direct},
    {CREATE2_DRIVE_PWM, DRIVEN, run_drive_pwm},
    {CREATE2_STREAM, STARTED, run_stream},
    {CREATE2_QUERY_LIST, STARTED, run_query_list},
    {CREATE2_PAUSE_STREAM, STARTED, run_pause_stream},
    {CREATE2_SCHEDULE_LEDS, DRIVEN, run_schedule_leds},
    {CREATE2_DIGITS_RAW, DRIVEN, run_digits_raw},
    {CREATE2_DIGITS_ASCII, DRIVEN, run_digits_ascii},
    {CREATE2_BUTTONS, STARTED, run_press},
    {CREATE2_SCHEDULE, STARTED, run_schedule},
    {CREATE2_DAY_TIME, STARTED, run_day_time},
    {CREATE2_STOP, STARTED, run_stop},
};

/* There are no error replies: a command that the mode does not allow is received and ignored. */
void create2_host_obey(struct create2_state *state, int64_t now_us)
{
    const struct create2_framer *framer = &state->framer;
    const struct create2_command *command = create2_command_find(framer->bytes[0]);
    if (command->packet->field_count > 0)
        wire_decode(command->packet, framer->bytes + 1, framer->size - 1u,
                    (char *)&state->last + command->message);
    create2_power_stir(state, now_us);
    state->host.heard_us = now_us;
    if (state->host.pending != CREATE2_PENDING_NONE)
        return;
    for (size_t i = 0; i < COUNT(commands); i++)
        if (commands[i].opcode == framer->bytes[0] && commands[i].modes >> state->host.mode & 1) {
            commands[i].run(state);
            return;
        }
    state->host.ignored++;
}

/* ---- Answers and stream ---- */

static bool has_motion(const uint8_t *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct wire_packet *packet = create2_sensor_packet(ids[i]);
        uint8_t id = packet && packet->field_count == 1 ? packet->id : 0;
        bool has_both = ids[i] == 0 || ids[i] == 2 || ids[i] == 6 || ids[i] == 100;
        if (id == 19 || id == 20 || has_both)
            return true;
    }
    return false;
}

/* Reading distance or angle starts a new measurement of both. Chosen: of both, because they
 * describe one motion. */
static void take_motion(struct create2_state *state, const uint8_t *ids, size_t count)
{
    if (has_motion(ids, count))
        create2_senses_take_motion(state);
}

static void answer(struct create2_state *state, const struct robot_tx *tx)
{
    struct create2_host *host = &state->host;
    for (size_t at = 0; at < host->questions_used;) {
        size_t count = host->questions[at];
        const uint8_t *ids = host->questions + at + 1;
        uint8_t bytes[CREATE2_ANSWER_MAX];
        size_t size = 0;
        take_motion(state, ids, count);
        for (size_t i = 0; i < count; i++) {
            bool is_known = create2_sensor_packet(ids[i]);
            bool is_put = create2_put(&state->readings, ids[i], bytes, &size, sizeof bytes);
            host->unknown_packets += !is_known;
            host->bad_values += is_known && !is_put;
        }
        if (size > 0)
            tx_send(tx, 0, bytes, size, &state->stats);
        at += 1 + count;
    }
    host->questions_used = 0;
}

/* Input: 8 of 202,833 recorded intervals are two slots long (README.md). */
static const double LOST_SHARE = 1.0 / 25000;

void create2_host_send(struct create2_state *state, const struct robot_tx *tx)
{
    struct create2_host *host = &state->host;
    answer(state, tx);
    bool is_lost =
        state->options.has_noise && rng_uniform(state->slot_key, state->slots) < LOST_SHARE;
    if (!host->is_streaming || is_lost)
        return;
    uint8_t frame[CREATE2_STREAM_MAX];
    take_motion(state, host->stream_ids, host->stream_count);
    size_t size =
        create2_stream_frame(&state->readings, host->stream_ids, host->stream_count, frame);
    /* The stream exceeds the capacity of the line (OI: corrupt data). Chosen: such a frame is left
     * out. */
    if (tx_queued(tx, 0) > CREATE2_STREAM_MAX)
        state->stats.overruns++;
    else
        tx_send(tx, 0, frame, size, &state->stats);
}

/* ---- Text ---- */

void create2_host_print(struct create2_state *state, const struct robot_tx *tx, const char *line)
{
    char bytes[128];
    int size = snprintf(bytes, sizeof bytes, "%s\r\n", line);
    tx_send(tx, 0, (const uint8_t *)bytes, (size_t)size, &state->stats);
}

void create2_host_print_boot(struct create2_state *state, int64_t now_us)
{
    state->host.text_line = 0;
    state->host.text_us = now_us;
}

/* One line per slot. An empty line separates the block of the bootloader from that of the
 * version. */
static void boot_text(struct create2_state *state, const struct robot_tx *tx, int64_t now_us)
{
    struct create2_host *host = &state->host;
    if (host->text_line == TEXT_NONE || now_us < host->text_us)
        return;
    const char *line = create2_profile(state)->boot_lines[host->text_line];
    if (!line) {
        host->text_line = TEXT_NONE;
        host->text_us = ROBOT_NEVER;
        return;
    }
    host->text_line++;
    if (line[0] == '\0')
        host->text_us = now_us + VERSION_AFTER_US;
    else
        create2_host_print(state, tx, line);
}

static const uint64_t SLOTS_A_SECOND = 64;

static void charge_text(struct create2_state *state, const struct robot_tx *tx, int64_t now_us)
{
    const struct create2_power *power = &state->power;
    bool is_reported = state->options.has_charge_text && state->host.mode == CREATE2_MODE_OFF &&
                       power->charger != CHARGER_NONE && state->slots % SLOTS_A_SECOND == 0;
    if (!is_reported)
        return;
    char line[120];
    long seconds = (long)((now_us - power->plugged_us) / 1000000);
    snprintf(line, sizeof line,
             "bat:   min %ld  sec %ld  mV %d  mA %d  tenths-deg-C %d  mAH %d  state %d",
             seconds / 60, seconds % 60, state->readings.voltage, state->readings.current,
             state->readings.temperature * 10, state->readings.charge, power->state);
    create2_host_print(state, tx, line);
}

void create2_host_text(struct create2_state *state, const struct robot_tx *tx, int64_t now_us)
{
    boot_text(state, tx, now_us);
    charge_text(state, tx, now_us);
}
