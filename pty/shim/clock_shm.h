/* The shared memory of virtual time, between ptybot and the programs of one driver.
 *
 * The two ends share this header and nothing else:
 * - ptybot, by one thread. app/drivers/warp.c makes the shared memory, maps it, and removes it at
 * the end: the file `clock` in the run's folder, mode 0600. While time follows a line, warp_follow
 * moves the line. While time is held, app/time/hold.c moves the time and ends waits, after
 * app/time/idle_proof.c has proven by /proc that all programs wait.
 * - Programs, by any number of processes and threads at once. clock_load.c maps the shared memory,
 * clock.c reads the time, clock_hold.c uses the slots.
 *
 * Writers ("once" means before the first program starts, so that exec orders it):
 * - magic, version: ptybot, once. A magic of 0 means that another program has cut the file short
 *   (pty/shared_memory.h).
 * - is_held: ptybot, once.
 * - courses, current: ptybot, by clock_shm_set.
 * - moments: ptybot adds 1 when programs may see something new.
 * - programs: each program adds 1 when it has mapped the shared memory.
 * - timed: programs set bits and never clear them.
 * - delay_min_us, delay_max_us, delay_seed: ptybot, once.
 * - slots_used, orders, unseen, ordinals, connects: programs raise them.
 * - is_loud: programs set it and never clear it.
 * - inputs: programs, up and down. alone, listens: ptybot sets them, and programs take them.
 * - slots: both, as enum clock_slot_state says.
 *
 * Memory order: a course is published by `current`, with release and acquire. A reader that finds
 * another `current` after its copy reads again (clock_shm_get). The plain fields of a slot are
 * published by its `state`; all changes of it are sequentially consistent. A timer that is set
 * again stays armed, and only its two atomic times change. Programs read `timed` and `moments`
 * relaxed, since a late value does no harm. All other accesses are sequentially consistent. Neither
 * end takes a lock in the shared memory, so that a process which dies leaves it usable.
 *
 * Time follows a straight line, but never gets ahead of the simulated world: if the world falls
 * behind, time stops and then follows another line. It never runs backwards. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Environment of the programs. */
#define CLOCK_SHM_FACTOR "PTYBOT_WARP" /* seconds that pass in a real one */
#define CLOCK_SHM_ORIGIN                                                                           \
    "PTYBOT_WARP_ORIGIN"                  /* "M:R", nanoseconds of CLOCK_MONOTONIC and of          \
                                             CLOCK_REALTIME at which warped and real time are      \
                                             the same; without it: when they start */
#define CLOCK_SHM_PATH "PTYBOT_WARP_PAGE" /* of the shared memory; without it one line for ever */

enum {
    CLOCK_SHM_MAGIC = 0x50545943, /* "CYTP" */
    CLOCK_SHM_VERSION = 8,        /* a shared memory of another version is ignored */
};

/* Times of the real and of the warped CLOCK_MONOTONIC. */
struct clock_course {
    _Atomic int64_t real_ns, warped_ns; /* where the line begins; before, time stands still */
    _Atomic int64_t until_ns;           /* real; from then on time stands still */
    _Atomic double factor;
};

/* ---- Time that waits for the programs ----
 *
 * While time is held, time stands still, and whoever waits for it does so without a time-out,
 * after writing down until when. Once all programs wait, the simulation moves time to the next
 * moment: to its own next step, or to the earliest deadline, whose thread it wakes by
 * CLOCK_SHM_SIGNAL. */

enum {
    CLOCK_SHM_SLOTS = 1024, /* chosen: waits at a time; one more follows the clock by looking */
    CLOCK_SHM_CROWD = 32,   /* chosen: with more waits at a time, threads are deaf */
    CLOCK_SHM_SIGNAL = 62,  /* chosen: a real-time signal that nothing we know of uses */
    /* Chosen: how often a thread may look in vain before a look costs time: fewer make start-up
     * races of a Java machine visible, more make one slow that does nothing but look. */
    CLOCK_SHM_LOOKS = 5000,
    /* Chosen: what each costs from then on, a quarter of the time that has passed since the last
     * moment that programs felt, within these limits. One ends at the next such moment. */
    CLOCK_SHM_POLL_MIN_NS = 20000,
    CLOCK_SHM_POLL_MAX_NS = 1000000,
    CLOCK_SHM_LOOK_PART = 4,
    /* The least time that a wait takes. The kernel may end a wait of a thread so much later:
     * prctl(2), PR_SET_TIMERSLACK. Without it, a driver that sleeps 100 ns in a loop would make
     * time stand. */
    CLOCK_SHM_SLACK_NS = 50000,
    /* Chosen: how often a thread is woken for one deadline. Each time it has slept again, so from
     * then on it waits for something else: a signal handler has jumped out of the wait. */
    CLOCK_SHM_TRIES = 100,
};

/* A held clock begins at the same time in each run, since programs that calculate with it in
 * floating point round otherwise at another: CLOCK_MONOTONIC at 2^17 s (chosen: 36 hours), and
 * CLOCK_REALTIME at the last whole second. */
#define CLOCK_SHM_HELD_NS (INT64_C(131072) * 1000000000)

/* A wait, step by step. The order matters: a thread that finds its slot fired must also find that
 * its deadline has come, and a program that is woken may use its slot again at once.
 *   1. thread: FREE -> TAKEN by compare and exchange; raises slots_used; writes the other fields
 *   2. thread: TAKEN -> ARMED; calls the kernel without a timeout
 *   3. ptybot, when all programs wait: moves time to the earliest deadline
 *   4. ptybot: ARMED -> FIRED; sends CLOCK_SHM_SIGNAL. If the thread was not asleep yet, the next
 *      proof finds it waiting and FIRED, and ptybot sends the signal again: CLOCK_SHM_TRIES times
 *      at most, then SPENT
 *   5. thread: the call ends with EINTR; any state -> FREE by exchange, FIRED before means timeout
 *
 * To look at each thread of a crowd takes ptybot long, so there a thread that waits for nothing but
 * ptybot is deaf. It blocks all signals, sets `is_deaf` after step 2 and sleeps by futex on that.
 * From then on it runs none of its program until another clears `is_deaf` and wakes it:
 *   - ptybot, with FIRED
 *   - ptybot, where a signal waits for the process that no other thread takes, or the thread of the
 *     process that ptybot reads has ended
 *   - a program, once, before it first sends a signal to one thread or cancels one (`is_loud`):
 *     none is deaf any more
 *
 * For a timer or alarm, steps 4 and 5 are ptybot's: it adds the interval to the deadline or frees
 * the slot, then lets the kernel's timer expire or sends SIGALRM. ptybot also frees slots of
 * processes that have ended, and brings the deadline of a LOOK forward when there is news. */
enum clock_slot_state {
    CLOCK_SLOT_FREE,
    CLOCK_SLOT_TAKEN,
    CLOCK_SLOT_SPENT, /* fired too often: no thread waits for it any more */
    CLOCK_SLOT_ARMED,
    CLOCK_SLOT_FIRED,
};

enum clock_slot_kind {
    CLOCK_SLOT_WAIT,  /* THREAD sleeps */
    CLOCK_SLOT_POLL,  /* THREAD sleeps as the price of looking in vain: by futex, as below */
    CLOCK_SLOT_TURN,  /* THREAD is awake and waits for its turn: by futex on STATE, which ptybot
                         wakes in place of the signal */
    CLOCK_SLOT_TIMER, /* THREAD is the descriptor of a timer, disarmed in the kernel */
    CLOCK_SLOT_ALARM, /* SIGALRM for the process */
};

struct clock_slot {
    _Atomic uint32_t state; /* enum clock_slot_state; what follows is valid where it is armed */
    uint32_t kind;
    int32_t process, thread;     /* as they are numbered in their PID namespace */
    uint64_t space;              /* the inode of that; 0: not known, where /proc is not mounted */
    uint32_t tries;              /* how often its thread was woken */
    uint32_t ordinal;            /* of its thread, in the order of creation; 0: not known */
    _Atomic uint32_t is_deaf;    /* 1: its thread is deaf, see above */
    uint32_t delay_us;           /* of a turn: how late a slow host continues */
    _Atomic int64_t deadline_ns; /* of the warped CLOCK_MONOTONIC */
    _Atomic int64_t interval_ns; /* of a timer, 0: it ends with its deadline */
    uint64_t order;              /* of two waits of a thread only the later one counts: the
                                    other is below it on the stack, under a signal handler */
};

static inline bool clock_slot_is_of_thread(const struct clock_slot *slot)
{
    return slot->kind != CLOCK_SLOT_TIMER && slot->kind != CLOCK_SLOT_ALARM;
}

/* What any program of the host has set so far, so that the others need not ask before each call. */
enum clock_timed {
    CLOCK_TIMED_RECEIVE = 1,  /* SO_RCVTIMEO of a socket */
    CLOCK_TIMED_SEND = 2,     /* SO_SNDTIMEO */
    CLOCK_TIMED_TERMINAL = 4, /* VTIME of a terminal */
};

/* CURRENT counts the courses so far; its lowest bit tells where the last one stands. The next one
 * is written to the other place, so that a writer's death harms nobody. */
struct clock_shm {
    uint32_t magic, version;
    _Atomic uint32_t current;
    _Atomic uint32_t programs; /* that have mapped it so far */
    struct clock_course courses[2];
    _Atomic uint32_t timed; /* enum clock_timed */

    uint32_t is_held;            /* set before programs map it */
    _Atomic uint32_t moments;    /* that programs may have felt; looks are counted anew */
    _Atomic uint32_t slots_used; /* behind them all are free */
    _Atomic uint32_t unseen;     /* waits that the simulation cannot end */
    _Atomic uint32_t connects;   /* calls of connect and accept that succeeded, so far */
    _Atomic uint64_t orders;
    _Atomic uint32_t ordinals; /* of threads, so far */
    _Atomic uint32_t inputs;   /* threads that wait for descriptors, or died in that */
    _Atomic uint32_t alone;    /* 1: only one of them can be woken now, and needs no turn */
    _Atomic uint32_t is_loud;  /* 1: programs send signals to threads */
    _Atomic uint32_t listens;  /* 1: ptybot may sleep (futex) until a thread is about to wait */
    /* A slow host: how late a thread that was woken continues, drawn from this range. 0: at once.
     */
    uint32_t delay_min_us, delay_max_us;
    uint64_t delay_seed;
    struct clock_slot slots[CLOCK_SHM_SLOTS];
};

static inline void clock_course_copy(struct clock_course *to, const struct clock_course *from)
{
    const memory_order free_order = memory_order_relaxed;
    atomic_store_explicit(&to->real_ns, atomic_load_explicit(&from->real_ns, free_order),
                          free_order);
    atomic_store_explicit(&to->warped_ns, atomic_load_explicit(&from->warped_ns, free_order),
                          free_order);
    atomic_store_explicit(&to->until_ns, atomic_load_explicit(&from->until_ns, free_order),
                          free_order);
    atomic_store_explicit(&to->factor, atomic_load_explicit(&from->factor, free_order), free_order);
}

/* Warped time at a real one. Up to some days after the line's beginning exact to some nanoseconds.
 */
static inline int64_t clock_course_at(const struct clock_course *course, int64_t real_ns)
{
    int64_t until_ns = course->until_ns < real_ns ? course->until_ns : real_ns;
    int64_t passed_ns = until_ns - course->real_ns;
    return passed_ns <= 0 ? course->warped_ns
                          : course->warped_ns + (int64_t)((double)passed_ns * course->factor);
}

/* Real time at which the line gets to a warped one, rounded up, if time does not stand still
 * before. (Without ceil: it is preloaded into programs that have no libm.) */
static inline int64_t clock_course_reach(const struct clock_course *course, int64_t warped_ns)
{
    double span_ns = (double)(warped_ns - course->warped_ns) / course->factor;
    int64_t whole_ns = (int64_t)span_ns;
    return course->real_ns + whole_ns + ((double)whole_ns < span_ns);
}

static inline void clock_shm_get(const struct clock_shm *shm, struct clock_course *out)
{
    uint32_t current;
    do {
        current = atomic_load_explicit(&shm->current, memory_order_acquire);
        clock_course_copy(out, &shm->courses[current & 1]);
        atomic_thread_fence(memory_order_acquire);
    } while (atomic_load_explicit(&shm->current, memory_order_relaxed) != current);
}

/* For the one who owns the shared memory. */
static inline void clock_shm_set(struct clock_shm *shm, const struct clock_course *course)
{
    uint32_t next = atomic_load_explicit(&shm->current, memory_order_relaxed) + 1;
    atomic_thread_fence(memory_order_release);
    clock_course_copy(&shm->courses[next & 1], course);
    atomic_store_explicit(&shm->current, next, memory_order_release);
}
