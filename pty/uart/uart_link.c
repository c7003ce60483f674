/* The byte link over a real serial device: detection of a host by modem lines, loss and return of
 * the device. */
#include "pty/uart/uart_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/modem_lines.h"
#include "pty/byte_link_kind.h"
#include "pty/terminal/pty_path.h"
#include "pty/uart/uart_device.h"

enum {
    RX_CAPACITY = 131072, /* bytes; chosen: as for a pty link */
    RETRY_MS = 250,       /* chosen: shorter than a person needs to let go of the plug */
    LINES_MS = 500, /* chosen: period of reading lines whose changes the driver does not count */
    TELL_AFTER_TRIES = 12, /* chosen: 3 s, because udev takes a while to set the mode of a new
                            * device */
};

struct uart_link {
    struct byte_link base;
    struct uart_device device; /* closed: unplugged, or lost */
    char path[PTY_PATH_MAX];
    char own_port[PTY_PATH_MAX]; /* terminal that the link must not open; "": none */
    uint32_t baud, framing;      /* enum serial_mode: SERIAL_FRAMING */
    unsigned robot_lines;
    bool is_driver;
    bool is_dsr_used; /* DSR was on once, so the cable has it */
    unsigned line_changes, bad_frames;
    bool is_bad_reported;
    int64_t lines_at_ms; /* time of the next read of the lines */
    int64_t retry_at_ms; /* time of the next search for a lost device */
    unsigned retries;
};

static struct uart_link *uart_of(struct byte_link *self)
{
    return (struct uart_link *)self;
}

static void push_lines(struct uart_link *uart)
{
    uart_device_set_lines(&uart->device, (uart->robot_lines & MODEM_DSR) != 0,
                          (uart->robot_lines & MODEM_CTS) != 0);
}

/* Reports the lines of the robot at the far end, as its driver sees them. */
static void notify_robot_lines(struct uart_link *uart, unsigned found)
{
    struct byte_link *base = &uart->base;
    unsigned lines = ((found & TIOCM_CTS) != 0 ? (unsigned)MODEM_CTS : 0U) |
                     ((found & TIOCM_DSR) != 0 ? (unsigned)MODEM_DSR : 0U) |
                     ((found & TIOCM_CAR) != 0 ? (unsigned)MODEM_DCD : 0U) |
                     ((found & TIOCM_RNG) != 0 ? (unsigned)MODEM_RI : 0U);

    if (!base->is_present)
        byte_link_host_came(base, base->rx_pushed, 0);
    byte_link_lines_seen(base, base->rx_pushed, lines);
}

/* Reads the lines of the other end and reports their changes as events. */
static void notify_lines(struct uart_link *uart)
{
    struct byte_link *base = &uart->base;
    unsigned found = uart_device_lines(&uart->device);

    if (uart->is_driver) {
        notify_robot_lines(uart, found);
        return;
    }
    unsigned lines = ((found & TIOCM_DSR) != 0 ? (unsigned)MODEM_DTR : 0U) |
                     ((found & TIOCM_CTS) != 0 ? (unsigned)MODEM_RTS : 0U);

    uart->is_dsr_used = uart->is_dsr_used || (lines & MODEM_DTR) != 0;
    if (!uart->is_dsr_used)
        lines = MODEM_HOST_LINES;
    bool is_present = (lines & MODEM_DTR) != 0;
    if (is_present && !base->is_present)
        byte_link_host_came(base, base->rx_pushed, 0);
    if (!is_present && base->is_present)
        byte_link_host_left(base, base->rx_pushed);
    byte_link_lines_seen(base, base->rx_pushed, lines);
}

/* Reads the lines after a change, or periodically if the driver does not count changes. */
static void look_at_lines(struct uart_link *uart, int64_t now_ms)
{
    struct uart_counts counts = uart_device_counts(&uart->device);
    bool is_due =
        counts.is_known ? counts.line_changes != uart->line_changes : now_ms >= uart->lines_at_ms;

    uart->line_changes = counts.line_changes;
    if (is_due) {
        uart->lines_at_ms = now_ms + LINES_MS;
        notify_lines(uart);
    }
    if (counts.bad_frames != uart->bad_frames && !uart->is_bad_reported) {
        byte_link_notice(&uart->base, "bytes without a stop bit: does the driver use %u baud, 8N1?",
                         (unsigned)uart->baud);
        uart->is_bad_reported = true;
    }
    uart->bad_frames = counts.bad_frames;
}

/* The path may later lead to a port of this program: a link is changed, or a new pty gets the
 * number of an old one. */
static bool is_free_of_own_port(const struct uart_link *uart, struct error *error)
{
    struct stat device, port;
    bool is_own = *uart->own_port && stat(uart->path, &device) == 0 &&
                  stat(uart->own_port, &port) == 0 && device.st_rdev == port.st_rdev;

    return !is_own || error_set(error,
                                "%s leads to %s, the port for the driver: give the device of the "
                                "robot",
                                uart->path, uart->own_port);
}

static bool device_open(struct uart_link *uart, struct error *error)
{
    if (!is_free_of_own_port(uart, error))
        return false;
    if (!uart_device_open(&uart->device, uart->path, uart->baud, error))
        return false;
    if (uart->framing != 0 &&
        !uart_device_set_framing(&uart->device, uart->path, uart->framing, error)) {
        uart_device_close(&uart->device);
        return false;
    }
    struct uart_counts counts = uart_device_counts(&uart->device);

    uart->base.fds_version++;
    uart->is_dsr_used = false;
    uart->is_bad_reported = false;
    uart->line_changes = counts.line_changes;
    uart->bad_frames = counts.bad_frames;
    uart->lines_at_ms = byte_link_now_ms() + LINES_MS;
    push_lines(uart);
    return true;
}

static void lose(struct uart_link *uart, int64_t now_ms)
{
    uart_device_close(&uart->device);
    uart->retry_at_ms = now_ms + RETRY_MS;
    uart->retries = 0;
    byte_link_notice(&uart->base, "%s has disappeared; waiting for its return", uart->path);
    if (uart->base.is_present)
        byte_link_host_left(&uart->base, uart->base.rx_pushed);
}

static void find_again(struct uart_link *uart, int64_t now_ms)
{
    struct error error;

    if (now_ms < uart->retry_at_ms)
        return;
    uart->retry_at_ms = now_ms + RETRY_MS;
    if (access(uart->path, F_OK) != 0)
        return;
    if (device_open(uart, &error)) {
        byte_link_notice(&uart->base, "%s is connected again", uart->path);
        notify_lines(uart);
    } else if (++uart->retries == TELL_AFTER_TRIES) {
        byte_link_notice(&uart->base, "%s", error.text);
    }
}

static void uart_update(struct byte_link *self)
{
    struct uart_link *uart = uart_of(self);
    int64_t now_ms = byte_link_now_ms();

    if (!self->is_plugged || !byte_link_has_event_room(self))
        return;
    if (uart->device.fd < 0) {
        find_again(uart, now_ms);
        return;
    }
    byte_link_send_tail(self, uart->device.fd);
    if (byte_link_fill(self, uart->device.fd))
        look_at_lines(uart, now_ms);
    else
        lose(uart, now_ms);
}

static bool uart_write(struct byte_link *self, const void *bytes, size_t size)
{
    return byte_link_send(self, uart_of(self)->device.fd, bytes, size);
}

static size_t uart_fds(const struct byte_link *self, struct pollfd *out)
{
    const struct uart_link *uart = (const struct uart_link *)self;

    if (uart->device.fd < 0)
        return 0;
    short events = POLLIN;
    if (self->tail_size > 0)
        events |= POLLOUT;
    out[0] = (struct pollfd){.fd = uart->device.fd, .events = events};
    return 1;
}

static void uart_unplug(struct byte_link *self)
{
    struct uart_link *uart = uart_of(self);

    if (uart->device.fd >= 0) {
        byte_link_fill(self, uart->device.fd);
        /* The state that the other end of a disconnected cable sees. */
        uart_device_set_lines(&uart->device, false, false);
    }
    uart_device_close(&uart->device);
}

static bool uart_replug(struct byte_link *self, struct error *error)
{
    struct uart_link *uart = uart_of(self);

    if (!device_open(uart, error))
        return false;
    notify_lines(uart);
    return true;
}

static void uart_set_lines(struct byte_link *self, unsigned lines)
{
    struct uart_link *uart = uart_of(self);

    if (lines == uart->robot_lines)
        return;
    uart->robot_lines = lines;
    if (uart->device.fd >= 0)
        push_lines(uart);
}

static void uart_close(struct byte_link *self)
{
    uart_device_close(&uart_of(self)->device);
}

static const struct byte_link_ops uart_ops = {
    .update = uart_update,
    .write = uart_write,
    .fds = uart_fds,
    .unplug = uart_unplug,
    .replug = uart_replug,
    .set_lines = uart_set_lines,
    .close = uart_close,
};

struct byte_link *uart_link_open(const struct byte_link_config *config, struct error *error)
{
    struct uart_link *uart =
        byte_link_create(sizeof *uart, &uart_ops, config->address, RX_CAPACITY, error);

    if (uart == NULL)
        return NULL;
    uart->device.fd = -1;
    uart->baud = config->baud;
    uart->is_driver = config->is_driver;
    uart->robot_lines = config->is_driver ? 0 : MODEM_ROBOT_READY;
    uart->base.name = uart->path;
    int size = snprintf(uart->path, sizeof uart->path, "%s", config->address);
    bool is_whole = size >= 0 && (size_t)size < sizeof uart->path;
    if (!is_whole)
        error_set(error, "%.40s...: the path is too long", config->address);
    if (is_whole && device_open(uart, error)) {
        notify_lines(uart);
        return &uart->base;
    }
    byte_link_close(&uart->base);
    return NULL;
}

bool uart_link_keep_off(struct byte_link *self, const char *port, struct error *error)
{
    struct uart_link *uart = uart_of(self);

    snprintf(uart->own_port, sizeof uart->own_port, "%s", port);
    return is_free_of_own_port(uart, error);
}

bool uart_link_set_baud(struct byte_link *self, uint32_t baud, struct error *error)
{
    struct uart_link *uart = uart_of(self);

    if (uart->device.fd >= 0 && !uart_device_set_baud(&uart->device, uart->path, baud, error))
        return false;
    uart->baud = baud;
    return true;
}

bool uart_link_set_framing(struct byte_link *self, uint32_t framing, struct error *error)
{
    struct uart_link *uart = uart_of(self);

    if (uart->device.fd >= 0 && !uart_device_set_framing(&uart->device, uart->path, framing, error))
        return false;
    uart->framing = framing;
    return true;
}
