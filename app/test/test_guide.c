/* The course of a test. */
#include "app/test/test_guide.h"

#include <signal.h>
#include <stdlib.h>

#include "app/cli/terminal.h"
#include "app/links/links_view.h"
#include "app/links/poller.h"
#include "sim/watch/watch.h"

/* ---- The picture of a failure ---- */

static void take(struct test_picture *picture, const struct session *session)
{
    struct error error = {0};
    picture->is_tried = true;
    picture->feed = picture_open(&(struct picture_options){.out = picture->path}, &error);
    if (!picture->feed)
        terminal_say("cannot make the picture of the failure: %s", error.text);
    else
        picture_take(picture->feed, session->sim, picture->watch, &session->live, true);
}

/* Takes the picture if an expectation has just failed. Call it before each step. Another process
 * paints the picture, so it costs the simulation only a copy. */
static void test_picture_poll(struct test_picture *picture, const struct session *session)
{
    if (!picture->is_tried && !picture->watch)
        picture->watch = watch_create(session->sim, WATCH_TRAILS); // without memory, no trails
    if (!picture->is_tried && sim_has_failed(session->sim))
        take(picture, session);
}

void test_picture_finish(struct test_picture *picture, const struct session *session,
                         bool has_failed)
{
    if (has_failed && !picture->is_tried)
        take(picture, session);
    picture_close(picture->feed);
    picture->feed = NULL;
    watch_destroy(picture->watch);
    picture->watch = NULL;
}

/* ---- The course of a test ---- */

/* Chosen: sufficient for a driver to shut down, and short enough for a user to wait. */
#define GRACE_NS INT64_C(2000000000)
/* Chosen: a frame at the slowest baud of any robot takes far less. */
#define DRAIN_NS INT64_C(1000000000)
/* Chosen: multiple of the limit, for a driver that waits for a processor, or for a disk that may
 * never respond. */
#define BUSY_FACTOR 60

bool test_guide_open(struct test_guide *guide, bool is_held, int64_t now_ns)
{
    const struct session *session = guide->session;
    size_t count = links_count(session->links);
    guide->phase = is_held ? TEST_WAITS : TEST_RUNS;
    guide->start_ns = guide->run_ns = now_ns;
    guide->opened_us = -1;
    guide->rooms = calloc(count + 1, sizeof *guide->rooms);
    for (size_t i = 0; guide->rooms && i < count; i++) {
        struct links_view view;
        links_view(session->links, i, &view);
        guide->rooms[i] = sim_host_room(session->sim, view.channel);
    }
    return guide->rooms != NULL;
}

void test_guide_close(struct test_guide *guide)
{
    free(guide->rooms);
    guide->rooms = NULL;
}

struct test_guide_traffic test_guide_traffic(const struct test_guide *guide)
{
    struct test_guide_traffic traffic = {0};
    struct links_view view;
    for (size_t i = 0; links_view(guide->session->links, i, &view); i++) {
        traffic.hosts += view.hosts;
        traffic.bytes += view.received;
    }
    return traffic;
}

/* Whether all bytes from hosts have reached the robots, and no host is connected any more. */
static bool is_drained(const struct test_guide *guide)
{
    const struct session *session = guide->session;
    struct links_view view;
    for (size_t i = 0; links_view(session->links, i, &view); i++) {
        bool is_cable = view.kind->traits & LINK_CABLE;
        if ((view.is_host && !is_cable) ||
            sim_host_room(session->sim, view.channel) != guide->rooms[i])
            return false;
    }
    return true;
}

static bool is_time_over(const struct test_guide *guide)
{
    return sim_now_us(guide->session->sim) >= guide->session->end_us ||
           (guide->facts && guide->facts->charged_s > SURVIVAL_SPIN_S);
}

static bool has_host(const struct test_guide *guide)
{
    return guide->hosts->count > 0;
}

static bool is_decided(const struct test_guide *guide)
{
    return guide->phase == TEST_RUNS && !has_host(guide) && guide->ends_decided &&
           sim_is_decided(guide->session->sim);
}

static bool is_stopped(const struct test_guide *guide)
{
    const struct sim *sim = guide->session->sim;
    return (guide->phase == TEST_RUNS || guide->phase == TEST_LASTS) &&
           (sim_is_stopped(sim) || (guide->is_fail_fast && sim_has_failed(sim)));
}

static bool is_hung(const struct test_guide *guide)
{
    return guide->deadline_us > 0 && guide->opened_us >= 0 &&
           sim_now_us(guide->session->sim) - guide->opened_us >= guide->deadline_us;
}

/* Ends the test for the reason END. NUMBER is the signal for the children. */
static void begin_end(struct test_guide *guide, enum test_end end, int number, int64_t now_ns)
{
    // A fast host may have connected and disconnected between two visits.
    links_visit_all(guide->session->links, now_ns);
    bool is_going = end == TEST_END_HOST && test_guide_traffic(guide).hosts > 0;
    guide->is_host_survived = end == TEST_END_HOST && hosts_left_any(guide->hosts);
    guide->is_ending = true;
    guide->end = end;
    guide->end_ns = guide->done_ns = now_ns;
    guide->last_us = sim_now_us(guide->session->sim) + guide->continue_us;
    guide->kill_ns = now_ns + GRACE_NS;
    guide->phase = is_going ? TEST_DRAINS : TEST_STOPS;
    hosts_signal(guide->hosts, number);
}

/* Whether the hosts have done everything that they do at this simulated time. The end then has the
 * same effect in each run. */
static bool is_settled(const struct test_guide *guide)
{
    const struct hold *hold = guide->session->hold;
    return !hold || hold->is_proven || hold->is_stopped;
}

/* Whether hosts took longer than the limit. With FACTS (a stress run), the limit starts again at
 * each advance of simulated time. If time waits for the driver, the load of the machine does not
 * count: the driver's clock and its processor time are measured. Wall-clock time counts only if
 * that clock cannot advance, or after BUSY_FACTOR times the limit. */
static bool is_out_of_time(struct test_guide *guide, int64_t now_ns)
{
    const struct hold *hold = guide->facts ? guide->session->hold : NULL;
    int64_t time_us = sim_now_us(guide->session->sim);
    bool is_first = guide->advanced_ns == 0, has_advanced = time_us != guide->advanced_us;
    if (is_first)
        guide->advanced_ns = has_host(guide) ? guide->hosts->items[0].start_ns : guide->start_ns;
    else if (guide->facts && (has_advanced || (hold && hold->clock_ns != guide->clock_ns)))
        guide->advanced_ns = now_ns;
    guide->advanced_us = time_us;
    if (!hold)
        return now_ns - guide->advanced_ns >= guide->timeout_ns;
    guide->clock_ns = hold->clock_ns;
    if (is_first || has_advanced)
        guide->advanced_clock_ns = hold->clock_ns;
    return hold->clock_ns - guide->advanced_clock_ns >= guide->timeout_ns ||
           hold->spell_ns >= guide->timeout_ns ||
           (hold->stuck_ns > 0 && now_ns - hold->stuck_ns >= guide->timeout_ns) ||
           now_ns - guide->advanced_ns >= BUSY_FACTOR * guide->timeout_ns;
}

static void check_for_end(struct test_guide *guide, int64_t now_ns)
{
    bool is_timed = has_host(guide) || guide->phase == TEST_WAITS;
    bool is_late = is_out_of_time(guide, now_ns);
    if (stop_is_wanted())
        begin_end(guide, TEST_END_SIGNAL, stop_number(), now_ns);
    else if (firmwares_failure(guide->session->firmwares))
        begin_end(guide, TEST_END_FIRMWARE, SIGTERM, now_ns);
    else if (is_stopped(guide))
        begin_end(guide, TEST_END_FAILED, SIGTERM, now_ns);
    else if (hosts_have_ended(guide->hosts) && is_settled(guide))
        begin_end(guide, TEST_END_HOST, SIGTERM, now_ns);
    else if (is_timed && is_late)
        begin_end(guide, TEST_END_TIMEOUT, SIGTERM, now_ns);
    else if (guide->has_hung)
        begin_end(guide, TEST_END_DEADLINE, SIGTERM, now_ns);
    else if (is_time_over(guide))
        begin_end(guide, TEST_END_FOR, SIGTERM, now_ns);
    else if (is_decided(guide))
        begin_end(guide, TEST_END_DECIDED, SIGTERM, now_ns);
}

static bool is_draining(const struct test_guide *guide, int64_t now_ns)
{
    links_visit_all(guide->session->links, now_ns);
    return guide->phase == TEST_DRAINS && !is_time_over(guide) &&
           !guide->session->live.pace.is_paused && now_ns - guide->end_ns < DRAIN_NS + GRACE_NS &&
           !is_drained(guide);
}

/* The simulation and its expectations continue without hosts. */
static enum loop_turn turn_of_last(struct test_guide *guide, int64_t now_ns)
{
    const struct session *session = guide->session;
    bool is_over = sim_now_us(session->sim) >= guide->last_us || is_time_over(guide) ||
                   session->live.pace.is_paused || firmwares_failure(session->firmwares);
    guide->done_ns = now_ns;
    if (stop_is_wanted())
        guide->end = TEST_END_SIGNAL;
    else if (is_stopped(guide))
        guide->end = TEST_END_FAILED;
    return is_over || guide->end != TEST_END_HOST ? LOOP_ENDS : LOOP_GOES;
}

static enum loop_turn turn_of_end(struct test_guide *guide, int64_t now_ns)
{
    if (guide->phase == TEST_LASTS)
        return turn_of_last(guide, now_ns);
    bool is_gone = hosts_are_gone(guide->hosts);
    if (guide->phase == TEST_DRAINS)
        guide->done_ns = now_ns; // time passes still
    if (!is_gone && (now_ns >= guide->kill_ns || stop_is_urgent()))
        hosts_signal(guide->hosts, SIGKILL);
    // The run does not end before all processes have ended: a child may still write, and no child
    // may outlive ptybot.
    if (!is_gone || is_draining(guide, now_ns))
        return guide->phase == TEST_DRAINS ? LOOP_GOES : LOOP_HOLDS;
    if (guide->phase == TEST_STOPS || guide->continue_us == 0)
        return LOOP_ENDS;
    guide->phase = TEST_LASTS;
    return turn_of_last(guide, now_ns);
}

static enum loop_turn decide(struct test_guide *guide, int64_t now_ns)
{
    hosts_poll(guide->hosts, now_ns);
    if (guide->wire)
        wire_log_poll(guide->wire);
    if (guide->opened_us < 0 && test_guide_traffic(guide).hosts > 0) {
        guide->opened_us = sim_now_us(guide->session->sim);
        if (guide->phase == TEST_WAITS) {
            guide->phase = TEST_RUNS;
            guide->run_ns = now_ns;
        }
    }
    if (!guide->is_ending)
        check_for_end(guide, now_ns);
    if (guide->is_ending)
        return turn_of_end(guide, now_ns);
    // A client may request steps while the simulation waits.
    bool is_stepped = guide->session->live.pace.steps_wanted > 0;
    return guide->phase == TEST_WAITS && !is_stepped ? LOOP_HOLDS : LOOP_GOES;
}

static enum loop_turn turn(void *context, int64_t now_ns)
{
    struct test_guide *guide = context;
    enum loop_turn next = decide(guide, now_ns);
    if (guide->warp)
        warp_follow(guide->warp, &guide->session->pacer, next == LOOP_HOLDS, now_ns);
    return next;
}

/* Held time advances only while the driver waits. It has written everything then. */
static void before_step(void *context)
{
    const struct test_guide *guide = context;
    if (guide->facts && guide->phase != TEST_WAITS)
        survival_update(guide->facts, guide->session->sim, &guide->session->live,
                        guide->session->links, guide->hosts);
}

static bool wants_step(void *context)
{
    const struct test_guide *guide = context;
    if (guide->picture)
        test_picture_poll(guide->picture, guide->session);
    const struct hold *hold = guide->facts ? guide->session->hold : NULL;
    if (hold) {
        guide->facts->charged_s = (double)hold->charged_ns * 1e-9;
        guide->facts->polled_s = (double)hold_polled_ns(hold) * 1e-9;
    }
    // If time waits for drivers, the end is exactly at the last byte, not at a check some steps
    // later.
    if (guide->phase == TEST_DRAINS && guide->session->hold)
        return !is_drained(guide);
    bool is_last = guide->phase == TEST_LASTS;
    return !is_decided(guide) && !is_stopped(guide) &&
           !(is_last ? sim_now_us(guide->session->sim) >= guide->last_us : is_hung(guide)) &&
           !firmwares_failure(guide->session->firmwares);
}

/* Sends the UNIX signals of the timeline, and detects a missed deadline while the host still
 * waits. */
static bool act(void *context)
{
    static const int numbers[] = {
        [SCENE_SIGHUP] = SIGHUP,   [SCENE_SIGINT] = SIGINT,   [SCENE_SIGQUIT] = SIGQUIT,
        [SCENE_SIGTERM] = SIGTERM, [SCENE_SIGKILL] = SIGKILL, [SCENE_SIGUSR1] = SIGUSR1,
        [SCENE_SIGUSR2] = SIGUSR2};
    struct test_guide *guide = context;
    enum scene_interrupt interrupt = timeline_take_interrupt(guide->session->sim);
    if (interrupt != SCENE_INTERRUPT_NONE)
        hosts_interrupt(guide->hosts, numbers[interrupt]);
    guide->has_hung = !guide->is_ending && is_hung(guide);
    return interrupt != SCENE_INTERRUPT_NONE || guide->has_hung;
}

struct loop_guide test_guide_hooks(struct test_guide *guide)
{
    return (struct loop_guide){.context = guide,
                               .turn = turn,
                               .wants_step = wants_step,
                               .before_step = before_step,
                               .act = act};
}
