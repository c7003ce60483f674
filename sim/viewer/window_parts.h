/* What the files of the window share, for them only. */
#ifndef PTYBOT_SIM_VIEWER_WINDOW_PARTS_H
#define PTYBOT_SIM_VIEWER_WINDOW_PARTS_H

#include <SDL.h>

#include "sim/viewer/feed.h"
#include "sim/viewer/paint.h"
#include "sim/viewer/parts.h"
#include "sim/viewer/sound.h"

struct window {
    SDL_Window *sdl;
    struct feed *feed;
    struct remote *remote;
    struct sound *sound; /* or NULL */
    struct painter *painter;
    struct view view;
    struct draw_list list;
    double scale;        /* device pixels a point */
    double zoomed_scale; /* given by hand; 0: the display's */
    bool is_touched;     /* an event came since the panel was painted */
    uint32_t painted_ms, panel_ms, news_ms;
    uint64_t frames; /* painted */
};

/* Takes the size of the window from SDL. */
void window_measure(struct window *window);

/* Paints what is stale. False: the surface is gone, and so is the window. */
bool window_paint(struct window *window);

/* One event of SDL's. */
void window_event(struct window *window, const SDL_Event *event);

#endif
