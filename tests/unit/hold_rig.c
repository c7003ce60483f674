#define _GNU_SOURCE
#include "tests/unit/hold_rig.h"

#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/links/poller.h"
#include "tests/support/check.h"

struct rig rig;

static void *share(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

/* Whole pages, and one that cannot be accessed. */
static size_t room_of(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page + page;
}

static size_t offset_of(size_t size)
{
    return room_of(size) - (size_t)sysconf(_SC_PAGESIZE) - size;
}

static void *share_guarded(size_t size)
{
    char *memory = share(room_of(size));
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    assert_int_equal(mprotect(memory + room_of(size) - page, page, PROT_NONE), 0);
    return memory + offset_of(size);
}

static void count(int number)
{
    atomic_fetch_add(number == SIGALRM ? &rig.counts->alarms : &rig.counts->wakes, 1);
}

static _Noreturn void behave(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGALRM, count);
    signal(CLOCK_SHM_SIGNAL, count);
    for (;;) {
        pause();
        while (atomic_load(&rig.counts->spins))
            ;
    }
}

bool may_go(void)
{
    return hold_may_go(&rig.hold);
}

static _Noreturn void sleep_by_the_kernel(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
        nanosleep(&(struct timespec){.tv_sec = 1000}, NULL);
}

static void note_thread(int number)
{
    (void)number;
    atomic_store(&rig.counts->woken, (int)syscall(SYS_gettid));
    atomic_fetch_add(&rig.counts->wakes, 1);
}

static void *read_on(void *place)
{
    char byte;
    long index = (long)place;
    atomic_store(&rig.counts->threads[index], (int)syscall(SYS_gettid));
    for (;;)
        if (read(rig.pipes[index][0], &byte, 1) == 0)
            break;
    return NULL;
}

static _Noreturn void read_in_threads(void)
{
    pthread_t thread;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigaction(CLOCK_SHM_SIGNAL, &(struct sigaction){.sa_handler = note_thread}, NULL);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread, NULL, read_on, (void *)i);
    for (;;)
        pause();
}

static void begin(void (*act)(void))
{
    rig = (struct rig){.shm = share_guarded(sizeof *rig.shm), .counts = share(sizeof *rig.counts)};
    const struct clock_course course = {
        .real_ns = 1000, .warped_ns = HELD, .until_ns = INT64_MAX, .factor = 1};
    clock_shm_set(rig.shm, &course);
    rig.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pipe(rig.pipes[i]), 0);
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    rig.host = fork();
    assert_true(rig.timer >= 0 && rig.host >= 0);
    if (rig.host == 0)
        act();
    close(pair[1]);
    rig.pair = pair[0];
    hold_open(&rig.hold, rig.shm);
    rig.hold.ceiling = INFINITY;
    assert_true(hold_watch(&rig.hold, rig.host));
}

int setup(void **state)
{
    (void)state;
    begin(behave);
    WAIT_UNTIL(may_go());
    rig.now_ns = poller_now_ns();
    return 0;
}

static bool are_threads_known(void)
{
    for (int i = 0; i < THREADS; i++)
        if (atomic_load(&rig.counts->threads[i]) == 0)
            return false;
    return may_go() && idle_proof_ran(rig.hold.proof) == 0;
}

int setup_threads(void **state)
{
    (void)state;
    begin(read_in_threads);
    WAIT_UNTIL(are_threads_known());
    rig.hold.race = (struct idle_proof_race){0}; // of their beginning
    rig.now_ns = poller_now_ns();
    return 0;
}

int setup_sleeper(void **state)
{
    (void)state;
    begin(sleep_by_the_kernel);
    WAIT_UNTIL(may_go());
    rig.now_ns = poller_now_ns();
    return 0;
}

int teardown(void **state)
{
    (void)state;
    kill(rig.host, SIGKILL);
    waitpid(rig.host, NULL, 0);
    hold_close(&rig.hold);
    close(rig.timer);
    close(rig.pair);
    for (int i = 0; i < THREADS; i++) {
        close(rig.pipes[i][0]);
        close(rig.pipes[i][1]);
    }
    munmap((char *)rig.shm - offset_of(sizeof *rig.shm), room_of(sizeof *rig.shm));
    munmap(rig.counts, sizeof *rig.counts);
    return 0;
}

struct clock_slot *arm(unsigned index, enum clock_slot_kind kind, int64_t after_ns)
{
    struct clock_slot *slot = &rig.shm->slots[index];
    *slot = (struct clock_slot){.kind = kind,
                                .process = rig.host,
                                .thread = rig.host,
                                .space = idle_proof_own_space(),
                                .deadline_ns = HELD + after_ns,
                                .order = atomic_fetch_add(&rig.shm->orders, 1)};
    slot->state = CLOCK_SLOT_ARMED;
    if (rig.shm->slots_used <= index)
        rig.shm->slots_used = index + 1;
    return slot;
}

struct clock_slot *arm_timer(unsigned index, int64_t after_ns, int64_t interval_ns)
{
    struct clock_slot *slot = arm(index, CLOCK_SLOT_TIMER, after_ns);
    slot->thread = rig.timer;
    slot->interval_ns = interval_ns;
    return slot;
}

struct clock_slot *arm_thread(unsigned index, enum clock_slot_kind kind, int64_t after_ns,
                              unsigned number)
{
    struct clock_slot *slot = arm(index, kind, after_ns);
    slot->thread = atomic_load(&rig.counts->threads[number]);
    return slot;
}

static bool have_read(unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++) {
        int left = 0;
        if (ioctl(rig.pipes[i][0], FIONREAD, &left) != 0 || left > 0)
            return false;
    }
    return true;
}

void run_threads(unsigned first, unsigned last)
{
    size_t count_of = last - first + 1;
    for (unsigned i = first; i <= last; i++)
        assert_int_equal(write(rig.pipes[i][1], "x", 1), 1);
    WAIT_UNTIL(have_read(first, last));
    WAIT_UNTIL(may_go());
    assert_int_equal(idle_proof_ran(rig.hold.proof), count_of);
}

enum hold_move next(bool is_stepping)
{
    return hold_next(&rig.hold, is_stepping, rig.now_ns, &rig.wake_ns);
}

int64_t clock_ns(void)
{
    struct clock_course course;
    clock_shm_get(rig.shm, &course);
    int64_t clock = clock_course_at(&course, poller_now_ns());
    assert_int_equal(clock, rig.hold.clock_ns);
    return clock - HELD;
}

bool expires(void)
{
    struct pollfd one = {.fd = rig.timer, .events = POLLIN};
    uint64_t count_of = 0;
    return poll(&one, 1, 10000) == 1 && read(rig.timer, &count_of, sizeof count_of) > 0;
}
