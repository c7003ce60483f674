/* Words, boxes and buttons in pixels: what toolbar, panel and help are drawn with. */
#ifndef PTYBOT_VIEWER_WINDOW_SHEET_H
#define PTYBOT_VIEWER_WINDOW_SHEET_H

#include "viewer/draw/draw_list.h"
#include "viewer/draw/theme.h"
#include "viewer/window/zones.h"

struct sheet {
    struct draw_list *list;
    struct zones *zones; /* or NULL: nothing to click */
    const struct theme *theme;
    double left_px, top_px;        /* of the list's origin in the window, for the zones */
    double mouse_x_px, mouse_y_px; /* in the window */
};

struct sheet_box {
    double x_px, y_px, width_px, height_px;
};

/* A surface above the page: of panels and bars. */
uint32_t sheet_color(const struct theme *theme);

void sheet_text(const struct sheet *sheet, double x_px, double y_px, const char *text,
                struct draw_item style);
/* In the theme's color of words, 12 px. */
void sheet_word(const struct sheet *sheet, double x_px, double y_px, const char *text);
/* Fainter. */
void sheet_note(const struct sheet *sheet, double x_px, double y_px, const char *text);

void sheet_box(const struct sheet *sheet, struct sheet_box box, double corner_px,
               struct draw_item style);
void sheet_line(const struct sheet *sheet, double x_px, double y_px, double to_x_px, double to_y_px,
                uint32_t color);

/* A part that can be clicked. */
void sheet_zone(const struct sheet *sheet, struct sheet_box box, enum action action,
                uint32_t number, const char *hint);
bool sheet_is_under_mouse(const struct sheet *sheet, struct sheet_box box);

/* A button with a word on it. */
void sheet_button(const struct sheet *sheet, struct sheet_box box, const char *word, bool is_on,
                  enum action action, uint32_t number);

#endif
