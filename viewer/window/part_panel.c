/* The panel: a head, three tabs and a page. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/window/parts.h"

enum { HEAD_PX = 96, WIDTH_PX = VIEW_PANEL_PX };

static void draw_chip(const struct sheet *sheet, double *right_px, double y_px, const char *word,
                      uint32_t color)
{
    double width_px = 7.0 * (double)strlen(word) + 16;
    *right_px -= width_px;
    struct sheet_box box = {*right_px, y_px, width_px, 20};
    sheet_box(sheet, box, 10,
              (struct draw_item){.fill = theme_alpha(color, 0.18), .stroke = color, .width_px = 1});
    sheet_text(sheet, *right_px + width_px / 2, y_px + 14.5, word,
               (struct draw_item){.fill = sheet->theme->text, .size_px = 11, .align = DRAW_CENTER});
    *right_px -= 6;
}

static void draw_head(const struct sheet *sheet, const struct view *view,
                      const struct snapshot_robot *robot)
{
    static const char *const words[] = {"Robot", "Signals", "Frames"};
    const struct theme *theme = sheet->theme;
    const struct robot_type *type = robot_type_find(robot->type);
    double right_px = WIDTH_PX - PANEL_MARGIN_PX;
    char text[2 * SNAPSHOT_LABEL_MAX];
    sheet_box(sheet, (struct sheet_box){0, 0, WIDTH_PX, HEAD_PX}, 0,
              (struct draw_item){.fill = sheet_color(theme)});
    sheet_text(sheet, PANEL_MARGIN_PX, 30, robot->label,
               (struct draw_item){.flags = DRAW_BOLD, .fill = theme->text, .size_px = 17});
    snprintf(text, sizeof text, "%s \xc2\xb7 %s", robot->name, type ? type->title : robot->type);
    sheet_note(sheet, PANEL_MARGIN_PX, 49, text);
    if (robot->is_lifted)
        draw_chip(sheet, &right_px, 15, "lifted", theme->warn);
    if (robot->is_docked)
        draw_chip(sheet, &right_px, 15, "docked", theme->good);
    if (robot->has_adapter)
        draw_chip(sheet, &right_px, 15, "charger", theme->good);
    for (uint32_t i = 0; i < TAB_COUNT; i++) {
        double width_px = (WIDTH_PX - 2 * PANEL_MARGIN_PX) / (double)TAB_COUNT;
        struct sheet_box box = {PANEL_MARGIN_PX + i * width_px, 62, width_px, 32};
        bool is_on = view->tab == i;
        sheet_text(sheet, box.x_px + width_px / 2, 82, words[i],
                   (struct draw_item){.flags = is_on ? DRAW_BOLD : 0,
                                      .fill = is_on || sheet_is_under_mouse(sheet, box)
                                                  ? theme->text
                                                  : theme->faint,
                                      .size_px = 13,
                                      .align = DRAW_CENTER});
        if (is_on)
            sheet_box(sheet, (struct sheet_box){box.x_px + 12, 91, width_px - 24, 3}, 1.5,
                      (struct draw_item){.fill = theme->left});
        sheet_zone(sheet, box, ACTION_TAB, i, NULL);
    }
    sheet_line(sheet, 0, HEAD_PX - 1.5, WIDTH_PX, HEAD_PX - 1.5, theme_alpha(theme->faint, 0.35));
}

static double draw_page(const struct sheet *sheet, const struct view *view,
                        const struct snapshot_robot *robot, double y_px)
{
    switch (view->tab) {
    case TAB_SIGNALS:
        return panel_signals(sheet, view, robot, y_px);
    case TAB_FRAMES:
        return panel_frames(sheet, view, robot, y_px);
    default:
        return panel_robot(sheet, view, robot, y_px);
    }
}

/* How far the page is scrolled. */
static void draw_scroll(const struct sheet *sheet, const struct view *view, double height_px)
{
    double shown = height_px - HEAD_PX, whole = view->page_px - HEAD_PX;
    if (whole <= shown)
        return;
    double part = shown / whole, from = view->scroll_px[view->tab] / whole;
    sheet_box(sheet,
              (struct sheet_box){WIDTH_PX - 7, HEAD_PX + from * shown, 4, fmax(24, part * shown)},
              2, (struct draw_item){.fill = theme_alpha(sheet->theme->faint, 0.5)});
}

void part_panel(struct draw_list *list, struct view *view)
{
    const struct snapshot_robot *robot = view_robot(view);
    double height_px = view->height_px - VIEW_TOOLBAR_PX;
    const struct sheet sheet = {.list = list,
                                .zones = &view->panel_zones,
                                .theme = theme_of(view->viewport.theme),
                                .left_px = view_room_px(view),
                                .top_px = VIEW_TOOLBAR_PX,
                                .mouse_x_px = view->mouse_x_px,
                                .mouse_y_px = view->mouse_y_px};
    view->panel_zones.count = 0;
    if (!robot)
        return;
    sheet_box(&sheet, (struct sheet_box){0, 0, WIDTH_PX, height_px}, 0,
              (struct draw_item){.fill = sheet_color(sheet.theme)});
    double scroll_px = view->scroll_px[view->tab];
    view->page_px = draw_page(&sheet, view, robot, HEAD_PX + 8 - scroll_px) + scroll_px + 16;
    // The head comes last: what is scrolled lies under it, and so do its zones.
    draw_head(&sheet, view, robot);
    draw_scroll(&sheet, view, height_px);
    sheet_line(&sheet, 0.5, 0, 0.5, height_px, theme_alpha(sheet.theme->faint, 0.35));
}
