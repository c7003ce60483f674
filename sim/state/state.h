/* The internal state of a simulation: the present state of each robot, each channel and the room.
 * For the files of sim/ only. Data of later folders is a pointer here. */
#pragma once

#include "base/modem_lines.h"
#include "physics/world.h"
#include "sim/scene/scene.h"
#include "sim/state/faults.h"
#include "sim/state/inputs.h"
#include "sim/state/odometry.h"
#include "sim/state/power.h"
#include "sim/state/robots.h"
#include "sim/state/signals.h"
#include "sim/state/watchers.h"

struct camera;
struct expectations;
struct measures;
struct room;
struct timeline;

enum { SIM_LINES_MAX = 8 }; /* chosen: more changes in a step than a real UART allows */

struct sim_channel {
    size_t robot;     /* index in the order of the scene */
    unsigned channel; /* number in the robot's type */
    struct line *line;
    uint32_t baud;
    bool is_plugged;
    int64_t replug_us; /* ROBOT_NEVER: no change planned */
    bool is_cut;       /* disconnected because its robot has no power */
    uint64_t hangups;  /* caused by a fault */
    int64_t hangup_until_us;
    bool is_host;
    bool is_unread;        /* the driver reads no bytes */
    unsigned host_changes; /* number of connects and disconnects, alternating, reported since the
                              last step */
    uint8_t host_lines, robot_lines; /* enum modem_line */
    /* Settings of the driver's port, or of the last driver's port. */
    uint32_t host_baud; /* 0: no driver has set it */
    uint32_t host_mode; /* enum serial_mode; the members below are derived from it */
    bool is_host_raw;
    uint8_t host_parity; /* enum serial_parity */
    uint8_t host_data_bits, host_stop_bits;
    uint8_t line_changes[SIM_LINES_MAX]; /* values of host_lines reported since the last step */
    size_t line_change_count;
    struct line_stats line_view;   /* only in a temporary copy, to read a signal: */
    struct robot_stats robot_view; /* a row can point to these members */
};

/* The effects of commands that handle a robot. Times are ROBOT_NEVER if the effect lasts until it
 * is undone. */
struct robot_handling {
    bool is_lifted;       /* as a whole */
    uint32_t hung_wheels; /* tipped so that these wheels hang */
    int64_t lift_until_us, hang_until_us[ROBOT_WHEELS_MAX];
    uint32_t pressed_bumpers, pressed_buttons;
    int64_t release_bumper_us[ROBOT_BUMPERS_MAX];
    int64_t release_button_us[ROBOT_BUTTONS_MAX];
    bool has_adapter;
};

/* The mounting of a robot on another one. */
struct robot_mount {
    size_t carrier;              /* carrier in the order of the scene; SIZE_MAX: not mounted */
    struct pose pose;            /* in the carrier's frame */
    double z_m;                  /* height of its lower end above the floor */
    bool has_power;              /* has its own power: does not switch off with the carrier */
    const struct body_part *own; /* the carrier's part that represents it for rays */
};

/* Values that all rays of a scanner share in one step. */
struct robot_stand {
    int64_t now_us; /* time of the step; 0: not set yet */
    size_t sensor;
    struct pose pose; /* pose of the carrier */
    struct vec2 forward, velocity;
    double turn_rad_s;
    struct vec2 point; /* position of the scanner in the carrier's frame */
    double z_m;
};

struct sim_robot {
    struct sim *sim;
    char name[SCENE_NAME_MAX + 1];
    const struct robot_type *type;
    const struct robot_body *body; /* element of sim.bodies */
    size_t body_index; /* index in the world; for a mounted robot, that of its carrier */
    struct robot_mount mount;
    struct robot_stand stand;
    struct body_part parts[ROBOT_PARTS_MAX]; /* parts on top of it: its own, then mounted robots */
    size_t part_count;
    size_t first_channel;
    uint64_t rng_key;
    _Alignas(16) uint8_t options[ROBOT_OPTIONS_MAX];
    void *state;
    int64_t due_us;
    bool is_abandoned; /* its firmware process gave no answer in this tick */
    struct robot_sensors sensors;
    struct robot_actuators actuators;
    double aim_rad[ROBOT_SENSORS_MAX];         /* angles of the servos of its sensors */
    struct camera *cameras[ROBOT_SENSORS_MAX]; /* by sensor; NULL: another kind of sensor */
    uint32_t blind; /* bit i: in this tick its sensor number i, a camera or scanner, is dead */

    struct pose start; /* pose in the scene */
    struct pose pose;  /* pose of the body's origin, after the last step */
    double speed_m_s;  /* along x of the body */
    double slide_m_s;  /* along y of the body */
    double turn_rad_s;
    struct vec2 felt_m_s; /* velocity in the world when its sensors were last sampled */
    int64_t felt_us;      /* time of that sample */
    uint32_t touching;    /* bumpers touched since the last sampled tick */
    int64_t touched_us;   /* time of the last contact that counts as a collision */
    uint64_t collisions;
    struct robot_handling handling;
    bool is_playing; /* plays a tone, after its last step */
    bool is_docked;  /* its pads touch the pins of a dock */
    double charge;   /* 0..1 */
    struct robot_faults faults;
    char label[SCENE_LABEL_MAX];
    struct odometry odometry;
};

/* The object that contains a signal's value. */
enum signal_source {
    SOURCE_WORLD,
    SOURCE_SCENE,
    SOURCE_ROBOT,
    SOURCE_CHANNEL,
    SOURCE_STATE,
    SOURCE_MIRROR,
    SOURCE_RUN,         /* run.world */
    SOURCE_RUN_CHANNEL, /* run.channels */
};

/* Small, because each robot has about two hundred signals. All other data of a signal is found
 * through these members. */
struct signal_entry {
    union {
        const struct signal_row *row;
        const struct wire_field *field; /* SOURCE_MIRROR */
    };
    uint32_t name;   /* offset of its name in sim.signal_names */
    uint32_t owner;  /* robot or channel */
    uint32_t offset; /* SOURCE_MIRROR, and rows of a servo: offset in the state */
    uint16_t element;
    uint8_t direction; /* SOURCE_MIRROR: direction of the packet, enum wire_direction */
    uint8_t source;    /* enum signal_source */
};

/* Whether the signal depends on the kernel or the wall clock. */
static inline bool signal_is_live(const struct signal_entry *entry)
{
    return entry->source == SOURCE_RUN || entry->source == SOURCE_RUN_CHANNEL;
}

struct sim {
    int64_t now_us;
    double time_s;
    uint64_t seed;
    struct run_rows run;       /* additions by the program that runs the simulation; may be empty */
    const struct scene *scene; /* the scene of the simulation; not owned */
    struct world *world;
    struct room *room;
    struct sim_robot *robots;   /* in the order of the scene */
    struct robot_body **bodies; /* each only once, even if several robots have it */
    size_t body_count;
    size_t *by_name; /* indices of robots, ordered by name: all loops use this order */
    size_t robot_count;
    struct sim_channel *channels;
    size_t channel_count;
    struct signal_entry *signals;
    size_t signal_count;
    char *signal_names; /* concatenated */
    size_t signal_names_size;
    uint32_t *signals_by_name;    /* indices ordered by name */
    struct sim_watcher *watchers; /* a list, or NULL */
    sim_listener *listener;       /* or NULL */
    void *listener_context;
    bool is_repetition; /* a replay: commands come from a journal only */
    struct timeline *timeline;
    struct expectations *expectations;
    struct measures *measures;
};

static inline const char *signal_name(const struct sim *sim, const struct signal_entry *entry)
{
    return sim->signal_names + entry->name;
}

/* Initial state: no handling. */
struct robot_handling robot_handling_none(void);
/* Ends the effects whose time is over at NOW_US. */
void robot_handling_expire(struct sim_robot *robot, int64_t now_us);
/* Puts the whole robot down. */
void robot_handling_put_down(struct sim_robot *robot);

/* The robot that carries it, or itself. */
static inline struct sim_robot *robot_carrier(const struct sim_robot *robot)
{
    size_t index = robot->mount.carrier;
    return index == SIZE_MAX ? (struct sim_robot *)robot : &robot->sim->robots[index];
}

static inline bool robot_is_mounted(const struct sim_robot *robot)
{
    return robot->mount.carrier != SIZE_MAX;
}

/* Sets the settings of the driver's port: enum serial_mode. */
void channel_set_mode(struct sim_channel *channel, uint32_t mode);

/* Plugs the cable in, and sets the modem lines of a ready robot. */
void channel_set_ready(struct sim_channel *channel);
