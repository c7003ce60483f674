/* The proof that a driver waits, on many runs of the same processes. A single run would show these
 * errors only by chance. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/sample.h"
#include "tests/unit/idle_rig.h"

/* ---- Children ---- */

/* A token circulates in a ring of pipes. At each moment all threads but one wait, and the remaining
 * thread runs only for an instant. */
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

/* Repetitions of each test. A fork of a program with a sanitizer takes twenty times as long. */
enum { CHAIN = SAMPLE_OF(300), PARENTS = SAMPLE_OF(300), ENDS = SAMPLE_OF(200) };

/* Starts children one after the other. Each child leaves another process behind and ends. */
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

static void leave_at_once(void)
{
    if (fork() == 0)
        wait_for_ever();
    _exit(7);
}

/* ---- Proofs ---- */

/* A single check of each thread would sometimes find all of them waiting. */
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
        /* Before the first thread has started, a proof can succeed only because the thread waits
         * for memory. */
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

/* The keeper has reported the end before a proof succeeds. */
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

/* Whether all children have ended, including those that this process inherited. */
static bool are_all_gone(void)
{
    pid_t ended;
    do
        ended = waitpid(-1, NULL, WNOHANG);
    while (ended > 0);
    return ended < 0;
}

/* The test of the machine has a child process. It must not outlive a parent that is killed at this
 * moment. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_token_that_goes_round_is_never_missed),
        TEST(children_that_leave_children_are_never_missed),
        TEST_KEPT(a_token_that_goes_round_is_never_missed),
        TEST_KEPT(children_that_leave_children_are_never_missed),
        TEST_KEPT(the_end_of_one_that_is_kept_is_known_when_it_is_quiet),
        cmocka_unit_test(the_child_of_the_test_ends_with_a_parent_that_is_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
