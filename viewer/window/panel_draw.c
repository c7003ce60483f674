/* A drawing function for each kind of row, from top to bottom. */
#include "viewer/window/panel_draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/model/ui.h"
#include "viewer/panel/figure.h"
#include "viewer/panel/panel.h"

enum {
    WIDTH_PX = VIEW_PANEL_PX,
    MARGIN_PX = 16,
    RIGHT_PX = WIDTH_PX - MARGIN_PX,
    INNER_PX = RIGHT_PX - MARGIN_PX,
    LEVEL_PX = 14, /* indentation per level */
    GAP_PX = 8,    /* between buttons */
    NOTE_PX = 84,  /* from the label of an entry or field to its value */
};

struct pen {
    struct ui ui;
    const struct view *view;
    const struct rows *rows;
    double y_px;               /* where the next row begins */
    double chip_right_px;      /* where the next chip ends */
    const struct row *columns; /* of the table, */
    size_t column_count;       /* their number */
    size_t i, run;             /* the row is number I of RUN consecutive rows of its kind */
};

static uint32_t color_of(const struct pen *pen, const struct row *row, uint32_t plain)
{
    const struct theme *theme = pen->ui.theme;
    const uint32_t colors[TONES] = {plain,       theme->faint, theme->good,
                                    theme->warn, theme->left,  theme->odometry};
    return colors[row->tone];
}

static const char *label_of(const struct pen *pen, const struct row *row)
{
    return rows_text(pen->rows, row->label);
}

static double left_px(const struct row *row)
{
    return MARGIN_PX + LEVEL_PX * (double)row->level;
}

static void put(const struct pen *pen, double x_px, double y_px, const char *text, uint32_t color,
                double size_px, uint32_t flags, enum draw_align align)
{
    ui_text(&pen->ui, x_px, y_px, text,
            (struct draw_item){.flags = flags, .fill = color, .size_px = size_px, .align = align});
}

/* Copies the beginning of a text, at most LETTERS letters; moves TEXT past it. */
static void take_letters(const char **text, size_t letters, bool is_wrapped, char *out, size_t size)
{
    size_t end = 0, blank = 0;
    for (size_t count = 0; (*text)[end] && count < letters; count++) {
        if ((*text)[end] == ' ')
            blank = end;
        for (end++; ((*text)[end] & 0xC0) == 0x80;)
            end++; // the further bytes of a letter
    }
    if (is_wrapped && (*text)[end] && blank > 0)
        end = blank;
    snprintf(out, size, "%.*s", (int)end, *text);
    *text += end;
    *text += **text == ' ';
}

/* Text wrapped to as many lines as necessary. LETTER_PX: the mean width of a letter. */
static void put_lines(struct pen *pen, const struct row *row, double letter_px, double line_px,
                      struct draw_item style)
{
    const char *text = label_of(pen, row);
    double x_px = left_px(row);
    char line[512];
    do {
        take_letters(&text, (size_t)((RIGHT_PX - x_px) / letter_px), true, line, sizeof line);
        ui_text(&pen->ui, x_px, pen->y_px + line_px - 4, line, style);
        pen->y_px += line_px;
    } while (*text);
    pen->y_px += 4;
}

/* A text up to the right edge; a longer one is cut and ends with an ellipsis. */
static void put_note(struct pen *pen, double x_px, double y_px, const char *text)
{
    char shown[256];
    size_t letters = (size_t)((RIGHT_PX - x_px) / 6.3); // chosen: their mean width
    take_letters(&text, letters, false, shown, sizeof shown - 3);
    strcat(shown, *text ? "\xe2\x80\xa6" : "");
    put(pen, x_px, y_px, shown, pen->ui.theme->faint, 12, 0, DRAW_LEFT);
}

/* ---- The head ---- */

static void draw_title(struct pen *pen, const struct row *row)
{
    put(pen, MARGIN_PX, pen->y_px + 30, label_of(pen, row), pen->ui.theme->text, 17, DRAW_BOLD,
        DRAW_LEFT);
    pen->y_px += 36;
    pen->chip_right_px = RIGHT_PX;
}

static void draw_chip(struct pen *pen, const struct row *row)
{
    const char *word = label_of(pen, row);
    uint32_t color = color_of(pen, row, pen->ui.theme->faint);
    double width_px = 7.0 * (double)strlen(word) + 16;
    struct ui_rect box = {pen->chip_right_px - width_px, pen->y_px - 21, width_px, 20};
    ui_box(&pen->ui, box, 10,
           (struct draw_item){.fill = theme_alpha(color, 0.18), .stroke = color, .width_px = 1});
    put(pen, box.x_px + width_px / 2, box.y_px + 14.5, word, pen->ui.theme->text, 11, 0,
        DRAW_CENTER);
    pen->chip_right_px = box.x_px - 6;
}

static void draw_tab(struct pen *pen, const struct row *row)
{
    const struct theme *theme = pen->ui.theme;
    double width_px = (WIDTH_PX - MARGIN_PX) / (double)pen->run;
    struct ui_rect box = {MARGIN_PX / 2.0 + (double)pen->i * width_px, pen->y_px + 6, width_px, 32};
    bool is_hot = row->is_on || ui_is_hovered(&pen->ui, box);
    put(pen, box.x_px + width_px / 2, box.y_px + 20, label_of(pen, row),
        is_hot ? theme->text : theme->faint, 13, row->is_on ? DRAW_BOLD : 0, DRAW_CENTER);
    if (row->is_on)
        ui_box(&pen->ui, (struct ui_rect){box.x_px + 6, box.y_px + 29, width_px - 12, 3}, 1.5,
               (struct draw_item){.fill = theme->left});
    ui_hit_area(&pen->ui, box, row->action, row->number, NULL);
    pen->y_px += pen->i + 1 == pen->run ? 40 : 0;
}

/* ---- Texts and values ---- */

/* The part before a heading: a thin line between sections, a mark. */
static void draw_mark(struct pen *pen, const struct row *row)
{
    uint32_t color = color_of(pen, row, 0);
    if (row->level == 0 && row != pen->rows->row + pen->rows->head_count) {
        pen->y_px += 4;
        ui_line(&pen->ui, MARGIN_PX, pen->y_px - 0.5, RIGHT_PX, pen->y_px - 0.5,
                theme_alpha(pen->ui.theme->faint, 0.3));
        pen->y_px += 4;
    }
    draw_disc(pen->ui.list,
              (struct draw_item){.fill = row->is_on ? color : 0, .stroke = color, .width_px = 2},
              (struct viewport_point){MARGIN_PX + 5, pen->y_px + 12}, 4);
}

static void draw_heading(struct pen *pen, const struct row *row)
{
    const struct theme *theme = pen->ui.theme;
    const char *button = rows_text(pen->rows, row->button);
    double right_px = RIGHT_PX;
    draw_mark(pen, row);
    put(pen, MARGIN_PX + (row->tone ? LEVEL_PX + 4 : 0), pen->y_px + 16, label_of(pen, row),
        theme->text, 12, DRAW_BOLD, DRAW_LEFT);
    if (*button) {
        double width_px = 7.0 * (double)strlen(button) + 28;
        right_px -= width_px;
        ui_button(&pen->ui, (struct ui_rect){right_px, pen->y_px, width_px, 22}, button, false,
                  row->action, row->number);
        right_px -= 10;
    }
    put(pen, right_px, pen->y_px + 16, rows_text(pen->rows, row->value),
        row->level > 0 ? theme->faint : theme->text, 12, 0, DRAW_RIGHT);
    pen->y_px += row->level > 0 ? 22 : 26;
}

static void draw_text_row(struct pen *pen, const struct row *row)
{
    put_lines(pen, row, 6.4, 16,
              (struct draw_item){.fill = color_of(pen, row, pen->ui.theme->faint), .size_px = 12});
}

static void draw_code(struct pen *pen, const struct row *row)
{
    put_lines(pen, row, 6.7, 16,
              (struct draw_item){.flags = DRAW_MONO,
                                 .fill = color_of(pen, row, pen->ui.theme->text),
                                 .size_px = 11});
}

static void draw_value(struct pen *pen, const struct row *row)
{
    const struct theme *theme = pen->ui.theme;
    double height_px = row->level > 0 ? 16 : 20, size_px = row->level > 0 ? 11 : 12;
    double base_px = pen->y_px + height_px / 2 + 4;
    put(pen, left_px(row), base_px, label_of(pen, row), theme->faint, size_px, 0, DRAW_LEFT);
    put(pen, RIGHT_PX, base_px, rows_text(pen->rows, row->value),
        row->kind == ROW_BAR ? theme->text : color_of(pen, row, theme->text), size_px, DRAW_MONO,
        DRAW_RIGHT);
    pen->y_px += height_px + (row->kind == ROW_VALUE && pen->i + 1 == pen->run ? 4 : 0);
}

static void draw_bar(struct pen *pen, const struct row *row)
{
    struct ui_rect bar = {MARGIN_PX + 64, pen->y_px + 4, 150, 12};
    ui_box(&pen->ui, bar, 6, (struct draw_item){.fill = theme_alpha(pen->ui.theme->faint, 0.25)});
    bar.width_px *= row->part;
    if (bar.width_px > 2)
        ui_box(&pen->ui, bar, 6,
               (struct draw_item){.fill = color_of(pen, row, pen->ui.theme->left)});
    draw_value(pen, row);
}

/* ---- Clickable rows ---- */

static void draw_button(struct pen *pen, const struct row *row)
{
    size_t in_line = pen->run <= 4 ? pen->run : 3;
    double x_px = left_px(row);
    double width_px = (RIGHT_PX + GAP_PX - x_px) / (double)in_line;
    ui_button(&pen->ui,
              (struct ui_rect){x_px + width_px * (double)(pen->i % in_line), pen->y_px + 4,
                               width_px - GAP_PX, 26},
              label_of(pen, row), row->is_on, row->action, row->number);
    if (pen->i + 1 == pen->run || (pen->i + 1) % in_line == 0)
        pen->y_px += 34;
}

static void draw_fold(struct pen *pen, const struct row *row)
{
    const struct theme *theme = pen->ui.theme;
    double x_px = left_px(row), y_px = pen->y_px + 12;
    const struct viewport_point open[] = {
        {x_px - 2, y_px - 2}, {x_px + 6, y_px - 2}, {x_px + 2, y_px + 3}};
    const struct viewport_point closed[] = {{x_px, y_px - 4}, {x_px + 5, y_px}, {x_px, y_px + 4}};
    ui_row(&pen->ui, (struct ui_rect){x_px - 6, pen->y_px, RIGHT_PX - x_px + 12, 24}, row->action,
           row->number);
    draw_polygon(pen->ui.list, (struct draw_item){.fill = theme->faint}, row->is_on ? open : closed,
                 3);
    put(pen, x_px + LEVEL_PX, y_px + 4, label_of(pen, row), theme->text, 12,
        row->level == 0 || row->is_on ? DRAW_BOLD : 0, DRAW_LEFT);
    put_note(pen, x_px + LEVEL_PX + NOTE_PX, y_px + 4, rows_text(pen->rows, row->value));
    pen->y_px += 24;
}

static void draw_entry(struct pen *pen, const struct row *row)
{
    const struct theme *theme = pen->ui.theme;
    const char *value = rows_text(pen->rows, row->value);
    double x_px = left_px(row), base_px = pen->y_px + 14;
    struct ui_rect box = {x_px - 6, pen->y_px, RIGHT_PX - x_px + 12, 20};
    uint32_t flags = (row->is_on ? DRAW_BOLD : 0) | (row->is_number ? DRAW_MONO : 0);
    if (row->is_on)
        ui_box(&pen->ui, box, 4, (struct draw_item){.fill = theme_alpha(theme->left, 0.18)});
    ui_row(&pen->ui, box, row->action, row->number);
    put(pen, x_px, base_px, label_of(pen, row), theme->text, row->is_number ? 11 : 12, flags,
        DRAW_LEFT);
    if (row->button) { // left of the label, over the line
        struct ui_rect star = {x_px - 20, pen->y_px, 18, 20};
        put(pen, x_px - 11, base_px, rows_text(pen->rows, row->button),
            ui_is_hovered(&pen->ui, star) ? theme->text : theme->faint, 12, 0, DRAW_CENTER);
        ui_hit_area(&pen->ui, star, ACTION_PIN, row->number, "Pin");
    }
    if (row->tone == TONE_PLAIN)
        put(pen, RIGHT_PX, base_px, value, theme->text, 12, DRAW_MONO, DRAW_RIGHT);
    else
        put(pen, x_px + NOTE_PX + (row->is_number ? 36 : 0), base_px, value,
            color_of(pen, row, theme->text), 12, 0, DRAW_LEFT);
    pen->y_px += 20;
}

/* A box with the value, or with the text that is being typed. */
static void draw_input(struct pen *pen, const struct row *row, struct ui_rect box)
{
    const struct theme *theme = pen->ui.theme;
    const struct typing *typing = &pen->view->typing;
    const char *value = rows_text(pen->rows, row->value), *unit = rows_text(pen->rows, row->unit);
    bool is_typed = typing->action == row->action && typing->number == row->number;
    char text[80];
    ui_box(&pen->ui, box, 4,
           (struct draw_item){.fill = theme->floor,
                              .stroke = is_typed ? theme->left : theme_alpha(theme->faint, 0.6),
                              .width_px = is_typed ? 2 : 1});
    if (is_typed)
        snprintf(text, sizeof text, "%s|", typing->text);
    else if (*value)
        snprintf(text, sizeof text, "%s%s%s", value, *unit ? " " : "", unit);
    else
        snprintf(text, sizeof text, "%s", rows_text(pen->rows, row->hint));
    put(pen, box.x_px + 6, box.y_px + 15, text, *value || is_typed ? theme->text : theme->faint, 12,
        0, DRAW_LEFT);
    ui_hit_area(&pen->ui, box, row->action, row->number, NULL);
}

/* A track, divided into areas that can be clicked or dragged along. */
static void draw_slider(struct pen *pen, const struct row *row, double x_px, double width_px)
{
    enum { PIECES = 40 };
    const struct theme *theme = pen->ui.theme;
    bool is_given = *rows_text(pen->rows, row->value);
    double y_px = pen->y_px + 13, knob_px = x_px + width_px * row->part;
    uint32_t color = is_given ? theme->left : theme->faint;
    ui_box(&pen->ui, (struct ui_rect){x_px, y_px - 2, width_px, 4}, 2,
           (struct draw_item){.fill = theme_alpha(theme->faint, 0.35)});
    if (is_given && knob_px > x_px + 1)
        ui_box(&pen->ui, (struct ui_rect){x_px, y_px - 2, knob_px - x_px, 4}, 2,
               (struct draw_item){.fill = color});
    draw_disc(
        pen->ui.list,
        (struct draw_item){.fill = is_given ? color : theme->floor, .stroke = color, .width_px = 2},
        (struct viewport_point){knob_px, y_px}, 6);
    for (uint32_t i = 0; i <= PIECES; i++)
        ui_hit_area(&pen->ui,
                    (struct ui_rect){x_px + width_px * (i - 0.5) / PIECES, pen->y_px,
                                     width_px / PIECES, 26},
                    ACTION_FAULT_SLIDE,
                    row->number * ACTION_SLIDE_KEY + i * FAULT_MENU_STEPS / PIECES, NULL);
}

static void draw_words(struct pen *pen, const struct row *row, double x_px)
{
    const char *value = rows_text(pen->rows, row->value);
    const char *words = rows_text(pen->rows, row->choices);
    size_t count = 1;
    for (const char *at = words; (at = strchr(at, ' ')); at++)
        count++;
    value = *value ? value : rows_text(pen->rows, row->hint);
    double width_px = (RIGHT_PX + 4 - x_px) / (double)count;
    for (uint32_t i = 0; i < count; i++) {
        char word[24];
        take_letters(&words, strcspn(words, " "), false, word, sizeof word);
        ui_button(&pen->ui, (struct ui_rect){x_px + width_px * i, pen->y_px + 2, width_px - 4, 22},
                  word, strcmp(word, value) == 0, ACTION_FAULT_SLIDE,
                  row->number * ACTION_SLIDE_KEY + i);
    }
}

static void draw_field(struct pen *pen, const struct row *row)
{
    enum { TRACK_PX = 134 };
    double x_px = left_px(row), edge_px = x_px + (row->level > 0 ? NOTE_PX : 36);
    put(pen, x_px, pen->y_px + 17, label_of(pen, row), pen->ui.theme->faint, 12, 0, DRAW_LEFT);
    if (row->choices) {
        draw_words(pen, row, edge_px - 16);
    } else if (row->has_slider) {
        draw_slider(pen, row, edge_px, TRACK_PX);
        edge_px += TRACK_PX + 16;
    }
    if (!row->choices)
        draw_input(pen, row, (struct ui_rect){edge_px, pen->y_px + 2, RIGHT_PX - edge_px, 22});
    pen->y_px += 26;
}

/* ---- Figures ---- */

static void draw_figure(struct pen *pen, const struct row *row)
{
    double height_px = figure_height_px(row, INNER_PX);
    figure_draw(&pen->ui, pen->view, pen->rows, row,
                (struct ui_rect){MARGIN_PX, pen->y_px, INNER_PX, height_px});
    pen->y_px += height_px + 6;
}

/* ---- Tables ---- */

/* The left edge of a column; that after the last is the right edge of the table. */
static double column_px(const struct pen *pen, size_t column)
{
    double part = 0;
    for (size_t i = 0; i < column; i++)
        part += pen->columns[i].part;
    return MARGIN_PX + INNER_PX * part;
}

static void put_cell(const struct pen *pen, const struct row *row, size_t column, const char *text,
                     uint32_t color, double size_px, uint32_t flags)
{
    double from_px = column_px(pen, column), to_px = column_px(pen, column + 1);
    char shown[64];
    // As many letters as fit; letters are narrower than their size.
    take_letters(&text, (size_t)((to_px - from_px) / (0.56 * size_px)), false, shown, sizeof shown);
    put(pen, row->is_number ? to_px : from_px, pen->y_px + 15, shown, color, size_px, flags,
        row->is_number ? DRAW_RIGHT : DRAW_LEFT);
}

static void draw_column(struct pen *pen, const struct row *row)
{
    const struct theme *theme = pen->ui.theme;
    char text[48];
    pen->columns = row - pen->i;
    pen->column_count = pen->run;
    struct ui_rect box = {column_px(pen, pen->i), pen->y_px,
                          column_px(pen, pen->i + 1) - column_px(pen, pen->i), 22};
    bool is_hot = row->is_on || ui_is_hovered(&pen->ui, box);
    snprintf(text, sizeof text, "%s%s", label_of(pen, row),
             !row->is_on                                                  ? ""
             : strcmp(rows_text(pen->rows, row->value), "ascending") == 0 ? " \xe2\x86\x91"
                                                                          : " \xe2\x86\x93");
    put_cell(pen, row, pen->i, text, is_hot ? theme->text : theme->faint, 11,
             row->is_on ? DRAW_BOLD : 0);
    ui_hit_area(&pen->ui, box, row->action, row->number, NULL);
    pen->y_px += pen->i + 1 == pen->run ? 24 : 0;
}

static void draw_cell(struct pen *pen, const struct row *row)
{
    size_t column = pen->i % pen->column_count;
    if (column == 0)
        ui_row(&pen->ui, (struct ui_rect){MARGIN_PX - 6, pen->y_px, INNER_PX + 12, 22}, row->action,
               row->number);
    put_cell(pen, row, column, label_of(pen, row), color_of(pen, row, pen->ui.theme->text), 12,
             row->is_number ? DRAW_MONO : 0);
    pen->y_px += column + 1 == pen->column_count ? 22 : 0;
}

/* ---- All of it ---- */

/* Each function draws a row and moves down; NULL: nothing to draw. */
static void (*const drawers[ROW_KINDS])(struct pen *, const struct row *) = {
    [ROW_TITLE] = draw_title,     [ROW_CHIP] = draw_chip,     [ROW_TAB] = draw_tab,
    [ROW_HEADING] = draw_heading, [ROW_TEXT] = draw_text_row, [ROW_CODE] = draw_code,
    [ROW_VALUE] = draw_value,     [ROW_BAR] = draw_bar,       [ROW_BUTTON] = draw_button,
    [ROW_FOLD] = draw_fold,       [ROW_ENTRY] = draw_entry,   [ROW_FIELD] = draw_field,
    [ROW_PLOT] = draw_figure,     [ROW_IMAGE] = draw_figure,  [ROW_COLUMN] = draw_column,
    [ROW_CELL] = draw_cell,
};

static void draw_rows(struct pen *pen, size_t from, size_t to)
{
    for (size_t run, first = from; first < to; first += run) {
        const struct row *row = &pen->rows->row[first];
        for (run = 1; first + run < to && row[run].kind == row->kind;)
            run++;
        for (pen->run = run, pen->i = 0; pen->i < run && drawers[row->kind]; pen->i++)
            drawers[row->kind](pen, &row[pen->i]);
    }
}

/* The scroll bar. */
static void draw_scroll(const struct ui *ui, const struct view *view, double head_px,
                        double height_px)
{
    double shown = height_px - head_px, whole = view->page_px - head_px;
    if (whole <= shown)
        return;
    double part = shown / whole, from = view->scroll_px[view_tab(view)] / whole;
    ui_box(ui, (struct ui_rect){WIDTH_PX - 7, head_px + from * shown, 4, fmax(24, part * shown)}, 2,
           (struct draw_item){.fill = theme_alpha(ui->theme->faint, 0.5)});
}

void panel_draw(struct draw_list *list, struct view *view)
{
    static struct rows rows; // keeps its memory
    double height_px = view_below_px(view), scroll_px = view->scroll_px[view_tab(view)];
    struct pen pen = {.ui = {.list = list,
                             .hit_areas = &view->panel_hit_areas,
                             .theme = theme_of(view->viewport.theme),
                             .left_px = view_room_px(view),
                             .top_px = VIEW_TOOLBAR_PX,
                             .mouse_x_px = view->mouse_x_px,
                             .mouse_y_px = view->mouse_y_px,
                             .to_px = height_px},
                      .view = view,
                      .rows = &rows};
    const uint32_t edge = theme_alpha(pen.ui.theme->faint, 0.35);
    view->panel_hit_areas.count = 0;
    if (!view->snapshot)
        return;
    panel_fill(view, &rows);
    ui_box(&pen.ui, (struct ui_rect){0, 0, WIDTH_PX, height_px}, 0,
           (struct draw_item){.fill = pen.ui.theme->floor});
    draw_rows(&pen, 0, rows.head_count);
    double head_px = pen.y_px;
    ui_line(&pen.ui, 0, head_px - 1.5, WIDTH_PX, head_px - 1.5, edge);
    draw_rect(list, (struct draw_item){.kind = DRAW_CLIP}, 0, head_px, WIDTH_PX, height_px);
    pen.ui.from_px = head_px;
    pen.y_px += GAP_PX - scroll_px;
    draw_rows(&pen, rows.head_count, rows.count);
    draw_unclip(list);
    view->page_px = pen.y_px + scroll_px + GAP_PX;
    draw_scroll(&pen.ui, view, head_px, height_px);
    ui_line(&pen.ui, 0.5, 0, 0.5, height_px, edge);
}
