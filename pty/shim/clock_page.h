/* The page that tells programs under the clock shim how their time runs: written by ptybot, mapped
 * by the programs. Time follows a straight line, but never gets ahead of the simulated world: where
 * that falls behind, time stands still and then follows another line. It never runs backwards. */
#ifndef PTYBOT_PTY_SHIM_CLOCK_PAGE_H
#define PTYBOT_PTY_SHIM_CLOCK_PAGE_H

#include <stdatomic.h>
#include <stdint.h>

/* Environment of the programs. */
#define CLOCK_PAGE_FACTOR "PTYBOT_WARP" /* seconds that pass in a real one */
#define CLOCK_PAGE_ORIGIN                                                                          \
    "PTYBOT_WARP_ORIGIN"                   /* "M:R", nanoseconds of CLOCK_MONOTONIC and of         \
                                              CLOCK_REALTIME at which warped and real time are     \
                                              the same; without it: when they start */
#define CLOCK_PAGE_PATH "PTYBOT_WARP_PAGE" /* of the page; without it one line for ever */

enum {
    CLOCK_PAGE_MAGIC = 0x50545943, /* "CYTP" */
    CLOCK_PAGE_VERSION = 1,        /* a page of another version is ignored */
};

/* Times of the real and of the warped CLOCK_MONOTONIC. */
struct clock_course {
    _Atomic int64_t real_ns, warped_ns; /* where the line begins; before, time stands still */
    _Atomic int64_t until_ns;           /* real; from then on time stands still */
    _Atomic double factor;
};

/* CURRENT counts the courses so far; its lowest bit tells where the last one stands. The next one
 * is written to the other place, so that a writer's death harms nobody. */
struct clock_page {
    uint32_t magic, version;
    _Atomic uint32_t current;
    _Atomic uint32_t programs; /* that have mapped it so far */
    struct clock_course courses[2];
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

static inline void clock_page_get(const struct clock_page *page, struct clock_course *out)
{
    uint32_t current;
    do {
        current = atomic_load_explicit(&page->current, memory_order_acquire);
        clock_course_copy(out, &page->courses[current & 1]);
        atomic_thread_fence(memory_order_acquire);
    } while (atomic_load_explicit(&page->current, memory_order_relaxed) != current);
}

/* For the one who owns the page. */
static inline void clock_page_set(struct clock_page *page, const struct clock_course *course)
{
    uint32_t next = atomic_load_explicit(&page->current, memory_order_relaxed) + 1;
    atomic_thread_fence(memory_order_release);
    clock_course_copy(&page->courses[next & 1], course);
    atomic_store_explicit(&page->current, next, memory_order_release);
}

#endif
