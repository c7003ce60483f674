/* The state of a window: what is seen, chosen and held. Knows neither SDL nor cairo; what it does
 * to the simulation are commands over the control socket. */
#ifndef PTYBOT_VIEWER_WINDOW_VIEW_H
#define PTYBOT_VIEWER_WINDOW_VIEW_H

#include "viewer/draw/viewport.h"
#include "viewer/window/edits.h"
#include "viewer/window/plots.h"
#include "viewer/window/remote.h"
#include "viewer/window/zones.h"

enum view_tool { TOOL_HAND, TOOL_WALL, TOOL_BOX, TOOL_ERASE };
enum view_tab { TAB_ROBOT, TAB_SIGNALS, TAB_FRAMES, TAB_COUNT };

/* What the mouse holds. */
enum hand_grip { GRIP_NOTHING, GRIP_ROOM, GRIP_ROBOT, GRIP_TURN, GRIP_PART, GRIP_DRAW };

struct hand {
    enum hand_grip grip;
    bool has_moved;
    double from_x_px, from_y_px;     /* where it took hold, in the picture */
    double x_px, y_px;               /* where it is */
    double off_x_m, off_y_m;         /* of the robot's origin from there */
    struct snapshot_pose was, wants; /* of the robot */
    bool is_wish_open;               /* WANTS was not sent yet */
    char part[64];                   /* command of the part that is held down */
    uint32_t since_ms;
};

enum { VIEW_TOOLBAR_PX = 48, VIEW_PANEL_PX = 372, VIEW_PANEL_LEAST_PX = 720, VIEW_GROUPS_MAX = 64 };

/* Parts of the window that must be painted again. */
enum view_stale { STALE_ROOM = 1, STALE_TOOLBAR = 2, STALE_PANEL = 4, STALE_ALL = 7 };

struct view {
    struct remote *remote;
    const struct snapshot *snapshot; /* NULL before the first */
    struct viewport viewport;        /* of the room's part of the window */
    double width_px, height_px;      /* of the window */
    uint32_t now_ms;
    uint32_t stale; /* enum view_stale */

    bool is_shown_paused; /* as the toolbar has them */
    double shown_speed;
    bool is_fitted; /* the room fills the window until somebody zooms or moves */
    bool is_following, is_help, is_panel, is_muted, wants_full, wants_end;
    enum view_tool tool;
    struct hand hand;
    struct edits edits;
    double mouse_x_px, mouse_y_px; /* in the window */
    struct zones zones;            /* of toolbar and help; then of the panel */
    struct zones panel_zones;

    enum view_tab tab;
    double scroll_px[TAB_COUNT], page_px; /* page: height of what the tab holds */
    uint64_t open_groups;                 /* of signals, as bits */
    uint32_t channel, direction;          /* whose frames are shown */
    uint32_t bytes_of; /* frame shown with its bytes, by its number from the newest; NONE */
    struct plots plots;

    char notice[256]; /* what went wrong or was done, for a while */
    uint32_t notice_until_ms;
};
#define VIEW_NONE UINT32_MAX

void view_init(struct view *view, struct remote *remote);

/* The window has this size now, in points. */
void view_resize(struct view *view, double width_px, double height_px);

/* Brings the viewport in line with the window, and with whom it follows. */
void view_settle(struct view *view);

/* A new snapshot: same pointer or another. */
void view_take(struct view *view, const struct snapshot *snapshot);

/* Whether a panel is shown, and the width of the room's part. */
bool view_has_panel(const struct view *view);
double view_room_px(const struct view *view);

/* The selected robot, or NULL. */
const struct snapshot_robot *view_robot(const struct view *view);
void view_select(struct view *view, int32_t robot);

/* Runs an action; NUMBER is what a part of the panel stands for. */
void view_act(struct view *view, enum action action, uint32_t number);

/* Zooms about a point of the window. */
void view_zoom(struct view *view, double x_px, double y_px, double factor);
void view_pan(struct view *view, double dx_px, double dy_px);
/* A turn of the wheel over a point of the window: zooms, or scrolls the panel. */
void view_wheel(struct view *view, double x_px, double y_px, double lines);

/* A command, as printf has it. */
void view_do(struct view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A command that can be taken back: DOING is run, both are noted. */
void view_edit(struct view *view, const char *doing, const char *undoing);

/* Shows a text for a while. */
void view_tell(struct view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- Hands: hands.c. Points of the window. ---- */
void hands_press(struct view *view, double x_px, double y_px, bool is_turn);
void hands_move(struct view *view, double x_px, double y_px);
void hands_release(struct view *view, double x_px, double y_px);
/* Sends what waits for the last command to be obeyed. */
void hands_visit(struct view *view);
/* Lets go of everything without a deed. */
void hands_drop(struct view *view);

#endif
