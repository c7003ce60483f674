/* The clock shim while time is held: waits that the simulation ends, the cost of polling, and the
 * signal that no program may block.
 *
 * The other half is app/time/hold.c in ptybot. It finds the slots that are armed here in the shared
 * memory (clock_shm.h), moves time, and wakes their threads. */
#include "pty/shim/clock.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pty/shim/clock_shm.h"

/* ---- Waits ---- */

/* A variable of this thread. Access to it calls no function that might allocate memory. */
#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))

OF_THREAD uint32_t polls, polls_moment; /* number of unsuccessful polls in this moment */
OF_THREAD int64_t looks_from;           /* time of the first poll in that moment, as a deadline */

/* The IDs of this thread in its PID namespace. */
struct identity {
    int32_t process, thread;
    uint64_t space;   /* see clock_slot.space */
    uint32_t ordinal; /* 0: not drawn yet */
};
OF_THREAD struct identity self; /* valid for PROCESS; a child of fork finds the data of its
                                 * parent */

/* Raises slots_used to include the slot INDEX. */
static void use(struct clock_shm *shm, uint32_t index)
{
    uint32_t used = atomic_load(&shm->slots_used);
    while (used <= index && !atomic_compare_exchange_weak(&shm->slots_used, &used, index + 1))
        ;
}

void clock_lost(void)
{
    struct clock_shm *shm = clock_held();
    if (shm)
        atomic_fetch_add(&shm->unseen, 1);
}

static struct clock_slot *take_slot(struct clock_shm *shm)
{
    for (uint32_t i = 0; i < CLOCK_SHM_SLOTS; i++) {
        uint32_t is_free = CLOCK_SLOT_FREE;
        struct clock_slot *slot = &shm->slots[i];
        if (atomic_load_explicit(&slot->state, memory_order_relaxed) == CLOCK_SLOT_FREE &&
            atomic_compare_exchange_strong(&slot->state, &is_free, CLOCK_SLOT_TAKEN)) {
            use(shm, i);
            slot->delay_us = 0;
            slot->is_deaf = 0;
            return slot;
        }
    }
    clock_lost();
    return NULL;
}

static const struct identity *identify(void)
{
    struct stat about;
    int32_t process = (int32_t)getpid();
    int reason = errno;
    SHIM_NEXT(syscall);
    if (self.process != process) {
        // By system call: the caller may be a child of vfork.
        self.thread = (int32_t)next(SYS_gettid);
        self.space = stat("/proc/self/ns/pid", &about) == 0 ? about.st_ino : 0;
        self.process = process;
        self.ordinal = 0;
    }
    errno = reason;
    return &self;
}

int32_t clock_thread(void)
{
    return identify()->thread;
}

uint32_t clock_ordinal_draw(void)
{
    return atomic_fetch_add(&clock_held()->ordinals, 1) + 1;
}

void clock_ordinal_set(uint32_t ordinal)
{
    identify();
    self.ordinal = ordinal;
}

uint32_t clock_ordinal(void)
{
    if (identify()->ordinal == 0)
        self.ordinal = clock_ordinal_draw();
    return self.ordinal;
}

static bool is_own(const struct clock_slot *slot)
{
    const struct identity *own = identify();
    return slot->process == own->process && slot->space == own->space;
}

void clock_announce(void)
{
    struct clock_shm *shm = clock_held();
    if (shm && atomic_load_explicit(&shm->listens, memory_order_relaxed) != 0 &&
        atomic_exchange(&shm->listens, 0) != 0)
        clock_futex_wake((unsigned *)&shm->listens, 0, 1);
}

static void fill(struct clock_shm *shm, struct clock_slot *slot, uint32_t kind, int thread,
                 int64_t deadline, int64_t interval_ns)
{
    const struct identity *own = identify();
    slot->kind = kind;
    slot->process = own->process;
    slot->thread = thread;
    slot->space = own->space;
    slot->tries = 0;
    slot->ordinal = own->ordinal;
    slot->deadline_ns = deadline;
    slot->interval_ns = interval_ns;
    slot->order = atomic_fetch_add(&shm->orders, 1);
    atomic_store(&slot->state, CLOCK_SLOT_ARMED);
    clock_announce();
}

static struct clock_slot *begin(int64_t deadline, uint32_t kind)
{
    struct clock_shm *shm = clock_held();
    struct clock_slot *slot = shm && clock_is_early(deadline) ? take_slot(shm) : NULL;
    if (slot)
        fill(shm, slot, kind, identify()->thread, deadline, 0);
    return slot;
}

struct clock_slot *clock_wait_begin(int64_t deadline)
{
    int64_t left_ns = clock_left_ns(deadline);
    bool is_short = left_ns > 0 && left_ns < CLOCK_SHM_SLACK_NS;
    return begin(is_short ? deadline - left_ns + CLOCK_SHM_SLACK_NS : deadline, CLOCK_SLOT_WAIT);
}

bool clock_wait_end(struct clock_slot *wait)
{
    return wait && atomic_exchange(&wait->state, CLOCK_SLOT_FREE) == CLOCK_SLOT_FIRED;
}

bool clock_wait_is_over(const struct clock_slot *wait)
{
    return wait && atomic_load(&wait->state) == CLOCK_SLOT_FIRED;
}

bool clock_wait_is_timeout(bool is_over, bool has_failed)
{
    return is_over && has_failed && errno == EINTR;
}

bool clock_futex_wait(unsigned *word, int privacy, unsigned value)
{
    int reason = errno;
    SHIM_NEXT(syscall);
    clock_announce();
    bool is_woken = next(SYS_futex, word, FUTEX_WAIT | privacy, value, NULL, NULL, 0) == 0;
    errno = reason;
    return is_woken;
}

void clock_futex_wake(unsigned *word, int privacy, int most)
{
    int reason = errno;
    SHIM_NEXT(syscall);
    next(SYS_futex, word, FUTEX_WAKE | privacy, most, NULL, NULL, 0);
    errno = reason;
}

/* Whether this thread may be deaf. The first thread of a process must not be, because it takes
 * signals for the process. A thread that another library made may share the memory of its parent;
 * the ID in WAIT then differs from the kernel's. */
static bool may_be_deaf(const struct clock_slot *wait)
{
    const struct clock_shm *shm = clock_held();
    SHIM_NEXT(syscall);
    return atomic_load(&shm->slots_used) > CLOCK_SHM_CROWD && wait->thread != wait->process &&
           wait->space != 0 && next(SYS_gettid) == wait->thread;
}

/* Makes this thread deaf until it is woken. Stores its signal mask in BEFORE. All signals are
 * blocked, including those of the C library. */
static void be_deaf(struct clock_slot *wait, sigset_t *before)
{
    sigset_t all;
    SHIM_NEXT(syscall);
    memset(&all, 0xff, sizeof all);
    next(SYS_rt_sigprocmask, SIG_SETMASK, &all, before, _NSIG / 8);
    atomic_store(&wait->is_deaf, 1);
    if (atomic_load(&clock_held()->is_loud) != 0)
        atomic_store(&wait->is_deaf, 0);
    while (atomic_load(&wait->is_deaf) != 0)
        clock_futex_wait((unsigned *)&wait->is_deaf, 0, 1);
}

void clock_wait_sleep(struct clock_slot *wait, bool is_call)
{
    sigset_t before;
    int reason = errno;
    SHIM_NEXT(syscall);
    SHIM_NEXT_AS(sleep, ppoll);
    bool was_deaf = may_be_deaf(wait);
    if (was_deaf)
        be_deaf(wait, &before);
    // The kernel restores the mask when the call begins. A signal that arrives earlier therefore
    // still ends the call.
    if (is_call && atomic_load(&wait->state) == CLOCK_SLOT_ARMED)
        sleep(NULL, 0, NULL, was_deaf ? &before : NULL);
    if (was_deaf)
        next(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, _NSIG / 8);
    while (!is_call && atomic_load(&wait->state) == CLOCK_SLOT_ARMED)
        clock_futex_wait((unsigned *)&wait->state, 0, CLOCK_SLOT_ARMED);
    errno = reason;
}

/* If there are many waits, this thread continues after all threads that were deaf sleep in the
 * kernel. */
void clock_be_loud(void)
{
    struct clock_shm *shm = clock_held();
    if (!shm || atomic_exchange(&shm->is_loud, 1) != 0)
        return;
    uint32_t used = atomic_load(&shm->slots_used);
    for (uint32_t i = 0; i < used && i < CLOCK_SHM_SLOTS; i++)
        if (atomic_exchange(&shm->slots[i].is_deaf, 0) != 0)
            clock_futex_wake((unsigned *)&shm->slots[i].is_deaf, 0, 1);
    if (used > CLOCK_SHM_CROWD)
        clock_turn(0);
}

void clock_turn(uint32_t delay_us)
{
    struct clock_shm *shm = clock_held();
    struct clock_slot *slot = take_slot(shm);
    int64_t deadline;
    if (!slot)
        return;
    clock_after_ns(delay_us * INT64_C(1000), &deadline);
    slot->delay_us = delay_us;
    fill(shm, slot, CLOCK_SLOT_TURN, identify()->thread, deadline, 0);
    clock_wait_sleep(slot, false);
    atomic_store(&slot->state, CLOCK_SLOT_FREE);
}

/* Sleeps until the deadline, regardless of signals. */
static bool nap(int64_t span_ns, uint32_t kind)
{
    int64_t deadline;
    if (!clock_after_ns(span_ns, &deadline))
        return false;
    struct clock_slot *wait = begin(deadline, kind);
    if (wait)
        clock_wait_sleep(wait, false);
    clock_wait_end(wait);
    return wait != NULL;
}

bool clock_nap(int64_t span_ns)
{
    return nap(span_ns, CLOCK_SLOT_WAIT);
}

void clock_count_poll(uint32_t weight)
{
    struct clock_shm *shm = clock_held();
    if (!shm)
        return;
    uint32_t moment = atomic_load_explicit(&shm->moments, memory_order_relaxed);
    if (polls_moment != moment) {
        polls_moment = moment;
        polls = 0;
        clock_after_ns(0, &looks_from);
    }
    if (polls < CLOCK_SHM_LOOKS) {
        polls += weight;
        return;
    }
    int64_t now = looks_from;
    clock_after_ns(0, &now);
    int64_t cost_ns = (now - looks_from) / CLOCK_SHM_LOOK_PART;
    cost_ns = cost_ns < CLOCK_SHM_POLL_MIN_NS   ? CLOCK_SHM_POLL_MIN_NS
              : cost_ns > CLOCK_SHM_POLL_MAX_NS ? CLOCK_SHM_POLL_MAX_NS
                                                : cost_ns;
    atomic_fetch_add(&shm->polled_ns, cost_ns);
    nap(cost_ns, CLOCK_SLOT_POLL);
}

/* ---- Timers ---- */

static struct clock_slot *find_timer(struct clock_shm *shm, uint32_t kind, int handle)
{
    uint32_t used = atomic_load(&shm->slots_used);
    for (uint32_t i = 0; i < used && i < CLOCK_SHM_SLOTS; i++) {
        struct clock_slot *slot = &shm->slots[i];
        if (atomic_load(&slot->state) == CLOCK_SLOT_ARMED && slot->kind == kind &&
            slot->thread == handle && is_own(slot))
            return slot;
    }
    return NULL;
}

bool clock_timer_set(uint32_t kind, int handle, int64_t deadline, int64_t interval_ns)
{
    struct clock_shm *shm = clock_held();
    struct clock_slot *slot = find_timer(shm, kind, handle);
    if (deadline == 0) {
        if (slot)
            atomic_store(&slot->state, CLOCK_SLOT_FREE);
        return true;
    }
    if (!slot)
        slot = take_slot(shm);
    if (slot)
        fill(shm, slot, kind, handle, deadline, interval_ns);
    return slot != NULL;
}

int64_t clock_timer_get(uint32_t kind, int handle, int64_t *interval_ns)
{
    const struct clock_slot *slot = find_timer(clock_held(), kind, handle);
    *interval_ns = slot ? slot->interval_ns : 0;
    if (!slot)
        return 0;
    int64_t left_ns = clock_left_ns(slot->deadline_ns);
    return left_ns > 0 ? left_ns : 1;
}

/* ---- The signal ---- */

static void wake(int number)
{
    (void)number; /* the call that it interrupts is all there is to do */
}

/* Frees waits of the program that ran in this process before exec: their threads no longer
 * exist. */
static void drop_waits(struct clock_shm *shm)
{
    uint32_t used = atomic_load(&shm->slots_used);
    for (uint32_t i = 0; i < used && i < CLOCK_SHM_SLOTS; i++) {
        struct clock_slot *slot = &shm->slots[i];
        if (atomic_load(&slot->state) >= CLOCK_SLOT_SPENT && clock_slot_is_of_thread(slot) &&
            is_own(slot))
            atomic_store(&slot->state, CLOCK_SLOT_FREE);
    }
}

void clock_hold_start(void)
{
    struct sigaction action = {.sa_handler = wake}; /* no SA_RESTART */
    sigset_t own;
    struct clock_shm *shm = clock_held();
    SHIM_NEXT(sigaction);
    SHIM_NEXT_AS(mask, pthread_sigmask);
    if (!shm)
        return;
    sigemptyset(&own);
    sigaddset(&own, CLOCK_SHM_SIGNAL);
    next(CLOCK_SHM_SIGNAL, &action, NULL);
    mask(SIG_UNBLOCK, &own, NULL);
    drop_waits(shm);
    // The program that started this process may still be running.
    clock_turn(0);
    clock_ordinal();
}

/* The C library's headers use parameter names such as __set. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-identifier-naming) */

const sigset_t *clock_without_signal(const sigset_t *set, sigset_t *copy)
{
    if (!clock_held() || set == NULL || sigismember(set, CLOCK_SHM_SIGNAL) != 1)
        return set;
    *copy = *set;
    sigdelset(copy, CLOCK_SHM_SIGNAL);
    return copy;
}

SHIM_EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict before)
{
    sigset_t copy;
    SHIM_NEXT(sigprocmask);
    return next(how, how == SIG_UNBLOCK ? set : clock_without_signal(set, &copy), before);
}

SHIM_EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict before)
{
    sigset_t copy;
    SHIM_NEXT(pthread_sigmask);
    return next(how, how == SIG_UNBLOCK ? set : clock_without_signal(set, &copy), before);
}

SHIM_EXPORT int sigsuspend(const sigset_t *set)
{
    sigset_t copy;
    SHIM_NEXT(sigsuspend);
    return next(clock_without_signal(set, &copy));
}

/* Programs that wait for all signals must not receive CLOCK_SHM_SIGNAL. */
SHIM_EXPORT int sigwait(const sigset_t *restrict set, int *restrict number)
{
    sigset_t copy;
    SHIM_NEXT(sigwait);
    return next(clock_without_signal(set, &copy), number);
}

SHIM_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict about)
{
    sigset_t copy;
    SHIM_NEXT(sigwaitinfo);
    return next(clock_without_signal(set, &copy), about);
}

static atomic_bool has_interrupting; /* a handler exists after which waiting calls end with EINTR */

bool clock_signals_interrupt(void)
{
    return atomic_load(&has_interrupting);
}

SHIM_EXPORT int sigaction(int number, const struct sigaction *restrict action,
                          struct sigaction *restrict before)
{
    struct sigaction copy;
    SHIM_NEXT(sigaction);
    if (clock_held() && action != NULL) {
        if ((action->sa_flags & SA_RESTART) == 0 && action->sa_handler != SIG_DFL &&
            action->sa_handler != SIG_IGN)
            atomic_store(&has_interrupting, true);
        // A handler may wait too, so it must not block the signal.
        copy = *action;
        sigdelset(&copy.sa_mask, CLOCK_SHM_SIGNAL);
        action = number == CLOCK_SHM_SIGNAL ? NULL : &copy;
    }
    return next(number, action, before);
}

SHIM_EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    SHIM_NEXT(signal);
    return number == CLOCK_SHM_SIGNAL && clock_held() ? SIG_DFL : next(number, handler);
}

SHIM_EXPORT int sched_yield(void)
{
    SHIM_NEXT(sched_yield);
    clock_count_poll(CLOCK_POLL_CALL);
    return next();
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-identifier-naming) */
