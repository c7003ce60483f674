/* The state of a window: display, selection, and the drag of the mouse. Independent of SDL, cairo
 * and the run: it changes the simulation only by commands, which its owner takes out of the outbox
 * and sends. pointer.h describes mouse operations, actions.h the effects of keys and buttons. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sim/watch/snapshot.h"
#include "viewer/draw/aim.h"
#include "viewer/model/fault_menu.h"
#include "viewer/model/ui.h"

/* ---- The values of the plotted signals over the last seconds ---- */

enum { PLOTS_MAX = 16, PLOT_POINTS = 600 };
/* chosen: 10 s; 600 points are one per 1/60 s */
#define PLOT_SPAN_US INT64_C(10000000)

struct plot {
    uint32_t signal; /* number of the signal; PLOTS_NONE: this plot is free */
    uint64_t total;
    int64_t at_us[PLOT_POINTS];
    float value[PLOT_POINTS];
};
#define PLOTS_NONE UINT32_MAX

struct plots {
    struct plot plot[PLOTS_MAX];
};

/* Starts or stops plotting a signal. If all plots are in use, replaces the first. */
void plots_toggle(struct plots *plots, uint32_t number);
const struct plot *plots_find(const struct plots *plots, uint32_t number);
/* Clears the plot of a signal, if there is one; adds a value to it, in the order of time. */
void plots_restart(struct plots *plots, uint32_t number);
void plots_add(struct plots *plots, uint32_t number, int64_t at_us, double value);

/* ---- Commands of a view, in their order ---- */

enum {
    OUTBOX_MAX = 128, /* chosen: one click produces at most half as many (heal all faults) */
    OUTBOX_COMMAND_MAX = 512, /* bytes of a command, with NUL; chosen: more than a user types */
};

/* The view adds commands. Its owner (window, page) takes them out, sends them to the run, and
 * updates `unanswered`. All zero is an empty outbox. It owns the texts; it allocates no memory. */
struct outbox {
    char command[OUTBOX_MAX][OUTBOX_COMMAND_MAX];
    size_t first, count;
    size_t unanswered; /* commands sent that have no reply yet; set by the owner */
};

/* Takes the oldest command out; NULL: there is none. The text is valid until a command is added. */
const char *outbox_take(struct outbox *outbox);

/* Whether all commands were sent and answered. */
bool outbox_is_settled(const struct outbox *outbox);

/* ---- The view ---- */

/* Frame of the picture: as zoomed and moved by the user, the whole room, all objects (aim.h), or
 * the selected robot in the center. */
enum view_frame { FRAME_FREE, FRAME_ROOM, FRAME_ACTION, FRAME_ROBOT };
enum view_tool { TOOL_HAND, TOOL_WALL, TOOL_BOX, TOOL_ERASE };
/* Pages of the panel. Those before TAB_TEST show the selected robot; if no robot is selected, the
 * roster is shown instead. */
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

/* The order of the roster, and the robots that it lists. */
struct roster {
    enum roster_column column;
    bool is_falling;
    enum roster_filter filter;
    char find[48]; /* part of a name or type; "": all */
};

enum { VIEW_PINS_MAX = 32 }; /* chosen */

/* Signals that are always shown, by number. */
struct pins {
    uint32_t signal[VIEW_PINS_MAX];
    size_t count;
};

/* The active text field of the panel; ACTION_NONE: none. */
struct typing {
    enum action action;
    uint32_t number;
    char text[48];
};

/* Effect of a held mouse button: move the picture, move or turn a robot, press a part of a robot,
 * draw a wall or box, seek in a replay. */
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
    bool has_moved;                     /* farther than in a click */
    double from_x_px, from_y_px;        /* start, in the picture */
    double x_px, y_px;                  /* present position */
    double offset_x_m, offset_y_m;      /* from the mouse to the robot's origin */
    struct snapshot_pose start, target; /* of the robot: before the drag, and target */
    bool is_target_unsent;
    int64_t seek_us; /* DRAG_SEEK: the target time; */
    bool is_seek_unsent;
    char part[64]; /* DRAG_PART: the part's command */
    uint32_t since_ms;
};

enum { VIEW_UNDO_MAX = 128, VIEW_COMMAND_MAX = 224 }; /* chosen */

/* Executed commands that can be undone. */
struct view_undo {
    struct {
        char command[VIEW_COMMAND_MAX], inverse[VIEW_COMMAND_MAX];
    } entry[VIEW_UNDO_MAX];
    size_t count;
    size_t done; /* number of entries in effect; the others were undone */
};

enum { VIEW_TOOLBAR_PX = 48, VIEW_PANEL_PX = 372, VIEW_GROUPS_MAX = 64 };
/* In a narrower window the panel would take more than a third: it is folded until the user opens
 * it. */
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
    struct viewport viewport;        /* for the part of the window that shows the room */
    enum view_frame frame;
    struct aim aim;             /* FRAME_ACTION: of the picture, */
    uint32_t aimed_ms;          /* time of its last glide */
    double width_px, height_px; /* of the window */
    double bar_px;              /* height of the time bar of a replay */
    uint32_t now_ms;
    uint32_t stale; /* enum view_stale */

    bool is_sought; /* of a replay: the view waits for the picture of a seek: */
    int64_t sought_us;
    uint32_t sought_ms;   /* time of that request */
    bool is_shown_paused; /* as the toolbar shows it; also the next */
    double shown_speed;
    bool is_outdated;  /* the run has no memory for a newer snapshot */
    bool is_folded;    /* the panel, because the window is narrow */
    bool is_read_only; /* the owner sends no commands */
    bool is_help, is_panel, is_muted, wants_full, wants_end;
    enum view_tool tool;
    struct drag drag;
    struct view_undo undo;
    double mouse_x_px, mouse_y_px; /* in the window */
    struct hit_areas hit_areas;    /* of toolbar and help */
    struct hit_areas panel_hit_areas, bar_hit_areas;

    enum view_tab tab;
    double scroll_px[TAB_COUNT], page_px; /* page: height of the tab's content */
    uint64_t open_groups;                 /* of signals, as bits */
    uint32_t channel, direction;          /* selection of the frames shown */
    uint32_t open_frames; /* frames expanded with fields and bytes, as bits, from the newest */
    struct plots plots;
    struct pins pins;
    char find_signal[48]; /* part of a name; "": all */
    struct fault_menu faults;
    struct roster roster;
    struct typing typing;

    char notice[256]; /* a message, shown for a few seconds */
    uint32_t notice_until_ms;
};
#define VIEW_NONE UINT32_MAX

void view_init(struct view *view);

/* Sets the size of the window, in points. */
void view_resize(struct view *view, double width_px, double height_px);

/* Fits the viewport to the window and the frame. */
void view_update_viewport(struct view *view);
/* Continues the glide of a picture; call it before each picture. False: it does not glide. */
bool view_glide(struct view *view);

/* Shows a new snapshot, which must stay valid until the next call. */
void view_set_snapshot(struct view *view, const struct snapshot *snapshot);

/* Whether the user can send commands: not to a real robot, nor in a replay. */
bool view_takes_commands(const struct view *view);

/* Frames and bytes from the driver that the robot has rejected. */
uint64_t view_refused(const struct snapshot_channel *channel);

/* The open page of the panel. */
enum view_tab view_tab(const struct view *view);

/* Whether the panel is shown, and the width of the part that shows the room. */
bool view_has_panel(const struct view *view);
double view_room_px(const struct view *view);
/* Height of room and panel, between toolbar and time bar. */
double view_below_px(const struct view *view);

/* The selected robot, or NULL. */
const struct snapshot_robot *view_robot(const struct view *view);
void view_select(struct view *view, int32_t robot);

/* Pins a signal, or removes its pin. Ignored if VIEW_PINS_MAX signals are pinned already. */
void view_pin(struct view *view, uint32_t signal);
bool view_is_pinned(const struct view *view, uint32_t signal);

/* Channel NUMBER of a robot in the snapshot, or NULL. */
const struct snapshot_channel *view_channel(const struct view *view,
                                            const struct snapshot_robot *robot, uint32_t number);

/* The clickable part of toolbar, panel or time bar at a point of the window, or NULL. */
const struct hit_area *view_hit_area(const struct view *view, double x_px, double y_px);

/* Zooms about a point of the window; by lines of a wheel. */
void view_zoom(struct view *view, double x_px, double y_px, double factor);
void view_zoom_lines(struct view *view, double x_px, double y_px, double lines);
void view_pan(struct view *view, double dx_px, double dy_px);
/* Turns of the wheel over a point of the window: zooms, or scrolls the panel. */
void view_wheel(struct view *view, double x_px, double y_px, double lines);

/* Runs a command, given as for printf: puts it into the outbox. If that is full, drops the command
 * and shows a message. */
void view_command(struct view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* In a replay: seeks to a time, or to the nearest time that exists; and the time that is shown, or
 * will be after a seek. */
void view_seek(struct view *view, int64_t to_us);
int64_t view_moment_us(const struct view *view);
/* Runs a command that INVERSE undoes, and remembers both. */
void view_edit(struct view *view, const char *command, const char *inverse);
/* Remembers a command that was run already. Forgets commands that were undone, and the oldest
 * command if there are too many. */
void view_remember(struct view *view, const char *command, const char *inverse);
/* Undoes the last command, or runs it again. False: there is none. */
bool view_undo(struct view *view);
bool view_redo(struct view *view);

/* Shows a message for a few seconds. */
void view_notify(struct view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));
