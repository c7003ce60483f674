/* The inside of a simulation, shared by the files of sim/ that make it up and by nobody else. */
#ifndef PTYBOT_SIM_STATE_STATE_H
#define PTYBOT_SIM_STATE_STATE_H

#include "physics/world.h"
#include "sim/commands/fault.h"
#include "sim/room/camera.h"
#include "sim/room/dock.h"
#include "sim/room/furniture.h"
#include "sim/room/scenery.h"
#include "sim/sim.h"
#include "sim/state/inputs.h"
#include "sim/state/odometry.h"
#include "sim/verdict/condition.h"
#include "sim/watch/frame_ring.h"

/* A press of a button or bumper, or a lift, that ends by itself. */
enum { SIM_HOLDS_MAX = ROBOT_BUTTONS_MAX + ROBOT_BUMPERS_MAX };

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
    uint8_t line_changes[SIM_LINES_MAX]; /* values of host_lines reported since the last step */
    size_t line_change_count;
    struct sim_live live;
    struct frame_ring *frames;     /* two: to the host, to the robot; by enum wire_direction */
    struct line_stats line_view;   /* filled in the copy from which a signal is read, */
    struct robot_stats robot_view; /* so that a row can point to them */
};

struct sim_robot {
    struct sim *sim;
    char name[SCENE_NAME_MAX + 1];
    const struct robot_type *type;
    struct robot_body body;
    size_t body_index; /* in the world */
    size_t first_channel;
    uint64_t rng_key;
    _Alignas(16) uint8_t options[ROBOT_OPTIONS_MAX];
    void *state;
    int64_t due_us;
    struct robot_sensors sensors;
    struct robot_actuators actuators;
    struct camera *camera; /* of its first SENSOR_CAMERA; NULL: it has none */

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
    bool is_lifted;
    uint32_t hung_wheels;                      /* tipped so that these hang */
    int64_t drop_us;                           /* end of a lift */
    uint32_t pressed_bumpers, pressed_buttons; /* by command */
    int64_t release_bumper_us[ROBOT_BUMPERS_MAX];
    int64_t release_button_us[ROBOT_BUTTONS_MAX];
    bool has_adapter;
    bool is_docked; /* its pads touch the pins of a dock */
    double charge;  /* 0..1 */
    struct robot_faults faults;
    char label[SCENE_LABEL_MAX];
    struct odometry_track odometry;
};

/* How an expectation or an action came out. */
struct sim_outcome {
    enum sim_verdict verdict;
    int64_t at_us;
    char found[CONDITION_TEXT_MAX];
};

/* Where a signal's number is found. */
enum signal_source { SOURCE_WORLD, SOURCE_ROBOT, SOURCE_CHANNEL, SOURCE_STATE, SOURCE_MIRROR };

struct signal_entry {
    struct sim_signal info;
    enum signal_source source;
    size_t owner; /* robot or channel */
    const struct signal_row *row;
    const struct wire_field *field; /* SOURCE_MIRROR */
    size_t element;
    size_t offset; /* SOURCE_MIRROR: of the message in the state */
};

struct sim {
    int64_t now_us;
    double time_s;
    uint64_t seed;
    struct sim_pace pace;
    double size_x_m, size_y_m;
    struct vec2 low; /* corner of the room */
    struct world *world;
    struct scene_cliff *cliffs;
    size_t cliff_count;
    struct scene_shade *shades;
    size_t shade_count;
    struct scene_line *lines;
    size_t line_count;
    struct scene_floor floor;
    struct dock *docks; /* their bodies follow those of the robots */
    size_t dock_count;
    struct surroundings surroundings;
    double light;
    struct scene_lamp *lamps;
    size_t lamp_count;
    struct scenery scenery;
    struct sim_robot *robots; /* in the order of the scene */
    size_t *by_name;          /* indices of robots, ordered by name: the order of every loop */
    size_t robot_count;
    struct sim_channel *channels;
    size_t channel_count;
    struct signal_entry *signals;
    size_t signal_count;
    sim_listener *listener; /* or NULL */
    void *listener_context;
    bool is_stepping;                /* inside sim_step: what happens now comes from no outside */
    bool is_repetition;              /* commands come from a journal only */
    struct timeline_action *actions; /* in the order of the scene */
    size_t action_count;
    struct expect_entry *expectations; /* in the order of the scene */
    size_t expectation_count;
    bool is_ended;
};

/* sim/room/sensors.c: the one translator between world and robot. */
void sensors_sample(struct sim_robot *robot);
void sensors_obey(struct sim_robot *robot);
void sensors_feel(struct sim *sim);

/* sim/room/floor.c: how bright the floor is at a point, 0..1; and its copy of a scene's floor. */
double floor_reflectance(const struct sim *sim, struct vec2 point);
bool floor_create(struct sim *sim, const struct scene *scene);
void floor_destroy(struct sim *sim);

/* sim/commands/robot_commands.c: whether the names in the arguments of a command that every robot
 * has fit this robot; true for all other rows. */
bool hands_check(struct sim_robot *robot, const struct command_row *row, const void *args,
                 struct error *error);

/* sim/commands/modem.c: what the command `modem` takes and does. */
struct modem_args {
    char what[32];
    int32_t lines[4]; /* for each line: keep, off, on */
};
enum { MODEM_ROWS = 5 };
extern const struct option_row modem_rows[MODEM_ROWS];
/* The serial channel that is meant, or NULL. */
struct sim_channel *modem_find(struct sim_robot *robot, const struct modem_args *args,
                               struct error *error);
bool modem_set(void *state, const void *args, int64_t now_us, struct error *error);

/* sim/commands/command.c: sim_do, for who is asked by whom. */
enum { COMMAND_TEXT_MAX = 512 }; /* with NUL */
enum command_origin {
    COMMAND_OUTSIDE, /* a person or a test */
    COMMAND_SCENE,   /* the scene itself: it asks again when the run is repeated */
    COMMAND_INPUT,   /* an input put in again */
};
bool command_do(struct sim *sim, const char *text, enum command_origin origin, struct error *error);

/* sim/commands/time_commands.c: whether a row of the world's commands acts on time only, which is
 * no matter of the simulation's. */
bool time_commands_has(const struct command_row *row);

/* sim/room/build.c: the world of a scene. */
bool build_world(struct sim *sim, const struct scene *scene);

/* sim/room/room.c: what stands in the room, put into the world and changed there. */
void room_build(struct sim *sim);
/* Number of a wall or box, from 1 on: WANTED if it is free, where it is 0 the first free one. Also
 * what SHAPE says must lie in the room. False, with the reason. */
bool room_add_wall(struct sim *sim, int64_t wanted, const struct scene_wall *shape,
                   struct error *error);
bool room_add_box(struct sim *sim, int64_t wanted, const struct scene_box *shape,
                  struct error *error);
bool room_remove_wall(struct sim *sim, int64_t number, struct error *error);
bool room_remove_box(struct sim *sim, int64_t number, struct error *error);
/* Everything that can move goes back to where it was put. */
void room_tidy(struct sim *sim);

/* sim/commands/restart.c: the command `reset`, off and on again. */
bool hands_reset(void *state, const void *args, int64_t now_us, struct error *error);
/* A robot as at its start: at its place, nothing pressed, all plugged in, healed, charged as then,
 * powered off and on. */
void hands_restart(struct sim_robot *robot);

/* sim/commands/room_commands.c: what can be built and taken away; and all back to the start. */
enum { ROOM_WALL_ROWS = 7, ROOM_BOX_ROWS = 9, ROOM_REMOVE_ROWS = 2 };
struct room_wall_args {
    int64_t number;
    struct scene_wall wall;
};
struct room_box_args {
    int64_t number;
    struct scene_box box;
};
struct room_remove_args {
    int64_t wall, box;
};
extern const struct option_row room_wall_rows[ROOM_WALL_ROWS], room_box_rows[ROOM_BOX_ROWS],
    room_remove_rows[ROOM_REMOVE_ROWS];
bool room_wall(void *state, const void *args, int64_t now_us, struct error *error);
bool room_box(void *state, const void *args, int64_t now_us, struct error *error);
bool room_remove(void *state, const void *args, int64_t now_us, struct error *error);
bool room_reset(void *state, const void *args, int64_t now_us, struct error *error);

/* sim/verdict/timeline.c: commands at times and on conditions. */
struct timeline_action {
    struct condition when; /* no terms: at a time */
    int64_t at_us;
    char command[SCENE_LINE_MAX], when_text[SCENE_LINE_MAX];
    struct sim_outcome outcome;
    unsigned line;
};
bool timeline_create(struct sim *sim, const struct scene *scene, struct error *error);
void timeline_destroy(struct sim *sim);
/* Does what is due, before a step. */
void timeline_run(struct sim *sim);

/* sim/verdict/expect.c: what a scene expects. */
struct expect_entry {
    struct condition that;
    enum scene_expect_kind kind;
    int64_t after_us, until_us; /* judged from the first on; WITHIN: until the second */
    char that_text[SCENE_LINE_MAX], when_text[96];
    struct sim_outcome outcome;
    unsigned line;
};
bool expect_create(struct sim *sim, const struct scene *scene, struct error *error);
void expect_destroy(struct sim *sim);
/* Judges, after a step. */
void expect_judge(struct sim *sim);

/* sim/state/signals.c */
bool signals_create(struct sim *sim);

/* sim/step/sim.c: power off and on again, with the storage kept. */
void robot_power_cycle(struct sim_robot *robot);

#endif
