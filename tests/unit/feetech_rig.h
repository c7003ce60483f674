/* A simulation with one robot `bot` on a Feetech bus. Tests exchange packets with it. */
#ifndef TESTS_UNIT_FEETECH_RIG_H
#define TESTS_UNIT_FEETECH_RIG_H

#include "tests/support/simulation.h"

enum { BUS_HEARD_MAX = 4096 };

struct bus_rig {
    struct simulation s;
    uint8_t heard[BUS_HEARD_MAX];
    size_t size;
};

/* BODY NULL: the built-in robot TYPE. The servos have started when this returns. */
struct bus_rig bus_open(const char *type, const char *options);
void bus_close(struct bus_rig *bus);
void bus_run(struct bus_rig *bus, double seconds);

/* Sends the bytes of HEX, and reads the answers of the next MS milliseconds. */
void bus_send(struct bus_rig *bus, const char *hex, int ms);
/* Like bus_send, with 20 ms; the answer must be WANTED. */
void bus_ask(struct bus_rig *bus, const char *hex, const char *wanted);

/* Reads SIZE bytes of a servo's register, low byte first. -1: no valid status packet. */
int bus_read(struct bus_rig *bus, unsigned id, unsigned address, unsigned size);
/* Writes a register. A status packet must arrive; returns its error byte. */
int bus_write(struct bus_rig *bus, unsigned id, unsigned address, unsigned size, int value);
/* Sync write of two bytes to COUNT servos from id FIRST on. */
void bus_sync_write(struct bus_rig *bus, unsigned address, unsigned first, unsigned count,
                    const int *values);

/* Signals and commands without the robot's name. */
double bus_get(const struct bus_rig *bus, const char *signal);
void bus_do(struct bus_rig *bus, const char *command);

#endif
