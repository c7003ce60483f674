/* Time controls on the left, tools in the center, window controls on the right. */
#include "viewer/window/toolbar.h"

#include <math.h>
#include <stdio.h>

#include "base/array.h"
#include "viewer/model/ui.h"

enum {
    SIDE_PX = 32,
    GAP_PX = 4,
    TOP_PX = 8,
    OTHER = 0x100, /* with an action: the icon of its second state */
};

/* The pieces of the icons, drawn in this order, relative to the center. */
static const struct piece {
    int icons[2]; /* actions that use it; 0: none */
    enum { FILL, LINE, DISC, RING, ARC } kind;
    double corners[7][2];
    size_t count; /* of the corners */
    double radius_px, from_rad, to_rad;
} pieces[] = {
    {{ACTION_PLAY}, FILL, {{-5, -8}, {8, 0}, {-5, 8}}, .count = 3},
    {{OTHER + ACTION_PLAY}, FILL, {{-6, -7}, {-2, -7}, {-2, 7}, {-6, 7}}, .count = 4},
    {{OTHER + ACTION_PLAY}, FILL, {{2, -7}, {6, -7}, {6, 7}, {2, 7}}, .count = 4},
    {{ACTION_STEP}, FILL, {{-7, -7}, {3, 0}, {-7, 7}}, .count = 3},
    {{ACTION_STEP}, FILL, {{4, -7}, {7, -7}, {7, 7}, {4, 7}}, .count = 4},
    {{ACTION_SLOWER, ACTION_FASTER}, LINE, {{-5, 0}, {5, 0}}, .count = 2},
    {{ACTION_FASTER}, LINE, {{0, -5}, {0, 5}}, .count = 2},
    {{ACTION_RESET}, ARC, .radius_px = 6.5, .from_rad = -2.6, .to_rad = 2.0},
    {{ACTION_RESET}, FILL, {{-7.5, -7.5}, {-1, -7}, {-5, -1.5}}, .count = 3},
    {{ACTION_HAND},
     FILL,
     {{-5, -8}, {-5, 6}, {-1.5, 3}, {1, 8}, {3.2, 7}, {0.8, 2}, {5.5, 2}},
     .count = 7},
    {{ACTION_WALL}, LINE, {{-7, 6}, {7, -6}}, .count = 2},
    {{ACTION_WALL}, FILL, {{-9, 4}, {-5, 4}, {-5, 8}, {-9, 8}}, .count = 4},
    {{ACTION_WALL}, FILL, {{5, -8}, {9, -8}, {9, -4}, {5, -4}}, .count = 4},
    {{ACTION_BOX}, LINE, {{-7, -6}, {7, -6}, {7, 6}, {-7, 6}, {-7, -6}}, .count = 5},
    {{ACTION_BOX}, LINE, {{-7, -6}, {7, 6}}, .count = 2},
    {{ACTION_BOX}, LINE, {{-7, 6}, {7, -6}}, .count = 2},
    {{ACTION_ERASE}, LINE, {{-6, -5}, {-5, 8}, {5, 8}, {6, -5}}, .count = 4},
    {{ACTION_ERASE}, LINE, {{-8, -5}, {8, -5}}, .count = 2},
    {{ACTION_ERASE}, LINE, {{-2, -8}, {2, -8}}, .count = 2},
    {{ACTION_UNDO}, LINE, {{-6, -2}, {3, -2}, {6, 1}, {6, 4}, {3, 7}, {-2, 7}}, .count = 6},
    {{ACTION_UNDO}, LINE, {{-2, -6}, {-6, -2}, {-2, 2}}, .count = 3},
    {{ACTION_REDO}, LINE, {{6, -2}, {-3, -2}, {-6, 1}, {-6, 4}, {-3, 7}, {2, 7}}, .count = 6},
    {{ACTION_REDO}, LINE, {{2, -6}, {6, -2}, {2, 2}}, .count = 3},
    {{ACTION_FIT, ACTION_FRAME_ALL}, LINE, {{-7, -3}, {-7, -7}, {-3, -7}}, .count = 3},
    {{ACTION_FIT, ACTION_FRAME_ALL}, LINE, {{3, -7}, {7, -7}, {7, -3}}, .count = 3},
    {{ACTION_FIT, ACTION_FRAME_ALL}, LINE, {{7, 3}, {7, 7}, {3, 7}}, .count = 3},
    {{ACTION_FIT, ACTION_FRAME_ALL}, LINE, {{-3, 7}, {-7, 7}, {-7, 3}}, .count = 3},
    {{ACTION_FRAME_ALL}, DISC, .radius_px = 3},
    {{ACTION_FOLLOW}, RING, .radius_px = 5},
    {{ACTION_FOLLOW}, LINE, {{-9, 0}, {-5, 0}}, .count = 2},
    {{ACTION_FOLLOW}, LINE, {{5, 0}, {9, 0}}, .count = 2},
    {{ACTION_FOLLOW}, LINE, {{0, -9}, {0, -5}}, .count = 2},
    {{ACTION_FOLLOW}, LINE, {{0, 5}, {0, 9}}, .count = 2},
    {{ACTION_PANEL}, LINE, {{-8, -6}, {8, -6}, {8, 6}, {-8, 6}, {-8, -6}}, .count = 5},
    {{ACTION_PANEL}, FILL, {{2, -6}, {8, -6}, {8, 6}, {2, 6}}, .count = 4},
    {{ACTION_THEME}, RING, .radius_px = 7},
    {{ACTION_THEME},
     FILL,
     {{0, -7}, {3.5, -6}, {6, -3.5}, {7, 0}, {6, 3.5}, {3.5, 6}, {0, 7}},
     .count = 7},
    {{ACTION_SOUND}, FILL, {{-8, -3}, {-4, -3}, {0, -7}, {0, 7}, {-4, 3}, {-8, 3}}, .count = 6},
    {{ACTION_SOUND}, ARC, .radius_px = 4.5, .from_rad = -0.8, .to_rad = 0.8},
    {{ACTION_SOUND}, ARC, .radius_px = 8, .from_rad = -0.8, .to_rad = 0.8},
    {{OTHER + ACTION_SOUND},
     FILL,
     {{-8, -3}, {-4, -3}, {0, -7}, {0, 7}, {-4, 3}, {-8, 3}},
     .count = 6},
    {{OTHER + ACTION_SOUND}, LINE, {{3, -3.5}, {9, 3.5}}, .count = 2},
    {{OTHER + ACTION_SOUND}, LINE, {{3, 3.5}, {9, -3.5}}, .count = 2},
};

static void draw_piece(const struct ui *ui, const struct piece *piece, double x_px, double y_px,
                       uint32_t color)
{
    const struct draw_item fill = {.fill = color}, stroke = {.stroke = color, .width_px = 1.75};
    const struct viewport_point middle = {x_px, y_px};
    struct viewport_point corners[COUNT(piece->corners)];
    for (size_t i = 0; i < piece->count; i++)
        corners[i] =
            (struct viewport_point){x_px + piece->corners[i][0], y_px + piece->corners[i][1]};
    if (piece->kind == FILL)
        draw_polygon(ui->list, fill, corners, piece->count);
    else if (piece->kind == LINE)
        draw_line(ui->list, stroke, corners, piece->count);
    else if (piece->kind == ARC)
        draw_arc(ui->list, stroke, middle, piece->radius_px, piece->from_rad, piece->to_rad);
    else
        draw_disc(ui->list, piece->kind == DISC ? fill : stroke, middle, piece->radius_px);
}

static void draw_icon(const struct ui *ui, int icon, double x_px, double y_px, uint32_t color)
{
    for (size_t i = 0; i < COUNT(pieces); i++)
        if (pieces[i].icons[0] == icon || pieces[i].icons[1] == icon)
            draw_piece(ui, &pieces[i], x_px, y_px, color);
    if (icon == ACTION_HELP)
        ui_text(ui, x_px, y_px + 6, "?",
                (struct draw_item){
                    .flags = DRAW_BOLD, .fill = color, .size_px = 17, .align = DRAW_CENTER});
}

/* The button of an icon; returns the position of the next one. IDLE: it would have no effect. */
enum state { OFF, ON, IDLE };

static double put(const struct ui *ui, double x_px, int icon, enum state state, const char *hint)
{
    const struct theme *theme = ui->theme;
    struct ui_rect box = {x_px, TOP_PX, SIDE_PX, SIDE_PX};
    if (state == ON)
        ui_box(ui, box, 6, (struct draw_item){.fill = theme->left});
    else if (state == OFF && ui_is_hovered(ui, box))
        ui_box(ui, box, 6, (struct draw_item){.fill = theme_alpha(theme->left, 0.16)});
    draw_icon(ui, icon, x_px + SIDE_PX / 2.0, TOP_PX + SIDE_PX / 2.0,
              state == ON    ? 0xFFFFFFFFu
              : state == OFF ? theme->text
                             : theme_alpha(theme->faint, 0.6));
    ui_hit_area(ui, box, (enum action)(icon % OTHER), 0, hint);
    return x_px + SIDE_PX + GAP_PX;
}

static double divide(const struct ui *ui, double x_px)
{
    ui_line(ui, x_px + 6, TOP_PX + 6, x_px + 6, TOP_PX + SIDE_PX - 6,
            theme_alpha(ui->theme->faint, 0.4));
    return x_px + 16;
}

static void speed_text(const struct snapshot *snapshot, char *text, size_t size)
{
    if (snapshot->is_lockstep)
        snprintf(text, size, "lockstep");
    else
        snprintf(text, size, "%.4g\xc3\x97", snapshot->speed); // multiplication sign
}

static double put_time(const struct ui *ui, const struct view *view, double x_px)
{
    const struct snapshot *snapshot = view->snapshot;
    char text[32];
    x_px = put(ui, x_px, snapshot->is_paused ? ACTION_PLAY : OTHER + ACTION_PLAY,
               snapshot->is_paused, snapshot->is_paused ? "Continue  Space" : "Pause  Space");
    x_px = put(ui, x_px, ACTION_STEP, OFF, "Step of 20 ms  .");
    x_px = put(ui, x_px, ACTION_SLOWER, OFF, "Half the speed  [");
    speed_text(snapshot, text, sizeof text);
    ui_text(ui, x_px + 24, TOP_PX + SIDE_PX / 2.0 + 5, text,
            (struct draw_item){.fill = ui->theme->text, .size_px = 13, .align = DRAW_CENTER});
    ui_hit_area(ui, (struct ui_rect){x_px, TOP_PX, 48, SIDE_PX}, ACTION_REAL_TIME, 0,
                "Real time  \\");
    x_px = put(ui, x_px + 52, ACTION_FASTER, OFF, "Twice the speed  ]");
    x_px = put(ui, x_px, ACTION_RESET, OFF, "Reset everything  Ctrl R");
    return divide(ui, x_px);
}

static double put_tools(const struct ui *ui, const struct view *view, double x_px)
{
    x_px = put(ui, x_px, ACTION_HAND, view->tool == TOOL_HAND, "Drag robots, press their parts  V");
    x_px = put(ui, x_px, ACTION_WALL, view->tool == TOOL_WALL, "Draw a wall  W");
    x_px = put(ui, x_px, ACTION_BOX, view->tool == TOOL_BOX, "Draw a box  B");
    x_px = put(ui, x_px, ACTION_ERASE, view->tool == TOOL_ERASE, "Delete walls and boxes  D");
    x_px = put(ui, x_px, ACTION_UNDO, view->undo.done > 0 ? OFF : IDLE, "Undo  Ctrl Z");
    return put(ui, x_px, ACTION_REDO, view->undo.done < view->undo.count ? OFF : IDLE,
               "Redo  Ctrl Y") +
           8;
}

static void put_window(const struct ui *ui, const struct view *view, double x_px)
{
    if (!view->snapshot->is_tap) {
        x_px = put(ui, x_px, ACTION_FIT, view->frame == FRAME_ROOM, "The whole room  0");
        x_px = put(ui, x_px, ACTION_FRAME_ALL, view->frame == FRAME_ACTION,
                   "Robots, docks, movable objects  A");
        x_px = put(ui, x_px, ACTION_FOLLOW, view->frame == FRAME_ROBOT, "Follow the robot  F");
        x_px = divide(ui, x_px);
    }
    x_px = put(ui, x_px, ACTION_PANEL, view_has_panel(view), "Panel  P");
    x_px = put(ui, x_px, ACTION_THEME, OFF, "Dark, light  K");
    x_px = put(ui, x_px, view->is_muted ? OTHER + ACTION_SOUND : ACTION_SOUND, OFF,
               view->is_muted ? "Sound on  M" : "Sound off  M");
    put(ui, x_px, ACTION_HELP, view->is_help, "Keys  F1");
}

void toolbar_draw(struct draw_list *list, struct view *view)
{
    const struct ui ui = {.list = list,
                          .hit_areas = &view->hit_areas,
                          .theme = theme_of(view->viewport.theme),
                          .mouse_x_px = view->mouse_x_px,
                          .mouse_y_px = view->mouse_y_px};
    view->hit_areas.count = 0;
    ui_box(&ui, (struct ui_rect){0, 0, view->width_px, VIEW_TOOLBAR_PX}, 0,
           (struct draw_item){.fill = ui.theme->floor});
    ui_line(&ui, 0, VIEW_TOOLBAR_PX - 0.5, view->width_px, VIEW_TOOLBAR_PX - 0.5,
            theme_alpha(ui.theme->faint, 0.35));
    if (!view->snapshot)
        return;
    // The window's buttons are at the right end, if there is room.
    enum { WINDOW_PX = 7 * (SIDE_PX + GAP_PX) + 16 + 8 };
    double x_px = view->snapshot->is_tap ? 12 : put_time(&ui, view, 12);
    if (!view->snapshot->is_tap && !snapshot_is_past(view->snapshot))
        x_px = put_tools(&ui, view, x_px);
    put_window(&ui, view, fmax(x_px, view->width_px - WINDOW_PX));
}
