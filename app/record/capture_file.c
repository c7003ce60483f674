/* Observes the wires of a run and writes a recording. */
#include "app/record/capture_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/record/capture_writer.h"
#include "base/array.h"
#include "sim/state/robots.h"
#include "sim/state/watchers.h"

enum { LINES_POLL_US = 10000 }; /* chosen: delay of an event at most; costs no speed */

/* The last written state of a channel. */
struct channel_view {
    bool has_host, is_misread;
    unsigned lines;
    uint32_t baud;
    uint64_t faults[LINE_FAULT_KINDS];
};

struct capture_file {
    struct sim_watcher watcher; /* first: the hooks get a pointer to it */
    struct sim *sim;
    struct capture_writer *writer;
    struct channel_view *views;
};

/* How a fault appears in a recording: the event that a UART would report. FTDI is missing, since it
 * only cuts data into pieces and changes no byte. */
static const struct {
    enum line_fault_kind fault;
    enum capture_kind kind;
    const char *name;
} shown_faults[] = {
    {LINE_FAULT_DROP, CAPTURE_OVERFLOW, "fault drop"},
    {LINE_FAULT_FLIP, CAPTURE_PARITY_ERROR, "fault flip"},
    {LINE_FAULT_DUPLICATE, CAPTURE_OVERFLOW, "fault duplicate"},
    {LINE_FAULT_INSERT, CAPTURE_FRAMING_ERROR, "fault insert"},
    {LINE_FAULT_DELAY, CAPTURE_STATUS, "fault delay"},
    {LINE_FAULT_SPLIT, CAPTURE_STATUS, "fault split"},
    {LINE_FAULT_STALL, CAPTURE_STATUS, "fault stall"},
    {LINE_FAULT_GARBAGE, CAPTURE_FRAMING_ERROR, "fault garbage"},
    {LINE_FAULT_BAUD, CAPTURE_FRAMING_ERROR, "fault baud"},
};

static void add(struct capture_file *capture, size_t channel, struct capture_block block)
{
    block.interface = channel;
    block.time_ns = sim_now_us(capture->sim) * 1000;
    block.lines = capture->views[channel].lines;
    block.comment = block.comment ? block.comment : "";
    capture_writer_add(capture->writer, &block);
}

/* Notes that a driver connects or disconnects, and its modem lines. */
static void note_host(struct capture_file *capture, size_t channel)
{
    const struct sim *sim = capture->sim;
    struct channel_view *view = &capture->views[channel];
    unsigned lines = sim_channel_host_lines(sim, channel) | sim_channel_lines(sim, channel);
    uint32_t baud = sim_channel_host_baud(sim, channel);
    bool has_host = sim_channel_has_host(sim, channel);
    if (lines == view->lines && baud == view->baud && has_host == view->has_host)
        return;
    const char *comment = has_host == view->has_host ? ""
                          : has_host                 ? "driver connected"
                                                     : "driver disconnected";
    uint32_t reported = baud == view->baud ? 0 : baud;
    view->lines = lines;
    view->baud = baud;
    view->has_host = has_host;
    add(capture, channel,
        (struct capture_block){.kind = CAPTURE_STATUS, .baud = reported, .comment = comment});
}

static void note_faults(struct capture_file *capture, size_t channel)
{
    const uint64_t *now = sim_channel_line(capture->sim, channel)->faults;
    uint64_t *seen = capture->views[channel].faults;
    if (memcmp(now, seen, sizeof capture->views->faults) == 0)
        return;
    for (size_t i = 0; i < COUNT(shown_faults); i++) {
        enum line_fault_kind fault = shown_faults[i].fault;
        char comment[64];
        uint64_t hits = now[fault] - seen[fault];
        snprintf(comment, sizeof comment, hits > 1 ? "%s, %u times" : "%s", shown_faults[i].name,
                 (unsigned)hits);
        if (hits > 0)
            add(capture, channel,
                (struct capture_block){.kind = shown_faults[i].kind, .comment = comment});
    }
    memcpy(seen, now, sizeof capture->views->faults);
}

static void note_misread(struct capture_file *capture, size_t channel)
{
    struct channel_view *view = &capture->views[channel];
    bool is_misread = sim_channel_is_misread(capture->sim, channel);
    if (is_misread && !view->is_misread)
        add(capture, channel,
            (struct capture_block){.kind = CAPTURE_FRAMING_ERROR,
                                   .comment = "driver and robot have different baud rates"});
    view->is_misread = is_misread;
}

static void note(struct capture_file *capture, size_t channel)
{
    note_faults(capture, channel);
    note_host(capture, channel);
    note_misread(capture, channel);
}

static void add_bytes(struct capture_file *capture, size_t channel, enum capture_kind kind,
                      const uint8_t *bytes, size_t size)
{
    note(capture, channel);
    add(capture, channel, (struct capture_block){.kind = kind, .bytes = bytes, .size = size});
}

static void received(struct sim_watcher *watcher, size_t channel, const uint8_t *bytes, size_t size)
{
    add_bytes((struct capture_file *)watcher, channel, CAPTURE_TO_ROBOT, bytes, size);
}

static void delivered(struct sim_watcher *watcher, size_t channel, const uint8_t *bytes,
                      size_t size)
{
    add_bytes((struct capture_file *)watcher, channel, CAPTURE_TO_HOST, bytes, size);
}

static void host(struct sim_watcher *watcher, size_t channel)
{
    note((struct capture_file *)watcher, channel);
}

void capture_file_step(struct capture_file *capture)
{
    // Bytes cause a check anyway; this is for lines without traffic.
    if (sim_now_us(capture->sim) % LINES_POLL_US != 0)
        return;
    for (size_t i = 0; i < sim_channel_count(capture->sim); i++)
        note(capture, i);
}

void capture_file_visit(struct capture_file *capture)
{
    capture_writer_flush(capture->writer);
}

static void add_interfaces(struct capture_file *capture)
{
    const struct sim *sim = capture->sim;
    for (size_t i = 0; i < sim_channel_count(sim); i++) {
        unsigned number;
        size_t robot = sim_channel_robot(sim, i, &number);
        const struct robot_type *type = sim_robot_type(sim, robot);
        const char *channel = type->channels[number].name;
        struct capture_interface made = {.baud = sim_channel_baud(sim, i)};
        snprintf(made.name, sizeof made.name, "%s.%s", sim_robot_name(sim, robot), channel);
        const char *wire = sim_robot_wire(sim, robot);
        snprintf(made.description, sizeof made.description, "%s %s", *wire ? wire : type->name,
                 channel);
        capture_writer_interface(capture->writer, &made);
    }
}

struct capture_file *capture_file_open(const char *path, struct sim *sim, struct error *error)
{
    struct capture_file *capture = calloc(1, sizeof *capture);
    if (capture)
        capture->views = calloc(sim_channel_count(sim) + 1, sizeof *capture->views);
    if (!capture || !capture->views) {
        free(capture);
        return error_null(error_environment(error, "not enough memory for --capture"));
    }
    capture->watcher =
        (struct sim_watcher){.received = received, .delivered = delivered, .host = host};
    capture->sim = sim;
    capture->writer = capture_writer_open(path, "--capture", error);
    if (!capture->writer) {
        free(capture->views);
        free(capture);
        return NULL;
    }
    add_interfaces(capture);
    sim_watch(sim, &capture->watcher);
    return capture;
}

bool capture_file_close(struct capture_file *capture, struct error *error)
{
    if (!capture)
        return true;
    sim_unwatch(capture->sim, &capture->watcher);
    bool is_whole = capture_writer_close(capture->writer, error);
    free(capture->views);
    free(capture);
    return is_whole;
}
