/* Functions that a web page calls, compiled to WebAssembly: the state of a window without a window.
 * The page passes snapshots and events of mouse, fingers and keys. It gets draw lists and, as JSON,
 * the content of the panels. There is one page per module. Pixels are CSS pixels from the upper
 * left corner of the picture. A returned text stays valid until the next call that returns a
 * text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "viewer/draw/draw_change.h"
#include "viewer/draw/draw_list.h"
#include "viewer/model/view.h"

/* Provided by the page: runs a command, `TARGET.COMMAND key=value ...`. The page calls page_reply
 * when it is answered. */
void page_command(const char *command);

/* ---- Snapshots ---- */

/* Resets the state, with no snapshot. Call it first. */
void page_start(void);

/* The buffer for a snapshot, at least SIZE bytes, with its previous content. NULL: out of memory.
 * Valid until the next call. */
void *page_room(uint32_t size);

/* Shows the snapshot in the buffer. False: it is not a snapshot of this build. */
bool page_take(uint32_t size);

/* ---- Drawing ---- */

void page_resize(double width_px, double height_px);
void page_theme(bool is_dark);

/* Milliseconds of any monotonic clock: call it before each picture, and at least ten times a second
 * during a drag. True: the picture glides and must be drawn. */
bool page_time(uint32_t now_ms);

enum page_drawn { PAGE_DRAWN = 1, PAGE_DRAWN_FIXED = 2 };

/* Makes the draw lists. Returns bits of enum page_drawn: that there is a picture, and that the list
 * of fixed items has changed. */
uint32_t page_draw(void);

/* Changes of a slowly changing (calm) part of the moving list since the last call. */
const struct draw_change *page_change(enum draw_calm part);

enum page_list { PAGE_FIXED, PAGE_MOVING, PAGE_ABOVE, PAGE_FIGURE, PAGE_LISTS };

/* ABOVE has the object being drawn or to be deleted; page_figure makes FIGURE. */
const struct draw_list *page_list(enum page_list which);

/* Offsets of the members of draw lists, changes and items, as JSON: {"draw_list.items": ...}; and
 * draw_item.bytes, the size of an item. */
const char *page_layout(void);

/* A list as text, as written by draw_list_write_text. */
const char *page_text(enum page_list which);

/* ---- Mouse, fingers and keys ---- */

void page_press(double x_px, double y_px, bool is_turn);
void page_move(double x_px, double y_px);
void page_release(double x_px, double y_px);
/* Ends the drag without any further effect, for example if a second finger touches the screen. */
void page_cancel(void);
void page_zoom(double x_px, double y_px, double factor);
void page_pan(double dx_px, double dy_px);
/* Position of a point of the room in the picture, as JSON: {"x":, "y":}. */
const char *page_place(double x_m, double y_m);
/* Handles a key, with a code of enum key. Returns the action that was run, or 0. */
uint32_t page_key(int32_t key, bool is_ctrl, bool is_shift);
/* NUMBER: as for action_run. */
void page_act(uint32_t action, uint32_t number);
void page_select(int32_t robot);
/* A command was answered. */
void page_reply(void);

/* ---- The panel ---- */

/* The page sends no commands: the panel leaves out their buttons. */
void page_read_only(bool is_read_only);
/* Buffer for typed text: PAGE_TYPED_MAX bytes with NUL. */
enum { PAGE_TYPED_MAX = 64 };
char *page_typed(void);
/* The text in the buffer was typed into the field of an action; NUMBER: as for action_run. */
void page_type(uint32_t action, uint32_t number);
/* Chooses a word, or a step of FAULT_MENU_STEPS, in the field NUMBER. */
void page_slide(uint32_t number, uint32_t step);
/* Pins a signal, or removes its pin. */
void page_pin(uint32_t signal);
/* The height of the figure of a row of the last page_panel: ROW_PLOT or ROW_IMAGE. */
double page_figure_height(uint32_t row, double width_px);
/* Draws the figure into the list PAGE_FIGURE. MOUSE_PX: position of the mouse over it; negative: it
 * is elsewhere. */
void page_figure(uint32_t row, double width_px, double mouse_px);
/* Replaces the points of a plot, for a page that knows values that it has not shown: first clear,
 * then add points in the order of time. */
void page_plot_clear(uint32_t signal);
void page_plot_add(uint32_t signal, double at_s, double value);

/* ---- Texts as JSON: page_state.c ---- */

/* The run, the tools and all robots. */
const char *page_state(void);
/* The rows of the panel (struct row), the same as in the window: kind, tone, level, isOn, isNumber,
 * action, number, label, value, part; hint, button, choices, unit, hasSlider unless they are empty
 * or false. */
const char *page_panel(void);
/* Past and future events of a replay: at_s, kind (snapshot_mark_word), text; sorted by time. */
const char *page_marks(void);
/* The table of actions: number, group, keys, note. */
const char *page_actions(void);

/* Shared by the files of this folder. page_rows: the present rows of the panel. */
struct view *page_view(void);
const struct rows *page_rows(void);
