/* The byte link over a real serial device: the virtual robot at the end of a cable. The device
 * itself is pty/uart/uart_device.h. */
#pragma once

#include "pty/link_kinds.h"

/* uart_link_open of pty/link_kinds.h opens the device, 8N1 without flow control. The call may be
 * repeated once the device is there.
 *
 * A host counts as present while the device is open, since most cables do not show one. Once DSR
 * was on (a null-modem cable with handshake lines), DSR decides. On such a cable DSR is the host's
 * DTR and CTS its RTS; our DTR is the robot's DSR and our RTS its CTS.
 *
 * When a device is lost (its USB plug was pulled), the link leaves a notice, the host counts as
 * gone, and the device is opened again as soon as it is back under the same path.
 * byte_link_host_settings stay unknown. */

/* The link never opens the terminal at PORT, even if its path leads there later: it would talk to
 * itself. False with `error` filled: the path leads there now. */
bool uart_link_keep_off(struct byte_link *self, const char *port, struct error *error);

/* ---- As the robot's driver (is_driver): what is at the far end is a robot ---- */

/* The far end counts as present while the device is open. Its lines are MODEM_ROBOT_LINES, and
 * byte_link_set_lines sets our DTR as the line DSR, and our RTS as CTS; both are off at the start.
 */

/* Sets another baud, once what was written has left. False with `error` filled: the device cannot
 * do it, and keeps its own. Of a lost device it is that of its return. */
bool uart_link_set_baud(struct byte_link *self, uint32_t baud, struct error *error);
/* The same for parity, data and stop bits, which are SERIAL_FRAMING of a mode; 0, as at the start:
 * 8N1. */
bool uart_link_set_framing(struct byte_link *self, uint32_t framing, struct error *error);
