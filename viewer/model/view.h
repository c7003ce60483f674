/* The state of a window: what is shown and selected, and what the mouse drags. Knows neither SDL
 * nor cairo nor the run: it changes the simulation only by commands, which its owner takes out of
 * the outbox and sends. pointer.h has what the mouse does to it, actions.h what keys and buttons
 * do. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sim/watch/snapshot.h"
#include "viewer/draw/aim.h"
#include "viewer/model/fault_menu.h"
#include "viewer/model/ui.h"

/* ---- The values of the plotted signals over the last seconds ---- */

enum { PLOTS_MAX = 16, PLOT_POINTS = 600 };
/* chosen: ten seconds, of which 600 points show each 1/60 */
#define PLOT_SPAN_US INT64_C(10000000)

struct plot {
    uint32_t signal; /* its number; PLOTS_NONE: this plot is free */
    uint64_t total;
    int64_t at_us[PLOT_POINTS];
    float value[PLOT_POINTS];
};
#define PLOTS_NONE UINT32_MAX

struct plots {
    struct plot plot[PLOTS_MAX];
};

/* Starts or stops plotting a signal. If all plots are in use, the first is given up. */
void plots_toggle(struct plots *plots, uint32_t number);
const struct plot *plots_find(const struct plots *plots, uint32_t number);
/* Empties the plot of a signal, if there is one; adds a value to it, in the order of time. */
void plots_restart(struct plots *plots, uint32_t number);
void plots_add(struct plots *plots, uint32_t number, int64_t at_us, double value);

/* ---- Commands that a view wants to have run, in their order ---- */

enum {
    OUTBOX_MAX = 128,         /* chosen: one click makes at most half as many (heal all faults) */
    OUTBOX_COMMAND_MAX = 512, /* bytes of a command, with NUL; chosen: more than a person types */
};

/* The view puts commands in. Its owner (window, page) takes them out, sends them to the run, and
 * keeps `unanswered` up to date. All zero is an empty one. It owns the texts; nothing is allocated.
 */
struct outbox {
    char command[OUTBOX_MAX][OUTBOX_COMMAND_MAX];
    size_t first, count;
    size_t unanswered; /* commands that were sent and have no reply yet; set by the owner */
};

/* Takes the oldest command out; NULL: there is none. The text is valid until the next put. */
const char *outbox_take(struct outbox *outbox);

/* Whether all commands were sent and answered. */
bool outbox_is_settled(const struct outbox *outbox);

/* ---- The view ---- */

/* Frame of the picture: as zoomed and moved by the user, the whole room, the action (aim.h), or the
 * selected robot in the middle. */
enum view_frame { FRAME_FREE, FRAME_ROOM, FRAME_ACTION, FRAME_ROBOT };
enum view_tool { TOOL_HAND, TOOL_WALL, TOOL_BOX, TOOL_ERASE };
/* Pages of the panel. Those before TAB_TEST are about the selected robot; where none is selected,
 * the roster is shown in their place. */
enum view_tab {
    TAB_ROBOT,
    TAB_SIGNALS,
    TAB_FRAMES,
    TAB_FAULTS,
    TAB_TEST,
    TAB_ROSTER,
    TAB_COUNT,
};

enum roster_column {
    ROSTER_NAME,
    ROSTER_LINK,
    ROSTER_BATTERY,
    ROSTER_FAULTS,
    ROSTER_COLLISIONS,
    ROSTER_REFUSED,
    ROSTER_COLUMNS,
};
enum roster_filter { ROSTER_ALL, ROSTER_FAILING, ROSTER_NO_HOST, ROSTER_REFUSING, ROSTER_FILTERS };

/* How the roster is sorted, and which robots it lists. */
struct roster {
    enum roster_column column;
    bool is_falling;
    enum roster_filter filter;
    char find[48]; /* part of a name or type; "": all */
};

enum { VIEW_PINS_MAX = 32 }; /* chosen */

/* Signals that are always shown, by their numbers. */
struct pins {
    uint32_t signal[VIEW_PINS_MAX];
    size_t count;
};

/* The field of the panel that takes letters; ACTION_NONE: none does. */
struct typing {
    enum action action;
    uint32_t number;
    char text[48];
};

/* What a held mouse button does: move the picture, move or turn a robot, press a part of a robot,
 * draw a wall or box, go about in a replay. */
enum drag_kind {
    DRAG_NONE,
    DRAG_PAN,
    DRAG_ROBOT,
    DRAG_TURN,
    DRAG_PART,
    DRAG_DRAW,
    DRAG_SEEK,
};

struct drag {
    enum drag_kind kind;
    bool has_moved;                     /* farther than a click does */
    double from_x_px, from_y_px;        /* where it began, in the picture */
    double x_px, y_px;                  /* where it is */
    double offset_x_m, offset_y_m;      /* from the mouse to the robot's origin */
    struct snapshot_pose start, target; /* of the robot: before the drag, and wanted now */
    bool is_target_unsent;
    int64_t seek_us; /* DRAG_SEEK: the moment that is wanted; */
    bool is_seek_unsent;
    char part[64]; /* DRAG_PART: the part's command */
    uint32_t since_ms;
};

enum { VIEW_UNDO_MAX = 128, VIEW_COMMAND_MAX = 224 }; /* chosen */

/* Commands that were run and can be undone. */
struct view_undo {
    struct {
        char command[VIEW_COMMAND_MAX], inverse[VIEW_COMMAND_MAX];
    } entry[VIEW_UNDO_MAX];
    size_t count;
    size_t done; /* how many of them are in effect; the others were undone */
};

enum { VIEW_TOOLBAR_PX = 48, VIEW_PANEL_PX = 372, VIEW_GROUPS_MAX = 64 };
/* In a narrower window the panel would take more than a third: it is folded until it is wanted. */
enum { VIEW_PANEL_LEAST_PX = 3 * VIEW_PANEL_PX };

/* Parts of the window that must be painted again. */
enum view_stale {
    STALE_ROOM = 1,
    STALE_TOOLBAR = 2,
    STALE_PANEL = 4,
    STALE_BAR = 8,
    STALE_ALL = 15
};

struct view {
    struct outbox outbox;            /* commands for the run */
    const struct snapshot *snapshot; /* NULL before the first */
    struct viewport viewport;        /* of the part of the window that shows the room */
    enum view_frame frame;
    struct aim aim;             /* FRAME_ACTION: of the picture, */
    uint32_t aimed_ms;          /* time of its last glide */
    double width_px, height_px; /* of the window */
    double bar_px;              /* of its height: the time bar of a replay */
    uint32_t now_ms;
    uint32_t stale; /* enum view_stale */

    bool is_sought; /* of a replay: a moment was asked for that is not shown yet: */
    int64_t sought_us;
    uint32_t sought_ms;   /* when */
    bool is_shown_paused; /* as the toolbar shows it, and the next */
    double shown_speed;
    bool is_outdated;  /* the run has no memory to show what is newer than the snapshot */
    bool is_folded;    /* the panel, since the window is narrow */
    bool is_read_only; /* the owner sends no commands */
    bool is_help, is_panel, is_muted, wants_full, wants_end;
    enum view_tool tool;
    struct drag drag;
    struct view_undo undo;
    double mouse_x_px, mouse_y_px; /* in the window */
    struct hit_areas hit_areas;    /* of toolbar and help */
    struct hit_areas panel_hit_areas, bar_hit_areas;

    enum view_tab tab;
    double scroll_px[TAB_COUNT], page_px; /* page: height of what the tab holds */
    uint64_t open_groups;                 /* of signals, as bits */
    uint32_t channel, direction;          /* whose frames are shown */
    uint32_t open_frames; /* frames shown with fields and bytes, as bits, from the newest */
    struct plots plots;
    struct pins pins;
    char find_signal[48]; /* part of a name; "": all */
    struct fault_menu faults;
    struct roster roster;
    struct typing typing;

    char notice[256]; /* a message, shown for a while */
    uint32_t notice_until_ms;
};
#define VIEW_NONE UINT32_MAX

void view_init(struct view *view);

/* The window has this size now, in points. */
void view_resize(struct view *view, double width_px, double height_px);

/* Fits the viewport to the window and the frame. */
void view_update_viewport(struct view *view);
/* Moves on a picture that glides; call it before each. False: it does not glide. */
bool view_glide(struct view *view);

/* Shows a new snapshot, which must stay valid until the next call. */
void view_set_snapshot(struct view *view, const struct snapshot *snapshot);

/* Whether commands can be given: not to a robot that is real, nor to what is past. */
bool view_takes_commands(const struct view *view);

/* Frames and bytes from the host that the robot has refused. */
uint64_t view_refused(const struct snapshot_channel *channel);

/* The page of the panel that is shown. */
enum view_tab view_tab(const struct view *view);

/* Whether the panel is shown, and the width of the part that shows the room. */
bool view_has_panel(const struct view *view);
double view_room_px(const struct view *view);
/* Height of room and panel, between toolbar and time bar. */
double view_below_px(const struct view *view);

/* The selected robot, or NULL. */
const struct snapshot_robot *view_robot(const struct view *view);
void view_select(struct view *view, int32_t robot);

/* Pins a signal, or removes its pin. Further pins than VIEW_PINS_MAX are left out. */
void view_pin(struct view *view, uint32_t signal);
bool view_is_pinned(const struct view *view, uint32_t signal);

/* A channel of a robot of the snapshot by its number in the robot, or NULL. */
const struct snapshot_channel *view_channel(const struct view *view,
                                            const struct snapshot_robot *robot, uint32_t number);

/* The part of toolbar, panel or time bar at a point of the window that can be clicked, or NULL. */
const struct hit_area *view_hit_area(const struct view *view, double x_px, double y_px);

/* Zooms about a point of the window; by a wheel's lines. */
void view_zoom(struct view *view, double x_px, double y_px, double factor);
void view_zoom_lines(struct view *view, double x_px, double y_px, double lines);
void view_pan(struct view *view, double dx_px, double dy_px);
/* Turns of the wheel over a point of the window: zooms, or scrolls the panel. */
void view_wheel(struct view *view, double x_px, double y_px, double lines);

/* Runs a command, given as for printf: puts it into the outbox. If that is full, a message says
 * that the command was dropped. */
void view_command(struct view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Of a replay: goes to a moment, or to the next one there is; and the one that is shown, or will
 * be.
 */
void view_seek(struct view *view, int64_t to_us);
int64_t view_moment_us(const struct view *view);
/* Runs a command that INVERSE undoes, and remembers both. */
void view_edit(struct view *view, const char *command, const char *inverse);
/* Remembers a command that was run already. What was undone before is forgotten, and so is the
 * oldest of too many. */
void view_remember(struct view *view, const char *command, const char *inverse);
/* Undoes the last command, or runs it again. False: there is none. */
bool view_undo(struct view *view);
bool view_redo(struct view *view);

/* Shows a message for a while. */
void view_notify(struct view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));
