/* The byte links over TCP: a serial robot's bytes on a port, raw (tcp) or by RFC 2217 (rfc2217), or
 * a robot that is a TCP server itself. One host at a time; no encryption. An address that other
 * machines can reach leaves a notice.
 *
 * is_server of the configuration decides about a second host. False: its connection is reset at
 * once. Otherwise its bytes would reach a serial robot long after the first host has left. True: it
 * is connected, but unheard until the first has left, as by a robot that accepts one client at a
 * time. No host is refused while the link is unplugged: those that still wait when it is back are
 * heard then.
 *
 * rfc2217: hosts set baud and lines, and receive the robot's lines. A host that does not speak
 * it exchanges bare bytes. Unknown commands count as bad_requests. */
#pragma once

#include "pty/link_kinds.h"

/* After TCP_LINK_SILENCE_MS a host that vanished without closing counts as gone, and another can
 * connect. Chosen: above a hiccup of a wireless network, below a person's patience. */
enum { TCP_LINK_SILENCE_MS = 5000 };
