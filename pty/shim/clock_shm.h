/* The shared memory of virtual time, between ptybot and the programs of one driver.
 *
 * The two sides share only this header:
 * - ptybot, in one thread. app/drivers/warp.c makes the shared memory, maps it, and removes it at
 *   the end: the file `clock` in the run's folder, mode 0600. If virtual time follows a line,
 *   warp_follow moves the line. If time is held, app/time/hold.c moves the time and ends waits,
 *   after app/time/idle_proof.c has proven through /proc that all programs wait.
 * - Programs, in any number of processes and threads at the same time. clock_load.c maps the shared
 *   memory, clock.c reads the time, clock_hold.c uses the slots.
 *
 * Writers ("once" means before the first program starts, so that exec orders it):
 * - magic, version: ptybot, once. A magic of 0 means that another program has truncated the file
 *   (pty/shared_memory.h).
 * - is_held: ptybot, once.
 * - courses, current: ptybot, with clock_shm_set.
 * - moments: ptybot adds 1 when programs may see something new.
 * - programs: each program adds 1 when it has mapped the shared memory.
 * - timed: programs set bits and never clear them.
 * - delay_min_us, delay_max_us, delay_seed: ptybot, once.
 * - slots_used, orders, unseen, ordinals, connects: programs increase them.
 * - is_loud: programs set it and never clear it.
 * - inputs: programs increase and decrease it. alone, listens: ptybot sets them, and programs take
 *   them.
 * - slots: both, as described at enum clock_slot_state.
 *
 * Memory order: a course is published by `current`, with release and acquire. A reader that finds
 * another `current` after its copy reads again (clock_shm_get). The plain fields of a slot are
 * published by its `state`; all changes of it are sequentially consistent. A timer that is set
 * again stays armed, and only its two atomic times change. Programs read `timed` and `moments`
 * relaxed, because a late value does no harm. All other accesses are sequentially consistent.
 * Neither side takes a lock in the shared memory, so a process that dies leaves it usable.
 *
 * Virtual time follows a straight line, but never gets ahead of the simulated world: if the world
 * falls behind, time stops and later follows another line. It never runs backwards. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Environment variables of the programs. */
#define CLOCK_SHM_FACTOR "PTYBOT_WARP" /* virtual seconds per real second */
#define CLOCK_SHM_ORIGIN                                                                           \
    "PTYBOT_WARP_ORIGIN"                  /* "M:R", nanoseconds: CLOCK_MONOTONIC and               \
                                             CLOCK_REALTIME when virtual and real time are         \
                                             equal; default: start of the program */
#define CLOCK_SHM_PATH "PTYBOT_WARP_PAGE" /* of the shared memory; without it: one line */

enum {
    CLOCK_SHM_MAGIC = 0x50545943, /* "CYTP" */
    CLOCK_SHM_VERSION = 9,        /* a shared memory of another version is ignored */
};

/* A line of virtual time: times of the real and of the virtual CLOCK_MONOTONIC. */
struct clock_course {
    _Atomic int64_t real_ns, warped_ns; /* start of the line; before it, virtual time is stopped */
    _Atomic int64_t until_ns;           /* real time of its end; after it, virtual time is
                                         * stopped */
    _Atomic double factor;
};

/* ---- Held time ----
 *
 * Held time is stopped while programs run. A thread that waits for a time writes the deadline into
 * a slot and then waits without a timeout. When all programs wait, the simulation moves time
 * forward: to its next step, or to the earliest deadline. In the second case it wakes the waiting
 * thread by CLOCK_SHM_SIGNAL. */

enum {
    CLOCK_SHM_SLOTS = 1024, /* chosen: maximum number of concurrent waits; a further wait polls
                             * the clock */
    CLOCK_SHM_CROWD = 32,   /* chosen: with more concurrent waits, threads are deaf (see below) */
    CLOCK_SHM_SIGNAL = 62,  /* chosen: a real-time signal that no known program uses */
    /* Chosen: number of unsuccessful polls of a thread before each poll takes time. A lower number
     * makes start-up races of a Java virtual machine visible; a higher number slows down a program
     * that does nothing but poll. */
    CLOCK_SHM_LOOKS = 5000,
    /* Chosen: cost of each further poll: a quarter of the time since the last event that programs
     * noticed, within these limits. The next such event ends the poll. */
    CLOCK_SHM_POLL_MIN_NS = 20000,
    CLOCK_SHM_POLL_MAX_NS = 1000000,
    CLOCK_SHM_LOOK_PART = 4,
    /* Minimum duration of a wait. The kernel may end a thread's wait this much later: prctl(2),
     * PR_SET_TIMERSLACK. Without a minimum, a driver that sleeps 100 ns in a loop would keep time
     * from advancing. */
    CLOCK_SHM_SLACK_NS = 50000,
    /* Chosen: maximum number of times that a thread is woken for one deadline. If it sleeps again
     * each time, it waits for something else: a signal handler has jumped out of the wait. */
    CLOCK_SHM_TRIES = 100,
};

/* A held clock begins at the same time in each run, because programs that calculate with times in
 * floating point round differently at other times. CLOCK_MONOTONIC begins at 2^17 s (chosen: 36
 * hours), CLOCK_REALTIME at the last whole second. */
#define CLOCK_SHM_HELD_NS (INT64_C(131072) * 1000000000)

/* The steps of a wait. The order matters: a thread that finds its slot FIRED must also find that
 * its deadline has come, and a program that is woken may use its slot again immediately.
 *   1. thread: FREE -> TAKEN by compare and exchange; raises slots_used; writes the other fields
 *   2. thread: TAKEN -> ARMED; calls the kernel without a timeout
 *   3. ptybot, when all programs wait: moves time to the earliest deadline
 *   4. ptybot: ARMED -> FIRED; sends CLOCK_SHM_SIGNAL. If the thread was not asleep yet, the next
 *      proof finds it waiting and FIRED, and ptybot sends the signal again: at most CLOCK_SHM_TRIES
 *      times, then SPENT
 *   5. thread: the call ends with EINTR; any state -> FREE by exchange; FIRED before means timeout
 *
 * Checking each of many threads takes ptybot long. With more than CLOCK_SHM_CROWD waits, a thread
 * that only ptybot can wake is therefore deaf. It blocks all signals, sets `is_deaf` after step 2
 * and sleeps by futex on `is_deaf`. It runs no code of its program until another process or thread
 * clears `is_deaf` and wakes it:
 *   - ptybot, together with FIRED
 *   - ptybot, if a signal waits for the process and no other thread takes it, or if the thread that
 *     ptybot checks for this process has ended
 *   - a program, once, before it first sends a signal to a thread or cancels a thread (`is_loud`);
 *     from then on, no thread is deaf
 *
 * For a timer or alarm, ptybot does steps 4 and 5: it adds the interval to the deadline or frees
 * the slot, then lets the kernel's timer expire or sends SIGALRM. ptybot also frees slots of
 * processes that have ended, and moves the deadline of a POLL to the present when something happens
 * that programs can notice. */
enum clock_slot_state {
    CLOCK_SLOT_FREE,
    CLOCK_SLOT_TAKEN,
    CLOCK_SLOT_SPENT, /* fired too often: no thread waits for it any more */
    CLOCK_SLOT_ARMED,
    CLOCK_SLOT_FIRED,
};

enum clock_slot_kind {
    CLOCK_SLOT_WAIT,  /* THREAD sleeps */
    CLOCK_SLOT_POLL,  /* THREAD sleeps because it polled without success too often: by futex, as
                       * below */
    CLOCK_SLOT_TURN,  /* THREAD is awake and waits for its turn: by futex on STATE, which ptybot
                       * wakes instead of sending the signal */
    CLOCK_SLOT_TIMER, /* THREAD is the descriptor of a timer, which is disarmed in the kernel */
    CLOCK_SLOT_ALARM, /* SIGALRM for the process */
};

struct clock_slot {
    _Atomic uint32_t state; /* enum clock_slot_state; the following members are valid while it is
                             * armed */
    uint32_t kind;
    int32_t process, thread;     /* IDs in their PID namespace */
    uint64_t space;              /* inode of that namespace; 0: unknown, because /proc is not
                                  * mounted */
    uint32_t tries;              /* how often its thread was woken */
    uint32_t ordinal;            /* number of its thread in the order of creation; 0: unknown */
    _Atomic uint32_t is_deaf;    /* 1: its thread is deaf, see above */
    uint32_t delay_us;           /* of a turn: the delay with --host-delay */
    _Atomic int64_t deadline_ns; /* time of the virtual CLOCK_MONOTONIC */
    _Atomic int64_t interval_ns; /* of a timer; 0: it expires only once */
    uint64_t order;              /* of two waits of one thread only the later one counts; the
                                  * other is below it on the stack, under a signal handler */
};

static inline bool clock_slot_is_of_thread(const struct clock_slot *slot)
{
    return slot->kind != CLOCK_SLOT_TIMER && slot->kind != CLOCK_SLOT_ALARM;
}

/* Timeouts that any program of the driver has set so far. If a bit is not set, other programs need
 * not ask the kernel before each call. */
enum clock_timed {
    CLOCK_TIMED_RECEIVE = 1,  /* SO_RCVTIMEO of a socket */
    CLOCK_TIMED_SEND = 2,     /* SO_SNDTIMEO */
    CLOCK_TIMED_TERMINAL = 4, /* VTIME of a terminal */
};

/* CURRENT is the number of courses so far. Its lowest bit is the index of the last one. The next
 * course is written to the other element, so the death of a writer does no harm. */
struct clock_shm {
    uint32_t magic, version;
    _Atomic uint32_t current;
    _Atomic uint32_t programs; /* number of programs that have mapped it so far */
    struct clock_course courses[2];
    _Atomic uint32_t timed; /* enum clock_timed */

    uint32_t is_held;            /* set before programs map it */
    _Atomic uint32_t moments;    /* number of events that programs may have noticed; each event
                                  * resets their counts of polls */
    _Atomic uint32_t slots_used; /* all slots from this index on are free */
    _Atomic uint32_t unseen;     /* number of waits that the simulation cannot end */
    _Atomic uint32_t connects;   /* calls of connect and accept so far that did not fail */
    _Atomic uint64_t orders;
    _Atomic uint32_t ordinals; /* number of threads so far */
    _Atomic uint32_t inputs;   /* number of threads that wait for descriptors, or died in such a
                                * wait */
    _Atomic uint32_t alone;    /* 1: only one of them can be woken now; it does not need a turn */
    _Atomic uint32_t is_loud;  /* 1: programs send signals to single threads */
    _Atomic uint32_t listens;  /* 1: ptybot may sleep (futex) until a thread is about to wait */
    _Atomic int64_t polled_ns; /* total time that passed because threads polled too often */
    /* --host-delay: a thread that was woken continues later by a random span from this range. 0:
     * immediately. */
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

/* Virtual time at a real time. Exact to some nanoseconds during the first days of the line. */
static inline int64_t clock_course_at(const struct clock_course *course, int64_t real_ns)
{
    int64_t until_ns = course->until_ns < real_ns ? course->until_ns : real_ns;
    int64_t passed_ns = until_ns - course->real_ns;
    return passed_ns <= 0 ? course->warped_ns
                          : course->warped_ns + (int64_t)((double)passed_ns * course->factor);
}

/* Real time when the line reaches a virtual time, rounded up, provided that the line does not end
 * earlier. (Without ceil, because the library is preloaded into programs without libm.) */
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

/* Only for the owner of the shared memory. */
static inline void clock_shm_set(struct clock_shm *shm, const struct clock_course *course)
{
    uint32_t next = atomic_load_explicit(&shm->current, memory_order_relaxed) + 1;
    atomic_thread_fence(memory_order_release);
    clock_course_copy(&shm->courses[next & 1], course);
    atomic_store_explicit(&shm->current, next, memory_order_release);
}
