/* The Create 2 as a robot type: its tables, power-on, bytes in, one pass of the loop. */
#include "protocols/create2/create2.h"

#include <stddef.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/rng.h"
#include "protocols/create2/create2_body.h"
#include "protocols/create2/create2_conduct.h"
#include "protocols/create2/create2_host.h"
#include "protocols/create2/create2_motion.h"
#include "protocols/create2/create2_power.h"
#include "protocols/create2/create2_profile.h"
#include "protocols/create2/create2_senses.h"
#include "protocols/create2/create2_state.h"

static const struct channel_spec channels[] = {
    {.name = "uart",
     .kind = CHANNEL_SERIAL,
     .baud = 115200, /* OI */
     .frame_max = CREATE2_ANSWER_MAX,
     .device = "/dev/ttyUSB0", /* libcreate and pycreate2: examples */
     .frames = {&create2_framing_to_host, &create2_framing_to_robot},
     .framing = "to the robot an opcode and its data, without header or checksum; to the host the "
                "stream: `13`, a byte with the length of what follows up to the checksum, packets "
                "(each a byte of id and its data), and a byte that makes the sum of all zero. "
                "Answers to `query` and `query_list` are bare data"},
};

/* ---- Options ---- */

static const char *const model_words[] = {"create2", "roomba_500", "roomba_600", NULL};
static const char *const code_words[] = {"home_base", "discovery", NULL};

#define AT(member) .offset = offsetof(struct create2_options, member)
#define CHOICE(name, member, normal, words, text)                                                  \
    {                                                                                              \
        .key = (name), .type = OPTION_CHOICE, AT(member), .fallback = (normal),                    \
        .choices = (words), .note = (text)                                                         \
    }
#define SWITCH(name, member, normal, text)                                                         \
    {                                                                                              \
        .key = (name), .type = OPTION_BOOL, AT(member), .fallback = (normal), .note = (text)       \
    }
#define NUMBER(name, member, units, low, high, normal, text)                                       \
    {                                                                                              \
        .key = (name), .type = OPTION_NUMBER, AT(member), .unit = (units), .min = (low),           \
        .max = (high), .fallback = (normal), .note = (text)                                        \
    }
#define INTEGER(name, member, low, high, normal, text)                                             \
    {                                                                                              \
        .key = (name), .type = OPTION_INTEGER, AT(member), .min = (low), .max = (high),            \
        .fallback = (normal), .note = (text)                                                       \
    }

static const struct option_row option_rows[] = {
    CHOICE("model", model, "create2", model_words,
           "create2: no brushes and vacuum; the others differ in buttons, battery, boot text"),
    NUMBER("battery_v", battery_v, "V", 12, 16.5, "15.9", "at the start; chosen: nearly full"),
    INTEGER("left_encoder_start", left_encoder_start, -32768, 32767, "0", "count at power-on"),
    INTEGER("right_encoder_start", right_encoder_start, -32768, 32767, "0", "count at power-on"),
    NUMBER("dead_time_s", dead_time_s, "s", 0, 1, "0",
           "from a mode change until it drives; libcreate waits 0.1"),
    NUMBER("time_constant_s", time_constant_s, "s", 0, 1, "0.06",
           "of the wheels' speed (robotics.SE 6869)"),
    NUMBER("sleep_after_s", sleep_after_s, "s", 0, 36000, "300",
           "of idle passive mode (Open Interface); 0: never"),
    SWITCH("sleeps_docked", sleeps_docked, "no", "on a charger too, as some firmware does"),
    SWITCH("brc", has_brc, "yes", "RTS of the host drives the pin BRC, which wakes it"),
    SWITCH("boot_text", has_boot_text, "yes", "lines on the wire on reset, sleep and wake"),
    SWITCH("charge_text", has_charge_text, "no", "a line a second while it charges in mode off"),
    SWITCH("distance_bug", has_distance_bug, "no", "packet 19 as before firmware 3.3.0"),
    SWITCH("angle_bug", has_angle_bug, "no", "packet 20 as until firmware 3.4.0: times 0.324056"),
    SWITCH("mode_bug", has_mode_bug, "no", "packet 35 one too high (create_robot#64)"),
    SWITCH("slow", is_slow, "no", "19200 baud after power-on, as with the button Clean held then"),
    CHOICE("dock_codes", dock_codes, "home_base", code_words,
           "characters of the dock: 160 and more, or 240 and more as of the 400 series"),
    SWITCH("noise", has_noise, "on", "of cliff sensors and light bumper"),
};

#undef INTEGER
#undef NUMBER
#undef SWITCH
#undef CHOICE
#undef AT

/* ---- Commands ---- */

struct ir_args {
    int64_t code;
    double for_s;
};
struct amount_args {
    double amount;
};
struct jump_args {
    int64_t left, right;
};
struct switch_args {
    bool is_on;
};
struct jam_args {
    int32_t brush;
    bool is_on;
    double for_s;
};
struct brc_args {
    double ms;
};

static bool run_ir(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)error;
    struct create2_state *state = memory;
    const struct ir_args *ir = args;
    state->ir_code = (uint8_t)ir->code;
    state->ir_until_us = now_us + (int64_t)(ir->for_s * 1e6);
    return true;
}

static bool run_dirt(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    ((struct create2_state *)memory)->dirt = ((const struct amount_args *)args)->amount;
    return true;
}

static bool run_encoders(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    struct create2_state *state = memory;
    const struct jump_args *jump = args;
    state->motion.wheel[CREATE2_LEFT].counts += (double)jump->left;
    state->motion.wheel[CREATE2_RIGHT].counts += (double)jump->right;
    return true;
}

static bool run_charging_fault(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    ((struct create2_state *)memory)->power.is_faulty = ((const struct switch_args *)args)->is_on;
    return true;
}

static bool run_jam(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us;
    struct create2_state *state = memory;
    const struct jam_args *jam = args;
    if (!create2_profile(state)->has_cleaner)
        return error_set(error, "a create2 has no brushes; set the option `model` to another");
    if (jam->is_on)
        create2_motion_jam(&state->motion, (enum create2_brush)jam->brush, jam->for_s);
    else
        state->motion.jam[jam->brush].passes = 0;
    return true;
}

static void wake(struct create2_state *state, int64_t now_us, const char *line);

static void pulse(struct create2_state *state, int64_t now_us)
{
    create2_power_stir(state, now_us);
    if (state->power.is_asleep)
        wake(state, now_us, "key-wakeup");
}

static bool run_brc(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)args, (void)error;
    pulse(memory, now_us);
    return true;
}

#define AT(tag, member) .offset = offsetof(struct tag, member)

static const struct option_row ir_rows[] = {
    {.key = "code", .type = OPTION_INTEGER, AT(ir_args, code), .max = 255},
    {.key = "for",
     .type = OPTION_NUMBER,
     AT(ir_args, for_s),
     .unit = "s",
     .max = 3600,
     .fallback = "0.5"},
};
static const struct option_row dirt_rows[] = {
    {.key = "amount", .type = OPTION_NUMBER, AT(amount_args, amount), .unit = "", .max = 255},
};
static const struct option_row jump_rows[] = {
    {.key = "left",
     .type = OPTION_INTEGER,
     AT(jump_args, left),
     .min = -65535,
     .max = 65535,
     .fallback = "0"},
    {.key = "right",
     .type = OPTION_INTEGER,
     AT(jump_args, right),
     .min = -65535,
     .max = 65535,
     .fallback = "0"},
};
static const char *const brush_words[] = {"main", "side", NULL}; /* as enum create2_brush */
static const struct option_row jam_rows[] = {
    {.key = "brush",
     .type = OPTION_CHOICE,
     AT(jam_args, brush),
     .choices = brush_words,
     .fallback = "main"},
    {.key = "on", .type = OPTION_BOOL, AT(jam_args, is_on), .fallback = "yes"},
    {.key = "for",
     .type = OPTION_NUMBER,
     AT(jam_args, for_s),
     .unit = "s",
     .max = 1e6,
     .fallback = "0",
     .note = "0: until it is ended"},
};
static const struct option_row switch_rows[] = {
    {.key = "on", .type = OPTION_BOOL, AT(switch_args, is_on), .fallback = "yes"},
};

#define ROWS(list, tag) .args = list, .arg_count = COUNT(list), .args_size = sizeof(struct tag)
static const struct command_row command_rows[] = {
    {.name = "ir",
     ROWS(ir_rows, ir_args),
     .run = run_ir,
     .note = "all receivers hear this character, as of a remote: 129 left, 130 forward ..."},
    {.name = "dirt",
     ROWS(dirt_rows, amount_args),
     .run = run_dirt,
     .note = "packet 15 from now on"},
    {.name = "encoder_jump",
     ROWS(jump_rows, jump_args),
     .run = run_encoders,
     .note = "adds to the counts of the wheels"},
    {.name = "jam",
     ROWS(jam_rows, jam_args),
     .run = run_jam,
     .note = "something holds a brush: where it is driven it draws more, and packet 14 says so"},
    {.name = "charging_fault",
     ROWS(switch_rows, switch_args),
     .run = run_charging_fault,
     .note = "charging state 5 on a charger"},
    {.name = "brc",
     .run = run_brc,
     .note = "a low pulse on the pin BRC: wakes it, or keeps it awake"},
};
#undef ROWS
#undef AT

/* ---- Signals ---- */

static const char *const mode_words[] = {"off", "passive", "safe", "full", NULL};
static const char *const kind_words[] = {"idle", "spot", "clean", "max", "dock", NULL};

#define AT(member) .offset = offsetof(struct create2_state, member)
#define NUMBER(label, kind, member, units, words)                                                  \
    {                                                                                              \
        .name = (label), .type = SIGNAL_##kind, AT(member), .unit = (units), .note = (words)       \
    }
#define NAMED(label, kind, member, list, words)                                                    \
    {                                                                                              \
        .name = (label), .type = SIGNAL_##kind, AT(member), .unit = "", .names = (list),           \
        .note = (words)                                                                            \
    }
#define BIT(label, kind, member, bits)                                                             \
    {                                                                                              \
        .name = (label), .type = SIGNAL_##kind, AT(member), .mask = (bits), .unit = "", .note = "" \
    }
#define DIGIT(n)                                                                                   \
    BIT("digit" #n "_a", U8, panel.digits[n], 1), BIT("digit" #n "_b", U8, panel.digits[n], 2),    \
        BIT("digit" #n "_c", U8, panel.digits[n], 4),                                              \
        BIT("digit" #n "_d", U8, panel.digits[n], 8),                                              \
        BIT("digit" #n "_e", U8, panel.digits[n], 16),                                             \
        BIT("digit" #n "_f", U8, panel.digits[n], 32),                                             \
        BIT("digit" #n "_g", U8, panel.digits[n], 64)

static const struct signal_row signal_rows[] = {
    NAMED("oi_mode", U8, host.mode, mode_words, "as it is, whatever packet 35 says"),
    NAMED("behaviour", U8, conduct.kind, kind_words, "of its own, in passive mode"),
    NUMBER("asleep", BOOL, power.is_asleep, "", ""),
    NUMBER("streaming", BOOL, host.is_streaming, "", ""),
    NUMBER("safety_trips", U64, host.safety_trips, "", "times that safe mode ended by itself"),
    NUMBER("ignored_commands", U64, host.ignored, "", "that the mode does not allow"),
    NUMBER("unknown_packets", U64, host.unknown_packets, "", "ids that were asked for in vain"),
    NUMBER("lost_questions", U64, host.lost_questions, "", "queries too many for one slot"),
    NUMBER("bad_values", U64, host.bad_values, "", "data that means nothing"),
    NUMBER("baud_code", U8, host.baud_code, "", "as of command baud: 7 is 19200, 11 is 115200"),
    NUMBER("slots", U64, slots, "", "of 15 ms, since power-on"),

    NUMBER("left_target_m_s", DOUBLE, motion.wheel[0].target_m_s, "m/s", "wanted wheel speed"),
    NUMBER("right_target_m_s", DOUBLE, motion.wheel[1].target_m_s, "m/s", "wanted wheel speed"),
    NUMBER("left_duty", DOUBLE, motion.wheel[0].duty, "", "-1..1 of the supply"),
    NUMBER("right_duty", DOUBLE, motion.wheel[1].duty, "", "-1..1 of the supply"),
    NUMBER("left_counts", DOUBLE, motion.wheel[0].counts, "", "does not wrap"),
    NUMBER("right_counts", DOUBLE, motion.wheel[1].counts, "", "does not wrap"),
    NUMBER("main_brush", DOUBLE, motion.main_brush, "", "duty, -1..1"),
    NUMBER("side_brush", DOUBLE, motion.side_brush, "", "duty, -1..1"),
    NUMBER("vacuum", DOUBLE, motion.vacuum, "", "duty, 0..1"),

    BIT("bump_right", U8, bumpers, 1),
    BIT("bump_left", U8, bumpers, 2),
    BIT("wheel_drop_right", U8, drops, 4),
    BIT("wheel_drop_left", U8, drops, 8),
    BIT("edge_left", U8, cliffs, 1),
    BIT("edge_front_left", U8, cliffs, 2),
    BIT("edge_front_right", U8, cliffs, 4),
    BIT("edge_right", U8, cliffs, 8),
    BIT("light_bump_left", U8, readings.light_bumper, 1),
    BIT("light_bump_front_left", U8, readings.light_bumper, 2),
    BIT("light_bump_center_left", U8, readings.light_bumper, 4),
    BIT("light_bump_center_right", U8, readings.light_bumper, 8),
    BIT("light_bump_front_right", U8, readings.light_bumper, 16),
    BIT("light_bump_right", U8, readings.light_bumper, 32),
    NUMBER("hears_omni", U8, ir[0], "", "character, 0: none"),
    NUMBER("hears_left", U8, ir[1], "", "character, 0: none"),
    NUMBER("hears_right", U8, ir[2], "", "character, 0: none"),
    BIT("button_clean", U8, buttons, 1),
    BIT("button_spot", U8, buttons, 2),
    BIT("button_dock", U8, buttons, 4),
    BIT("button_minute", U8, buttons, 8),
    BIT("button_hour", U8, buttons, 16),
    BIT("button_day", U8, buttons, 32),
    BIT("button_schedule", U8, buttons, 64),
    BIT("button_clock", U8, buttons, 128),

    NUMBER("battery_v", DOUBLE, power.battery_v, "V", ""),
    NUMBER("battery_charge", DOUBLE, power.charge, "", "0 empty .. 1 full"),
    NUMBER("battery_a", DOUBLE, power.current_a, "A", "negative: discharging"),
    NUMBER("charging", U8, power.state, "", "packet 21; 0: not"),

    NUMBER("power_color", U8, panel.color, "", "0 green .. 255 red"),
    NUMBER("power_intensity", U8, panel.intensity, "", ""),
    NUMBER("power_green", DOUBLE, green, "", "how much it shines green, 0..1"),
    NUMBER("power_red", DOUBLE, red, "", "and red"),
    BIT("led_debris", U8, panel.leds, 1),
    BIT("led_spot", U8, panel.leds, 2),
    BIT("led_dock", U8, panel.leds, 4),
    BIT("led_check", U8, panel.leds, 8),
    NUMBER("led_days", U8, panel.days, "", "Sunday 1 .. Saturday 64"),
    NUMBER("led_marks", U8, panel.marks, "", "colon 1, PM 2, AM 4, clock 8, schedule 16"),
    DIGIT(0),
    DIGIT(1),
    DIGIT(2),
    DIGIT(3),

    NUMBER("sound_hz", DOUBLE, play.hz, "Hz", "0: silence"),
    NUMBER("tune", I32, play.song, "", "0..3 a song of the host, more: of the firmware; -1: none"),
    NUMBER("clock_min", I64, clock.checked_min, "min", "since Sunday, 0:00"),
};
#undef DIGIT
#undef BIT
#undef NAMED
#undef NUMBER
#undef AT

static const struct signal_mirror mirror_rows[] = {
#define ROW(packet, opcode, bytes, each, message)                                                  \
    {&create2_##packet##_packet, offsetof(struct create2_state, last.message)},
#define BARE(packet, opcode)
    CREATE2_COMMAND_ROWS(ROW, BARE)
#undef ROW
#undef BARE
#define ROW(id, type, name, unit, note, value)                                                     \
    {&create2_singles[(id)-CREATE2_FIRST_ID], offsetof(struct create2_state, readings)},
        CREATE2_SENSOR_ROWS(ROW)
#undef ROW
#define GROUP(i)                                                                                   \
    {                                                                                              \
        &create2_groups[i], offsetof(struct create2_state, readings)                               \
    }
            GROUP(0),
    GROUP(1),
    GROUP(2),
    GROUP(3),
    GROUP(4),
    GROUP(5),
    GROUP(6),
    GROUP(7),
    GROUP(8),
    GROUP(9),
    GROUP(10),
#undef GROUP
};

/* ---- Baud ---- */

/* Of the codes of command baud (OI). */
static const uint32_t bauds[] = {300,   600,   1200,  2400,  4800,  9600,
                                 14400, 19200, 28800, 38400, 57600, 115200};

static uint32_t baud(const void *options, unsigned channel)
{
    (void)channel;
    return bauds[((const struct create2_options *)options)->is_slow ? CREATE2_BAUD_19200
                                                                    : CREATE2_BAUD_115200];
}

/* ---- The contract ---- */

static int64_t next_due(const struct create2_state *state)
{
    return state->play.until_us < state->pass_us ? state->play.until_us : state->pass_us;
}

/* What the processor loses when it restarts. */
static void start(struct create2_state *state, int64_t now_us)
{
    bool had_start = state->motion.has_start;
    double turned_rad[CREATE2_WHEELS] = {state->motion.wheel[0].turned_rad,
                                         state->motion.wheel[1].turned_rad};
    memset(&state->framer, 0, sizeof state->framer);
    memset(&state->motion, 0, sizeof state->motion);
    memset(&state->conduct, 0, sizeof state->conduct);
    memset(&state->songs, 0, sizeof state->songs);
    memset(&state->clock, 0, sizeof state->clock);
    state->motion.has_start = had_start;
    for (int i = 0; i < CREATE2_WHEELS; i++)
        state->motion.wheel[i].turned_rad = turned_rad[i];
    state->motion.wheel[CREATE2_LEFT].counts = (double)state->options.left_encoder_start;
    state->motion.wheel[CREATE2_RIGHT].counts = (double)state->options.right_encoder_start;
    state->clock.set_us = now_us;
    state->power.is_asleep = false;
    create2_power_stir(state, now_us);
    create2_host_reset(state, now_us);
    state->host.baud_code = state->options.is_slow ? CREATE2_BAUD_19200 : CREATE2_BAUD_115200;
    create2_play_reset(&state->play);
    create2_panel_own(state);
    state->boots++;
}

static int64_t create2_reset(void *memory, const struct robot_start *from)
{
    struct create2_state *state = memory;
    memset(state, 0, sizeof *state);
    option_copy(option_rows, COUNT(option_rows), from->options, &state->options);
    state->start_us = from->now_us;
    state->pass_us = from->now_us + CREATE2_PASS_US;
    state->noise_key = rng_key(from->rng_key, "noise");
    state->turn_key = rng_key(from->rng_key, "turn");
    state->was_brc = (from->hosts[0].lines & MODEM_RTS) != 0;
    start(state, from->now_us);
    return next_due(state);
}

static int64_t create2_host(void *memory, unsigned channel, bool present, int64_t now_us)
{
    (void)channel, (void)present, (void)now_us;
    return next_due(memory);
}

/* Opcode 7: the bootloader at once, the rest some seconds later. */
static void restart(struct create2_state *state, int64_t now_us)
{
    start(state, now_us);
    state->host.boot_until_us = now_us + CREATE2_BOOT_US;
    if (state->options.has_boot_text)
        create2_host_print_boot(state, now_us);
    create2_play_start(state, CREATE2_TUNE_BOOT, now_us);
}

static void fall_asleep(struct create2_state *state, const struct robot_tx *tx, int64_t now_us)
{
    create2_conduct_end(state);
    create2_motion_stop(&state->motion);
    if (state->options.has_boot_text)
        create2_host_print(state, tx, "processor-sleep");
    state->power.is_asleep = true;
    state->power.slept_us = now_us;
    create2_panel_own(state);
    create2_play_reset(&state->play);
}

/* Mode and stream survive (libcreate#18: it went on without a new start). */
static void wake(struct create2_state *state, int64_t now_us, const char *line)
{
    state->power.is_asleep = false;
    state->wake_line = line[0] == 'k' ? CREATE2_WOKEN_BY_KEY : CREATE2_WOKEN_BY_CHARGER;
    create2_power_stir(state, now_us);
    create2_panel_own(state);
}

/* Three low pulses of 50 to 500 ms, 2 s after power-on or later and before the start: 19200 baud
 * (OI). */
static void count_pulse(struct create2_state *state, int64_t now_us)
{
    int64_t width_us = now_us - state->low_us;
    bool is_pulse = width_us >= 50000 && width_us <= 500000 &&
                    state->host.mode == CREATE2_MODE_OFF &&
                    state->low_us - state->start_us >= 2000000;
    state->pulses = is_pulse ? state->pulses + 1 : 0;
    if (state->pulses == 3)
        state->host.baud_code = CREATE2_BAUD_19200;
}

/* RTS on pulls BRC low. */
static int64_t create2_lines(void *memory, unsigned channel, unsigned lines, int64_t now_us)
{
    (void)channel;
    struct create2_state *state = memory;
    bool is_low = (lines & MODEM_RTS) != 0;
    if (is_low && !state->was_brc && state->options.has_brc) {
        pulse(state, now_us);
        state->low_us = now_us;
    }
    if (!is_low && state->was_brc && state->options.has_brc)
        count_pulse(state, now_us);
    state->was_brc = is_low;
    return next_due(state);
}

static int64_t create2_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                          int64_t now_us)
{
    (void)channel;
    struct create2_state *state = memory;
    if (state->power.is_asleep || now_us < state->host.boot_until_us) {
        state->stats.noise_bytes += size; /* nobody listens */
        return next_due(state);
    }
    for (size_t i = 0; i < size; i++)
        if (create2_framer_push(&state->framer, bytes[i], &state->stats))
            create2_host_obey(state, now_us);
    return next_due(state);
}

/* Buttons act where no host has the robot. */
static void watch_buttons(struct create2_state *state, int64_t now_us)
{
    uint8_t down = (uint8_t)(state->buttons & ~(unsigned)state->buttons_before);
    state->buttons_before = state->buttons;
    if (down == 0)
        return;
    create2_power_stir(state, now_us);
    if (state->power.is_asleep) {
        if (down & CREATE2_BUTTON_CLEAN)
            wake(state, now_us, "key-wakeup");
        return;
    }
    if (state->host.mode >= CREATE2_MODE_SAFE)
        return;
    static const struct {
        uint8_t button, kind;
    } acts[] = {{CREATE2_BUTTON_CLEAN, CREATE2_DO_CLEAN},
                {CREATE2_BUTTON_SPOT, CREATE2_DO_SPOT},
                {CREATE2_BUTTON_DOCK, CREATE2_DO_DOCK}};
    for (size_t i = 0; i < COUNT(acts); i++)
        if (down & acts[i].button)
            create2_conduct_begin(state, (enum create2_behaviour)acts[i].kind, now_us);
}

/* The clock goes on in whole minutes; at those of the schedule it cleans. */
static void watch_clock(struct create2_state *state, int64_t now_us)
{
    struct create2_clock *clock = &state->clock;
    enum { DAY_MIN = 24 * 60, WEEK_MIN = 7 * DAY_MIN };
    int64_t minute = (clock->set_min + (now_us - clock->set_us) / 60000000) % WEEK_MIN;
    if (minute == clock->checked_min)
        return;
    clock->checked_min = minute;
    int64_t day = minute / DAY_MIN;
    const uint8_t *time = &clock->schedule.times[2 * day];
    bool is_time = clock->schedule.days >> day & 1 && minute % DAY_MIN == time[0] * 60 + time[1];
    if (!is_time || state->host.mode >= CREATE2_MODE_SAFE || state->conduct.kind != CREATE2_IDLE)
        return;
    if (state->power.is_asleep)
        wake(state, now_us, "key-wakeup");
    create2_conduct_begin(state, CREATE2_DO_CLEAN, now_us);
}

static void watch_sleep(struct create2_state *state, const struct robot_tx *tx, int64_t now_us)
{
    double idle_s = (double)(now_us - state->power.active_us) * 1e-6;
    bool is_fed = state->power.charger != CHARGER_NONE && !state->options.sleeps_docked;
    bool is_idle = state->host.mode <= CREATE2_MODE_PASSIVE && state->conduct.kind == CREATE2_IDLE;
    if (state->options.sleep_after_s > 0 && idle_s >= state->options.sleep_after_s && is_idle &&
        !is_fed && !state->power.is_asleep)
        fall_asleep(state, tx, now_us);
}

/* What a wake prints, once there is a line to print on. */
static void tell_wake(struct create2_state *state, const struct robot_tx *tx)
{
    static const char *const words[] = {NULL, "key-wakeup", "charger-wakeup"};
    if (state->wake_line != CREATE2_NOT_WOKEN && state->options.has_boot_text)
        create2_host_print(state, tx, words[state->wake_line]);
    state->wake_line = CREATE2_NOT_WOKEN;
}

/* Every 15 ms: senses, then what the robot decides, then what it says. */
static void slot(struct create2_state *state, const struct robot_sensors *sensors,
                 const struct robot_tx *tx, int64_t now_us)
{
    state->slots++;
    bool is_plugged = create2_power_read(state, sensors, now_us);
    if (is_plugged)
        create2_power_stir(state, now_us);
    if (is_plugged && state->power.is_asleep)
        wake(state, now_us, "charger-wakeup");
    create2_senses_slot(state, sensors, now_us);
    watch_clock(state, now_us);
    watch_sleep(state, tx, now_us);
    state->red = state->panel.color / 255.0 * state->panel.intensity / 255.0;
    state->green = (255 - state->panel.color) / 255.0 * state->panel.intensity / 255.0;
    if (state->power.is_asleep)
        return;
    create2_conduct_step(state, now_us);
    tell_wake(state, tx);
    create2_host_text(state, tx, now_us);
    if (now_us >= state->host.boot_until_us)
        create2_host_send(state, tx, now_us);
}

static void pass(struct create2_state *state, const struct robot_sensors *sensors,
                 const struct robot_tx *tx)
{
    enum { PASSES = CREATE2_SLOT_US / CREATE2_PASS_US };
    int64_t now_us = state->pass_us;
    create2_senses_read(state, sensors, now_us);
    watch_buttons(state, now_us);
    create2_host_guard(state, now_us);
    create2_motion_pass(state, sensors);
    state->passes = (state->passes + 1) % PASSES;
    if (state->passes == 0)
        slot(state, sensors, tx, now_us);
    state->pass_us += CREATE2_PASS_US;
}

static int64_t create2_tick(void *memory, const struct robot_sensors *sensors,
                            struct robot_actuators *actuators, const struct robot_tx *tx,
                            int64_t now_us)
{
    struct create2_state *state = memory;
    uint8_t pending = state->host.pending;
    state->host.pending = CREATE2_PENDING_NONE;
    if (pending == CREATE2_PENDING_RESET)
        restart(state, now_us);
    else if (pending == CREATE2_PENDING_SLEEP)
        fall_asleep(state, tx, now_us);
    int64_t due_us;
    while ((due_us = next_due(state)) <= now_us)
        if (state->play.until_us == due_us)
            create2_play_next(state);
        else
            pass(state, sensors, tx);
    for (int i = 0; i < CREATE2_WHEELS; i++)
        actuators->motor[i] = state->motion.wheel[i].duty;
    actuators->sound_hz = state->play.hz;
    actuators->sound_level = state->play.hz > 0 ? 1 : 0;
    actuators->charge_rate_1_s = create2_power_charge_rate(state);
    actuators->baud[0] = bauds[state->host.baud_code];
    return due_us;
}

/* ---- Battery ---- */

static double charge_at(const void *options, double volts)
{
    (void)options;
    return create2_battery_charge(volts);
}

static double charge_at_start(const void *options)
{
    return create2_battery_charge(((const struct create2_options *)options)->battery_v);
}

/* ---- Odometry as libcreate computes it, from packets 43 and 44 ---- */

static void create2_odometry(const void *memory, struct robot_odometry *odometry)
{
    static const double M_PER_COUNT = ANGLE_PI * 0.072 / 508.8;
    const struct create2_state *state = memory;
    odometry->kind = ROBOT_ODOMETRY_WHEELS;
    odometry->left_m = (uint16_t)state->readings.encoder_left * M_PER_COUNT;
    odometry->right_m = (uint16_t)state->readings.encoder_right * M_PER_COUNT;
    odometry->wrap_m = 65536 * M_PER_COUNT;
    odometry->heading_rad =
        (state->motion.wheel[CREATE2_RIGHT].counts - state->motion.wheel[CREATE2_LEFT].counts) *
        M_PER_COUNT / 0.235;
}

/* In the order of the bits of packets 18 and 165. */
static const char *const buttons[] = {"clean", "spot",     "dock",  "minute", "hour",
                                      "day",   "schedule", "clock", NULL};

/* Of a list the first packet counts as the answer. */
static const struct robot_answer answers[] = {
#define ROW(id, type, name, unit, note, value) {#name, "query"},
    CREATE2_SENSOR_ROWS(ROW)
#undef ROW
#define GROUP(id)                                                                                  \
    {                                                                                              \
        "group_" #id, "query"                                                                      \
    }
        GROUP(0),
    GROUP(1),
    GROUP(2),
    GROUP(3),
    GROUP(4),
    GROUP(5),
    GROUP(6),
    GROUP(100),
    GROUP(101),
    GROUP(106),
    GROUP(107),
#undef GROUP
    {NULL, NULL},
};

const struct robot_type create2_type = {
    .name = "create2",
    .title = "iRobot Create 2",
    .channels = channels,
    .channel_count = COUNT(channels),
    .options = option_rows,
    .option_count = COUNT(option_rows),
    .options_size = sizeof(struct create2_options),
    .signals = signal_rows,
    .signal_count = COUNT(signal_rows),
    .mirrors = mirror_rows,
    .mirror_count = COUNT(mirror_rows),
    .commands = command_rows,
    .command_count = COUNT(command_rows),
    .looks = &create2_looks,
    .answers = answers,
    .packets = create2_packets,
    .buttons = buttons,
    .state_size = sizeof(struct create2_state),
    .stats_offset = offsetof(struct create2_state, stats),
    .storage_offset = SIZE_MAX,
    .boots_offset = offsetof(struct create2_state, boots),
    .body = create2_body,
    .baud = baud,
    .battery_charge = charge_at,
    .battery_start = charge_at_start,
    .reset = create2_reset,
    .host = create2_host,
    .lines = create2_lines,
    .rx = create2_rx,
    .tick = create2_tick,
    .odometry = create2_odometry,
};
