/* Time on the left, tools in the middle, the window on the right. */
#include "viewer/window/toolbar.h"

#include <math.h>
#include <stdio.h>

#include "viewer/model/ui.h"

enum { SIDE_PX = 32, GAP_PX = 4, TOP_PX = 8 };

typedef void draw_icon(const struct ui *ui, double x_px, double y_px, uint32_t color);

static void shape(const struct ui *ui, double x_px, double y_px, uint32_t color,
                  const double (*corners)[2], size_t count)
{
    struct viewport_point points[12];
    for (size_t i = 0; i < count; i++)
        points[i] = (struct viewport_point){x_px + corners[i][0], y_px + corners[i][1]};
    draw_polygon(ui->list, (struct draw_item){.fill = color}, points, count);
}

static void stroke(const struct ui *ui, double x_px, double y_px, uint32_t color,
                   const double (*corners)[2], size_t count)
{
    struct viewport_point points[12];
    for (size_t i = 0; i < count; i++)
        points[i] = (struct viewport_point){x_px + corners[i][0], y_px + corners[i][1]};
    draw_line(ui->list, (struct draw_item){.stroke = color, .width_px = 1.75}, points, count);
}

#define SHAPE(...)                                                                                 \
    do {                                                                                           \
        static const double corners[][2] = {__VA_ARGS__};                                          \
        shape(ui, x_px, y_px, color, corners, sizeof corners / sizeof corners[0]);                 \
    } while (0)
#define STROKE(...)                                                                                \
    do {                                                                                           \
        static const double corners[][2] = {__VA_ARGS__};                                          \
        stroke(ui, x_px, y_px, color, corners, sizeof corners / sizeof corners[0]);                \
    } while (0)

static void icon_play(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    SHAPE({-5, -8}, {8, 0}, {-5, 8});
}

static void icon_pause(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    SHAPE({-6, -7}, {-2, -7}, {-2, 7}, {-6, 7});
    SHAPE({2, -7}, {6, -7}, {6, 7}, {2, 7});
}

static void icon_step(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    SHAPE({-7, -7}, {3, 0}, {-7, 7});
    SHAPE({4, -7}, {7, -7}, {7, 7}, {4, 7});
}

static void icon_slower(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    STROKE({-5, 0}, {5, 0});
}

static void icon_faster(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    STROKE({-5, 0}, {5, 0});
    STROKE({0, -5}, {0, 5});
}

static void icon_reset(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    draw_arc(ui->list, (struct draw_item){.stroke = color, .width_px = 1.75},
             (struct viewport_point){x_px, y_px}, 6.5, -2.6, 2.0);
    SHAPE({-7.5, -7.5}, {-1, -7}, {-5, -1.5});
}

static void icon_hand(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    SHAPE({-5, -8}, {-5, 6}, {-1.5, 3}, {1, 8}, {3.2, 7}, {0.8, 2}, {5.5, 2});
}

static void icon_wall(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    STROKE({-7, 6}, {7, -6});
    SHAPE({-9, 4}, {-5, 4}, {-5, 8}, {-9, 8});
    SHAPE({5, -8}, {9, -8}, {9, -4}, {5, -4});
}

static void icon_box(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    STROKE({-7, -6}, {7, -6}, {7, 6}, {-7, 6}, {-7, -6});
    STROKE({-7, -6}, {7, 6});
    STROKE({-7, 6}, {7, -6});
}

static void icon_erase(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    STROKE({-6, -5}, {-5, 8}, {5, 8}, {6, -5});
    STROKE({-8, -5}, {8, -5});
    STROKE({-2, -8}, {2, -8});
}

static void icon_undo(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    STROKE({-6, -2}, {3, -2}, {6, 1}, {6, 4}, {3, 7}, {-2, 7});
    STROKE({-2, -6}, {-6, -2}, {-2, 2});
}

static void icon_redo(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    STROKE({6, -2}, {-3, -2}, {-6, 1}, {-6, 4}, {-3, 7}, {2, 7});
    STROKE({2, -6}, {6, -2}, {2, 2});
}

static void icon_fit(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    STROKE({-7, -3}, {-7, -7}, {-3, -7});
    STROKE({3, -7}, {7, -7}, {7, -3});
    STROKE({7, 3}, {7, 7}, {3, 7});
    STROKE({-3, 7}, {-7, 7}, {-7, 3});
}

static void icon_action(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    icon_fit(ui, x_px, y_px, color);
    draw_disc(ui->list, (struct draw_item){.fill = color}, (struct viewport_point){x_px, y_px}, 3);
}

static void icon_follow(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    draw_disc(ui->list, (struct draw_item){.stroke = color, .width_px = 1.75},
              (struct viewport_point){x_px, y_px}, 5);
    STROKE({-9, 0}, {-5, 0});
    STROKE({5, 0}, {9, 0});
    STROKE({0, -9}, {0, -5});
    STROKE({0, 5}, {0, 9});
}

static void icon_panel(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    STROKE({-8, -6}, {8, -6}, {8, 6}, {-8, 6}, {-8, -6});
    SHAPE({2, -6}, {8, -6}, {8, 6}, {2, 6});
}

static void icon_theme(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    draw_disc(ui->list, (struct draw_item){.stroke = color, .width_px = 1.75},
              (struct viewport_point){x_px, y_px}, 7);
    SHAPE({0, -7}, {3.5, -6}, {6, -3.5}, {7, 0}, {6, 3.5}, {3.5, 6}, {0, 7});
}

static void icon_sound(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    SHAPE({-8, -3}, {-4, -3}, {0, -7}, {0, 7}, {-4, 3}, {-8, 3});
    draw_arc(ui->list, (struct draw_item){.stroke = color, .width_px = 1.75},
             (struct viewport_point){x_px, y_px}, 4.5, -0.8, 0.8);
    draw_arc(ui->list, (struct draw_item){.stroke = color, .width_px = 1.75},
             (struct viewport_point){x_px, y_px}, 8, -0.8, 0.8);
}

static void icon_muted(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    SHAPE({-8, -3}, {-4, -3}, {0, -7}, {0, 7}, {-4, 3}, {-8, 3});
    STROKE({3, -3.5}, {9, 3.5});
    STROKE({3, 3.5}, {9, -3.5});
}

/* One button; returns where the next one begins. */
static double put(const struct ui *ui, double x_px, draw_icon *icon, bool is_on, enum action action,
                  const char *hint)
{
    const struct theme *theme = ui->theme;
    struct ui_rect box = {x_px, TOP_PX, SIDE_PX, SIDE_PX};
    if (is_on)
        ui_box(ui, box, 6, (struct draw_item){.fill = theme->left});
    else if (ui_is_hovered(ui, box))
        ui_box(ui, box, 6, (struct draw_item){.fill = theme_alpha(theme->left, 0.16)});
    icon(ui, x_px + SIDE_PX / 2.0, TOP_PX + SIDE_PX / 2.0, is_on ? 0xFFFFFFFFu : theme->text);
    ui_hit_area(ui, box, action, 0, hint);
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
    x_px = put(ui, x_px, snapshot->is_paused ? icon_play : icon_pause, snapshot->is_paused,
               ACTION_PLAY, snapshot->is_paused ? "Continue  Space" : "Pause  Space");
    x_px = put(ui, x_px, icon_step, false, ACTION_STEP, "Step of 20 ms  .");
    x_px = put(ui, x_px, icon_slower, false, ACTION_SLOWER, "Half the speed  [");
    speed_text(snapshot, text, sizeof text);
    ui_text(ui, x_px + 24, TOP_PX + SIDE_PX / 2.0 + 5, text,
            (struct draw_item){.fill = ui->theme->text, .size_px = 13, .align = DRAW_CENTER});
    ui_hit_area(ui, (struct ui_rect){x_px, TOP_PX, 48, SIDE_PX}, ACTION_REAL_TIME, 0,
                "Real time  \\");
    x_px = put(ui, x_px + 52, icon_faster, false, ACTION_FASTER, "Twice the speed  ]");
    x_px = put(ui, x_px, icon_reset, false, ACTION_RESET, "Reset everything  Ctrl R");
    return divide(ui, x_px);
}

static double put_tools(const struct ui *ui, const struct view *view, double x_px)
{
    x_px = put(ui, x_px, icon_hand, view->tool == TOOL_HAND, ACTION_HAND,
               "Drag robots, press their parts  V");
    x_px = put(ui, x_px, icon_wall, view->tool == TOOL_WALL, ACTION_WALL, "Draw a wall  W");
    x_px = put(ui, x_px, icon_box, view->tool == TOOL_BOX, ACTION_BOX, "Draw a box  B");
    x_px = put(ui, x_px, icon_erase, view->tool == TOOL_ERASE, ACTION_ERASE,
               "Delete walls and boxes  D");
    x_px = put(ui, x_px, icon_undo, false, ACTION_UNDO, "Undo  Ctrl Z");
    return put(ui, x_px, icon_redo, false, ACTION_REDO, "Redo  Ctrl Y") + 8;
}

static void icon_help(const struct ui *ui, double x_px, double y_px, uint32_t color)
{
    ui_text(
        ui, x_px, y_px + 6, "?",
        (struct draw_item){.flags = DRAW_BOLD, .fill = color, .size_px = 17, .align = DRAW_CENTER});
}

static void put_window(const struct ui *ui, const struct view *view, double x_px)
{
    if (!view->snapshot->is_tap) {
        x_px = put(ui, x_px, icon_fit, view->frame == FRAME_ROOM, ACTION_FIT, "The whole room  0");
        x_px = put(ui, x_px, icon_action, view->frame == FRAME_ACTION, ACTION_FRAME_ALL,
                   "Robots, docks, movable objects  A");
        x_px = put(ui, x_px, icon_follow, view->frame == FRAME_ROBOT, ACTION_FOLLOW,
                   "Follow the robot  F");
        x_px = divide(ui, x_px);
    }
    x_px = put(ui, x_px, icon_panel, view_has_panel(view), ACTION_PANEL, "Panel  P");
    x_px = put(ui, x_px, icon_theme, false, ACTION_THEME, "Dark, light  K");
    x_px = put(ui, x_px, view->is_muted ? icon_muted : icon_sound, false, ACTION_SOUND,
               view->is_muted ? "Sound on  M" : "Sound off  M");
    put(ui, x_px, icon_help, view->is_help, ACTION_HELP, "Keys  F1");
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
           (struct draw_item){.fill = ui_surface_color(ui.theme)});
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
