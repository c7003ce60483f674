/* A run, a separate X server without a screen, and a window in it, used by mouse and keys. A
 * failure ends the test. */
#pragma once

#include "tests/support/program.h"
#include "tests/support/stage.h"
#include "viewer/model/actions.h"
#include "viewer/model/view.h"
#include "viewer/rpc/snapshot_reader.h"

struct window_rig {
    struct stage *stage; /* one Kobuki at x 1 m, y 0.8 m, heading 0, in a room of 2 x 1.6 m */
    struct program server, viewer;
    char display[16];
    struct snapshot_reader *reader; /* a second reader of the run, to know where things are */
    struct view view;               /* as the window has it at its start */
};

int window_setup(void **state);
int window_teardown(void **state);

/* A row of the test table. */
#define WINDOWED(test) cmocka_unit_test_setup_teardown(test, window_setup, window_teardown)

/* Starts the run with these further arguments; its display is the server, so --view finds it. */
void window_run_with(struct window_rig *self, const char *const arguments[]);
/* The same, and `ptybot view` in a window of 1280 x 800 that has been painted. */
void window_open(struct window_rig *self);
/* Waits until a window exists. */
void window_await(struct window_rig *self);

/* How many windows show the run. */
size_t window_count(struct window_rig *self);

/* A place of the room as a point of the window. */
struct viewport_point window_point(struct window_rig *self, double x_m, double y_m);
/* The middle of a part of toolbar, panel or time bar. */
struct viewport_point window_part(struct window_rig *self, enum action action, uint32_t number);

/* The mouse: moves there; a button (1 left, 3 right) goes down or up. */
void mouse_move(struct window_rig *self, struct viewport_point at);
void mouse_down(struct window_rig *self, int button);
void mouse_up(struct window_rig *self, int button);
void mouse_click(struct window_rig *self, struct viewport_point at);
void mouse_drag(struct window_rig *self, struct viewport_point from, struct viewport_point to,
                int button);
/* A key by its X11 name, "space", "ctrl+z". */
void press_key(struct window_rig *self, const char *key);
