/* The content of the panel as typed rows: one list that the window draws as shapes and the page
 * shows as HTML elements. A row has a kind, up to two texts, and an action for a click. */
#pragma once

#include "viewer/model/actions.h"

/* For a new kind add a drawer to viewer/window/panel_draw.c and a line to KINDS in
 * viewer/web/page/panel.mjs. */
enum row_kind {
    ROW_TITLE,   /* label: subject of the panel */
    ROW_CHIP,    /* label: a word about the title before it */
    ROW_TAB,     /* label; is_on: its page is open */
    ROW_HEADING, /* label, value at the right end, button; a tone adds a mark, is_on fills the mark
                  */
    ROW_TEXT,    /* label: sentences */
    ROW_CODE,    /* label: a path, a command, bytes */
    ROW_VALUE,   /* label, value */
    ROW_BAR,     /* label, value, part: filled fraction of the bar, 0 to 1 */
    ROW_BUTTON,  /* label; is_on: pressed. Consecutive buttons share lines */
    ROW_GAP,     /* ends a line of buttons */
    ROW_FOLD,    /* label, value; is_on: the following rows are shown */
    ROW_ENTRY, /* a clickable line: label, value; is_on: chosen; button, if there is one, pins it */
    ROW_FIELD, /* a text that action_type can change: label, value, unit; hint: meaning of an empty
                  value; choices: words to choose from, separated by blanks; has_slider: a number,
                  at PART of its range. ACTION_FAULT_SLIDE chooses a word or a part */
    ROW_PLOT,  /* choices: the numbers of its signals; part: their number; hint: their names */
    ROW_IMAGE, /* number: the robot; part: height divided by width; hint: description */
    ROW_COLUMN, /* of a table: label; part: of the table's width; value: "", ascending, descending
                 */
    ROW_CELL,   /* label; each line has a cell for each of the preceding columns */
    ROW_KINDS,
};

enum row_tone { TONE_PLAIN, TONE_FAINT, TONE_GOOD, TONE_WARN, TONE_ACCENT, TONE_ODOMETRY, TONES };

struct row {
    enum row_kind kind;
    enum row_tone tone;
    uint8_t level; /* of heading, code, value, entry, fold, field: 0; larger values are deeper and
                      smaller */
    bool is_on;
    bool is_number; /* of column and cell: right-aligned; of entry: monospaced; of field: other
                       values than the choices are allowed */
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
    struct row spare;  /* the row added last if there was no memory for it */
};

/* Empties a list and keeps its memory. */
void rows_clear(struct rows *rows);

/* Adds a copy of ROW with a label, given as for printf. Returns the row in the list, valid until
 * the next row is added. Out of memory: the row is missing from the list. */
struct row *rows_add(struct rows *rows, struct row row, const char *label, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets the value of a row, and returns the row. */
struct row *rows_value(struct rows *rows, struct row *row, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a button; IS_ON: pressed. */
void rows_button(struct rows *rows, bool is_on, enum action action, uint32_t number,
                 const char *label);

/* Stores a copy of a text, for the other texts of a row. */
uint32_t rows_keep(struct rows *rows, const char *text);

const char *rows_text(const struct rows *rows, uint32_t text);
