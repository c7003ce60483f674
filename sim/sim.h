/* The simulation: a world, the robots in it and their wires, advanced by one step of 1 ms at a
 * time. It knows no clock, file or descriptor: whoever owns those feeds bytes in, takes bytes out
 * and calls sim_step. All randomness comes from the scene's seed, so the same inputs at the same
 * steps give the same bytes. */
#ifndef PTYBOT_SIM_SIM_H
#define PTYBOT_SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/modem_lines.h"
#include "physics/geom.h"
#include "protocols/robot.h"
#include "sim/scene/scene.h"
#include "sim/wire/line.h"

#define SIM_STEP_US                                                                                \
    1000 /* chosen: 10 wheel-control steps a firmware cycle, cheap enough for 1000                 \
          * robots on one core */

struct sim;

/* Builds a simulation from a checked scene; SCENE is copied from and not kept. STORAGE is the saved
 * memory of the robots, in the order of the scene (NULL: all fresh). NULL and ERROR where memory is
 * short. */
struct sim *sim_create(const struct scene *scene, const struct robot_storage *storage,
                       struct error *error);
void sim_destroy(struct sim *sim);

/* Whether the timeline and the expectations of a scene name signals and commands that its robots
 * have. Cheap: builds no world. */
bool sim_check_script(const struct scene *scene, struct error *error);

/* One step of 1 ms. */
void sim_step(struct sim *sim);

/* Simulated time since the start, microseconds. */
int64_t sim_now_us(const struct sim *sim);

/* Continues a hash over everything that decides the future: bodies, firmware, wires. */
uint64_t sim_hash(const struct sim *sim);

/* ---- Robots and channels, for whoever attaches links. Indices are those of the scene's order of
 * robots; channels are counted over all robots, in that order. ---- */

size_t sim_robot_count(const struct sim *sim);
const char *sim_robot_name(const struct sim *sim, size_t robot);
const struct robot_type *sim_robot_type(const struct sim *sim, size_t robot);
struct pose sim_robot_pose(const struct sim *sim, size_t robot);
/* The firmware's memory, for saving; NULL where the type has none. */
const struct robot_storage *sim_robot_storage(const struct sim *sim, size_t robot);

size_t sim_channel_count(const struct sim *sim);
/* The channel number CHANNEL of a robot as a sim-wide index. */
size_t sim_channel_index(const struct sim *sim, size_t robot, unsigned channel);
size_t sim_channel_robot(const struct sim *sim, size_t channel, unsigned *channel_of_robot);
uint32_t sim_channel_baud(const struct sim *sim, size_t channel);
const struct line_stats *sim_channel_line(const struct sim *sim, size_t channel);
const struct robot_stats *sim_channel_stats(const struct sim *sim, size_t channel);

/* Whether the link of a channel should be up; the command `unplug` clears it. */
bool sim_channel_is_plugged(const struct sim *sim, size_t channel);

/* Lines of a channel that the robot holds on (MODEM_CTS ...); the command `modem` sets them. */
unsigned sim_channel_lines(const struct sim *sim, size_t channel);

/* ---- Inputs. Each takes effect at the next step. ---- */

void sim_host_present(struct sim *sim, size_t channel, bool present);
/* Lines that the host holds on (MODEM_DTR, MODEM_RTS). Its coming sets both, its leaving none. */
void sim_host_lines(struct sim *sim, size_t channel, unsigned lines);
void sim_host_baud(struct sim *sim, size_t channel, uint32_t baud);
/* Whether the host takes what comes to it, as it does at the start. Where it does not, the bytes
 * stay on the wire and the robot finds it busy. What the step before brought is taken in any case.
 */
void sim_host_reads(struct sim *sim, size_t channel, bool reads);
/* Room for bytes from the host; then the bytes, at most that many. */
size_t sim_host_room(const struct sim *sim, size_t channel);
void sim_host_bytes(struct sim *sim, size_t channel, const uint8_t *bytes, size_t size);

/* Runs one command, `TARGET.COMMAND key=value ...`, where TARGET is a robot's name or `world`. */
bool sim_do(struct sim *sim, const char *text, struct error *error);

/* The memory of a robot, as it is now, was saved: it is no longer dirty. */
void sim_storage_saved(struct sim *sim, size_t robot);

/* Whether a command names a target, a command and arguments that exist and fit: what sim_do says
 * without looking at the state of anything. A command may still be refused when it is run. */
bool sim_check_do(struct sim *sim, const char *text, struct error *error);

/* ---- Outputs ---- */

/* The next chunk due to the host of a channel, or false. Valid until the next call for this
 * channel or the next step. */
bool sim_output(struct sim *sim, size_t channel, const uint8_t **bytes, size_t *size);

/* What was asked of time, by the commands world.pause, world.step, world.speed: the owner of the
 * clock obeys. */
struct sim_pace {
    bool is_paused;
    bool is_lockstep;     /* set by the owner: time stays paused, and only steps go on */
    bool is_fast;         /* set by the owner: it never waits, and the speed is of no effect */
    double speed;         /* simulated seconds a wall second; > 0 */
    int64_t steps_wanted; /* steps to do although paused; the owner counts them down */
};
struct sim_pace *sim_pace(struct sim *sim);

/* ---- Signals: everything observable, as numbers with names and units. ---- */

enum sim_signal_type { SIM_SIGNAL_BOOL, SIM_SIGNAL_INTEGER, SIM_SIGNAL_NUMBER };

struct sim_signal {
    char name[96];             /* "kobuki.x_m", "kobuki.uart.bad_frames", "world.time_s" */
    enum sim_signal_type type; /* of its values, which are all doubles: 0 or 1; whole; any */
    const char *unit;
    const char *const *names; /* words for the values 0, 1, 2 ..., or NULL */
    const char *note;
    bool is_live; /* depends on the kernel or the wall clock: not part of a replay */
};

size_t sim_signal_count(const struct sim *sim);
const struct sim_signal *sim_signal_info(const struct sim *sim, size_t signal);
/* Index of the signal, or SIZE_MAX. */
size_t sim_signal_find(const struct sim *sim, const char *wanted);
double sim_signal_value(const struct sim *sim, size_t signal);
/* The word that a value of a signal stands for, or NULL. */
const char *sim_signal_word(const struct sim_signal *info, double value);
/* The name that WANTED may have meant, or NULL. Allocates. */
const char *sim_signal_nearest(const struct sim *sim, const char *wanted);

/* ---- Expectations of the scene, judged after each step ---- */

enum sim_verdict { SIM_PENDING, SIM_PASSED, SIM_FAILED };

/* One item of `expect` or `timeline`. The texts stay valid until the next step or sim_end. */
struct sim_expectation {
    const char *that; /* the condition, or the command of a timeline, as the scene has it */
    const char *when; /* "within 60 s", "always", "at the end"; "at 5 s", "when kobuki.x_m > 4" */
    enum sim_verdict verdict;
    int64_t at_us;     /* simulated time of the verdict; of now while pending */
    const char *found; /* the values then, or why a command was refused */
    unsigned line;     /* in the scene's file */
};

size_t sim_expectation_count(const struct sim *sim);
void sim_expectation(const struct sim *sim, size_t expectation, struct sim_expectation *out);

/* What the timeline did: passed is done, failed was refused, pending did not come (yet). */
size_t sim_action_count(const struct sim *sim);
void sim_action(const struct sim *sim, size_t action, struct sim_expectation *out);

/* Whether time can decide nothing more: no `within` is pending, no action at a time is to come, and
 * no `after` is ahead. `always` and `at_end` wait for sim_end. */
bool sim_is_decided(const struct sim *sim);

/* Whether an expectation failed so far, or a command of the timeline was refused. */
bool sim_has_failed(const struct sim *sim);

/* The run is over: settles what is pending. `within` and what `after` put off past this moment
 * fail, `always` passes, `at_end` is judged. A second call changes nothing; after it nothing is
 * judged. */
void sim_end(struct sim *sim);

/* Live counters that only the owner of the links knows, shown as signals `<channel>.*`. */
struct sim_live {
    uint64_t dropped_frames; /* refused by the kernel because the host does not read */
    uint64_t hosts;          /* hosts seen since the start */
    uint64_t refused_hosts;  /* turned away, because another was there */
    uint64_t host_baud;      /* as the host set it; 0 unknown */
    const char *place;       /* where hosts find it: path, host:port or device; NULL: nowhere */
};
struct sim_live *sim_live(struct sim *sim, size_t channel);

/* ---- Rows, for `list` and help ---- */

/* Commands that every robot has, and those of the world. */
const struct command_row *sim_robot_commands(size_t *count);
const struct command_row *sim_world_commands(size_t *count);

/* One kind of fault: what of a robot it is of, its name, what the command `fault` takes with it (in
 * brackets what may be left out), what it does. False: there are no more than NUMBER. */
struct sim_fault_info {
    const char *part, *kind;
    char arguments[128];
    const char *note;
};
bool sim_fault_info(size_t number, struct sim_fault_info *info);

#endif
