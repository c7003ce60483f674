/* Building blocks of toolbar, panel and help: text, boxes and buttons as items of a draw list, and
 * areas that react to a click. In pixels of the window, before scaling. */
#pragma once

#include "viewer/draw/draw_list.h"
#include "viewer/draw/theme.h"
#include "viewer/model/actions.h"

/* ---- Clickable areas ---- */

enum { HIT_AREAS_MAX = 512 }; /* chosen: more than the tallest panel has */

struct ui_rect {
    double x_px, y_px, width_px, height_px;
};

/* A click runs ACTION with NUMBER. */
struct hit_area {
    struct ui_rect rect; /* in the window */
    enum action action;
    uint32_t number;
    const char *hint; /* description of the action, or NULL */
};

struct hit_areas {
    struct hit_area area[HIT_AREAS_MAX];
    size_t count;
};

/* The area at a point of the window, or NULL; the last added is on top. */
const struct hit_area *hit_areas_at(const struct hit_areas *areas, double x_px, double y_px);

/* ---- Drawing ---- */

/* The destination of drawing functions. */
struct ui {
    struct draw_list *list;
    struct hit_areas *hit_areas; /* or NULL: no clickable areas */
    const struct theme *theme;
    double left_px, top_px; /* position of the list's origin in the window, for the hit areas */
    double mouse_x_px, mouse_y_px; /* in the window */
    double from_px, to_px; /* text and boxes above or below are left out; to_px 0: no limits */
};

void ui_text(const struct ui *ui, double x_px, double y_px, const char *text,
             struct draw_item style);
/* In the theme's text color, 12 px. */
void ui_label(const struct ui *ui, double x_px, double y_px, const char *text);

void ui_box(const struct ui *ui, struct ui_rect rect, double corner_px, struct draw_item style);
void ui_line(const struct ui *ui, double x_px, double y_px, double to_x_px, double to_y_px,
             uint32_t color);

/* Makes a part clickable. Areas beyond HIT_AREAS_MAX are left out. */
void ui_hit_area(const struct ui *ui, struct ui_rect rect, enum action action, uint32_t number,
                 const char *hint);
/* A clickable line, highlighted while the mouse is over it. */
void ui_row(const struct ui *ui, struct ui_rect rect, enum action action, uint32_t number);
/* Whether the mouse is over a part. */
bool ui_is_hovered(const struct ui *ui, struct ui_rect rect);

/* A button with a text on it. */
void ui_button(const struct ui *ui, struct ui_rect rect, const char *text, bool is_on,
               enum action action, uint32_t number);
