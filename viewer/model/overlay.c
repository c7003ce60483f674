#include "viewer/model/overlay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/model/actions.h"
#include "viewer/model/pointer.h"
#include "viewer/model/ui.h"

/* chosen: average width of a letter at 13 px; boxes around text have room to spare */
static const double LETTER_PX = 7.2;

static size_t letters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += (*text & 0xC0) != 0x80; // not the further bytes of a letter
    return count;
}

static void draw_popup(const struct ui *ui, struct ui_rect box)
{
    struct ui_rect shadow = box;
    shadow.y_px += 2;
    ui_box(ui, shadow, 8, (struct draw_item){.fill = 0x00000030u});
    ui_box(ui, box, 8,
           (struct draw_item){.fill = ui->theme->floor,
                              .stroke = theme_alpha(ui->theme->faint, 0.4),
                              .width_px = 1});
}

/* A line of text in a box, cut if the room is too narrow. */
static void draw_banner(const struct ui *ui, const struct view *view, double y_px, const char *text,
                        uint32_t color)
{
    double room_px = view->viewport.width_px;
    double text_px = (double)letters(text) * LETTER_PX + 40;
    double width_px = fmin(text_px, room_px - 24);
    bool is_cut = text_px > width_px;
    struct ui_rect box = {(room_px - width_px) / 2, y_px, width_px, 34};
    draw_popup(ui, box);
    draw_rect(ui->list, (struct draw_item){.kind = DRAW_CLIP}, box.x_px + 8, y_px,
              box.x_px + width_px - 8, y_px + box.height_px);
    ui_text(ui, is_cut ? box.x_px + 16 : room_px / 2, box.y_px + 22, text,
            (struct draw_item){
                .fill = color, .size_px = 13, .align = is_cut ? DRAW_LEFT : DRAW_CENTER});
    draw_unclip(ui->list);
}

static void draw_notices(const struct ui *ui, const struct view *view)
{
    if (view->notice[0] && view->notice_until_ms > view->now_ms)
        draw_banner(ui, view, 44, view->notice, ui->theme->text);
    if (view->is_outdated)
        draw_banner(ui, view, 84, "not updating: no shared memory left (/dev/shm is full)",
                    ui->theme->warn);
}

/* The hint of the button under the mouse. */
static void draw_hint(const struct ui *ui, const struct view *view)
{
    const struct hit_area *area =
        hit_areas_at(&view->hit_areas, view->mouse_x_px, view->mouse_y_px);
    if (!area || !area->hint)
        return;
    double width_px = (double)letters(area->hint) * 6.8 + 22;
    double most = view->viewport.width_px - width_px - 6;
    double x_px = fmax(6, fmin(most, area->rect.x_px + area->rect.width_px / 2 - width_px / 2));
    draw_popup(ui, (struct ui_rect){x_px, 6, width_px, 26});
    ui_text(ui, x_px + width_px / 2, 23, area->hint,
            (struct draw_item){.fill = ui->theme->text, .size_px = 12, .align = DRAW_CENTER});
}

/* ---- Tools in use ---- */

/* The wall or box being drawn, with its size. */
static void draw_drawing(const struct ui *ui, const struct view *view)
{
    const struct drag *drag = &view->drag;
    char text[64];
    if (drag->kind != DRAG_DRAW || !drag->has_moved)
        return;
    struct drawn at = pointer_drawn(view);
    double x_m = at.to_x_m - at.x_m, y_m = at.to_y_m - at.y_m;
    const struct viewport_point points[] = {viewport_px(&view->viewport, at.x_m, at.y_m),
                                            viewport_px(&view->viewport, at.to_x_m, at.y_m),
                                            viewport_px(&view->viewport, at.to_x_m, at.to_y_m),
                                            viewport_px(&view->viewport, at.x_m, at.to_y_m)};
    const struct viewport_point ends[] = {points[0], points[2]};
    uint32_t color = ui->theme->left;
    if (view->tool == TOOL_WALL)
        draw_line(ui->list, (struct draw_item){.stroke = color, .width_px = 5}, ends, 2);
    else
        draw_polygon(
            ui->list,
            (struct draw_item){.fill = theme_alpha(color, 0.25), .stroke = color, .width_px = 2},
            points, 4);
    if (view->tool == TOOL_WALL)
        snprintf(text, sizeof text, "%.2f m", hypot(x_m, y_m));
    else
        snprintf(text, sizeof text, "%.2f \xc3\x97 %.2f m", fabs(x_m), fabs(y_m));
    ui_text(ui, points[2].x + 14, points[2].y - 8, text,
            (struct draw_item){.flags = DRAW_HALO | DRAW_BOLD,
                               .fill = ui->theme->text,
                               .stroke = ui->theme->halo,
                               .size_px = 13});
}

/* The object that a click would delete. */
static void draw_deletion(const struct ui *ui, const struct view *view)
{
    const struct snapshot *snapshot = view->snapshot;
    if (view->tool != TOOL_ERASE || view->mouse_x_px >= view->viewport.width_px)
        return;
    struct pick pick = pointer_pick(&view->viewport, snapshot, view->mouse_x_px,
                                    view->mouse_y_px - VIEW_TOOLBAR_PX);
    struct draw_item style = {.stroke = ui->theme->warn, .width_px = 4};
    if (pick.kind == PICK_WALL) {
        const struct snapshot_wall *wall =
            (const struct snapshot_wall *)snapshot_at(snapshot, snapshot->walls) + pick.index;
        const struct viewport_point ends[] = {
            viewport_px(&view->viewport, (double)wall->from.x_m, (double)wall->from.y_m),
            viewport_px(&view->viewport, (double)wall->to.x_m, (double)wall->to.y_m)};
        draw_line(ui->list, style, ends, 2);
    } else if (pick.kind == PICK_BOX) {
        const struct snapshot_box *box =
            (const struct snapshot_box *)snapshot_at(snapshot, snapshot->boxes) + pick.index;
        struct viewport_point corners[4];
        for (int i = 0; i < 4; i++)
            corners[i] = viewport_local_px(&view->viewport, box->pose,
                                           (i == 0 || i == 3 ? 0.5 : -0.5) * (double)box->length_m,
                                           (i < 2 ? 0.5 : -0.5) * (double)box->width_m);
        draw_polygon(ui->list, style, corners, 4);
    }
}

/* ---- Help ---- */

static double draw_group(const struct ui *ui, const char *group, double x_px, double y_px)
{
    const struct theme *theme = ui->theme;
    ui_text(ui, x_px, y_px, group,
            (struct draw_item){.flags = DRAW_BOLD, .fill = theme->text, .size_px = 14});
    for (size_t i = 0; i < action_count; i++) {
        const struct action_row *row = &action_rows[i];
        if (strcmp(row->group, group) != 0 || !row->keys)
            continue;
        y_px += 21;
        ui_text(ui, x_px, y_px, row->keys,
                (struct draw_item){.flags = DRAW_MONO, .fill = theme->left, .size_px = 12});
        ui_label(ui, x_px + 106, y_px, row->note);
    }
    return y_px + 36;
}

/* Three columns, which fit into the smallest window (window.c). */
static void draw_help(const struct ui *ui, const struct view *view)
{
    enum { COLUMN = 240, WIDTH = 3 * COLUMN + 26, HEIGHT = 470 };
    static const char *const mouse[2][4][2] = {
        {
            {"click", "select; press a bumper or a button"},
            {"drag", "carry a robot, or move the picture"},
            {"right drag", "turn a robot; Shift and drag too"},
            {"wheel, pinch", "zoom; scroll the panel"},
        },
        {
            {"click", "select a robot"},
            {"drag", "move the picture"},
            {"time bar", "drag: go to any time; click an event mark"},
            {"wheel, pinch", "zoom; scroll the panel"},
        }};
    bool is_replay = snapshot_is_past(view->snapshot);
    double x_px = fmax(8, (view->viewport.width_px - WIDTH) / 2);
    double y_px = fmax(8, (view->viewport.height_px - HEIGHT) / 2);
    draw_popup(ui, (struct ui_rect){x_px, y_px, WIDTH, HEIGHT});
    x_px += 28;
    double below_px = draw_group(ui, "Time", x_px, y_px + 36);
    draw_group(ui, "Window", x_px, below_px);
    draw_group(ui, "Look", x_px + COLUMN, y_px + 36);
    draw_group(ui, is_replay ? "Replay" : "Hands", x_px + 2 * COLUMN, y_px + 36);
    y_px += HEIGHT - 92;
    for (size_t i = 0; i < 4; i++) {
        ui_text(ui, x_px + COLUMN, y_px + 21 * (double)i, mouse[is_replay][i][0],
                (struct draw_item){.flags = DRAW_MONO, .fill = ui->theme->left, .size_px = 12});
        ui_label(ui, x_px + COLUMN + 106, y_px + 21 * (double)i, mouse[is_replay][i][1]);
    }
}

/* Text in place of the room, which is unknown for a real robot. */
static void draw_tap(const struct ui *ui, const struct view *view)
{
    static const char *const words[] = {"recording a real robot:", "the traffic is in the panel;",
                                        "the position of the robot is unknown"};
    const struct viewport *room = &view->viewport;
    ui_text(ui, room->width_px / 2, room->height_px / 2 - 48, view->snapshot->title,
            (struct draw_item){
                .flags = DRAW_BOLD, .fill = ui->theme->text, .size_px = 17, .align = DRAW_CENTER});
    for (size_t i = 0; i < 3; i++)
        ui_text(ui, room->width_px / 2, room->height_px / 2 - 16 + 20 * (double)i, words[i],
                (struct draw_item){.fill = ui->theme->faint, .size_px = 14, .align = DRAW_CENTER});
}

static void draw_waiting(const struct ui *ui, const struct view *view)
{
    ui_text(ui, view->width_px / 2, view->height_px / 2 - VIEW_TOOLBAR_PX,
            view->is_outdated ? "no shared memory left (/dev/shm is full)"
                              : "waiting for the simulation",
            (struct draw_item){.fill = ui->theme->faint, .size_px = 14, .align = DRAW_CENTER});
}

void overlay_draw_edits(struct draw_list *list, const struct view *view)
{
    const struct ui ui = {.list = list, .theme = theme_of(view->viewport.theme)};
    draw_drawing(&ui, view);
    draw_deletion(&ui, view);
}

void overlay_draw(struct draw_list *list, struct view *view)
{
    const struct ui ui = {.list = list, .theme = theme_of(view->viewport.theme)};
    if (!view->snapshot) {
        draw_waiting(&ui, view);
        return;
    }
    if (view->snapshot->is_tap)
        draw_tap(&ui, view);
    else
        overlay_draw_edits(list, view);
    if (view->is_help)
        draw_help(&ui, view);
    draw_notices(&ui, view);
    draw_hint(&ui, view);
}
