/* The proof that a host waits, on real processes that run, wait, end and make others. Each rig is a
 * child whose steps are given by a pipe. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/cli/keeper.h"
#include "app/time/hold.h"
#include "app/time/idle_proof.h"
#include "pty/shim/clock_shm.h"
#include "tests/support/check.h"
#include "tests/support/sample.h"
#include "tests/support/test_timeout.h"

enum { TRIES = 20000 }; /* with a pause of a millisecond: for a busy machine */

/* What rig and test share. */
struct shared {
    _Atomic int stop; /* who spins ends */
    _Atomic int count;
    _Atomic int64_t total; /* of the chain */
    _Atomic int is_over;   /* the first thread ends */
};

struct rig {
    struct shared *shared;
    pid_t child;
    bool is_kept; /* the child has a keeper */
    struct keeper keeper;
    struct idle_proof *proof;
    struct clock_shm *page; /* of the clock, as programs with the library have it */
};

static struct rig rig;

static void nap_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static int setup(void **state)
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

static int setup_kept(void **state)
{
    setup(state);
    rig.is_kept = true;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    kill(-rig.child, SIGKILL);
    keeper_end(&rig.keeper);
    while (waitpid(-1, NULL, 0) > 0)
        ;
    idle_proof_destroy(rig.proof);
    munmap(rig.shared, sizeof *rig.shared);
    munmap(rig.page, sizeof *rig.page);
    return 0;
}

/* A child in a group of its own does this and then ends. */
static void start(void (*behave)(void))
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

static bool becomes_idle(bool *has_run)
{
    for (int i = 0; i < TRIES; i++) {
        if (idle_proof_try(rig.proof, has_run) == IDLE_PROOF_IDLE)
            return true;
        nap_ms(1);
    }
    return false;
}

/* ---- What children do ---- */

static void wait_for_ever(void)
{
    for (;;)
        pause();
}

static void spin(void)
{
    while (!atomic_load(&rig.shared->stop))
        ;
    wait_for_ever();
}

static void *spin_in_thread(void *unused)
{
    (void)unused;
    spin();
    return NULL;
}

static void wait_beside_a_thread_that_spins(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, spin_in_thread, NULL);
    wait_for_ever();
}

static void wait_for_a_child_that_spins(void)
{
    if (fork() == 0)
        spin();
    wait_for_ever();
}

static void leave_one_that_spins(void)
{
    if (fork() == 0) {
        if (fork() == 0)
            spin();
        _exit(0);
    }
    wait_for_ever();
}

/* A token goes round a ring of pipes: at each moment all but one wait, and that one for an instant.
 */
enum { RING = 8, ROUNDS = SAMPLE_OF(2000) };
static int ring[RING][2];

static void *pass_on(void *place)
{
    long index = (long)place;
    char token;
    while (read(ring[index][0], &token, 1) == 1) {
        if (atomic_fetch_add(&rig.shared->total, 1) >= RING * ROUNDS)
            wait_for_ever();
        if (write(ring[(index + 1) % RING][1], &token, 1) != 1)
            break;
    }
    return NULL;
}

static void pass_a_token_round(void)
{
    pthread_t threads[RING];
    for (int i = 0; i < RING; i++)
        if (pipe(ring[i]) != 0)
            _exit(1);
    for (long i = 0; i < RING; i++)
        pthread_create(&threads[i], NULL, pass_on, (void *)i);
    if (write(ring[0][1], "x", 1) != 1)
        _exit(1);
    wait_for_ever();
}

/* Repetitions of one run; a fork of a sanitized program costs twenty times as much. */
enum { CHAIN = SAMPLE_OF(300), PARENTS = SAMPLE_OF(300), ENDS = SAMPLE_OF(200) };

/* Children one after the other, each of which leaves another and ends. */
static void make_a_chain(void)
{
    for (int i = 0; i < CHAIN; i++) {
        pid_t child = fork();
        if (child > 0)
            _exit(0);
        if (child < 0)
            break;
        atomic_fetch_add(&rig.shared->count, 1);
    }
    atomic_store(&rig.shared->stop, 1);
    wait_for_ever();
}

static void wait_in_vfork(void)
{
    pid_t child = vfork(); // NOLINT: it is the case
    if (child == 0) {
        pause(); // NOLINT: as above
        _exit(0);
    }
    wait_for_ever();
}

static void leave_at_once(void)
{
    if (fork() == 0)
        wait_for_ever();
    _exit(7);
}

static void sleep_by_the_kernel(void)
{
    for (;;)
        nap_ms(1000000);
}

/* ---- What is proven ---- */

static void one_that_waits_is_quiet_and_stays_so(void **state)
{
    bool has_run = false;
    (void)state;
    start(wait_for_ever);
    assert_true(becomes_idle(&has_run));
    assert_true(has_run);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(idle_proof_try(rig.proof, &has_run), IDLE_PROOF_IDLE);
        assert_false(has_run);
    }
    assert_false(idle_proof_is_foreign(rig.proof));
    assert_int_equal(idle_proof_process(rig.proof, 0), rig.child);
    assert_int_equal(idle_proof_process(rig.proof, 1), 0);
}

/* While somebody spins there is no quiet, however often one looks; then there is. */
static void check_spinner(void (*behave)(void))
{
    bool has_run;
    start(behave);
    for (int i = 0; i < 50; i++) {
        assert_int_not_equal(idle_proof_try(rig.proof, &has_run), IDLE_PROOF_IDLE);
        nap_ms(1);
    }
    atomic_store(&rig.shared->stop, 1);
    assert_true(becomes_idle(&has_run));
    assert_true(has_run);
}

static void one_that_spins_is_not(void **state)
{
    (void)state;
    check_spinner(spin);
}

static void one_thread_that_spins_is_enough(void **state)
{
    (void)state;
    start(wait_beside_a_thread_that_spins);
    /* The first thread may be seen before it has made the second one: that is quiet only once. */
    nap_ms(200);
    bool has_run;
    for (int i = 0; i < 50; i++)
        assert_int_not_equal(idle_proof_try(rig.proof, &has_run), IDLE_PROOF_IDLE);
    assert_true(idle_proof_busy_ns(rig.proof) > 0);
    atomic_store(&rig.shared->stop, 1);
    assert_true(becomes_idle(&has_run));
    assert_int_equal(idle_proof_stats(rig.proof)->threads_max, 2);
}

static void a_child_counts(void **state)
{
    (void)state;
    check_spinner(wait_for_a_child_that_spins);
}

static void what_is_left_behind_counts(void **state)
{
    (void)state;
    check_spinner(leave_one_that_spins);
}

/* One look at each thread would find all of them waiting, now and then. */
static void a_token_that_goes_round_is_never_missed(void **state)
{
    bool has_run;
    (void)state;
    start(pass_a_token_round);
    for (;;) {
        while (idle_proof_try(rig.proof, &has_run) != IDLE_PROOF_IDLE)
            ;
        int64_t seen = atomic_load(&rig.shared->total);
        if (seen > RING * ROUNDS)
            break;
        /* Before the first thread has begun there may be quiet only by waiting for memory. */
        nap_ms(20);
        assert_int_equal(atomic_load(&rig.shared->total), seen);
        assert_int_equal(seen, 0);
    }
}

static void children_that_leave_children_are_never_missed(void **state)
{
    bool has_run;
    (void)state;
    start(make_a_chain);
    while (idle_proof_try(rig.proof, &has_run) != IDLE_PROOF_IDLE)
        ;
    assert_int_equal(atomic_load(&rig.shared->stop), 1);
    assert_int_equal(atomic_load(&rig.shared->count), CHAIN);
}

static void a_parent_in_vfork_waits_too(void **state)
{
    bool has_run;
    (void)state;
    start(wait_in_vfork);
    assert_true(becomes_idle(&has_run));
}

static void one_that_is_stopped_is_neither(void **state)
{
    bool has_run;
    int status;
    (void)state;
    start(wait_for_ever);
    assert_true(becomes_idle(&has_run));
    kill(rig.child, SIGSTOP);
    assert_int_equal(waitpid(rig.child, &status, WUNTRACED), rig.child);
    // The first try finds that it does not sleep any more, the second why.
    assert_int_equal(idle_proof_try(rig.proof, &has_run), IDLE_PROOF_BUSY);
    assert_int_equal(idle_proof_try(rig.proof, &has_run), IDLE_PROOF_STOPPED);
    kill(rig.child, SIGCONT);
    assert_true(becomes_idle(&has_run));
}

static void a_wait_that_the_kernel_ends_is_reported(void **state)
{
    bool has_run;
    (void)state;
    start(sleep_by_the_kernel);
    assert_true(becomes_idle(&has_run));
    assert_true(idle_proof_is_foreign(rig.proof));
    const struct idle_proof_foreign *foreign = &idle_proof_stats(rig.proof)->foreign;
    assert_int_equal(foreign->process, rig.child);
    assert_string_equal(foreign->call, "clock_nanosleep");
}

static void one_that_has_ended_is_quiet(void **state)
{
    bool has_run;
    (void)state;
    start(spin);
    kill(rig.child, SIGKILL);
    assert_true(becomes_idle(&has_run));
    assert_int_equal(waitpid(rig.child, NULL, 0), rig.child);
    assert_true(becomes_idle(&has_run));
    assert_int_equal(idle_proof_process(rig.proof, 0), 0);
}

/* What it did before its end is still to be taken in, also before anybody has waited for it. */
static void one_that_has_ended_has_run(void **state)
{
    bool has_run;
    (void)state;
    start(wait_for_ever);
    assert_true(becomes_idle(&has_run));
    assert_int_equal(idle_proof_try(rig.proof, &has_run), IDLE_PROOF_IDLE);
    assert_false(has_run);
    kill(rig.child, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)rig.child, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
    assert_true(becomes_idle(&has_run));
    assert_true(has_run);
    assert_int_equal(waitpid(rig.child, NULL, 0), rig.child);
}

static void it_works_here(void **state)
{
    struct error error = {0};
    (void)state;
    if (!idle_proof_test(&error))
        fail_msg("%s", error.text);
}

/* Whether all children have ended, ours and those that were left to us. */
static bool are_all_gone(void)
{
    pid_t ended;
    do
        ended = waitpid(-1, NULL, WNOHANG);
    while (ended > 0);
    return ended < 0;
}

/* The test of this machine has a child, which must not outlive who is killed just then. */
static void the_child_of_the_test_ends_with_a_parent_that_is_killed(void **state)
{
    (void)state;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    for (int i = 0; i < PARENTS; i++) {
        pid_t parent = fork();
        if (parent == 0) {
            struct error error;
            (void)setpgid(0, 0);
            (void)idle_proof_test(&error);
            _exit(0);
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000L * (i % 100)}, NULL);
        kill(parent, SIGKILL);
        for (int tries = 0; !are_all_gone(); tries++) {
            if (tries == TEST_TIMEOUT_MS) {
                kill(-parent, SIGKILL);
                fail_msg("a child of number %d lives on", i);
            }
            nap_ms(1);
        }
    }
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

/* A wait in the page of a driver whose memory is damaged. */
static _Noreturn void end_wait(pid_t process)
{
    static struct clock_shm page;
    struct hold hold;
    int64_t wake_ns;
    setpgid(0, 0);
    hold_open(&hold, &page);
    page.slots[0] = (struct clock_slot){.state = CLOCK_SLOT_ARMED,
                                        .kind = CLOCK_SLOT_ALARM,
                                        .process = process,
                                        .space = idle_proof_own_space()};
    page.slots_used = 1;
    if (!hold_watch(&hold, getpid()))
        _exit(3);
    hold.grant_ns = HOLD_NEVER;
    hold_next(&hold, false, INT64_MAX / 2, &wake_ns);
    _exit(page.slots[0].state == CLOCK_SLOT_FREE ? 0 : 1);
}

static void the_wait_of_no_process_is_freed_and_signals_nobody(void **state)
{
    (void)state;
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        end_wait(0); // kill(0, ...) would be for all of the group
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The keeper has reported the end before all is quiet. */
static void the_end_of_one_that_is_kept_is_known_when_it_is_quiet(void **state)
{
    bool has_run;
    int status = 0;
    (void)state;
    for (int i = 0; i < ENDS; i++) {
        start(leave_at_once);
        while (idle_proof_try(rig.proof, &has_run) != IDLE_PROOF_IDLE)
            ;
        assert_true(keeper_poll(&rig.keeper, false, &status));
        assert_int_equal(WEXITSTATUS(status), 7);
        idle_proof_destroy(rig.proof);
        rig.proof = NULL;
        keeper_end(&rig.keeper);
    }
}

/* ---- Threads that are deaf ---- */

enum { DEAF = 200, LIAR = DEAF }; /* the slot of a thread that spins */

static void heard(int number)
{
    (void)number;
    atomic_fetch_add(&rig.shared->count, 1);
}

static void fill_slot(struct clock_slot *slot)
{
    slot->process = getpid();
    slot->thread = (int32_t)syscall(SYS_gettid);
    slot->space = idle_proof_own_space();
    slot->order = atomic_fetch_add(&rig.page->orders, 1) + 1;
}

/* As the library does it. FIRED: it spins. */
static void *be_deaf(void *memory)
{
    sigset_t all, before;
    struct clock_slot *slot = memory;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    fill_slot(slot);
    atomic_store(&slot->is_deaf, 1);
    while (atomic_load(&slot->is_deaf))
        syscall(SYS_futex, &slot->is_deaf, FUTEX_WAIT, 1, NULL, NULL, 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (atomic_load(&slot->state) == CLOCK_SLOT_FIRED) {
        atomic_fetch_add(&rig.shared->count, 1);
        spin();
    }
    wait_for_ever();
    return NULL;
}

/* It says that it sleeps. */
static void *lie(void *memory)
{
    struct clock_slot *slot = memory;
    fill_slot(slot);
    atomic_store(&slot->is_deaf, 1);
    spin();
    return NULL;
}

static void make_crowd(void)
{
    pthread_t thread;
    signal(SIGUSR1, heard);
    for (int i = 0; i < DEAF; i++)
        pthread_create(&thread, NULL, be_deaf, &rig.page->slots[i]);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void be_crowd(void)
{
    make_crowd();
    wait_for_ever();
}

static void be_crowd_with_one_that_lies(void)
{
    pthread_t thread;
    make_crowd();
    pthread_create(&thread, NULL, lie, &rig.page->slots[LIAR]);
    while (atomic_load(&rig.shared->is_over) == 0)
        syscall(SYS_futex, &rig.shared->is_over, FUTEX_WAIT, 0, NULL, NULL, 0);
    pthread_exit(NULL);
}

static int deaf_count(void)
{
    int count = 0;
    for (int i = 0; i < DEAF; i++)
        count += atomic_load(&rig.page->slots[i].is_deaf) != 0;
    return count;
}

static void start_crowd(void (*behave)(void))
{
    rig.page->slots_used = LIAR + 1;
    start(behave);
    while (deaf_count() < DEAF)
        nap_ms(1);
}

static struct clock_slot *start_crowd_with_one_that_lies(void)
{
    struct clock_slot *slot = &rig.page->slots[LIAR];
    start_crowd(be_crowd_with_one_that_lies);
    while (atomic_load(&slot->is_deaf) == 0)
        nap_ms(1);
    return slot;
}

static void assert_stays_busy(void)
{
    bool has_run;
    for (int i = 0; i < 200; i++)
        assert_int_equal(idle_proof_try(rig.proof, &has_run), IDLE_PROOF_BUSY);
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
static long fewest_reads(void)
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

static void a_proof_reads_nothing_of_threads_that_are_deaf(void **state)
{
    bool has_run;
    (void)state;
    start_crowd(be_crowd);
    assert_true(becomes_idle(&has_run));
    assert_true(has_run);
    assert_in_range(fewest_reads(), 1, DEAF / 4);
}

/* It reads the state and the turns of the child. */
static void a_proof_reads_nothing_of_a_keeper_that_waits(void **state)
{
    bool has_run;
    (void)state;
    start(wait_for_ever);
    assert_true(becomes_idle(&has_run));
    assert_int_equal(fewest_reads(), 2);
}

/* IS_TAKEN: then another one is deaf in its slot. */
static void check_one_that_was_woken(bool is_taken)
{
    bool has_run;
    start_crowd(be_crowd);
    assert_true(becomes_idle(&has_run));
    struct clock_slot *slot = &rig.page->slots[DEAF / 3];
    atomic_store(&slot->state, CLOCK_SLOT_FIRED);
    assert_true(idle_proof_rouse(slot));
    if (is_taken) {
        while (atomic_load(&rig.shared->count) == 0)
            nap_ms(1);
        slot->thread = rig.page->slots[DEAF / 2].thread;
        slot->order = atomic_fetch_add(&rig.page->orders, 1) + 1;
        atomic_store(&slot->is_deaf, 1);
    }
    assert_stays_busy();
    atomic_store(&rig.shared->stop, 1);
    assert_true(becomes_idle(&has_run));
    assert_true(has_run);
}

static void one_of_a_crowd_that_was_woken_runs(void **state)
{
    (void)state;
    check_one_that_was_woken(false);
}

static void one_of_a_crowd_whose_slot_another_has_taken_runs(void **state)
{
    (void)state;
    check_one_that_was_woken(true);
}

static void one_of_a_crowd_hears_what_no_other_thread_takes(void **state)
{
    bool has_run;
    (void)state;
    start_crowd(be_crowd);
    assert_true(becomes_idle(&has_run));
    assert_int_equal(deaf_count(), DEAF);
    kill(rig.child, SIGUSR1);
    for (int i = 1; i < TRIES && idle_proof_try(rig.proof, &has_run) != IDLE_PROOF_BUSY; i++)
        nap_ms(1);
    assert_true(becomes_idle(&has_run));
    assert_true(has_run);
    assert_int_equal(deaf_count(), DEAF - 1);
    assert_int_equal(atomic_load(&rig.shared->count), 1);
}

/* Its threads may be about to end, and do something in that. */
static void a_crowd_without_its_first_thread_is_looked_at(void **state)
{
    bool has_run;
    (void)state;
    start_crowd_with_one_that_lies();
    assert_true(becomes_idle(&has_run)); // it believes the thread that spins
    atomic_store(&rig.shared->is_over, 1);
    syscall(SYS_futex, &rig.shared->is_over, FUTEX_WAKE, 1, NULL, NULL, 0);
    for (int i = 0; i < TRIES && deaf_count() > 0; i++) {
        idle_proof_try(rig.proof, &has_run);
        nap_ms(1);
    }
    assert_int_equal(deaf_count(), 0);
    assert_stays_busy();
}

/* In another process or PID namespace a thread may have the same number. */
static void a_thread_with_the_number_of_a_deaf_one_counts(void **state)
{
    bool has_run;
    (void)state;
    struct clock_slot *slot = start_crowd_with_one_that_lies();
    slot->process++;
    assert_stays_busy();
    slot->process--;
    slot->space++;
    assert_stays_busy();
    slot->space = 0;
    assert_stays_busy();
    slot->space = idle_proof_own_space();
    assert_true(becomes_idle(&has_run)); // it believes the thread that spins
}

static void a_crowd_that_was_killed_is_no_longer_listed(void **state)
{
    bool has_run;
    (void)state;
    start_crowd(be_crowd);
    assert_true(becomes_idle(&has_run));
    kill(rig.child, SIGKILL);
    waitpid(rig.child, NULL, 0);
    assert_true(becomes_idle(&has_run));
    assert_int_equal(idle_proof_process(rig.proof, 0), 0);
    assert_int_equal(deaf_count(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_KEPT(name)                                                                            \
    {                                                                                              \
        "kept: " #name, name, setup_kept, teardown, NULL                                           \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_that_waits_is_quiet_and_stays_so),
        TEST(one_that_spins_is_not),
        TEST(one_thread_that_spins_is_enough),
        TEST(a_child_counts),
        TEST(what_is_left_behind_counts),
        TEST(a_token_that_goes_round_is_never_missed),
        TEST(children_that_leave_children_are_never_missed),
        TEST_KEPT(a_child_counts),
        TEST_KEPT(what_is_left_behind_counts),
        TEST_KEPT(a_token_that_goes_round_is_never_missed),
        TEST_KEPT(children_that_leave_children_are_never_missed),
        TEST_KEPT(the_end_of_one_that_is_kept_is_known_when_it_is_quiet),
        TEST(a_parent_in_vfork_waits_too),
        TEST(one_that_is_stopped_is_neither),
        TEST(a_wait_that_the_kernel_ends_is_reported),
        TEST(one_that_has_ended_is_quiet),
        TEST(one_that_has_ended_has_run),
        TEST(a_proof_reads_nothing_of_threads_that_are_deaf),
        TEST_KEPT(a_proof_reads_nothing_of_a_keeper_that_waits),
        TEST(one_of_a_crowd_that_was_woken_runs),
        TEST(one_of_a_crowd_whose_slot_another_has_taken_runs),
        TEST(one_of_a_crowd_hears_what_no_other_thread_takes),
        TEST(a_crowd_without_its_first_thread_is_looked_at),
        TEST(a_thread_with_the_number_of_a_deaf_one_counts),
        TEST(a_crowd_that_was_killed_is_no_longer_listed),
        cmocka_unit_test(the_wait_of_no_process_is_freed_and_signals_nobody),
        cmocka_unit_test(it_works_here),
        cmocka_unit_test(the_child_of_the_test_ends_with_a_parent_that_is_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
