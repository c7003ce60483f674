#define _GNU_SOURCE
#include "tests/unit/idle_rig.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/check.h"

struct rig rig;

void nap_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

int setup(void **state)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    rig = (struct rig){.shared = mmap(NULL, sizeof *rig.shared, PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_ANONYMOUS, -1, 0)};
    assert_true(rig.shared != MAP_FAILED);
    rig.page =
        mmap(NULL, sizeof *rig.page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(rig.page != MAP_FAILED);
    *state = &rig;
    return 0;
}

int setup_kept(void **state)
{
    setup(state);
    rig.is_kept = true;
    return 0;
}

int teardown(void **state)
{
    (void)state;
    if (rig.child > 0)
        kill(-rig.child, SIGKILL);
    keeper_end(&rig.keeper);
    while (waitpid(-1, NULL, 0) > 0)
        ;
    idle_proof_destroy(rig.proof);
    munmap(rig.shared, sizeof *rig.shared);
    munmap(rig.page, sizeof *rig.page);
    return 0;
}

void start(void (*behave)(void))
{
    rig.child = rig.is_kept ? keeper_fork(&rig.keeper, true) : fork();
    assert_true(rig.child >= 0);
    if (rig.child == 0) {
        if (rig.is_kept)
            close(rig.keeper.link);
        setpgid(0, 0);
        behave();
        _exit(0);
    }
    setpgid(rig.child, rig.child);
    rig.proof = idle_proof_create(rig.is_kept ? rig.keeper.pid : rig.child, rig.page);
    assert_non_null(rig.proof);
}

bool becomes_idle(bool *has_run)
{
    for (int i = 0; i < TRIES; i++) {
        if (idle_proof_try(rig.proof, has_run) == IDLE_PROOF_IDLE)
            return true;
        nap_ms(1);
    }
    return false;
}

void wait_for_ever(void)
{
    for (;;)
        pause();
}

void spin(void)
{
    while (!atomic_load(&rig.shared->stop))
        ;
    wait_for_ever();
}

/* How often this process has read so far; -1: the kernel does not count. */
static long reads(void)
{
    char text[512] = "";
    FILE *file = fopen("/proc/self/io", "r");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    const char *at = size > 0 ? strstr(text, "syscr: ") : NULL;
    if (file)
        fclose(file);
    return at ? strtol(at + 7, NULL, 10) : -1;
}

/* The fewest reads that a proof takes while all wait. */
long fewest_reads(void)
{
    bool has_run;
    long fewest = -1, own = reads();
    own = reads() - own;
    for (int i = 0; i < 100; i++) {
        long before = reads() + own;
        if (before < own)
            skip();
        if (idle_proof_try(rig.proof, &has_run) != IDLE_PROOF_IDLE)
            continue;
        assert_false(has_run);
        long now = reads() - before;
        fewest = fewest < 0 || now < fewest ? now : fewest;
    }
    return fewest;
}
