/* The byte links over TCP: the bytes of a serial robot on a TCP port, raw (tcp) or by RFC 2217
 * (rfc2217), or a robot that is a TCP server. One host at a time; no encryption. If other machines
 * can reach the address, the link leaves a notice.
 *
 * is_server of the configuration decides about a second host. False: its connection is reset
 * immediately. Otherwise its bytes would reach a serial robot long after the first host has left.
 * True: it is connected, but not served until the first host has left, as by a robot that accepts
 * one client at a time. While such a link is unplugged, no host is refused: hosts that still wait
 * when it is plugged in again are served then.
 *
 * rfc2217: hosts set baud and lines, and receive the robot's lines. A host that does not use RFC
 * 2217 exchanges plain bytes. Unknown commands count as bad_requests. */
#pragma once

#include "pty/link_kinds.h"

/* After TCP_LINK_SILENCE_MS, a host that vanished without closing counts as gone, and another can
 * connect. Chosen: longer than a short outage of a wireless network, shorter than a person's
 * patience. */
enum { TCP_LINK_SILENCE_MS = 5000 };
