/* The panel: a head with tabs, and the page of the open one; or the roster. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/window/panel.h"

enum { HEAD_PX = 96, WIDTH_PX = VIEW_PANEL_PX };

static void draw_chip(const struct ui *ui, double *right_px, double y_px, const char *word,
                      uint32_t color)
{
    double width_px = 7.0 * (double)strlen(word) + 16;
    *right_px -= width_px;
    struct ui_rect box = {*right_px, y_px, width_px, 20};
    ui_box(ui, box, 10,
           (struct draw_item){.fill = theme_alpha(color, 0.18), .stroke = color, .width_px = 1});
    ui_text(ui, *right_px + width_px / 2, y_px + 14.5, word,
            (struct draw_item){.fill = ui->theme->text, .size_px = 11, .align = DRAW_CENTER});
    *right_px -= 6;
}

static void draw_head(const struct ui *ui, const struct view *view,
                      const struct snapshot_robot *robot)
{
    // Of a tapped robot no signals are known.
    static const struct {
        enum view_tab tab;
        const char *word;
    } tabs[] = {{TAB_ROBOT, "Robot"},
                {TAB_SIGNALS, "Signals"},
                {TAB_FRAMES, "Frames"},
                {TAB_FAULTS, "Faults"}},
      of_tap[] = {{TAB_ROBOT, "Line"}, {TAB_FRAMES, "Frames"}};
    bool is_tap = view->snapshot->is_tap;
    uint32_t count = is_tap ? 2 : TAB_COUNT;
    const struct theme *theme = ui->theme;
    double right_px = WIDTH_PX - PANEL_MARGIN_PX;
    char text[2 * SNAPSHOT_LABEL_MAX];
    ui_box(ui, (struct ui_rect){0, 0, WIDTH_PX, HEAD_PX}, 0,
           (struct draw_item){.fill = ui_surface_color(theme)});
    ui_text(ui, PANEL_MARGIN_PX, 30, robot->label,
            (struct draw_item){.flags = DRAW_BOLD, .fill = theme->text, .size_px = 17});
    snprintf(text, sizeof text, "%s \xc2\xb7 %s", robot->name,
             snapshot_text(view->snapshot, robot->title));
    ui_note(ui, PANEL_MARGIN_PX, 49, text);
    if (view->snapshot->robots.count > 1) {
        struct ui_rect all = {right_px - 78, 38, 78, 18};
        ui_text(ui, right_px, 49, "all robots",
                (struct draw_item){.fill = ui_is_hovered(ui, all) ? theme->text : theme->left,
                                   .size_px = 12,
                                   .align = DRAW_RIGHT});
        ui_hit_area(ui, all, ACTION_ROSTER, 0, NULL);
    }
    if (robot->fault_count > 0) {
        snprintf(text, sizeof text, robot->fault_count == 1 ? "%u fault" : "%u faults",
                 robot->fault_count);
        draw_chip(ui, &right_px, 15, text, theme->warn);
    }
    if (robot->is_lifted)
        draw_chip(ui, &right_px, 15, "lifted", theme->warn);
    if (robot->is_docked)
        draw_chip(ui, &right_px, 15, "docked", theme->good);
    if (robot->has_adapter)
        draw_chip(ui, &right_px, 15, "charger", theme->good);
    for (uint32_t i = 0; i < count; i++) {
        enum view_tab tab = is_tap ? of_tap[i].tab : tabs[i].tab;
        double width_px = (WIDTH_PX - 2 * PANEL_MARGIN_PX) / (double)count;
        struct ui_rect box = {PANEL_MARGIN_PX + i * width_px, 62, width_px, 32};
        bool is_on = view->tab == tab;
        ui_text(
            ui, box.x_px + width_px / 2, 82, is_tap ? of_tap[i].word : tabs[i].word,
            (struct draw_item){.flags = is_on ? DRAW_BOLD : 0,
                               .fill = is_on || ui_is_hovered(ui, box) ? theme->text : theme->faint,
                               .size_px = 13,
                               .align = DRAW_CENTER});
        if (is_on)
            ui_box(ui, (struct ui_rect){box.x_px + 12, 91, width_px - 24, 3}, 1.5,
                   (struct draw_item){.fill = theme->left});
        ui_hit_area(ui, box, ACTION_TAB, tab, NULL);
    }
    ui_line(ui, 0, HEAD_PX - 1.5, WIDTH_PX, HEAD_PX - 1.5, theme_alpha(theme->faint, 0.35));
}

static double draw_page(const struct ui *ui, const struct view *view,
                        const struct snapshot_robot *robot, double y_px)
{
    switch (view_page(view)) {
    case TAB_FAULTS:
        return panel_faults(ui, view, robot, y_px);
    case PAGE_ROSTER:
        return panel_roster(ui, view, y_px);
    case TAB_SIGNALS:
        return panel_signals(ui, view, robot, y_px);
    case TAB_FRAMES:
        return panel_frames(ui, view, robot, y_px);
    default:
        return panel_robot(ui, view, robot, y_px);
    }
}

/* How far the page is scrolled. */
static void draw_scroll(const struct ui *ui, const struct view *view, double height_px)
{
    double shown = height_px - HEAD_PX, whole = view->page_px - HEAD_PX;
    if (whole <= shown)
        return;
    double part = shown / whole, from = view->scroll_px[view_page(view)] / whole;
    ui_box(ui, (struct ui_rect){WIDTH_PX - 7, HEAD_PX + from * shown, 4, fmax(24, part * shown)}, 2,
           (struct draw_item){.fill = theme_alpha(ui->theme->faint, 0.5)});
}

void panel_draw(struct draw_list *list, struct view *view)
{
    const struct snapshot_robot *robot = view_robot(view);
    double height_px = view_below_px(view);
    const struct ui ui = {.list = list,
                          .hit_areas = &view->panel_hit_areas,
                          .theme = theme_of(view->viewport.theme),
                          .left_px = view_room_px(view),
                          .top_px = VIEW_TOOLBAR_PX,
                          .mouse_x_px = view->mouse_x_px,
                          .mouse_y_px = view->mouse_y_px};
    view->panel_hit_areas.count = 0;
    if (!view->snapshot)
        return;
    ui_box(&ui, (struct ui_rect){0, 0, WIDTH_PX, height_px}, 0,
           (struct draw_item){.fill = ui_surface_color(ui.theme)});
    double scroll_px = view->scroll_px[view_page(view)];
    view->page_px = draw_page(&ui, view, robot, HEAD_PX + 8 - scroll_px) + scroll_px + 16;
    // The head comes last, on top of what is scrolled and of its hit areas.
    if (robot)
        draw_head(&ui, view, robot);
    else
        panel_roster_head(&ui, view);
    draw_scroll(&ui, view, height_px);
    ui_line(&ui, 0.5, 0, 0.5, height_px, theme_alpha(ui.theme->faint, 0.35));
}
