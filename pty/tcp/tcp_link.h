/* The byte link over TCP: a serial robot's bytes on a port, raw or as RFC 2217, or a robot that is
 * a TCP server itself. One host at a time; no encryption. */
#ifndef PTYBOT_PTY_TCP_TCP_LINK_H
#define PTYBOT_PTY_TCP_TCP_LINK_H

#include "pty/byte_link.h"

/* After TCP_LINK_SILENCE_MS a host that vanished without closing counts as gone, and another can
 * connect. */
enum {
    TCP_LINK_SILENCE_MS = 5000, /* chosen: above a hiccup of a wireless network, below a person's
                                   patience */
};

/* What becomes of a second host. */
enum tcp_link_others {
    TCP_LINK_RESET, /* turned away at once: its connection is reset. Otherwise what it sends would
                     * reach a serial robot long after the first host has left */
    TCP_LINK_WAIT,  /* connected, but unheard until the first has left, as by a robot that is a
                     * server and accepts one client at a time; nor is any refused while the link is
                     * unplugged: who still waits when it is back is heard then */
};

/* Opens a link to which hosts can connect at once. ADDRESS is "HOST:PORT", "[IPV6]:PORT", or "auto"
 * for a free port of 127.0.0.1; byte_link_name tells which. An address that other machines can
 * reach leaves a notice. The caller owns the link and ends it with byte_link_close. Returns NULL
 * with `error` filled on failure. */
struct byte_link *tcp_link_open(const char *address, enum tcp_link_others others,
                                struct error *error);

/* As tcp_link_open with TCP_LINK_RESET, for a serial port of BAUD (bit/s) by RFC 2217: hosts set
 * baud and lines, and are told of the robot's lines. One that does not speak it has bare bytes.
 * What nobody understands counts as bad_requests. */
struct byte_link *tcp_link_open_rfc2217(const char *address, uint32_t baud, struct error *error);

#endif
