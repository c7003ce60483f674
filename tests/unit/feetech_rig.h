/* A simulation with one robot `bot` on a Feetech bus, spoken to in packets. */
#ifndef TESTS_UNIT_FEETECH_RIG_H
#define TESTS_UNIT_FEETECH_RIG_H

#include "tests/support/simulation.h"

enum { BUS_HEARD_MAX = 4096 };

struct bus_rig {
    struct simulation s;
    uint8_t heard[BUS_HEARD_MAX];
    size_t size;
};

/* BODY NULL: of the built-in TYPE. The servos have started. */
struct bus_rig bus_open(const char *type, const char *options);
void bus_close(struct bus_rig *bus);
void bus_run(struct bus_rig *bus, double seconds);

/* Sends the bytes of HEX, and reads the answer of the next MS. */
void bus_send(struct bus_rig *bus, const char *hex, int ms);
/* The same, within 20 ms, which must be WANTED. */
void bus_ask(struct bus_rig *bus, const char *hex, const char *wanted);

/* Reads SIZE bytes of a register of a servo, low byte first; -1: no status, or no good one. */
int bus_read(struct bus_rig *bus, unsigned id, unsigned address, unsigned size);
/* Writes it; the status must come, and its error byte is returned. */
int bus_write(struct bus_rig *bus, unsigned id, unsigned address, unsigned size, int value);
/* Sync write of two bytes to COUNT servos from id FIRST on. */
void bus_sync_write(struct bus_rig *bus, unsigned address, unsigned first, unsigned count,
                    const int *values);

double bus_get(const struct bus_rig *bus, const char *signal); /* without the robot's name */
void bus_do(struct bus_rig *bus, const char *command);         /* the same */

#endif
