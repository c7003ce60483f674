/* A scene: the world, the robots in it, their links, timeline and expectations. It does not change
 * while a simulation runs. All checks are done before anything is created.
 *
 * scene.c has the model, scene_mount.c the mounted robots, scene_color.c the colors,
 * scene_host_delay.c the delays of a slow driver, scene_check.c the checks whether the parts fit
 * together. sim/parse makes a scene from the bytes of a YAML file, which the app reads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/link_kind.h"
#include "base/text.h"
#include "physics/geom.h"
#include "protocols/robot.h"

enum {
    SCENE_NAME_MAX = 32,       /* robot names with NUL: [a-z][a-z0-9_]{0,31} needs 33 */
    SCENE_LABEL_MAX = 128,     /* UTF-8, with NUL */
    SCENE_ADDRESS_MAX = 128,   /* a path below the size of sun_path, or host:port */
    SCENE_PATH_MAX = 256,      /* of a file that a scene names, with NUL */
    SCENE_BYTES_MAX = 1 << 20, /* of a file: 1 MiB */
    SCENE_DEPTH_MAX = 16,      /* of nesting */
    SCENE_POINTS_MAX = 64,     /* of a cliff or polygon; chosen */
    SCENE_LINE_MAX = 512,      /* of a condition or a command, with NUL */
    SCENE_HOSTS_MAX = 16,      /* driver commands; chosen */
    SCENE_ITEMS_MAX = 1024,    /* items of timeline and of expect; chosen */
    SCENE_SWEEPS_MAX = 16,     /* chosen: a larger product is of no practical use */
    SCENE_COLOR_MAX = 24,      /* the longest name of a color, and room to quote a wrong one */
    SCENE_ROBOTS_MAX = 1024,   /* chosen: ten times what a core must run in real time */
};

/* A place in the file, line and column counted from 1. Line 0: not from a file. */
struct scene_place {
    unsigned line, column;
};

/* Appearance of an object to a camera, and in part to infrared. */
struct scene_appearance {
    char color[SCENE_COLOR_MAX]; /* as written; "": none */
    uint32_t rgb;                /* 0xRRGGBB, if there is a color */
    double height_m;             /* above the floor; 0: as high as the walls of the room */
};
#define SCENE_HEIGHT_M 0.5 /* chosen: of the room's walls, unless the scene specifies it */

struct scene_wall {
    struct vec2 from, to; /* m */
    bool is_border;       /* between occupied and free cells of the map */
    struct scene_appearance appearance;
    struct scene_place place;
};

/* The outline of a solid object: a wall from each corner to the next, and back to the first. */
struct scene_polygon {
    struct vec2 *points;
    size_t point_count; /* 3 to SCENE_POINTS_MAX */
    struct scene_appearance appearance;
    struct scene_place place;
};

struct scene_box {
    struct scene_appearance appearance; /* must be first, for appearance_finish */
    struct pose pose;                   /* of its center; rad */
    double length_m, width_m;
    double mass_kg; /* 0: fixed */
    struct scene_place place;
};

struct scene_disc {
    struct scene_appearance appearance; /* must be first, as in a box */
    struct pose pose;
    double radius_m;
    double mass_kg;
    struct scene_place place;
};

struct scene_cliff {
    struct vec2 *points;
    size_t point_count; /* 3 to SCENE_POINTS_MAX */
    double depth_m;
    struct scene_place place;
};

/* The floor's reflectance for sensors that point down: 0 black .. 1 white. */
struct scene_shade {
    struct vec2 *points;
    size_t point_count; /* 3 to SCENE_POINTS_MAX */
    double reflectance;
    struct scene_place place;
};

struct scene_line {
    struct vec2 from, to;
    double width_m;
    double reflectance;
    struct scene_place place;
};

/* A picture of the floor, scaled to the size of the room. */
struct scene_floor {
    uint8_t *gray; /* rows from the top down, 255 white; NULL: no picture, or not read yet */
    size_t width, height;
};

/* A light source in addition to the light of the room. Sensors that face it see it. */
struct scene_lamp {
    struct vec2 at;
    double brightness; /* the level at 1 m; decreases with the square of the distance */
    struct scene_place place;
};

/* The housing of a dock, a fixed box around its pose: its size along the direction that it faces,
 * and across. */
#define SCENE_DOCK_DEPTH_M 0.08
#define SCENE_DOCK_WIDTH_M 0.24

struct scene_dock {
    char name[SCENE_NAME_MAX + 1];
    struct pose pose; /* pose of the middle of its housing; it faces along the heading */
    int32_t kind;     /* enum dock_kind */
    struct scene_place place, name_place;
};

enum beacon_kind { BEACON_VIRTUAL_WALL, BEACON_LIGHTHOUSE };

/* A small device that sends infrared light to robots. It has no body. */
struct scene_beacon {
    struct pose pose; /* it sends along the heading */
    int32_t kind;     /* enum beacon_kind */
    int64_t number;   /* of a lighthouse, 1..11 */
    struct scene_place place;
};

enum scene_chunks { SCENE_CHUNKS_FRAME, SCENE_CHUNKS_BYTE, SCENE_CHUNKS_FTDI };
enum scene_unread { SCENE_UNREAD_DROP, SCENE_UNREAD_WAIT };
enum scene_baud_check { SCENE_BAUD_OFF, SCENE_BAUD_WARN, SCENE_BAUD_STRICT };

struct scene_link {
    unsigned channel; /* channel of the robot's type */
    enum link_kind kind;
    char address[LINK_ADDRESS_MAX]; /* normalized by link_address_set */
    int32_t chunks;                 /* enum scene_chunks; default frame */
    int32_t baud_check;             /* enum scene_baud_check; default warn */
    int32_t unread;                 /* enum scene_unread; default drop */
    bool is_default;                /* the scene does not mention links */
    struct scene_place place; /* place of the address; for a default link, that of the robot */
};

/* The mounting of a robot on another one. */
struct scene_mount {
    char on[SCENE_NAME_MAX + 1]; /* the name of its carrier; "": on the floor */
    struct pose pose;            /* in the carrier's frame */
    double z_m;    /* height of its lower end above the floor; 0: on top of the carrier */
    int32_t power; /* enum scene_power */
};

enum scene_power { SCENE_POWER_CARRIER, SCENE_POWER_OWN };

/* Time of the power-on: long before the simulation starts, or at its start. */
enum scene_power_on { SCENE_POWER_ON_BEFORE, SCENE_POWER_ON_AT_OPEN };

struct scene_robot {
    char name[SCENE_NAME_MAX + 1];
    char label[SCENE_LABEL_MAX]; /* the name, unless the scene specifies a label */
    const struct robot_type *type;
    struct pose pose; /* rad; if mounted: with its carrier at its own pose */
    struct scene_mount mount;
    struct scene_link links[ROBOT_CHANNELS_MAX];
    size_t link_count; /* 0 only if the scene has an empty list */
    /* File of the robot's memory, absolute or relative to the folder of the scene; "": no file. */
    char storage[SCENE_PATH_MAX];
    int32_t power_on; /* enum scene_power_on */
    struct scene_place name_place, pose_place, storage_place;
    _Alignas(16) uint8_t options[ROBOT_OPTIONS_MAX]; /* the type's options struct */
};

/* The UNIX signals that a timeline can send to the driver. Elsewhere "signal" means a readable
 * value. */
enum scene_interrupt {
    SCENE_INTERRUPT_NONE,
    SCENE_SIGHUP,
    SCENE_SIGINT,
    SCENE_SIGQUIT,
    SCENE_SIGTERM,
    SCENE_SIGKILL,
    SCENE_SIGUSR1,
    SCENE_SIGUSR2,
};
extern const char *const scene_interrupt_words[]; /* their names, NULL-terminated */

/* An item of `timeline`: executed once, at a time or when a condition becomes true. */
struct scene_action {
    double at_s;
    char when[SCENE_LINE_MAX];    /* "": at a time */
    char command[SCENE_LINE_MAX]; /* "": it sends INTERRUPT */
    int32_t interrupt;            /* enum scene_interrupt: the UNIX signal for the driver */
    bool is_left_out;             /* disabled: in the file, but not executed */
    struct scene_place place, when_place, command_place;
};

enum scene_expect_kind { SCENE_WITHIN, SCENE_ALWAYS, SCENE_AT_END };

/* An item of `expect`. */
struct scene_expectation {
    char name[SCENE_LABEL_MAX]; /* "": no name */
    char that[SCENE_LINE_MAX];
    enum scene_expect_kind kind;
    double within_s; /* counted from AFTER */
    bool is_always, is_at_end;
    char after[SCENE_LABEL_MAX]; /* the name of another expectation; "": AFTER_S */
    double after_s;
    bool does_stop; /* its failure ends a test */
    struct scene_place place, name_place, that_place, after_place;
};

/* The value of a measure that counts, among those of the steps with a true condition. */
enum scene_take {
    SCENE_TAKE_FIRST,
    SCENE_TAKE_LAST,
    SCENE_TAKE_MIN,
    SCENE_TAKE_MAX,
    SCENE_TAKE_MEAN,
    SCENE_TAKE_INTEGRAL, /* over time, in s */
};

/* Which values of a measure are better, for comparisons of runs. */
enum scene_better { SCENE_BETTER_UNKNOWN, SCENE_BETTER_LESS, SCENE_BETTER_MORE };

/* An item of `measure`: a number that a test determines. */
struct scene_measure {
    char name[SCENE_LABEL_MAX];
    char value[SCENE_LINE_MAX];
    char when[SCENE_LINE_MAX]; /* "": always */
    int32_t take;              /* enum scene_take */
    int32_t better;            /* enum scene_better */
    struct scene_place place, name_place, value_place, when_place;
};

/* A file of a scene: first its own text, then the files that it names. They are kept with the
 * scene, so that a journal can contain them, and the scene can be read again from them. */
struct scene_source {
    struct scene_source *next;
    char *path; /* as it was opened */
    char *bytes;
    size_t size;
};

/* A word after `type:` that is a file name: a body file, or a shared object and a name in it. */
struct scene_type_word {
    char word[SCENE_PATH_MAX];
    struct scene_place place;
};

/* A slow driver: its threads continue late after a wait, by random delays within these limits. */
struct scene_host_delay {
    uint32_t min_us, max_us; /* 0 to 0: no delay */
};

struct custom_robot; /* custom_robot.h */

struct scene {
    char file[SCENE_ADDRESS_MAX * 2]; /* for messages */
    char name[SCENE_LABEL_MAX];
    uint64_t seed;
    char hosts[SCENE_HOSTS_MAX][SCENE_LINE_MAX]; /* the shell commands of the drivers */
    size_t host_count;
    double continue_s; /* how long a test continues after the driver has exited */
    double deadline_s; /* for the driver, from the first opened port on; 0: none */
    char host_delay_text[SCENE_NAME_MAX]; /* as written */
    struct scene_host_delay host_delay;
    uint64_t wake_order; /* seed; 0: threads that are due at the same time wake in the order of
                            their creation */
    double size_x_m, size_y_m;    /* of the walled room */
    struct vec2 low;              /* its lower left corner: the origin, unless a map defines it */
    struct scene_appearance room; /* its four walls, and those of a map */
    /* A ROS map that defines the room, as the file names it; empty: no map. Its walls are missing
     * until scene_map_apply has added them. */
    char map[SCENE_ADDRESS_MAX];
    struct scene_place map_place;
    bool has_map;             /* applied */
    struct scene_wall *walls; /* without the four of the room */
    size_t wall_count;
    struct scene_polygon *polygons;
    size_t polygon_count;
    struct scene_box *boxes;
    size_t box_count;
    struct scene_disc *discs;
    size_t disc_count;
    struct scene_cliff *cliffs;
    size_t cliff_count;
    struct scene_shade *shades; /* a later one covers earlier ones */
    size_t shade_count;
    struct scene_line *lines; /* on top of all shades */
    size_t line_count;
    char floor_image[SCENE_ADDRESS_MAX]; /* below all shades, as the file names it; empty: none */
    struct scene_place floor_place;
    struct scene_floor floor;
    double light; /* of the room, for light sensors: 0 dark .. 1 */
    struct scene_lamp *lamps;
    size_t lamp_count;
    struct scene_dock *docks;
    size_t dock_count;
    struct scene_beacon *beacons;
    size_t beacon_count;
    struct scene_robot *robots; /* in the order of the file */
    size_t robot_count;
    struct custom_robot *own;     /* types made from files; searched before the built-in ones */
    struct scene_source *sources; /* its files, added by the code that read them */
    bool is_from_sources;         /* the files that it names are searched only in SOURCES */
    struct scene_action *actions;
    size_t action_count;
    struct scene_expectation *expectations;
    size_t expectation_count;
    struct scene_measure *measures;
    size_t measure_count;
    char (*sweeps)[SCENE_LINE_MAX]; /* values that `ptybot test` varies, in the syntax of --vary */
    size_t sweep_count;
    struct scene_place sweep_place;
};

/* The robot with that name. If there is none, returns NULL, and ERROR lists the existing names. */
struct scene_robot *scene_find_robot(struct scene *scene, const char *name, struct error *error);

/* Sets the poses of mounted robots from those of the robots that carry them; call it when all
 * robots have been read. False, with the reason in ERROR: a robot cannot be mounted there. */
bool scene_place_mounts(struct scene *scene, struct error *error);

/* The index of the robot that carries robot number ROBOT; SIZE_MAX: it is not mounted. */
size_t scene_carrier(const struct scene *scene, size_t robot);

/* Radius of the upright cylinder that represents a mounted body for the rays of others. */
double scene_part_radius_m(const struct robot_body *body);

/* Valid but suspicious parts of a scene, one sentence per call: a mounted robot that protrudes so
 * far from its carrier that walls can pass through it; a scanner above all walls. NEXT begins at 0.
 * False: no more. */
bool scene_warning(const struct scene *scene, size_t *next, struct error *warning);

/* A quick check whether the parts of a scene fit together: robots inside walls or each other,
 * outside the room, two links on one path or address, two robots with one storage, one name twice.
 * It does not check timeline and expectations (sim/step/create.h). scene_parse calls it; call it
 * again after scene_set. */
bool scene_check(const struct scene *scene, struct error *error);

void scene_destroy(struct scene *scene);

/* Sets ERROR to `file:line:column: sentence`; without line and column for a place of line 0.
 * Returns false. */
bool scene_fail(const struct scene *scene, struct scene_place place, struct error *error,
                const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Puts `file:line:column: list[item].key: ` in front of an error; only the key if the value was set
 * outside the file, which is line 0. Returns false. */
bool scene_wrong(const struct scene *scene, const char *list, size_t item, const char *key,
                 struct scene_place place, struct error *error);

/* Reads a range of delays, like 0..400ms, 50us..0.2s or 5ms. False, with the reason in ERROR. */
bool scene_host_delay_parse(const char *text, struct scene_host_delay *out, struct error *error);

/* The color of a TEXT in a scene: a name, or #rrggbb. False: not a color. */
bool scene_appearance_color(const char *text, uint32_t *rgb);

/* Writes the existing names and a suggestion into ADVICE. Returns ADVICE. */
const char *scene_color_advice(const char *text, char advice[TEXT_ADVICE_SIZE]);

/* ---- Files ---- */

/* Adds a copy of a file to the end of a list. False: out of memory. */
bool scene_source_add(struct scene_source **list, const char *path, const char *bytes, size_t size);

/* The file with that path, or NULL. */
const struct scene_source *scene_source_find(const struct scene_source *list, const char *path);

/* Frees a list and leaves it empty. */
void scene_source_free(struct scene_source **list);

/* The type with that name. If there is none, returns NULL and writes a suggestion to ADVICE. SCENE
 * has the types from files; it may be NULL. */
const struct robot_type *scene_robot_type(const char *name, const struct scene *scene, char *advice,
                                          size_t size);
