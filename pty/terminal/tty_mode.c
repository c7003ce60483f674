/* Terminal modes. A separate file, because <asm/termbits.h>, the only header with custom speeds,
 * cannot be included together with <termios.h>. */
#include "pty/terminal/tty_mode.h"

#include <asm/termbits.h>
#include <stddef.h>
#include <sys/ioctl.h>

#include <asm/ioctls.h>

#include "base/array.h"

/* Hosts compare a standard speed by its constant. Custom speeds have no constant. */
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
    mode.c_cc[VSTART] = 021; /* as ever: ^Q and ^S */
    mode.c_cc[VSTOP] = 023;
    mode.c_ispeed = baud;
    mode.c_ospeed = baud;
    /* A blocking read returns at the first byte. */
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    return ioctl(fd, TCSETS2, &mode) == 0;
}

/* Initial settings of a port. EXTPROC keeps these flags from acting on bytes of the robot, and
 * OPOST alone changes no byte of the host. Therefore a host that is about to set the port loses no
 * byte. It still finds the settings of a real port, except ICANON: with it, a full pty would lose
 * bytes. */
enum {
    START_IFLAG = ICRNL | IXON,
    START_OFLAG = OPOST,
    START_LFLAG = ISIG | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN | EXTPROC,
    START_CFLAG = B9600 | CS8 | CREAD | CLOCAL | HUPCL,
};

bool tty_mode_set_start(int fd)
{
    struct termios2 mode;

    if (ioctl(fd, TCGETS2, &mode) != 0)
        return false;
    mode.c_iflag = START_IFLAG;
    mode.c_oflag = START_OFLAG;
    mode.c_lflag = START_LFLAG;
    mode.c_cflag = START_CFLAG;
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    /* With IXON, Linux 6 obeys these two characters even under EXTPROC, when it looks ahead in a
     * full pty. It compares with VSTART first, which then starts output that was not stopped. This
     * has no effect. */
    mode.c_cc[VSTART] = mode.c_cc[VSTOP] = 0;
    return ioctl(fd, TCSETS2, &mode) == 0 && ioctl(fd, TCGETS2, &mode) == 0 &&
           mode.c_lflag == START_LFLAG;
}

/* A flag of termios and the corresponding SERIAL_ mode. */
struct mode_row {
    tcflag_t flag;
    uint32_t mode;
};

static uint32_t modes_of(tcflag_t flags, const struct mode_row *rows, size_t count)
{
    uint32_t mode = 0;

    for (size_t i = 0; i < count; i++)
        if ((flags & rows[i].flag) != 0)
            mode |= rows[i].mode;
    return mode;
}

static uint32_t parity_of(tcflag_t flags)
{
    bool is_odd = (flags & PARODD) != 0;

    /* A pty drops PARENB and keeps PARODD. No host sets only PARODD. */
    if ((flags & (PARENB | PARODD)) == 0)
        return SERIAL_PARITY_NONE;
    if ((flags & CMSPAR) != 0)
        return is_odd ? SERIAL_PARITY_MARK : SERIAL_PARITY_SPACE;
    return is_odd ? SERIAL_PARITY_ODD : SERIAL_PARITY_EVEN;
}

static uint32_t mode_of(const struct termios2 *mode)
{
    static const struct mode_row input[] = {
        {ICRNL, SERIAL_ICRNL},   {INLCR, SERIAL_INLCR},   {IGNCR, SERIAL_IGNCR},
        {ISTRIP, SERIAL_ISTRIP}, {PARMRK, SERIAL_PARMRK}, {IXON, SERIAL_IXON},
        {IXOFF, SERIAL_IXOFF},
    };
    static const struct mode_row local[] = {
        {ICANON, SERIAL_ICANON}, {ECHO, SERIAL_ECHO}, {ISIG, SERIAL_ISIG}};
    /* In the order of CSIZE: CS5, CS6, CS7, CS8. */
    uint32_t missing_bits = 3 - (mode->c_cflag & CSIZE) / CS6;
    bool is_untouched = mode->c_iflag == START_IFLAG && mode->c_oflag == START_OFLAG &&
                        mode->c_lflag == START_LFLAG;

    return modes_of(mode->c_iflag, input, COUNT(input)) |
           modes_of(mode->c_lflag, local, COUNT(local)) |
           ((mode->c_oflag & OPOST) != 0 ? (uint32_t)SERIAL_OPOST : 0U) |
           /* On a real port, ICANON would still be set. */
           (is_untouched ? (uint32_t)SERIAL_ICANON : 0U) |
           (is_untouched && mode->c_cflag == START_CFLAG ? (uint32_t)SERIAL_UNSET : 0U) |
           ((mode->c_cflag & CSTOPB) != 0 ? (uint32_t)SERIAL_TWO_STOP_BITS : 0U) |
           parity_of(mode->c_cflag) << SERIAL_PARITY_SHIFT |
           missing_bits << SERIAL_MISSING_BITS_SHIFT;
}

uint32_t tty_mode_baud(int fd)
{
    struct termios2 mode;

    return ioctl(fd, TCGETS2, &mode) == 0 ? mode.c_ospeed : 0;
}

struct serial_settings tty_mode_settings(int fd, const uint32_t *framing)
{
    struct termios2 mode;

    if (ioctl(fd, TCGETS2, &mode) != 0)
        return (struct serial_settings){0};
    if (framing != NULL)
        mode.c_cflag = (mode.c_cflag & ~(tcflag_t)(CSIZE | PARENB)) | *framing;
    return (struct serial_settings){.baud = mode.c_ospeed, .mode = mode_of(&mode)};
}

bool tty_mode_is_echoing(int fd)
{
    struct termios2 mode;

    return ioctl(fd, TCGETS2, &mode) == 0 && (mode.c_lflag & (ECHO | EXTPROC)) == ECHO;
}
