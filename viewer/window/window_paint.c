/* Painting into the window's own pixels: only the parts that are stale. */
#include <math.h>

#include "viewer/window/window_parts.h"

enum { PANEL_MS = 100 }; /* chosen: nobody reads numbers faster */

void window_measure(struct window *window)
{
    int width, height, wide = 0, high = 0;
    SDL_GetWindowSize(window->sdl, &width, &height);
    SDL_GetWindowSizeInPixels(window->sdl, &wide, &high);
    window->scale = window->zoomed_scale > 0 ? window->zoomed_scale
                    : width > 0              ? (double)wide / width
                                             : 1;
    view_resize(&window->view, wide / window->scale, high / window->scale);
}

/* A part of the window's pixels as a surface of its own. RECT becomes device pixels. */
static cairo_surface_t *part_of(SDL_Surface *surface, double scale, struct sheet_box box,
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
    if (view->snapshot) {
        painter_paint(window->painter, surface, window->scale, &view->viewport, view->snapshot);
    } else {
        const struct viewport_point corners[] = {
            {0, 0}, {view->width_px, 0}, {view->width_px, view->height_px}, {0, view->height_px}};
        draw_polygon(&window->list, (struct draw_item){.fill = theme->page}, corners, 4);
    }
    part_overlay(&window->list, view);
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
        part_toolbar(&window->list, view);
    else
        part_panel(&window->list, view);
    paint_list(window, surface);
}

static struct sheet_box box_of(const struct view *view, uint32_t part)
{
    double room_px = view_room_px(view), below_px = view->height_px - VIEW_TOOLBAR_PX;
    if (part == STALE_TOOLBAR)
        return (struct sheet_box){0, 0, view->width_px, VIEW_TOOLBAR_PX};
    if (part == STALE_ROOM)
        return (struct sheet_box){0, VIEW_TOOLBAR_PX, room_px, below_px};
    return (struct sheet_box){room_px, VIEW_TOOLBAR_PX, view->width_px - room_px, below_px};
}

/* The panel is painted as often as one reads, unless somebody does something. */
static uint32_t due(const struct window *window)
{
    const struct view *view = &window->view;
    uint32_t stale = view->stale;
    if (!view_has_panel(view))
        return stale & ~(uint32_t)STALE_PANEL;
    if (!window->is_touched && view->now_ms - window->panel_ms < PANEL_MS)
        return stale & ~(uint32_t)STALE_PANEL;
    return stale;
}

bool window_paint(struct window *window)
{
    static const uint32_t parts[] = {STALE_TOOLBAR, STALE_PANEL, STALE_ROOM};
    struct view *view = &window->view;
    uint32_t wanted = due(window);
    SDL_Rect rects[3];
    int count = 0;
    if (wanted == 0)
        return true;
    SDL_Surface *surface = SDL_GetWindowSurface(window->sdl);
    if (!surface || surface->format->BytesPerPixel != 4)
        return false;
    for (size_t i = 0; i < 3; i++) {
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
        view->panel_zones.count = 0;
    }
    if (wanted & STALE_PANEL) {
        window->panel_ms = view->now_ms;
        window->is_touched = false;
    }
    window->frames++;
    return count == 0 || SDL_UpdateWindowSurfaceRects(window->sdl, rects, count) == 0;
}
