/* The byte link over a pseudo-terminal: a raw serial device under a symlink, for hosts that open a
 * serial port. An absolute address is used unchanged; a relative one is inside
 * pty_path_folder(sub_folder). */
#pragma once

#include "pty/link_kinds.h"
