/* The table of keys, and the effect of each action on the view. */
#include "viewer/model/actions.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "viewer/model/pointer.h"
#include "viewer/model/view.h"

static const double PAN_PX = 80;           /* chosen */
static const double FOLLOW_PX_PER_M = 150; /* chosen: at least, while a robot is followed */
static const double TURN_DEG = 15;         /* chosen */

/* ---- Keys ---- */

#define TIME  "Time"
#define SHOW  "Look"
#define AGAIN "Replay"
#define ROBOT "Hands"
#define FRAME "Window"

const struct action_row action_rows[] = {
    {ACTION_PLAY, TIME, "Space", "pause, continue", {' '}, false, false},
    {ACTION_STEP, TIME, ".", "a step of 20 ms", {'.'}, false, false},
    {ACTION_STEP_MS, TIME, ",", "a step of 1 ms", {','}, false, false},
    {ACTION_SLOWER, TIME, "[", "half the speed", {'['}, false, false},
    {ACTION_FASTER, TIME, "]", "twice the speed", {']'}, false, false},
    {ACTION_REAL_TIME, TIME, "\\", "real time", {'\\'}, false, false},
    {ACTION_RESET, TIME, "Ctrl R", "reset everything", {'r'}, true, false},

    {ACTION_BACK, AGAIN, "Shift \xe2\x86\x90", "a second back", {KEY_LEFT}, false, true},
    {ACTION_AHEAD, AGAIN, "Shift \xe2\x86\x92", "a second ahead", {KEY_RIGHT}, false, true},
    {ACTION_FAILURE_BEFORE, AGAIN, "Shift J", "the failure before", {'j'}, false, true},
    {ACTION_FAILURE, AGAIN, "J", "the next failure", {'j'}, false, false},

    {ACTION_ZOOM_IN, SHOW, "+ or wheel", "nearer", {'+', '=', KEY_KP_PLUS}, false, false},
    {ACTION_ZOOM_OUT, SHOW, "- or wheel", "farther", {'-', KEY_KP_MINUS}, false, false},
    {ACTION_FIT, SHOW, "0", "the whole room", {'0', KEY_HOME, KEY_KP_0}, false, false},
    {ACTION_FRAME_ALL, SHOW, "A", "robots and docks", {'a'}, false, false},
    {ACTION_FOLLOW, SHOW, "F", "follow the robot", {'f'}, false, false},
    {ACTION_LEFT, SHOW, "Arrows, drag", "move about", {KEY_LEFT}, false, false},
    {ACTION_RIGHT, SHOW, NULL, NULL, {KEY_RIGHT}, false, false},
    {ACTION_UP, SHOW, NULL, NULL, {KEY_UP}, false, false},
    {ACTION_DOWN, SHOW, NULL, NULL, {KEY_DOWN}, false, false},
    {ACTION_NEXT, SHOW, "Tab", "the next robot", {KEY_TAB}, false, false},
    {ACTION_GRID, SHOW, "G", "grid", {'g'}, false, false},
    {ACTION_CONES, SHOW, "I", "infrared of docks", {'i'}, false, false},
    {ACTION_RAYS, SHOW, "R", "rays of sensors", {'r'}, false, false},
    {ACTION_TRAILS, SHOW, "T", "trails", {'t'}, false, false},
    {ACTION_ODOMETRY, SHOW, "O", "odometry of drivers", {'o'}, false, false},
    {ACTION_LABELS, SHOW, "N", "names", {'n'}, false, false},

    {ACTION_LIFT, ROBOT, "L", "lift, put down", {'l'}, false, false},
    {ACTION_TURN_LEFT, ROBOT, "Q", "turn by 15\xc2\xb0, left", {'q'}, false, false},
    {ACTION_TURN_RIGHT, ROBOT, "E", "turn by 15\xc2\xb0, right", {'e'}, false, false},
    {ACTION_CHARGER, ROBOT, "C", "charger's plug", {'c'}, false, false},
    {ACTION_CABLE, ROBOT, "U", "cable of the link", {'u'}, false, false},
    {ACTION_CORRUPT, ROBOT, "X", "flip bits for 5 s", {'x'}, false, false},
    {ACTION_HAND, ROBOT, "V", "the hand", {'v'}, false, false},
    {ACTION_WALL, ROBOT, "W", "draw a wall", {'w'}, false, false},
    {ACTION_BOX, ROBOT, "B", "draw a box", {'b'}, false, false},
    {ACTION_ERASE, ROBOT, "D", "delete walls, boxes", {'d'}, false, false},
    {ACTION_UNDO, ROBOT, "Ctrl Z", "undo", {'z'}, true, false},
    {ACTION_REDO, ROBOT, "Ctrl Y", "redo", {'y'}, true, false},
    {ACTION_REDO, ROBOT, NULL, NULL, {'z'}, true, true},

    {ACTION_PANEL, FRAME, "P", "panel", {'p'}, false, false},
    {ACTION_THEME, FRAME, "K", "dark, light", {'k'}, false, false},
    {ACTION_SOUND, FRAME, "M", "sound", {'m'}, false, false},
    {ACTION_FULL, FRAME, "F11", "full screen", {KEY_F11}, false, false},
    {ACTION_HELP, FRAME, "F1, H", "these keys", {KEY_F1, 'h', '?'}, false, false},
    {ACTION_ESCAPE, FRAME, "Esc", "back to the hand tool", {KEY_ESCAPE}, false, false},
    {ACTION_QUIT, FRAME, "Ctrl Q", "close", {'q'}, true, false},
};
const size_t action_count = sizeof action_rows / sizeof action_rows[0];

enum action action_of_key(int32_t key, bool is_ctrl, bool is_shift)
{
    for (size_t i = 0; i < action_count; i++) {
        const struct action_row *row = &action_rows[i];
        if (row->needs_ctrl != is_ctrl || (row->needs_shift && !is_shift) ||
            (is_ctrl && row->needs_shift != is_shift))
            continue;
        for (int k = 0; k < 3; k++)
            if (row->key[k] != 0 && row->key[k] == key)
                return row->action;
    }
    return ACTION_NONE;
}

/* ---- Display ---- */

static void zoom_middle(struct view *view, double lines)
{
    view_zoom_lines(view, view_room_px(view) / 2, VIEW_TOOLBAR_PX + view->viewport.height_px / 2,
                    lines);
}

static void select_next(struct view *view)
{
    if (view->snapshot && view->snapshot->robots.count > 0)
        view_select(view, (view->viewport.selected + 1) % (int32_t)view->snapshot->robots.count);
}

static void run_on_viewport(struct view *view, enum action action)
{
    switch (action) {
    case ACTION_ZOOM_IN:
    case ACTION_ZOOM_OUT:
        zoom_middle(view, action == ACTION_ZOOM_IN ? 1 : -1);
        break;
    case ACTION_FIT:
        view->frame = FRAME_ROOM;
        break;
    case ACTION_FRAME_ALL:
        view->frame = view->frame == FRAME_ACTION ? FRAME_ROOM : FRAME_ACTION;
        break;
    case ACTION_FOLLOW:
        view->frame = view->frame == FRAME_ROBOT ? FRAME_FREE : FRAME_ROBOT;
        if (view->frame == FRAME_ROBOT)
            view->viewport.px_per_m = fmax(view->viewport.px_per_m, FOLLOW_PX_PER_M);
        break;
    case ACTION_LEFT:
    case ACTION_RIGHT:
        view_pan(view, action == ACTION_LEFT ? PAN_PX : -PAN_PX, 0);
        break;
    case ACTION_UP:
    case ACTION_DOWN:
        view_pan(view, 0, action == ACTION_UP ? PAN_PX : -PAN_PX);
        break;
    case ACTION_NEXT:
        select_next(view);
        break;
    default:
        assert(action >= ACTION_GRID && action <= ACTION_LABELS);
        // The layers are in the order of enum viewport_shows.
        static_assert(SHOW_GRID << (ACTION_LABELS - ACTION_GRID) == SHOW_LABELS, "same order");
        view->viewport.shows ^= (uint32_t)SHOW_GRID << (action - ACTION_GRID);
    }
    view_update_viewport(view);
}

/* ---- Time ---- */

static void set_speed(struct view *view, double factor)
{
    view_command(view, "world.speed x=%.6g", fmin(fmax(factor, 0.001), 1000));
}

static void step(struct view *view, int ms)
{
    view->is_sought = false;
    if (!view->snapshot->is_paused)
        view_command(view, "world.pause");
    view_command(view, "world.step ms=%d", ms);
}

/* Goes to the next failure, or to the previous one; the first follows the last. */
static void seek_failure(struct view *view, bool is_back)
{
    const struct snapshot *snapshot = view->snapshot;
    const struct snapshot_mark *marks = snapshot_at(snapshot, snapshot->marks), *best = NULL;
    int64_t now_us = view_moment_us(view);
    for (uint32_t i = 0; i < snapshot->marks.count; i++) {
        const struct snapshot_mark *mark = &marks[i];
        if (mark->kind != SNAPSHOT_FAILED)
            continue;
        bool is_beyond = is_back ? mark->at_us < now_us : mark->at_us > now_us;
        bool was_beyond = best && (is_back ? best->at_us < now_us : best->at_us > now_us);
        if (!best || (is_beyond && !was_beyond) || (is_back && is_beyond == was_beyond))
            best = mark;
    }
    if (!best) {
        view_notify(view, "nothing has failed in this run");
        return;
    }
    view_command(view, "world.pause");
    view_seek(view, best->at_us);
}

static void run_on_replay(struct view *view, enum action action)
{
    const int64_t second_us = 1000000, now_us = view_moment_us(view);
    if (!snapshot_is_past(view->snapshot))
        view_notify(view, "only a replay can jump to another time: `ptybot replay JOURNAL --view`");
    else if (action == ACTION_BACK || action == ACTION_AHEAD)
        view_seek(view, action == ACTION_BACK ? now_us - second_us : now_us + second_us);
    else
        seek_failure(view, action == ACTION_FAILURE_BEFORE);
}

static void run_on_time(struct view *view, enum action action)
{
    const struct snapshot *snapshot = view->snapshot;
    switch (action) {
    case ACTION_PLAY:
        view_command(view, "world.pause paused=%s", snapshot->is_paused ? "false" : "true");
        break;
    case ACTION_STEP:
        step(view, 20); // chosen: one cycle of a Kobuki's firmware
        break;
    case ACTION_STEP_MS:
        step(view, 1);
        break;
    case ACTION_SLOWER:
        set_speed(view, snapshot->speed / 2);
        break;
    case ACTION_FASTER:
        set_speed(view, snapshot->speed * 2);
        break;
    case ACTION_REAL_TIME:
        set_speed(view, 1);
        break;
    default:
        if (snapshot_is_past(snapshot))
            view_seek(view, 0);
        else
            view_command(view, "world.reset");
    }
}

/* ---- The selected robot ---- */

static void turn(struct view *view, const struct snapshot_robot *robot, double degrees)
{
    char command[VIEW_COMMAND_MAX], inverse[VIEW_COMMAND_MAX];
    struct snapshot_pose turned = robot->pose;
    turned.heading_rad += degrees * ANGLE_RAD_DEG;
    pointer_place_text(command, sizeof command, robot->name, turned);
    pointer_place_text(inverse, sizeof inverse, robot->name, robot->pose);
    view_edit(view, command, inverse);
}

static void run_fault(struct view *view, const struct snapshot_robot *robot)
{
    char command[VIEW_COMMAND_MAX], inverse[VIEW_COMMAND_MAX];
    if (fault_menu_command(&view->faults, view->snapshot, robot, command, inverse, sizeof command))
        view_edit(view, command, inverse);
}

/* The command uses the part's number, since its position in the list of faults may have changed
 * after the button was drawn. */
static void heal(struct view *view, uint32_t number)
{
    const struct snapshot *snapshot = view->snapshot;
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    uint32_t robot = number / ACTION_HEAL_ROBOT, part = number % ACTION_HEAL_ROBOT;
    if (robot >= snapshot->robots.count || part >= robots[robot].parts.count)
        return;
    const struct snapshot_fault_part *parts = snapshot_at(snapshot, robots[robot].parts);
    view_command(view, "%s.fault %s=none", robots[robot].name,
                 snapshot_text(snapshot, parts[part].name));
}

/* For all robots with faults. */
static void heal_all(struct view *view)
{
    const struct snapshot *snapshot = view->snapshot;
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    const struct snapshot_fault *faults = snapshot_at(snapshot, snapshot->faults);
    for (uint32_t i = 0; i < snapshot->fault_count; i++) {
        bool is_first = true;
        for (uint32_t k = 0; k < i; k++)
            is_first &= faults[k].robot != faults[i].robot;
        if (is_first)
            view_command(view, "%s.heal", robots[faults[i].robot].name);
    }
}

static void press(struct view *view, const struct snapshot_robot *robot, uint32_t number)
{
    if (number >= robot->appearance.count)
        return;
    const char *click = snapshot_appearance(view->snapshot, robot, number).click;
    // chosen: half a second, long enough to see
    if (click)
        view_command(view, "%s.%s%s", robot->name, click,
                     strncmp(click, "press ", 6) == 0 ? " for=0.5" : "");
}

static void run_on_robot(struct view *view, enum action action, uint32_t number)
{
    const struct snapshot_robot *robot = view_robot(view);
    const struct snapshot_channel *channel = robot ? view_channel(view, robot, number) : NULL;
    if (!robot) {
        view_notify(view, "no robot is selected: click a robot");
        return;
    }
    switch (action) {
    case ACTION_LIFT:
        view_command(view, "%s.lift up=%s", robot->name, robot->is_lifted ? "false" : "true");
        break;
    case ACTION_TURN_LEFT:
    case ACTION_TURN_RIGHT:
        turn(view, robot, action == ACTION_TURN_LEFT ? TURN_DEG : -TURN_DEG);
        break;
    case ACTION_CHARGER:
        view_command(view, "%s.%s what=adapter", robot->name,
                     robot->has_adapter ? "unplug" : "plug");
        break;
    case ACTION_CABLE:
    case ACTION_CABLE_OF:
        if (channel)
            view_command(view, "%s.%s what=%s", robot->name,
                         channel->is_plugged ? "unplug" : "plug", channel->name);
        break;
    case ACTION_FAULT:
        run_fault(view, robot);
        break;
    case ACTION_PART:
        press(view, robot, number);
        break;
    case ACTION_HEAL:
        heal(view, number);
        break;
    case ACTION_HEAL_ALL:
        heal_all(view);
        break;
    default:
        if (channel)
            view_command(view, "%s.fault %s=flip rate=0.005 for=5", robot->name, channel->name);
    }
}

/* ---- Tools, undo, panel, window ---- */

static void choose_tool(struct view *view, enum view_tool tool)
{
    static const char *const words[] = {NULL, "drag to draw a wall", "drag to draw a box",
                                        "click a wall or a box to delete it"};
    pointer_cancel(view);
    view->tool = view->tool == tool ? TOOL_HAND : tool;
    if (words[view->tool])
        view_notify(view, "%s; Esc to stop", words[view->tool]);
}

static void escape(struct view *view)
{
    if (view->is_help)
        view->is_help = false;
    else if (view->tool != TOOL_HAND)
        view->tool = TOOL_HAND;
    else if (!view->snapshot->is_tap) // its panel has no page without a robot
        view_select(view, VIEWPORT_NOBODY);
    view->notice_until_ms = view->now_ms;
    pointer_cancel(view);
}

static void run_undo(struct view *view, enum action action)
{
    if (action == ACTION_UNDO ? !view_undo(view) : !view_redo(view))
        view_notify(view, action == ACTION_UNDO ? "nothing to undo" : "nothing to redo");
}

static void run_on_panel(struct view *view, enum action action, uint32_t number)
{
    if (action == ACTION_TAB) {
        view->tab = (enum view_tab)number;
        if (number < TAB_TEST && !view_robot(view))
            select_next(view);
    }
    if (action == ACTION_GROUP)
        view->open_groups ^= UINT64_C(1) << (number % VIEW_GROUPS_MAX);
    if (action == ACTION_PLOT)
        plots_toggle(&view->plots, number);
    if (action == ACTION_DIRECTION)
        view->direction = number;
    if (action == ACTION_CHANNEL)
        view->channel = number;
    if (action == ACTION_FRAME)
        view->open_frames ^= UINT32_C(1) << (number % FRAME_RING_COUNT);
    view->stale |= STALE_PANEL;
}

static uint32_t toggled(uint32_t open, uint32_t number)
{
    return open == number ? VIEW_NONE : number;
}

static void run_on_lists(struct view *view, enum action action, uint32_t number)
{
    struct roster *roster = &view->roster;
    if (action == ACTION_SORT) {
        roster->is_falling = roster->column == number && !roster->is_falling;
        roster->column = (enum roster_column)number;
    }
    if (action == ACTION_FILTER)
        roster->filter = (enum roster_filter)number;
    if (action == ACTION_SELECT) {
        view_select(view, (int32_t)number);
        view->tab = view->tab >= TAB_TEST ? TAB_ROBOT : view->tab;
    }
    if (action == ACTION_FAULT_PART) {
        view->faults.part = toggled(view->faults.part, number);
        view->faults.kind = VIEW_NONE;
    }
    if (action == ACTION_FAULT_KIND)
        view->faults.kind = toggled(view->faults.kind, number);
    if (action == ACTION_FAULT_SLIDE)
        fault_menu_slide(&view->faults, number / ACTION_SLIDE_KEY, number % ACTION_SLIDE_KEY);
    if (action == ACTION_PIN)
        view_pin(view, number);
    if (action == ACTION_FIND || action == ACTION_FIND_SIGNAL || action == ACTION_FAULT_VALUE)
        view->typing = (struct typing){.action = action, .number = number};
}

static void run_on_window(struct view *view, enum action action)
{
    switch (action) {
    case ACTION_PANEL:
        view->is_panel = view->is_folded || !view->is_panel;
        view->is_folded = false;
        break;
    case ACTION_THEME:
        view->viewport.theme = view->viewport.theme == THEME_DARK ? THEME_LIGHT : THEME_DARK;
        break;
    case ACTION_SOUND:
        view->is_muted = !view->is_muted;
        break;
    case ACTION_FULL:
        view->wants_full = !view->wants_full;
        break;
    case ACTION_HELP:
        view->is_help = !view->is_help;
        break;
    case ACTION_ESCAPE:
        escape(view);
        break;
    default:
        view->wants_end = true;
    }
    view_update_viewport(view);
}

void action_run(struct view *view, enum action action, uint32_t number)
{
    view->stale = STALE_ALL;
    view->typing.action = ACTION_NONE;
    if (action == ACTION_NONE || (!view->snapshot && action != ACTION_QUIT))
        return;
    if (action >= ACTION_TAB && action <= ACTION_FRAME)
        run_on_panel(view, action, number);
    else if (action >= ACTION_PANEL && action <= ACTION_QUIT)
        run_on_window(view, action);
    else if (action >= ACTION_SORT && action <= ACTION_FAULT_SLIDE)
        run_on_lists(view, action, number);
    else if (view->snapshot->is_tap)
        view_notify(view, "the robot is real: a tap only records");
    else if (action <= ACTION_RESET)
        run_on_time(view, action);
    else if (action <= ACTION_FAILURE)
        run_on_replay(view, action);
    else if (action <= ACTION_LABELS)
        run_on_viewport(view, action);
    else if (action == ACTION_UNDO || action == ACTION_REDO)
        run_undo(view, action);
    else if (action >= ACTION_HAND && action <= ACTION_ERASE)
        choose_tool(view, (enum view_tool)(action - ACTION_HAND));
    else
        run_on_robot(view, action, number);
}

void action_type(struct view *view, enum action action, uint32_t number, const char *text)
{
    view->stale |= STALE_PANEL;
    if (action == ACTION_FIND)
        snprintf(view->roster.find, sizeof view->roster.find, "%s", text);
    if (action == ACTION_FIND_SIGNAL)
        snprintf(view->find_signal, sizeof view->find_signal, "%s", text);
    if (action == ACTION_FAULT_VALUE)
        fault_menu_set(&view->faults, number, text);
}

void action_letters(struct view *view, const char *letters)
{
    struct typing *typing = &view->typing;
    size_t used = strlen(typing->text);
    if (typing->action == ACTION_NONE || used + strlen(letters) >= sizeof typing->text)
        return;
    memcpy(typing->text + used, letters, strlen(letters) + 1);
    action_type(view, typing->action, typing->number, typing->text);
}

bool action_typing_key(struct view *view, int32_t key)
{
    struct typing *typing = &view->typing;
    size_t used = strlen(typing->text);
    if (typing->action == ACTION_NONE)
        return false;
    if (key == KEY_BACKSPACE) {
        while (used > 0 && (typing->text[--used] & 0xC0) == 0x80)
            continue; // the further bytes of a letter
        typing->text[used] = '\0';
        action_type(view, typing->action, typing->number, typing->text);
    }
    if (key == KEY_ENTER || key == KEY_ESCAPE || key == KEY_TAB)
        typing->action = ACTION_NONE;
    view->stale |= STALE_PANEL;
    return true;
}
