/* The panel's third page: the last frames of a channel, decoded by the field tables. */
#include <stdio.h>
#include <string.h>

#include "protocols/describe.h"
#include "viewer/window/panel.h"

enum {
    RIGHT_PX = VIEW_PANEL_PX - PANEL_MARGIN_PX,
    LINE_PX = 16,
    LETTERS = 46, /* that fit on a line, 11 px mono */
    LINES_MAX = 40,
    TEXT_MAX = 2048,
};

/* A text, wrapped at blanks. */
static double draw_lines(const struct ui *ui, const char *text, uint32_t color, double y_px)
{
    for (int i = 0; i < LINES_MAX && *text; i++) {
        char line[LETTERS + 1];
        size_t size = strlen(text), cut = size;
        if (size > LETTERS) {
            cut = LETTERS;
            while (cut > 0 && text[cut] != ' ')
                cut--;
            // Do not break within the bytes of a letter.
            for (cut = cut > 0 ? cut : LETTERS; cut > 1 && (text[cut] & 0xC0) == 0x80;)
                cut--;
        }
        snprintf(line, sizeof line, "%.*s", (int)cut, text);
        ui_text(ui, PANEL_MARGIN_PX + 8, y_px + 12, line,
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

/* ---- One frame, decoded ---- */

/* Where the packets of a frame are drawn or named. */
struct page {
    const struct ui *ui;
    double y_px;
    char *names; /* output for the names of the packets; NULL: draw them */
    size_t names_size;
};

static void draw_field(struct page *page, char *field)
{
    const struct theme *theme = page->ui->theme;
    char *value = strchr(field, '=');
    if (value)
        *value++ = '\0';
    ui_text(page->ui, PANEL_MARGIN_PX + 10, page->y_px + 12, field,
            (struct draw_item){.fill = theme->faint, .size_px = 11});
    if (value)
        ui_text(page->ui, RIGHT_PX, page->y_px + 12, value,
                (struct draw_item){
                    .flags = DRAW_MONO, .fill = theme->text, .size_px = 11, .align = DRAW_RIGHT});
    page->y_px += LINE_PX;
}

/* One packet: its name, and a line per field. */
static void visit(void *user, const struct wire_packet *packet, uint8_t id, const uint8_t *body,
                  size_t size)
{
    struct page *page = user;
    char text[TEXT_MAX], word[24];
    snprintf(word, sizeof word, "id %u, %zu bytes", id, size);
    const char *name = packet ? packet->name : word;
    if (page->names) {
        size_t used = strlen(page->names);
        snprintf(page->names + used, page->names_size - used, "%s%s", used ? ", " : "", name);
        return;
    }
    ui_text(page->ui, PANEL_MARGIN_PX + 4, page->y_px + 13, name,
            (struct draw_item){.flags = DRAW_BOLD, .fill = page->ui->theme->text, .size_px = 11});
    page->y_px += LINE_PX + 2;
    if (!packet)
        return;
    describe_packet(packet, body, size, text, sizeof text);
    // `name field=value unit, field=value unit {sample x=1, y=2} {sample x=3, y=4}`
    for (char *brace; (brace = strstr(text, " {"));)
        memcpy(brace, ", ", 2);
    for (char *brace; (brace = strchr(text, '}'));)
        *brace = ' ';
    char *rest = text + strlen(name);
    while (rest && *rest) {
        char *next = strstr(rest, ", ");
        if (next)
            *next = '\0';
        draw_field(page, rest + strspn(rest, " "));
        rest = next ? next + 2 : NULL;
    }
}

static double draw_parts(const struct ui *ui, const struct view *view,
                         const struct snapshot_robot *robot, const struct frame_record *frame,
                         double y_px)
{
    const struct robot_type *type = registry_find(robot->wire);
    struct page page = {.ui = ui, .y_px = y_px};
    char text[TEXT_MAX];
    enum wire_direction direction = (enum wire_direction)view->direction;
    if (!type || frame->kept < frame->size)
        return draw_lines(ui, "longer than what is kept of a frame", ui->theme->faint, y_px);
    if (robot_walk(type, view->channel, direction, frame->promised, frame->bytes, frame->kept,
                   visit, &page))
        return page.y_px;
    describe_frame(type, view->channel, direction, frame->promised, frame->bytes, frame->kept, text,
                   sizeof text);
    return draw_lines(ui, text, ui->theme->text, y_px);
}

static void name_parts(const struct view *view, const struct snapshot_robot *robot,
                       const struct frame_record *frame, char *text, size_t size)
{
    const struct robot_type *type = registry_find(robot->wire);
    struct page page = {.names = text, .names_size = size};
    *text = '\0';
    if (!frame->is_good)
        snprintf(text, size, "no frame of this robot");
    else if (type && frame->kept == frame->size)
        robot_walk(type, view->channel, (enum wire_direction)view->direction, frame->promised,
                   frame->bytes, frame->kept, visit, &page);
}

/* A line for a frame; below it its fields, if it is the newest, and its bytes, if it was clicked.
 */
static double draw_frame(const struct ui *ui, const struct view *view,
                         const struct snapshot_robot *robot, const struct frame_record *frame,
                         uint32_t number, double y_px)
{
    const struct theme *theme = ui->theme;
    bool is_open = view->open_frame == number;
    char text[TEXT_MAX], names[40];
    struct ui_rect box = {PANEL_MARGIN_PX - 6, y_px, RIGHT_PX - PANEL_MARGIN_PX + 12, 20};
    ui_row(ui, box, ACTION_BYTES, number);
    name_parts(view, robot, frame, names, sizeof names);
    snprintf(text, sizeof text, "%.3f s  %4u B", (double)frame->at_us * 1e-6, frame->size);
    ui_text(ui, PANEL_MARGIN_PX, y_px + 14, text,
            (struct draw_item){.flags = DRAW_MONO | (number == 0 ? DRAW_BOLD : 0),
                               .fill = theme->text,
                               .size_px = 11});
    ui_text(ui, RIGHT_PX, y_px + 14, names,
            (struct draw_item){.fill = frame->is_good ? theme->faint : theme->warn,
                               .size_px = 11,
                               .align = DRAW_RIGHT});
    y_px += 22;
    if (frame->is_good && (is_open || number == 0))
        y_px = draw_parts(ui, view, robot, frame, y_px) + 4;
    if (is_open) {
        hex_text(frame, text, sizeof text);
        y_px = draw_lines(ui, text, theme->left, y_px) + 6;
    }
    return y_px;
}

static double draw_choices(const struct ui *ui, const struct view *view,
                           const struct snapshot_robot *robot, double y_px)
{
    static const char *const words[] = {"to the host", "from the host"};
    double width_px = (RIGHT_PX - PANEL_MARGIN_PX - 8) / 2.0;
    for (uint32_t i = 0; robot->channel_count > 1 && i < robot->channel_count; i++) {
        double each_px = (RIGHT_PX - PANEL_MARGIN_PX + 8) / (double)robot->channel_count - 8;
        ui_button(ui, (struct ui_rect){PANEL_MARGIN_PX + i * (each_px + 8), y_px, each_px, 26},
                  view_channel(view, robot, i)->name, view->channel == i, ACTION_CHANNEL, i);
    }
    if (robot->channel_count > 1)
        y_px += 34;
    for (uint32_t i = 0; i < 2; i++)
        ui_button(ui, (struct ui_rect){PANEL_MARGIN_PX + i * (width_px + 8), y_px, width_px, 26},
                  words[i], view->direction == i, ACTION_DIRECTION, i);
    return y_px + 36;
}

double panel_frames(const struct ui *ui, const struct view *view,
                    const struct snapshot_robot *robot, double y_px)
{
    if (view->channel >= robot->channel_count)
        return y_px;
    y_px = draw_choices(ui, view, robot, y_px + 4);
    const struct snapshot_channel *channel = view_channel(view, robot, view->channel);
    const struct frame_ring *ring = &channel->frames[view->direction];
    uint32_t count = ring->total < FRAME_RING_COUNT ? (uint32_t)ring->total : FRAME_RING_COUNT;
    ui_note(ui, PANEL_MARGIN_PX, y_px + 12,
            count > 0          ? "the newest first; click one for its fields and bytes"
            : channel->is_host ? "no frames yet"
                               : "no frames: no host has opened the link");
    y_px += 24;
    for (uint32_t i = 0; i < count; i++)
        y_px = draw_frame(ui, view, robot, &ring->records[(ring->total - 1 - i) % FRAME_RING_COUNT],
                          i, y_px);
    return y_px;
}
