/* What the panel says, as typed rows: one list that the window draws as shapes and the page shows
 * as elements of HTML. A row has a kind, up to two texts, and what a click on it does. */
#pragma once

#include "viewer/model/actions.h"

/* For a new kind add a drawer to viewer/window/panel_draw.c and a line to KINDS in
 * viewer/web/page/panel.mjs. */
enum row_kind {
    ROW_TITLE,   /* label: what the panel is about */
    ROW_CHIP,    /* label: a word about the title before it */
    ROW_TAB,     /* label; is_on: its page is open */
    ROW_HEADING, /* label, value at the right end, button; a tone gives it a mark, is_on fills that
                  */
    ROW_TEXT,    /* label: sentences */
    ROW_CODE,    /* label: a path, a command, bytes */
    ROW_VALUE,   /* label, value */
    ROW_BAR,     /* label, value, part: 0 .. 1 of the bar is filled */
    ROW_BUTTON,  /* label; is_on: pressed. Buttons that follow each other share lines */
    ROW_GAP,     /* ends a line of buttons */
    ROW_FOLD,    /* label, value; is_on: what follows is shown */
    ROW_ENTRY,  /* a line to click: label, value; is_on: chosen; button, if there is one, pins it */
    ROW_FIELD,  /* a text that can be changed by action_type: label, value, unit; hint: meaning of
                 * an empty value; choices: words to choose from, separated by blanks; has_slider:
                 * a number, at PART of its range. ACTION_FAULT_SLIDE chooses a word or a part */
    ROW_PLOT,   /* choices: the numbers of its signals; part: how many; hint: their names */
    ROW_IMAGE,  /* number: the robot; part: height divided by width; hint: what it shows */
    ROW_COLUMN, /* of a table: label; part: of the table's width; value: "", ascending, descending
                 */
    ROW_CELL,   /* label; each line has a cell for each column before */
    ROW_KINDS,
};

enum row_tone { TONE_PLAIN, TONE_FAINT, TONE_GOOD, TONE_WARN, TONE_ACCENT, TONE_ODOMETRY, TONES };

struct row {
    enum row_kind kind;
    enum row_tone tone;
    uint8_t level; /* of heading, code, value, entry, fold, field: 0, or deeper and smaller */
    bool is_on;
    bool is_number; /* of column and cell: aligned to the right; of entry: letters of one width; of
                       field: choices are only proposals */
    bool has_slider;
    enum action action;
    uint32_t number;                                    /* for the action */
    uint32_t label, value, hint, button, choices, unit; /* texts: rows_text; 0: "" */
    double part;
};

/* Growing arrays; all zero is an empty list. */
struct rows {
    struct row *row;
    char *text;
    size_t count, room, text_size, text_room;
    size_t head_count; /* the first rows stay in place while the others are scrolled */
    struct row spare;  /* what was added last, if out of memory */
};

/* Empties a list and keeps its memory. */
void rows_clear(struct rows *rows);

/* Adds a copy of ROW with a label, given as for printf. Returns the row in the list, valid until
 * the next is added. Out of memory: the row is missing from the list. */
struct row *rows_add(struct rows *rows, struct row row, const char *label, ...)
    __attribute__((format(printf, 3, 4)));

/* Gives a row its value, and returns it. */
struct row *rows_value(struct rows *rows, struct row *row, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a button, which is pressed if it IS_ON. */
void rows_button(struct rows *rows, bool is_on, enum action action, uint32_t number,
                 const char *label);

/* Keeps a copy of a text, for the further texts of a row. */
uint32_t rows_keep(struct rows *rows, const char *text);

const char *rows_text(const struct rows *rows, uint32_t text);
