/* The Create 2 as a robot type: its tables, power-on, received bytes, one pass of the loop. */
#include "protocols/create2/create2.h"

#include <stddef.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/rng.h"
#include "protocols/create2/create2_motion.h"
#include "protocols/create2/create2_power.h"
#include "protocols/create2/create2_senses.h"
#include "protocols/create2/create2_state.h"

static const struct channel_spec channels[] = {
    {.name = "uart",
     .baud = 115200, /* OI */
     .frame_max = CREATE2_ANSWER_MAX,
     .device = "/dev/ttyUSB0", /* libcreate and pycreate2: examples */
     .frames = {&create2_framing_to_host, &create2_framing_to_robot},
     .framing =
         "driver to robot: an opcode and its data, without header or checksum. Robot to driver: "
         "the stream: `13`, a byte with the length of the part before the checksum, packets "
         "(each a byte of ID and its data), and a byte that makes the sum of all bytes "
         "zero. Answers to `query` and `query_list` are bare data"},
};

/* ---- Options ---- */

static const char *const model_words[] = {"create2", "roomba_500", "roomba_600", NULL};
static const char *const error_words[] = {"none", "recorded", NULL};
static const char *const code_words[] = {"home_base", "discovery", NULL};

#define NUMBER(key, ...)  ROW_NUMBER(key, create2_options, __VA_ARGS__)
#define INTEGER(key, ...) ROW_INTEGER(key, create2_options, __VA_ARGS__)
#define CHOICE(key, ...)  ROW_CHOICE(key, create2_options, __VA_ARGS__)
#define SWITCH(key, ...)  ROW_BOOL(key, create2_options, __VA_ARGS__)

static const struct option_row option_rows[] = {
    CHOICE("model", model, model_words, "create2",
           "create2: no brushes and vacuum; the others differ in buttons, battery, boot text"),
    NUMBER("battery_v", battery_v, "V", 12, 16.5, "15.9",
           "voltage at the start; chosen: nearly full"),
    INTEGER("left_encoder_start", left_encoder_start, "", -32768, 32767, "0", "count at power-on"),
    INTEGER("right_encoder_start", right_encoder_start, "", -32768, 32767, "0",
            "count at power-on"),
    NUMBER("dead_time_s", dead_time_s, "s", 0, 1, "0",
           "time from a mode change until it drives; libcreate waits 0.1"),
    NUMBER("time_constant_s", time_constant_s, "s", 0, 1, "0.05",
           "time constant of the wheels' speed, from a recorded run-out"),
    CHOICE("wheel_error", wheel_error, error_words, "none",
           "recorded: wheels miss their target speed like those of recorded robots; 50 mm/s "
           "becomes 67 mm/s"),
    NUMBER("slot_ppm", slot_ppm, "ppm", -2000, 2000, "0",
           "deviation of a slot from 1/64 s; recorded robots: -15 and -559"),
    NUMBER("sleep_after_s", sleep_after_s, "s", 0, 36000, "300",
           "time in idle passive mode until it sleeps (Open Interface); 0: never"),
    SWITCH("sleeps_docked", sleeps_docked, "no", "sleep on a charger too, as some firmware does"),
    SWITCH("brc", has_brc, "yes", "RTS of the driver controls the pin BRC, which wakes the robot"),
    SWITCH("boot_text", has_boot_text, "yes", "text lines on reset, sleep and wake-up"),
    SWITCH("charge_text", has_charge_text, "no",
           "one text line per second while it charges in mode off"),
    SWITCH("distance_bug", has_distance_bug, "no", "packet 19 as in firmware before 3.3.0"),
    SWITCH("angle_bug", has_angle_bug, "no",
           "packet 20 as in firmware up to 3.4.0: multiplied by 0.324056"),
    SWITCH("mode_bug", has_mode_bug, "no", "packet 35 is one too high (create_robot#64)"),
    SWITCH("slow", is_slow, "no", "19200 baud after power-on, as if the button Clean was held"),
    CHOICE("dock_codes", dock_codes, code_words, "home_base",
           "characters of the dock: 160 and more, or 240 and more as of the 400 series"),
    SWITCH("noise", has_noise, "on",
           "noise of cliff sensors and light bumper; one frame in 25,000 is lost"),
};

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
        return error_set(error, "a create2 has no brushes; use another `model`");
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

static const struct option_row ir_rows[] = {
    ROW_INTEGER("code", ir_args, code, "", 0, 255, NULL),
    ROW_NUMBER("for", ir_args, for_s, "s", 0, 3600, "0.5"),
};
static const struct option_row dirt_rows[] = {
    ROW_NUMBER("amount", amount_args, amount, "", 0, 255, NULL),
};
static const struct option_row jump_rows[] = {
    ROW_INTEGER("left", jump_args, left, "", -65535, 65535, "0"),
    ROW_INTEGER("right", jump_args, right, "", -65535, 65535, "0"),
};
static const char *const brush_words[] = {"main", "side", NULL}; /* as enum create2_brush */
static const struct option_row jam_rows[] = {
    ROW_CHOICE("brush", jam_args, brush, brush_words, "main"),
    ROW_BOOL("on", jam_args, is_on, "yes"),
    ROW_NUMBER("for", jam_args, for_s, "s", 0, 1e6, "0", "0: no limit"),
};
static const struct option_row switch_rows[] = {ROW_BOOL("on", switch_args, is_on, "yes")};

static const struct command_row command_rows[] = {
    COMMAND_ROW(
        "ir", ir_rows, ir_args, run_ir,
        "all receivers detect this character, as from a remote control: 129 left, 130 forward ..."),
    COMMAND_ROW("dirt", dirt_rows, amount_args, run_dirt, "value of packet 15 from now on"),
    COMMAND_ROW("encoder_jump", jump_rows, jump_args, run_encoders,
                "adds to the counts of the wheels"),
    COMMAND_ROW("jam", jam_rows, jam_args, run_jam,
                "block a brush: if driven, it draws more current, and packet 14 reports it"),
    COMMAND_ROW("charging_fault", switch_rows, switch_args, run_charging_fault,
                "charging state 5 on a charger"),
    {.name = "brc",
     .run = run_brc,
     .note = "low pulse on the pin BRC: wakes the robot, or keeps it awake"},
};

/* ---- Signals ---- */

static const char *const mode_words[] = {"off", "passive", "safe", "full", NULL};
static const char *const kind_words[] = {"idle", "spot", "clean", "max", "dock", NULL};

#define SIGNAL(label, ...) SIGNAL_ROW(label, create2_state, __VA_ARGS__)
#define DIGIT(n)                                                                                   \
    SIGNAL("digit" #n "_a", panel.digits[n], "", "", .mask = 1),                                   \
        SIGNAL("digit" #n "_b", panel.digits[n], "", "", .mask = 2),                               \
        SIGNAL("digit" #n "_c", panel.digits[n], "", "", .mask = 4),                               \
        SIGNAL("digit" #n "_d", panel.digits[n], "", "", .mask = 8),                               \
        SIGNAL("digit" #n "_e", panel.digits[n], "", "", .mask = 16),                              \
        SIGNAL("digit" #n "_f", panel.digits[n], "", "", .mask = 32),                              \
        SIGNAL("digit" #n "_g", panel.digits[n], "", "", .mask = 64)

static const struct signal_row signal_rows[] = {
    SIGNAL("oi_mode", host.mode, "", "actual mode, whatever packet 35 reports",
           .names = mode_words),
    SIGNAL("behaviour", conduct.kind, "", "autonomous behaviour, in passive mode",
           .names = kind_words),
    SIGNAL("asleep", power.is_asleep, "", ""),
    SIGNAL("streaming", host.is_streaming, "", ""),
    SIGNAL("safety_trips", host.safety_trips, "",
           "number of times that safe mode ended automatically"),
    SIGNAL("ignored_commands", host.ignored, "", "commands that the mode does not allow"),
    SIGNAL("unknown_packets", host.unknown_packets, "", "requests for unknown packets"),
    SIGNAL("lost_questions", host.lost_questions, "", "queries that exceed one slot"),
    SIGNAL("bad_values", host.bad_values, "", "commands with invalid data"),
    SIGNAL("baud_code", host.baud_code, "",
           "code as in the command baud: 7 is 19200, 11 is 115200"),
    SIGNAL("slots", slots, "", "slots of 1/64 s since power-on"),

    SIGNAL("left_target_m_s", motion.wheel[0].target_m_s, "m/s", "wanted wheel speed"),
    SIGNAL("right_target_m_s", motion.wheel[1].target_m_s, "m/s", "wanted wheel speed"),
    SIGNAL("left_duty", motion.wheel[0].duty, "", "PWM duty, -1..1"),
    SIGNAL("right_duty", motion.wheel[1].duty, "", "PWM duty, -1..1"),
    SIGNAL("left_counts", motion.wheel[0].counts, "", "does not wrap"),
    SIGNAL("right_counts", motion.wheel[1].counts, "", "does not wrap"),
    SIGNAL("main_brush", motion.main_brush, "", "duty, -1..1"),
    SIGNAL("side_brush", motion.side_brush, "", "duty, -1..1"),
    SIGNAL("vacuum", motion.vacuum, "", "duty, 0..1"),

    SIGNAL("bump_right", bumpers, "", "", .mask = 1),
    SIGNAL("bump_left", bumpers, "", "", .mask = 2),
    SIGNAL("wheel_drop_right", drops, "", "", .mask = 4),
    SIGNAL("wheel_drop_left", drops, "", "", .mask = 8),
    SIGNAL("edge_left", cliffs, "", "", .mask = 1),
    SIGNAL("edge_front_left", cliffs, "", "", .mask = 2),
    SIGNAL("edge_front_right", cliffs, "", "", .mask = 4),
    SIGNAL("edge_right", cliffs, "", "", .mask = 8),
    SIGNAL("light_bump_left", readings.light_bumper, "", "", .mask = 1),
    SIGNAL("light_bump_front_left", readings.light_bumper, "", "", .mask = 2),
    SIGNAL("light_bump_center_left", readings.light_bumper, "", "", .mask = 4),
    SIGNAL("light_bump_center_right", readings.light_bumper, "", "", .mask = 8),
    SIGNAL("light_bump_front_right", readings.light_bumper, "", "", .mask = 16),
    SIGNAL("light_bump_right", readings.light_bumper, "", "", .mask = 32),
    SIGNAL("hears_omni", ir[0], "", "character, 0: none"),
    SIGNAL("hears_left", ir[1], "", "character, 0: none"),
    SIGNAL("hears_right", ir[2], "", "character, 0: none"),
    SIGNAL("button_clean", buttons, "", "", .mask = 1),
    SIGNAL("button_spot", buttons, "", "", .mask = 2),
    SIGNAL("button_dock", buttons, "", "", .mask = 4),
    SIGNAL("button_minute", buttons, "", "", .mask = 8),
    SIGNAL("button_hour", buttons, "", "", .mask = 16),
    SIGNAL("button_day", buttons, "", "", .mask = 32),
    SIGNAL("button_schedule", buttons, "", "", .mask = 64),
    SIGNAL("button_clock", buttons, "", "", .mask = 128),

    SIGNAL("battery_v", power.battery_v, "V", ""),
    SIGNAL("battery_charge", power.charge, "", "0 empty .. 1 full"),
    SIGNAL("battery_a", power.current_a, "A", "negative: discharging"),
    SIGNAL("charging", power.state, "", "packet 21; 0: not"),

    SIGNAL("power_color", panel.color, "", "0 green .. 255 red"),
    SIGNAL("power_intensity", panel.intensity, "", ""),
    SIGNAL("power_green", green, "", "share of green, 0..1"),
    SIGNAL("power_red", red, "", "and red"),
    SIGNAL("led_debris", panel.leds, "", "", .mask = 1),
    SIGNAL("led_spot", panel.leds, "", "", .mask = 2),
    SIGNAL("led_dock", panel.leds, "", "", .mask = 4),
    SIGNAL("led_check", panel.leds, "", "", .mask = 8),
    SIGNAL("led_days", panel.days, "", "Sunday 1 .. Saturday 64"),
    SIGNAL("led_marks", panel.marks, "", "colon 1, PM 2, AM 4, clock 8, schedule 16"),
    DIGIT(0),
    DIGIT(1),
    DIGIT(2),
    DIGIT(3),

    SIGNAL("sound_hz", play.hz, "Hz", "0: silence"),
    SIGNAL("tune", play.song, "",
           "0..3: a song of the driver; above: of the firmware; -1: no song"),
    SIGNAL("clock_min", clock.checked_min, "min", "since Sunday, 0:00"),
};

static const struct signal_mirror mirror_rows[] = {
#define ROW(packet, name, opcode, bytes, each, message)                                            \
    {&create2_##packet##_packet, offsetof(struct create2_state, last.message)},
#define BARE(packet, ...)
    CREATE2_COMMAND_ROWS(ROW, BARE)
#undef ROW
#undef BARE
#define SINGLE(id, ...)                                                                            \
    {&create2_singles[(id)-CREATE2_FIRST_ID], offsetof(struct create2_state, readings)},
#define GROUP(index, ...) {&create2_groups[index], offsetof(struct create2_state, readings)},
        CREATE2_SENSOR_ROWS(SINGLE) CREATE2_GROUP_ROWS(GROUP)
#undef SINGLE
#undef GROUP
};

/* ---- Baud ---- */

/* Indexed by the codes of command baud (OI). */
static const uint32_t bauds[] = {300,   600,   1200,  2400,  4800,  9600,
                                 14400, 19200, 28800, 38400, 57600, 115200};

static uint32_t baud(const void *options, unsigned channel)
{
    (void)channel;
    return bauds[((const struct create2_options *)options)->is_slow ? CREATE2_BAUD_19200
                                                                    : CREATE2_BAUD_115200];
}

/* ---- The interface of a robot type ---- */

static int64_t next_due(const struct create2_state *state)
{
    int64_t pass_us = state->pass_ns / 1000;
    return state->play.until_us < pass_us ? state->play.until_us : pass_us;
}

/* Sets the state that the processor loses when it restarts. */
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

static int64_t pass_ns(const struct create2_state *state)
{
    return (int64_t)(CREATE2_SLOT_NS * (1 + state->options.slot_ppm * 1e-6) / CREATE2_PASSES);
}

static int64_t create2_reset(void *memory, const struct robot_start *from)
{
    struct create2_state *state = memory;
    memset(state, 0, sizeof *state);
    option_copy(option_rows, COUNT(option_rows), from->options, &state->options);
    state->start_us = from->now_us;
    state->pass_ns = from->now_us * 1000 + pass_ns(state);
    state->noise_key = rng_key(from->rng_key, "noise");
    state->turn_key = rng_key(from->rng_key, "turn");
    state->slot_key = rng_key(from->rng_key, "slot");
    state->was_brc = (from->hosts[0].lines & MODEM_RTS) != 0;
    start(state, from->now_us);
    return next_due(state);
}

/* Opcode 7: the bootloader starts immediately, the rest of the firmware some seconds later. */
static void restart(struct create2_state *state, int64_t now_us)
{
    start(state, now_us);
    state->host.boot_until_us = now_us + CREATE2_BOOT_US;
    if (state->options.has_boot_text)
        create2_host_print_boot(state, now_us);
    create2_play_start(state, CREATE2_TUNE_BOOT, now_us);
}

static void fall_asleep(struct create2_state *state, const struct robot_tx *tx)
{
    create2_conduct_end(state);
    create2_motion_stop(&state->motion);
    if (state->options.has_boot_text)
        create2_host_print(state, tx, "processor-sleep");
    state->power.is_asleep = true;
    create2_panel_own(state);
    create2_play_reset(&state->play);
}

/* Mode and stream survive sleep (libcreate#18: the stream continued without a new start
 * command). */
static void wake(struct create2_state *state, int64_t now_us, const char *line)
{
    state->power.is_asleep = false;
    state->wake_line = line[0] == 'k' ? CREATE2_WOKEN_BY_KEY : CREATE2_WOKEN_BY_CHARGER;
    create2_power_stir(state, now_us);
    create2_panel_own(state);
}

/* Three low pulses of 50 to 500 ms select 19200 baud. They must come at least 2 s after power-on
 * and before the start command (OI). */
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

/* If the host switches RTS on, BRC is low. */
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

static const char *create2_deaf(const void *memory)
{
    const struct create2_state *state = memory;
    return state->power.is_asleep
               ? "slept: a pulse on RTS (pin BRC), the button clean or a charger wakes it"
               : NULL;
}

/* Handles the buttons. Most of them have an effect only while no host controls the robot. */
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

/* The clock advances in whole minutes. At the times of the schedule, the robot starts to clean. */
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
        fall_asleep(state, tx);
}

/* Prints the text of a wake as soon as it is possible. */
static void send_wake(struct create2_state *state, const struct robot_tx *tx)
{
    static const char *const words[] = {NULL, "key-wakeup", "charger-wakeup"};
    if (state->wake_line != CREATE2_NOT_WOKEN && state->options.has_boot_text)
        create2_host_print(state, tx, words[state->wake_line]);
    state->wake_line = CREATE2_NOT_WOKEN;
}

/* One slot: reads sensors, decides, then sends. */
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
    send_wake(state, tx);
    create2_host_text(state, tx, now_us);
    if (now_us >= state->host.boot_until_us)
        create2_host_send(state, tx);
}

static void pass(struct create2_state *state, const struct robot_sensors *sensors,
                 const struct robot_tx *tx)
{
    int64_t now_us = state->pass_ns / 1000;
    create2_senses_read(state, sensors, now_us);
    watch_buttons(state, now_us);
    create2_host_guard(state, now_us);
    create2_motion_pass(state, sensors);
    state->passes = (state->passes + 1) % CREATE2_PASSES;
    if (state->passes == 0)
        slot(state, sensors, tx, now_us);
    state->pass_ns += pass_ns(state);
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
        fall_asleep(state, tx);
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

/* For a query list, the first packet counts as the answer. */
static const struct robot_answer answers[] = {
#define SINGLE(id, type, name, ...) {#name, "query"},
#define GROUP(index, id, ...)       {"group_" #id, "query"},
    CREATE2_SENSOR_ROWS(SINGLE) CREATE2_GROUP_ROWS(GROUP){NULL, NULL},
#undef SINGLE
#undef GROUP
};

const struct robot_type create2_type = {
    .name = "create2",
    .title = "iRobot Create 2",
    ROBOT_TABLES(create2_state, create2_options),
    ROBOT_MIRRORS,
    ROBOT_COMMANDS,
    .appearance = &create2_appearance,
    .answers = answers,
    .packets = create2_packets,
    .buttons = buttons,
    .storage_offset = SIZE_MAX,
    .boots_offset = offsetof(struct create2_state, boots),
    .fixed_body = &create2_body,
    .baud = baud,
    .battery_charge = create2_battery_charge,
    .lines = create2_lines,
    .deaf = create2_deaf,
    ROBOT_FUNCTIONS(create2),
    .odometry = create2_odometry,
};
