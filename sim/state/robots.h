/* Robots and channels of a simulation, for code that attaches links or observes it; and simulated
 * time. Indices of robots follow the order of the scene; channels are counted over all robots, in
 * that order. An index out of range is a bug of the caller. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "physics/geom.h"
#include "protocols/robot.h"
#include "sim/wire/line.h"

/* Duration of a step. Chosen: 10 steps of wheel control per firmware cycle, and cheap enough for
 * 1000 robots on one core. */
#define SIM_STEP_US 1000

struct sim;

/* Simulated time since the start, microseconds. */
int64_t sim_now_us(const struct sim *sim);

size_t sim_robot_count(const struct sim *sim);
const char *sim_robot_name(const struct sim *sim, size_t robot);
const struct robot_type *sim_robot_type(const struct sim *sim, size_t robot);
/* The name of the built-in type whose packets it uses; "": none. */
const char *sim_robot_wire(const struct sim *sim, size_t robot);
struct pose sim_robot_pose(const struct sim *sim, size_t robot);
/* The firmware's memory, for saving; NULL: the type has none. */
const struct robot_storage *sim_robot_storage(const struct sim *sim, size_t robot);

size_t sim_channel_count(const struct sim *sim);
/* The index in the simulation of channel number CHANNEL of a robot. */
size_t sim_channel_index(const struct sim *sim, size_t robot, unsigned channel);
/* The robot of a channel, and the number of the channel in the robot. */
size_t sim_channel_robot(const struct sim *sim, size_t channel, unsigned *channel_of_robot);
/* Bit/s; 0: not limited (TCP). */
uint32_t sim_channel_baud(const struct sim *sim, size_t channel);
const struct line_stats *sim_channel_line(const struct sim *sim, size_t channel);
const struct robot_stats *sim_channel_stats(const struct sim *sim, size_t channel);
/* Why the robot ignores all bytes now (robot_type.deaf); NULL: it does not. */
const char *sim_channel_deaf(const struct sim *sim, size_t channel);

/* As the driver has set it, bit/s; 0: unknown. */
uint32_t sim_channel_host_baud(const struct sim *sim, size_t channel);
/* Whether both sides receive garbage now, because their baud rates differ. */
bool sim_channel_is_misread(const struct sim *sim, size_t channel);
/* Lines that the driver of a channel holds on (MODEM_DTR, MODEM_RTS), as the robot was informed. */
unsigned sim_channel_host_lines(const struct sim *sim, size_t channel);
/* Whether a driver is connected, as the robot was informed. */
bool sim_channel_has_host(const struct sim *sim, size_t channel);

/* Whether the link of a channel should be up; the command `unplug` clears it. */
bool sim_channel_is_plugged(const struct sim *sim, size_t channel);

/* Lines of a channel that the robot holds on (MODEM_CTS ...); the command `modem` sets them. */
unsigned sim_channel_lines(const struct sim *sim, size_t channel);

/* ---- Additions by the program that runs the simulation ---- */

/* Sends a question to a robot's firmware in a separate process, and waits for the answer, of up to
 * ROOM bytes (protocols/process). Returns its size; 0: no answer now or later. Called by sim_step,
 * at most once per robot. */
typedef size_t sim_ask(void *context, size_t robot, const struct robot_question *question,
                       uint8_t *answer, size_t room);

/* Signals and commands of a run: of its clock and its links. They work on separate state, which
 * must outlive the simulation and does not influence any byte. The signals are live: not part of
 * the hash, and not allowed in expectations. The commands have COMMAND_FOR_TIME. */
struct run_rows {
    const struct signal_row *world_signals; /* `world.*`, on WORLD */
    size_t world_signal_count;
    const struct command_row *commands; /* of `world`, on WORLD */
    size_t command_count;
    void *world;
    const struct signal_row *channel_signals; /* `ROBOT.CHANNEL.*`, on the channel's element */
    size_t channel_signal_count;
    const void *channels; /* one element per channel, in the order of the simulation */
    size_t channel_size;  /* bytes of an element */
    sim_ask *ask;         /* NULL: no processes; robots that need one are off */
    void *ask_context;
};
