/* The process of the window.
 *     ptybot-viewer window SNAPSHOT CONTROL
 * SNAPSHOT: the shared file of the run; CONTROL: its control socket. The exit code is 0 when the
 * window was closed or the run has ended, 3 if there is no display. The parts of the window are
 * painted separately: the toolbar, the room, the panel, and for a replay the time bar. */
#include "viewer/window/window.h"

#include <SDL.h>
#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "viewer/model/actions.h"
#include "viewer/model/overlay.h"
#include "viewer/model/pointer.h"
#include "viewer/paint/paint.h"
#include "viewer/rpc/rpc_requests.h"
#include "viewer/rpc/snapshot_reader.h"
#include "viewer/window/panel_draw.h"
#include "viewer/window/sound.h"
#include "viewer/window/timebar.h"
#include "viewer/window/toolbar.h"

enum {
    EXIT_NO_DISPLAY = 3,
    PANEL_MS = 100, /* chosen: faster than a person reads numbers */
    FRAME_MS = 16,  /* chosen: 60 per second */
    IDLE_MS = 40,   /* chosen: interval of checks while the run does not change */
    CALM_MS = 500,  /* chosen: after this time without a change, the run counts as unchanging */
    COMMANDS_MAX = 4096, /* chosen: more than the sockets hold */
};

static_assert((int)KEY_TAB == (int)SDLK_TAB && (int)KEY_ESCAPE == (int)SDLK_ESCAPE &&
                  (int)KEY_F1 == (int)SDLK_F1 && (int)KEY_F11 == (int)SDLK_F11 &&
                  (int)KEY_HOME == (int)SDLK_HOME && (int)KEY_RIGHT == (int)SDLK_RIGHT &&
                  (int)KEY_LEFT == (int)SDLK_LEFT && (int)KEY_DOWN == (int)SDLK_DOWN &&
                  (int)KEY_UP == (int)SDLK_UP && (int)KEY_KP_MINUS == (int)SDLK_KP_MINUS &&
                  (int)KEY_KP_PLUS == (int)SDLK_KP_PLUS && (int)KEY_KP_0 == (int)SDLK_KP_0,
              "the numbers of keys are those of SDL");

struct window {
    SDL_Window *sdl;
    struct snapshot_reader *reader;
    struct rpc_requests *rpc;
    struct sound *sound; /* or NULL */
    struct painter *painter;
    struct view view;
    struct draw_list list;
    double scale;   /* device pixels per point */
    bool has_event; /* an event occurred since the panel was painted */
    uint32_t painted_ms, panel_ms, news_ms;
    uint32_t slider; /* the argument of the held slider + 1; 0: none */
};

/* ---- Opening ---- */

static bool has_display(void)
{
    const char *const names[] = {"DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return true;
    }
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

/* SDL connects to the session's message bus, and libdbus launches one if there is none. That
 * process would remain, and may never answer in a container. The window needs no bus, so it uses
 * only an existing one. */
static void launch_no_message_bus(void)
{
    char bus[256] = "";
    const char *folder = getenv("XDG_RUNTIME_DIR");
    if (folder)
        snprintf(bus, sizeof bus, "%s/bus", folder);
    if (access(bus, F_OK) != 0)
        setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:", 0);
}

static bool open_video(void)
{
    // Otherwise SDL falls back to drivers that show nothing or use the whole console.
    if (!getenv("SDL_VIDEODRIVER"))
        SDL_SetHint(SDL_HINT_VIDEODRIVER, "x11,wayland");
    launch_no_message_bus();
    return SDL_Init(SDL_INIT_VIDEO) == 0;
}

/* As wide as the toolbar, as high as the help and the parts above and below it. */
static void set_least_size(struct window *window)
{
    SDL_SetWindowMinimumSize(window->sdl, 760, 540 + (int)window->view.bar_px);
}

static bool open_sdl(struct window *window)
{
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    // A click into an inactive window has its normal effect.
    SDL_SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1");
    SDL_SetHint(SDL_HINT_APP_NAME, "ptybot");
    // X11 shows pixels painted by the CPU through shared memory, without 3D; other drivers may need
    // the acceleration.
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    if (!open_video())
        return false;
    const char *driver = SDL_GetCurrentVideoDriver();
    if (!driver || strcmp(driver, "x11") != 0)
        SDL_ResetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION);
    window->sdl = SDL_CreateWindow("ptybot", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, 1280,
                                   800, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (!window->sdl)
        return false;
    set_least_size(window);
    window->sound = sound_open();
    return true;
}

/* ---- Painting: directly into the window's pixels, and only stale parts ---- */

/* Takes the size of the window from SDL. */
static void measure(struct window *window)
{
    int width, height, wide = 0, high = 0;
    SDL_GetWindowSize(window->sdl, &width, &height);
    SDL_GetWindowSizeInPixels(window->sdl, &wide, &high);
    window->scale = width > 0 ? (double)wide / width : 1;
    view_resize(&window->view, wide / window->scale, high / window->scale);
}

/* A surface for a part of the window's pixels. RECT becomes the part in device pixels. */
static cairo_surface_t *part_of(SDL_Surface *surface, double scale, struct ui_rect box,
                                SDL_Rect *rect)
{
    int left = (int)floor(box.x_px * scale), top = (int)floor(box.y_px * scale);
    int right = (int)ceil((box.x_px + box.width_px) * scale);
    int bottom = (int)ceil((box.y_px + box.height_px) * scale);
    right = right < surface->w ? right : surface->w;
    bottom = bottom < surface->h ? bottom : surface->h;
    if (right <= left || bottom <= top)
        return NULL;
    *rect = (SDL_Rect){left, top, right - left, bottom - top};
    unsigned char *pixels = surface->pixels;
    return cairo_image_surface_create_for_data(
        pixels + (size_t)top * (size_t)surface->pitch + (size_t)left * 4, CAIRO_FORMAT_RGB24,
        rect->w, rect->h, surface->pitch);
}

static void paint_list(struct window *window, cairo_surface_t *surface)
{
    cairo_t *cairo = cairo_create(surface);
    cairo_scale(cairo, window->scale, window->scale);
    painter_list(window->painter, cairo, &window->list);
    cairo_destroy(cairo);
    cairo_surface_flush(surface);
}

static void paint_room(struct window *window, cairo_surface_t *surface)
{
    struct view *view = &window->view;
    const struct theme *theme = theme_of(view->viewport.theme);
    draw_list_clear(&window->list);
    if (view->snapshot && !view->snapshot->is_tap)
        painter_paint(window->painter, surface, window->scale, &view->viewport, view->snapshot);
    else
        draw_rect(&window->list, (struct draw_item){.fill = theme->page}, 0, 0, view->width_px,
                  view->height_px);
    overlay_draw(&window->list, view);
    paint_list(window, surface);
}

static void paint_part(struct window *window, cairo_surface_t *surface, uint32_t part)
{
    struct view *view = &window->view;
    if (part == STALE_ROOM) {
        paint_room(window, surface);
        return;
    }
    draw_list_clear(&window->list);
    if (part == STALE_TOOLBAR)
        toolbar_draw(&window->list, view);
    else if (part == STALE_BAR)
        timebar_draw(&window->list, view);
    else
        panel_draw(&window->list, view);
    paint_list(window, surface);
}

static struct ui_rect box_of(const struct view *view, uint32_t part)
{
    double room_px = view_room_px(view), below_px = view_below_px(view);
    if (part == STALE_TOOLBAR)
        return (struct ui_rect){0, 0, view->width_px, VIEW_TOOLBAR_PX};
    if (part == STALE_BAR)
        return (struct ui_rect){0, view->height_px - view->bar_px, view->width_px, view->bar_px};
    if (part == STALE_ROOM)
        return (struct ui_rect){0, VIEW_TOOLBAR_PX, room_px, below_px};
    return (struct ui_rect){room_px, VIEW_TOOLBAR_PX, view->width_px - room_px, below_px};
}

/* The parts to paint now: the panel only as often as a person can read, unless there was an
 * event. */
static uint32_t due(const struct window *window)
{
    const struct view *view = &window->view;
    uint32_t stale = view->stale;
    if (!view_has_panel(view))
        return stale & ~(uint32_t)STALE_PANEL;
    if (!window->has_event && view->now_ms - window->panel_ms < PANEL_MS)
        return stale & ~(uint32_t)STALE_PANEL;
    return stale;
}

/* Paints the stale parts. False: the surface and the window are gone. */
static bool paint(struct window *window)
{
    static const uint32_t parts[] = {STALE_TOOLBAR, STALE_PANEL, STALE_ROOM, STALE_BAR};
    enum { PARTS = sizeof parts / sizeof parts[0] };
    struct view *view = &window->view;
    uint32_t wanted = due(window);
    SDL_Rect rects[PARTS];
    int count = 0;
    if (wanted == 0)
        return true;
    SDL_Surface *surface = SDL_GetWindowSurface(window->sdl);
    if (!surface || surface->format->BytesPerPixel != 4)
        return false;
    for (size_t i = 0; i < PARTS; i++) {
        if (!(wanted & parts[i]))
            continue;
        cairo_surface_t *part =
            part_of(surface, window->scale, box_of(view, parts[i]), &rects[count]);
        if (!part)
            continue;
        paint_part(window, part, parts[i]);
        cairo_surface_destroy(part);
        count++;
    }
    view->stale &= ~wanted;
    if (!view_has_panel(view)) {
        view->stale &= ~(uint32_t)STALE_PANEL;
        view->panel_hit_areas.count = 0;
    }
    if (wanted & STALE_PANEL) {
        window->panel_ms = view->now_ms;
        window->has_event = false;
    }
    return count == 0 || SDL_UpdateWindowSurfaceRects(window->sdl, rects, count) == 0;
}

/* ---- Commands ---- */

/* Shows an error reply as a message. */
static void take_reply(void *who, const char *line, size_t size)
{
    json_t *reply = json_loadb(line, size, 0, NULL);
    const char *message =
        json_string_value(json_object_get(json_object_get(reply, "error"), "message"));
    if (message)
        view_notify(who, "%s", message);
    json_decref(reply);
}

/* Sends the commands of the view to the run: after each event, so that the outbox never fills
 * up. */
static void send_commands(struct window *window)
{
    struct outbox *outbox = &window->view.outbox;
    for (const char *command; (command = outbox_take(outbox));)
        rpc_requests_do(window->rpc, command,
                        &window->view); // dropped if a stuck run reads nothing
    outbox->unanswered = rpc_requests_pending(window->rpc);
}

/* ---- Events ---- */

static void on_key(struct window *window, const SDL_KeyboardEvent *key)
{
    if (action_typing_key(&window->view, key->keysym.sym))
        return;
    bool is_ctrl = (key->keysym.mod & (KMOD_CTRL | KMOD_GUI)) != 0;
    bool is_shift = (key->keysym.mod & KMOD_SHIFT) != 0;
    enum action action = action_of_key(key->keysym.sym, is_ctrl, is_shift);
    // A held key repeats moves and steps, but not switches.
    bool is_steady = action == ACTION_BACK || action == ACTION_AHEAD ||
                     (action >= ACTION_LEFT && action <= ACTION_DOWN) || action == ACTION_STEP ||
                     action == ACTION_STEP_MS || action == ACTION_ZOOM_IN ||
                     action == ACTION_ZOOM_OUT;
    if (action != ACTION_NONE && (!key->repeat || is_steady))
        action_run(&window->view, action, 0);
}

static void on_button(struct window *window, const SDL_MouseButtonEvent *button, bool had_event)
{
    struct view *view = &window->view;
    double x_px = button->x, y_px = button->y;
    bool is_turn = button->button == SDL_BUTTON_RIGHT || (SDL_GetModState() & KMOD_SHIFT) != 0;
    if (button->type == SDL_MOUSEBUTTONUP) {
        window->slider = 0;
        if (!timebar_release(view, x_px, y_px))
            pointer_release(view, x_px, y_px);
    } else if (view->drag.kind == DRAG_NONE) {
        // If events are queued, a press needs the result of the earlier ones.
        if (had_event && view->stale != 0)
            paint(window);
        const struct hit_area *area = view_hit_area(view, x_px, y_px);
        SDL_CaptureMouse(SDL_TRUE); // a drag may leave the window
        view->typing.action = ACTION_NONE;
        if (area && area->action == ACTION_FAULT_SLIDE)
            window->slider = area->number / ACTION_SLIDE_KEY + 1;
        if (area)
            action_run(view, area->action, area->number);
        else if (!timebar_press(view, x_px, y_px))
            pointer_press(view, x_px, y_px, is_turn);
    }
    if (button->type == SDL_MOUSEBUTTONUP)
        SDL_CaptureMouse(SDL_FALSE);
}

/* A held slider follows the mouse. */
static bool move_slider(struct window *window, double x_px, double y_px)
{
    struct view *view = &window->view;
    const struct hit_area *area = window->slider ? view_hit_area(view, x_px, y_px) : NULL;
    if (area && area->action == ACTION_FAULT_SLIDE &&
        area->number / ACTION_SLIDE_KEY + 1 == window->slider)
        action_run(view, area->action, area->number);
    return window->slider != 0;
}

static void move_pointer(struct view *view, double x_px, double y_px)
{
    if (!timebar_move(view, x_px, y_px))
        pointer_move(view, x_px, y_px);
}

static void on_frame(struct window *window, const SDL_WindowEvent *event)
{
    struct view *view = &window->view;
    switch (event->event) {
    case SDL_WINDOWEVENT_SIZE_CHANGED:
    case SDL_WINDOWEVENT_DISPLAY_CHANGED:
        measure(window);
        break;
    case SDL_WINDOWEVENT_EXPOSED:
    case SDL_WINDOWEVENT_SHOWN:
    case SDL_WINDOWEVENT_RESTORED:
        view->stale = STALE_ALL;
        break;
    case SDL_WINDOWEVENT_FOCUS_LOST:
        // The window would not get the release of the button.
        if (view->drag.kind != DRAG_NONE &&
            !timebar_release(view, view->mouse_x_px, view->mouse_y_px))
            pointer_release(view, view->mouse_x_px, view->mouse_y_px);
        break;
    case SDL_WINDOWEVENT_LEAVE:
        if (view->drag.kind == DRAG_NONE)
            move_pointer(view, -1, -1);
        break;
    case SDL_WINDOWEVENT_CLOSE:
        view->wants_end = true;
        break;
    default:
        break;
    }
}

static void handle_event(struct window *window, const SDL_Event *event)
{
    struct view *view = &window->view;
    bool had_event = window->has_event;
    window->has_event = true;
    switch (event->type) {
    case SDL_QUIT:
        view->wants_end = true;
        break;
    case SDL_WINDOWEVENT:
        on_frame(window, &event->window);
        break;
    case SDL_KEYDOWN:
        on_key(window, &event->key);
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        on_button(window, &event->button, had_event);
        break;
    case SDL_TEXTINPUT:
        action_letters(view, event->text.text);
        break;
    case SDL_MOUSEMOTION:
        if (!move_slider(window, event->motion.x, event->motion.y))
            move_pointer(view, event->motion.x, event->motion.y);
        break;
    case SDL_MOUSEWHEEL:
        view_wheel(view, view->mouse_x_px, view->mouse_y_px, (double)event->wheel.preciseY);
        break;
    case SDL_MULTIGESTURE: // two fingers; x and y are fractions of the window
        view_zoom(view, (double)event->mgesture.x * view->width_px,
                  (double)event->mgesture.y * view->height_px,
                  1 + 4 * (double)event->mgesture.dDist);
        break;
    default:
        window->has_event = had_event;
    }
    send_commands(window);
}

/* ---- Running ---- */

static void set_title(struct window *window)
{
    char title[SNAPSHOT_LABEL_MAX + 16];
    snprintf(title, sizeof title, "%s \xe2\x80\x93 ptybot", window->view.snapshot->title);
    SDL_SetWindowTitle(window->sdl, title);
}

/* Takes replies and snapshots from the run. False: it has ended, or cannot be shown. */
static bool update_from_run(struct window *window)
{
    struct view *view = &window->view;
    bool is_there = rpc_requests_update(window->rpc);
    enum reader_news news = snapshot_reader_update(window->reader);
    if (news == READER_BROKEN) {
        fputs("ptybot: the simulation cannot be shown: not enough memory, or another version of "
              "ptybot\n",
              stderr);
        return false;
    }
    if (news == READER_NEW) {
        bool is_first = !view->snapshot;
        const struct snapshot *snapshot = snapshot_reader_latest(window->reader);
        view->bar_px = timebar_px(snapshot);
        view_set_snapshot(view, snapshot);
        sound_play(window->sound, view->snapshot, view->is_muted);
        window->news_ms = view->now_ms;
        if (is_first) {
            set_title(window);
            set_least_size(window);
        }
    }
    bool is_outdated = snapshot_reader_is_outdated(window->reader);
    if (is_outdated != view->is_outdated)
        view->stale |= STALE_ROOM;
    view->is_outdated = is_outdated;
    if (!is_there)
        fprintf(stderr, "ptybot: the %s has ended; its window closes\n",
                view->snapshot && view->snapshot->is_tap ? "tap" : "simulation");
    return is_there;
}

static void handle_events(struct window *window)
{
    SDL_Event event;
    struct view *view = &window->view;
    uint32_t now_ms = SDL_GetTicks();
    bool is_calm = now_ms - window->news_ms > CALM_MS && !view->drag.is_target_unsent &&
                   !view->drag.is_seek_unsent && !view->aim.is_gliding;
    uint32_t since_ms = now_ms - window->painted_ms;
    int wait_ms = is_calm ? IDLE_MS : since_ms < FRAME_MS ? (int)(FRAME_MS - since_ms) : 1;
    bool is_any = SDL_WaitEventTimeout(&event, wait_ms) != 0;
    view->now_ms = SDL_GetTicks();
    bool wanted_full = view->wants_full;
    for (; is_any; is_any = SDL_PollEvent(&event) != 0)
        handle_event(window, &event);
    if (view->wants_full != wanted_full)
        SDL_SetWindowFullscreen(window->sdl, view->wants_full ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
    send_commands(window); // counts the answers since the last event
    pointer_send_target(view);
    timebar_send_target(view);
    send_commands(window);
}

static int run(struct window *window)
{
    struct view *view = &window->view;
    while (!view->wants_end) {
        handle_events(window);
        if (view->wants_end || !update_from_run(window))
            return 0;
        if (view->notice[0] && view->notice_until_ms <= view->now_ms) {
            view->notice[0] = '\0';
            view->stale |= STALE_ROOM;
        }
        view_glide(view);
        if (view->stale == 0 || view->now_ms - window->painted_ms < FRAME_MS)
            continue;
        window->painted_ms = view->now_ms;
        if (!paint(window))
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
    rpc_requests_close(window->rpc);
    snapshot_reader_close(window->reader);
}

/* Whether a window can be opened; prints the reason if not. */
static int try_display(void)
{
    if (!has_display())
        return no_display("there is no display");
    if (!open_video())
        return no_display(SDL_GetError());
    SDL_Quit();
    return 0;
}

int window_run(int argc, char **argv)
{
    static struct window window; // too large for the stack
    if (argc == 1 && strcmp(argv[0], "try") == 0)
        return try_display();
    if (argc != 2)
        return 2;
    if (!has_display())
        return no_display("there is no display");
    window.reader = snapshot_reader_open(argv[0]);
    window.rpc = window.reader ? rpc_requests_open(argv[1], COMMANDS_MAX, take_reply) : NULL;
    window.painter = painter_create();
    int code = EXIT_NO_DISPLAY;
    if (window.rpc && window.painter) {
        view_init(&window.view);
        if (open_sdl(&window)) {
            measure(&window);
            code = run(&window);
        } else {
            no_display(SDL_GetError());
        }
    }
    close_all(&window);
    return code;
}
