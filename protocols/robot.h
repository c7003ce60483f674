/* The contract between a robot and everything else. A robot is a virtual firmware: bytes and SI
 * sensor values go in, frames and SI actuator values come out. It never sees the world, a clock, a
 * file or a descriptor. State is one plain struct without pointers: copying it is a snapshot and
 * hashing its bytes is a state hash. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/modem_lines.h"
#include "base/option.h"
#include "protocols/framing.h"
#include "protocols/pins.h"
#include "protocols/wire.h"

enum {
    ROBOT_WHEELS_MAX = 8,
    ROBOT_SENSORS_MAX = 32,
    ROBOT_CHANNELS_MAX = 4,
    ROBOT_BUMPERS_MAX = 8,
    ROBOT_BUTTONS_MAX = 8,
    ROBOT_PARTS_MAX = 32,
    ROBOT_SCAN_MAX = 2048,  /* points; a LiDAR of 8000 a second at 5.5 turns a second has 1455 */
    ROBOT_SIGNALS_MAX = 64, /* of a robot from a body file; chosen, and the next */
    ROBOT_COMMANDS_MAX = 16,
    ROBOT_ARGUMENTS_MAX = 4, /* of each of them */
    ROBOT_STORAGE_MAX = 256, /* bytes; the largest real one is the 64-byte PIBOT block */
};

/* ---- The body: what physics and sensors need to know of the machine. SI units, robot frame:
 * origin midway between the driven wheels, x forward, y left, headings counter-clockwise. ---- */

enum robot_shape { ROBOT_DISC, ROBOT_BOX };

enum robot_drive {
    ROBOT_DIFFERENTIAL, /* wheels: left, right */
    ROBOT_SKID,         /* four wheels, sides coupled by nothing but the ground */
    ROBOT_TRACKED,
    ROBOT_MECANUM,
    ROBOT_OMNI,
    ROBOT_ACKERMANN, /* rear wheels driven, front wheels steered */
};

enum robot_motor {
    ROBOT_MOTOR_DC,      /* actuators.motor is the duty, PWM duty, -1..1 */
    ROBOT_MOTOR_STEPPER, /* actuators.motor is the wheel speed, rad/s, obeyed at once */
};

struct robot_wheel {
    double x_m, y_m;    /* contact point with the floor */
    double heading_rad; /* direction in which a positive turn drives */
    double roller_rad;  /* direction in which its rollers roll freely, from that direction: pi/2
                         * omni, +-pi/4 mecanum; 0: a plain wheel, which also resists sideways */
    double radius_m;
    bool is_steered;
    bool is_passive; /* it has no motor: what a firmware does to that has no effect */
    /* Numbers of its motor, as in struct robot_body; 0: those of the body. */
    double resistance_ohm, torque_nm_a, emf_v_s_rad, gear, idle_a, wheel_inertia_kg_m2;
};

/* One sensor that looks into the world. */
enum sensor_kind {
    SENSOR_RANGE,      /* distance_m to the nearest thing in the cone; and its reflectance */
    SENSOR_CLIFF,      /* distance_m down to the floor */
    SENSOR_GROUND,     /* reflectance of the floor */
    SENSOR_DOCK_IR,    /* infrared receiver: beams of docks and beacons */
    SENSOR_MICROPHONE, /* level */
    SENSOR_CAMERA,     /* robot_sensors.image, robot_sensors.cameras */
    SENSOR_SCANNER,    /* casts rays by robot_sensors.rays */
    SENSOR_CURRENT,    /* level, A: of a wheel's motor, or of all motors from the battery */
    SENSOR_IMU,        /* no reading: gyro, accel and field are those at its place */
};

struct sensor_spec {
    enum sensor_kind kind;
    const char *name;
    double x_m, y_m, z_m; /* z above the floor */
    double heading_rad;
    double cone_half_rad; /* half opening angle; 0: a single ray */
    double range_m;
    uint8_t rays;           /* rays cast to fill the cone, at least 1 */
    uint16_t width, height; /* camera, pixels */
    uint8_t motor;          /* SENSOR_CURRENT: number of its wheel, from 1; 0: all */
};

/* A bumper covers the body's rim from the angle FROM to the angle TO, counter-clockwise. */
struct bumper_spec {
    const char *name;
    double from_rad, to_rad;
};

enum dock_kind { DOCK_KOBUKI, DOCK_HOME_BASE, DOCK_KINDS };

/* An upright cylinder that stands on the body, within its outline and above its height: a post, a
 * plate. It shades scanners, and cameras see it. */
struct part_spec {
    double x_m, y_m;
    double radius_m;
    double low_m, high_m; /* from the floor */
};

/* A body without wheels has no drive: it stands where it is put, or rides on another robot, where a
 * scene mounts it. Of the motor and the wheels nothing is used then. */
struct robot_body {
    enum robot_shape shape;
    double radius_m;          /* ROBOT_DISC */
    double length_m, width_m; /* ROBOT_BOX, along x and y */
    double center_x_m;        /* of the shape, from the origin */
    double height_m;
    double mass_kg;
    double inertia_kg_m2; /* about the vertical axis through the center of mass */
    double mass_center_x_m;

    enum robot_drive drive;
    enum robot_motor motor;
    size_t wheel_count;
    struct robot_wheel wheels[ROBOT_WHEELS_MAX];
    double wheel_base_m; /* front axle to rear axle; 0 where there is one axle */
    double steer_max_rad, steer_rate_rad_s;
    bool is_parallel;     /* all steered wheels have the same angle */
    double speed_max_m_s; /* of a wheel's rim, free running */
    double grip;          /* friction coefficient of wheels on floor */

    /* ROBOT_MOTOR_DC: supply at duty 1, and the motor seen at its own shaft. */
    double supply_v, resistance_ohm, torque_nm_a, emf_v_s_rad, gear;
    double idle_a;              /* no-load current: friction of motor and gear, which resists by
                                 * idle_a * torque_nm_a * gear; in a stepper when its coils are off */
    double wheel_inertia_kg_m2; /* rotor and wheel together, as felt at the wheel */
    double dead_band;           /* largest duty without effect on a DC motor */

    size_t sensor_count;
    struct sensor_spec sensors[ROBOT_SENSORS_MAX];
    size_t bumper_count;
    struct bumper_spec bumpers[ROBOT_BUMPERS_MAX];
    double contact_x_m, contact_half_y_m; /* charge pads: x, and +-y; both 0: cannot dock */
    enum dock_kind dock;                  /* that the pads fit */
    double battery_min_v, battery_max_v;  /* what the command `battery` accepts */
    size_t part_count;
    struct part_spec parts[ROBOT_PARTS_MAX];
};

/* ---- All that a firmware may know ---- */

/* Infrared light that a receiver may see, one bit each. A firmware knows the light that its maker
 * sends and how to put it into words; it overlooks the rest. */
enum robot_beam {
    /* A Kobuki's dock: regions, left and right as seen from the dock. */
    BEAM_NEAR_LEFT = 0x0001,
    BEAM_NEAR_CENTER = 0x0002,
    BEAM_NEAR_RIGHT = 0x0004,
    BEAM_FAR_CENTER = 0x0008,
    BEAM_FAR_LEFT = 0x0010,
    BEAM_FAR_RIGHT = 0x0020,
    /* An iRobot Home Base. */
    BEAM_GREEN_BUOY = 0x0040,
    BEAM_RED_BUOY = 0x0080,
    BEAM_FORCE_FIELD = 0x0100,
    /* Beacons of the same maker. */
    BEAM_VIRTUAL_WALL = 0x0200,
    BEAM_LIGHTHOUSE_FENCE = 0x0400,
    BEAM_LIGHTHOUSE_FIELD = 0x0800,
    BEAM_LIGHTHOUSE_GREEN = 0x1000,
    BEAM_LIGHTHOUSE_RED = 0x2000,
    BEAM_KINDS = 14,
    BEAM_NUMBER_SHIFT = 16, /* above it: the number of the lighthouse */
};

enum charger_kind { CHARGER_NONE, CHARGER_DOCK, CHARGER_ADAPTER };

struct sensor_reading {
    double distance_m;  /* range_m where nothing is met; INFINITY over a bottomless floor */
    double reflectance; /* 0 black .. 1 white */
    double level;       /* microphone: sound; current: A; the others: ambient light; 0..1 */
    uint32_t beams;     /* enum robot_beam */
};

/* What a ray of a scanner has met. */
struct robot_echo {
    double distance_m;  /* INFINITY: nothing within the sensor's range_m */
    double reflectance; /* 0 black .. 1 white */
    double cosine;      /* of the angle of incidence: 0 grazing .. 1 head-on */
};

/* Rays of the sensors of kind SENSOR_SCANNER: level, at the height of the sensor, from where it was
 * at a moment of its own: a turn is measured while the robot moves. Things are seen only if they
 * reach up to that height. Valid during tick alone. */
struct robot_rays {
    void *context;
    /* HEADING_RAD: from the sensor's heading, counter-clockwise. ASIDE_M: the ray starts this far
     * to the left of the sensor, as seen along the ray. AT_US: up to a few milliseconds before now,
     * and not after it. */
    void (*cast)(void *context, size_t sensor, double heading_rad, double aside_m, int64_t at_us,
                 struct robot_echo *echo);
};

struct robot_image {
    uint16_t width, height;
    const uint8_t *rgb; /* width x height x 3, top row first; owned by the caller, dies with tick;
                         * NULL: none was taken yet, or there is no camera */
};

/* Pictures of the sensors of kind SENSOR_CAMERA, as the world is now. Valid during tick alone. */
struct robot_cameras {
    void *context;
    /* WIDTH: columns, 1 to those of the sensor; robot_image_rows says its rows. It shows as much of
     * the world as one of all columns, and nothing but black by a sensor that is dead. The picture
     * stays until the sensor takes another one, and becomes robot_sensors.image. */
    struct robot_image (*take)(void *context, size_t sensor, uint32_t width);
};

/* Rows of a picture of COLUMNS columns by a camera of WIDTH x HEIGHT pixels. */
static inline uint32_t robot_image_rows(uint32_t columns, uint32_t width, uint32_t height)
{
    uint32_t rows = (uint32_t)(((uint64_t)columns * height + width / 2) / width);
    return rows > 0 ? rows : 1;
}

struct robot_sensors {
    double wheel_rad[ROBOT_WHEELS_MAX]; /* turned since the world began, forward positive */
    double wheel_rad_s[ROBOT_WHEELS_MAX];
    double motor_a[ROBOT_WHEELS_MAX]; /* signed like the duty */
    bool wheel_dropped[ROBOT_WHEELS_MAX];
    double steer_rad;
    double gyro_rad_s[3]; /* x, y, z of the robot frame */
    double accel_m_s2[3]; /* specific force: (0, 0, +g) level and at rest */
    double roll_rad, pitch_rad;
    double yaw_rad;     /* in the world, continuous over turns */
    double field_ut[3]; /* magnetic field in the robot frame, microtesla */
    double temperature_c;
    struct sensor_reading sensor[ROBOT_SENSORS_MAX]; /* in the order of the body's list */
    uint32_t bumpers;                                /* bit i: bumper i of the body's list */
    uint32_t buttons;                                /* bit i: button i of the type's list */
    enum charger_kind charger;
    double battery_charge;    /* 0 empty .. 1 full */
    struct robot_image image; /* taken last: at a tick that ended with wants_image, or by cameras */
    struct robot_rays rays;   /* CAST is NULL for a body without a scanner */
    struct robot_cameras cameras; /* TAKE is NULL for a body without a camera */
};

/* ---- All that a firmware may do. Holds its value until the next tick changes it. ---- */

struct robot_actuators {
    double motor[ROBOT_WHEELS_MAX];    /* meaning: enum robot_motor */
    bool motor_free[ROBOT_WHEELS_MAX]; /* coils off: the wheel turns freely */
    double steer_rad;
    double aim_rad[ROBOT_SENSORS_MAX]; /* a servo turns a sensor from its heading to here */
    double sound_hz, sound_level;      /* what the robot plays now; level 0..1 */
    double charge_rate_1_s;            /* change of battery_charge, per second */
    uint32_t baud[ROBOT_CHANNELS_MAX]; /* of a serial channel; 0: as it was */
    bool wants_image; /* the camera takes a picture here and now, as this tick ends; robot_sensors
                       * holds it at the ticks that follow, until another is taken */
};

/* ---- Where frames go ---- */

/* What a firmware that is elsewhere looks at: a picture, or a fan of rays. */
struct robot_sight {
    size_t sensor;
    struct robot_image image;        /* of a camera */
    const struct robot_echo *echoes; /* of a scanner */
    size_t echo_count;
};

/* A question to such a firmware: valid until it is answered. */
struct robot_question {
    const uint8_t *bytes;
    size_t size;
    const struct robot_sight *sights;
    size_t sight_count;
};

struct robot_tx {
    void *context;
    bool (*frame)(void *context, unsigned channel, const uint8_t *bytes, size_t size);
    size_t (*queued)(void *context, unsigned channel);
    /* Of a robot whose firmware is elsewhere: puts QUESTION to it and waits for its ANSWER of up to
     * ROOM bytes. Returns the size of that; 0: it gave none, and never will, so that the robot
     * loses its power. Asked once a tick at most. NULL: there is nobody to ask. */
    size_t (*ask)(void *context, const struct robot_question *question, uint8_t *answer,
                  size_t room);
};

/* Hands over one whole frame. False: the channel's queue is full and the frame is gone. */
static inline bool tx_frame(const struct robot_tx *tx, unsigned channel, const uint8_t *bytes,
                            size_t size)
{
    return tx->frame(tx->context, channel, bytes, size);
}

/* Bytes that wait for the wire, including the one that is being sent. */
static inline size_t tx_queued(const struct robot_tx *tx, unsigned channel)
{
    return tx->queued(tx->context, channel);
}

/* ---- What reports have told a host about the robot's motion, so that the pose it believes in can
 * be shown beside the true one. ---- */

enum robot_odometry_kind {
    ROBOT_ODOMETRY_NONE,
    ROBOT_ODOMETRY_WHEELS, /* distance covered by each side, and a heading */
    ROBOT_ODOMETRY_SPEEDS, /* speeds that hold until the next report */
    ROBOT_ODOMETRY_POSE,   /* an odometry of the firmware's own */
};

struct robot_odometry {
    enum robot_odometry_kind kind;
    double left_m, right_m; /* ROBOT_ODOMETRY_WHEELS: 0 .. wrap_m, then from 0 again */
    double wrap_m;
    double x_m, y_m;                 /* ROBOT_ODOMETRY_POSE */
    double heading_rad;              /* ROBOT_ODOMETRY_POSE, ROBOT_ODOMETRY_WHEELS */
    double x_m_s, y_m_s, turn_rad_s; /* ROBOT_ODOMETRY_SPEEDS, robot frame */
};

/* ---- What a scanner has measured, for pictures ---- */

struct robot_scan {
    uint32_t total; /* points so far; the last ones are kept, number N at N % ROBOT_SCAN_MAX */
    uint32_t count; /* of the points of the last turn, or of those kept */
    struct robot_point {
        uint16_t heading;     /* 1/65536 of a turn, counter-clockwise from the sensor's heading */
        uint16_t distance_mm; /* 0: no return */
    } points[ROBOT_SCAN_MAX];
};

/* Adds a point. TURNS: its heading in turns, counter-clockwise; DISTANCE_M: 0 or infinite where
 * nothing came back. */
static inline void robot_scan_note(struct robot_scan *scan, double turns, double distance_m)
{
    double mm = isinf(distance_m) ? 0 : distance_m * 1000 + 0.5;
    scan->points[scan->total++ % ROBOT_SCAN_MAX] = (struct robot_point){
        .heading = (uint16_t)(int64_t)(turns * 65536),
        .distance_mm = (uint16_t)(mm < 65535 ? mm : 65535),
    };
}

/* ---- Rows ---- */

enum signal_type {
    SIGNAL_DOUBLE,
    SIGNAL_BOOL,
    SIGNAL_U8,
    SIGNAL_I8,
    SIGNAL_U16,
    SIGNAL_I16,
    SIGNAL_U32,
    SIGNAL_I32,
    SIGNAL_U64,
    SIGNAL_I64,
};

/* A number that a person or a test can observe. */
struct signal_row {
    const char *name; /* lower_case, unit at the end */
    enum signal_type type;
    size_t offset;            /* in the state */
    uint64_t mask;            /* not 0: the value is 1 if any of these bits is set, else 0 */
    double scale;             /* value = number x scale; 0 means 1 */
    const char *unit;         /* "" for none */
    const char *const *names; /* NULL, or NULL-terminated words for the values 0, 1, 2 ... */
    const char *note;
};

/* A row in short: MEMBER of a struct TAG. The last argument is the note; behind it may stand .mask,
 * .scale and .names. The formatter breaks _Generic. */
/* clang-format off */
#define SIGNAL_ROW(label, tag, member, units, ...)                                                 \
    {                                                                                              \
        .name = label, .type = SIGNAL_TYPE_OF(((struct tag *)0)->member),                          \
        .offset = offsetof(struct tag, member), .unit = units, .note = __VA_ARGS__                 \
    }
#define SIGNAL_TYPE_OF(value)                                                                      \
    _Generic((value),                                                                              \
        double: SIGNAL_DOUBLE, bool: SIGNAL_BOOL,                                                  \
        uint8_t: SIGNAL_U8, int8_t: SIGNAL_I8, uint16_t: SIGNAL_U16, int16_t: SIGNAL_I16,          \
        uint32_t: SIGNAL_U32, int32_t: SIGNAL_I32, uint64_t: SIGNAL_U64, int64_t: SIGNAL_I64)
/* clang-format on */

/* Reads a signal from a state, in the row's unit. */
double robot_signal(const struct signal_row *row, const void *state);

/* A message struct inside the state: each field of its packet is a signal `packet.field`. */
struct signal_mirror {
    const struct wire_packet *packet;
    size_t offset; /* of the message struct in the state: last sent, or last received */
};

/* What is known of a robot before it runs: what a check of its own commands may look at. */
struct robot_setup {
    const void *options; /* the type's options struct */
    const struct robot_body *body;
};

enum command_flags {
    COMMAND_FOR_TIME = 1, /* acts on time alone: no part of a journal, obeyed in a replay */
    COMMAND_OF_PART = 2,  /* its first argument is PART: what is written `part=value` is taken whole
                           * as the value of that argument, where the robot has such a part */
};

/* A thing that a person or a test can change. */
struct command_row {
    const char *name;
    const struct option_row *args; /* typed arguments, filled into a struct of args_size bytes */
    size_t arg_count;
    size_t args_size; /* at most ROBOT_ARGS_MAX */
    unsigned flags;   /* enum command_flags */
    /* Refuses arguments that no state of this setup could allow, saying what is allowed. SETUP is a
     * struct robot_setup for the rows of a robot type, a struct command_setup for those of sim/.
     * Called for a timeline before the start, and before each run. NULL: its types say it all. */
    bool (*check)(const void *setup, const void *args, struct error *error);
    /* Does it; may still refuse what the state does not allow, and then changes nothing. */
    bool (*run)(void *state, const void *args, int64_t now_us, struct error *error);
    const char *note;
};

/* A row in short: the option rows ROWS fill a struct TAG. The last argument is the note; behind it
 * may stand .check and .flags. */
#define COMMAND_ROW(word, rows, tag, function, ...)                                                \
    {                                                                                              \
        .name = word, .args = rows, .arg_count = COUNT(rows), .args_size = sizeof(struct tag),     \
        .run = function, .note = __VA_ARGS__                                                       \
    }

enum { ROBOT_ARGS_MAX = 256, ROBOT_OPTIONS_MAX = 512 };

enum appearance_shape {
    APPEARANCE_DISC,
    APPEARANCE_RING,
    APPEARANCE_ARC,
    APPEARANCE_BOX,
    APPEARANCE_LINE,
    APPEARANCE_BODY,   /* the body's own outline, whatever the options say; no sizes */
    APPEARANCE_WHEELS, /* the body's own wheels with rollers, steering or tracks; width_m is theirs,
                    0: half the wheel's diameter */
};

/* One part of what the robot looks like from above, drawn in order. */
struct appearance_row {
    enum appearance_shape shape;
    double x_m, y_m, heading_rad; /* from the middle of the body's shape */
    double length_m, width_m;     /* disc, ring: length is the diameter; arc: diameter, stroke */
    double from_rad, to_rad;      /* arc */
    uint32_t color, lit_color;    /* 0xRRGGBBAA */
    const char *lit_by;           /* signal of the robot that lights it, or NULL */
    const char *click;            /* command of the robot on a click, or NULL: "press button=b0" */
    const char *label;
};

/* A row; its colors and what it shows follow as designated members. */
#define APPEARANCE_ROW(kind, x, y, length, width, ...)                                             \
    {                                                                                              \
        .shape = APPEARANCE_##kind, .x_m = (x), .y_m = (y), .length_m = (length),                  \
        .width_m = (width), __VA_ARGS__                                                            \
    }

struct appearance_list {
    const struct appearance_row *rows;
    size_t count;
};

/* ---- Channels, counters, storage ---- */

enum channel_kind { CHANNEL_SERIAL, CHANNEL_TCP_SERVER };

struct channel_spec {
    const char *name; /* "uart" */
    enum channel_kind kind;
    uint32_t baud;       /* default; 0: no pacing (TCP, or USB without a UART behind it) */
    uint16_t tcp_port;   /* CHANNEL_TCP_SERVER: the port that drivers expect */
    uint32_t frame_max;  /* bytes of the largest frame it sends */
    const char *device;  /* CHANNEL_SERIAL: the path that drivers are set to, or NULL: none known */
    const char *framing; /* for people: what is around the body of a message */
    /* By enum wire_direction, how a bystander finds frames and takes them apart: recordings, the
     * window, the log of a test. NULL: each run of bytes is one. */
    const struct wire_framing *frames[2];
};

/* A packet to the host, and the one to the robot that it answers, by their names. */
struct robot_answer {
    const char *packet, *request;
};

/* What a framer counts, for one channel. Every hostile byte is counted in one of these. */
struct robot_stats {
    uint64_t frames;      /* good frames received */
    uint64_t bad_frames;  /* wrong checksum, impossible length */
    uint64_t noise_bytes; /* bytes outside any frame */
    uint64_t unknown_ids; /* well-framed parts with an id the firmware does not know */
    uint64_t bad_lengths; /* known id, wrong length */
    uint64_t sent;        /* frames handed to tx */
    uint64_t overruns;    /* frames that tx refused */
};

/* What survives a restart: a board's EEPROM. It is part of the state; the app loads and saves it.
 */
struct robot_storage {
    uint32_t size; /* bytes in use; 0: never written */
    bool is_dirty; /* set by the firmware on a write, cleared by whoever saved it */
    uint8_t bytes[ROBOT_STORAGE_MAX];
};

/* The host of a channel. */
struct robot_host {
    bool is_present;
    unsigned lines; /* that it holds on: MODEM_DTR, MODEM_RTS */
};

struct robot_start {
    const struct robot_type *type;
    const struct robot_body *body;       /* the machine of these options */
    const void *options;                 /* the type's options struct */
    const struct robot_storage *storage; /* NULL: the type has none, or it is fresh */
    uint64_t rng_key;                    /* of this robot */
    int64_t now_us;
    bool has_booted; /* it was switched on long before: it prints no boot text, and the motor of a
                        scanner has its speed */
    struct robot_host hosts[ROBOT_CHANNELS_MAX]; /* who is there now: no call tells it again */
};

/* A firmware that is no function of ours: what a body file says of it. */
struct robot_program {
    const char *run;      /* a shell command; NULL: none */
    const char *avr;      /* path of a firmware for an AVR, ELF or HEX, as written; NULL: none */
    const char *folder;   /* of the body file: where RUN runs, and where AVR is looked for */
    enum pin_board board; /* that it runs on, or would */
    bool has_auto_reset;  /* DTR restarts it */
    const struct pin *pins;
    size_t pin_count;
};

#define ROBOT_NEVER INT64_MAX
#define ROBOT_RESET INT64_MIN /* from `lines` only */

/* A type of robot. All pointers are to constants, and there is no other way into a robot's code.
 * reset, host, lines, rx and tick return the time at which the next tick is due (ROBOT_NEVER: only
 * after bytes). Ticks run on the simulation's grid of 1 ms, at the first step at or after that
 * time. Within a step, hosts and bytes come before the tick, so host and rx may return a time
 * between the last step and now; tick returns a later one. No pointer is NULL unless it says so; a
 * list of which there are 0 may be. */
struct robot_type {
    const char *name;  /* as in a scene */
    const char *title; /* for people */
    /* Where its sources and its drivers are described, if not under its name: in protocols/FOLDER
     * and docs/hosts/GUIDE.md. NULL: under its name. */
    const char *folder, *guide;
    const struct channel_spec *channels;
    size_t channel_count;
    const struct option_row *options;
    size_t option_count;
    size_t options_size;
    const struct signal_row *signals;
    size_t signal_count;
    const struct signal_mirror *mirrors;
    size_t mirror_count;
    const struct command_row *commands;
    size_t command_count;
    const struct appearance_list *appearance;
    const struct wire_packet *const *packets; /* NULL-terminated: every packet, both directions */
    const struct robot_answer *answers;       /* ended by a row of NULLs. NULL: nothing is asked */
    /* NULL-terminated, in the order of the bits of robot_sensors.buttons. NULL: it has none. */
    const char *const *buttons;
    size_t state_size;
    size_t stats_offset;   /* of struct robot_stats[channel_count] in the state */
    size_t storage_offset; /* of struct robot_storage in the state; SIZE_MAX: none */
    size_t boots_offset;   /* of a uint64_t in the state that reset sets to 1 and that counts, like
                            * the stats, over resets; SIZE_MAX: none */
    size_t scan_offset;    /* of a struct robot_scan in the state, of the first scanner among its
                            * sensors, if there is one; 0: it has none */

    /* The machine that these options describe. NULL: FIXED_BODY, whatever they are. */
    void (*body)(const void *options, struct robot_body *body);
    const struct robot_body *fixed_body;
    /* Baud of a channel under these options; NULL: the channel's default. */
    uint32_t (*baud)(const void *options, unsigned channel);
    /* Charge (0..1) at which the battery shows VOLTS. NULL: it has no battery; what feeds it is its
     * carrier or its plug; or FIXED_BODY has limits for it, between which the charge rises
     * evenly. */
    double (*battery_charge)(const void *options, double volts);
    /* Charge at the start, from the options. NULL: 1. */
    double (*battery_start)(const void *options);

    /* Power-on. STATE may hold anything; every byte of it is set. */
    int64_t (*reset)(void *state, const struct robot_start *start);
    /* A host opened or closed a channel. */
    int64_t (*host)(void *state, unsigned channel, bool present, int64_t now_us);
    /* A host set its modem lines to LINES (MODEM_DTR, MODEM_RTS). Both go on when it opens a serial
     * port and off when it leaves; whether it can set them between is not known before it does: a
     * pty cannot by itself. NULL: the robot is not wired to them. Returns ROBOT_RESET to be
     * switched off and on again with its storage kept, like boards that DTR resets. */
    int64_t (*lines)(void *state, unsigned channel, unsigned lines, int64_t now_us);
    /* Bytes that have arrived from a host. Any chunking gives the same state. */
    int64_t (*rx)(void *state, unsigned channel, const uint8_t *bytes, size_t size, int64_t now_us);
    /* One pass of the firmware's loop. SENSORS are fresh; ACTUATORS keep their last values. */
    int64_t (*tick)(void *state, const struct robot_sensors *sensors,
                    struct robot_actuators *actuators, const struct robot_tx *tx, int64_t now_us);

    /* Why the robot ignores all bytes now, as the end of "while it ...": "was starting". NULL, or a
     * result of NULL: it listens. */
    const char *(*deaf)(const void *state);

    /* What the last reports have told a host about the motion. NULL: nothing. */
    void (*odometry)(const void *state, struct robot_odometry *odometry);

    /* What runs the firmware beside these functions, which pass on what it says. NULL: nothing. */
    const struct robot_program *program;
};

/* Members of a type in short, by the names that its tables and functions have in every folder; the
 * arguments are tags of structs, and what the functions begin with. */
#define ROBOT_TABLES(state_tag, options_tag)                                                       \
    .channels = channels, .channel_count = COUNT(channels), .options = option_rows,                \
    .option_count = COUNT(option_rows), .options_size = sizeof(struct options_tag),                \
    .signals = signal_rows, .signal_count = COUNT(signal_rows),                                    \
    .state_size = sizeof(struct state_tag), .stats_offset = offsetof(struct state_tag, stats)
#define ROBOT_MIRRORS  .mirrors = mirror_rows, .mirror_count = COUNT(mirror_rows)
#define ROBOT_COMMANDS .commands = command_rows, .command_count = COUNT(command_rows)
#define ROBOT_FUNCTIONS(name)                                                                      \
    .reset = name##_reset, .host = name##_host, .rx = name##_rx, .tick = name##_tick

/* The machine that these options describe. */
void robot_type_body(const struct robot_type *type, const void *options, struct robot_body *body);

/* Whether it has a battery of its own, and the charge (0..1) at which that shows VOLTS. */
bool robot_has_battery(const struct robot_type *type);
double robot_battery_charge(const struct robot_type *type, const void *options, double volts);

/* How frames of a channel are found and taken apart (protocols/framing.h), by the tables of the
 * type: for all that reads a line beside the firmware. */
static inline const struct wire_framing *
robot_framing(const struct robot_type *type, unsigned channel, enum wire_direction direction)
{
    return type->channels[channel].frames[direction];
}

/* wire_frame_walk with the packets of the type; or wire_promised_walk, where PROMISED is not 0. */
static inline bool robot_walk(const struct robot_type *type, unsigned channel,
                              enum wire_direction direction, uint16_t promised,
                              const uint8_t *frame, size_t size, wire_visit *visit, void *user)
{
    const struct wire_framing *framing = robot_framing(type, channel, direction);
    if (promised != 0)
        return wire_promised_walk(framing, type->packets, promised, frame, size, visit, user);
    return wire_frame_walk(framing, type->packets, direction, frame, size, visit, user);
}
