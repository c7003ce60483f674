/* Options of the e-puck2. */
#include "protocols/epuck2/epuck2_rows.h"

static const char *const disconnect_words[] = {"keep", "stop", NULL};
static const char *const bad_id_words[] = {"hunt", "use", NULL};

#define RAD_1_DEG 0.017453292519943295769

#define AT(member)       .offset = offsetof(struct epuck2_options, member)
#define RANGE(low, high) .min = (low), .max = (high)
#define CHOICE(name, member, normal, words, text)                                                  \
    {                                                                                              \
        .key = (name), .type = OPTION_CHOICE, AT(member), .fallback = (normal),                    \
        .choices = (words), .note = (text)                                                         \
    }
#define SWITCH(name, member, normal, text)                                                         \
    {                                                                                              \
        .key = (name), .type = OPTION_BOOL, AT(member), .fallback = (normal), .note = (text)       \
    }
#define NUMBER(name, member, units, factor, low, high, normal, text)                               \
    {                                                                                              \
        .key = (name), .type = OPTION_NUMBER, AT(member), .unit = (units), .scale = (factor),      \
        RANGE(low, high), .fallback = (normal), .note = (text)                                     \
    }
#define INTEGER(name, member, low, high, normal, text)                                             \
    {                                                                                              \
        .key = (name), .type = OPTION_INTEGER, AT(member), RANGE(low, high), .fallback = (normal), \
        .note = (text)                                                                             \
    }

const struct option_row epuck2_option_rows[EPUCK2_OPTION_COUNT] = {
    SWITCH("ground_sensors", has_ground, "no",
           "the extension with three ground sensors is mounted; without: zeros"),
    SWITCH("sd_card", has_sd, "no", "a micro SD card at the start; slows every turn"),
    INTEGER("selector", selector, 0, 15, "15", "its position at the start; 15: WiFi"),
    NUMBER("battery_v", battery_v, "V", 1, 3.2, 4.2, "4.0", "at the start; chosen: nearly full"),
    NUMBER("sensors_hz", sensors_hz, "Hz", 1, 1, 100, "45",
           "turns a second without images; nobody has measured it, the firmware's delays allow 45"),
    NUMBER("image_hz", image_hz, "Hz", 1, 0.5, 30, "12",
           "turns a second with images, as above: 10 to 15"),
    NUMBER("calibration_s", calibration_s, "s", 1, 1, 10, "2",
           "silence of the stream while IR is calibrated; 1 to 3 on the robot"),
    NUMBER("sd_delay_ms", sd_delay_s, "ms", 0.001, 0, 1000, "5",
           "that a turn takes longer with an SD card; chosen"),
    CHOICE("disconnect", disconnect, "keep", disconnect_words,
           "what the motors do when the client goes; the firmware keeps them running"),
    CHOICE(
        "bad_id", bad_id, "hunt", bad_id_words,
        "use: any 21 bytes are a command, as in the firmware; hunt: bytes before 0x80 are skipped"),
    SWITCH("first_split", has_split_quirk, "no",
           "a first command that comes in pieces does not start the stream, as in the firmware"),
    INTEGER("socket_limit", socket_limit, 0, 1000, "0",
            "clients until the robot serves none any more; about 10 in the firmware, 0: no limit"),
    SWITCH("status_lamp", has_status_lamp, "yes",
           "LED2 shows the state of WiFi, whatever the client wants of it"),
    SWITCH("remote_drives", has_remote_drive, "yes", "keys of the TV remote set the motors"),
    INTEGER("left_steps", left_steps_start, -2147483648.0, 2147483647.0, "0", "at power-on"),
    INTEGER("right_steps", right_steps_start, -2147483648.0, 2147483647.0, "0", "at power-on"),
    NUMBER("wheel_diameter_mm", wheel_diameter_m, "mm", 0.001, 30, 50, "41",
           "vendor; drivers compute with 40"),
    NUMBER("axle_mm", axle_m, "mm", 0.001, 40, 65, "53",
           "between the wheels, vendor; 52 in Webots, 56.85 in epuck_ros2"),
    NUMBER("camera_fov_deg", camera_fov_rad, "deg", RAD_1_DEG, 10, 120, "48",
           "horizontal; Webots; 60 in Enki"),
    NUMBER("camera_gain", camera_gain, "", 1, 0, 16, "1",
           "brightness; pictures of real robots are over-exposed"),
    SWITCH("noise", has_noise, "on", "of all sensors"),
};
