/* Programs on a held clock. The test takes the role of ptybot (app/time/hold.h) without a world,
 * and starts itself again as the program. PTYBOT_CLOCK is the path of the clock library. */
#pragma once

#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "app/links/poller.h"
#include "app/time/hold.h"
#include "pty/shim/clock_shm.h"
#include "tests/support/check.h"
#include "tests/support/warped.h"

#define SECOND_NS INT64_C(1000000000)
#define MS_NS     INT64_C(1000000)
#define US_NS     INT64_C(1000)

/* Seconds of CLOCK_REALTIME at the beginning. */
enum { HELD_DATE_S = 1700000000 };

struct deed {
    const char *name;
    void (*in_program)(void);
    void (*before)(struct clock_shm *shm); /* settings of ptybot; may be NULL */
    void (*after)(struct clock_shm *shm); /* NULL: check that the clock held every wait, and that no
                                             entries remain */
};

#define DEED(function)                                                                             \
    {                                                                                              \
        .name = #function, .in_program = function                                                  \
    }

static inline struct clock_shm *held_make(char path[64])
{
    snprintf(path, 64, "/dev/shm/unit-held-%ld", (long)getpid());
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(ftruncate(file, sizeof(struct clock_shm)), 0);
    struct clock_shm *shm = mmap(NULL, sizeof *shm, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_ptr_not_equal(shm, MAP_FAILED);
    close(file);
    shm->courses[0] = (struct clock_course){
        .real_ns = 1, .warped_ns = CLOCK_SHM_HELD_NS, .until_ns = INT64_MAX, .factor = 1};
    shm->version = CLOCK_SHM_VERSION;
    shm->magic = CLOCK_SHM_MAGIC;
    return shm;
}

static inline pid_t held_start(const char *path, char *const words[])
{
    char origin[64];
    pid_t child = fork();
    if (child != 0)
        return child;
    snprintf(origin, sizeof origin, "%lld:%lld", (long long)CLOCK_SHM_HELD_NS,
             HELD_DATE_S * (long long)SECOND_NS);
    setenv("PTYBOT_WARP", "1", 1);
    setenv("PTYBOT_WARP_ORIGIN", origin, 1);
    setenv("PTYBOT_WARP_PAGE", path, 1);
    setenv("LD_PRELOAD", PTYBOT_CLOCK, 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execv(words[0], words);
    _exit(127);
}

/* Moves time until the program has ended. Returns its status. */
static inline int held_follow(struct hold *hold, pid_t child)
{
    int status;
    int64_t wake_ns, end_ns = poller_now_ns() + TEST_TIMEOUT_MS * MS_NS;
    assert_true(hold_watch(hold, child));
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (hold_may_go(hold) && hold_next(hold, false, poller_now_ns(), &wake_ns) == HOLD_WAIT)
            usleep(20);
        if (poller_now_ns() > end_ns) {
            kill(child, SIGKILL);
            waitpid(child, NULL, 0);
            fail_msg("the program has not ended");
        }
    }
    return status;
}

static inline void held_check_left(struct clock_shm *shm)
{
    assert_int_equal(shm->unseen, 0);
    assert_int_equal(shm->inputs, 0);
    for (uint32_t i = 0; i < CLOCK_SHM_SLOTS; i++)
        assert_int_equal(shm->slots[i].state, CLOCK_SLOT_FREE);
}

/* Runs WORDS as a program on a held clock. */
static inline void held_run(char *const words[], const struct deed *deed)
{
    char path[64];
    struct hold hold;
    struct clock_shm *shm = held_make(path);
    if (deed->before)
        deed->before(shm);
    hold_open(&hold, shm);
    hold.ceiling = INFINITY;
    int status = held_follow(&hold, held_start(path, words));
    unlink(path);
    assert_int_equal(status, 0);
    assert_true(atomic_load(&shm->programs) >= 1);
    if (deed->after) {
        deed->after(shm);
    } else {
        assert_true(hold_was_exact(&hold));
        held_check_left(shm);
    }
    hold_close(&hold);
    munmap(shm, sizeof *shm);
}

static inline void a_program_does(void **state)
{
    const struct deed *deed = *state;
    held_run((char *[]){"/proc/self/exe", (char *)deed->name, NULL}, deed);
}

static inline void in_program(void **state)
{
    const struct deed *deed = *state;
    deed->in_program();
}

/* Runs the program that an argument names; without an argument, runs the tests. */
static inline int held_main(int argc, char **argv, const struct deed *deeds, size_t count)
{
    struct CMUnitTest tests[64];
    size_t used = 0;
    bool is_program = argc > 1;
    for (size_t i = 0; i < count; i++)
        if (!is_program || strcmp(argv[1], deeds[i].name) == 0)
            tests[used++] =
                (struct CMUnitTest){.name = deeds[i].name,
                                    .test_func = is_program ? in_program : a_program_does,
                                    .initial_state = (void *)(uintptr_t)&deeds[i]};
    return _cmocka_run_group_tests(is_program ? "program" : "held", tests, used, NULL, NULL);
}
