/* Words, boxes and buttons. */
#include "viewer/window/sheet.h"

#include <math.h>

uint32_t sheet_color(const struct theme *theme)
{
    return theme->floor;
}

void sheet_text(const struct sheet *sheet, double x_px, double y_px, const char *text,
                struct draw_item style)
{
    draw_text(sheet->list, style, (struct viewport_point){x_px, y_px}, text);
}

void sheet_word(const struct sheet *sheet, double x_px, double y_px, const char *text)
{
    sheet_text(sheet, x_px, y_px, text,
               (struct draw_item){.fill = sheet->theme->text, .size_px = 12});
}

void sheet_note(const struct sheet *sheet, double x_px, double y_px, const char *text)
{
    sheet_text(sheet, x_px, y_px, text,
               (struct draw_item){.fill = sheet->theme->faint, .size_px = 12});
}

void sheet_box(const struct sheet *sheet, struct sheet_box box, double corner_px,
               struct draw_item style)
{
    enum { STEPS = 5 };
    struct viewport_point points[4 * STEPS];
    double corner = fmin(corner_px, fmin(box.width_px, box.height_px) / 2);
    for (int i = 0; i < 4 * STEPS; i++) {
        int side = i / STEPS; // lower right, lower left, upper left, upper right
        double angle = acos(-1) / 2 * (side + (double)(i % STEPS) / (STEPS - 1));
        points[i] = (struct viewport_point){
            (side == 0 || side == 3 ? box.x_px + box.width_px - corner : box.x_px + corner) +
                corner * cos(angle),
            (side < 2 ? box.y_px + box.height_px - corner : box.y_px + corner) +
                corner * sin(angle)};
    }
    draw_polygon(sheet->list, style, points, 4 * STEPS);
}

void sheet_line(const struct sheet *sheet, double x_px, double y_px, double to_x_px, double to_y_px,
                uint32_t color)
{
    const struct viewport_point ends[] = {{x_px, y_px}, {to_x_px, to_y_px}};
    draw_line(sheet->list, (struct draw_item){.flags = DRAW_BUTT, .stroke = color, .width_px = 1},
              ends, 2);
}

static bool holds(struct sheet_box box, double x_px, double y_px)
{
    return x_px >= box.x_px && x_px < box.x_px + box.width_px && y_px >= box.y_px &&
           y_px < box.y_px + box.height_px;
}

bool sheet_is_under_mouse(const struct sheet *sheet, struct sheet_box box)
{
    return holds(box, sheet->mouse_x_px - sheet->left_px, sheet->mouse_y_px - sheet->top_px);
}

void sheet_zone(const struct sheet *sheet, struct sheet_box box, enum action action,
                uint32_t number, const char *hint)
{
    if (sheet->zones)
        zones_add(sheet->zones, (struct zone){box.x_px + sheet->left_px, box.y_px + sheet->top_px,
                                              box.width_px, box.height_px, action, number, hint});
}

void sheet_button(const struct sheet *sheet, struct sheet_box box, const char *word, bool is_on,
                  enum action action, uint32_t number)
{
    const struct theme *theme = sheet->theme;
    bool is_hot = sheet_is_under_mouse(sheet, box);
    uint32_t fill = is_on    ? theme->left
                    : is_hot ? theme_mix(sheet_color(theme), theme->left, 0.16)
                             : theme_mix(sheet_color(theme), theme->faint, 0.10);
    sheet_box(sheet, box, 5, (struct draw_item){.fill = fill});
    sheet_text(sheet, box.x_px + box.width_px / 2, box.y_px + box.height_px / 2 + 4.5, word,
               (struct draw_item){
                   .fill = is_on ? 0xFFFFFFFFu : theme->text, .size_px = 12, .align = DRAW_CENTER});
    sheet_zone(sheet, box, action, number, NULL);
}
