/* Virtual time: its course, and conversions of times and spans. */
#include "pty/shim/clock.h"

#include "pty/shim/clock_shm.h"

#define SECOND_NS INT64_C(1000000000)
/* Chosen: how often a wait checks whether a stopped clock continues. */
#define STAND_NS INT64_C(500000)
/* Chosen: 30 years. No program waits longer, and the sum of a few such spans does not overflow. */
#define SPAN_MAX_NS (INT64_C(1000000000) * SECOND_NS)

/* Virtual clocks. Each has a constant distance from CLOCK_MONOTONIC. */
static const clockid_t clocks[] = {
    CLOCK_MONOTONIC,        CLOCK_REALTIME,        CLOCK_MONOTONIC_RAW,
    CLOCK_MONOTONIC_COARSE, CLOCK_REALTIME_COARSE, CLOCK_BOOTTIME,
    CLOCK_BOOTTIME_ALARM,   CLOCK_REALTIME_ALARM,  CLOCK_TAI,
};
enum { CLOCKS = sizeof clocks / sizeof clocks[0] };

/* Written once, before the program runs. */
static bool is_on;
static double shrinking; /* the factor for kernel timers */
static int64_t distances_ns[CLOCKS];
static struct clock_shm own = {.timed = UINT32_MAX}; /* other programs do not see it */
static struct clock_shm *shm = &own;

/* ---- The clock ---- */

int64_t clock_real_ns(clockid_t clock)
{
    struct timespec now = {0};
    SHIM_NEXT(clock_gettime);
    next(clock, &now);
    return now.tv_sec * SECOND_NS + now.tv_nsec;
}

static int64_t now_ns(struct clock_course *course)
{
    clock_shm_get(shm, course);
    if (shm->is_held)
        return course->warped_ns;
    return clock_course_at(course, clock_real_ns(CLOCK_MONOTONIC));
}

static bool find_distance(clockid_t clock, int64_t *distance_ns)
{
    for (size_t i = 0; i < CLOCKS; i++)
        if (clocks[i] == clock) {
            *distance_ns = distances_ns[i];
            return true;
        }
    return false;
}

static void measure_distances(int64_t monotonic_ns, int64_t realtime_ns)
{
    for (size_t i = 0; i < CLOCKS; i++)
        if (clocks[i] == CLOCK_REALTIME || clocks[i] == CLOCK_REALTIME_COARSE ||
            clocks[i] == CLOCK_REALTIME_ALARM)
            distances_ns[i] = realtime_ns - monotonic_ns;
        else if (shm->is_held) // others would not be the same in each run
            distances_ns[i] = clocks[i] == CLOCK_TAI ? realtime_ns - monotonic_ns : 0;
        else if (clocks[i] != CLOCK_MONOTONIC && clocks[i] != CLOCK_MONOTONIC_COARSE)
            distances_ns[i] = clock_real_ns(clocks[i]) - clock_real_ns(CLOCK_MONOTONIC);
}

void clock_begin(struct clock_shm *shared, double factor, int64_t monotonic_ns, int64_t realtime_ns)
{
    own.courses[0] = (struct clock_course){.real_ns = monotonic_ns,
                                           .warped_ns = monotonic_ns,
                                           .until_ns = INT64_MAX,
                                           .factor = factor};
    if (shared)
        shm = shared;
    measure_distances(monotonic_ns, realtime_ns);
    shrinking = factor;
    is_on = true;
}

/* ---- For the other files ---- */

bool clock_is_on(void)
{
    return is_on;
}

struct clock_shm *clock_held(void)
{
    return is_on && shm->is_held ? shm : NULL;
}

void clock_timed_note(uint32_t how)
{
    atomic_fetch_or(&shm->timed, how);
}

bool clock_timed_any(uint32_t how)
{
    return is_on && (atomic_load_explicit(&shm->timed, memory_order_relaxed) & how) != 0;
}

bool clock_read(clockid_t clock, struct timespec *now)
{
    int64_t distance_ns;
    struct clock_course course;
    if (!is_on || !find_distance(clock, &distance_ns))
        return false;
    *now = clock_timespec(now_ns(&course) + distance_ns);
    return true;
}

/* Converts to nanoseconds. False: invalid or too long. */
static bool convert(const struct timespec *time, int64_t max_ns, int64_t *out_ns)
{
    if (time == NULL || time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= SECOND_NS ||
        time->tv_sec >= max_ns / SECOND_NS)
        return false;
    *out_ns = time->tv_sec * SECOND_NS + time->tv_nsec;
    return true;
}

bool clock_after_ns(int64_t span_ns, int64_t *deadline)
{
    struct clock_course course;
    if (!is_on || span_ns >= SPAN_MAX_NS)
        return false;
    *deadline = now_ns(&course) + span_ns;
    return true;
}

bool clock_after(const struct timespec *span, int64_t *deadline)
{
    int64_t span_ns;
    return is_on && convert(span, SPAN_MAX_NS, &span_ns) && clock_after_ns(span_ns, deadline);
}

bool clock_until(clockid_t clock, const struct timespec *moment, int64_t *deadline)
{
    int64_t distance_ns, moment_ns;
    if (!is_on || !find_distance(clock, &distance_ns) || !convert(moment, INT64_MAX, &moment_ns))
        return false;
    *deadline = moment_ns - distance_ns;
    return *deadline < INT64_MAX - SPAN_MAX_NS;
}

int64_t clock_left_ns(int64_t deadline)
{
    struct clock_course course;
    int64_t left_ns = deadline - now_ns(&course);
    return left_ns > 0 ? left_ns : 0;
}

bool clock_is_early(int64_t deadline)
{
    return clock_left_ns(deadline) > 0;
}

static int64_t rest_ns(int64_t deadline)
{
    struct clock_course course;
    clock_shm_get(shm, &course);
    int64_t now = clock_real_ns(CLOCK_MONOTONIC);
    if (deadline <= clock_course_at(&course, now))
        return 0;
    int64_t rest = clock_course_reach(&course, deadline) - now;
    int64_t least = now >= course.until_ns ? STAND_NS : 1;
    return rest < least ? least : rest < SPAN_MAX_NS ? rest : SPAN_MAX_NS;
}

struct timespec clock_rest(int64_t deadline)
{
    return clock_timespec(rest_ns(deadline));
}

struct timespec clock_moment(clockid_t clock, int64_t deadline)
{
    return clock_timespec(clock_real_ns(clock) + rest_ns(deadline));
}

/* ---- Spans ---- */

static int64_t scale(int64_t span_ns, double factor)
{
    if (!is_on || span_ns <= 0 || span_ns >= SPAN_MAX_NS)
        return span_ns;
    double scaled = (double)span_ns * factor;
    return scaled < 1 ? 1 : scaled < (double)SPAN_MAX_NS ? (int64_t)scaled : SPAN_MAX_NS;
}

static int64_t clock_shrink_ns(int64_t span_ns)
{
    return scale(span_ns, 1 / shrinking);
}

static int64_t clock_stretch_ns(int64_t span_ns)
{
    return scale(span_ns, shrinking);
}

static struct timespec scale_timespec(struct timespec span, int64_t (*by)(int64_t))
{
    int64_t span_ns;
    return is_on && convert(&span, SPAN_MAX_NS, &span_ns) ? clock_timespec(by(span_ns)) : span;
}

struct timespec clock_shrink(struct timespec span)
{
    return scale_timespec(span, clock_shrink_ns);
}

struct timespec clock_stretch(struct timespec span)
{
    return scale_timespec(span, clock_stretch_ns);
}

/* Rounds up, because the receivers of the result treat 0 specially. */
static struct timeval scale_timeval(struct timeval span, int64_t (*by)(int64_t))
{
    int64_t span_ns;
    const struct timespec fine = {.tv_sec = span.tv_sec, .tv_nsec = span.tv_usec * 1000};
    return is_on && convert(&fine, SPAN_MAX_NS, &span_ns) ? clock_timeval(by(span_ns) + 999) : span;
}

struct timeval clock_shrink_tv(struct timeval span)
{
    return scale_timeval(span, clock_shrink_ns);
}

struct timeval clock_stretch_tv(struct timeval span)
{
    return scale_timeval(span, clock_stretch_ns);
}

struct timespec clock_timespec(int64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)};
}

struct timeval clock_timeval(int64_t ns)
{
    return (struct timeval){.tv_sec = (time_t)(ns / SECOND_NS),
                            .tv_usec = (suseconds_t)(ns % SECOND_NS / 1000)};
}
