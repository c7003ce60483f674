/* Virtual time, which waits for a driver. */
#include "app/time/hold.h"

#include <linux/futex.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "app/links/poller.h"
#include "base/rng.h"
#include "pty/shim/clock_shm.h"
#include "sim/sim.h"

#define STEP_NS (SIM_STEP_US * INT64_C(1000))
#define LAG_NS  INT64_C(100000000) /* as in pacer.h: the part of a lag that is caught up */

/* Chosen: CPU time that a thread may use in one piece before simulated time advances although the
 * thread still computes, since it may wait for that. 1 s is longer than an interpreter takes to
 * start. 10 ms apply once the driver has been found to spin. */
#define SPELL_NS        INT64_C(1000000000)
#define SPELL_AGAIN_NS  INT64_C(10000000)
#define CHARGE_CHECK_NS INT64_C(2000000) /* chosen: interval of this check */

/* Chosen. A poll takes 0.1 ms, more with hundreds of threads, and long on a busy machine, so it may
 * use at most 1/50 of the time. Each connection of a program with the library triggers a poll too.
 * These intervals therefore matter only for other programs. */
#define EXTERNAL_POLL_NS       INT64_C(100000000)
#define EXTERNAL_POLL_CLOCK_NS INT64_C(1000000000)
#define EXTERNAL_POLL_PART     50

enum { FREE_AGAIN_MAX = 16 }; /* chosen: see forgive_polls */
enum { TRIES_AT_ONCE = 2 };   /* chosen: proofs without a pause, until a thread has fallen asleep */
/* Chosen: pauses between proofs, so that they leave the processor to other programs. */
enum { PAUSE_MIN_NS = 20000, PAUSE_DOUBLINGS = 5, PAUSE_MAX_NS = 500000, STARVED_NS = 2000000 };
/* Chosen: longer than a small driver computes between two waits. */
enum { AWAIT_NS = 250000 };

/* ---- The clock ---- */

static void set_clock(struct hold *hold, int64_t clock_ns)
{
    struct clock_course course;
    if (clock_ns <= hold->clock_ns)
        return;
    hold->clock_ns = clock_ns;
    clock_shm_get(hold->shm, &course);
    course.warped_ns = clock_ns;
    clock_shm_set(hold->shm, &course);
}

void hold_open(struct hold *hold, struct clock_shm *shm)
{
    struct clock_course course;
    clock_shm_get(shm, &course);
    *hold = (struct hold){.shm = shm, .ceiling = 1, .clock_ns = course.warped_ns, .pace = 1};
    hold->anchor_clock_ns = hold->clock_ns;
    hold->anchor_real_ns = poller_now_ns();
    course.until_ns = course.real_ns; // it stands still
    clock_shm_set(shm, &course);
    shm->is_held = 1;
}

void hold_close(struct hold *hold)
{
    idle_proof_destroy(hold->proof);
    hold->proof = NULL;
}

bool hold_watch(struct hold *hold, pid_t host)
{
    hold->proof = idle_proof_create(host, hold->shm);
    hold->has_run = true;
    return hold->proof != NULL;
}

size_t hold_hosts(const struct hold *hold, pid_t *out)
{
    size_t count = 0;
    while (hold->proof && count < HOLD_HOSTS_MAX &&
           (out[count] = idle_proof_process(hold->proof, count)) != 0)
        count++;
    return count;
}

void hold_poll_external(struct hold *hold, int64_t now_ns)
{
    pid_t hosts[HOLD_HOSTS_MAX];
    uint32_t connects = atomic_load(&hold->shm->connects);
    if (connects == hold->connects &&
        now_ns - hold->external_ns < EXTERNAL_POLL_NS + hold->external_pause_ns &&
        hold->clock_ns - hold->external_clock_ns < EXTERNAL_POLL_CLOCK_NS)
        return;
    hold->connects = connects;
    hold->external_ns = now_ns;
    hold->external_clock_ns = hold->clock_ns;
    int64_t begin_ns = poller_now_ns();
    external_peers_poll(&hold->peers, hosts, hold_hosts(hold, hosts));
    hold->external_pause_ns = (poller_now_ns() - begin_ns) * EXTERNAL_POLL_PART;
}

/* ---- Waits ---- */

static struct clock_slot *slot_at(const struct hold *hold, uint32_t index)
{
    return &hold->shm->slots[index];
}

/* A slot, and the numbers of its owner in ptybot's PID namespace. For a timer, THREAD is its
 * descriptor. */
struct wait {
    struct clock_slot *slot;
    pid_t process, thread;
};

/* Whether a process that is not a descendant of the driver uses the clock. If it is in ptybot's PID
 * namespace, ptybot can end its waits, but does not wait while it computes. */
static bool is_stray(struct hold *hold, struct wait *wait)
{
    const struct clock_slot *slot = wait->slot;
    // The shared memory may be damaged, and kill takes such numbers for process groups.
    if (slot->process <= 0 || (clock_slot_is_of_thread(slot) && slot->thread <= 0))
        return false;
    bool is_near = slot->space == idle_proof_own_space();
    if (!is_near && idle_proof_knows_space(hold->proof, slot->space))
        return false; // it was one of the host's, and has ended
    bool is_alive = is_near && (clock_slot_is_of_thread(slot)
                                    ? syscall(SYS_tgkill, slot->process, slot->thread, 0)
                                    : kill(slot->process, 0)) == 0;
    if (is_near && !is_alive)
        return false;
    hold->stray = is_alive ? slot->process : -1;
    wait->process = slot->process;
    return is_alive;
}

/* Finds the owner of a slot; frees the slot if the owner is gone. While time advances without a
 * proof, an unknown owner may be a new thread. */
static bool is_owned(struct hold *hold, struct wait *wait)
{
    const struct clock_slot *slot = wait->slot;
    const struct idle_proof_name name = {.space = slot->space,
                                         .process = slot->process,
                                         .thread =
                                             clock_slot_is_of_thread(slot) ? slot->thread : 0};
    pid_t thread = slot->thread;
    wait->thread = slot->thread;
    if (!hold->proof)
        return false;
    if (idle_proof_find(hold->proof, &name, &wait->process, &thread)) {
        wait->thread = clock_slot_is_of_thread(slot) ? thread : slot->thread;
        return true;
    }
    if (hold->grant_ns != HOLD_NEVER)
        return false;
    bool is_there = is_stray(hold, wait);
    if (!is_there)
        atomic_store(&wait->slot->state, CLOCK_SLOT_FREE);
    return is_there;
}

/* Whether this is the latest wait of its thread. A signal handler may wait while the call that it
 * interrupted waits too. */
static bool is_latest(const struct hold *hold, const struct clock_slot *slot, uint32_t used)
{
    if (!clock_slot_is_of_thread(slot))
        return true;
    for (uint32_t i = 0; i < used; i++) {
        const struct clock_slot *other = slot_at(hold, i);
        if (other != slot && atomic_load(&other->state) >= CLOCK_SLOT_ARMED &&
            clock_slot_is_of_thread(other) && other->thread == slot->thread &&
            other->space == slot->space && other->order > slot->order)
            return false;
    }
    return true;
}

/* Whether ONE is older than OTHER, of two that have just been created. Their numbers are close
 * together, unless numbering restarted at the lowest number in between. */
static bool is_older(pid_t one, pid_t other)
{
    enum { CLOSE = 16384 }; // half of PID_MAX_DEFAULT, include/linux/threads.h
    return (one < other) == (abs(one - other) < CLOSE);
}

/* Whether ONE is due before OTHER. At the same deadline, the order is that of creation or is drawn
 * from a seed. It is the same in each run. */
static bool is_before(const struct hold *hold, const struct wait *one, const struct wait *other)
{
    int64_t deadline_ns = one->slot->deadline_ns;
    uint32_t ordinal = one->slot->ordinal, other_ordinal = other->slot->ordinal;
    if (deadline_ns != other->slot->deadline_ns)
        return deadline_ns < other->slot->deadline_ns;
    if (hold->wake_order != 0 && ordinal != other_ordinal) {
        uint64_t key = rng_u64(hold->wake_order, (uint64_t)deadline_ns);
        return rng_u64(key, ordinal) < rng_u64(key, other_ordinal);
    }
    if (ordinal != other_ordinal)
        return ordinal < other_ordinal;
    if (one->process != other->process)
        return is_older(one->process, other->process);
    return is_older(one->thread, other->thread);
}

/* The wait to end next. A wait that ptybot has ended but that still lasts comes before all others.
 * Without a slot: there is no wait. */
static struct wait next_wait(struct hold *hold)
{
    struct wait first = {0};
    uint32_t used = atomic_load(&hold->shm->slots_used);
    used = used < CLOCK_SHM_SLOTS ? used : CLOCK_SHM_SLOTS;
    for (uint32_t i = 0; i < used; i++) {
        struct wait wait = {.slot = slot_at(hold, i)};
        uint32_t state = atomic_load(&wait.slot->state);
        // Cheap checks first: a driver may have hundreds of threads.
        bool is_later =
            state == CLOCK_SLOT_ARMED && first.slot &&
            (wait.slot->deadline_ns > first.slot->deadline_ns ||
             (wait.slot->is_deaf && wait.slot->ordinal != 0 && !is_before(hold, &wait, &first)));
        if (state < CLOCK_SLOT_ARMED || is_later || !is_owned(hold, &wait) ||
            !is_latest(hold, wait.slot, used))
            continue;
        if (state == CLOCK_SLOT_FIRED)
            return wait;
        if (!first.slot || is_before(hold, &wait, &first))
            first = wait;
    }
    return first;
}

/* Ends the waits of busy-waiting threads at once, and restarts the count of free polls. */
static void end_polls(struct hold *hold)
{
    uint32_t used = atomic_load(&hold->shm->slots_used);
    atomic_fetch_add(&hold->shm->moments, 1);
    for (uint32_t i = 0; i < used && i < CLOCK_SHM_SLOTS; i++) {
        struct clock_slot *slot = slot_at(hold, i);
        if (atomic_load(&slot->state) == CLOCK_SLOT_ARMED && slot->kind == CLOCK_SLOT_POLL)
            atomic_store(&slot->deadline_ns, hold->clock_ns);
    }
}

void hold_felt(struct hold *hold)
{
    hold->free_again = 0;
    end_polls(hold);
}

/* Whether a thread busy-waits while another thread has run. */
static bool looks_at_work(const struct hold *hold)
{
    uint32_t used = atomic_load(&hold->shm->slots_used);
    size_t looking = 0, ran = 0;
    for (uint32_t i = 0; i < used && i < CLOCK_SHM_SLOTS; i++) {
        const struct clock_slot *slot = slot_at(hold, i);
        const struct idle_proof_name name = {
            .space = slot->space, .process = slot->process, .thread = slot->thread};
        pid_t process, thread;
        if (atomic_load(&slot->state) != CLOCK_SLOT_ARMED || slot->kind != CLOCK_SLOT_POLL ||
            !idle_proof_find(hold->proof, &name, &process, &thread))
            continue;
        looking++;
        ran += idle_proof_has_run(hold->proof, process, thread);
    }
    return looking > 0 && idle_proof_ran(hold->proof) > ran;
}

/* A busy-waiting thread may wait for the result of another thread. How many polls it makes
 * meanwhile depends on the machine, so they are free again. The number of times is limited, because
 * the polls may be what keeps the other thread busy. */
static void forgive_polls(struct hold *hold)
{
    if (!hold->proof || hold->grant_ns != HOLD_NEVER || hold->free_again == FREE_AGAIN_MAX ||
        !looks_at_work(hold))
        return;
    hold->free_again++;
    end_polls(hold);
}

/* Threads that wait for their turn have run too, but only to begin that wait. Threads in a wait
 * that is older than the last proof have run only inside the kernel. Neither counts as a race. */
static void check_for_race(struct hold *hold)
{
    uint32_t used = atomic_load(&hold->shm->slots_used);
    uint64_t orders = hold->orders;
    hold->orders = atomic_load(&hold->shm->orders);
    if (hold->race.process != 0 || idle_proof_ran(hold->proof) < 2)
        return;
    for (uint32_t i = 0; i < used && i < CLOCK_SHM_SLOTS; i++) {
        struct wait wait = {.slot = slot_at(hold, i)};
        bool is_calm = wait.slot->kind == CLOCK_SLOT_TURN || wait.slot->order < orders;
        if (atomic_load(&wait.slot->state) == CLOCK_SLOT_ARMED && is_calm &&
            clock_slot_is_of_thread(wait.slot) && is_owned(hold, &wait))
            idle_proof_excuse(hold->proof, wait.process, wait.thread);
    }
    idle_proof_find_race(hold->proof, &hold->race);
}

/* From linux/timerfd.h, which conflicts with sys/timerfd.h. Needs a kernel with
 * CONFIG_CHECKPOINT_RESTORE. */
#ifndef TFD_IOC_SET_TICKS
#define TFD_IOC_SET_TICKS _IOW('T', 0, uint64_t)
#endif

/* Lets a timer that the program disarmed in the kernel expire, if possible before this returns. */
static bool expire(const struct wait *due)
{
    const uint64_t once = 1;
    const struct itimerspec at_once = {.it_value.tv_nsec = 1};
    int process = (int)syscall(SYS_pidfd_open, due->process, 0);
    int timer = process >= 0 ? (int)syscall(SYS_pidfd_getfd, process, due->thread, 0) : -1;
    bool is_done = timer >= 0 && (ioctl(timer, TFD_IOC_SET_TICKS, &once) == 0 ||
                                  timerfd_settime(timer, 0, &at_once, NULL) == 0);
    if (timer >= 0)
        close(timer);
    if (process >= 0)
        close(process);
    return is_done;
}

static void release(const struct wait *due)
{
    struct clock_slot *slot = due->slot;
    if (clock_slot_is_of_thread(slot)) {
        // First, since the thread reads the state as soon as it runs, and may then use the slot
        // again.
        bool is_on_futex = slot->kind == CLOCK_SLOT_TURN || slot->kind == CLOCK_SLOT_POLL;
        bool is_spent = ++slot->tries > CLOCK_SHM_TRIES;
        atomic_store(&slot->state, is_spent ? CLOCK_SLOT_SPENT : CLOCK_SLOT_FIRED);
        if (idle_proof_rouse(slot))
            return;
        if (is_on_futex)
            syscall(SYS_futex, &slot->state, FUTEX_WAKE, 1, NULL, NULL, 0);
        else if (!is_spent)
            syscall(SYS_tgkill, due->process, due->thread, CLOCK_SHM_SIGNAL);
        return;
    }
    // First, since the program may set the timer again as soon as it runs.
    bool is_again = slot->interval_ns > 0, is_alarm = slot->kind == CLOCK_SLOT_ALARM;
    if (is_again)
        slot->deadline_ns += slot->interval_ns;
    else
        atomic_store(&slot->state, CLOCK_SLOT_FREE);
    bool is_done = is_alarm ? kill(due->process, SIGALRM) == 0 : expire(due);
    if (is_again && !is_done)
        atomic_store(&slot->state, CLOCK_SLOT_FREE);
}

/* ---- Whether time may advance ---- */

/* Advances time for a thread that computes for long, since it may wait for time to pass. */
static bool charge(struct hold *hold, int64_t now_ns)
{
    if (now_ns < hold->charge_check_ns)
        return false;
    hold->charge_check_ns = now_ns + CHARGE_CHECK_NS;
    if (hold->spell_ns == 0)
        hold->spell_free_ns = hold->charged_ns > 0 ? SPELL_AGAIN_NS : SPELL_NS;
    int64_t due_ns = idle_proof_busy_ns(hold->proof) - hold->spell_free_ns - hold->spell_ns;
    // A charge of less than one step makes no difference yet.
    if (due_ns < STEP_NS)
        return false;
    hold->spell_ns += due_ns;
    if (hold->is_stepping)
        hold->charged_ns += due_ns;
    hold->grant_ns = hold->clock_ns + due_ns;
    idle_proof_renew(hold->proof);
    return true;
}

/* Sleeps until a thread is about to wait, at most MOST_NS. Returns at once if a thread has reported
 * that since `listens` was set. */
static void listen(struct hold *hold, long most_ns)
{
    syscall(SYS_futex, &hold->shm->listens, FUTEX_WAIT, 1, &(struct timespec){.tv_nsec = most_ns},
            NULL, 0);
}

/* Sleeps until a thread is about to wait, or a little later. */
static void pause_for(struct hold *hold)
{
    // A thread has reported a wait since the last check, or this is the first check: it may sleep
    // by now.
    if (atomic_exchange(&hold->shm->listens, 1) == 0) {
        hold->tries = 0;
        return;
    }
    if (hold->tries++ < TRIES_AT_ONCE)
        return;
    unsigned doublings = hold->tries - TRIES_AT_ONCE - 1;
    long nap_ns = doublings < PAUSE_DOUBLINGS ? PAUSE_MIN_NS << doublings : PAUSE_MAX_NS;
    // On a busy machine each check delays the thread further.
    listen(hold, idle_proof_is_starved(hold->proof) ? STARVED_NS : nap_ns);
}

static void note_stuck(struct hold *hold, bool is_stuck, int64_t now_ns)
{
    if (!is_stuck || hold->stuck_ns == 0)
        hold->stuck_ns = is_stuck ? now_ns : 0;
}

/* Whether all threads wait, or time advances although they do not. */
static bool prove(struct hold *hold)
{
    bool has_run = false;
    hold->grant_ns = HOLD_NEVER;
    if (!hold->proof)
        return true;
    enum idle_proof_state state = idle_proof_try(hold->proof, &has_run);
    hold->is_stopped = state == IDLE_PROOF_STOPPED;
    if (state == IDLE_PROOF_IDLE) {
        hold->has_run |= has_run;
        hold->tries = 0;
        hold->spell_ns = 0;
        forgive_polls(hold);
        if (has_run)
            check_for_race(hold);
        return true;
    }
    hold->has_run = true;
    note_stuck(hold, hold->is_stopped, poller_now_ns());
    if (state == IDLE_PROOF_BUSY && charge(hold, poller_now_ns()))
        return true;
    pause_for(hold);
    return false;
}

void hold_await_input(struct hold *hold)
{
    if (hold->proof && atomic_load(&hold->shm->inputs) > 0)
        listen(hold, AWAIT_NS);
}

bool hold_may_go(struct hold *hold)
{
    if (hold->is_released)
        listen(hold, AWAIT_NS);
    hold->is_released = false;
    hold->is_proven = prove(hold);
    return hold->is_proven;
}

/* ---- The next event ---- */

/* Real time when the clock may reach MOMENT_NS. */
static int64_t real_of(struct hold *hold, int64_t moment_ns, int64_t now_ns)
{
    double pace = hold->ceiling;
    if (hold->proof && idle_proof_is_foreign(hold->proof) && pace > 1)
        pace = 1;
    if (pace != hold->pace) {
        hold->pace = pace;
        hold->anchor_real_ns = now_ns;
        hold->anchor_clock_ns = hold->clock_ns;
    }
    if (isinf(pace))
        return now_ns;
    int64_t real_ns =
        hold->anchor_real_ns + (int64_t)((double)(moment_ns - hold->anchor_clock_ns) / pace);
    if (now_ns - real_ns > LAG_NS)
        hold->anchor_real_ns += now_ns - real_ns - LAG_NS;
    return real_ns;
}

bool hold_free_turn(struct hold *hold)
{
    struct wait first = {0};
    uint32_t used = atomic_load(&hold->shm->slots_used);
    for (uint32_t i = 0; i < used && i < CLOCK_SHM_SLOTS; i++) {
        struct wait wait = {.slot = slot_at(hold, i)};
        if (atomic_load(&wait.slot->state) == CLOCK_SLOT_ARMED &&
            wait.slot->kind == CLOCK_SLOT_TURN && wait.slot->deadline_ns <= hold->clock_ns &&
            is_owned(hold, &wait) && (!first.slot || is_before(hold, &wait, &first)))
            first = wait;
    }
    if (first.slot)
        release(&first);
    return first.slot;
}

enum hold_move hold_next(struct hold *hold, bool is_stepping, int64_t now_ns, int64_t *wake_ns)
{
    const struct wait due = next_wait(hold);
    const struct clock_slot *slot = due.slot;
    hold->is_proven = false;
    hold->delayed_us = 0;
    atomic_store(&hold->shm->listens, 1);
    atomic_store(&hold->shm->alone, 0);
    if (slot && atomic_load(&slot->state) == CLOCK_SLOT_FIRED) {
        release(&due); // its signal came before it slept
        hold->is_released = true;
        return HOLD_RELEASED;
    }
    if (is_stepping && !hold->is_stepping)
        hold->stepped_ns = hold->clock_ns;
    hold->is_stepping = is_stepping;
    int64_t deadline_ns = slot ? slot->deadline_ns : HOLD_NEVER;
    int64_t step_ns = is_stepping ? hold->stepped_ns + STEP_NS : HOLD_NEVER;
    int64_t moment_ns = deadline_ns < step_ns ? deadline_ns : step_ns;
    *wake_ns = HOLD_NEVER;
    note_stuck(hold, moment_ns == HOLD_NEVER && hold->grant_ns == HOLD_NEVER, now_ns);
    if (moment_ns == HOLD_NEVER)
        return HOLD_WAIT;
    if (moment_ns > hold->grant_ns) {
        set_clock(hold, hold->grant_ns);
        *wake_ns = now_ns;
        return HOLD_WAIT;
    }
    *wake_ns = real_of(hold, moment_ns, now_ns);
    if (*wake_ns > now_ns)
        return HOLD_WAIT;
    set_clock(hold, moment_ns);
    if (step_ns <= deadline_ns || !clock_slot_is_of_thread(slot))
        atomic_store(&hold->shm->alone, atomic_load(&hold->shm->inputs) == 1);
    if (step_ns <= deadline_ns) {
        hold->stepped_ns = step_ns;
        return HOLD_STEP;
    }
    hold->delayed_thread = slot->ordinal;
    hold->delayed_us = slot->delay_us;
    hold->is_released = clock_slot_is_of_thread(slot);
    if (slot->kind != CLOCK_SLOT_POLL)
        hold_felt(hold);
    // Last, since the program runs from here on: it counts its free polls, and may use the slot
    // again.
    release(&due);
    return HOLD_RELEASED;
}

int64_t hold_polled_ns(const struct hold *hold)
{
    return atomic_load(&hold->shm->polled_ns);
}

bool hold_was_exact(const struct hold *hold)
{
    const struct idle_proof_stats *stats = hold->proof ? idle_proof_stats(hold->proof) : NULL;
    return hold->charged_ns == 0 && hold->peers.count == 0 && hold->stray == 0 &&
           hold->race.process == 0 && atomic_load(&hold->shm->unseen) == 0 &&
           (!stats || (stats->foreign.seen == 0 && !stats->has_unseen && stats->clockless == 0));
}
