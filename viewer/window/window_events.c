/* What the mouse, the keys and the window's frame say. */
#include <math.h>

#include "viewer/window/window_parts.h"

/* SDL tells the mouse in its own points; with a scale given by hand these are not ours. */
static double points(const struct window *window, int at)
{
    int width, wide = 0;
    SDL_GetWindowSize(window->sdl, &width, NULL);
    SDL_GetWindowSizeInPixels(window->sdl, &wide, NULL);
    return width > 0 ? at * ((double)wide / width) / window->scale : at;
}

static void on_key(struct window *window, const SDL_KeyboardEvent *key)
{
    bool is_ctrl = (key->keysym.mod & (KMOD_CTRL | KMOD_GUI)) != 0;
    bool is_shift = (key->keysym.mod & KMOD_SHIFT) != 0;
    enum action action = action_of_key(key->keysym.sym, is_ctrl, is_shift);
    // Held keys go on moving and stepping, but do not switch to and fro.
    bool is_steady = (action >= ACTION_LEFT && action <= ACTION_DOWN) || action == ACTION_STEP ||
                     action == ACTION_STEP_MS || action == ACTION_ZOOM_IN ||
                     action == ACTION_ZOOM_OUT;
    if (action != ACTION_NONE && (!key->repeat || is_steady))
        view_act(&window->view, action, 0);
}

static void on_button(struct window *window, const SDL_MouseButtonEvent *button)
{
    struct view *view = &window->view;
    double x_px = points(window, button->x), y_px = points(window, button->y);
    bool is_turn = button->button == SDL_BUTTON_RIGHT || (SDL_GetModState() & KMOD_SHIFT) != 0;
    if (button->type == SDL_MOUSEBUTTONUP)
        hands_release(view, x_px, y_px);
    else if (view->hand.grip == GRIP_NOTHING) {
        SDL_CaptureMouse(SDL_TRUE); // a drag may leave the window
        hands_press(view, x_px, y_px, is_turn);
    }
    if (button->type == SDL_MOUSEBUTTONUP)
        SDL_CaptureMouse(SDL_FALSE);
}

static void on_frame(struct window *window, const SDL_WindowEvent *event)
{
    struct view *view = &window->view;
    switch (event->event) {
    case SDL_WINDOWEVENT_SIZE_CHANGED:
    case SDL_WINDOWEVENT_DISPLAY_CHANGED:
        window_measure(window);
        break;
    case SDL_WINDOWEVENT_EXPOSED:
    case SDL_WINDOWEVENT_SHOWN:
    case SDL_WINDOWEVENT_RESTORED:
        view->stale = STALE_ALL;
        break;
    case SDL_WINDOWEVENT_FOCUS_LOST:
        // What the hand holds would else be held for ever.
        if (view->hand.grip != GRIP_NOTHING)
            hands_release(view, view->mouse_x_px, view->mouse_y_px);
        break;
    case SDL_WINDOWEVENT_LEAVE:
        if (view->hand.grip == GRIP_NOTHING)
            hands_move(view, -1, -1);
        break;
    case SDL_WINDOWEVENT_CLOSE:
        view->wants_end = true;
        break;
    default:
        break;
    }
}

void window_event(struct window *window, const SDL_Event *event)
{
    struct view *view = &window->view;
    window->is_touched = true;
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
        on_button(window, &event->button);
        break;
    case SDL_MOUSEMOTION:
        hands_move(view, points(window, event->motion.x), points(window, event->motion.y));
        break;
    case SDL_MOUSEWHEEL:
        view_wheel(view, view->mouse_x_px, view->mouse_y_px, (double)event->wheel.preciseY);
        break;
    case SDL_MULTIGESTURE: // two fingers, in parts of the window
        view_zoom(view, (double)event->mgesture.x * view->width_px,
                  (double)event->mgesture.y * view->height_px,
                  1 + 4 * (double)event->mgesture.dDist);
        break;
    default:
        window->is_touched = false;
    }
}
