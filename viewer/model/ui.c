/* Text, boxes, buttons and hit areas. */
#include "viewer/model/ui.h"

#include <math.h>

#include "base/angle.h"

static bool holds(struct ui_rect rect, double x_px, double y_px)
{
    return x_px >= rect.x_px && x_px < rect.x_px + rect.width_px && y_px >= rect.y_px &&
           y_px < rect.y_px + rect.height_px;
}

const struct hit_area *hit_areas_at(const struct hit_areas *areas, double x_px, double y_px)
{
    for (size_t i = areas->count; i-- > 0;)
        if (holds(areas->area[i].rect, x_px, y_px))
            return &areas->area[i];
    return NULL;
}

static bool is_seen(const struct ui *ui, double y_px, double height_px)
{
    return ui->to_px == 0 || (y_px + height_px > ui->from_px && y_px < ui->to_px);
}

void ui_text(const struct ui *ui, double x_px, double y_px, const char *text,
             struct draw_item style)
{
    if (*text && is_seen(ui, y_px - style.size_px, 2 * style.size_px))
        draw_text(ui->list, style, (struct viewport_point){x_px, y_px}, text);
}

void ui_label(const struct ui *ui, double x_px, double y_px, const char *text)
{
    ui_text(ui, x_px, y_px, text, (struct draw_item){.fill = ui->theme->text, .size_px = 12});
}

void ui_box(const struct ui *ui, struct ui_rect rect, double corner_px, struct draw_item style)
{
    enum { STEPS = 5 };
    struct viewport_point points[4 * STEPS];
    if (!is_seen(ui, rect.y_px, rect.height_px))
        return;
    double corner = fmin(corner_px, fmin(rect.width_px, rect.height_px) / 2);
    for (int i = 0; i < 4 * STEPS; i++) {
        int side = i / STEPS; // lower right, lower left, upper left, upper right
        double angle = ANGLE_PI / 2 * (side + (double)(i % STEPS) / (STEPS - 1));
        points[i] = (struct viewport_point){
            (side == 0 || side == 3 ? rect.x_px + rect.width_px - corner : rect.x_px + corner) +
                corner * cos(angle),
            (side < 2 ? rect.y_px + rect.height_px - corner : rect.y_px + corner) +
                corner * sin(angle)};
    }
    draw_polygon(ui->list, style, points, sizeof points / sizeof points[0]);
}

void ui_line(const struct ui *ui, double x_px, double y_px, double to_x_px, double to_y_px,
             uint32_t color)
{
    const struct viewport_point ends[] = {{x_px, y_px}, {to_x_px, to_y_px}};
    draw_line(ui->list, (struct draw_item){.flags = DRAW_BUTT, .stroke = color, .width_px = 1},
              ends, 2);
}

bool ui_is_hovered(const struct ui *ui, struct ui_rect rect)
{
    double y_px = ui->mouse_y_px - ui->top_px;
    return is_seen(ui, y_px, 0) && holds(rect, ui->mouse_x_px - ui->left_px, y_px);
}

void ui_hit_area(const struct ui *ui, struct ui_rect rect, enum action action, uint32_t number,
                 const char *hint)
{
    struct hit_areas *areas = ui->hit_areas;
    if (!areas || areas->count == HIT_AREAS_MAX || !is_seen(ui, rect.y_px, rect.height_px))
        return;
    double above_px = fmax(0, ui->from_px - rect.y_px);
    rect.y_px += above_px;
    rect.height_px -= above_px;
    rect.x_px += ui->left_px;
    rect.y_px += ui->top_px;
    areas->area[areas->count++] = (struct hit_area){rect, action, number, hint};
}

void ui_row(const struct ui *ui, struct ui_rect rect, enum action action, uint32_t number)
{
    if (ui_is_hovered(ui, rect))
        ui_box(ui, rect, 4, (struct draw_item){.fill = theme_alpha(ui->theme->left, 0.12)});
    ui_hit_area(ui, rect, action, number, NULL);
}

void ui_button(const struct ui *ui, struct ui_rect rect, const char *text, bool is_on,
               enum action action, uint32_t number)
{
    const struct theme *theme = ui->theme;
    bool is_hot = ui_is_hovered(ui, rect);
    uint32_t fill = is_on    ? theme->left
                    : is_hot ? theme_mix(theme->floor, theme->left, 0.16)
                             : theme_mix(theme->floor, theme->faint, 0.10);
    ui_box(ui, rect, 5, (struct draw_item){.fill = fill});
    ui_text(ui, rect.x_px + rect.width_px / 2, rect.y_px + rect.height_px / 2 + 4.5, text,
            (struct draw_item){
                .fill = is_on ? 0xFFFFFFFFu : theme->text, .size_px = 12, .align = DRAW_CENTER});
    ui_hit_area(ui, rect, action, number, NULL);
}
