/* The serial devices of this machine. */
#ifndef PTYBOT_PTY_UART_PORTS_H
#define PTYBOT_PTY_UART_PORTS_H

#include <stdbool.h>

#include "pty/byte_link.h"

struct uart_port {
    const char *path;        /* "/dev/ttyUSB0" */
    const char *description; /* of the adapter, or the name of the device */
    const char *bus;         /* "usb", "bluetooth" or "built in" */
    const char *serial;      /* number of a USB adapter, "" where there is none */
    bool is_allowed;         /* we may read and write it */
};

/* Calls VISIT for each device. The texts live as long as the call. Returns false with `error`
 * filled when they cannot be listed. */
bool uart_ports_list(void (*visit)(void *user, const struct uart_port *port), void *user,
                     struct byte_link_error *error);

#endif
