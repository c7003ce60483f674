#include "app/lab/recording/tap.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/cli/terminal.h"
#include "app/lab/recording/tap_view.h"
#include "app/record/capture_writer.h"
#include "base/modem_lines.h"
#include "base/serial_settings.h"
#include "pty/uart/uart_link.h"

enum {
    READ_MAX = 4096, /* bytes; chosen: as many as a serial driver hands out at once */
    VISIT_MS = 5,    /* chosen: how often to look for what no descriptor shows, such as lines */
};

struct tap {
    const char *name;
    struct byte_link *driver, *device;
    struct capture_writer *capture; /* NULL: none */
    struct tap_view *view;          /* NULL: none */
    size_t interface;
    int64_t from_monotonic_ns; /* what a monotonic time misses to one since 1970 */
    unsigned lines;            /* on now, of both ends */
    uint32_t baud, framing;    /* that the driver has set last */
    struct tap_counts counts;
};

/* ---- The recording ---- */

static void record(const struct tap *tap, struct capture_block block)
{
    if (!tap->capture && !tap->view)
        return;
    block.interface = tap->interface;
    block.time_ns = poller_clock_ns(CLOCK_MONOTONIC) + tap->from_monotonic_ns;
    block.lines = tap->lines;
    block.comment = block.comment ? block.comment : "";
    if (tap->capture)
        capture_writer_add(tap->capture, &block);
    if (tap->view)
        tap_view_take(tap->view, &block);
}

static void record_status(const struct tap *tap, const char *comment)
{
    record(tap, (struct capture_block){.kind = CAPTURE_STATUS, .comment = comment});
}

static bool begin_recording(struct tap *tap, const struct tap_config *config, struct error *error)
{
    struct capture_interface interface = {.baud = config->baud};
    tap->from_monotonic_ns = poller_clock_ns(CLOCK_REALTIME) - poller_clock_ns(CLOCK_MONOTONIC);
    if (!*config->capture)
        return true;
    tap->capture = capture_writer_open(config->capture, "--capture", error);
    if (!tap->capture)
        return false;
    snprintf(interface.name, sizeof interface.name, "%s", config->name);
    snprintf(interface.description, sizeof interface.description, "%s", config->what);
    tap->interface = capture_writer_interface(tap->capture, &interface);
    record_status(tap, NULL);
    return true;
}

/* ---- What happens at the ends ---- */

static void set_lines(struct tap *tap, unsigned lines, const char *comment)
{
    bool is_new = lines != tap->lines || comment;
    tap->lines = lines;
    // As at the two ends of a null-modem cable.
    byte_link_set_lines(tap->device, ((lines & MODEM_DTR) ? (unsigned)MODEM_DSR : 0) |
                                         ((lines & MODEM_RTS) ? (unsigned)MODEM_CTS : 0));
    byte_link_set_lines(tap->driver, lines);
    if (is_new)
        record_status(tap, comment);
}

static void follow_baud(struct tap *tap, uint32_t baud)
{
    struct error error;
    char comment[32];
    if (baud == 0 || baud == tap->baud)
        return;
    tap->baud = baud;
    if (!uart_link_set_baud(tap->device, baud, &error))
        terminal_say("%s: %s", tap->name, error.text);
    snprintf(comment, sizeof comment, CAPTURE_BAUD_COMMENT, (unsigned)baud);
    record_status(tap, comment);
}

static void follow_framing(struct tap *tap, uint32_t mode)
{
    struct error error;
    char comment[32];
    if ((mode & SERIAL_FRAMING) == tap->framing)
        return;
    tap->framing = mode & SERIAL_FRAMING;
    if (!uart_link_set_framing(tap->device, tap->framing, &error))
        terminal_say("%s: %s", tap->name, error.text);
    snprintf(comment, sizeof comment, "%u%c%u", serial_mode_data_bits(mode),
             "NOEMS"[serial_mode_parity(mode)], serial_mode_stop_bits(mode));
    record_status(tap, comment);
}

static void driver_did(struct tap *tap, const struct byte_link_event *event)
{
    if (event->kind == BYTE_LINK_HOST_CAME) {
        tap->counts.drivers++;
        terminal_say("%s: driver came", tap->name);
    }
    if (event->kind == BYTE_LINK_HOST_LEFT)
        terminal_say("%s: driver left", tap->name);
    // A port that the driver has not set keeps that of the device.
    if (!(event->settings.mode & SERIAL_UNSET) && event->settings.baud > 0) {
        follow_baud(tap, event->settings.baud);
        follow_framing(tap, event->settings.mode);
    }
    set_lines(tap, (tap->lines & MODEM_ROBOT_LINES) | (event->lines & MODEM_HOST_LINES),
              event->kind == BYTE_LINK_HOST_CAME   ? "driver came"
              : event->kind == BYTE_LINK_HOST_LEFT ? "driver left"
                                                   : NULL);
}

static void device_did(struct tap *tap, const struct byte_link_event *event)
{
    set_lines(tap, (tap->lines & MODEM_HOST_LINES) | (event->lines & MODEM_ROBOT_LINES),
              event->kind == BYTE_LINK_HOST_CAME   ? "device is connected"
              : event->kind == BYTE_LINK_HOST_LEFT ? "device is gone"
                                                   : NULL);
}

/* ---- Bytes ---- */

static void pass(struct tap *tap, struct byte_link *to, const uint8_t *bytes, size_t size)
{
    bool is_to_robot = to == tap->device;
    bool is_taken = byte_link_write(to, bytes, size);
    record(tap, (struct capture_block){.kind = is_to_robot ? CAPTURE_TO_ROBOT : CAPTURE_TO_HOST,
                                       .bytes = bytes,
                                       .size = size});
    if (is_taken)
        *(is_to_robot ? &tap->counts.to_robot : &tap->counts.to_driver) += size;
    else if (!is_to_robot && !byte_link_host_present(to))
        tap->counts.unheard += size;
    else
        tap->counts.lost += size;
}

/* Passes on all that one end has to say. It is not asked for more while the other end is full, as a
 * wire's ends would not be. */
static void relay(struct tap *tap, struct byte_link *from, struct byte_link *to,
                  void (*did)(struct tap *tap, const struct byte_link_event *event))
{
    struct byte_link_event event;
    uint8_t bytes[READ_MAX];
    size_t size;
    char notice[256];
    bool is_event;
    byte_link_update(from);
    while (byte_link_take_notice(from, notice, sizeof notice))
        terminal_say("%s: %s", tap->name, notice);
    do {
        while (!byte_link_is_busy(to) && (size = byte_link_read(from, bytes, sizeof bytes)) > 0)
            pass(tap, to, bytes, size);
        is_event = byte_link_next_event(from, &event);
        if (is_event)
            did(tap, &event);
    } while (is_event);
}

/* Adds what an end waits for; of bytes only while the other has room for them. */
static nfds_t wait_for(const struct byte_link *from, const struct byte_link *to, struct pollfd *fds)
{
    nfds_t count = (nfds_t)byte_link_fds(from, fds);
    if (byte_link_is_busy(to))
        for (nfds_t i = 0; i < count; i++)
            fds[i].events &= (short)~POLLIN;
    return count;
}

/* A window that is closed leaves the driver its robot. */
static void visit_window(struct tap *tap)
{
    const struct tap_ends ends = {.is_driver = byte_link_host_present(tap->driver),
                                  .is_device = byte_link_host_present(tap->device),
                                  .baud = tap->baud};
    if (tap_view_visit(tap->view, &ends))
        return;
    terminal_say("%s: the window is closed; the tap continues", tap->name);
    tap_view_close(tap->view);
    tap->view = NULL;
}

void tap_run(struct tap *tap, struct poller *poller)
{
    while (!stop_is_wanted()) {
        struct pollfd fds[1 + 2 * BYTE_LINK_FDS_MAX] = {{.fd = poller->epoll, .events = POLLIN}};
        nfds_t count = 1;
        relay(tap, tap->driver, tap->device, driver_did);
        relay(tap, tap->device, tap->driver, device_did);
        if (tap->capture)
            capture_writer_flush(tap->capture);
        if (tap->view)
            visit_window(tap);
        count += wait_for(tap->driver, tap->device, fds + count);
        count += wait_for(tap->device, tap->driver, fds + count);
        poll(fds, count, VISIT_MS);
    }
}

struct tap_counts tap_counts(const struct tap *tap)
{
    return tap->counts;
}

const char *tap_port(const struct tap *tap)
{
    return byte_link_name(tap->driver);
}

/* ---- Opening and closing ---- */

struct tap *tap_open(const struct tap_config *config, struct error *error)
{
    const struct byte_link_config device = {
        .address = config->device, .baud = config->baud, .is_driver = true};
    const struct byte_link_config driver = {.address = config->port, .baud = config->baud};
    struct tap *tap = calloc(1, sizeof *tap);
    if (!tap) {
        error_environment(error, "not enough memory for a tap");
        return NULL;
    }
    tap->name = config->name;
    tap->baud = config->baud;
    tap->device = uart_link_open(&device, error);
    tap->driver = tap->device ? pty_link_open(&driver, error) : NULL;
    if (tap->driver && uart_link_keep_off(tap->device, tap_port(tap), error) &&
        begin_recording(tap, config, error)) {
        byte_link_set_unread_kept(tap->driver, true);
        byte_link_set_unread_kept(tap->device, true);
        if (config->is_viewed)
            tap->view =
                tap_view_open(config->name, config->what, config->device, tap_port(tap), error);
        if (tap->view || !config->is_viewed)
            return tap;
    }
    tap_close(tap, &(struct error){0});
    return NULL;
}

bool tap_close(struct tap *tap, struct error *error)
{
    if (!tap)
        return true;
    byte_link_close(tap->driver);
    byte_link_close(tap->device);
    tap_view_close(tap->view);
    bool is_whole = capture_writer_close(tap->capture, error);
    free(tap);
    return is_whole;
}
