/* Inputs from drivers to a simulation, and outputs to them. A listener receives each input as a
 * record, to write a journal. It also receives the answers of firmware processes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;

/* ---- Inputs. Each takes effect at the next step. ---- */

void sim_host_present(struct sim *sim, size_t channel, bool present);
/* Lines that the driver holds on (MODEM_DTR, MODEM_RTS). When the driver connects, both are set;
 * when it leaves, both are cleared. */
void sim_host_lines(struct sim *sim, size_t channel, unsigned lines);
void sim_host_baud(struct sim *sim, size_t channel, uint32_t baud);
/* All other settings of its serial port: enum serial_mode of base/serial_settings.h. */
void sim_host_mode(struct sim *sim, size_t channel, uint32_t mode);
/* Whether the driver reads its bytes, as it does at the start. If it does not, the bytes stay on
 * the wire, and the robot finds the wire busy. The bytes of the previous step are accepted in any
 * case. */
void sim_host_reads(struct sim *sim, size_t channel, bool reads);
/* sim_host_room: room for bytes from the driver. sim_host_bytes: the bytes, at most that many. */
size_t sim_host_room(const struct sim *sim, size_t channel);
void sim_host_bytes(struct sim *sim, size_t channel, const uint8_t *bytes, size_t size);

/* A slow driver: thread number THREAD of the drivers continued DELAY_US microseconds late. Has no
 * effect on the simulation. */
void sim_host_delayed(struct sim *sim, uint32_t thread, uint32_t delay_us);

/* The present memory of a robot was saved: it is no longer dirty. */
void sim_storage_saved(struct sim *sim, size_t robot);

/* ---- Outputs ---- */

/* The next chunk due to the driver of a channel; false: none. Valid until the next call for this
 * channel or the next step. */
bool sim_output(struct sim *sim, size_t channel, const uint8_t **bytes, size_t *size);

/* Errors that the driver's UART has found since the last call: enum serial_error. Call it before
 * sim_output, because the errors belong to bytes on their way to the driver. */
unsigned sim_take_errors(struct sim *sim, size_t channel);

/* ---- Inputs as records ---- */

enum sim_input_kind {
    SIM_INPUT_HOST,    /* a driver connected or left: value 1 or 0 */
    SIM_INPUT_LINES,   /* value: lines that the driver holds on (MODEM_DTR, MODEM_RTS) */
    SIM_INPUT_BAUD,    /* value: bit/s */
    SIM_INPUT_MODE,    /* value: enum serial_mode */
    SIM_INPUT_BYTES,   /* bytes from the driver, before any fault */
    SIM_INPUT_COMMAND, /* bytes: its text, without NUL; not commands for time, nor those of the
                          scene */
    SIM_INPUT_SAVED,   /* the memory of a robot was saved */
    SIM_INPUT_READS,   /* the driver reads its bytes, value 1, or leaves them on the wire, 0 */
    SIM_INPUT_ANSWER,  /* bytes: answer of a robot's firmware process, in the step of the question;
                          none: the process has ended */
    SIM_INPUT_DELAY,   /* a thread of a slow driver continued VALUE microseconds late */
};

struct sim_input {
    enum sim_input_kind kind;
    size_t channel; /* SAVED, ANSWER: the robot; DELAY: the thread; COMMAND: 0 */
    uint32_t value;
    const uint8_t *bytes; /* owned by the caller */
    size_t size;
};

/* From now on, calls LISTENER for each input, in order, before the step of the input (ANSWER:
 * within that step). NULL: no listener. It may read the simulation and must not change it. */
typedef void sim_listener(void *context, const struct sim_input *input);
void sim_listen(struct sim *sim, sim_listener *listener, void *context);

/* Passes an input to the listener. Every function that takes an input must call it. */
void input_notify(struct sim *sim, const struct sim_input *input);

/* From now on sim_do refuses every command that does not only control time: the run is a replay,
 * and its commands come from a journal. */
void sim_keep_to_inputs(struct sim *sim);
