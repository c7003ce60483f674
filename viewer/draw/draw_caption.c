/* Text around the picture: the title, the time, the scale bar and the legend. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/draw/draw.h"

static const double LEFT_PX = 24;
static const double SCALE_PX = 120; /* chosen: the longest scale bar */

/* ---- Around the picture ---- */

/* A background for text on top of the picture: walls would be visible through a less opaque one. */
static void draw_plate(const struct drawing *drawing, double left, double top, double right,
                       double low)
{
    draw_rect(drawing->list,
              (struct draw_item){.fill = theme_alpha(drawing->theme->halo, 1),
                                 .stroke = theme_alpha(drawing->theme->faint, 0.4),
                                 .width_px = 1},
              left, top, right, low);
}

/* The title, at most ROOM_PX wide: with smaller letters if that suffices, else cut. */
static void draw_title(const struct drawing *drawing, double room_px)
{
    const double letter = 0.62; // of their size: the mean width of bold letters
    const char *title = drawing->snapshot->title;
    size_t bytes = strlen(title);
    double size_px = letter * 20 * (double)bytes > room_px ? 15 : 20;
    char text[sizeof drawing->snapshot->title + 4];
    bool is_cut = letter * size_px * (double)bytes > room_px;
    if (is_cut)
        bytes = (size_t)fmax(0, room_px / (letter * size_px) - 1);
    while (bytes > 0 && (title[bytes] & 0xC0) == 0x80)
        bytes--; // not within a letter
    snprintf(text, sizeof text, "%.*s%s", (int)bytes, title, is_cut ? "\xe2\x80\xa6" : "");
    drawing_text(
        drawing,
        (struct draw_item){.flags = DRAW_BOLD, .fill = drawing->theme->text, .size_px = size_px},
        (struct viewport_point){LEFT_PX, 31}, text);
}

static void draw_head(const struct drawing *drawing)
{
    double right_px = drawing->viewport->width_px - 24;
    char text[64];
    snprintf(text, sizeof text, "%.2f s%s", (double)drawing->snapshot->now_us * 1e-6,
             drawing->snapshot->is_paused ? "  paused" : "");
    double clock_px = right_px - 10 * (double)strlen(text) - 9; // hinted letters of 16 px
    draw_title(drawing, clock_px - 10 - LEFT_PX);
    draw_plate(drawing, clock_px, 13, right_px + 6, 37);
    draw_text(
        drawing->list,
        (struct draw_item){
            .flags = DRAW_MONO, .fill = drawing->theme->faint, .size_px = 16, .align = DRAW_RIGHT},
        (struct viewport_point){right_px, 31}, text);
}

/* The longest scale of 1, 2 or 5 times a power of ten that fits into MOST_PX. */
static double scale_m(const struct viewport *viewport, double most_px)
{
    double power = pow(10, floor(log10(most_px / viewport->px_per_m)));
    double fits = most_px / viewport->px_per_m / power;
    return power * (fits >= 5 ? 5 : fits >= 2 ? 2 : 1);
}

/* Returns the position of its left end. */
static double draw_scale(const struct drawing *drawing)
{
    const struct theme *theme = drawing->theme;
    double length_m = scale_m(drawing->viewport, SCALE_PX);
    double length_px = length_m * drawing->viewport->px_per_m;
    double right = drawing->viewport->width_px - 24, low = drawing->viewport->height_px - 16;
    struct viewport_point bar[] = {
        {right - length_px, low - 5}, {right - length_px, low}, {right, low}, {right, low - 5}};
    char text[32];
    draw_plate(drawing, right - fmax(length_px, 48) - 6, low - 24, right + 6, low + 6);
    draw_line(drawing->list,
              (struct draw_item){.flags = DRAW_BUTT, .stroke = theme->faint, .width_px = 1.75}, bar,
              4);
    if (length_m < 1)
        snprintf(text, sizeof text, "%g cm", round(length_m * 1000) / 10);
    else
        snprintf(text, sizeof text, "%g m", round(length_m));
    drawing_text(drawing,
                 (struct draw_item){.fill = theme->faint, .size_px = 14, .align = DRAW_CENTER},
                 (struct viewport_point){right - length_px / 2, low - 6}, text);
    return right - fmax(length_px, 48) - 6;
}

/* ---- Legend ---- */

enum { KEYS_MAX = 16, LINES_MAX = 4, LINE_PX = 20 };
static const double SIGN_PX = 28;

/* A symbol and its word; a key without a color is a heading. */
struct key {
    struct draw_item sign;
    const char *word;
};

struct legend {
    struct key keys[KEYS_MAX];
    size_t count;
};

static void add_key(struct legend *legend, struct draw_item sign, const char *word)
{
    if (legend->count < KEYS_MAX)
        legend->keys[legend->count++] = (struct key){sign, word};
}

static bool is_heading(const struct key *key)
{
    return !key->sign.fill && !key->sign.stroke;
}

static double key_px(const struct key *key)
{
    double word_px = 8.0 * (double)strlen(key->word); // chosen: as for wide letters
    return word_px + (is_heading(key) ? 8 : SIGN_PX + 14);
}

/* A heading has a wider gap before it. */
static double gap_px(const struct key *key, double x_px)
{
    return is_heading(key) && x_px > LEFT_PX ? 14 : 0;
}

static void draw_key(const struct drawing *drawing, double x_px, double y_px, const struct key *key)
{
    struct viewport_point ends[] = {{x_px, y_px}, {x_px + 22, y_px}};
    if (key->sign.fill)
        draw_rect(drawing->list, key->sign, x_px, y_px - 6, x_px + 22, y_px + 5);
    else if (key->sign.stroke)
        draw_line(drawing->list, key->sign, ends, 2);
    drawing_text(drawing, (struct draw_item){.fill = drawing->theme->faint, .size_px = 14},
                 (struct viewport_point){x_px + (is_heading(key) ? 0 : SIGN_PX), y_px + 4.5},
                 key->word);
}

/* Draws COUNT keys on a plate, each in its line; the last line is at the lower edge. */
static void draw_lines(const struct drawing *drawing, const struct key *keys, const size_t *line_of,
                       size_t count)
{
    double low_px = drawing->viewport->height_px - 20, at_px[KEYS_MAX], right_px = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_first = i == 0 || line_of[i] != line_of[i - 1];
        double end_px = is_first ? LEFT_PX : at_px[i - 1] + key_px(&keys[i - 1]);
        at_px[i] = end_px + gap_px(&keys[i], end_px);
        right_px = fmax(right_px, at_px[i] + key_px(&keys[i]));
    }
    if (count > 0)
        draw_plate(drawing, LEFT_PX - 8, low_px - 14 - LINE_PX * (double)line_of[count - 1],
                   right_px - 2, low_px + 12);
    for (size_t i = 0; i < count; i++)
        draw_key(drawing, at_px[i], low_px - LINE_PX * (double)(line_of[count - 1] - line_of[i]),
                 &keys[i]);
}

/* Draws the keys in lines, the last of them at the lower edge next to the scale bar. Leaves keys
 * out if LINES_MAX lines up to RIGHT_PX are full. */
static void draw_keys(const struct drawing *drawing, const struct legend *legend, double right_px)
{
    double x_px = LEFT_PX;
    size_t line_of[KEYS_MAX], line = 0, count = 0;
    double whole_px = 0;
    for (size_t i = 0; i < legend->count; i++)
        whole_px += gap_px(&legend->keys[i], LEFT_PX + whole_px) + key_px(&legend->keys[i]);
    for (; count < legend->count; count++) {
        double width_px = gap_px(&legend->keys[count], x_px) + key_px(&legend->keys[count]);
        // If there are several lines, a heading begins a new one.
        bool is_first = is_heading(&legend->keys[count]) && LEFT_PX + whole_px > right_px;
        if (x_px > LEFT_PX && (is_first || x_px + width_px > right_px)) {
            line++;
            x_px = LEFT_PX;
        }
        if (line == LINES_MAX || x_px + width_px > right_px)
            break;
        line_of[count] = line;
        x_px += width_px;
    }
    draw_lines(drawing, legend->keys, line_of, count);
}

static bool has_odometry(const struct snapshot *snapshot)
{
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    for (size_t i = 0; i < snapshot->robots.count; i++)
        if (robots[i].has_odometry &&
            (robots[i].odometry_trail.count > 1 || draw_has_ghost(&robots[i])))
            return true;
    return false;
}

static bool is_any_sensor(const struct snapshot *snapshot, unsigned kind)
{
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    for (size_t i = 0; i < snapshot->robots.count; i++)
        for (uint32_t k = 0; k < robots[i].sensor_count; k++)
            if (robots[i].sensors[k].kind == kind)
                return true;
    return false;
}

static struct draw_item box_key(uint32_t color, double fill, double edge, double dash_px)
{
    return (struct draw_item){.fill = theme_alpha(color, fill),
                              .stroke = theme_alpha(color, edge),
                              .width_px = 1.25,
                              .dash_px = dash_px};
}

static bool has_dock(const struct snapshot *snapshot, unsigned kind)
{
    const struct snapshot_dock *docks = snapshot_at(snapshot, snapshot->docks);
    for (size_t i = 0; i < snapshot->docks.count; i++)
        if (docks[i].kind == kind)
            return true;
    return false;
}

/* The light of each kind of dock in the room, after a heading. */
static void add_light(const struct drawing *drawing, struct legend *legend)
{
    const struct theme *theme = drawing->theme;
    if (has_dock(drawing->snapshot, DOCK_KOBUKI)) {
        add_key(legend, (struct draw_item){0}, "dock light:");
        add_key(legend, box_key(theme->left, 0.35, 1, 0), "L left");
        add_key(legend, box_key(theme->center, 0.35, 1, 0), "C center");
        add_key(legend, box_key(theme->right, 0.35, 1, 0), "R right");
        add_key(legend, box_key(theme->faint, 0.35, 1, 0), "near");
        add_key(legend, box_key(theme->faint, 0.15, 1, 4), "far");
    }
    if (has_dock(drawing->snapshot, DOCK_HOME_BASE)) {
        add_key(legend, (struct draw_item){0}, "dock light:");
        add_key(legend, box_key(theme->odometry, 0.35, 1, 0), "R red buoy");
        add_key(legend, box_key(theme->good, 0.35, 1, 0), "G green buoy");
        add_key(legend, box_key(theme->field, 0.35, 1, 0), "force field");
    }
}

static void draw_legend(const struct drawing *drawing, double right_px)
{
    const struct theme *theme = drawing->theme;
    const struct snapshot *snapshot = drawing->snapshot;
    uint32_t shows = drawing->viewport->shows;
    struct legend legend = {.count = 0};
    if (shows & SHOW_ODOMETRY && has_odometry(snapshot)) {
        add_key(&legend, (struct draw_item){.stroke = theme->trail, .width_px = 2.5},
                "actual path");
        add_key(&legend, (struct draw_item){.stroke = theme->odometry, .width_px = 2, .dash_px = 6},
                "odometry");
    }
    if (shows & SHOW_CONES)
        add_light(drawing, &legend);
    if (shows & SHOW_RAYS && is_any_sensor(snapshot, SENSOR_RANGE))
        add_key(&legend, box_key(theme->ray, 0.3, 0.8, 0), "range");
    if (shows & SHOW_RAYS && is_any_sensor(snapshot, SENSOR_CAMERA))
        add_key(&legend, box_key(theme->field, 0.3, 0.8, 0), "camera");
    draw_keys(drawing, &legend, right_px);
}

void draw_caption(const struct drawing *drawing)
{
    draw_head(drawing);
    draw_legend(drawing, draw_scale(drawing));
}
