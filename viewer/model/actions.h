/* Actions of keys and buttons, and the table of keys for keyboard and help. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum action {
    ACTION_NONE,
    /* time */
    ACTION_PLAY,
    ACTION_STEP,
    ACTION_STEP_MS,
    ACTION_SLOWER,
    ACTION_FASTER,
    ACTION_REAL_TIME,
    ACTION_RESET,
    /* of a replay */
    ACTION_BACK,
    ACTION_AHEAD,
    ACTION_FAILURE_BEFORE,
    ACTION_FAILURE,
    /* display */
    ACTION_ZOOM_IN,
    ACTION_ZOOM_OUT,
    ACTION_FIT,
    ACTION_FRAME_ALL,
    ACTION_FOLLOW,
    ACTION_LEFT,
    ACTION_RIGHT,
    ACTION_UP,
    ACTION_DOWN,
    ACTION_NEXT,
    ACTION_GRID,
    ACTION_CONES,
    ACTION_RAYS,
    ACTION_TRAILS,
    ACTION_ODOMETRY,
    ACTION_LABELS,
    /* robots and tools */
    ACTION_LIFT,
    ACTION_TURN_LEFT,
    ACTION_TURN_RIGHT,
    ACTION_CHARGER,
    ACTION_CABLE,
    ACTION_CORRUPT,
    ACTION_HAND,
    ACTION_WALL,
    ACTION_BOX,
    ACTION_ERASE,
    ACTION_UNDO,
    ACTION_REDO,
    /* window */
    ACTION_PANEL,
    ACTION_THEME,
    ACTION_SOUND,
    ACTION_FULL,
    ACTION_HELP,
    ACTION_ESCAPE,
    ACTION_QUIT,
    /* without keys: for parts of the panel, which pass a number */
    ACTION_TAB,
    ACTION_GROUP,
    ACTION_PLOT,
    ACTION_DIRECTION,
    ACTION_CHANNEL,
    ACTION_FRAME,
    ACTION_SORT,
    ACTION_FILTER,
    ACTION_SELECT,
    ACTION_FIND,
    ACTION_FIND_SIGNAL,
    ACTION_PIN,
    ACTION_FAULT_PART,
    ACTION_FAULT_KIND,
    ACTION_FAULT_VALUE,
    ACTION_FAULT_SLIDE, /* number: ACTION_SLIDE_KEY times the argument, plus its step or word */
    ACTION_CABLE_OF,
    ACTION_CORRUPT_OF,
    ACTION_PART, /* number: of the appearance row to click */
    ACTION_FAULT,
    ACTION_HEAL, /* number: ACTION_HEAL_ROBOT times the robot, plus its part */
    ACTION_HEAL_ALL,
};
enum { ACTION_HEAL_ROBOT = 0x10000, ACTION_SLIDE_KEY = 0x1000 };

/* Keys without a letter, with SDL's key codes (SDL_keycode.h); the code of other keys is their
 * unshifted letter. */
enum key {
    KEY_BACKSPACE = '\b',
    KEY_TAB = '\t',
    KEY_ENTER = '\r',
    KEY_ESCAPE = 27,
    KEY_F1 = 0x4000003A,
    KEY_F11 = 0x40000044,
    KEY_HOME = 0x4000004A,
    KEY_RIGHT = 0x4000004F,
    KEY_LEFT,
    KEY_DOWN,
    KEY_UP,
    KEY_KP_MINUS = 0x40000056,
    KEY_KP_PLUS,
    KEY_KP_0 = 0x40000062,
};

struct action_row {
    enum action action;
    const char *group; /* heading of the keys in the help */
    const char *keys;  /* as the help shows them; NULL: a further key of the row above */
    const char *note;
    int32_t key[3]; /* 0: none */
    bool needs_ctrl, needs_shift;
};

extern const struct action_row action_rows[];
extern const size_t action_count;

/* The action of a key, or ACTION_NONE. */
enum action action_of_key(int32_t key, bool is_ctrl, bool is_shift);

struct view;

/* Runs an action. NUMBER is the number that its part of the panel passes, else 0. */
void action_run(struct view *view, enum action action, uint32_t number);

/* Call it after a text was typed into the field of an action. */
void action_type(struct view *view, enum action action, uint32_t number, const char *text);

/* For a window, where ACTION_FIND and ACTION_FAULT_VALUE activate a text field: handles
 * typed letters (UTF-8), or a key. False: no field is active, so the key has its own action. */
void action_letters(struct view *view, const char *letters);
bool action_typing_key(struct view *view, int32_t key);
