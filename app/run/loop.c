/* The loop of a run. */
#include "app/run/loop.h"

#include <math.h>

#include "app/cli/terminal.h"

/* Steps run for this long before descriptors are served again (chosen: drivers do not notice
 * it). */
#define SLICE_NS INT64_C(2000000)

/* Chosen: how soon ptybot detects that a stopped driver continues. The delay has no other
 * effect. */
#define STOPPED_NS INT64_C(10000000)

static void dispatch(struct loop *loop, const struct poller_ready *ready, size_t count)
{
    int64_t now_ns = poller_now_ns();
    for (size_t i = 0; i < count; i++) {
        switch (ready[i].owner) {
        case POLLER_LINK:
            links_ready(loop->links, ready[i].index, ready[i].events, now_ns);
            break;
        case POLLER_LISTENER:
            control_listener_ready(loop->control, ready[i].index);
            break;
        case POLLER_CLIENT:
            control_client_ready(loop->control, ready[i].index, ready[i].events);
            break;
        case POLLER_GONE:
            stop_ask();
            break;
        case POLLER_STOP:
        case POLLER_TIMER:
            break; // they only wake the loop
        }
    }
}

/* Runs the requests of clients. Returns whether more work is due now. */
static bool advance(struct loop *loop)
{
    return loop->control && control_advance(loop->control);
}

static bool wants_step(const struct loop *loop)
{
    return sim_now_us(loop->sim) < loop->end_us &&
           (!loop->guide || loop->guide->wants_step(loop->guide->context));
}

static bool act(const struct loop *loop)
{
    return loop->guide && loop->guide->act && loop->guide->act(loop->guide->context);
}

static enum loop_turn turn(const struct loop *loop)
{
    if (loop->guide)
        return loop->guide->turn(loop->guide->context, poller_now_ns());
    return stop_is_wanted() || sim_now_us(loop->sim) >= loop->end_us ? LOOP_ENDS : LOOP_GOES;
}

/* One step and the work that follows it. NOW_NS: a recent time. */
static void step(struct loop *loop, int64_t now_ns)
{
    if (loop->guide && loop->guide->before_step)
        loop->guide->before_step(loop->guide->context);
    sim_step(loop->sim);
    if (loop->capture)
        capture_file_step(loop->capture);
    pacer_stepped(loop->pacer, loop->pace);
    if (loop->control)
        control_after_step(loop->control);
    links_after_step(loop->links, now_ns);
    if (loop->log)
        signal_log_step(loop->log);
    if (loop->journal)
        journal_file_step(loop->journal);
    if (loop->frames)
        picture_log_step(loop->frames);
}

/* Runs the steps that are due, for one slice at most. */
static void run_steps(struct loop *loop)
{
    struct pace *pace = loop->pace;
    int64_t now_ns = poller_now_ns();
    int64_t slice_end_ns = now_ns + SLICE_NS;
    struct pacer_due due = pacer_due(loop->pacer, pace, now_ns);
    bool is_paused = pace->is_paused;
    report_late(loop->report, now_ns);
    for (int64_t i = 0; i < due.steps && wants_step(loop); i++) {
        step(loop, now_ns);
        act(loop);
        now_ns = poller_now_ns();
        if (now_ns >= slice_end_ns || pace->is_paused != is_paused ||
            (is_paused && pace->steps_wanted == 0))
            break;
    }
}

/* Closing the window ends the run; a crash of the window does not. */
static void visit_viewer(struct loop *loop)
{
    if (!loop->viewer || loop->viewer->pid == 0)
        return;
    enum viewer_state state = viewer_process_poll(loop->viewer);
    if (state == VIEWER_LIVES)
        return;
    if (state == VIEWER_CLOSED)
        stop_ask();
    else
        terminal_say(
            "the window is closed; the run continues, and `ptybot view` opens another window");
}

/* ---- Virtual time, which waits for the driver ---- */

static uint64_t traffic(const struct loop *loop)
{
    return links_traffic(loop->links) + (loop->control ? control_traffic(loop->control) : 0);
}

/* Receives bytes and requests of the driver. Returns whether it may have noticed that. */
static bool take_in(struct loop *loop)
{
    struct poller_ready ready[POLLER_READY_MAX];
    uint64_t before = traffic(loop);
    int64_t now_ns = poller_now_ns();
    links_visit_all(loop->links, now_ns);
    size_t count = poller_wait(loop->poller, now_ns, ready);
    dispatch(loop, ready, count);
    while (advance(loop))
        ;
    return traffic(loop) != before;
}

static void deliver(struct loop *loop)
{
    pid_t hosts[HOLD_HOSTS_MAX];
    hold_await_input(loop->hold);
    links_deliver(loop->links, hosts, hold_hosts(loop->hold, hosts));
    hold_felt(loop->hold);
}

/* Runs the steps that a client requested while time is paused: the driver's clock does not move. */
static void run_wanted(struct loop *loop)
{
    uint64_t before = traffic(loop);
    while (loop->pace->is_paused && loop->pace->steps_wanted > 0 && wants_step(loop) &&
           traffic(loop) == before)
        step(loop, poller_now_ns());
    act(loop);
    deliver(loop);
}

/* Advances time until the driver receives something, for one slice at most. Returns when to
 * continue. */
static int64_t run_moments(struct loop *loop, bool is_stepping)
{
    uint64_t before = traffic(loop);
    int64_t now_ns = poller_now_ns(), wake_ns = now_ns;
    int64_t slice_end_ns = now_ns + SLICE_NS;
    bool is_wanted = false;
    loop->hold->ceiling = loop->pace->is_fast ? INFINITY : loop->pace->speed;
    while (now_ns < slice_end_ns) {
        if (act(loop)) {
            hold_felt(loop->hold);
            break;
        }
        bool was_wanted = is_wanted;
        is_wanted = is_stepping && !loop->pace->is_paused && wants_step(loop);
        // The guide may end the run here. It decides before any wait of the driver ends.
        if (was_wanted && !is_wanted)
            break;
        enum hold_move move = hold_next(loop->hold, is_wanted, now_ns, &wake_ns);
        if (move == HOLD_WAIT)
            return wake_ns;
        if (loop->hold->delayed_us > 0)
            sim_host_delayed(loop->sim, loop->hold->delayed_thread, loop->hold->delayed_us);
        if (move == HOLD_RELEASED)
            break;
        step(loop, now_ns);
        if (traffic(loop) != before) {
            deliver(loop);
            break;
        }
        now_ns = poller_now_ns();
    }
    return now_ns;
}

/* One turn of the loop: returns when to run the next one at the latest. */
static int64_t run_held(struct loop *loop, bool is_stepping)
{
    struct pace *pace = loop->pace;
    if (!hold_may_go(loop->hold)) {
        if (!loop->hold->is_stopped || hold_free_turn(loop->hold))
            return 0;
        // The user who has stopped the driver may send requests.
        take_in(loop);
        return poller_now_ns() + STOPPED_NS;
    }
    if (loop->hold->has_run) {
        loop->hold->has_run = false;
        if (take_in(loop)) {
            hold_felt(loop->hold);
            return 0;
        }
        // The driver may have ended.
        if (turn(loop) != (is_stepping ? LOOP_GOES : LOOP_HOLDS))
            return 0;
    }
    hold_poll_external(loop->hold, poller_now_ns());
    links_note_readings(loop->links);
    if (is_stepping && pace->is_paused && pace->steps_wanted > 0) {
        run_wanted(loop);
        return 0;
    }
    return run_moments(loop, is_stepping && !pace->is_paused);
}

/* When to wake up at the latest: for a step or a visit, or at once if work is left. */
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

/* Regular work for files, the terminal and the window. */
static void visit(struct loop *loop, int64_t now_ns)
{
    if (loop->storage)
        storage_visit(loop->storage, loop->sim, now_ns);
    if (loop->journal)
        journal_file_visit(loop->journal);
    if (loop->capture)
        capture_file_visit(loop->capture);
    report_status(loop->report, now_ns);
    visit_viewer(loop);
}

/* The loop for virtual time: receives bytes and requests of the driver only while all its threads
 * wait. */
static void loop_held(struct loop *loop)
{
    struct poller_ready ready[POLLER_READY_MAX];
    int64_t visit_ns = poller_now_ns();
    enum loop_turn next;
    while ((next = turn(loop)) != LOOP_ENDS) {
        int64_t until_ns = run_held(loop, next == LOOP_GOES);
        int64_t now_ns = poller_now_ns();
        if (until_ns > now_ns) {
            size_t count =
                poller_wait(loop->poller, until_ns < visit_ns ? until_ns : visit_ns, ready);
            // Other clients than the driver may have sent requests too.
            loop->hold->has_run |= count > 0;
            now_ns = poller_now_ns();
        }
        if (now_ns >= visit_ns) {
            loop->hold->has_run = true;
            visit(loop, now_ns);
            visit_ns = now_ns + LINKS_VISIT_NS;
        }
        if (loop->publish)
            publish_visit(loop->publish, now_ns);
    }
    advance(loop);
}

void loop_run(struct loop *loop)
{
    struct poller_ready ready[POLLER_READY_MAX];
    int64_t visit_ns = poller_now_ns();
    enum loop_turn next;
    if (loop->hold) {
        loop_held(loop);
        return;
    }
    while ((next = turn(loop)) != LOOP_ENDS) {
        bool is_more = advance(loop) || (loop->control && control_stay_awake(loop->control));
        size_t count =
            poller_wait(loop->poller, wake_ns(loop, visit_ns, is_more, next == LOOP_HOLDS), ready);
        dispatch(loop, ready, count);

        int64_t now_ns = poller_now_ns();
        if (now_ns >= visit_ns) {
            links_visit(loop->links, now_ns);
            visit(loop, now_ns);
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
