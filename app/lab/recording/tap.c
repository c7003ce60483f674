#include "app/lab/recording/tap.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/files/folders.h"
#include "app/lab/recording/decoder.h"
#include "app/record/capture.h"
#include "app/record/capture_writer.h"
#include "app/views/viewer.h"
#include "base/modem_lines.h"
#include "base/serial_settings.h"
#include "pty/uart/uart_link.h"
#include "sim/watch/snapshot.h"

/* The window of a tap is the same program that shows a run. It shows only the frames and the state
 * of the line, because a tap does not know the position of the robot. */

/* A snapshot with one robot and one channel. */
struct picture {
    struct snapshot head;
    _Alignas(16) struct snapshot_robot robot;
    _Alignas(16) struct snapshot_channel channel;
};

struct tap_view {
    struct out_folder folder; /* folder of the window's files */
    struct publish *publish;
    struct decoder *decoder;
    struct capture_interface line;
    struct picture picture;
    int64_t start_ns; /* time of the first block, since 1970; 0: no block yet */
    int64_t start_here_ns;
    int socket; /* the window connects to it, to notice the end of the tap; the tap never replies */
    struct keeper window;
};

/* ---- The picture ---- */

static void begin_picture(struct tap_view *view, const char *device, const char *port)
{
    const struct robot_type *type;
    unsigned channel;
    struct picture *picture = &view->picture;
    struct snapshot *head = &picture->head;
    if (!decoder_find_type(&view->line, &type, &channel))
        return;
    *head = (struct snapshot){.magic = SNAPSHOT_MAGIC,
                              .version = SNAPSHOT_VERSION,
                              .size = sizeof *picture,
                              .generation = 1,
                              .speed = 1,
                              .is_tap = true,
                              .high = {1, 1},
                              .robots = {offsetof(struct picture, robot), 1},
                              .channels = {offsetof(struct picture, channel), 1}};
    snprintf(head->title, sizeof head->title, "%s at %.100s", type->name, device);
    snprintf(picture->robot.label, sizeof picture->robot.label, "%s", head->title);
    snprintf(picture->robot.name, sizeof picture->robot.name, "%.32s", view->line.name);
    picture->robot.channel_count = 1;
    picture->channel.channel = channel;
    snprintf(picture->channel.name, sizeof picture->channel.name, "%s",
             type->channels[channel].name);
    snprintf(picture->channel.place, sizeof picture->channel.place, "%s", port);
}

static size_t picture_size(const void *context)
{
    (void)context;
    return sizeof(struct picture);
}

static bool fill_picture(const void *context, void *buffer, size_t size)
{
    const struct tap_view *view = context;
    if (size < sizeof view->picture)
        return false;
    memcpy(buffer, &view->picture, sizeof view->picture);
    return true;
}

/* ---- Bytes and events ---- */

static void take_piece(struct tap_view *view, const struct decoded *decoded)
{
    struct snapshot_channel *channel = &view->picture.channel;
    const struct wire_piece *piece = &decoded->piece;
    bool is_good = piece->kind == WIRE_PIECE_FRAME;
    frame_ring_add(&channel->frames[decoded->direction],
                   &(struct frame_piece){.bytes = piece->bytes,
                                         .size = piece->size,
                                         .at_us = (piece->time_ns - view->start_ns) / 1000,
                                         .is_good = is_good,
                                         .promised = piece->promised});
    if (piece->kind == WIRE_PIECE_NOISE)
        channel->stats.noise_bytes += piece->size;
    else if (!is_good)
        channel->stats.bad_frames++;
    else if (decoded->direction == WIRE_TO_HOST)
        channel->to_host_frames++;
    else
        channel->stats.frames++;
}

/* Adds bytes and changes of modem lines to the window. */
static void tap_view_take(struct tap_view *view, const struct capture_block *block)
{
    struct decoded decoded;
    struct snapshot_channel *channel = &view->picture.channel;
    if (view->start_ns == 0) {
        view->start_ns = block->time_ns;
        view->start_here_ns = poller_now_ns();
    }
    if (!capture_is_data(block))
        return;
    *(block->kind == CAPTURE_TO_HOST ? &channel->to_host_bytes : &channel->from_host_bytes) +=
        block->size;
    struct capture_block own = *block;
    own.interface = 0;
    // If memory is short, the window shows no more frames. The tap continues.
    if (decoder_push(view->decoder, &own, &view->line))
        while (decoder_next(view->decoder, &decoded))
            take_piece(view, &decoded);
}

/* ---- Opening and closing ---- */

static bool open_socket(struct tap_view *view, char path[PATH_MAX], struct error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    out_folder_file(&view->folder, "tap.sock", path);
    if (strlen(path) >= sizeof address.sun_path)
        return error_environment(error, "%s: the path is too long for a socket; set TMPDIR", path);
    memcpy(address.sun_path, path, strlen(path) + 1);
    view->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return (view->socket >= 0 &&
            bind(view->socket, (const struct sockaddr *)&address, sizeof address) == 0 &&
            listen(view->socket, 1) == 0) ||
           error_environment(error, "%s: no socket for the window", path);
}

static bool open_window(struct tap_view *view, struct error *error)
{
    char path[PATH_MAX];
    const struct publish_source source = {view, picture_size, fill_picture};
    if (!viewer_process_try(error) || !out_folder_open(&view->folder, "", error) ||
        !open_socket(view, path, error))
        return false;
    view->publish = publish_create_of(view->folder.path, &source, error);
    const char *snapshot = view->publish ? publish_path(view->publish, error) : NULL;
    return snapshot && viewer_process_start(&view->window, snapshot, path, error);
}

static void tap_view_close(struct tap_view *view)
{
    if (!view)
        return;
    if (view->socket >= 0)
        close(view->socket);
    viewer_process_end(&view->window);
    publish_destroy(view->publish);
    if (*view->folder.path)
        out_folder_close(&view->folder, false);
    decoder_destroy(view->decoder);
    free(view);
}

/* Opens the window. NAME and WHAT as in struct tap_config; PORT is the driver's. NULL with ERROR:
 * there is no display, no memory or no room for a file. */
static struct tap_view *tap_view_open(const char *name, const char *what, const char *device,
                                      const char *port, struct error *error)
{
    struct tap_view *view = calloc(1, sizeof *view);
    if (view)
        view->decoder = decoder_create(NULL, 0);
    if (!view || !view->decoder) {
        free(view);
        return error_null(error_environment(error, "not enough memory for a window"));
    }
    view->socket = -1;
    snprintf(view->line.name, sizeof view->line.name, "%s", name);
    snprintf(view->line.description, sizeof view->line.description, "%s", what);
    begin_picture(view, device, port);
    if (open_window(view, error))
        return view;
    error->is_environment = true;
    tap_view_close(view);
    return NULL;
}

enum {
    READ_MAX = 4096, /* bytes; chosen: as many as a serial driver returns at once */
    VISIT_MS = 5,    /* chosen: interval of checks for changes that no descriptor signals, such
                        as modem lines */
};

struct tap {
    const char *name;
    struct byte_link *driver, *device;
    struct capture_writer *capture; /* NULL: no recording */
    struct tap_view *view;          /* NULL: no window */
    size_t interface;
    int64_t from_monotonic_ns; /* difference between the real-time clock and the monotonic clock */
    unsigned lines;            /* present lines of both ends */
    uint32_t baud, framing;    /* last settings of the driver */
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

/* ---- Events of the ends ---- */

static void set_lines(struct tap *tap, unsigned lines, const char *comment)
{
    bool is_new = lines != tap->lines || comment;
    tap->lines = lines;
    // As in a null-modem cable.
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
    if (event->kind == BYTE_LINK_HOST_CAME)
        terminal_say("%s: driver came", tap->name);
    if (event->kind == BYTE_LINK_HOST_LEFT)
        terminal_say("%s: driver left", tap->name);
    // If the driver has not set its port, the device keeps its own settings.
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

/* Passes on all bytes and events of one end. While the other end is full, no bytes are read, so
 * that the sender has to wait. */
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

/* Adds the descriptors of an end. Waits for bytes only while the other end has room for them. */
static nfds_t wait_for(const struct byte_link *from, const struct byte_link *to, struct pollfd *fds)
{
    nfds_t count = (nfds_t)byte_link_fds(from, fds);
    if (byte_link_is_busy(to))
        for (nfds_t i = 0; i < count; i++)
            fds[i].events &= (short)~POLLIN;
    return count;
}

/* Updates the window if it needs new data. Never waits. If the window is closed, the tap
 * continues. */
static void visit_window(struct tap *tap)
{
    struct tap_view *view = tap->view;
    struct picture *picture = &view->picture;
    picture->channel.is_host = byte_link_host_present(tap->driver);
    picture->channel.is_plugged = byte_link_host_present(tap->device);
    picture->channel.baud = tap->baud;
    picture->head.now_us = view->start_ns == 0 ? 0 : (poller_now_ns() - view->start_here_ns) / 1000;
    publish_visit(view->publish, poller_now_ns());
    if (view->window.pid == 0 || viewer_process_poll(&view->window) == VIEWER_LIVES)
        return;
    terminal_say("%s: the window is closed; the tap continues", tap->name);
    tap_view_close(view);
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
    if (!tap)
        return error_null(error_environment(error, "not enough memory for a tap"));
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
