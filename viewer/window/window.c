/* The window's process.
 *     ptybot-viewer window key=value ...
 * snapshot: the file that the run shares; control: its socket; size: WIDTHxHEIGHT; theme: light or
 * dark; scale: device pixels a point. It ends with code 0 when it is closed or the run has ended,
 * with 3 where there is no display. */
#include "viewer/window/window.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "viewer/window/window_parts.h"

enum {
    EXIT_NO_DISPLAY = 3,
    FRAME_MS = 16, /* chosen: sixty a second */
    IDLE_MS = 40, /* chosen: how long to look away from what does not change; events wake at once */
    CALM_MS = 500,
};

struct words {
    const char *snapshot, *control;
    int width, height;
    double scale;
    enum theme_name theme;
    bool is_muted;
};

static bool take_word(struct words *words, const char *word)
{
    if (strncmp(word, "snapshot=", 9) == 0)
        words->snapshot = word + 9;
    else if (strncmp(word, "control=", 8) == 0)
        words->control = word + 8;
    else if (strcmp(word, "theme=dark") == 0)
        words->theme = THEME_DARK;
    else if (strcmp(word, "theme=light") == 0)
        words->theme = THEME_LIGHT;
    else if (strcmp(word, "sound=off") == 0)
        words->is_muted = true;
    else
        return sscanf(word, "size=%dx%d", &words->width, &words->height) == 2 ||
               sscanf(word, "scale=%lf", &words->scale) == 1;
    return true;
}

/* ---- Opening ---- */

static bool has_display(void)
{
    const char *const names[] = {"DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]) && *getenv(names[i]))
            return true;
    return false;
}

static int no_display(const char *why)
{
    fprintf(stderr,
            "ptybot: no window: %s; set DISPLAY or WAYLAND_DISPLAY, or log in with `ssh -X`; "
            "`ptybot shot` and `ptybot run --frames` make pictures without a display\n",
            why);
    return EXIT_NO_DISPLAY;
}

static bool open_sdl(struct window *window, const struct words *words)
{
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    // A click into a window that is not in front is meant.
    SDL_SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1");
    SDL_SetHint(SDL_HINT_APP_NAME, "ptybot");
    // Pixels that were painted by a processor go to X11 by shared memory, past any 3D; others may
    // know no such way.
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    // Else SDL falls back to drivers that show nothing, or take a console over.
    if (!getenv("SDL_VIDEODRIVER"))
        SDL_SetHint(SDL_HINT_VIDEODRIVER, "x11,wayland");
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return false;
    const char *driver = SDL_GetCurrentVideoDriver();
    if (!driver || strcmp(driver, "x11") != 0)
        SDL_ResetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION);
    window->sdl =
        SDL_CreateWindow("ptybot", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, words->width,
                         words->height, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (!window->sdl)
        return false;
    SDL_SetWindowMinimumSize(window->sdl, 760, 480); // as wide as the toolbar
    window->sound = sound_open();
    return true;
}

/* Robots first: the machine's time is theirs, and a picture may be late. */
static void step_back(void)
{
    const struct sched_param none = {0};
    if (nice(5) < 0 || sched_setscheduler(0, SCHED_BATCH, &none) != 0)
        return; // then it is as it was
}

/* ---- Running ---- */

static void set_title(struct window *window)
{
    char title[SNAPSHOT_LABEL_MAX + 16];
    snprintf(title, sizeof title, "%s \xe2\x80\x93 ptybot", window->view.snapshot->title);
    SDL_SetWindowTitle(window->sdl, title);
}

/* False: the run has ended, or what it shows makes no sense. */
static bool hear_run(struct window *window)
{
    struct view *view = &window->view;
    bool is_there = remote_visit(window->remote);
    const char *refusal = remote_refusal(window->remote);
    if (refusal)
        view_tell(view, "%s", refusal);
    enum feed_news news = feed_take(window->feed);
    if (news == FEED_BROKEN) {
        fputs("ptybot: the simulation cannot be shown: memory is short, or it is of another "
              "version\n",
              stderr);
        return false;
    }
    if (news == FEED_NEW) {
        bool is_first = !view->snapshot;
        view_take(view, feed_snapshot(window->feed));
        sound_play(window->sound, view->snapshot, view->is_muted);
        window->news_ms = view->now_ms;
        if (is_first)
            set_title(window);
    }
    if (!is_there)
        fputs("ptybot: the simulation has ended; its window closes\n", stderr);
    return is_there;
}

static void handle_events(struct window *window)
{
    SDL_Event event;
    struct view *view = &window->view;
    uint32_t now_ms = SDL_GetTicks();
    bool is_calm = now_ms - window->news_ms > CALM_MS && !view->hand.is_wish_open;
    uint32_t since_ms = now_ms - window->painted_ms;
    int wait_ms = is_calm ? IDLE_MS : since_ms < FRAME_MS ? (int)(FRAME_MS - since_ms) : 1;
    bool is_any = SDL_WaitEventTimeout(&event, wait_ms) != 0;
    view->now_ms = SDL_GetTicks();
    bool wanted_full = view->wants_full;
    for (; is_any; is_any = SDL_PollEvent(&event) != 0)
        window_event(window, &event);
    if (view->wants_full != wanted_full)
        SDL_SetWindowFullscreen(window->sdl, view->wants_full ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
    hands_visit(view);
}

static int run(struct window *window)
{
    struct view *view = &window->view;
    while (!view->wants_end) {
        handle_events(window);
        if (view->wants_end || !hear_run(window))
            return 0;
        if (view->notice[0] && view->notice_until_ms <= view->now_ms) {
            view->notice[0] = '\0';
            view->stale |= STALE_ROOM;
        }
        if (view->stale == 0 || view->now_ms - window->painted_ms < FRAME_MS)
            continue;
        window->painted_ms = view->now_ms;
        if (!window_paint(window))
            return no_display(SDL_GetError());
    }
    return 0;
}

static void close_all(struct window *window)
{
    sound_close(window->sound);
    draw_list_free(&window->list);
    painter_destroy(window->painter);
    if (window->sdl)
        SDL_DestroyWindow(window->sdl);
    SDL_Quit();
    remote_close(window->remote);
    feed_close(window->feed);
}

int window_run(int argc, char **argv)
{
    static struct window window; // too large for a stack to like
    struct words words = {.width = 1280, .height = 800};
    for (int i = 0; i < argc; i++)
        if (!take_word(&words, argv[i])) {
            fprintf(stderr, "ptybot-viewer: unknown word %s\n", argv[i]);
            return 2;
        }
    if (!words.snapshot || !words.control)
        return 2;
    if (!has_display())
        return no_display("there is no display");
    step_back();
    window.feed = feed_open(words.snapshot);
    window.remote = window.feed ? remote_open(words.control) : NULL;
    window.painter = painter_create();
    int code = EXIT_NO_DISPLAY;
    if (window.remote && window.painter) {
        view_init(&window.view, window.remote);
        window.view.viewport.theme = words.theme;
        window.view.is_muted = words.is_muted;
        window.zoomed_scale = words.scale;
        if (open_sdl(&window, &words)) {
            window_measure(&window);
            code = run(&window);
        } else {
            no_display(SDL_GetError());
        }
    }
    close_all(&window);
    return code;
}
