/* The one loop of a run. */
#include "app/run/loop.h"

#include "app/cli/terminal.h"
#include "app/io/poller.h"
#include "app/io/viewer.h"

/* Steps go on for this long before descriptors are served again (chosen: hosts do not notice it).
 */
#define SLICE_NS INT64_C(2000000)

static void dispatch(struct loop *loop, const struct poller_ready *ready, size_t count)
{
    int64_t now_ns = poller_now_ns();
    for (size_t i = 0; i < count; i++) {
        switch (ready[i].owner) {
        case POLLER_LINK:
            links_ready(loop->links, ready[i].index, now_ns);
            break;
        case POLLER_LISTENER:
            control_listener_ready(loop->control, ready[i].index);
            break;
        case POLLER_CLIENT:
            control_client_ready(loop->control, ready[i].index, ready[i].events);
            break;
        case POLLER_STOP:
        case POLLER_TIMER:
            break; // they only wake the loop
        }
    }
}

/* Runs the requests of clients. Returns whether there is more to do at once. */
static bool advance(struct loop *loop)
{
    return loop->control && control_advance(loop->control);
}

static bool wants_step(const struct loop *loop)
{
    return sim_now_us(loop->sim) < loop->end_us &&
           (!loop->guide || loop->guide->wants_step(loop->guide->context));
}

static enum loop_turn turn(const struct loop *loop)
{
    if (loop->guide)
        return loop->guide->turn(loop->guide->context, poller_now_ns());
    return stop_is_wanted() || sim_now_us(loop->sim) >= loop->end_us ? LOOP_ENDS : LOOP_GOES;
}

/* Does the steps that are due, for a slice at most. */
static void run_steps(struct loop *loop)
{
    struct pace *pace = loop->pace;
    int64_t now_ns = poller_now_ns();
    int64_t slice_end_ns = now_ns + SLICE_NS;
    struct pacer_due due = pacer_due(loop->pacer, pace, now_ns);
    bool is_paused = pace->is_paused;
    report_late(loop->report, now_ns);
    for (int64_t i = 0; i < due.steps && wants_step(loop); i++) {
        sim_step(loop->sim);
        if (loop->capture)
            capture_file_step(loop->capture);
        pacer_stepped(loop->pacer, pace);
        if (loop->control)
            control_after_step(loop->control);
        now_ns = poller_now_ns();
        links_after_step(loop->links, now_ns);
        if (loop->log)
            signal_log_step(loop->log);
        if (loop->journal)
            journal_file_step(loop->journal);
        if (loop->frames)
            picture_log_step(loop->frames);
        if (now_ns >= slice_end_ns || pace->is_paused != is_paused ||
            (is_paused && pace->steps_wanted == 0))
            break;
    }
}

/* Closing the window ends the run; a window that dies does not. */
static void visit_viewer(struct loop *loop)
{
    if (!loop->viewer || !*loop->viewer)
        return;
    enum viewer_state state = viewer_process_look(*loop->viewer);
    if (state == VIEWER_LIVES)
        return;
    *loop->viewer = 0;
    if (state == VIEWER_CLOSED)
        stop_ask();
    else
        terminal_say("the window is gone; the run goes on, and `ptybot view` opens another");
}

/* When to wake at the latest: for a step or a visit, or at once if something is left to do. */
static int64_t wake_ns(struct loop *loop, int64_t visit_ns, bool is_more, bool is_held)
{
    int64_t now_ns = poller_now_ns();
    if (is_more)
        return now_ns;
    if (is_held)
        return visit_ns;
    struct pacer_due due = pacer_due(loop->pacer, loop->pace, now_ns);
    return due.wake_ns < visit_ns ? due.wake_ns : visit_ns;
}

void loop_run(struct loop *loop)
{
    struct poller_ready ready[POLLER_READY_MAX];
    int64_t visit_ns = poller_now_ns();
    enum loop_turn next;
    while ((next = turn(loop)) != LOOP_ENDS) {
        bool is_more = advance(loop);
        size_t count =
            poller_wait(loop->poller, wake_ns(loop, visit_ns, is_more, next == LOOP_HOLDS), ready);
        dispatch(loop, ready, count);

        int64_t now_ns = poller_now_ns();
        if (now_ns >= visit_ns) {
            links_visit(loop->links, now_ns);
            if (loop->storage)
                storage_visit(loop->storage, loop->sim, now_ns);
            if (loop->journal)
                journal_file_visit(loop->journal);
            if (loop->capture)
                capture_file_visit(loop->capture);
            report_status(loop->report, now_ns);
            visit_viewer(loop);
            visit_ns = now_ns + LINKS_VISIT_NS;
        }
        advance(loop);
        if (next == LOOP_GOES)
            run_steps(loop);
        if (loop->publish)
            publish_visit(loop->publish, poller_now_ns());
    }
    // Clients that wait for the last step get their reply.
    advance(loop);
}
