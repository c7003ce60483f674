/* What the files of the window share, for them only. */
#ifndef PTYBOT_VIEWER_WINDOW_WINDOW_PARTS_H
#define PTYBOT_VIEWER_WINDOW_WINDOW_PARTS_H

#include <SDL.h>

#include "viewer/paint/paint.h"
#include "viewer/window/feed.h"
#include "viewer/window/parts.h"
#include "viewer/window/sound.h"

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
