/* The panel's third page: the last frames of a channel, decoded by the field tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "protocols/describe.h"
#include "viewer/panel/panel.h"
#include "viewer/panel/signal_text.h"

enum { TEXT_MAX = 2048 };

/* The list of a frame's packets. */
struct packets {
    struct rows *rows; /* NULL: only collect their names */
    char names[64];
};

/* VALUE: `1.4167 V`. A number keeps as many decimals as its unit needs. */
static void add_field(struct rows *rows, const char *name, const char *value)
{
    struct row *row = rows_add(rows, (struct row){.kind = ROW_VALUE, .level = 1}, "%s", name);
    char *unit, text[256];
    double number = strtod(value, &unit);
    if (unit > value && *unit == ' ' && number != floor(number))
        signal_number_text(number, unit + 1, text, sizeof text);
    else
        snprintf(text, sizeof text, "%s", value);
    rows_value(rows, row, "%s", text);
}

/* `field=value unit, field=value unit {sample x=1, y=2} {sample x=3, y=4}`; changes TEXT. */
static void add_fields(struct rows *rows, char *text)
{
    for (char *brace; (brace = strstr(text, " {"));)
        brace[0] = ',', brace[1] = ' ';
    for (char *brace; (brace = strchr(text, '}'));)
        *brace = ' ';
    while (text && *text) {
        char *next = strstr(text, ", ");
        if (next)
            *next = '\0';
        text += strspn(text, " ");
        char *value = strchr(text, '=');
        if (value)
            *value++ = '\0';
        add_field(rows, text, value ? value : "");
        text = next ? next + 2 : NULL;
    }
}

/* One packet: its name, and a line per field. */
static void visit(void *user, const struct wire_packet *packet, uint8_t id, const uint8_t *body,
                  size_t size)
{
    struct packets *packets = user;
    char text[TEXT_MAX], word[24];
    snprintf(word, sizeof word, "id %u, %zu bytes", id, size);
    const char *name = packet ? packet->name : word;
    if (!packets->rows) {
        text_add(packets->names, sizeof packets->names, ", ", "%s", name);
        return;
    }
    rows_add(packets->rows, (struct row){.kind = ROW_HEADING, .level = 1}, "%s", name);
    if (!packet)
        return;
    describe_packet(packet, body, size, text, sizeof text);
    add_fields(packets->rows, text + strlen(name));
}

static void add_parts(const struct view *view, const struct robot_type *type,
                      const struct frame_record *frame, struct rows *rows)
{
    struct packets packets = {.rows = rows};
    char text[TEXT_MAX] = "longer than the stored part of a frame";
    enum wire_direction direction = (enum wire_direction)view->direction;
    bool is_whole = type && frame->kept == frame->size;
    if (!frame->is_good || (is_whole && robot_walk(type, view->channel, direction, frame->promised,
                                                   frame->bytes, frame->kept, visit, &packets)))
        return;
    if (is_whole)
        describe_frame(type, view->channel, direction, frame->promised, frame->bytes, frame->kept,
                       text, sizeof text);
    rows_add(rows, (struct row){.kind = ROW_CODE, .level = 1}, "%s", text);
}

/* A line for a frame; if it is open, its fields and bytes below it. */
static void add_frame(const struct view *view, const struct frame_record *frame, uint32_t number,
                      struct rows *rows)
{
    const struct robot_type *type = registry_find(view_robot(view)->wire);
    struct packets packets = {.names = ""};
    bool is_open = view->open_frames >> number & 1;
    char text[TEXT_MAX] = "";
    if (!frame->is_good)
        snprintf(packets.names, sizeof packets.names, "no frame of this robot");
    else if (type && frame->kept == frame->size)
        robot_walk(type, view->channel, (enum wire_direction)view->direction, frame->promised,
                   frame->bytes, frame->kept, visit, &packets);
    rows_value(rows,
               rows_add(rows,
                        (struct row){.kind = ROW_ENTRY,
                                     .tone = frame->is_good ? TONE_FAINT : TONE_WARN,
                                     .is_on = is_open,
                                     .is_number = true,
                                     .action = ACTION_FRAME,
                                     .number = number},
                        "%.3f s  %4u B", (double)frame->at_us * 1e-6, frame->size),
               "%s", packets.names);
    if (!is_open)
        return;
    add_parts(view, type, frame, rows);
    for (size_t i = 0; i < frame->kept; i++)
        text_add(text, sizeof text, "", "%02x ", frame->bytes[i]);
    text_add(text, sizeof text, "", "%s", frame->kept < frame->size ? "..." : "");
    rows_add(rows, (struct row){.kind = ROW_CODE, .tone = TONE_ACCENT, .level = 1}, "%s", text);
}

void panel_frames(const struct view *view, struct rows *rows)
{
    const struct snapshot_robot *robot = view_robot(view);
    const struct snapshot_channel *channel = view_channel(view, robot, view->channel);
    if (!channel)
        return;
    for (uint32_t i = 0; robot->channel_count > 1 && i < robot->channel_count; i++)
        rows_button(rows, view->channel == i, ACTION_CHANNEL, i,
                    view_channel(view, robot, i)->name);
    rows_add(rows, (struct row){.kind = ROW_GAP}, "%s", "");
    rows_button(rows, view->direction == 0, ACTION_DIRECTION, 0, "robot to driver");
    rows_button(rows, view->direction == 1, ACTION_DIRECTION, 1, "driver to robot");
    const struct frame_ring *ring = &channel->frames[view->direction];
    uint32_t count = ring->total < FRAME_RING_COUNT ? (uint32_t)ring->total : FRAME_RING_COUNT;
    rows_add(rows, (struct row){.kind = ROW_TEXT}, "%s",
             count > 0          ? "the newest first; click one for its fields and bytes"
             : channel->is_host ? "no frames yet"
                                : "no frames: no driver has opened the link");
    for (uint32_t i = 0; i < count; i++)
        add_frame(view, &ring->records[(ring->total - 1 - i) % FRAME_RING_COUNT], i, rows);
}
