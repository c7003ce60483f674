/* The terminal mode of a pty. It has a file of its own because <asm/termbits.h>, which alone knows
 * custom speeds, and <termios.h> exclude each other. */
#include "pty/tty_mode.h"

#include <asm/termbits.h>
#include <sys/ioctl.h>

#include <asm/ioctls.h>

bool tty_mode_set_raw(int fd, uint32_t baud)
{
    struct termios2 mode;

    if (ioctl(fd, TCGETS2, &mode) != 0)
        return false;
    mode.c_iflag = 0;
    mode.c_oflag = 0;
    mode.c_lflag = 0;
    mode.c_cflag = BOTHER | CS8 | CREAD | CLOCAL | HUPCL;
    mode.c_ispeed = baud;
    mode.c_ospeed = baud;
    /* A blocking read returns at the first byte. */
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    return ioctl(fd, TCSETS2, &mode) == 0;
}

uint32_t tty_mode_baud(int fd)
{
    struct termios2 mode;

    return ioctl(fd, TCGETS2, &mode) == 0 ? mode.c_ospeed : 0;
}
