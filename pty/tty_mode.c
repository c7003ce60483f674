/* Terminal modes. In a file of its own, because <asm/termbits.h>, the only one with custom speeds,
 * cannot be included beside <termios.h>. */
#include "pty/tty_mode.h"

#include <asm/termbits.h>
#include <stddef.h>
#include <sys/ioctl.h>

#include <asm/ioctls.h>

#include "base/array.h"

/* Hosts compare a standard speed by its constant; custom speeds have none. */
static tcflag_t speed_flag(uint32_t baud)
{
    static const struct {
        uint32_t baud;
        tcflag_t flag;
    } standard[] = {
        {1200, B1200},       {2400, B2400},       {4800, B4800},       {9600, B9600},
        {19200, B19200},     {38400, B38400},     {57600, B57600},     {115200, B115200},
        {230400, B230400},   {460800, B460800},   {500000, B500000},   {576000, B576000},
        {921600, B921600},   {1000000, B1000000}, {1152000, B1152000}, {1500000, B1500000},
        {2000000, B2000000}, {2500000, B2500000}, {3000000, B3000000}, {3500000, B3500000},
        {4000000, B4000000},
    };

    for (size_t i = 0; i < COUNT(standard); i++)
        if (standard[i].baud == baud)
            return standard[i].flag;
    return BOTHER;
}

bool tty_mode_set_raw(int fd, uint32_t baud)
{
    struct termios2 mode;

    if (ioctl(fd, TCGETS2, &mode) != 0)
        return false;
    mode.c_iflag = 0;
    mode.c_oflag = 0;
    mode.c_lflag = 0;
    mode.c_cflag = speed_flag(baud) | CS8 | CREAD | CLOCAL | HUPCL;
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

bool tty_mode_is_echoing(int fd)
{
    struct termios2 mode;

    return ioctl(fd, TCGETS2, &mode) == 0 && (mode.c_lflag & ECHO) != 0;
}
