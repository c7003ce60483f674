/* What hosts put into a simulation and take out of it. Each input also goes to a listener as a
 * record, so that a journal can be written. So do the answers of processes that are firmwares. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;

/* ---- Inputs. Each takes effect at the next step. ---- */

void sim_host_present(struct sim *sim, size_t channel, bool present);
/* Lines that the host holds on (MODEM_DTR, MODEM_RTS). Its coming sets both, its leaving none. */
void sim_host_lines(struct sim *sim, size_t channel, unsigned lines);
void sim_host_baud(struct sim *sim, size_t channel, uint32_t baud);
/* All other settings of its serial port: enum serial_mode of base/serial_settings.h. */
void sim_host_mode(struct sim *sim, size_t channel, uint32_t mode);
/* Whether the host takes what comes to it, as it does at the start. Where it does not, the bytes
 * stay on the wire and the robot finds it busy. What the step before brought is taken in any case.
 */
void sim_host_reads(struct sim *sim, size_t channel, bool reads);
/* Room for bytes from the host; then the bytes, at most that many. */
size_t sim_host_room(const struct sim *sim, size_t channel);
void sim_host_bytes(struct sim *sim, size_t channel, const uint8_t *bytes, size_t size);

/* A slow host: thread number THREAD of the drivers continued so many microseconds late. Has no
 * effect on the simulation. */
void sim_host_delayed(struct sim *sim, uint32_t thread, uint32_t delay_us);

/* The memory of a robot, as it is now, was saved: it is no longer dirty. */
void sim_storage_saved(struct sim *sim, size_t robot);

/* ---- Outputs ---- */

/* The next chunk due to the host of a channel, or false. Valid until the next call for this
 * channel or the next step. */
bool sim_output(struct sim *sim, size_t channel, const uint8_t **bytes, size_t *size);

/* What the host's UART has found wrong since the last call: enum serial_error. Ask before taking
 * outputs, since it is of bytes on their way to the host. */
unsigned sim_take_errors(struct sim *sim, size_t channel);

/* ---- Inputs as records ---- */

enum sim_input_kind {
    SIM_INPUT_HOST,    /* a host came or went: value 1 or 0 */
    SIM_INPUT_LINES,   /* value: lines that the host holds on (MODEM_DTR, MODEM_RTS) */
    SIM_INPUT_BAUD,    /* value: bit/s */
    SIM_INPUT_MODE,    /* value: enum serial_mode */
    SIM_INPUT_BYTES,   /* bytes from the host, before any fault */
    SIM_INPUT_COMMAND, /* bytes: its text, without NUL; not those for time, nor the scene's own */
    SIM_INPUT_SAVED,   /* the memory of a robot was saved */
    SIM_INPUT_READS,   /* the host takes what comes to it, value 1, or leaves it on the wire, 0 */
    SIM_INPUT_ANSWER,  /* bytes: of the process that is a robot's firmware, in the step that asked
                        * for it; none: it is gone */
    SIM_INPUT_DELAY,   /* a thread of a slow host continued VALUE microseconds late */
};

struct sim_input {
    enum sim_input_kind kind;
    size_t channel; /* SAVED, ANSWER: the robot; DELAY: the thread; COMMAND: 0 */
    uint32_t value;
    const uint8_t *bytes; /* the caller's */
    size_t size;
};

/* LISTENER is told of each input from now on, in order, before the step in which it acts (ANSWER:
 * within it). NULL: nobody. It may look at the simulation and must not change it. */
typedef void sim_listener(void *context, const struct sim_input *input);
void sim_listen(struct sim *sim, sim_listener *listener, void *context);

/* For whoever takes an input: tells the listener. */
void input_notify(struct sim *sim, const struct sim_input *input);

/* From now on sim_do refuses every command that does not act on time alone: the run is a
 * repetition, and its commands come from a journal. */
void sim_keep_to_inputs(struct sim *sim);
