/* The byte link over a real serial device: the virtual robot at the end of a cable. The device
 * itself is in pty/uart/uart_device.h. */
#pragma once

#include "pty/link_kinds.h"

/* uart_link_open of pty/link_kinds.h opens the device, 8N1 without flow control. If the device does
 * not exist yet, the call may be repeated later.
 *
 * A host counts as present while the device is open, because most cables do not show the presence
 * of a host. After DSR was on once (a null-modem cable with handshake lines), DSR decides. On such
 * a cable DSR is the host's DTR and CTS its RTS; our DTR is the robot's DSR and our RTS its CTS.
 *
 * When a device is lost (its USB plug was pulled), the link leaves a notice, and the host counts as
 * gone. The link opens the device again as soon as it is back under the same path.
 * byte_link_host_settings remain unknown. */

/* Forbids the link to open the terminal at PORT, even if the link's path leads there later: the
 * program would talk to itself. False with `error` filled: the path leads there now. */
bool uart_link_keep_off(struct byte_link *self, const char *port, struct error *error);

/* ---- As the robot's driver (is_driver): a robot is at the far end ---- */

/* The far end counts as present while the device is open. Its lines are MODEM_ROBOT_LINES, and
 * byte_link_set_lines sets our DTR as the line DSR, and our RTS as CTS; both are off at the start.
 */

/* Sets another baud after all written bytes have been sent. False with `error` filled: the
 * device does not support it and keeps its baud. If the device is lost, the baud applies when it
 * is back. */
bool uart_link_set_baud(struct byte_link *self, uint32_t baud, struct error *error);
/* The same for parity, data bits and stop bits. FRAMING: SERIAL_FRAMING of a mode; 0, the initial
 * value: 8N1. */
bool uart_link_set_framing(struct byte_link *self, uint32_t framing, struct error *error);
