/* What a web page calls, compiled to WebAssembly: a window's state without a window. The page hands
 * in snapshots and what mouse, fingers and keys do; it gets draw lists and, as JSON, what the
 * panels say. One page a module. Pixels are CSS pixels from the upper left corner of the picture.
 * Texts that are returned stay valid until the next call that returns a text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "viewer/draw/draw_change.h"
#include "viewer/draw/draw_list.h"
#include "viewer/model/view.h"

/* The page's own: runs a command, `TARGET.COMMAND key=value ...`, and says by page_reply when it is
 * answered. */
void page_command(const char *command);

/* ---- Snapshots ---- */

/* Forgets all, and shows nothing yet. Call it first. */
void page_start(void);

/* Where the bytes of a snapshot go: room for SIZE, with what was there before. NULL: out of memory.
 * Valid until the next call. */
void *page_room(uint32_t size);

/* Shows what stands in the room. False: it is no snapshot of this build. */
bool page_take(uint32_t size);

/* ---- Drawing ---- */

void page_resize(double width_px, double height_px);
void page_theme(bool is_dark);

/* Milliseconds of any clock that goes forward: call it before each picture and at least ten times a
 * second while something is dragged. True: the picture glides and must be drawn. */
bool page_time(uint32_t now_ms);

enum page_drawn { PAGE_DRAWN = 1, PAGE_DRAWN_FIXED = 2 };

/* Makes the draw lists. Returns bits of enum page_drawn: that there is a picture, and that the list
 * of what stands still has changed. */
uint32_t page_draw(void);

/* Changes of the calm part of the moving list since the last call. */
const struct draw_change *page_change(enum draw_calm part);

enum page_list { PAGE_FIXED, PAGE_MOVING, PAGE_ABOVE, PAGE_FIGURE, PAGE_LISTS };

/* ABOVE holds what is being drawn or deleted by hand; FIGURE is made by page_figure. */
const struct draw_list *page_list(enum page_list which);

/* Offsets of the members of draw lists, changes and items, as JSON: {"draw_list.items": ...}; and
 * draw_item.bytes, the size of an item. */
const char *page_layout(void);

/* A list as draw_list_write_text writes it. */
const char *page_text(enum page_list which);

/* ---- Mouse, fingers and keys ---- */

void page_press(double x_px, double y_px, bool is_turn);
void page_move(double x_px, double y_px);
void page_release(double x_px, double y_px);
/* The drag ends without any further effect, as when a second finger comes down. */
void page_cancel(void);
void page_zoom(double x_px, double y_px, double factor);
void page_pan(double dx_px, double dy_px);
/* Where a point of the room is in the picture, as JSON: {"x":, "y":}. */
const char *page_place(double x_m, double y_m);
/* A key as enum key has it. Returns its action, which has been run, or 0. */
uint32_t page_key(int32_t key, bool is_ctrl, bool is_shift);
/* NUMBER: as for action_run. */
void page_act(uint32_t action, uint32_t number);
void page_select(int32_t robot);
/* A command was answered. */
void page_reply(void);

/* ---- The panel ---- */

/* The page sends no commands: the panel leaves out the buttons for them. */
void page_read_only(bool is_read_only);
/* Room for a text that is typed: PAGE_TYPED_MAX bytes with its end. */
enum { PAGE_TYPED_MAX = 64 };
char *page_typed(void);
/* The text was typed into the field of an action; NUMBER: as for action_run. */
void page_type(uint32_t action, uint32_t number);
/* Chooses a word, or a step of FAULT_MENU_STEPS, of the field with that number. */
void page_slide(uint32_t number, uint32_t step);
/* Pins a signal, or removes its pin. */
void page_pin(uint32_t signal);
/* The height of the figure of a row that page_panel has returned last: ROW_PLOT or ROW_IMAGE. */
double page_figure_height(uint32_t row, double width_px);
/* Makes the list PAGE_FIGURE of it. MOUSE_PX: where the mouse is above it; negative: elsewhere. */
void page_figure(uint32_t row, double width_px, double mouse_px);
/* Replaces the points of a plot, of a page that knows more of the past than it has shown: first
 * clear, then points in the order of time. */
void page_plot_clear(uint32_t signal);
void page_plot_add(uint32_t signal, double at_s, double value);

/* ---- Texts as JSON: page_state.c ---- */

/* The run, the tools and all robots. */
const char *page_state(void);
/* The rows of the panel (struct row), which are those of the window: kind, tone, level, isOn,
 * isNumber, action, number, label, value, part; hint, button, choices, unit, hasSlider if they are
 * not empty or false. */
const char *page_panel(void);
/* What happened in a replay, and what will: at_s, kind (snapshot_mark_word), text; by time. */
const char *page_marks(void);
/* The table of actions: number, group, keys, note. */
const char *page_actions(void);

/* Shared by the files of this folder. page_rows: the rows of the panel as they are now. */
struct view *page_view(void);
const struct rows *page_rows(void);
