/* What lies upon the room for a moment. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/window/parts.h"
#include "viewer/window/pick.h"

/* chosen: a letter of 13 px is so wide on average; what holds the words has room to spare */
static const double LETTER_PX = 7.2;

static size_t letters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += (*text & 0xC0) != 0x80; // not the bytes that continue one
    return count;
}

static void draw_shade(const struct sheet *sheet, struct sheet_box box)
{
    struct sheet_box shadow = box;
    shadow.y_px += 2;
    sheet_box(sheet, shadow, 8, (struct draw_item){.fill = 0x00000030u});
    sheet_box(sheet, box, 8,
              (struct draw_item){.fill = sheet_color(sheet->theme),
                                 .stroke = theme_alpha(sheet->theme->faint, 0.4),
                                 .width_px = 1});
}

static void draw_notice(const struct sheet *sheet, const struct view *view)
{
    if (!view->notice[0] || view->notice_until_ms <= view->now_ms)
        return;
    double room_px = view->viewport.width_px, width_px;
    width_px = fmin((double)letters(view->notice) * LETTER_PX + 40, room_px - 24);
    struct sheet_box box = {(room_px - width_px) / 2, 44, width_px, 34};
    draw_shade(sheet, box);
    const struct viewport_point corners[] = {{box.x_px + 8, box.y_px},
                                             {box.x_px + width_px - 8, box.y_px},
                                             {box.x_px + width_px - 8, box.y_px + box.height_px},
                                             {box.x_px + 8, box.y_px + box.height_px}};
    draw_clip(sheet->list, corners, 4);
    bool is_long = (double)letters(view->notice) * LETTER_PX + 40 > width_px;
    sheet_text(sheet, is_long ? box.x_px + 16 : room_px / 2, box.y_px + 22, view->notice,
               (struct draw_item){.fill = sheet->theme->text,
                                  .size_px = 13,
                                  .align = is_long ? DRAW_LEFT : DRAW_CENTER});
    draw_unclip(sheet->list);
}

/* The word for the button under the mouse. */
static void draw_hint(const struct sheet *sheet, const struct view *view)
{
    const struct zone *zone = zones_at(&view->zones, view->mouse_x_px, view->mouse_y_px);
    if (!zone || !zone->hint)
        return;
    double width_px = (double)letters(zone->hint) * 6.8 + 22;
    double most = view->viewport.width_px - width_px - 6;
    double x_px = fmax(6, fmin(most, zone->x_px + zone->width_px / 2 - width_px / 2));
    draw_shade(sheet, (struct sheet_box){x_px, 6, width_px, 26});
    sheet_text(sheet, x_px + width_px / 2, 23, zone->hint,
               (struct draw_item){.fill = sheet->theme->text, .size_px = 12, .align = DRAW_CENTER});
}

/* ---- What the hand is at ---- */

static double snapped(double value_m)
{
    return round(value_m / 0.05) * 0.05;
}

static void draw_plan(const struct sheet *sheet, const struct view *view)
{
    const struct hand *hand = &view->hand;
    double x_m, y_m, to_x_m, to_y_m;
    char text[64];
    if (hand->grip != GRIP_DRAW || !hand->has_moved)
        return;
    viewport_m(&view->viewport, hand->from_x_px, hand->from_y_px, &x_m, &y_m);
    viewport_m(&view->viewport, hand->x_px, hand->y_px, &to_x_m, &to_y_m);
    x_m = snapped(x_m), y_m = snapped(y_m), to_x_m = snapped(to_x_m), to_y_m = snapped(to_y_m);
    const struct viewport_point points[] = {
        viewport_px(&view->viewport, x_m, y_m), viewport_px(&view->viewport, to_x_m, y_m),
        viewport_px(&view->viewport, to_x_m, to_y_m), viewport_px(&view->viewport, x_m, to_y_m)};
    const struct viewport_point ends[] = {points[0], points[2]};
    uint32_t color = sheet->theme->selection;
    if (view->tool == TOOL_WALL)
        draw_line(sheet->list, (struct draw_item){.stroke = color, .width_px = 5}, ends, 2);
    else
        draw_polygon(
            sheet->list,
            (struct draw_item){.fill = theme_alpha(color, 0.25), .stroke = color, .width_px = 2},
            points, 4);
    if (view->tool == TOOL_WALL)
        snprintf(text, sizeof text, "%.2f m", hypot(to_x_m - x_m, to_y_m - y_m));
    else
        snprintf(text, sizeof text, "%.2f \xc3\x97 %.2f m", fabs(to_x_m - x_m), fabs(to_y_m - y_m));
    sheet_text(sheet, points[2].x + 14, points[2].y - 8, text,
               (struct draw_item){.flags = DRAW_HALO | DRAW_BOLD,
                                  .fill = sheet->theme->text,
                                  .stroke = sheet->theme->halo,
                                  .size_px = 13});
}

/* What a click would delete. */
static void draw_doomed(const struct sheet *sheet, const struct view *view)
{
    const struct snapshot *snapshot = view->snapshot;
    if (view->tool != TOOL_ERASE || view->mouse_x_px >= view->viewport.width_px)
        return;
    struct pick_thing thing =
        pick_thing(&view->viewport, snapshot, view->mouse_x_px, view->mouse_y_px - VIEW_TOOLBAR_PX);
    struct draw_item style = {.stroke = sheet->theme->warn, .width_px = 4};
    if (thing.kind == PICK_WALL) {
        const struct snapshot_wall *wall =
            (const struct snapshot_wall *)snapshot_at(snapshot, snapshot->walls) + thing.index;
        const struct viewport_point ends[] = {
            viewport_px(&view->viewport, (double)wall->from.x_m, (double)wall->from.y_m),
            viewport_px(&view->viewport, (double)wall->to.x_m, (double)wall->to.y_m)};
        draw_line(sheet->list, style, ends, 2);
    } else if (thing.kind == PICK_BOX) {
        const struct snapshot_box *box =
            (const struct snapshot_box *)snapshot_at(snapshot, snapshot->boxes) + thing.index;
        struct viewport_point corners[4];
        for (int i = 0; i < 4; i++)
            corners[i] = viewport_local_px(&view->viewport, box->pose,
                                           (i == 0 || i == 3 ? 0.5 : -0.5) * (double)box->length_m,
                                           (i < 2 ? 0.5 : -0.5) * (double)box->width_m);
        draw_polygon(sheet->list, style, corners, 4);
    }
}

/* ---- The keys ---- */

static double draw_group(const struct sheet *sheet, const char *group, double x_px, double y_px)
{
    const struct theme *theme = sheet->theme;
    sheet_text(sheet, x_px, y_px, group,
               (struct draw_item){.flags = DRAW_BOLD, .fill = theme->text, .size_px = 14});
    for (size_t i = 0; i < action_count; i++) {
        const struct action_row *row = &action_rows[i];
        if (strcmp(row->group, group) != 0 || !row->keys)
            continue;
        y_px += 21;
        sheet_text(sheet, x_px, y_px, row->keys,
                   (struct draw_item){.flags = DRAW_MONO, .fill = theme->left, .size_px = 12});
        sheet_word(sheet, x_px + 106, y_px, row->note);
    }
    return y_px + 36;
}

/* Three columns; the room's part of the window is wide enough for them unless it is small. */
static void draw_help(const struct sheet *sheet, const struct view *view)
{
    enum { COLUMN = 250, WIDTH = 3 * COLUMN + 26, HEIGHT = 470 };
    static const char *const mouse[][2] = {
        {"click", "select; press a bumper or a button"},
        {"drag", "carry a robot, or move the picture"},
        {"right drag", "turn a robot; Shift and drag too"},
        {"wheel, pinch", "zoom; scroll the panel"},
    };
    double x_px = fmax(8, (view->viewport.width_px - WIDTH) / 2);
    double y_px = fmax(8, (view->viewport.height_px - HEIGHT) / 2);
    draw_shade(sheet, (struct sheet_box){x_px, y_px, WIDTH, HEIGHT});
    x_px += 28;
    double below_px = draw_group(sheet, "Time", x_px, y_px + 36);
    draw_group(sheet, "Window", x_px, below_px);
    draw_group(sheet, "Look", x_px + COLUMN, y_px + 36);
    draw_group(sheet, "Hands", x_px + 2 * COLUMN, y_px + 36);
    y_px += HEIGHT - 92;
    for (size_t i = 0; i < 4; i++) {
        sheet_text(
            sheet, x_px + COLUMN, y_px + 21 * (double)i, mouse[i][0],
            (struct draw_item){.flags = DRAW_MONO, .fill = sheet->theme->left, .size_px = 12});
        sheet_word(sheet, x_px + COLUMN + 106, y_px + 21 * (double)i, mouse[i][1]);
    }
}

static void draw_waiting(const struct sheet *sheet, const struct view *view)
{
    sheet_text(
        sheet, view->width_px / 2, view->height_px / 2 - VIEW_TOOLBAR_PX,
        "waiting for the simulation",
        (struct draw_item){.fill = sheet->theme->faint, .size_px = 14, .align = DRAW_CENTER});
}

void part_overlay(struct draw_list *list, struct view *view)
{
    const struct sheet sheet = {.list = list, .theme = theme_of(view->viewport.theme)};
    if (!view->snapshot) {
        draw_waiting(&sheet, view);
        return;
    }
    draw_plan(&sheet, view);
    draw_doomed(&sheet, view);
    if (view->is_help)
        draw_help(&sheet, view);
    draw_notice(&sheet, view);
    draw_hint(&sheet, view);
}
