/* The byte link over a pseudo-terminal: a raw serial device under a symlink, for hosts that open a
 * serial port. An absolute address is used as it is; a relative one is inside
 * pty_path_folder(sub_folder). */
#ifndef PTYBOT_PTY_TERMINAL_PTY_LINK_H
#define PTYBOT_PTY_TERMINAL_PTY_LINK_H

#include "pty/link_kinds.h"

#endif
