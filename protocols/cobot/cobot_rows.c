/* Options of the COBOT. Where the public document leaves a choice open, there is an option for it;
 * its default is what the vendor's host driver needs. */
#include "protocols/cobot/cobot_rows.h"

#include <stddef.h>

const char *const cobot_model_words[] = {"ackermann", "differential", "mecanum", "tracked", NULL};

static const char *const feed_words[] = {"valid", "any", NULL};
static const char *const bluetooth_words[] = {"letters", "frames", "both", NULL};
static const char *const rates_words[] = {"document", "firmware", NULL};
static const char *const motor_words[] = {"mm_s", "mm_s_signed", "rpm", "rpm_signed", NULL};
static const char *const zero_words[] = {"plus", "minus", NULL};
static const char *const yaw_words[] = {"clockwise", "counter_clockwise", NULL};
static const char *const strafe_words[] = {"document", "swapped", NULL};
static const char *const strafe_from_words[] = {"all_wheels", "left_wheels", NULL};
static const char *const report_words[] = {"rate", "steering", NULL};
static const char *const loop_words[] = {"steady", "per_command", NULL};
static const char *const overflow_words[] = {"saturate", "wrap", NULL};

#define AT(member) .offset = offsetof(struct cobot_options, member)
#define NUMBER(name, member, units, low, high, usual, words)                                       \
    {                                                                                              \
        .key = (name), .type = OPTION_NUMBER, AT(member), .unit = (units), .min = (low),           \
        .max = (high), .fallback = (usual), .note = (words)                                        \
    }
#define INTEGER(name, member, units, low, high, usual, words)                                      \
    {                                                                                              \
        .key = (name), .type = OPTION_INTEGER, AT(member), .unit = (units), .min = (low),          \
        .max = (high), .fallback = (usual), .note = (words)                                        \
    }
#define CHOICE(name, list, usual, words)                                                           \
    {                                                                                              \
        .key = #name, .type = OPTION_CHOICE, AT(name), .choices = (list), .fallback = (usual),     \
        .note = (words)                                                                            \
    }

const struct option_row cobot_option_rows[COBOT_OPTION_COUNT] = {
    CHOICE(model, cobot_model_words, "mecanum", "the chassis; message 07 tells it"),
    NUMBER("track_m", track_m, "m", 0.1, 0.6, "0.22", "left to right wheels; M100 firmware"),
    NUMBER("wheelbase_m", wheelbase_m, "m", 0.1, 0.6, "0.185", "axle to axle; M100 firmware"),
    NUMBER("wheel_diameter_m", wheel_diameter_m, "m", 0.04, 0.2, "0.08", "M100 firmware"),
    NUMBER("battery_v", battery_v, "V", 0, 32, "12.35",
           "at the start, within what the cells allow; chosen: nearly full"),
    INTEGER("battery_cells", battery_cells, "", 2, 7, "3",
            "in series: 3 is the pack of 12 V; with 7 message 04 leaves its byte"),
    NUMBER("battery_ah", battery_ah, "Ah", 0.1, 100, "5", "capacity; chosen"),
    INTEGER("speed_max_mm_s", speed_max_mm_s, "mm/s", 1, 65535, "1000",
            "limit of X and of Y in message 01; unknown, chosen"),
    INTEGER("watchdog_ms", watchdog_ms, "ms", 0, 3600000, "500",
            "silence that stops the motors (document); 0: off"),
    CHOICE(watchdog_feed, feed_words, "valid",
           "any: also frames with a wrong checksum, as in the real firmware"),
    CHOICE(bluetooth, bluetooth_words, "letters",
           "what the second channel takes; with frames it sends messages too"),
    CHOICE(rates, rates_words, "document",
           "document: 40, 20 and 5 Hz; firmware: 40 Hz, a third and a sixth of it"),
    CHOICE(motor_speed, motor_words, "mm_s",
           "meaning of message 03; mm_s, without direction, in the real firmware"),
    CHOICE(zero_y_sign, zero_words, "plus",
           "sign of Y = 0 in message 02; minus in the real M100 firmware"),
    CHOICE(yaw, yaw_words, "clockwise", "way in which the yaw of message 05 and 06 grows"),
    CHOICE(strafe, strafe_words, "document", "swapped: Y positive to the right, both ways"),
    CHOICE(strafe_from, strafe_from_words, "all_wheels",
           "what Y of message 02 is made of; left_wheels in the real M100 firmware"),
    CHOICE(turn_report, report_words, "rate",
           "Ackermann: what W of message 02 tells; steering: whole degrees"),
    CHOICE(speed_loop, loop_words, "steady",
           "per_command: stepped once a command, as in the real firmware"),
    CHOICE(turn_overflow, overflow_words, "saturate",
           "wrap: mecanum takes W modulo 256, a bug of the real M100 firmware"),
    CHOICE(battery_overflow, overflow_words, "saturate",
           "above 25.5 V in message 04; wrap in the real firmware"),
    CHOICE(imu_overflow, overflow_words, "saturate",
           "beyond 16 bits in message 06; wrap in the real firmware"),
    {.key = "noise",
     .type = OPTION_BOOL,
     AT(has_noise),
     .fallback = "on",
     .note = "of gyro and accelerometer"},
};
