/* A client of the control socket that may send anything: lines out, lines in. It knows no JSON.
 * Tests of the content of replies use include/ptybot/client.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "clients/c/connection.h"

struct control_socket {
    struct ptybot_connection connection;
};

/* Connects to the socket at PATH, waiting until a server listens there. */
void control_socket_open(struct control_socket *self, const char *path);
void control_socket_close(struct control_socket *self);

/* Sends bytes unchanged; false when the other side has closed. */
bool control_socket_send(struct control_socket *self, const char *bytes, size_t size);

/* Waits for the next line and writes it to OUT without its newline. False when the other side has
 * closed before a whole line came. */
bool control_socket_line(struct control_socket *self, char *out, size_t cap);

/* Sends one request, `METHOD` with PARAMS (a JSON object), and takes the reply as the next line. */
void control_socket_call(struct control_socket *self, const char *method, const char *params,
                         char *out, size_t cap);
