/* One RFC 2217 connection of a byte link: what comes from its socket becomes bytes and events of
 * the link, and frames go out as the client reads them. For tcp_link.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pty/byte_link_kind.h"
#include "pty/tcp/rfc2217.h"

struct rfc2217_port {
    struct rfc2217 speech;
    uint32_t baud;          /* of the robot */
    unsigned robot_lines;   /* MODEM_ROBOT_LINES that are on */
    int64_t decide_at_ms;   /* a host that is silent until then only listens */
    uint64_t errors_before; /* of clients that have left */
    uint8_t in[1024];       /* from the socket, not looked at yet; chosen: small beside the rings */
    size_t in_at, in_size;
    uint8_t out[BYTE_LINK_TAIL_MAX];
};

/* A client has connected. It counts as a host of the link as soon as it reports whether it speaks
 * telnet, or has been silent for a while: until then nobody knows how it reads bytes. */
void rfc2217_port_begin(struct rfc2217_port *self);

/* As byte_link_fill. Takes no more while waiting for a client that does not read its answers. */
bool rfc2217_port_fill(struct rfc2217_port *self, struct byte_link *base, int fd);

/* Whether the client has closed its end; asked when another client calls. The end of a client that
 * is far ahead of the robot is behind megabytes, so bytes beyond the room for them are lost. */
bool rfc2217_port_has_ended(struct rfc2217_port *self, const struct byte_link *base, int fd);

/* After a client has left: keeps only the last of its unread bytes, as many as a serial port would
 * hold, so that the next client does not wait for the rest. */
void rfc2217_port_end(struct byte_link *base);

/* As byte_link_send. */
bool rfc2217_port_send(struct rfc2217_port *self, struct byte_link *base, int fd, const void *bytes,
                       size_t size);

/* Tells the client of the robot's lines, if they have changed, and of errors (enum serial_error)
 * that it wants to know. */
void rfc2217_port_report(struct rfc2217_port *self, struct byte_link *base, int fd,
                         unsigned errors);

/* Whether an update is due for which the socket does not become ready. */
bool rfc2217_port_has_news(const struct rfc2217_port *self, const struct byte_link *base);

/* Whether the client must read before more is taken from it. */
bool rfc2217_port_is_stuck(const struct rfc2217_port *self, const struct byte_link *base);
