/* The serial shim: a library to preload into programs that accept only UARTs as serial ports. It
 * makes the terminals of a running ptybot answer like a UART: modem lines, TIOCGSERIAL,
 * TIOCGICOUNT, breaks, parity and character size (serial_settings.c), and an entry in
 * /sys/class/tty (serial_sysfs.c). All other calls and terminals are passed on unchanged; read and
 * write are not replaced. It has no effect on programs that make system calls without libc (Go,
 * static programs). */
#undef _FILE_OFFSET_BITS /* both names of each call are replaced: of 32 bits, too, they differ */
#include "pty/shim/serial_shm.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/modem_lines.h"

/* Chosen: values of common USB adapters. */
enum { UART_TYPE = PORT_16550A, BAUD_BASE = 460800 };

static uint32_t tiocm_of(uint32_t host)
{
    return ((host & MODEM_DTR) != 0 ? TIOCM_DTR : 0U) | ((host & MODEM_RTS) != 0 ? TIOCM_RTS : 0U);
}

static uint32_t host_of(uint32_t tiocm)
{
    return ((tiocm & TIOCM_DTR) != 0 ? MODEM_DTR : 0U) |
           ((tiocm & TIOCM_RTS) != 0 ? MODEM_RTS : 0U);
}

/* Sets the host's lines: those in SET, and those in KEEP that are already on. */
static void set_lines(struct modem_shm *shm, uint32_t keep, uint32_t set)
{
    uint32_t before = atomic_load(&shm->host);

    while (!atomic_compare_exchange_weak(&shm->host, &before,
                                         modem_shm_host(before, (before & keep) | set)))
        ;
}

static void get_counts(const struct modem_shm *shm, struct serial_icounter_struct *out)
{
    *out = (struct serial_icounter_struct){
        .cts = (int)atomic_load(&shm->cts),
        .dsr = (int)atomic_load(&shm->dsr),
        .rng = (int)atomic_load(&shm->ri),
        .dcd = (int)atomic_load(&shm->dcd),
        .rx = (int)atomic_load(&shm->received),
        .tx = (int)atomic_load(&shm->sent),
    };
}

static void get_serial(const struct modem_shm *shm, struct serial_struct *out)
{
    *out = (struct serial_struct){
        .type = UART_TYPE,
        .line = (int)minor(shm->node_number),
        .flags = (int)atomic_load(&shm->serial_flags),
        .baud_base = BAUD_BASE,
        .close_delay = 50,    /* hundredths of a second; these two as the kernel sets them */
        .closing_wait = 3000, /* (drivers/tty/tty_port.c: tty_port_init) */
    };
}

/* Total number of changes of the lines in MASK. */
static uint32_t changes_of(const struct modem_shm *shm, uint32_t mask)
{
    return ((mask & TIOCM_CTS) != 0 ? atomic_load(&shm->cts) : 0) +
           ((mask & TIOCM_DSR) != 0 ? atomic_load(&shm->dsr) : 0) +
           ((mask & TIOCM_CAR) != 0 ? atomic_load(&shm->dcd) : 0) +
           ((mask & TIOCM_RNG) != 0 ? atomic_load(&shm->ri) : 0);
}

/* By system call, because the event happens in real time, also under the clock shim. */
static int pause_for(const struct timespec *span)
{
    return (int)syscall(SYS_nanosleep, span, NULL);
}

/* Waits until a line of MASK changes. Maps the shared memory each time, because the descriptor may
 * be closed and the robot may disappear meanwhile. */
static int wait_change(int fd, uint32_t mask, uint32_t before)
{
    const struct timespec pause = {.tv_nsec = 5000000}; /* chosen: a tenth of what people notice */

    for (;;) {
        if (pause_for(&pause) != 0)
            return -1; /* EINTR, as from a UART */
        struct modem_shm *shm = serial_shm_of(fd);
        if (shm == NULL) {
            errno = EIO;
            return -1;
        }
        uint32_t now = changes_of(shm, mask);
        serial_shm_unmap(shm);
        if (now != before)
            return 0;
    }
}

/* Answers a request with an address from our shared memory. */
static int answer(struct modem_shm *shm, unsigned request, void *argument)
{
    uint32_t *lines = argument;

    if (argument == NULL) {
        errno = EFAULT;
        return -1;
    }
    switch (request) {
    case TIOCMGET:
        *lines = tiocm_of(atomic_load(&shm->host)) | atomic_load(&shm->robot);
        break;
    case TIOCMSET:
        set_lines(shm, 0, host_of(*lines));
        break;
    case TIOCMBIS:
        set_lines(shm, ~0U, host_of(*lines));
        break;
    case TIOCMBIC:
        set_lines(shm, ~host_of(*lines), 0);
        break;
    case TIOCGICOUNT:
        get_counts(shm, argument);
        break;
    case TIOCGSERIAL:
        get_serial(shm, argument);
        break;
    case TIOCSSERIAL:
        atomic_store(&shm->serial_flags, (uint32_t)((const struct serial_struct *)argument)->flags);
        break;
    default:
        break;
    }
    return 0;
}

/* Answers a request with a number or without an argument. A break is accepted and has no effect. */
static int answer_number(struct modem_shm *shm, int fd, unsigned request, uintptr_t number)
{
    if (request == TIOCMIWAIT) {
        uint32_t before = changes_of(shm, (uint32_t)number);

        serial_shm_unmap(shm);
        return wait_change(fd, (uint32_t)number, before);
    }
    serial_shm_unmap(shm);
    return 0;
}

/* To be called after a call that got or set termios. All its structs begin in the same way. */
static void follow_settings(int fd, unsigned request, struct termios2 *mode)
{
    switch (request) {
    case TCSETS:
    case TCSETSW:
    case TCSETSF:
    case TCSETS2:
    case TCSETSW2:
    case TCSETSF2:
        serial_settings_note(fd, mode->c_cflag);
        break;
    case TCGETS:
    case TCGETS2:
        mode->c_cflag = serial_settings_show(fd, mode->c_cflag);
        break;
    default:
        break;
    }
}

SHIM_EXPORT int ioctl(int fd, unsigned long request, ...)
{
    va_list arguments;
    struct modem_shm *shm;
    int result;

    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    switch ((unsigned)request) { /* some callers sign-extend it */
    case TIOCMGET:
    case TIOCMSET:
    case TIOCMBIS:
    case TIOCMBIC:
    case TIOCGICOUNT:
    case TIOCGSERIAL:
    case TIOCSSERIAL:
        shm = serial_shm_of(fd);
        if (shm == NULL)
            break;
        result = answer(shm, (unsigned)request, argument);
        serial_shm_unmap(shm);
        return result;
    case TIOCMIWAIT:
    case TIOCSBRK:
    case TIOCCBRK:
        shm = serial_shm_of(fd);
        if (shm == NULL)
            break;
        return answer_number(shm, fd, (unsigned)request, (uintptr_t)argument);
    default:
        break;
    }
    SHIM_NEXT(ioctl);
    result = next(fd, request, argument);
    if (result == 0)
        follow_settings(fd, (unsigned)request, argument);
    return result;
}

/* When a host that has claimed a terminal (TIOCEXCL) ends, the terminal stays claimed until ptybot
 * notices it and points the path at a new one. A UART would be free immediately. Therefore opening
 * a claimed terminal of ptybot is repeated for that long. The old terminal answers EIO meanwhile.
 * If the claim remains, the call fails with WHY. */
static int open_again(int (*again)(const char *, int, ...), const char *path, int flags,
                      mode_t mode, int why)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    int misses = 0;

    for (int tries = 0; tries < 250; tries++) { /* chosen: 0.5 s, for a machine under load */
        /* During the replacement, the path may lead nowhere for a moment. */
        misses = serial_is_ours(path) ? 0 : misses + 1;
        if (misses > 0 && (misses > 3 || !serial_is_terminal(path)))
            break;
        if (pause_for(&pause) != 0)
            break;
        int fd = again(path, flags, mode);
        if (fd >= 0 || (errno != EBUSY && errno != ENOENT && errno != EIO))
            return fd;
    }
    errno = why;
    return -1;
}

/* Whether a mode argument follows: only with these flags. */
static bool has_mode(int flags)
{
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

#define SHIM_OPEN(name)                                                                            \
    SHIM_EXPORT int name(const char *path, int flags, ...)                                         \
    {                                                                                              \
        mode_t mode = 0;                                                                           \
        SHIM_NEXT(name);                                                                           \
        if (has_mode(flags)) {                                                                     \
            va_list arguments;                                                                     \
            va_start(arguments, flags);                                                            \
            mode = va_arg(arguments, mode_t);                                                      \
            va_end(arguments);                                                                     \
        }                                                                                          \
        int fd = next(path, flags, mode);                                                          \
        return fd >= 0 || (errno != EBUSY && errno != EIO)                                         \
                   ? fd                                                                            \
                   : open_again(next, path, flags, mode, errno);                                   \
    }

/* The C library's headers use parameter names such as __path. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
SHIM_OPEN(open)
SHIM_OPEN(open64)
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

/* Called by programs that were built with _FORTIFY_SOURCE. They retry with the C library's open,
 * because the open above would itself retry each time. */
#define SHIM_OPEN_2(name, plain)                                                                   \
    SHIM_EXPORT int name(const char *path, int flags);                                             \
    SHIM_EXPORT int name(const char *path, int flags)                                              \
    {                                                                                              \
        SHIM_NEXT(name);                                                                           \
        SHIM_NEXT_AS(again, plain);                                                                \
        int fd = next(path, flags);                                                                \
        return fd >= 0 || (errno != EBUSY && errno != EIO)                                         \
                   ? fd                                                                            \
                   : open_again(again, path, flags, 0, errno);                                     \
    }

SHIM_OPEN_2(__open_2, open)
SHIM_OPEN_2(__open64_2, open64)
