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
    ROBOT_SCAN_MAX = 2048,  /* points; a LiDAR with 8000 points per second and 5.5 turns per
                             * second has 1455 per turn */
    ROBOT_SIGNALS_MAX = 64, /* of a robot from a body file; this limit and the next are chosen */
    ROBOT_COMMANDS_MAX = 16,
    ROBOT_ARGUMENTS_MAX = 4,  /* of each command */
    ROBOT_SERVOS_MAX = 16,    /* on one bus; chosen: two arms and a base */
    ROBOT_STORAGE_MAX = 1024, /* bytes: 64 of each servo, as a servo of ROBOTIS has */
};

/* ---- The body: properties of the machine for physics and sensors. SI units. Robot frame: origin
 * midway between the driven wheels, x forward, y left, headings counter-clockwise. ---- */

enum robot_shape { ROBOT_DISC, ROBOT_BOX };

enum robot_drive {
    ROBOT_DIFFERENTIAL, /* wheels: left, right */
    ROBOT_SKID,         /* four wheels; only the ground couples the sides */
    ROBOT_TRACKED,
    ROBOT_MECANUM,
    ROBOT_OMNI,
    ROBOT_ACKERMANN, /* rear wheels driven, front wheels steered */
};

enum robot_motor {
    ROBOT_MOTOR_DC,      /* actuators.motor is the duty, PWM duty, -1..1 */
    ROBOT_MOTOR_STEPPER, /* actuators.motor is the wheel speed, rad/s, without delay */
};

struct robot_wheel {
    double x_m, y_m;    /* contact point with the floor */
    double heading_rad; /* driving direction of a positive turn */
    double roller_rad;  /* free direction of its rollers, relative to heading_rad: pi/2 omni,
                         * +-pi/4 mecanum; 0: a plain wheel, which resists sideways too */
    double radius_m;
    bool is_steered;
    bool is_passive; /* no motor: the firmware's output for it has no effect */
    /* Properties of its motor, as in struct robot_body; 0: the value of the body. */
    double resistance_ohm, torque_nm_a, emf_v_s_rad, gear, idle_a, wheel_inertia_kg_m2;
};

/* One sensor of the world. */
enum sensor_kind {
    SENSOR_RANGE,      /* distance_m of the nearest object in the cone, and its reflectance */
    SENSOR_CLIFF,      /* distance_m down to the floor */
    SENSOR_GROUND,     /* reflectance of the floor */
    SENSOR_DOCK_IR,    /* infrared receiver: beams of docks and beacons */
    SENSOR_MICROPHONE, /* level */
    SENSOR_CAMERA,     /* robot_sensors.image, robot_sensors.cameras */
    SENSOR_SCANNER,    /* casts rays by robot_sensors.rays */
    SENSOR_CURRENT,    /* level, A: of a wheel's motor, or of all motors from the battery */
    SENSOR_IMU,        /* no reading: gyro, accel and field are measured at its place */
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

/* An upright cylinder on top of the body, within its outline and above its height: a post, a plate.
 * It shades scanners, and cameras see it. */
struct part_spec {
    double x_m, y_m;
    double radius_m;
    double low_m, high_m; /* from the floor */
};

/* A servo on a bus, and the joint or wheel that it moves. Angles of a joint are 0 in the middle of
 * the servo's range. A joint turns about the vertical axis; bends, which lifts and lowers the links
 * behind it (positive: down); or rolls about its link, as a gripper does. */
enum servo_axis { SERVO_TURN, SERVO_BEND, SERVO_ROLL, SERVO_WHEEL };
extern const char *const servo_models[]; /* NULL-terminated */

struct servo_spec {
    char name[24];     /* of its signals and faults */
    int32_t model;     /* of servo_models */
    uint8_t id, wheel; /* SERVO_WHEEL: index of the body's wheel */
    bool is_reversed;  /* SERVO_WHEEL: mounted the other way round */
    enum servo_axis axis;
    double low_rad, high_rad; /* ends of a joint; both 0: it turns freely */
    double bend_rad;          /* SERVO_BEND: elevation of its link at 0 above that of the last one;
                               * the first one counts from the horizontal */
    double length_m, mass_kg; /* of the link up to the next joint */
};

/* A body without wheels has no drive: it does not move, or a scene mounts it on another robot. The
 * members of motor and wheels are unused then. */
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
    double wheel_base_m; /* from front axle to rear axle; 0: a single axle */
    double steer_max_rad, steer_rate_rad_s;
    bool is_parallel;     /* all steered wheels have the same angle */
    double speed_max_m_s; /* of a wheel's rim, free running */
    double grip;          /* friction coefficient of wheels on floor */

    /* ROBOT_MOTOR_DC: supply at duty 1, and the motor seen at its own shaft. */
    double supply_v, resistance_ohm, torque_nm_a, emf_v_s_rad, gear;
    double idle_a;              /* no-load current: friction of motor and gear, a torque of
                                 * idle_a * torque_nm_a * gear; of a stepper only without current */
    double wheel_inertia_kg_m2; /* rotor and wheel together, as felt at the wheel */
    double dead_band;           /* largest duty without effect on a DC motor */

    size_t sensor_count;
    struct sensor_spec sensors[ROBOT_SENSORS_MAX];
    size_t bumper_count;
    struct bumper_spec bumpers[ROBOT_BUMPERS_MAX];
    double contact_x_m, contact_half_y_m; /* charge pads: x, and +-y; both 0: cannot dock */
    enum dock_kind dock;                  /* kind of dock that the pads fit */
    double battery_min_v, battery_max_v;  /* range of the command `battery` */
    size_t part_count;
    struct part_spec parts[ROBOT_PARTS_MAX];
    size_t servo_count;
    struct servo_spec servos[ROBOT_SERVOS_MAX];
};

/* ---- Input of a firmware ---- */

/* Infrared light at a receiver, one bit each. A firmware decodes the light of its manufacturer and
 * ignores the rest. */
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
    BEAM_NUMBER_SHIFT = 16, /* bits from here on: number of the lighthouse */
};

enum charger_kind { CHARGER_NONE, CHARGER_DOCK, CHARGER_ADAPTER };

struct sensor_reading {
    double distance_m;  /* range_m without an echo; INFINITY over a bottomless floor */
    double reflectance; /* 0 black .. 1 white */
    double level;       /* microphone: sound; current: A; the others: ambient light; 0..1 */
    uint32_t beams;     /* enum robot_beam */
};

/* The first object that a ray of a scanner hits. */
struct robot_echo {
    double distance_m;  /* INFINITY: nothing within the sensor's range_m */
    double reflectance; /* 0 black .. 1 white */
    double cosine;      /* of the angle of incidence: 0 grazing .. 1 head-on */
};

/* Rays of the sensors of kind SENSOR_SCANNER: horizontal, at the height of the sensor, from its
 * pose at the time of the ray, because the robot moves during a turn. They hit only objects that
 * reach this height. Valid during tick only. */
struct robot_rays {
    void *context;
    /* HEADING_RAD: from the sensor's heading, counter-clockwise. ASIDE_M: offset of the ray's start
     * to the left, as seen along the ray. AT_US: now, or up to a few milliseconds before. */
    void (*cast)(void *context, size_t sensor, double heading_rad, double aside_m, int64_t at_us,
                 struct robot_echo *echo);
};

struct robot_image {
    uint16_t width, height;
    const uint8_t *rgb; /* width x height x 3, top row first; owned by the caller, valid during
                         * tick; NULL: no image yet, or no camera */
};

/* Images of the sensors of kind SENSOR_CAMERA, of the present world. Valid during tick only. */
struct robot_cameras {
    void *context;
    /* WIDTH: columns, from 1 to the columns of the sensor; robot_image_rows gives the rows. The
     * image has the same field of view for every WIDTH. It is black if the sensor is dead. It is
     * valid until the sensor takes the next image, and becomes robot_sensors.image. */
    struct robot_image (*take)(void *context, size_t sensor, uint32_t width);
};

/* Rows of a picture of COLUMNS columns by a camera of WIDTH x HEIGHT pixels. */
static inline uint32_t robot_image_rows(uint32_t columns, uint32_t width, uint32_t height)
{
    uint32_t rows = (uint32_t)(((uint64_t)columns * height + width / 2) / width);
    return rows > 0 ? rows : 1;
}

/* Faults of a servo, or of its status packets. */
enum servo_fault_kind {
    SERVO_GOOD,
    SERVO_ABSENT,  /* unplugged: no power and silent */
    SERVO_LOST,    /* a status packet is lost */
    SERVO_DAMAGED, /* a bit of a status packet is wrong */
    SERVO_LATE,    /* a status packet comes AMOUNT ms later */
    SERVO_TWIN,    /* another servo with factory settings has the same id: both answer at the
                    * same time */
    SERVO_HOT,     /* its sensor reads AMOUNT degrees */
    SERVO_SAG,     /* its voltage is AMOUNT */
    SERVO_JAMMED,  /* it cannot turn */
    SERVO_FOREIGN, /* another model and firmware */
    SERVO_ECHO,    /* tied lines: the host hears itself */
    SERVO_FAULTS,
};

struct servo_fault {
    enum servo_fault_kind kind;
    double rate, amount; /* RATE: share of status packets */
    uint64_t count, key; /* COUNT: number of status packets, 0: all. KEY: of its random numbers;
                          * different for each fault */
    int64_t until_us;
};

struct robot_sensors {
    double wheel_rad[ROBOT_WHEELS_MAX]; /* angle since the start of the world, forward positive */
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
    struct robot_image image; /* the last image: from a tick that ended with wants_image, or from
                               * cameras */
    struct robot_rays rays;   /* CAST is NULL for a body without a scanner */
    struct robot_cameras cameras;               /* TAKE is NULL for a body without a camera */
    struct servo_fault servo[ROBOT_SERVOS_MAX]; /* as the body's list */
};

/* ---- Output of a firmware. Each value stays until a later tick changes it. ---- */

struct robot_actuators {
    double motor[ROBOT_WHEELS_MAX];    /* meaning: enum robot_motor */
    bool motor_free[ROBOT_WHEELS_MAX]; /* coils off: the wheel turns freely */
    double steer_rad;
    double aim_rad[ROBOT_SENSORS_MAX]; /* angle of a servo that turns a sensor, from its heading */
    double sound_hz, sound_level;      /* present tone; level 0..1 */
    double charge_rate_1_s;            /* change of battery_charge, per second */
    uint32_t baud[ROBOT_CHANNELS_MAX]; /* of a serial channel; 0: unchanged */
    bool wants_image; /* the camera takes an image at the end of this tick; robot_sensors has it at
                       * the following ticks, until the next image */
};

/* ---- Output of frames ---- */

/* An image or a scan for a firmware in another process. */
struct robot_sight {
    size_t sensor;
    struct robot_image image;        /* of a camera */
    const struct robot_echo *echoes; /* of a scanner */
    size_t echo_count;
};

/* A question to such a firmware. Valid until the answer. */
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
    /* For a robot with its firmware in another process: sends QUESTION and waits for an ANSWER of
     * up to ROOM bytes. Returns the size of the answer; 0: the firmware has ended, and the robot
     * loses its power. At most one call per tick. NULL: there is no such firmware. */
    size_t (*ask)(void *context, const struct robot_question *question, uint8_t *answer,
                  size_t room);
};

/* Sends one whole frame. False: the queue of the channel is full, and the frame is lost. */
static inline bool tx_frame(const struct robot_tx *tx, unsigned channel, const uint8_t *bytes,
                            size_t size)
{
    return tx->frame(tx->context, channel, bytes, size);
}

/* Bytes in the queue, including the byte in transmission. */
static inline size_t tx_queued(const struct robot_tx *tx, unsigned channel)
{
    return tx->queued(tx->context, channel);
}

/* ---- The robot's motion as its reports describe it, to show the driver's odometry together with
 * the true pose. ---- */

enum robot_odometry_kind {
    ROBOT_ODOMETRY_NONE,
    ROBOT_ODOMETRY_WHEELS, /* distance covered by each side, and a heading */
    ROBOT_ODOMETRY_SPEEDS, /* speeds, valid until the next report */
    ROBOT_ODOMETRY_POSE,   /* pose that the firmware computes */
};

struct robot_odometry {
    enum robot_odometry_kind kind;
    double left_m, right_m; /* ROBOT_ODOMETRY_WHEELS: modulo wrap_m */
    double wrap_m;
    double x_m, y_m;                 /* ROBOT_ODOMETRY_POSE */
    double heading_rad;              /* ROBOT_ODOMETRY_POSE, ROBOT_ODOMETRY_WHEELS */
    double x_m_s, y_m_s, turn_rad_s; /* ROBOT_ODOMETRY_SPEEDS, robot frame */
};

/* ---- Points of a scanner, for pictures ---- */

struct robot_scan {
    uint32_t
        total; /* points so far; the array keeps the last ones, point N at N % ROBOT_SCAN_MAX */
    uint32_t count; /* points of the last turn, at most those in the array */
    struct robot_point {
        uint16_t heading;     /* 1/65536 of a turn, counter-clockwise from the sensor's heading */
        uint16_t distance_mm; /* 0: no return */
    } points[ROBOT_SCAN_MAX];
};

/* Adds a point. TURNS: its heading in turns, counter-clockwise. DISTANCE_M: 0 or INFINITY without
 * an echo. */
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

/* A number that users and tests can read. */
struct signal_row {
    const char *name; /* lower_case, unit at the end */
    enum signal_type type;
    size_t offset;            /* in the state */
    uint64_t mask;            /* not 0: the value is 1 if any of these bits is set, otherwise 0 */
    double scale;             /* value = number x scale; 0 means 1 */
    const char *unit;         /* "" for none */
    const char *const *names; /* NULL, or NULL-terminated words for the values 0, 1, 2 ... */
    const char *note;
};

/* Short form of a row: MEMBER of a struct TAG. The last argument is the note, optionally followed
 * by .mask, .scale and .names. clang-format breaks _Generic. */
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

/* Properties of a robot before it runs, for the check of its commands. */
struct robot_setup {
    const void *options; /* the type's options struct */
    const struct robot_body *body;
};

enum command_flags {
    COMMAND_FOR_TIME = 1, /* affects only time: not part of a journal, allowed in a replay */
    COMMAND_OF_PART = 2,  /* its first argument is PART: the text `part=value` is the value of that
                           * argument, if the robot has such a part */
};

/* A command of users and tests. */
struct command_row {
    const char *name;
    const struct option_row *args; /* typed arguments, filled into a struct of args_size bytes */
    size_t arg_count;
    size_t args_size; /* at most ROBOT_ARGS_MAX */
    unsigned flags;   /* enum command_flags */
    /* Refuses arguments that are wrong in every state; ERROR has the allowed values. SETUP is a
     * struct robot_setup for the rows of a robot type, and a struct command_setup for the rows of
     * sim/. Called for a timeline before the start, and before each run. NULL: the types suffice.
     */
    bool (*check)(const void *setup, const void *args, struct error *error);
    /* Executes the command. It may refuse it in the present state, and then changes nothing. */
    bool (*run)(void *state, const void *args, int64_t now_us, struct error *error);
    const char *note;
};

/* Short form of a row: the option rows ROWS fill a struct TAG. The last argument is the note,
 * optionally followed by .check and .flags. */
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
    APPEARANCE_BODY,   /* outline of the body, for all options; no sizes */
    APPEARANCE_WHEELS, /* the wheels of the body with rollers, steering or tracks; width_m is
                        * their width, 0: half of the wheel's diameter */
};

/* One part of the robot's picture from above. Parts are drawn in order. */
struct appearance_row {
    enum appearance_shape shape;
    double x_m, y_m, heading_rad; /* relative to the center of the body's shape */
    double length_m, width_m;     /* disc, ring: length is the diameter; arc: diameter, stroke */
    double from_rad, to_rad;      /* arc */
    uint32_t color, lit_color;    /* 0xRRGGBBAA */
    const char *lit_by;           /* signal of the robot that switches lit_color on, or NULL */
    const char *click;            /* command of the robot on a click, or NULL: "press button=b0" */
    /* APPEARANCE_LINE: signals of the robot, or NULL. TURNED_BY: degrees, added to HEADING_RAD.
     * LENGTH_BY: length of the line, m. */
    const char *turned_by, *length_by;
    const char *label;
};

/* A row; designated members for its colors and actions follow. */
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

/* A row without a kind is a serial channel. */
enum channel_kind { CHANNEL_SERIAL, CHANNEL_TCP_SERVER };

struct channel_spec {
    const char *name; /* "uart" */
    enum channel_kind kind;
    uint32_t baud;       /* default; 0: no pacing (TCP, or USB without a UART behind it) */
    uint16_t tcp_port;   /* CHANNEL_TCP_SERVER: the port that drivers expect */
    uint32_t frame_max;  /* bytes of the largest frame it sends */
    const char *device;  /* CHANNEL_SERIAL: the default path of drivers; NULL: unknown */
    const char *framing; /* text for users: the bytes around the body of a message */
    /* By enum wire_direction: how recordings, the window and the log of a test find frames and
     * decode them. NULL: each run of bytes is a frame. */
    const struct wire_framing *frames[2];
};

/* Names of a packet to the host, and of the request that it answers. */
struct robot_answer {
    const char *packet, *request;
};

/* Counters of a framer, for one channel. Each hostile byte increases one of them. */
struct robot_stats {
    uint64_t frames;      /* good frames received */
    uint64_t bad_frames;  /* wrong checksum, impossible length */
    uint64_t noise_bytes; /* bytes outside any frame */
    uint64_t unknown_ids; /* well-framed parts with an id the firmware does not know */
    uint64_t bad_lengths; /* known id, wrong length */
    uint64_t sent;        /* frames handed to tx */
    uint64_t overruns;    /* frames that tx refused */
};

/* tx_frame, counted in the STATS of the channel. */
static inline bool tx_send(const struct robot_tx *tx, unsigned channel, const uint8_t *bytes,
                           size_t size, struct robot_stats *stats)
{
    bool is_sent = tx_frame(tx, channel, bytes, size);
    stats->sent += is_sent;
    stats->overruns += !is_sent;
    return is_sent;
}

/* Memory that survives a restart, such as an EEPROM. It is part of the state; the app loads and
 * saves it. */
struct robot_storage {
    uint32_t size; /* bytes in use; 0: never written */
    bool is_dirty; /* set by the firmware on a write, cleared when it is saved */
    uint8_t bytes[ROBOT_STORAGE_MAX];
};

/* The host of a channel. */
struct robot_host {
    bool is_present;
    unsigned lines; /* lines that it has switched on: MODEM_DTR, MODEM_RTS */
};

struct robot_start {
    const struct robot_type *type;
    const struct robot_body *body;       /* the machine of these options */
    const void *options;                 /* the type's options struct */
    const struct robot_storage *storage; /* NULL: the type has none, or it is fresh */
    uint64_t rng_key;                    /* of this robot */
    int64_t now_us;
    bool has_booted; /* it has been on for a long time: it prints no boot text, and the motor of a
                        scanner has its speed */
    struct robot_host hosts[ROBOT_CHANNELS_MAX]; /* present hosts: no other call reports them */
};

/* A firmware outside of this program, as a body file describes it. */
struct robot_program {
    const char *run;      /* a shell command; NULL: none */
    const char *avr;      /* path of a firmware for an AVR, ELF or HEX, as written; NULL: none */
    const char *folder;   /* of the body file: working directory of RUN, and folder of AVR */
    enum pin_board board; /* the board that it is for */
    bool has_auto_reset;  /* DTR restarts it */
    const struct pin *pins;
    size_t pin_count;
};

#define ROBOT_NEVER INT64_MAX
#define ROBOT_RESET INT64_MIN /* from `lines` only */

/* A type of robot: the only interface of a robot's code. All pointers are to constants. reset,
 * host, lines, rx and tick return the time of the next tick (ROBOT_NEVER: only after bytes). Ticks
 * run on the simulation's grid of 1 ms, at the first step at or after that time. Within a step,
 * hosts and bytes come before the tick, so host and rx may return a time between the last step and
 * now; tick returns a later time. A pointer may be NULL only if its comment allows it; a list may
 * be NULL if its count is 0. */
struct robot_type {
    const char *name;  /* as in a scene */
    const char *title; /* for people */
    /* Its documents are protocols/FOLDER/README.md and docs/hosts/GUIDE.md. NULL: its name. */
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
    /* Servos on a bus: an array in the state, in the order of the body's list, of
     * SERVO_SIZE bytes each, which begins with the message of this packet; its fields and the rows
     * are the signals `NAME.field` of each. NULL: it has none. */
    const struct wire_packet *servo_packet;
    size_t servo_offset, servo_size;
    const struct signal_row *servo_signals;
    size_t servo_signal_count;
    const struct command_row *commands;
    size_t command_count;
    const struct appearance_list *appearance;
    const struct wire_packet *const *packets; /* NULL-terminated: every packet, both directions */
    const struct robot_answer *answers; /* a row of NULLs ends it. NULL: there are no requests */
    /* NULL-terminated, in the order of the bits of robot_sensors.buttons. NULL: no buttons. */
    const char *const *buttons;
    size_t state_size;
    size_t stats_offset;   /* of struct robot_stats[channel_count] in the state */
    size_t storage_offset; /* of struct robot_storage in the state; SIZE_MAX: none */
    size_t boots_offset;   /* of a uint64_t in the state, 1 after the first reset, which counts over
                            * resets like the stats; SIZE_MAX: none */
    size_t scan_offset;    /* of a struct robot_scan in the state, for the first scanner of its
                            * sensors; 0: none */

    /* The body for these options. NULL: FIXED_BODY for all options. */
    void (*body)(const void *options, struct robot_body *body);
    const struct robot_body *fixed_body;
    /* Baud rate of a channel for these options. NULL: the channel's default. */
    uint32_t (*baud)(const void *options, unsigned channel);
    /* Charge (0..1) of a battery that shows VOLTS. NULL: no battery, because the robot is supplied
     * by the robot below it or by a plug; or, if FIXED_BODY has limits of the voltage, the charge
     * is linear between them. At the start it shows the volts of the option `battery_v`; a robot
     * without this option is fully charged. */
    double (*battery_charge)(const void *options, double volts);

    /* Power-on. STATE is uninitialized; reset sets every byte. */
    int64_t (*reset)(void *state, const struct robot_start *start);
    /* A host opened or closed a channel. NULL: the robot does not notice it. */
    int64_t (*host)(void *state, unsigned channel, bool present, int64_t now_us);
    /* A host set its modem lines to LINES (MODEM_DTR, MODEM_RTS). Both change to on when it opens a
     * serial port, and to off when it leaves. A host on a plain pty cannot change them in between.
     * NULL: the robot is not wired to them. Returns ROBOT_RESET to restart with its storage, like
     * boards that DTR resets. */
    int64_t (*lines)(void *state, unsigned channel, unsigned lines, int64_t now_us);
    /* Bytes from a host. The state does not depend on how they are split into calls. */
    int64_t (*rx)(void *state, unsigned channel, const uint8_t *bytes, size_t size, int64_t now_us);
    /* One pass of the firmware's loop. SENSORS are fresh; ACTUATORS keep their last values. */
    int64_t (*tick)(void *state, const struct robot_sensors *sensors,
                    struct robot_actuators *actuators, const struct robot_tx *tx, int64_t now_us);

    /* Reason why the robot ignores all bytes now, in the form of "while it ...": "was starting".
     * NULL, or a result of NULL: it listens. */
    const char *(*deaf)(const void *state);

    /* The motion as the last reports describe it. NULL: its reports have no motion. */
    void (*odometry)(const void *state, struct robot_odometry *odometry);

    /* The process of the firmware; the functions above pass its output on. NULL: no process. */
    const struct robot_program *program;
};

/* Short forms of the members of a type: tables and functions have the same names in every folder.
 * The arguments are tags of structs, and the prefix of the functions. */
#define ROBOT_TABLES(state_tag, options_tag)                                                       \
    .channels = channels, .channel_count = COUNT(channels), .options = option_rows,                \
    .option_count = COUNT(option_rows), .options_size = sizeof(struct options_tag),                \
    .signals = signal_rows, .signal_count = COUNT(signal_rows),                                    \
    .state_size = sizeof(struct state_tag), .stats_offset = offsetof(struct state_tag, stats)
#define ROBOT_MIRRORS         .mirrors = mirror_rows, .mirror_count = COUNT(mirror_rows)
#define ROBOT_COMMANDS        .commands = command_rows, .command_count = COUNT(command_rows)
#define ROBOT_FUNCTIONS(name) .reset = name##_reset, .rx = name##_rx, .tick = name##_tick

/* The body for these options. */
void robot_type_body(const struct robot_type *type, const void *options, struct robot_body *body);

/* Whether the robot has a battery, the charge (0..1) of a battery that shows VOLTS, and its charge
 * at the start. */
bool robot_has_battery(const struct robot_type *type);
double robot_battery_charge(const struct robot_type *type, const void *options, double volts);
double robot_start_charge(const struct robot_type *type, const void *options);

/* Tables to find and decode the frames of a channel (protocols/framing.h), for readers of a line
 * other than the firmware. */
static inline const struct wire_framing *
robot_framing(const struct robot_type *type, unsigned channel, enum wire_direction direction)
{
    return type->channels[channel].frames[direction];
}

/* wire_frame_walk with the packets of the type, or wire_promised_walk if PROMISED is not 0. */
static inline bool robot_walk(const struct robot_type *type, unsigned channel,
                              enum wire_direction direction, uint16_t promised,
                              const uint8_t *frame, size_t size, wire_visit *visit, void *user)
{
    const struct wire_framing *framing = robot_framing(type, channel, direction);
    if (promised != 0)
        return wire_promised_walk(framing, type->packets, promised, frame, size, visit, user);
    return wire_frame_walk(framing, type->packets, direction, frame, size, visit, user);
}
