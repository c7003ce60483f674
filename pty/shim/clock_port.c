/* The host clock for time-outs that sockets and terminals keep. Those of sockets the kernel gets
 * scaled. That of a terminal (VTIME) counts tenths of a second, too coarse to scale: it stays as
 * the program set it, and reading waits by itself before it reads. */
#include "pty/shim/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

/* The C library's headers call the parameters __fd and the like. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-identifier-naming) */

/* ---- Sockets ---- */

static bool is_timeout(int level, int option)
{
    return host_clock_is_on() && level == SOL_SOCKET &&
           (option == SO_RCVTIMEO || option == SO_SNDTIMEO);
}

SHIM_EXPORT int setsockopt(int fd, int level, int option, const void *value, socklen_t size)
{
    SHIM_NEXT(setsockopt);
    if (!is_timeout(level, option) || value == NULL || size < sizeof(struct timeval))
        return next(fd, level, option, value, size);
    const struct timeval real = host_clock_shrink_tv(*(const struct timeval *)value);
    return next(fd, level, option, &real, sizeof real);
}

SHIM_EXPORT int getsockopt(int fd, int level, int option, void *restrict value,
                           socklen_t *restrict size)
{
    SHIM_NEXT(getsockopt);
    int result = next(fd, level, option, value, size);
    if (result == 0 && is_timeout(level, option) && *size == sizeof(struct timeval))
        *(struct timeval *)value = host_clock_stretch_tv(*(const struct timeval *)value);
    return result;
}

/* ---- Terminals ---- */

enum { TENTH_MS = 100 };

/* Whether reading FD waits by VTIME. */
static bool has_vtime(int fd, struct termios *mode)
{
    int reason = errno;
    bool is_so = host_clock_is_on() && tcgetattr(fd, mode) == 0 && (mode->c_lflag & ICANON) == 0 &&
                 mode->c_cc[VTIME] > 0 && (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0;
    errno = reason;
    return is_so;
}

/* Reads what is there, without waiting for more, since that is all that is asked for. */
static ssize_t read_there(ssize_t (*next)(int, void *, size_t), int fd, void *bytes, size_t size)
{
    int there = 0;
    if (ioctl(fd, FIONREAD, &there) == 0 && there > 0 && (size_t)there < size)
        size = (size_t)there;
    return next(fd, bytes, size);
}

/* termios(3), non-canonical mode: with VMIN 0 the time runs from the beginning and any byte will
 * do; else from each byte that came, until there are as many as that. */
static ssize_t read_in_time(ssize_t (*next)(int, void *, size_t), int fd, void *bytes, size_t size,
                            const struct termios *mode)
{
    struct pollfd terminal = {.fd = fd, .events = POLLIN};
    size_t least = mode->c_cc[VMIN] < size ? mode->c_cc[VMIN] : size, got = 0;
    int span_ms = mode->c_cc[VTIME] * TENTH_MS;
    do {
        bool is_first = got == 0 && least > 0;
        int ready = poll(&terminal, 1, is_first ? -1 : span_ms);
        if (ready <= 0)
            return ready < 0 && got == 0 ? -1 : (ssize_t)got;
        ssize_t more = read_there(next, fd, (char *)bytes + got, size - got);
        if (more <= 0)
            return got > 0 ? (ssize_t)got : more;
        got += (size_t)more;
    } while (got < least);
    return (ssize_t)got;
}

SHIM_EXPORT ssize_t read(int fd, void *bytes, size_t size)
{
    struct termios mode;
    SHIM_NEXT(read);
    return size > 0 && has_vtime(fd, &mode) ? read_in_time(next, fd, bytes, size, &mode)
                                            : next(fd, bytes, size);
}

SHIM_EXPORT ssize_t __read(int fd, void *bytes, size_t size);
SHIM_EXPORT ssize_t __read(int fd, void *bytes, size_t size)
{
    return read(fd, bytes, size);
}

/* What fortified programs call; what is wrong with the room is for the next one to say. */
SHIM_EXPORT ssize_t __read_chk(int fd, void *bytes, size_t size, size_t room);
SHIM_EXPORT ssize_t __read_chk(int fd, void *bytes, size_t size, size_t room)
{
    SHIM_NEXT(__read_chk);
    return room < size ? next(fd, bytes, size, room) : read(fd, bytes, size);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-identifier-naming) */
