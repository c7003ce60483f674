/* The third page of the panel: the last frames of a channel, decoded by the field tables. */
#include <stdio.h>
#include <string.h>

#include "protocols/describe.h"
#include "sim/viewer/parts.h"

enum {
    RIGHT_PX = VIEW_PANEL_PX - PANEL_MARGIN_PX,
    LINE_PX = 16,
    LETTERS = 46, /* of 11 px, mono, that fit a line */
    LINES_MAX = 40,
    TEXT_MAX = 2048,
};

/* Shows a text over as many lines as it needs; breaks at blanks. */
static double draw_lines(const struct sheet *sheet, const char *text, uint32_t color, double y_px)
{
    for (int i = 0; i < LINES_MAX && *text; i++) {
        char line[LETTERS + 1];
        size_t size = strlen(text), cut = size;
        if (size > LETTERS) {
            cut = LETTERS;
            while (cut > 0 && text[cut] != ' ')
                cut--;
            // Not within a letter of several bytes.
            for (cut = cut > 0 ? cut : LETTERS; cut > 1 && (text[cut] & 0xC0) == 0x80;)
                cut--;
        }
        snprintf(line, sizeof line, "%.*s", (int)cut, text);
        sheet_text(sheet, PANEL_MARGIN_PX + 8, y_px + 12, line,
                   (struct draw_item){.flags = DRAW_MONO, .fill = color, .size_px = 11});
        y_px += LINE_PX;
        text += cut;
        text += *text == ' ';
    }
    return y_px;
}

static void hex_text(const struct frame_record *frame, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < frame->kept && used + 8 < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%02x ", frame->bytes[i]);
    if (frame->kept < frame->size && used + 8 < size)
        snprintf(text + used, size - used, "...");
}

static double draw_frame(const struct sheet *sheet, const struct view *view,
                         const struct snapshot_robot *robot, const struct frame_record *frame,
                         uint32_t number, double y_px)
{
    const struct theme *theme = sheet->theme;
    const struct robot_type *type = robot_type_find(robot->type);
    char text[TEXT_MAX], head[64];
    double from_px = y_px;
    snprintf(head, sizeof head, "%.3f s   %u B%s", (double)frame->at_us * 1e-6, frame->size,
             frame->is_good ? "" : "   bad");
    sheet_text(sheet, PANEL_MARGIN_PX, y_px + 14, head,
               (struct draw_item){.flags = DRAW_BOLD | DRAW_MONO,
                                  .fill = frame->is_good ? theme->text : theme->warn,
                                  .size_px = 11});
    y_px += 20;
    if (type && frame->kept == frame->size && frame->is_good) {
        describe_frame(type, view->channel, (enum wire_direction)view->direction, frame->bytes,
                       frame->kept, text, sizeof text);
        y_px = draw_lines(sheet, text, theme->text, y_px);
    } else {
        y_px = draw_lines(sheet,
                          frame->is_good ? "longer than what is kept of a frame"
                                         : "no frame of this robot",
                          theme->faint, y_px);
    }
    if (view->bytes_of == number || !frame->is_good) {
        hex_text(frame, text, sizeof text);
        y_px = draw_lines(sheet, text, theme->left, y_px + 2);
    }
    sheet_zone(
        sheet,
        (struct sheet_box){PANEL_MARGIN_PX, from_px, RIGHT_PX - PANEL_MARGIN_PX, y_px - from_px},
        ACTION_BYTES, number, NULL);
    return y_px + 8;
}

static double draw_choices(const struct sheet *sheet, const struct view *view,
                           const struct snapshot_robot *robot, double y_px)
{
    static const char *const words[] = {"to the host", "from the host"};
    double width_px = (RIGHT_PX - PANEL_MARGIN_PX - 8) / 2.0;
    for (uint32_t i = 0; robot->channel_count > 1 && i < robot->channel_count; i++) {
        double each_px = (RIGHT_PX - PANEL_MARGIN_PX + 8) / (double)robot->channel_count - 8;
        sheet_button(
            sheet, (struct sheet_box){PANEL_MARGIN_PX + i * (each_px + 8), y_px, each_px, 26},
            panel_channel(view->snapshot, robot, i)->name, view->channel == i, ACTION_CHANNEL, i);
    }
    if (robot->channel_count > 1)
        y_px += 34;
    for (uint32_t i = 0; i < 2; i++)
        sheet_button(sheet,
                     (struct sheet_box){PANEL_MARGIN_PX + i * (width_px + 8), y_px, width_px, 26},
                     words[i], view->direction == i, ACTION_DIRECTION, i);
    return y_px + 36;
}

double panel_frames(const struct sheet *sheet, const struct view *view,
                    const struct snapshot_robot *robot, double y_px)
{
    if (view->channel >= robot->channel_count)
        return y_px;
    y_px = draw_choices(sheet, view, robot, y_px + 4);
    const struct snapshot_channel *channel = panel_channel(view->snapshot, robot, view->channel);
    const struct frame_ring *ring = &channel->frames[view->direction];
    uint32_t count = ring->total < FRAME_RING_COUNT ? (uint32_t)ring->total : FRAME_RING_COUNT;
    sheet_note(sheet, PANEL_MARGIN_PX, y_px + 12,
               count > 0          ? "the newest first; click one for its bytes"
               : channel->is_host ? "no frames yet"
                                  : "no frames: no host has opened the link");
    y_px += 24;
    for (uint32_t i = 0; i < count; i++)
        y_px = draw_frame(sheet, view, robot,
                          &ring->records[(ring->total - 1 - i) % FRAME_RING_COUNT], i, y_px);
    return y_px;
}
