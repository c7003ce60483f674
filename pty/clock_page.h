/* The page that tells programs with the host clock how their time runs: written by ptybot, mapped
 * by the programs. Time runs along one straight line; where the simulated world has fallen behind,
 * it stands still until the world has caught up, and goes on along another. It never runs back. */
#ifndef PTY_CLOCK_PAGE_H
#define PTY_CLOCK_PAGE_H

#include <stdatomic.h>
#include <stdint.h>

/* What the programs find in their environment. */
#define CLOCK_PAGE_FACTOR "PTYBOT_WARP"        /* how many seconds are to pass in one */
#define CLOCK_PAGE_ORIGIN "PTYBOT_WARP_ORIGIN" /* "M:R", see below; without it: when they start */
#define CLOCK_PAGE_PATH   "PTYBOT_WARP_PAGE"   /* of the page; without it one line for ever */

enum {
    CLOCK_PAGE_MAGIC = 0x50545943, /* "CYTP" */
    CLOCK_PAGE_VERSION = 1,        /* a page of another version is ignored */
};

/* From REAL_NS of the real CLOCK_MONOTONIC on. */
struct clock_line {
    _Atomic int64_t real_ns, warped_ns;
    _Atomic double factor;
};

/* AFTER from its beginning on; until then BEFORE, but never past the beginning of AFTER. */
struct clock_course {
    struct clock_line before, after;
};

/* CURRENT counts the courses so far; its lowest bit tells where the last one stands. The next one
 * is written to the other place, so that a writer's death harms nobody. */
struct clock_page {
    uint32_t magic, version;
    _Atomic uint32_t current;
    _Atomic uint32_t programs; /* that have mapped it so far */
    struct clock_course courses[2];
};

static inline void clock_line_set(struct clock_line *line, int64_t real_ns, int64_t warped_ns,
                                  double factor)
{
    atomic_store_explicit(&line->real_ns, real_ns, memory_order_relaxed);
    atomic_store_explicit(&line->warped_ns, warped_ns, memory_order_relaxed);
    atomic_store_explicit(&line->factor, factor, memory_order_relaxed);
}

static inline void clock_line_copy(struct clock_line *to, const struct clock_line *from)
{
    clock_line_set(to, atomic_load_explicit(&from->real_ns, memory_order_relaxed),
                   atomic_load_explicit(&from->warped_ns, memory_order_relaxed),
                   atomic_load_explicit(&from->factor, memory_order_relaxed));
}

/* Warped time at a real one. Up to some days after its beginning exact to a few nanoseconds. */
static inline int64_t clock_line_at(const struct clock_line *line, int64_t real_ns)
{
    int64_t passed_ns = real_ns - line->real_ns;
    return passed_ns <= 0 ? line->warped_ns
                          : line->warped_ns + (int64_t)((double)passed_ns * line->factor);
}

/* Real time at which it gets to a warped one, rounded up. (Preloaded into programs without libm.)
 */
static inline int64_t clock_line_reach(const struct clock_line *line, int64_t warped_ns)
{
    double span_ns = (double)(warped_ns - line->warped_ns) / line->factor;
    int64_t whole_ns = (int64_t)span_ns;
    return line->real_ns + whole_ns + ((double)whole_ns < span_ns);
}

static inline int64_t clock_course_at(const struct clock_course *course, int64_t real_ns)
{
    if (real_ns >= course->after.real_ns)
        return clock_line_at(&course->after, real_ns);
    int64_t before_ns = clock_line_at(&course->before, real_ns);
    return before_ns < course->after.warped_ns ? before_ns : course->after.warped_ns;
}

/* Of a warped time that is still to come. */
static inline int64_t clock_course_reach(const struct clock_course *course, int64_t warped_ns)
{
    return clock_line_reach(warped_ns > course->after.warped_ns ? &course->after : &course->before,
                            warped_ns);
}

static inline void clock_page_get(const struct clock_page *page, struct clock_course *out)
{
    uint32_t current;
    do {
        current = atomic_load_explicit(&page->current, memory_order_acquire);
        const struct clock_course *course = &page->courses[current & 1];
        clock_line_copy(&out->before, &course->before);
        clock_line_copy(&out->after, &course->after);
        atomic_thread_fence(memory_order_acquire);
    } while (atomic_load_explicit(&page->current, memory_order_relaxed) != current);
}

/* For the one who owns the page. */
static inline void clock_page_set(struct clock_page *page, const struct clock_course *course)
{
    uint32_t next = atomic_load_explicit(&page->current, memory_order_relaxed) + 1;
    atomic_thread_fence(memory_order_release);
    clock_line_copy(&page->courses[next & 1].before, &course->before);
    clock_line_copy(&page->courses[next & 1].after, &course->after);
    atomic_store_explicit(&page->current, next, memory_order_release);
}

#endif
