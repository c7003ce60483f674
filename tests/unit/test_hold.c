/* Time that waits for a driver, and the next event. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/links/poller.h"
#include "tests/support/check.h"
#include "tests/support/machine.h"
#include "tests/unit/hold_rig.h"

/* ---- The next event ---- */

static void a_world_alone_steps_at_each_millisecond_of_the_clock(void **state)
{
    (void)state;
    assert_int_equal(clock_ns(), 0);
    assert_int_equal(rig.shm->is_held, 1);
    for (int64_t i = 1; i <= 5; i++) {
        assert_int_equal(next(true), HOLD_STEP);
        assert_int_equal(clock_ns(), i * MS);
        assert_int_equal(rig.wake_ns, rig.now_ns);
    }
    assert_int_equal(next(false), HOLD_WAIT);
    assert_int_equal(rig.wake_ns, HOLD_NEVER);
    assert_int_equal(clock_ns(), 5 * MS);
}

static void a_new_clock_follows_real_time_since_its_beginning(void **state)
{
    (void)state;
    struct hold hold;
    int64_t wake_ns;
    int64_t begin_ns = poller_now_ns();
    hold_open(&hold, rig.shm);
    int64_t end_ns = poller_now_ns();
    struct hold late = hold;
    assert_true(hold_may_go(&late));
    for (int i = 1; i <= 3; i++) // since its beginning, not since the first look
        assert_int_equal(hold_next(&late, true, end_ns + 3 * MS, &wake_ns), HOLD_STEP);
    hold_open(&hold, rig.shm);
    end_ns = poller_now_ns();
    assert_true(hold_may_go(&hold));
    assert_true(hold.is_proven);
    assert_int_equal(hold_next(&hold, true, begin_ns, &wake_ns), HOLD_WAIT);
    assert_in_range(wake_ns, begin_ns + MS, end_ns + MS);
    for (int i = 1; i <= 3; i++)
        assert_int_equal(hold_next(&hold, true, end_ns + 3 * MS, &wake_ns), HOLD_STEP);
    assert_false(hold.is_proven);
    assert_false(hold.has_run);
    assert_true(hold_watch(&hold, rig.host)); // from its beginning it runs
    assert_true(hold.has_run);
    hold_close(&hold);
}

/* For a moment, while a thread may still be about to wait. */
static void after_bytes_were_written_ptybot_waits_for_who_reads_them(void **state)
{
    (void)state;
    rig.shm->inputs = 1;
    rig.shm->listens = 1;
    int64_t begin_ns = poller_now_ns();
    hold_await_input(&rig.hold);
    assert_true(poller_now_ns() - begin_ns >= MS / 5);
}

static void where_nothing_is_due_it_is_stuck_since_the_first_look(void **state)
{
    (void)state;
    assert_int_equal(rig.hold.stuck_ns, 0);
    assert_int_equal(next(false), HOLD_WAIT);
    int64_t since_ns = rig.now_ns;
    assert_int_equal(rig.hold.stuck_ns, since_ns);
    rig.now_ns += MS;
    assert_int_equal(next(false), HOLD_WAIT);
    assert_int_equal(rig.hold.stuck_ns, since_ns);
    assert_int_equal(next(true), HOLD_STEP);
    assert_int_equal(rig.hold.stuck_ns, 0);
}

static void the_world_does_not_make_up_for_the_time_it_stood(void **state)
{
    (void)state;
    struct clock_slot *slot = arm_timer(0, 10 * MS, 0);
    assert_int_equal(next(true), HOLD_STEP);
    assert_int_equal(next(false), HOLD_RELEASED); // 1 ms to 10 ms without a step
    assert_int_equal(slot->state, CLOCK_SLOT_FREE);
    assert_int_equal(clock_ns(), 10 * MS);
    assert_int_equal(next(true), HOLD_STEP);
    assert_int_equal(clock_ns(), 11 * MS);
}

static void a_ceiling_is_kept_and_a_lag_of_a_tenth_of_a_second_caught_up(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(next(true), HOLD_STEP);
    rig.hold.ceiling = 2;
    int64_t begin_ns = rig.now_ns;
    assert_int_equal(next(true), HOLD_WAIT); // the new pace begins here
    assert_int_equal(rig.wake_ns, begin_ns + MS / 2);
    assert_int_equal(clock_ns(), 4 * MS);
    rig.now_ns = begin_ns + MS / 2;
    assert_int_equal(next(true), HOLD_STEP);
    assert_int_equal(next(true), HOLD_WAIT);
    assert_int_equal(rig.wake_ns, begin_ns + MS);
    rig.now_ns = begin_ns + 1000 * MS;
    int steps = 0;
    while (next(true) == HOLD_STEP)
        steps++;
    assert_in_range(steps, 198, 202);
}

static void the_earliest_wait_ends_first_and_a_step_before_waits_of_its_moment(void **state)
{
    (void)state;
    struct clock_slot *late = arm_timer(0, 3 * MS, 0), *soon = arm_timer(1, MS / 2, 0);
    struct clock_slot *with = arm_timer(2, MS, 0);
    assert_int_equal(next(true), HOLD_RELEASED);
    assert_int_equal(clock_ns(), MS / 2);
    assert_int_equal(soon->state, CLOCK_SLOT_FREE);
    assert_int_equal(with->state, CLOCK_SLOT_ARMED);
    assert_int_equal(next(true), HOLD_STEP);
    assert_int_equal(with->state, CLOCK_SLOT_ARMED);
    assert_int_equal(next(true), HOLD_RELEASED);
    assert_int_equal(with->state, CLOCK_SLOT_FREE);
    assert_int_equal(clock_ns(), MS);
    assert_int_equal(late->state, CLOCK_SLOT_ARMED);
    assert_int_equal(next(true), HOLD_STEP);
    assert_int_equal(clock_ns(), 2 * MS);
}

static void a_deadline_that_has_passed_does_not_turn_the_clock_back(void **state)
{
    (void)state;
    assert_int_equal(next(true), HOLD_STEP);
    arm_timer(0, MS / 2, 0);
    assert_int_equal(next(true), HOLD_RELEASED);
    assert_int_equal(clock_ns(), MS);
}

/* ---- Results of a wait ---- */

static void a_thread_is_woken_by_a_signal_and_again_until_it_has_seen_it(void **state)
{
    (void)state;
    struct clock_slot *slot = arm(0, CLOCK_SLOT_WAIT, 7 * MS);
    assert_int_equal(next(false), HOLD_RELEASED);
    assert_int_equal(clock_ns(), 7 * MS);
    assert_true(rig.hold.is_released);
    assert_int_equal(slot->state, CLOCK_SLOT_FIRED);
    WAIT_UNTIL(atomic_load(&rig.counts->wakes) == 1);
    struct clock_slot *other = arm_timer(1, 0, 0); // due sooner, but a fired wait is pending
    assert_int_equal(next(true), HOLD_RELEASED);
    assert_int_equal(other->state, CLOCK_SLOT_ARMED);
    WAIT_UNTIL(atomic_load(&rig.counts->wakes) == 2);
    assert_int_equal(slot->tries, 2);
    assert_true(rig.hold.is_released);
    WAIT_UNTIL(may_go());
    assert_false(rig.hold.is_released);
    slot->tries = CLOCK_SHM_TRIES - 1;
    assert_int_equal(next(true), HOLD_RELEASED);
    assert_int_equal(slot->state, CLOCK_SLOT_FIRED);
    WAIT_UNTIL(atomic_load(&rig.counts->wakes) == 3);
    assert_int_equal(next(true), HOLD_RELEASED);
    assert_int_equal(slot->state, CLOCK_SLOT_SPENT);
    assert_int_equal(next(false), HOLD_RELEASED);
    assert_int_equal(other->state, CLOCK_SLOT_FREE);
    sleep_ms(20);
    assert_int_equal(atomic_load(&rig.counts->wakes), 3);
}

static void a_timer_of_the_host_expires_once_or_again_and_again(void **state)
{
    (void)state;
    unsigned descriptors = descriptor_count();
    struct clock_slot *slot = arm_timer(0, MS, 0);
    int input = dup(0);
    close(0); // the user may have closed it
    assert_int_equal(next(false), HOLD_RELEASED);
    dup2(input, 0);
    close(input);
    assert_true(expires());
    assert_int_equal(descriptor_count(), descriptors);
    slot = arm_timer(0, 2 * MS, 0);
    assert_int_equal(next(false), HOLD_RELEASED);
    assert_false(rig.hold.is_released);
    assert_int_equal(slot->state, CLOCK_SLOT_FREE);
    assert_true(expires());
    assert_int_equal(descriptor_count(), descriptors);
    assert_true(hold_was_exact(&rig.hold));
    slot = arm_timer(0, 5 * MS, 3 * MS);
    assert_int_equal(next(false), HOLD_RELEASED);
    assert_int_equal(slot->state, CLOCK_SLOT_ARMED);
    assert_int_equal(slot->deadline_ns, HELD + 8 * MS);
    assert_true(expires());
    assert_int_equal(next(false), HOLD_RELEASED);
    assert_int_equal(clock_ns(), 8 * MS);
    assert_true(expires());
    slot->thread = 4711; // it has been closed
    assert_int_equal(next(false), HOLD_RELEASED);
    assert_int_equal(slot->state, CLOCK_SLOT_FREE);
}

/* The kernel may lack CONFIG_CHECKPOINT_RESTORE. */
static void a_timer_expires_by_being_set_where_the_kernel_cannot_set_its_ticks(void **state)
{
    (void)state;
    machine_refuse((struct refusal){.call = CALL_IOCTL, .count = 2, .reason = ENOTTY});
    struct clock_slot *slot = arm_timer(0, 2 * MS, 3 * MS);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(next(false), HOLD_RELEASED);
        assert_int_equal(slot->state, CLOCK_SLOT_ARMED);
        assert_true(expires());
    }
    assert_int_equal(machine_obey(), 2);
}

static void an_alarm_is_a_signal_of_the_process(void **state)
{
    (void)state;
    struct clock_slot *slot = arm(0, CLOCK_SLOT_ALARM, MS);
    slot->thread = 0;
    slot->interval_ns = MS;
    assert_int_equal(next(false), HOLD_RELEASED);
    WAIT_UNTIL(atomic_load(&rig.counts->alarms) == 1);
    assert_int_equal(slot->state, CLOCK_SLOT_ARMED);
    assert_int_equal(slot->deadline_ns, HELD + 2 * MS);
    slot->interval_ns = 0;
    WAIT_UNTIL(may_go());
    assert_int_equal(next(false), HOLD_RELEASED);
    WAIT_UNTIL(atomic_load(&rig.counts->alarms) == 2);
    assert_int_equal(slot->state, CLOCK_SLOT_FREE);
    assert_int_equal(atomic_load(&rig.counts->wakes), 0);
}

static void what_a_host_feels_ends_the_waits_of_those_who_look_in_vain(void **state)
{
    (void)state;
    struct clock_slot *look = arm(0, CLOCK_SLOT_POLL, 9 * MS);
    struct clock_slot *free_slot = arm(1, CLOCK_SLOT_POLL, 9 * MS);
    free_slot->state = CLOCK_SLOT_FREE;
    struct clock_slot *timer = arm_timer(2, MS, 0), *later = arm_timer(3, 9 * MS, 0);
    uint32_t moments = rig.shm->moments;
    rig.hold.free_again = 5;
    assert_int_equal(next(false), HOLD_RELEASED); // the timer
    assert_int_equal(timer->state, CLOCK_SLOT_FREE);
    assert_int_equal(look->deadline_ns, HELD + MS);
    assert_int_equal(free_slot->deadline_ns, HELD + 9 * MS);
    assert_int_equal(later->deadline_ns, HELD + 9 * MS);
    assert_int_equal(rig.shm->moments, moments + 1);
    assert_int_equal(rig.hold.free_again, 0);
    // Other threads do not notice the end of a poll.
    assert_int_equal(next(false), HOLD_RELEASED);
    assert_int_equal(look->state, CLOCK_SLOT_FIRED);
    assert_int_equal(rig.shm->moments, moments + 1);
    assert_int_equal(atomic_load(&rig.counts->wakes), 0);
}

static void a_thread_of_a_slow_host_is_reported_with_its_delay(void **state)
{
    (void)state;
    struct clock_slot *slot = arm(0, CLOCK_SLOT_TURN, MS);
    slot->ordinal = 6;
    slot->delay_us = 250;
    assert_int_equal(next(false), HOLD_RELEASED);
    assert_int_equal(rig.hold.delayed_us, 250);
    assert_int_equal(rig.hold.delayed_thread, 6);
    assert_int_equal(slot->state, CLOCK_SLOT_FIRED);
    assert_int_equal(atomic_load(&rig.counts->wakes), 0);
    slot->state = CLOCK_SLOT_FREE;
    assert_int_equal(next(true), HOLD_STEP);
    assert_int_equal(rig.hold.delayed_us, 0);
}

static void one_thread_that_waits_for_bytes_needs_no_turn(void **state)
{
    (void)state;
    rig.shm->inputs = 1;
    assert_int_equal(next(true), HOLD_STEP);
    assert_int_equal(rig.shm->alone, 1);
    rig.shm->inputs = 2;
    assert_int_equal(next(true), HOLD_STEP);
    assert_int_equal(rig.shm->alone, 0);
    rig.shm->inputs = 1;
    struct clock_slot *with = arm(0, CLOCK_SLOT_WAIT, 3 * MS); // after a step at the same moment
    assert_int_equal(next(true), HOLD_STEP);
    assert_int_equal(rig.shm->alone, 1);
    with->state = CLOCK_SLOT_FREE;
    arm_timer(0, 3 * MS + MS / 4, 0);
    assert_int_equal(next(true), HOLD_RELEASED);
    assert_int_equal(rig.shm->alone, 1);
    arm(0, CLOCK_SLOT_WAIT, 3 * MS + MS / 2);
    assert_int_equal(next(true), HOLD_RELEASED); // that thread and another one
    assert_int_equal(rig.shm->alone, 0);
}

/* ---- Order of two turns ---- */

/* Index of the first of two turns at the same moment: 0 or 1. */
static int first_of(const struct clock_slot *one, const struct clock_slot *other)
{
    struct clock_slot both[] = {*one, *other};
    for (unsigned i = 0; i < 2; i++) {
        struct clock_slot *slot = arm(i, CLOCK_SLOT_TURN, 0);
        slot->deadline_ns = rig.hold.clock_ns;
        slot->ordinal = both[i].ordinal;
        slot->process = both[i].process;
        slot->thread = both[i].thread;
    }
    assert_int_equal(next(false), HOLD_RELEASED);
    int first = rig.shm->slots[0].state == CLOCK_SLOT_FIRED ? 0 : 1;
    assert_int_equal(rig.shm->slots[first].state, CLOCK_SLOT_FIRED);
    assert_int_equal(rig.shm->slots[1 - first].state, CLOCK_SLOT_ARMED);
    rig.shm->slots[0].state = rig.shm->slots[1].state = CLOCK_SLOT_FREE;
    rig.hold.is_released = false;
    return first;
}

static void of_two_the_thread_that_was_created_first_is_woken_or_one_drawn_from_a_seed(void **state)
{
    (void)state;
    // Processes of the test are not known as the driver's, so they get no signal for a turn.
    struct clock_slot one = {.ordinal = 3, .process = rig.host, .thread = rig.host};
    struct clock_slot two = {.ordinal = 4, .process = getpid(), .thread = getpid()};
    assert_int_equal(first_of(&one, &two), 0);
    assert_int_equal(first_of(&two, &one), 1);
    int firsts = 0;
    for (uint64_t seed = 1; seed <= 64; seed++) {
        rig.hold.wake_order = seed;
        int first = first_of(&one, &two);
        assert_int_equal(first_of(&two, &one), 1 - first);
        assert_int_equal(first_of(&one, &two), first);
        firsts += first;
    }
    assert_in_range(firsts, 12, 52);
    // Without known positions, the older process is first.
    rig.hold.wake_order = 1;
    one.ordinal = two.ordinal = 0;
    bool is_host_older = (rig.host < getpid()) == (abs(rig.host - getpid()) < 16384);
    assert_int_equal(first_of(&one, &two), is_host_older ? 0 : 1);
    assert_int_equal(first_of(&two, &one), is_host_older ? 1 : 0);
}

static void of_the_waits_of_a_thread_only_the_latest_counts(void **state)
{
    (void)state;
    struct clock_slot *below = arm(0, CLOCK_SLOT_WAIT, MS),
                      *above = arm(1, CLOCK_SLOT_TURN, 2 * MS);
    assert_int_equal(next(false), HOLD_RELEASED);
    assert_int_equal(clock_ns(), 2 * MS);
    assert_int_equal(above->state, CLOCK_SLOT_FIRED);
    assert_int_equal(below->state, CLOCK_SLOT_ARMED);
    above->state = CLOCK_SLOT_FREE;
    assert_int_equal(next(false), HOLD_RELEASED);
    assert_int_equal(below->state, CLOCK_SLOT_FIRED);
    below = arm(1, CLOCK_SLOT_WAIT, 3 * MS);
    above = arm(0, CLOCK_SLOT_TURN, 4 * MS);
    assert_int_equal(next(false), HOLD_RELEASED);
    assert_int_equal(above->state, CLOCK_SLOT_FIRED);
    assert_int_equal(below->state, CLOCK_SLOT_ARMED);
}

static void a_turn_that_is_due_can_be_taken_while_something_is_stopped(void **state)
{
    (void)state;
    assert_false(hold_free_turn(&rig.hold));
    struct clock_slot *wait = arm(1, CLOCK_SLOT_WAIT, 0), *turn = arm(0, CLOCK_SLOT_TURN, 1);
    assert_false(hold_free_turn(&rig.hold));
    assert_int_equal(turn->state, CLOCK_SLOT_ARMED);
    turn->deadline_ns = HELD;
    assert_true(hold_free_turn(&rig.hold));
    assert_int_equal(turn->state, CLOCK_SLOT_FIRED);
    assert_int_equal(wait->state, CLOCK_SLOT_ARMED);
    assert_false(hold_free_turn(&rig.hold));
}

/* ---- Ownership of waits ---- */

static void the_wait_of_a_process_outside_is_ended_and_reported(void **state)
{
    (void)state;
    struct clock_slot *slot = arm(0, CLOCK_SLOT_TURN, MS);
    assert_true(hold_was_exact(&rig.hold));
    slot->process = slot->thread = getpid();
    assert_int_equal(next(false), HOLD_RELEASED);
    assert_int_equal(slot->state, CLOCK_SLOT_FIRED);
    assert_int_equal(rig.hold.stray, getpid());
    assert_false(hold_was_exact(&rig.hold));
    slot->state = CLOCK_SLOT_FREE;
    struct clock_slot *timer = arm_timer(1, 2 * MS, 0);
    timer->process = getpid();
    assert_int_equal(next(false), HOLD_RELEASED);
    assert_int_equal(clock_ns(), 2 * MS);
    assert_true(expires());
}

static void the_wait_of_another_namespace_is_not_ended_but_reported(void **state)
{
    (void)state;
    struct clock_slot *slot = arm(0, CLOCK_SLOT_TURN, MS);
    slot->space = idle_proof_own_space() + 1;
    assert_int_equal(next(true), HOLD_STEP);
    assert_int_equal(rig.hold.stray, -1);
    assert_int_equal(slot->state, CLOCK_SLOT_FREE);
}

static void the_wait_of_a_process_that_has_ended_is_freed(void **state)
{
    (void)state;
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    struct clock_slot *slot = arm(0, CLOCK_SLOT_TURN, MS), *timer = arm_timer(1, MS, 0);
    slot->process = slot->thread = timer->process = gone;
    assert_int_equal(next(true), HOLD_STEP);
    assert_int_equal(slot->state, CLOCK_SLOT_FREE);
    assert_int_equal(timer->state, CLOCK_SLOT_FREE);
    assert_int_equal(rig.hold.stray, 0);
    assert_true(hold_was_exact(&rig.hold));
}

/* The proof has not noticed it yet. */
static void the_timer_of_a_process_that_has_just_ended_is_freed(void **state)
{
    (void)state;
    unsigned descriptors = descriptor_count();
    struct clock_slot *slot = arm_timer(0, MS, MS);
    kill(rig.host, SIGKILL);
    assert_int_equal(waitpid(rig.host, NULL, 0), rig.host);
    assert_int_equal(next(false), HOLD_RELEASED);
    assert_int_equal(slot->state, CLOCK_SLOT_FREE);
    assert_int_equal(descriptor_count(), descriptors);
}

static void without_a_host_no_wait_is_ended(void **state)
{
    (void)state;
    hold_close(&rig.hold);
    struct clock_slot *slot = arm(0, CLOCK_SLOT_TURN, MS / 2);
    assert_true(may_go());
    assert_int_equal(hold_hosts(&rig.hold, &(pid_t){0}), 0);
    assert_int_equal(next(true), HOLD_STEP);
    assert_int_equal(clock_ns(), MS);
    assert_int_equal(slot->state, CLOCK_SLOT_ARMED);
    assert_true(hold_was_exact(&rig.hold));
}

static bool has_heard(int alarms)
{
    return may_go() && atomic_load(&rig.counts->alarms) == alarms;
}

static void a_host_that_ran_is_noticed_until_that_was_taken_in(void **state)
{
    (void)state;
    assert_true(rig.hold.has_run);
    rig.hold.has_run = false;
    WAIT_UNTIL(may_go());
    assert_false(rig.hold.has_run);
    kill(rig.host, SIGALRM);
    WAIT_UNTIL(has_heard(1));
    assert_true(rig.hold.has_run);
    WAIT_UNTIL(may_go());
    assert_true(rig.hold.has_run);
}

static int64_t computed_ns(void)
{
    clockid_t clock;
    struct timespec time;
    assert_int_equal(clock_getcpuclockid(rig.host, &clock), 0);
    assert_int_equal(clock_gettime(clock, &time), 0);
    return time.tv_sec * 1000 * MS + time.tv_nsec;
}

static bool is_granted_or_over(int64_t limit_ns)
{
    return may_go() || computed_ns() > limit_ns;
}

static void who_computes_for_long_may_wait_for_time_and_gets_it(void **state)
{
    (void)state;
    assert_int_equal(next(true), HOLD_STEP);
    atomic_store(&rig.counts->spins, 1);
    kill(rig.host, SIGALRM);
    WAIT_UNTIL(atomic_load(&rig.counts->alarms) == 1);
    int64_t begin_ns = computed_ns();
    // A driver may compute for one second in one piece, and after that for a hundredth of it.
    WAIT_UNTIL(is_granted_or_over(begin_ns + 100 * MS));
    assert_int_equal(rig.hold.charged_ns, 0);
    assert_int_equal(rig.hold.grant_ns, HOLD_NEVER);
    rig.hold.charged_ns = 1;
    rig.hold.spell_ns = 0;
    rig.hold.spell_free_ns = 0;
    WAIT_UNTIL(is_granted_or_over(begin_ns + 900 * MS));
    assert_true(rig.hold.grant_ns > rig.hold.clock_ns);
    assert_int_not_equal(rig.hold.grant_ns, HOLD_NEVER);
    assert_true(rig.hold.charged_ns > MS);
    assert_int_equal(rig.hold.grant_ns - rig.hold.clock_ns, rig.hold.charged_ns - 1);
    assert_false(hold_was_exact(&rig.hold));
    // The same time is not granted again.
    assert_false(may_go() && rig.hold.grant_ns == HOLD_NEVER);
    atomic_store(&rig.counts->spins, 0);
    WAIT_UNTIL(may_go() && rig.hold.grant_ns == HOLD_NEVER);
    assert_int_equal(rig.hold.spell_ns, 0);
}

static void an_end_of_time_without_proof_is_kept_and_frees_nobody(void **state)
{
    (void)state;
    rig.hold.grant_ns = HELD + MS / 2;
    struct clock_slot *slot = arm(0, CLOCK_SLOT_TURN, MS / 4);
    slot->process = slot->thread = getpid(); // it may be new
    assert_int_equal(next(true), HOLD_WAIT);
    assert_int_equal(rig.wake_ns, rig.now_ns);
    assert_int_equal(clock_ns(), MS / 2);
    assert_int_equal(slot->state, CLOCK_SLOT_ARMED);
    assert_int_equal(rig.hold.stray, 0);
    assert_int_equal(rig.hold.stuck_ns, 0);
}

/* ---- Reports ---- */

static void hosts_are_listed_and_polled_for_peers_at_each_connection(void **state)
{
    (void)state;
    pid_t hosts[HOLD_HOSTS_MAX];
    assert_int_equal(hold_hosts(&rig.hold, hosts), 1);
    assert_int_equal(hosts[0], rig.host);
    rig.shm->connects++;
    for (int i = 0; i < 100;
         i++) { // a machine may pause between the poll and the reading of the clock
        int64_t before_ns = poller_now_ns();
        rig.shm->connects++;
        hold_poll_external(&rig.hold, rig.now_ns);
        if (rig.hold.external_pause_ns > 5 * (poller_now_ns() - before_ns))
            break;
        assert_true(i < 99);
    }
    rig.hold.external_ns = rig.now_ns;
    rig.hold.external_clock_ns = rig.hold.clock_ns;
    rig.hold.external_pause_ns = 0;
    hold_poll_external(&rig.hold, rig.now_ns + 99 * MS);
    assert_int_equal(rig.hold.external_ns, rig.now_ns);
    rig.shm->connects++;
    int64_t begin_ns = poller_now_ns();
    hold_poll_external(&rig.hold, rig.now_ns + 99 * MS);
    assert_int_equal(rig.hold.external_ns, rig.now_ns + 99 * MS);
    assert_in_range(rig.hold.external_pause_ns, 1, 1000 * (poller_now_ns() - begin_ns));
    rig.hold.external_pause_ns = 50 * MS;
    hold_poll_external(&rig.hold, rig.now_ns + 248 * MS);
    assert_int_equal(rig.hold.external_ns, rig.now_ns + 99 * MS);
    hold_poll_external(&rig.hold, rig.now_ns + 249 * MS);
    assert_int_equal(rig.hold.external_ns, rig.now_ns + 249 * MS);
    rig.hold.clock_ns += 1000 * MS; // much time was simulated
    hold_poll_external(&rig.hold, rig.now_ns + 250 * MS);
    assert_int_equal(rig.hold.external_ns, rig.now_ns + 250 * MS);
    hold_poll_external(&rig.hold,
                       rig.now_ns + 251 * MS); // no further call before more time was simulated
    assert_int_equal(rig.hold.external_ns, rig.now_ns + 250 * MS);
    assert_int_equal(rig.hold.peers.count, 0);
}

static void make_it_a_stranger(unsigned long option, void *argument)
{
    if (option == SO_PEERCRED)
        ((struct ucred *)argument)->pid = 1;
}

static void a_run_whose_host_talks_to_others_is_not_exact(void **state)
{
    (void)state;
    close(rig.pair); // now only the driver has it
    rig.pair = -1;
    rig.shm->connects++;
    machine_answer = make_it_a_stranger;
    hold_poll_external(&rig.hold, rig.now_ns);
    machine_answer = NULL;
    assert_int_equal(rig.hold.peers.count, 1);
    assert_int_equal(rig.hold.peers.peers[0].process, rig.host);
    assert_false(hold_was_exact(&rig.hold));
}

static bool is_stopped(void)
{
    return !may_go() && rig.hold.is_stopped;
}

static void a_host_that_is_stopped_is_stuck_until_it_continues(void **state)
{
    (void)state;
    assert_false(rig.hold.is_stopped);
    assert_int_equal(rig.hold.stuck_ns, 0);
    rig.hold.has_run = false;
    kill(rig.host, SIGSTOP);
    WAIT_UNTIL(is_stopped());
    assert_in_range(rig.hold.stuck_ns, rig.now_ns, poller_now_ns());
    assert_true(rig.hold.has_run);
    kill(rig.host, SIGCONT);
    WAIT_UNTIL(may_go());
    assert_false(rig.hold.is_stopped);
}

static void a_run_is_exact_unless_one_of_these_was_seen(void **state)
{
    (void)state;
    struct hold *hold = &rig.hold;
    assert_true(hold_was_exact(hold));
    hold->charged_ns = 1;
    assert_false(hold_was_exact(hold));
    hold->charged_ns = 0;
    hold->peers.count = 1;
    assert_false(hold_was_exact(hold));
    hold->peers.count = 0;
    hold->stray = -1;
    assert_false(hold_was_exact(hold));
    hold->stray = 0;
    hold->race.process = 1;
    assert_false(hold_was_exact(hold));
    hold->race.process = 0;
    rig.shm->unseen = 1;
    assert_false(hold_was_exact(hold));
    rig.shm->unseen = 0;
    assert_true(hold_was_exact(hold));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_world_alone_steps_at_each_millisecond_of_the_clock),
        TEST(a_new_clock_follows_real_time_since_its_beginning),
        TEST(after_bytes_were_written_ptybot_waits_for_who_reads_them),
        TEST(where_nothing_is_due_it_is_stuck_since_the_first_look),
        TEST(the_world_does_not_make_up_for_the_time_it_stood),
        TEST(a_ceiling_is_kept_and_a_lag_of_a_tenth_of_a_second_caught_up),
        TEST(the_earliest_wait_ends_first_and_a_step_before_waits_of_its_moment),
        TEST(a_deadline_that_has_passed_does_not_turn_the_clock_back),
        TEST(a_thread_is_woken_by_a_signal_and_again_until_it_has_seen_it),
        TEST(a_timer_of_the_host_expires_once_or_again_and_again),
        TEST(a_timer_expires_by_being_set_where_the_kernel_cannot_set_its_ticks),
        TEST(an_alarm_is_a_signal_of_the_process),
        TEST(what_a_host_feels_ends_the_waits_of_those_who_look_in_vain),
        TEST(a_thread_of_a_slow_host_is_reported_with_its_delay),
        TEST(one_thread_that_waits_for_bytes_needs_no_turn),
        TEST(of_two_the_thread_that_was_created_first_is_woken_or_one_drawn_from_a_seed),
        TEST(of_the_waits_of_a_thread_only_the_latest_counts),
        TEST(a_turn_that_is_due_can_be_taken_while_something_is_stopped),
        TEST(the_wait_of_a_process_outside_is_ended_and_reported),
        TEST(the_wait_of_another_namespace_is_not_ended_but_reported),
        TEST(the_wait_of_a_process_that_has_ended_is_freed),
        TEST(the_timer_of_a_process_that_has_just_ended_is_freed),
        TEST(without_a_host_no_wait_is_ended),
        TEST(a_host_that_ran_is_noticed_until_that_was_taken_in),
        TEST(who_computes_for_long_may_wait_for_time_and_gets_it),
        TEST(an_end_of_time_without_proof_is_kept_and_frees_nobody),
        TEST(hosts_are_listed_and_polled_for_peers_at_each_connection),
        TEST(a_run_whose_host_talks_to_others_is_not_exact),
        TEST(a_host_that_is_stopped_is_stuck_until_it_continues),
        TEST(a_run_is_exact_unless_one_of_these_was_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
