#include "app/lab/recording/tap_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "app/files/folders.h"
#include "app/lab/recording/decoder.h"
#include "app/views/viewer.h"
#include "sim/watch/snapshot.h"

/* A snapshot with one robot and one channel. */
struct picture {
    struct snapshot head;
    _Alignas(16) struct snapshot_robot robot;
    _Alignas(16) struct snapshot_channel channel;
};

struct tap_view {
    struct out_folder folder; /* of the window's files */
    struct publish *publish;
    struct decoder *decoder;
    struct capture_interface line;
    struct picture picture;
    int64_t start_ns; /* of the first block, since 1970; 0: none yet */
    int64_t start_here_ns;
    int socket; /* where the window connects, to see when the tap ends; nobody answers there */
    struct keeper window;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

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
    snprintf(picture->robot.type, sizeof picture->robot.type, "%s", type->name);
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

/* ---- What passes ---- */

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

void tap_view_take(struct tap_view *view, const struct capture_block *block)
{
    struct decoded decoded;
    struct snapshot_channel *channel = &view->picture.channel;
    if (view->start_ns == 0) {
        view->start_ns = block->time_ns;
        view->start_here_ns = now_ns();
    }
    channel->host_lines = (uint8_t)(block->lines & MODEM_HOST_LINES);
    channel->robot_lines = (uint8_t)(block->lines & MODEM_ROBOT_LINES);
    if (!capture_is_data(block))
        return;
    *(block->kind == CAPTURE_TO_HOST ? &channel->to_host_bytes : &channel->from_host_bytes) +=
        block->size;
    struct capture_block own = *block;
    own.interface = 0;
    // Without memory the window shows no more frames; the tap goes on.
    if (decoder_push(view->decoder, &own, &view->line))
        while (decoder_next(view->decoder, &decoded))
            take_piece(view, &decoded);
}

bool tap_view_visit(struct tap_view *view, const struct tap_ends *ends)
{
    struct picture *picture = &view->picture;
    picture->channel.is_host = ends->is_driver;
    picture->channel.is_plugged = ends->is_device;
    picture->channel.baud = ends->baud;
    picture->head.now_us = view->start_ns == 0 ? 0 : (now_ns() - view->start_here_ns) / 1000;
    publish_visit(view->publish, now_ns());
    return view->window.pid == 0 || viewer_process_poll(&view->window) == VIEWER_LIVES;
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

struct tap_view *tap_view_open(const char *name, const char *what, const char *device,
                               const char *port, struct error *error)
{
    struct tap_view *view = calloc(1, sizeof *view);
    if (view)
        view->decoder = decoder_create(NULL, 0);
    if (!view || !view->decoder) {
        free(view);
        error_environment(error, "not enough memory for a window");
        return NULL;
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

void tap_view_close(struct tap_view *view)
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
