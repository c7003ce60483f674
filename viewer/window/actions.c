/* The keys, as rows. */
#include "viewer/window/actions.h"

#include <SDL.h>

#define TIME  "Time"
#define SEE   "Look"
#define HANDS "Hands"
#define FRAME "Window"

const struct action_row action_rows[] = {
    {ACTION_PLAY, TIME, "Space", "pause, go on", {SDLK_SPACE}, false, false},
    {ACTION_STEP, TIME, ".", "a step of 20 ms", {SDLK_PERIOD}, false, false},
    {ACTION_STEP_MS, TIME, ",", "a step of 1 ms", {SDLK_COMMA}, false, false},
    {ACTION_SLOWER, TIME, "[", "half the speed", {SDLK_LEFTBRACKET}, false, false},
    {ACTION_FASTER, TIME, "]", "twice the speed", {SDLK_RIGHTBRACKET}, false, false},
    {ACTION_REAL_TIME, TIME, "\\", "real time", {SDLK_BACKSLASH}, false, false},
    {ACTION_RESET, TIME, "Ctrl R", "all as at the start", {SDLK_r}, true, false},

    {ACTION_ZOOM_IN,
     SEE,
     "+ or wheel",
     "nearer",
     {SDLK_PLUS, SDLK_EQUALS, SDLK_KP_PLUS},
     false,
     false},
    {ACTION_ZOOM_OUT, SEE, "- or wheel", "farther", {SDLK_MINUS, SDLK_KP_MINUS}, false, false},
    {ACTION_FIT, SEE, "0", "the whole room", {SDLK_0, SDLK_HOME, SDLK_KP_0}, false, false},
    {ACTION_FOLLOW, SEE, "F", "follow the robot", {SDLK_f}, false, false},
    {ACTION_LEFT, SEE, "Arrows, drag", "move about", {SDLK_LEFT}, false, false},
    {ACTION_RIGHT, SEE, NULL, NULL, {SDLK_RIGHT}, false, false},
    {ACTION_UP, SEE, NULL, NULL, {SDLK_UP}, false, false},
    {ACTION_DOWN, SEE, NULL, NULL, {SDLK_DOWN}, false, false},
    {ACTION_NEXT, SEE, "Tab", "the next robot", {SDLK_TAB}, false, false},
    {ACTION_GRID, SEE, "G", "grid", {SDLK_g}, false, false},
    {ACTION_CONES, SEE, "I", "infrared of docks", {SDLK_i}, false, false},
    {ACTION_RAYS, SEE, "R", "rays of sensors", {SDLK_r}, false, false},
    {ACTION_TRAILS, SEE, "T", "trails", {SDLK_t}, false, false},
    {ACTION_TOLD, SEE, "O", "odometry of hosts", {SDLK_o}, false, false},
    {ACTION_LABELS, SEE, "N", "names", {SDLK_n}, false, false},

    {ACTION_LIFT, HANDS, "L", "lift, put down", {SDLK_l}, false, false},
    {ACTION_TURN_LEFT, HANDS, "Q", "turn by 15\xc2\xb0, left", {SDLK_q}, false, false},
    {ACTION_TURN_RIGHT, HANDS, "E", "turn by 15\xc2\xb0, right", {SDLK_e}, false, false},
    {ACTION_CHARGER, HANDS, "C", "charger's plug", {SDLK_c}, false, false},
    {ACTION_CABLE, HANDS, "U", "cable of the link", {SDLK_u}, false, false},
    {ACTION_CORRUPT, HANDS, "X", "flip bits for 5 s", {SDLK_x}, false, false},
    {ACTION_HAND, HANDS, "V", "the hand", {SDLK_v}, false, false},
    {ACTION_WALL, HANDS, "W", "draw a wall", {SDLK_w}, false, false},
    {ACTION_BOX, HANDS, "B", "draw a box", {SDLK_b}, false, false},
    {ACTION_ERASE, HANDS, "D", "delete walls, boxes", {SDLK_d}, false, false},
    {ACTION_UNDO, HANDS, "Ctrl Z", "undo", {SDLK_z}, true, false},
    {ACTION_REDO, HANDS, "Ctrl Y", "redo", {SDLK_y}, true, false},
    {ACTION_REDO, HANDS, NULL, NULL, {SDLK_z}, true, true},

    {ACTION_PANEL, FRAME, "P", "panel", {SDLK_p}, false, false},
    {ACTION_THEME, FRAME, "K", "dark, light", {SDLK_k}, false, false},
    {ACTION_SOUND, FRAME, "M", "sound", {SDLK_m}, false, false},
    {ACTION_FULL, FRAME, "F11", "full screen", {SDLK_F11}, false, false},
    {ACTION_HELP, FRAME, "F1, H", "these keys", {SDLK_F1, SDLK_h, SDLK_QUESTION}, false, false},
    {ACTION_ESCAPE, FRAME, "Esc", "back to the hand", {SDLK_ESCAPE}, false, false},
    {ACTION_QUIT, FRAME, "Ctrl Q", "close", {SDLK_q}, true, false},
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
