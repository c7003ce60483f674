/* The window of a tap: the same one that shows a run, of which only the frames and the state of the
 * line are left. Where the robot is, a tap does not know. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "app/record/capture.h"
#include "base/error.h"

struct tap_view;

/* NAME and WHAT as in struct tap_config, PORT that of the driver. Opens the window. NULL with
 * ERROR: there is no display, no memory or no room for a file. */
struct tap_view *tap_view_open(const char *name, const char *what, const char *device,
                               const char *port, struct error *error);

/* What passes, and what the lines do. */
void tap_view_take(struct tap_view *view, const struct capture_block *block);

struct tap_ends {
    bool is_driver, is_device; /* are there */
    uint32_t baud;
};

/* Shows what is new, if the window wants it; call it in each turn of the loop. False, once: the
 * window has been closed. Never waits. */
bool tap_view_visit(struct tap_view *view, const struct tap_ends *ends);

/* Closes the window. NULL is allowed. */
void tap_view_close(struct tap_view *view);
