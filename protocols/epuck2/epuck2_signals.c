/* What can be observed of an e-puck2 beside its wire: signals and mirrors. */
#include "protocols/epuck2/epuck2_rows.h"
#include "protocols/epuck2/epuck2_state.h"

static const char *const phase_words[] = {"waiting", "silent", "streaming", "leaving", NULL};
static const char *const melody_words[] = {"none",  "mario",  "underworld", "star_wars",
                                           "4_khz", "10_khz", NULL};

#define AT(member) .offset = offsetof(struct epuck2_state, member)
#define NUMBER(label, kind, member, units, words)                                                  \
    {                                                                                              \
        .name = (label), .type = SIGNAL_##kind, AT(member), .unit = (units), .note = (words)       \
    }
#define NAMED(label, kind, member, list, words)                                                    \
    {                                                                                              \
        .name = (label), .type = SIGNAL_##kind, AT(member), .unit = "", .names = (list),           \
        .note = (words)                                                                            \
    }
#define BIT(label, member, bits, words)                                                            \
    {                                                                                              \
        .name = (label), .type = SIGNAL_U8, AT(member), .mask = (bits), .unit = "",                \
        .note = (words)                                                                            \
    }
#define PROX(n)                                                                                    \
    NUMBER("prox" #n, U16, prox.value[n], "", "now; sensors.prox is what was sent"),               \
        NUMBER("prox" #n "_offset", U16, prox.offset[n], "", "found by calibration")
#define COLORS(led, i)                                                                             \
    BIT(led "_red", lamps.color[i], EPUCK2_COLOR_RED, "lit in this color"),                        \
        BIT(led "_green", lamps.color[i], EPUCK2_COLOR_GREEN, "lit in this color"),                \
        BIT(led "_yellow", lamps.color[i], EPUCK2_COLOR_YELLOW, "lit in this color"),              \
        BIT(led "_blue", lamps.color[i], EPUCK2_COLOR_BLUE, "lit in this color"),                  \
        BIT(led "_magenta", lamps.color[i], EPUCK2_COLOR_MAGENTA, "lit in this color"),            \
        BIT(led "_cyan", lamps.color[i], EPUCK2_COLOR_CYAN, "lit in this color"),                  \
        BIT(led "_white", lamps.color[i], EPUCK2_COLOR_WHITE, "lit in this color"),                \
        NUMBER(led "_red_percent", U8, lamps.rgb[i][0], "%", ""),                                  \
        NUMBER(led "_green_percent", U8, lamps.rgb[i][1], "%", ""),                                \
        NUMBER(led "_blue_percent", U8, lamps.rgb[i][2], "%", "")

const struct signal_row epuck2_signal_rows[EPUCK2_SIGNAL_COUNT] = {
    /* The loop. */
    NAMED("phase", U8, stream.phase, phase_words, "of the WiFi firmware"),
    NUMBER("awaiting", BOOL, stream.is_awaiting, "",
           "the rest of a command, and does nothing else"),
    NUMBER("blocked", BOOL, stream.is_blocked, "", "the client does not read"),
    NUMBER("turns", U64, stream.turns, "", "of the loop since power-on"),
    NUMBER("images", U64, stream.images, "", "sent since power-on"),
    NUMBER("dropped_commands", U64, stream.dropped_commands, "", "newer ones waited"),

    /* Motion. */
    NUMBER("left_wanted", I16, motion.wheel[0].wanted, "1/s", "steps a second, as commanded"),
    NUMBER("right_wanted", I16, motion.wheel[1].wanted, "1/s", "steps a second, as commanded"),
    NUMBER("left_speed", DOUBLE, motion.wheel[0].true_steps_s, "1/s", "steps a second, as driven"),
    NUMBER("right_speed", DOUBLE, motion.wheel[1].true_steps_s, "1/s", "steps a second, as driven"),
    NUMBER("left_steps", DOUBLE, motion.wheel[0].steps, "", "counter, does not wrap"),
    NUMBER("right_steps", DOUBLE, motion.wheel[1].steps, "", "counter, does not wrap"),
    NUMBER("avoiding", BOOL, motion.is_avoiding, "", "obstacle avoidance is on"),

    /* Senses. */
    PROX(0),
    PROX(1),
    PROX(2),
    PROX(3),
    PROX(4),
    PROX(5),
    PROX(6),
    PROX(7),
    NUMBER("calibrating", BOOL, prox.is_calibrating, "", "of the proximity sensors"),
    NUMBER("calibrations", U64, prox.calibrations, "", "since power-on"),
    NUMBER("button", BOOL, has_button, "", "pressed"),
    NUMBER("sd", BOOL, has_sd, "", "a card is in"),
    NUMBER("selector", U8, selector, "", "0..15"),
    NUMBER("remote_key", U8, remote_data, "", "pressed last"),

    /* Power. */
    NUMBER("battery_v", DOUBLE, power.battery_v, "V", ""),
    NUMBER("battery_charge", DOUBLE, power.charge, "", "0 empty .. 1 full"),
    NUMBER("battery_low", BOOL, power.is_low, "", "below 3.54 V"),
    NUMBER("charging", BOOL, power.is_charging, "", "at the USB cable"),

    /* Lamps. */
    BIT("led1", lamps.leds, 0x01, ""),
    BIT("led3", lamps.leds, 0x02, ""),
    BIT("led5", lamps.leds, 0x04, ""),
    BIT("led7", lamps.leds, 0x08, ""),
    BIT("body_led", lamps.leds, EPUCK2_LED_BODY, ""),
    BIT("front_led", lamps.leds, EPUCK2_LED_FRONT, ""),
    COLORS("led2", EPUCK2_RGB_LED2),
    COLORS("led4", EPUCK2_RGB_LED4),
    COLORS("led6", EPUCK2_RGB_LED6),
    COLORS("led8", EPUCK2_RGB_LED8),

    /* Sound. */
    NUMBER("sound_hz", DOUBLE, play.hz, "Hz", "0: silence"),
    NAMED("melody", U8, play.melody, melody_words, ""),
    NUMBER("sounds", U64, play.started, "", "melodies and tones started"),
};

#define LAST(member) offsetof(struct epuck2_state, last.member)

const struct signal_mirror epuck2_mirror_rows[EPUCK2_MIRROR_COUNT] = {
    {&epuck2_sensors_packet, LAST(sensors)},
    {&epuck2_command_packet, LAST(command)},
};
