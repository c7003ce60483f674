/* The parts of a repeated run, and seeking in it: forward by running, back by starting again. */
#include "app/run/rerun.h"

#include <stdlib.h>

#include "app/cli/terminal.h"

static bool is_viewed(const struct rerun *self)
{
    return self->options.is_reachable || self->options.is_viewed;
}

/* ---- A pass through the journal ---- */

static void pass_close(struct rerun_pass *pass)
{
    if (!pass)
        return;
    links_close(pass->links);
    playback_close(pass->playback);
    watch_destroy(pass->watch);
    sim_destroy(pass->sim);
    live_close(&pass->live);
    free(pass);
}

static bool pass_fill(struct rerun *self, struct rerun_pass *pass, int *code, struct error *error)
{
    const struct rerun_options *options = &self->options;
    bool is_watched = is_viewed(self) || options->is_pictured;
    pass->reader = *self->start;
    *code = EXIT_CODE_USAGE;
    pass->sim = journal_start_sim(self->scene, self->head, &pass->live, error);
    if (pass->sim)
        pass->playback = playback_open(self->head, &pass->reader, pass->sim, error);
    if (!pass->playback)
        return false;
    *code = EXIT_CODE_ENVIRONMENT;
    if (is_watched)
        pass->watch =
            watch_create(pass->sim, is_viewed(self) ? WATCH_TRAILS_AND_FRAMES : WATCH_TRAILS);
    if (is_watched && !pass->watch)
        return error_set(error, "not enough memory to watch it");
    // The scene's links are for drivers, and a replay has none.
    struct scene unlinked = *self->scene;
    unlinked.robot_count = 0;
    pass->links = links_open(&unlinked, pass->sim, &pass->live, &self->poller, NULL, code, error);
    return pass->links;
}

/* Opens a pass at the start of the journal; NULL with the reason in ERROR. */
static struct rerun_pass *pass_open(struct rerun *self, int *code, struct error *error)
{
    struct rerun_pass *pass = calloc(1, sizeof *pass);
    *code = EXIT_CODE_ENVIRONMENT;
    if (!pass)
        error_set(error, "not enough memory for a replay");
    else if (pass_fill(self, pass, code, error))
        return pass;
    pass_close(pass);
    return NULL;
}

/* ---- Marks ---- */

static void update_marks(struct rerun *self)
{
    const struct snapshot *snapshot = journal_start_snapshot(&self->view, self->pass->sim, NULL);
    if (snapshot)
        marks_update(&self->marks, self->pass->sim, snapshot);
}

/* ---- Steps ---- */

/* Between two steps: takes the output of the last one, and feeds the input of the next. */
static bool wants_step(void *context)
{
    struct rerun *self = context;
    struct rerun_pass *pass = self->pass;
    const struct rerun_options *options = &self->options;
    if (pass->is_over)
        return false;
    playback_drain(pass->playback, options->sink, options->context);
    if (options->stepped)
        options->stepped(options->context);
    pass->state = playback_feed(pass->playback);
    pass->is_over = pass->state != PLAYBACK_GOES_ON || sim_now_us(pass->sim) >= options->until_us;
    if (pass->is_over)
        journal_start_end(pass->sim, pass->state);
    if (options->is_marked)
        marks_step(&self->marks, pass->sim);
    bool is_due = sim_now_us(pass->sim) / SIM_STEP_US % MARKS_UPDATE_STEPS == 0;
    if (options->is_marked && (is_due || pass->is_over))
        update_marks(self);
    return !pass->is_over;
}

/* ---- Seeking ---- */

static void follow(struct rerun *self)
{
    struct rerun_pass *pass = self->pass;
    self->loop.sim = pass->sim;
    self->loop.links = pass->links;
    self->loop.pace = &pass->live.pace;
    report_init(&self->report, pass->sim, pass->links, &self->pacer, &pass->live.pace,
                poller_now_ns());
    if (self->control)
        control_follow(self->control, pass->sim, &pass->live.pace, pass->links);
}

/* Starts again; if there is no memory, keeps the present pass. */
static void rewind_run(struct rerun *self)
{
    struct error error = {0};
    int code;
    struct rerun_pass *pass = pass_open(self, &code, &error);
    if (!pass) {
        terminal_say("the replay cannot go back: %s", error.text);
        return;
    }
    pass->live.pace = self->pass->live.pace;
    marks_begin(&self->marks);
    struct rerun_pass *before = self->pass;
    self->pass = pass;
    follow(self);
    pass_close(before);
}

/* Requests wait meanwhile, so a request after a seek sees the new time. */
static void go(struct rerun *self, int64_t to_us)
{
    if (to_us < sim_now_us(self->pass->sim))
        rewind_run(self);
    while (sim_now_us(self->pass->sim) < to_us && !stop_is_wanted() && wants_step(self)) {
        sim_step(self->pass->sim);
        if (self->capture)
            capture_file_step(self->capture);
    }
    if (to_us >= self->marks.length_us)
        wants_step(self); // the end is judged
    self->pacer.is_anchored = false;
}

static enum loop_turn turn(void *context, int64_t now_ns)
{
    struct rerun *self = context;
    (void)now_ns;
    struct pace *pace = &self->pass->live.pace;
    if (pace->is_seeking) {
        pace->is_seeking = false;
        pace->steps_wanted = 0;
        go(self, pace->seek_us);
        self->pass->live.pace.is_paused |= self->pass->is_over;
    } else if (self->pass->is_over && self->options.is_viewed && !pace->is_paused) {
        if (self->is_at_end)
            go(self, 0); // whoever lets time go on at the end sees it again
        else
            pace->is_paused = true;
    }
    self->is_at_end = self->pass->is_over;
    bool is_done = self->pass->is_over && !self->options.is_viewed && !pace->is_paused;
    return is_done || stop_is_wanted() ? LOOP_ENDS : LOOP_GOES;
}

/* ---- Observers ---- */

static size_t size_of_snapshot(const void *context)
{
    const struct rerun *self = context;
    return snapshot_size(self->pass->sim) + marks_size(&self->marks);
}

static bool fill_snapshot(const void *context, void *buffer, size_t size)
{
    const struct rerun *self = context;
    const struct rerun_pass *pass = self->pass;
    struct snapshot *snapshot = buffer;
    if (size < size_of_snapshot(self) || !snapshot_fill(pass->sim, pass->watch, snapshot, size))
        return false;
    live_show(&pass->live, snapshot);
    marks_show(&self->marks, snapshot);
    return true;
}

static bool open_folder(struct rerun *self, struct error *error)
{
    const struct publish_source source = {
        .context = self, .size = size_of_snapshot, .fill = fill_snapshot};
    if (!run_folder_open(&self->folder, error))
        return false;
    self->publish = publish_create_of(self->folder.path, &source, error);
    return self->publish;
}

static bool open_control(struct rerun *self, int *code, struct error *error)
{
    const char *wanted = self->options.control;
    const char *path = *wanted ? wanted : self->folder.socket_path;
    const struct methods_scope scope = {.sim = self->pass->sim,
                                        .pace = &self->pass->live.pace,
                                        .links = self->pass->links,
                                        .publish = self->publish,
                                        .name = self->scene->name,
                                        .folder = self->folder.path,
                                        .control_path = self->control_path};
    self->control = control_open(path, &scope, &self->poller, code, error);
    if (!self->control)
        return false;
    if (!run_folder_lead(&self->folder, path, self->control_path))
        terminal_say("`ptybot ctl` will need --control %s", self->control_path);
    return true;
}

static bool open_window(struct rerun *self, struct error *error)
{
    const char *snapshot = publish_path(self->publish, error);
    return snapshot && viewer_process_start(&self->viewer, snapshot, self->control_path, error);
}

static bool open_interfaces(struct rerun *self, int *code, struct error *error)
{
    *code = EXIT_CODE_ENVIRONMENT;
    return !is_viewed(self) || (open_folder(self, error) && open_control(self, code, error) &&
                                (!self->options.is_viewed || open_window(self, error)));
}

/* ---- Opening, running, closing ---- */

bool rerun_open(struct rerun *self, const struct scene *scene, const struct journal_head *head,
                const struct journal_reader *start, const struct rerun_options *options, int *code,
                struct error *error)
{
    const struct marks marks = self->marks;
    *self = (struct rerun){.options = *options,
                           .scene = scene,
                           .head = head,
                           .start = start,
                           .marks = marks,
                           .folder.lock = -1,
                           .poller = {.epoll = -1, .timer = -1}};
    *code = EXIT_CODE_ENVIRONMENT;
    if (!poller_open(&self->poller, error) || !stop_catch(&self->poller, error))
        return false;
    if ((options->is_marked || is_viewed(self)) && self->marks.length_us == 0)
        marks_scan(&self->marks, head, start);
    marks_begin(&self->marks);
    self->pass = pass_open(self, code, error);
    if (!self->pass)
        return false;
    struct pace *pace = &self->pass->live.pace;
    pacer_init(&self->pacer, options->is_paced ? PACER_REAL_TIME : PACER_FAST);
    self->pacer.is_awaited = true; // who looks at it misses nothing
    pace->speed = options->speed;
    pace->is_paused = options->is_paused;
    pace->length_us = self->marks.length_us;
    pace->goes_ahead = options->goes_ahead;
    return open_interfaces(self, code, error);
}

void rerun_run(struct rerun *self)
{
    const struct loop_guide guide = {.context = self, .turn = turn, .wants_step = wants_step};
    self->loop = (struct loop){
        .poller = &self->poller,
        .control = self->control,
        .capture = self->capture,
        .pacer = &self->pacer,
        .report = &self->report,
        .publish = self->publish,
        .viewer = &self->viewer,
        .guide = &guide,
        .end_us = INT64_MAX,
    };
    follow(self);
    loop_run(&self->loop);
    terminal_status("");
}

void rerun_close(struct rerun *self)
{
    control_close(self->control);
    viewer_process_end(&self->viewer);
    publish_destroy(self->publish);
    run_folder_close(&self->folder);
    stop_release();
    poller_close(&self->poller);
    pass_close(self->pass);
    free(self->view.snapshot);
    const struct marks marks = self->marks;
    *self = (struct rerun){.marks = marks, .folder.lock = -1, .poller = {.epoll = -1, .timer = -1}};
}
