/* The state of a whole simulation at one time, as plain data without pointers: it can be in shared
 * memory, sent through a pipe or written to a file. Arrays of variable length are located by their
 * offset from the start. The static part (room, names, tables) is written only if it has changed,
 * the rest each time. A reader in another process of the same build uses it directly. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/registry.h" /* for the packets of a robot's type, found by its name */
#include "protocols/robot.h"
#include "sim/watch/frame_ring.h"

enum {
    SNAPSHOT_VERSION = 14,
    SNAPSHOT_NAME_MAX = 33,      /* as SCENE_NAME_MAX + 1 */
    SNAPSHOT_LABEL_MAX = 128,    /* as SCENE_LABEL_MAX */
    SNAPSHOT_PLACE_MAX = 256,    /* of a path or an address, with NUL; longer ones are cut */
    SNAPSHOT_TRAIL_MAX = 256,    /* as WATCH_TRAIL_MAX */
    SNAPSHOT_BEAMS = BEAM_KINDS, /* bits of enum robot_beam */
    SNAPSHOT_LIGHT_RAYS = 181,   /* over the half circle that a dock faces, or a full circle */
    SNAPSHOT_FAULTS_MAX = 64,    /* chosen: more than a page shows */
    SNAPSHOT_EVENTS_MAX = 6,     /* chosen: the next events of a timeline */
    SNAPSHOT_MARKS_MAX = 300,    /* chosen: more marks are not distinguishable on a bar */
    SNAPSHOT_IMAGE_MAX = 160 * 120 * 3, /* chosen: the largest picture an e-puck2 sends, in RGB */
};

#define SNAPSHOT_MAGIC 0x70747962u /* "ptyb" */

/* COUNT elements, the first one AT bytes from the start of the snapshot. */
struct snapshot_span {
    uint32_t at, count;
};

struct snapshot_point {
    float x_m, y_m;
};

/* In the room's frame: x right, y up, heading counter-clockwise. */
struct snapshot_pose {
    double x_m, y_m, heading_rad;
};

/* ---- The static part ---- */

/* Colors are 0xRRGGBBAA as in appearance_row; 0: the program that draws it chooses. */
struct snapshot_wall {
    struct snapshot_point from, to;
    uint32_t color;
    uint32_t number;    /* as in commands, from 1 on */
    uint32_t is_border; /* edge of a solid area of a map; all these walls together enclose it */
};

/* A solid outline, a cliff or a shade of the floor. */
struct snapshot_polygon {
    struct snapshot_span points; /* struct snapshot_point */
    uint32_t color;
    float value; /* cliff: depth_m, 0: unknown; shade: reflectance 0..1 */
};

struct snapshot_line {
    struct snapshot_point from, to;
    float width_m, reflectance;
};

struct snapshot_lamp {
    struct snapshot_point at;
    float brightness; /* level at 1 m */
};

struct snapshot_signal {
    uint32_t name, unit, note; /* offsets of strings */
    uint32_t words; /* offset of strings for 0, 1, 2 ..., ending with an empty one; 0: none */
    uint32_t is_live;
};

/* A kind of fault: `ROBOT.fault PART=name arguments`; arguments in brackets are optional. */
struct snapshot_fault_kind {
    uint32_t name, arguments, note; /* offsets of strings */
};

/* An appearance_row with the same layout on a 32-bit platform (WebAssembly); texts are offsets of
 * strings, 0: none. */
struct snapshot_appearance {
    double x_m, y_m, heading_rad, length_m, width_m, from_rad, to_rad;
    uint32_t shape, color, lit_color;
    uint32_t lit_by, click, label;
};

/* A part of a robot that can fail. */
struct snapshot_fault_part {
    uint32_t name;
    uint64_t kinds; /* bit i: the kind i applies to it */
};

/* ---- The moving part ---- */

/* An active fault of a part. `ROBOT.fault PART=none` ends it. */
struct snapshot_fault {
    uint32_t robot;
    char part[40];
    char what[80]; /* "drop 5 % to host" */
    float left_s;  /* INFINITY: until a command ends it */
};

/* A future command of the timeline. */
struct snapshot_event {
    int64_t at_us; /* ROBOT_NEVER: when its condition becomes true */
    char when[48], command[80];
};

/* An expectation of the scene, and its result so far. */
struct snapshot_verdict {
    uint32_t name, that, when; /* offsets of strings; name "": no name */
    uint32_t verdict;          /* enum sim_verdict */
    int64_t at_us;             /* time of the result; 0 while it is pending */
    char found[96];            /* the values at that time; "" while it is pending */
};

enum snapshot_mark_kind {
    SNAPSHOT_PASSED,
    SNAPSHOT_FAILED,
    SNAPSHOT_FAULT,
    SNAPSHOT_HEALED,
    SNAPSHOT_COMMAND,
    SNAPSHOT_HOST,
    SNAPSHOT_GONE, /* a driver left */
};

/* An event of a run that is replayed, in the past or future. */
struct snapshot_mark {
    int64_t at_us;
    uint32_t kind;  /* enum snapshot_mark_kind */
    char text[156]; /* chosen: a robot's name and a fault fit */
};

struct snapshot_box {
    struct snapshot_pose pose;
    float length_m, width_m, mass_kg; /* mass 0: fixed */
    uint32_t color;
    uint32_t number; /* as for a wall */
};

struct snapshot_disc {
    struct snapshot_pose pose;
    float radius_m, mass_kg;
    uint32_t color;
};

struct snapshot_dock {
    char name[SNAPSHOT_NAME_MAX];
    struct snapshot_pose pose;
    float depth_m, width_m; /* size of its housing, centered on the pose */
    float light_x_m;        /* position of the light, on its axis */
    float pin_x_m, pin_y_m; /* position of the pins, one on each side of the axis */
    uint32_t kind;          /* enum dock_kind */
    uint32_t seen;          /* enum robot_beam that any receiver detects now */
    /* Range of its light, at equal steps from -90 to 90 degrees relative to its heading. */
    float reach_m[SNAPSHOT_LIGHT_RAYS];
};

struct snapshot_beacon {
    struct snapshot_pose pose;
    uint32_t kind;                      /* enum beacon_kind */
    uint32_t seen;                      /* as for a dock */
    float reach_m[SNAPSHOT_LIGHT_RAYS]; /* from -180 to 180 degrees */
};

struct snapshot_wheel {
    float x_m, y_m, heading_rad, roller_rad, radius_m; /* heading: the present steering angle */
    float turned_rad;                                  /* modulo a turn */
    uint8_t is_dropped;
};

/* Position and heading are in the robot's frame, whose origin is its pose. */
struct snapshot_sensor {
    uint8_t kind;       /* enum sensor_kind */
    uint8_t is_failing; /* the reported value is falsified by a fault */
    float x_m, y_m, heading_rad, cone_half_rad, range_m;
    float distance_m;
    uint32_t beams;
};

/* The last positions, beginning with the oldest. */
struct snapshot_trail {
    uint32_t count;
    uint32_t gone; /* number of positions before these */
    struct snapshot_point points[SNAPSHOT_TRAIL_MAX];
};

struct snapshot_robot {
    char name[SNAPSHOT_NAME_MAX], label[SNAPSHOT_LABEL_MAX];
    struct snapshot_pose pose;
    /* The pose that a driver calculates from the robot's reports: the reported motion, integrated
     * since the driver connected. */
    struct snapshot_pose odometry;
    uint8_t has_odometry;
    uint8_t is_lifted, is_docked, has_adapter;
    float speed_m_s, turn_rad_s;
    float charge; /* 0 .. 1 */
    float sound_hz, sound_level;
    uint32_t fault_count; /* number of parts with a fault */
    uint32_t collisions;  /* the same as the signal */

    uint8_t shape, drive; /* enum robot_shape, robot_drive */
    float radius_m, length_m, width_m, center_x_m;
    uint32_t wheel_count, sensor_count;
    struct snapshot_wheel wheels[ROBOT_WHEELS_MAX];
    struct snapshot_sensor sensors[ROBOT_SENSORS_MAX];
    struct snapshot_trail trail, odometry_trail;

    char wire[SNAPSHOT_NAME_MAX]; /* the built-in type whose packets it uses; "": none */
    uint32_t title;               /* offset of a string */
    struct snapshot_span
        appearance; /* struct snapshot_appearance, which robots of one type share */
    /* uint32_t: the signal that lights each part, or UINT32_MAX; the signals that turn it; the
     * signals of its length */
    struct snapshot_span lit_by;
    struct snapshot_span signals; /* struct snapshot_signal: the robot's part of all signals */
    struct snapshot_span parts;   /* struct snapshot_fault_part; may be shared with others */
    uint32_t first_signal;        /* index of the first of them among all signals */
    uint32_t first_channel, channel_count;
    uint32_t image_width, image_height; /* size of the last camera image; 0: no image yet */
    struct snapshot_span image;         /* uint8_t, RGB, top row first */
    uint32_t carrier;                   /* robot that carries it; UINT32_MAX: not mounted */
    uint32_t scan_count;                /* points of the last turn of its scanner; */
    struct snapshot_span scan;          /* struct snapshot_point, in the robot's frame */
};

struct snapshot_channel {
    uint32_t robot, channel; /* index of the robot; number in its type */
    char name[SNAPSHOT_NAME_MAX];
    char place[SNAPSHOT_PLACE_MAX]; /* address for drivers; "": unknown */
    uint8_t is_host, is_plugged, is_failing;
    uint32_t baud, host_baud; /* host_baud 0: unknown */
    struct robot_stats stats;
    uint64_t to_host_frames, to_host_bytes, from_host_bytes;
    uint64_t taken_frames, dropped_frames; /* of the link: chunks, as `chunks` divides them */
    struct frame_ring frames[2];           /* by enum wire_direction */
};

struct snapshot {
    uint32_t magic, version;
    uint64_t size;       /* bytes, this header included */
    uint64_t generation; /* changes with every change of the static part */
    int64_t now_us;
    uint8_t is_paused, is_lockstep;
    uint8_t is_tap; /* recording of a real robot: only the frames are known, not the robot or the
                       room */
    double speed;
    char title[SNAPSHOT_LABEL_MAX];
    struct snapshot_point low, high; /* corners of the room */

    struct snapshot_span walls;    /* struct snapshot_wall, without the four outer walls */
    struct snapshot_span polygons; /* struct snapshot_polygon; the same for the next two */
    struct snapshot_span cliffs, shades;
    struct snapshot_span lines; /* struct snapshot_line */
    struct snapshot_span lamps; /* struct snapshot_lamp */
    struct snapshot_span floor; /* uint8_t, rows from the top down, scaled to the room */
    uint32_t floor_width, floor_height;
    struct snapshot_span fields[SNAPSHOT_BEAMS]; /* struct snapshot_point, in a dock's frame: the
                                                    region of bit i of enum robot_beam */
    struct snapshot_span boxes, discs, docks, beacons, robots, channels;
    struct snapshot_span signals;     /* struct snapshot_signal */
    struct snapshot_span values;      /* double, one per signal */
    struct snapshot_span fault_kinds; /* struct snapshot_fault_kind */
    struct snapshot_span faults;      /* struct snapshot_fault: room for SNAPSHOT_FAULTS_MAX, */
    uint32_t fault_count;             /* number of filled elements */
    struct snapshot_span verdicts;    /* struct snapshot_verdict */
    uint32_t event_count; /* number of future events; the first SNAPSHOT_EVENTS_MAX of them: */
    struct snapshot_event events[SNAPSHOT_EVENTS_MAX];
    int64_t length_us;          /* length of a replayed run; 0: not a replay, */
    struct snapshot_span marks; /* or without a viewer: struct snapshot_mark, by time */
};

/* ---- Shared with other processes: a file that begins with this head, with the snapshot
 * SNAPSHOT_SHARE_AT bytes from its start. Readers write only `wanted`. ---- */

enum { SNAPSHOT_SHARE_AT = 4096 }; /* a page, so that readers can map the rest read-only */

#define SNAPSHOT_SHARE_MAGIC 0x70747973u /* "ptys" */

struct snapshot_share {
    uint32_t magic, version; /* SNAPSHOT_VERSION */
    uint32_t sequence;       /* odd while a snapshot is being written; increases with each */
    uint32_t wanted;         /* set by a reader that has copied the last one and requests another */
    uint64_t size;           /* bytes after the head; grows with the file, never shrinks */
    uint32_t is_outdated; /* the file cannot grow for the newest snapshot: it contains an old one */
};

struct sim;
struct watch;

/* Present size of a snapshot of the simulation in bytes; larger after a wall is added. */
size_t snapshot_size(const struct sim *sim);

/* Fills a buffer of SIZE bytes, aligned to 16; it must be zero before its first use. The static
 * part is written only if the buffer does not contain the present one. WATCH has frames and trails;
 * NULL: none. The program that runs the simulation fills in pace, place, host_baud, taken_frames,
 * dropped_frames, hosts, length and marks. False: the buffer is too small, and does not change.
 * Allocates nothing. */
bool snapshot_fill(const struct sim *sim, const struct watch *watch, void *buffer, size_t size);

/* Whether SIZE bytes look like a snapshot of this build. */
static inline bool snapshot_is_whole(const void *bytes, size_t size)
{
    const struct snapshot *snapshot = (const struct snapshot *)bytes;
    return size >= sizeof *snapshot && snapshot->magic == SNAPSHOT_MAGIC &&
           snapshot->version == SNAPSHOT_VERSION && snapshot->size <= size;
}

/* A pointer to the first element of a span. */
static inline const void *snapshot_at(const struct snapshot *snapshot, struct snapshot_span span)
{
    return (const char *)snapshot + span.at;
}

/* The string at an offset. */
static inline const char *snapshot_text(const struct snapshot *snapshot, uint32_t at)
{
    return (const char *)snapshot + at;
}

/* Whether it shows a replayed run, which cannot be changed. */
static inline bool snapshot_is_past(const struct snapshot *snapshot)
{
    return snapshot->length_us > 0;
}

/* The word for a mark's kind. */
static inline const char *snapshot_mark_word(uint32_t kind)
{
    static const char *const words[] = {"passed",  "failed", "fault", "healed",
                                        "command", "host",   "gone"};
    return kind < sizeof words / sizeof words[0] ? words[kind] : "";
}

/* Appearance row number I of a robot; its texts are in the snapshot. */
static inline struct appearance_row
snapshot_appearance(const struct snapshot *snapshot, const struct snapshot_robot *robot, size_t i)
{
    const struct snapshot_appearance *appearance =
        (const struct snapshot_appearance *)snapshot_at(snapshot, robot->appearance) + i;
    return (struct appearance_row){
        .shape = (enum appearance_shape)appearance->shape,
        .x_m = appearance->x_m,
        .y_m = appearance->y_m,
        .heading_rad = appearance->heading_rad,
        .length_m = appearance->length_m,
        .width_m = appearance->width_m,
        .from_rad = appearance->from_rad,
        .to_rad = appearance->to_rad,
        .color = appearance->color,
        .lit_color = appearance->lit_color,
        .lit_by = appearance->lit_by ? snapshot_text(snapshot, appearance->lit_by) : NULL,
        .click = appearance->click ? snapshot_text(snapshot, appearance->click) : NULL,
        .label = appearance->label ? snapshot_text(snapshot, appearance->label) : NULL,
    };
}
