/* Robots and channels of a simulation, for whoever attaches links and looks on; and simulated time.
 * Indices of robots are those of the scene's order; channels are counted over all robots, in that
 * order. An index out of range is a bug of the caller's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "physics/geom.h"
#include "protocols/robot.h"
#include "sim/wire/line.h"

/* One step. Chosen: 10 wheel-control steps a firmware cycle, cheap enough for 1000 robots on one
 * core. */
#define SIM_STEP_US 1000

struct sim;

/* Simulated time since the start, microseconds. */
int64_t sim_now_us(const struct sim *sim);

size_t sim_robot_count(const struct sim *sim);
const char *sim_robot_name(const struct sim *sim, size_t robot);
const struct robot_type *sim_robot_type(const struct sim *sim, size_t robot);
/* The name of the built-in type whose packets it speaks; "": of none. */
const char *sim_robot_wire(const struct sim *sim, size_t robot);
struct pose sim_robot_pose(const struct sim *sim, size_t robot);
/* The firmware's memory, for saving; NULL where the type has none. */
const struct robot_storage *sim_robot_storage(const struct sim *sim, size_t robot);

size_t sim_channel_count(const struct sim *sim);
/* The channel number CHANNEL of a robot as a sim-wide index. */
size_t sim_channel_index(const struct sim *sim, size_t robot, unsigned channel);
/* The robot of a channel, and the number of the channel there. */
size_t sim_channel_robot(const struct sim *sim, size_t channel, unsigned *channel_of_robot);
/* Bit/s; 0: no pacing (TCP). */
uint32_t sim_channel_baud(const struct sim *sim, size_t channel);
const struct line_stats *sim_channel_line(const struct sim *sim, size_t channel);
const struct robot_stats *sim_channel_stats(const struct sim *sim, size_t channel);
/* Why the robot ignores all bytes now (robot_type.deaf); NULL: it listens. */
const char *sim_channel_deaf(const struct sim *sim, size_t channel);

/* As the host has set it, bit/s; 0: unknown. */
uint32_t sim_channel_host_baud(const struct sim *sim, size_t channel);
/* Whether both sides read garbage now, since their bauds differ. */
bool sim_channel_is_misread(const struct sim *sim, size_t channel);
/* Lines that the host of a channel holds on (MODEM_DTR, MODEM_RTS), as the robot was told. */
unsigned sim_channel_host_lines(const struct sim *sim, size_t channel);
/* Whether a host is there, as the robot was told. */
bool sim_channel_has_host(const struct sim *sim, size_t channel);

/* Whether the link of a channel should be up; the command `unplug` clears it. */
bool sim_channel_is_plugged(const struct sim *sim, size_t channel);

/* Lines of a channel that the robot holds on (MODEM_CTS ...); the command `modem` sets them. */
unsigned sim_channel_lines(const struct sim *sim, size_t channel);

/* ---- What whoever runs the simulation adds to it ---- */

/* Puts a question to the firmware of a robot that is a process of its own, and waits for the
 * answer, of up to ROOM bytes (protocols/process). Returns its size; 0: it gave none, and never
 * will. Called by sim_step, once a robot at most. */
typedef size_t sim_ask(void *context, size_t robot, const struct robot_question *question,
                       uint8_t *answer, size_t room);

/* Signals and commands of a run: of its clock, its links. They act on state of its own, which must
 * outlive the simulation; none of it decides a byte. The signals are live: no part of the hash, and
 * refused in expectations. The commands have COMMAND_FOR_TIME. */
struct run_rows {
    const struct signal_row *world_signals; /* `world.*`, on WORLD */
    size_t world_signal_count;
    const struct command_row *commands; /* of `world`, on WORLD */
    size_t command_count;
    void *world;
    const struct signal_row *channel_signals; /* `ROBOT.CHANNEL.*`, on the channel's element */
    size_t channel_signal_count;
    const void *channels; /* an element a channel, in the order of the simulation */
    size_t channel_size;  /* bytes of an element */
    sim_ask *ask;         /* NULL: there is no process, and a robot that needs one has no power */
    void *ask_context;
};
