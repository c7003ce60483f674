/* Real serial devices, through libserialport: opening a device raw, 8N1, without flow control and
 * locked against other programs; and the list of all devices. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct sp_port;

struct uart_device {
    struct sp_port *port;
    int fd; /* non-blocking, and locked by flock and TIOCEXCL; -1: closed */
};

/* Opens the device at PATH, which may be a symlink. Returns false with `error` filled: no such
 * device, no permission, busy, not a serial device, unsupported baud. */
bool uart_device_open(struct uart_device *device, const char *path, uint32_t baud,
                      struct error *error);
void uart_device_close(struct uart_device *device);

/* Sets another baud after all written bytes have been sent. False with `error` filled. */
bool uart_device_set_baud(struct uart_device *device, const char *path, uint32_t baud,
                          struct error *error);

/* Sets parity, data bits and stop bits. FRAMING: SERIAL_FRAMING of a mode. False with `error`
 * filled. */
bool uart_device_set_framing(struct uart_device *device, const char *path, uint32_t framing,
                             struct error *error);

/* The lines of both ends as bits of TIOCMGET; 0 if they cannot be read. Takes a millisecond on a
 * USB adapter. */
unsigned uart_device_lines(const struct uart_device *device);

/* Sets our DTR and RTS. */
void uart_device_set_lines(struct uart_device *device, bool dtr, bool rts);

struct uart_counts {
    bool is_known;         /* the driver counts them */
    unsigned line_changes; /* of CTS, DSR, DCD and RI */
    unsigned bad_frames;   /* bytes without a stop bit, usually because of another baud */
};

/* The driver's counters. Cheap. */
struct uart_counts uart_device_counts(const struct uart_device *device);

/* ---- The serial devices of this machine ---- */

struct uart_port {
    const char *path;        /* "/dev/ttyUSB0" */
    const char *description; /* description of the adapter, or the path again */
    const char *bus;         /* "usb", "bluetooth" or "built in" */
    const char *serial;      /* serial number of a USB adapter; "": none */
    bool is_allowed;         /* this user may read and write it */
};

/* Calls VISIT for each device. The texts are valid during that call. Returns false with `error`
 * filled if the devices cannot be listed. */
bool uart_ports_list(void (*visit)(void *user, const struct uart_port *port), void *user,
                     struct error *error);
