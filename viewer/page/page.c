/* The page's state and pictures, and its mouse, finger and key events, handled as in the window. */
#include "viewer/page/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "viewer/draw/draw_scene.h"
#include "viewer/model/actions.h"
#include "viewer/model/overlay.h"
#include "viewer/model/pointer.h"
#include "viewer/page/json.h"
#include "viewer/panel/figure.h"
#include "viewer/panel/panel.h"

static struct {
    struct view view;
    void *snapshot; /* ROOM bytes */
    size_t room;
    struct draw_list lists[PAGE_LISTS];
    struct draw_list before; /* moving items of the previous picture */
    struct draw_change changes[DRAW_CALMS];
    bool is_unread;   /* CHANGES were not read yet */
    struct rows rows; /* of the panel, as returned last */
    char typed[PAGE_TYPED_MAX];
    struct viewport viewport; /* of the fixed items, as drawn last; */
    uint64_t generation;      /* 0: not yet */
    char *text;
} page;

struct view *page_view(void)
{
    return &page.view;
}

/* ---- Commands ---- */

/* Passes the commands of the view to the page. Called at the end of each function that may add
 * commands. The page may call this module meanwhile. */
static void send(void)
{
    for (const char *command; (command = outbox_take(&page.view.outbox));) {
        page.view.outbox.unanswered++;
        page_command(command);
    }
}

void page_reply(void)
{
    page.view.outbox.unanswered -= page.view.outbox.unanswered > 0;
}

/* ---- Snapshots ---- */

void page_start(void)
{
    double width_px = page.view.width_px, height_px = page.view.height_px;
    enum theme_name theme = page.view.viewport.theme;
    view_init(&page.view);
    page.view.is_panel = false; // the page shows it as HTML
    page.view.viewport.theme = theme;
    page.generation = 0;
    view_resize(&page.view, width_px, height_px);
}

void *page_room(uint32_t size)
{
    if (!array_reserve(&page.snapshot, &page.room, size, 1))
        return NULL;
    page.view.snapshot = page.view.snapshot ? page.snapshot : NULL;
    return page.snapshot;
}

bool page_take(uint32_t size)
{
    if (size > page.room || !snapshot_is_whole(page.snapshot, size))
        return false;
    view_set_snapshot(&page.view, page.snapshot);
    return true;
}

/* ---- Drawing ---- */

void page_resize(double width_px, double height_px)
{
    view_resize(&page.view, width_px, height_px + VIEW_TOOLBAR_PX);
}

void page_theme(bool is_dark)
{
    page.view.viewport.theme = is_dark ? THEME_DARK : THEME_LIGHT;
}

bool page_time(uint32_t now_ms)
{
    page.view.now_ms = now_ms;
    if (page.view.snapshot)
        pointer_send_target(&page.view);
    send();
    return view_glide(&page.view);
}

uint32_t page_draw(void)
{
    struct view *view = &page.view;
    uint32_t drawn = PAGE_DRAWN;
    if (!view->snapshot)
        return 0;
    const struct draw_list before = page.lists[PAGE_MOVING];
    page.lists[PAGE_MOVING] = page.before;
    page.before = before;
    for (size_t i = PAGE_MOVING; i <= PAGE_ABOVE; i++)
        draw_list_clear(&page.lists[i]);
    if (page.generation != view->snapshot->generation + 1 ||
        !viewport_is_same(&page.viewport, &view->viewport)) {
        draw_list_clear(&page.lists[PAGE_FIXED]);
        draw_static(&page.lists[PAGE_FIXED], &view->viewport, view->snapshot);
        page.viewport = view->viewport;
        page.generation = view->snapshot->generation + 1;
        drawn |= PAGE_DRAWN_FIXED;
    }
    draw_moving(&page.lists[PAGE_MOVING], &view->viewport, view->snapshot);
    overlay_draw_edits(&page.lists[PAGE_ABOVE], view);
    bool is_other = page.is_unread || drawn & PAGE_DRAWN_FIXED;
    for (int i = 0; i < DRAW_CALMS; i++) {
        draw_change_find(&page.changes[i], &page.before, &page.lists[PAGE_MOVING],
                         (enum draw_calm)i);
        page.changes[i].is_all = page.changes[i].is_all || is_other;
    }
    page.is_unread = true;
    return drawn;
}

const struct draw_change *page_change(enum draw_calm part)
{
    page.is_unread = false;
    return &page.changes[part];
}

const struct draw_list *page_list(enum page_list which)
{
    return &page.lists[which];
}

#define MEMBER(type, name) #type "." #name, offsetof(struct type, name)

const char *page_layout(void)
{
    static struct json json;
    static const struct {
        const char *name;
        size_t offset;
    } members[] = {{MEMBER(draw_list, items)},     {MEMBER(draw_list, points)},
                   {MEMBER(draw_list, bytes)},     {MEMBER(draw_list, item_count)},
                   {MEMBER(draw_list, calm_ends)}, {MEMBER(draw_change, boxes)},
                   {MEMBER(draw_change, count)},   {MEMBER(draw_change, is_all)},
                   {MEMBER(draw_item, kind)},      {MEMBER(draw_item, flags)},
                   {MEMBER(draw_item, fill)},      {MEMBER(draw_item, stroke)},
                   {MEMBER(draw_item, width_px)},  {MEMBER(draw_item, dash_px)},
                   {MEMBER(draw_item, soft_px)},   {MEMBER(draw_item, hatch_px)},
                   {MEMBER(draw_item, x_px)},      {MEMBER(draw_item, y_px)},
                   {MEMBER(draw_item, radius_px)}, {MEMBER(draw_item, from_rad)},
                   {MEMBER(draw_item, to_rad)},    {MEMBER(draw_item, key)},
                   {MEMBER(draw_item, size_px)},   {MEMBER(draw_item, align)},
                   {MEMBER(draw_item, first)},     {MEMBER(draw_item, count)},
                   {MEMBER(draw_item, columns)},   {MEMBER(draw_item, rows)}};
    json_clear(&json);
    json_begin(&json, NULL, '{');
    json_number(&json, "draw_item.bytes", sizeof(struct draw_item));
    for (size_t i = 0; i < COUNT(members); i++)
        json_number(&json, members[i].name, (double)members[i].offset);
    json_end(&json, '{');
    return json.text;
}

const char *page_text(enum page_list which)
{
    size_t size;
    free(page.text);
    page.text = NULL;
    FILE *out = open_memstream(&page.text, &size);
    if (!out)
        return NULL;
    draw_list_write_text(&page.lists[which], out);
    fclose(out);
    return page.text;
}

/* ---- Mouse, fingers and keys. The page has its own toolbar. ---- */

void page_press(double x_px, double y_px, bool is_turn)
{
    pointer_press(&page.view, x_px, y_px + VIEW_TOOLBAR_PX, is_turn);
    send();
}

void page_move(double x_px, double y_px)
{
    pointer_move(&page.view, x_px, y_px + VIEW_TOOLBAR_PX);
}

void page_release(double x_px, double y_px)
{
    pointer_release(&page.view, x_px, y_px + VIEW_TOOLBAR_PX);
    send();
}

void page_cancel(void)
{
    pointer_cancel(&page.view);
}

void page_zoom(double x_px, double y_px, double factor)
{
    view_zoom(&page.view, x_px, y_px + VIEW_TOOLBAR_PX, factor);
}

void page_pan(double dx_px, double dy_px)
{
    view_pan(&page.view, dx_px, dy_px);
}

const char *page_place(double x_m, double y_m)
{
    static struct json json;
    struct viewport_point at = viewport_px(&page.view.viewport, x_m, y_m);
    json_clear(&json);
    json_begin(&json, NULL, '{');
    json_number(&json, "x", at.x);
    json_number(&json, "y", at.y);
    json_end(&json, '{');
    return json.text;
}

uint32_t page_key(int32_t key, bool is_ctrl, bool is_shift)
{
    enum action action = action_of_key(key, is_ctrl, is_shift);
    action_run(&page.view, action, 0);
    send();
    return action;
}

void page_act(uint32_t action, uint32_t number)
{
    action_run(&page.view, (enum action)action, number);
    send();
}

void page_select(int32_t robot)
{
    view_select(&page.view, robot);
}

/* ---- The panel ---- */

const struct rows *page_rows(void)
{
    rows_clear(&page.rows);
    if (page.view.snapshot)
        panel_fill(&page.view, &page.rows);
    return &page.rows;
}

void page_read_only(bool is_read_only)
{
    page.view.is_read_only = is_read_only;
}

char *page_typed(void)
{
    return page.typed;
}

void page_type(uint32_t action, uint32_t number)
{
    action_type(&page.view, (enum action)action, number, page.typed);
}

void page_pin(uint32_t signal)
{
    action_run(&page.view, ACTION_PIN, signal);
}

void page_slide(uint32_t number, uint32_t step)
{
    action_run(&page.view, ACTION_FAULT_SLIDE, number * ACTION_SLIDE_KEY + step);
}

double page_figure_height(uint32_t row, double width_px)
{
    return row < page.rows.count ? figure_height_px(&page.rows.row[row], width_px) : 0;
}

void page_figure(uint32_t row, double width_px, double mouse_px)
{
    const struct ui ui = {.list = &page.lists[PAGE_FIGURE],
                          .theme = theme_of(page.view.viewport.theme),
                          .mouse_x_px = mouse_px,
                          .mouse_y_px = 1};
    draw_list_clear(ui.list);
    if (row < page.rows.count)
        figure_draw(
            &ui, &page.view, &page.rows, &page.rows.row[row],
            (struct ui_rect){.width_px = width_px, .height_px = page_figure_height(row, width_px)});
}

void page_plot_clear(uint32_t signal)
{
    plots_restart(&page.view.plots, signal);
}

void page_plot_add(uint32_t signal, double at_s, double value)
{
    plots_add(&page.view.plots, signal, (int64_t)llround(at_s * 1e6), value);
}
