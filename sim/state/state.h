/* The inside of a simulation: what each robot, channel and the room is like now. For the files of
 * sim/ only; what later rooms own is a pointer here. */
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

enum { SIM_LINES_MAX = 8 }; /* chosen: more changes in a step than a host can make on a real UART */

struct sim_channel {
    size_t robot;     /* index by scene order */
    unsigned channel; /* of the robot's type */
    struct line *line;
    uint32_t baud;
    bool is_plugged;
    int64_t replug_us; /* ROBOT_NEVER: stays as it is */
    bool is_cut;       /* gone because its robot has no power */
    uint64_t hangups;  /* by a fault */
    int64_t hangup_until_us;
    bool is_host;
    bool is_unread;                  /* the host takes nothing */
    unsigned host_changes;           /* reported since the last step: comings and goings by turns */
    uint8_t host_lines, robot_lines; /* enum modem_line */
    /* As the host set its port, or the last one did. */
    uint32_t host_baud; /* 0: none did */
    uint32_t host_mode; /* enum serial_mode; below what it says */
    bool is_host_raw;
    uint8_t host_parity; /* enum serial_parity */
    uint8_t host_data_bits, host_stop_bits;
    uint8_t line_changes[SIM_LINES_MAX]; /* values of host_lines reported since the last step */
    size_t line_change_count;
    struct line_stats line_view;   /* filled in the copy from which a signal is read, */
    struct robot_stats robot_view; /* so that a row can point to them */
};

/* What people do to a robot by commands. Times are ROBOT_NEVER where it lasts until it is undone.
 */
struct robot_handling {
    bool is_lifted;       /* as a whole */
    uint32_t hung_wheels; /* tipped so that these hang */
    int64_t lift_until_us, hang_until_us[ROBOT_WHEELS_MAX];
    uint32_t pressed_bumpers, pressed_buttons;
    int64_t release_bumper_us[ROBOT_BUMPERS_MAX];
    int64_t release_button_us[ROBOT_BUTTONS_MAX];
    bool has_adapter;
};

/* Where a robot rides on another. */
struct robot_mount {
    size_t carrier;              /* robot by scene order; SIZE_MAX: it stands on its own */
    struct pose pose;            /* in the carrier's frame */
    double z_m;                  /* of its foot above the floor */
    bool has_power;              /* of its own: it does not go off with the carrier */
    const struct body_part *own; /* what it is on the carrier to the rays of others */
};

/* What the rays of a scanner have in common in one step. */
struct robot_stand {
    int64_t now_us; /* the step; 0: none yet */
    size_t sensor;
    struct pose pose; /* of the carrier */
    struct vec2 forward, velocity;
    double turn_rad_s;
    struct vec2 point; /* of the scanner in the carrier's frame */
    double z_m;
};

struct sim_robot {
    struct sim *sim;
    char name[SCENE_NAME_MAX + 1];
    const struct robot_type *type;
    const struct robot_body *body; /* in sim.bodies */
    size_t body_index;             /* in the world; of a mounted robot, that of its carrier */
    struct robot_mount mount;
    struct robot_stand stand;
    struct body_part parts[ROBOT_PARTS_MAX]; /* what stands on it: its own, then mounted robots */
    size_t part_count;
    size_t first_channel;
    uint64_t rng_key;
    _Alignas(16) uint8_t options[ROBOT_OPTIONS_MAX];
    void *state;
    int64_t due_us;
    bool is_abandoned; /* its firmware, a process, gave no answer in this tick */
    struct robot_sensors sensors;
    struct robot_actuators actuators;
    double aim_rad[ROBOT_SENSORS_MAX];         /* where the servos of its sensors are */
    struct camera *cameras[ROBOT_SENSORS_MAX]; /* of its sensors; NULL: another kind */
    uint32_t blind; /* bit i: in this tick its sensor number i, a camera or scanner, is dead */

    struct pose start; /* where the scene has it */
    struct pose pose;  /* of the body's origin, after the last step */
    double speed_m_s;  /* along x of the body */
    double slide_m_s;  /* along y of the body */
    double turn_rad_s;
    struct vec2 felt_m_s; /* velocity in the world when its sensors were last sampled */
    int64_t felt_us;      /* when that was */
    uint32_t touching;    /* bumpers touched since the last sampled tick */
    int64_t touched_us;   /* last contact that counts as a collision */
    uint64_t collisions;
    struct robot_handling handling;
    bool is_playing; /* a tone, after its last step */
    bool is_docked;  /* its pads touch the pins of a dock */
    double charge;   /* 0..1 */
    struct robot_faults faults;
    char label[SCENE_LABEL_MAX];
    struct odometry odometry;
};

/* Where a signal's number is found. */
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

/* There are some two hundred of each robot: all else is found by these. */
struct signal_entry {
    union {
        const struct signal_row *row;
        const struct wire_field *field; /* SOURCE_MIRROR */
    };
    uint32_t name;   /* where it begins in sim.signal_names */
    uint32_t owner;  /* robot or channel */
    uint32_t offset; /* SOURCE_MIRROR, and rows of a servo: in the state */
    uint16_t element;
    uint8_t direction; /* SOURCE_MIRROR: of the packet, enum wire_direction */
    uint8_t source;    /* enum signal_source */
};

/* Whether it depends on the kernel or the wall clock. */
static inline bool signal_is_live(const struct signal_entry *entry)
{
    return entry->source == SOURCE_RUN || entry->source == SOURCE_RUN_CHANNEL;
}

struct sim {
    int64_t now_us;
    double time_s;
    uint64_t seed;
    struct run_rows run;       /* of whoever runs it; empty: none */
    const struct scene *scene; /* what it was made from; not its own */
    struct world *world;
    struct room *room;
    struct sim_robot *robots;   /* in the order of the scene */
    struct robot_body **bodies; /* each only once, however many robots have it */
    size_t body_count;
    size_t *by_name; /* indices of robots, ordered by name: the order of every loop */
    size_t robot_count;
    struct sim_channel *channels;
    size_t channel_count;
    struct signal_entry *signals;
    size_t signal_count;
    char *signal_names; /* one behind the other */
    size_t signal_names_size;
    uint32_t *signals_by_name;    /* ordered by name */
    struct sim_watcher *watchers; /* a list, or NULL */
    sim_listener *listener;       /* or NULL */
    void *listener_context;
    bool is_repetition; /* commands come from a journal only */
    struct timeline *timeline;
    struct expectations *expectations;
    struct measures *measures;
};

static inline const char *signal_name(const struct sim *sim, const struct signal_entry *entry)
{
    return sim->signal_names + entry->name;
}

/* Nobody has touched it. */
struct robot_handling robot_handling_none(void);
/* Ends what is over by NOW_US. */
void robot_handling_expire(struct sim_robot *robot, int64_t now_us);
/* Puts it down, all of it. */
void robot_handling_put_down(struct sim_robot *robot);

/* The robot on which it rides, or itself. */
static inline struct sim_robot *robot_carrier(const struct sim_robot *robot)
{
    size_t index = robot->mount.carrier;
    return index == SIZE_MAX ? (struct sim_robot *)robot : &robot->sim->robots[index];
}

static inline bool robot_is_mounted(const struct sim_robot *robot)
{
    return robot->mount.carrier != SIZE_MAX;
}

/* The settings of the host's port: enum serial_mode. */
void channel_set_mode(struct sim_channel *channel, uint32_t mode);

/* The cable is in, and the robot holds the modem lines of one that is ready. */
void channel_set_ready(struct sim_channel *channel);
