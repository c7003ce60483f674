#define _GNU_SOURCE
#include "tests/viewer/window_rig.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "viewer/window/panel_draw.h"
#include "viewer/window/timebar.h"
#include "viewer/window/toolbar.h"

/* ---- Programs ---- */

static void write_scene(const struct window_rig *self)
{
    folder_write(&self->stage->folder, "kobuki.yaml",
                 "name: Small room \xe5\xae\xa4\n"
                 "world:\n"
                 "  size: {x: 2, y: 1.6}\n"
                 "robots:\n"
                 "  - name: kobuki\n"
                 "    type: kobuki\n"
                 "    pose: {x: 1, y: 0.8, heading: 0}\n"
                 "    links: [{pty: %s}]\n",
                 self->stage->port);
}

/* The screen has the size of the window, so that points of both are the same. Key repeat is off
 * (-r): on a busy machine, keys are down for a long time. */
static void start_server(struct window_rig *self)
{
    const char *const words[] = {XVFB_BINARY, "-screen", "0",          "1280x800x24",
                                 "-nolisten", "tcp",     "-displayfd", "1",
                                 "-noreset",  "-r",      NULL};
    program_start(&self->server, &self->stage->folder, "server", words, 0);
    WAIT_UNTIL(program_has_said(&self->server, "\n"));
    char *number = program_out(&self->server);
    snprintf(self->display, sizeof self->display, ":%d", atoi(number));
    free(number);
    setenv("DISPLAY", self->display, 1);
    setenv("SDL_AUDIODRIVER", "dummy", 1);
    unsetenv("WAYLAND_DISPLAY");
}

int window_setup(void **state)
{
    struct window_rig *self = calloc(1, sizeof *self);
    void *stage;
    stage_setup(&stage);
    self->stage = stage;
    write_scene(self);
    start_server(self);
    *state = self;
    return 0;
}

int window_teardown(void **state)
{
    struct window_rig *self = *state;
    void *stage = self->stage;
    snapshot_reader_close(self->reader);
    program_cleanup(&self->viewer);
    int code = stage_teardown(&stage);
    if (program_is_running(&self->server))
        program_end(&self->server, SIGTERM);
    free(self);
    return code;
}

/* Asks the run for its snapshots, as `ptybot view` does, and waits for the first. */
static void look(struct window_rig *self)
{
    char path[FOLDER_PATH_MAX * 2];
    struct ptybot_run *client = stage_client(self->stage);
    const char *reply = ptybot_call(client, "view", NULL);
    const char *at = reply ? strstr(reply, "\"snapshot\":") : NULL;
    assert_non_null(at);
    at = strchr(at + strlen("\"snapshot\":"), '"');
    assert_int_equal(sscanf(at, "\"%511[^\"]", path), 1);
    ptybot_end(client);
    self->reader = snapshot_reader_open(path);
    assert_non_null(self->reader);
    WAIT_UNTIL(snapshot_reader_update(self->reader) == READER_NEW);
    view_init(&self->view);
    self->view.bar_px = timebar_px(snapshot_reader_latest(self->reader));
    view_set_snapshot(&self->view, snapshot_reader_latest(self->reader));
    view_resize(&self->view, 1280, 800);
}

static bool is_window_there(struct window_rig *self)
{
    struct program xdotool;
    const char *const words[] = {XDOTOOL_BINARY, "search", "--name", "ptybot", NULL};
    return program_run(&xdotool, &self->stage->folder, "search", words) == 0;
}

/* If the window's process has ended, prints its output. */
static void check_viewer(struct window_rig *self)
{
    if (self->viewer.pid == 0 || program_is_running(&self->viewer))
        return;
    char *said = program_err(&self->viewer);
    print_error("%s", said);
    free(said);
    fail_msg("ptybot view ended before its window was there");
}

void window_await(struct window_rig *self)
{
    // Its title contains the name of the scene after the first snapshot.
    struct program xdotool;
    const char *const words[] = {XDOTOOL_BINARY, "search", "--name", "Small room", NULL};
    // A window has low priority, so it is slow on a busy machine.
    for (int64_t end_ms = now_ms() + 3 * TEST_TIMEOUT_MS;
         !is_window_there(self) && now_ms() < end_ms;)
        check_viewer(self);
    WAIT_UNTIL(program_run(&xdotool, &self->stage->folder, "search", words) == 0);
    if (!self->reader)
        look(self);
}

size_t window_count(struct window_rig *self)
{
    struct program xdotool;
    const char *const words[] = {XDOTOOL_BINARY, "search", "--name", "Small room", NULL};
    size_t count = 0;
    program_run(&xdotool, &self->stage->folder, "search", words);
    char *lines = program_out(&xdotool);
    for (const char *at = lines; (at = strchr(at, '\n')); at++)
        count++;
    free(lines);
    return count;
}

void window_run_with(struct window_rig *self, const char *const arguments[])
{
    stage_run(self->stage, "kobuki.yaml", arguments);
    stage_get(self->stage, "world.time_s"); // its socket exists before it listens
}

void window_open(struct window_rig *self)
{
    const char *const none[] = {NULL};
    const char *const words[] = {PTYBOT_BINARY, "view", "--control", self->stage->control, NULL};
    window_run_with(self, none);
    program_start(&self->viewer, &self->stage->folder, "view", words, 0);
    window_await(self);
}

/* ---- Places ---- */

struct viewport_point window_point(struct window_rig *self, double x_m, double y_m)
{
    struct viewport_point at = viewport_px(&self->view.viewport, x_m, y_m);
    at.y += VIEW_TOOLBAR_PX;
    return at;
}

struct viewport_point window_part(struct window_rig *self, enum action action, uint32_t number)
{
    struct draw_list list = {0};
    // The first snapshot may be old, and there is no new snapshot while time is stopped.
    for (int i = 0; i < 20; i++, sleep_ms(10))
        if (snapshot_reader_update(self->reader) == READER_NEW)
            view_set_snapshot(&self->view, snapshot_reader_latest(self->reader));
    toolbar_draw(&list, &self->view);
    panel_draw(&list, &self->view);
    timebar_draw(&list, &self->view);
    draw_list_free(&list);
    const struct hit_areas *const all[] = {&self->view.hit_areas, &self->view.panel_hit_areas,
                                           &self->view.bar_hit_areas};
    for (size_t z = 0; z < 3; z++)
        for (size_t i = 0; i < all[z]->count; i++) {
            const struct hit_area *area = &all[z]->area[i];
            if (area->action == action && area->number == number)
                return (struct viewport_point){area->rect.x_px + area->rect.width_px / 2,
                                               area->rect.y_px + area->rect.height_px / 2};
        }
    fail_msg("the window has no part for action %d, number %u", (int)action, number);
    return (struct viewport_point){0, 0};
}

/* ---- Mouse and keys ---- */

static void use(struct window_rig *self, const char *const words[])
{
    struct program xdotool;
    assert_int_equal(program_run(&xdotool, &self->stage->folder, "xdotool", words), 0);
}

void mouse_move(struct window_rig *self, struct viewport_point at)
{
    char x[16], y[16];
    snprintf(x, sizeof x, "%.0f", at.x);
    snprintf(y, sizeof y, "%.0f", at.y);
    use(self, (const char *const[]){XDOTOOL_BINARY, "mousemove", x, y, NULL});
}

static void use_button(struct window_rig *self, const char *how, int button)
{
    char number[4];
    snprintf(number, sizeof number, "%d", button);
    use(self, (const char *const[]){XDOTOOL_BINARY, how, number, NULL});
}

void mouse_down(struct window_rig *self, int button)
{
    use_button(self, "mousedown", button);
}

void mouse_up(struct window_rig *self, int button)
{
    use_button(self, "mouseup", button);
}

void mouse_click(struct window_rig *self, struct viewport_point at)
{
    mouse_move(self, at);
    use_button(self, "click", 1);
}

void mouse_drag(struct window_rig *self, struct viewport_point from, struct viewport_point to,
                int button)
{
    mouse_move(self, from);
    mouse_down(self, button);
    mouse_move(self, (struct viewport_point){(from.x + to.x) / 2, (from.y + to.y) / 2});
    mouse_move(self, to);
    mouse_up(self, button);
}

void press_key(struct window_rig *self, const char *key)
{
    use(self, (const char *const[]){XDOTOOL_BINARY, "key", key, NULL});
}
