/* Signals: all observable values of the world, the robots, their wires and their packets, as
 * numbers with names and units. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sim;

enum sim_signal_type { SIM_SIGNAL_BOOL, SIM_SIGNAL_INTEGER, SIM_SIGNAL_NUMBER };

enum { SIM_SIGNAL_NAME_MAX = 96 }; /* chosen: with NUL; longer names are cut */

/* Description of a signal. Its texts have the lifetime of the simulation. */
struct sim_signal {
    const char *name;          /* "kobuki.x_m", "kobuki.uart.bad_frames", "world.time_s" */
    enum sim_signal_type type; /* of the values, all stored as double: 0 or 1; integer; any */
    const char *unit;
    const char *const *names; /* words for the values 0, 1, 2 ..., or NULL */
    const char *note;
    const char *reported; /* the sender, if the signal is part of a packet; otherwise "" */
    bool is_live;         /* depends on the kernel or the wall clock: not reproduced by a replay */
};

size_t sim_signal_count(const struct sim *sim);
struct sim_signal sim_signal_info(const struct sim *sim, size_t signal);
/* Index of the signal, or SIZE_MAX. */
size_t sim_signal_find(const struct sim *sim, const char *wanted);
double sim_signal_value(const struct sim *sim, size_t signal);
/* The word for a value of a signal, or NULL. */
const char *sim_signal_word(const struct sim_signal *info, double value);
/* Writes the meaning of a signal for the user: its sender and the note. Returns TEXT. */
const char *sim_signal_meaning(const struct sim_signal *info, char *text, size_t size);
/* The name that is most similar to WANTED, or NULL. Allocates. */
const char *sim_signal_nearest(const struct sim *sim, const char *wanted);

/* Whether every robot has a signal with that name. */
bool sim_signal_is_common(const char *name);

/* Creates the list of signals; robots and channels must exist. False: out of memory. */
bool signals_create(struct sim *sim);
void signals_destroy(struct sim *sim);
