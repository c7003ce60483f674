/* How a proof interprets the contents of /proc, and threads that end or run between two reads of
 * one proof. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/machine.h"
#include "tests/unit/idle_rig.h"

/* ---- Answers ---- */

/* Replaces an answer of the kernel about the first thread of the child; about any thread, if there
 * is no child. */
struct answer {
    const char *file;      /* "stat" */
    unsigned after;        /* number of reads of it before */
    char state;            /* in `stat` */
    const char *text;      /* or all of it */
    int reason;            /* or a failure */
    void (*happens)(void); /* after the read */
};

static struct answer answers[3];
static unsigned reads_of[3];

static ssize_t answer(const char *path, char *bytes, size_t size, ssize_t got)
{
    char wanted[64];
    for (unsigned i = 0; i < 3; i++) {
        const struct answer *one = &answers[i];
        snprintf(wanted, sizeof wanted, "/%d/%s", (int)rig.child, one->file ? one->file : "?");
        if (rig.child == 0)
            snprintf(wanted, sizeof wanted, "/%s", one->file ? one->file : "?");
        const char *at = strstr(path, wanted);
        if (!at || at[strlen(wanted)] != '\0' || reads_of[i]++ < one->after)
            continue;
        if (one->reason != 0) {
            errno = one->reason;
            return -1;
        }
        if (one->text) {
            got = (ssize_t)strnlen(one->text, size);
            memcpy(bytes, one->text, (size_t)got);
        }
        char *state = one->state && got > 0 ? memrchr(bytes, ')', (size_t)got) : NULL;
        if (state)
            state[2] = one->state;
        if (one->happens)
            one->happens();
    }
    return got;
}

static void answer_with(struct answer first, struct answer second)
{
    memset(answers, 0, sizeof answers);
    memset(reads_of, 0, sizeof reads_of);
    answers[0] = first;
    answers[1] = second;
    machine_text = answer;
}

static int end(void **state)
{
    machine_text = NULL;
    return teardown(state);
}

static enum idle_proof_state try(void)
{
    bool has_run;
    return idle_proof_try(rig.proof, &has_run);
}

/* Starts a child that waits and that the proof already knows. */
static void start_waiter(void)
{
    bool has_run;
    start(wait_for_ever);
    assert_true(becomes_idle(&has_run));
}

/* Starts another proof, which has no earlier results. */
static void watch_anew(void)
{
    machine_text = NULL;
    idle_proof_destroy(rig.proof);
    rig.proof = idle_proof_create(rig.child, rig.page);
    assert_non_null(rig.proof);
}

/* ---- States ---- */

static void only_a_thread_in_a_state_of_waits_waits(void **state)
{
    static const struct {
        char state;
        enum idle_proof_state wanted;
    } states[] = {
        {'S', IDLE_PROOF_IDLE},    {'I', IDLE_PROOF_IDLE}, {'T', IDLE_PROOF_STOPPED},
        {'t', IDLE_PROOF_STOPPED}, {'R', IDLE_PROOF_BUSY}, {'D', IDLE_PROOF_BUSY},
        {'P', IDLE_PROOF_BUSY},
    };
    (void)state;
    start_waiter();
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        machine_text = NULL;
        assert_int_equal(try(), IDLE_PROOF_IDLE);
        answer_with((struct answer){.file = "stat", .state = states[i].state}, (struct answer){0});
        // It was asleep before, and no longer is.
        assert_int_equal(try(), states[i].state == 'S' ? IDLE_PROOF_IDLE : IDLE_PROOF_BUSY);
        assert_int_equal(idle_proof_is_starved(rig.proof), states[i].state == 'R');
        for (int tries = 0; tries < 3; tries++) {
            if (try() != states[i].wanted)
                fail_msg("%c", states[i].state);
            assert_int_equal(idle_proof_is_starved(rig.proof), states[i].state == 'R');
        }
    }
}

/* The thread was woken but has not run since. */
static void a_thread_that_may_run_but_has_not_is_starved(void **state)
{
    const struct answer running = {.file = "syscall", .text = "running\n"};
    (void)state;
    start_waiter();
    answer_with(running, (struct answer){.file = "stat", .state = 'D'});
    assert_int_equal(try(), IDLE_PROOF_BUSY);
    answer_with(running, (struct answer){0});
    assert_int_equal(try(), IDLE_PROOF_BUSY);
    assert_true(idle_proof_is_starved(rig.proof));
    answer_with(running, (struct answer){.file = "schedstat", .text = "1 2 3\n"});
    assert_int_equal(try(), IDLE_PROOF_BUSY);
    assert_false(idle_proof_is_starved(rig.proof)); // it has run
    watch_anew();
    answer_with(running, (struct answer){0});
    assert_int_equal(try(), IDLE_PROOF_BUSY);
    assert_false(idle_proof_is_starved(rig.proof)); // unknown to a new proof
}

/* The two checks of the thread give different results. */
static void a_thread_that_runs_in_one_of_two_looks_does_not_wait(void **state)
{
    (void)state;
    start_waiter();
    watch_anew();
    answer_with((struct answer){.file = "stat", .after = 1, .state = 'R'}, (struct answer){0});
    assert_int_equal(try(), IDLE_PROOF_BUSY);
    watch_anew();
    answer_with((struct answer){.file = "schedstat", .after = 1, .text = "1 2 3\n"},
                (struct answer){0});
    assert_int_equal(try(), IDLE_PROOF_BUSY);
    watch_anew();
    answer_with((struct answer){.file = "syscall", .text = "running\n"}, (struct answer){0});
    assert_int_equal(try(), IDLE_PROOF_BUSY);
    assert_int_equal(try(), IDLE_PROOF_BUSY);
}

/* How long it ran, how long it waited for a processor, and how often it ran. */
static void a_thread_that_waited_for_a_processor_has_run_only_if_it_had_one(void **state)
{
    static const struct {
        const char *first, *second;
        bool is_same;
    } cases[] = {
        {"8000 70 50\n", "8000 70 50\n", true}, {"8000 70 50\n", "8000 90 50\n", true},
        {"9 70 50\n", "99 70 50\n", false},     {"8000 70 9\n", "8000 70 99\n", false},
        {"8000 9 50\n", "8000 9 51\n", false},  {"8000 70 50\n", "8001 70 50\n", false},
    };
    (void)state;
    start_waiter();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        watch_anew();
        answer_with((struct answer){.file = "schedstat", .text = cases[i].first},
                    (struct answer){0});
        answers[1] = (struct answer){.file = "schedstat", .after = 1, .text = cases[i].second};
        if ((try() == IDLE_PROOF_IDLE) != cases[i].is_same)
            fail_msg("%zu: %s%s", i, cases[i].first, cases[i].second);
    }
    watch_anew();
    answer_with((struct answer){.file = "schedstat", .text = "700 9 5\n"}, (struct answer){0});
    assert_int_equal(try(), IDLE_PROOF_IDLE);
    answer_with((struct answer){.file = "schedstat", .text = "900 9 6\n"}, (struct answer){0});
    assert_int_equal(idle_proof_busy_ns(rig.proof), 200);
}

/* Flag PF_EXITING: the kernel ends the thread soon. */
static void a_thread_that_is_about_to_end_does_not_wait(void **state)
{
    (void)state;
    start_waiter();
    for (int i = 0; i < 2; i++) {
        watch_anew();
        answer_with((struct answer){.file = "stat",
                                    .text = i == 0
                                                ? "12 (a) b) S 1 4 4 0 -1 4194304 4 4 4 4 0 0\n"
                                                : "12 (a) b) S 1 3 3 0 -1 4194308 3 3 3 3 0 0\n"},
                    (struct answer){0});
        assert_int_equal(try(), i == 0 ? IDLE_PROOF_IDLE : IDLE_PROOF_BUSY);
    }
}

/* ---- Calls ---- */

enum { OTHER = 0x7f54 }; /* an argument that does not matter */

static const struct timespec zero, hour = {.tv_sec = 3600}, instant = {.tv_nsec = 1};

/* Whether the child waits, if it is in this call; a timeout that is reported must have this NAME.
 */
static bool waits_in(long number, const unsigned long long arguments[6], const char *name)
{
    char text[256];
    snprintf(text, sizeof text, "%ld 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x7ffc 0x7f2a\n",
             number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
             arguments[5]);
    watch_anew();
    answer_with((struct answer){.file = "syscall", .text = text}, (struct answer){0});
    bool is_idle = try() == IDLE_PROOF_IDLE;
    const char *call = idle_proof_stats(rig.proof)->foreign.call;
    if (is_idle && (name ? !call || strcmp(call, name) != 0 : call != NULL))
        fail_msg("call %ld with the timeout %s: %s", number, name ? name : "none",
                 call ? call : "not reported");
    return is_idle;
}

/* The same with one argument at a place. */
static bool waits_with(long number, int at, unsigned long long value, const char *name)
{
    unsigned long long arguments[6] = {OTHER, OTHER, OTHER, OTHER, OTHER, OTHER};
    if (number == SYS_futex)
        arguments[1] = FUTEX_WAIT;
    arguments[at] = value;
    return waits_in(number, arguments, name);
}

/* Calls with timeouts, by their manual pages. */
static const struct {
    long number;
    const char *name;
    int at; /* which argument is the timeout */
    bool is_ms;
} timed[] = {
    {SYS_clock_nanosleep, "clock_nanosleep", 2, false},
    {SYS_nanosleep, "nanosleep", 0, false},
#ifdef SYS_poll
    {SYS_poll, "poll", 2, true},
    {SYS_select, "select", 4, false},
    {SYS_epoll_wait, "epoll_wait", 3, true},
#endif
    {SYS_ppoll, "ppoll", 2, false},
    {SYS_pselect6, "pselect", 4, false},
    {SYS_epoll_pwait, "epoll_pwait", 3, true},
#ifdef SYS_epoll_pwait2
    {SYS_epoll_pwait2, "epoll_pwait2", 3, false},
#endif
    {SYS_futex, "futex", 3, false},
    {SYS_rt_sigtimedwait, "sigtimedwait", 2, false},
    {SYS_semtimedop, "semtimedop", 3, false},
    {SYS_mq_timedreceive, "mq_timedreceive", 4, false},
    {SYS_mq_timedsend, "mq_timedsend", 4, false},
    {SYS_recvmmsg, "recvmmsg", 4, false},
};

static void a_timeout_ends_a_wait_unless_there_is_none_or_it_is_zero(void **state)
{
    (void)state;
    start_waiter();
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
        long number = timed[i].number;
        int at = timed[i].at;
        const char *name = timed[i].name;
        if (timed[i].is_ms) {
            assert_true(waits_with(number, at, 1, name));
            assert_true(waits_with(number, at, 3600000, name));
            assert_true(waits_with(number, at, 0xffffffff, NULL)); // -1
            assert_false(waits_with(number, at, 0, NULL));
            continue;
        }
        // The child has this memory at the same addresses.
        assert_true(waits_with(number, at, (uintptr_t)&hour, name));
        assert_true(waits_with(number, at, (uintptr_t)&instant, name));
        assert_true(waits_with(number, at, 1, name)); // it cannot be read
        assert_true(waits_with(number, at, 0, NULL));
        assert_false(
            waits_with(number, at, (uintptr_t)&zero, NULL)); // it sleeps for a lock of the kernel
    }
}

static void a_call_without_a_timeout_has_none(void **state)
{
    static const long untimed[] = {
        SYS_read,   SYS_flock,  SYS_splice, SYS_fcntl,   SYS_rt_sigsuspend,
        SYS_msgrcv, SYS_msgsnd, SYS_wait4,  SYS_recvmsg,
#ifdef SYS_semop
        SYS_semop,
#endif
#ifdef SYS_pause
        SYS_pause,
#endif
    };
    (void)state;
    start_waiter();
    for (size_t i = 0; i < sizeof untimed / sizeof *untimed; i++)
        assert_true(waits_with(untimed[i], 0, 3, NULL));
}

/* Only waits have one; for others the same argument is a number. */
static void a_futex_has_a_timeout_only_where_it_waits(void **state)
{
    static const unsigned waits[] = {FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_WAIT_PRIVATE,
                                     FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME};
    static const unsigned others[] = {FUTEX_WAKE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP_PRIVATE};
    unsigned long long arguments[6] = {OTHER, 0, OTHER, (uintptr_t)&hour, OTHER, OTHER};
    (void)state;
    start_waiter();
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        arguments[1] = waits[i];
        assert_true(waits_in(SYS_futex, arguments, "futex"));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        arguments[1] = others[i];
        assert_true(waits_in(SYS_futex, arguments, NULL));
    }
}

/* The timeout that was read may be that of an earlier call. */
static void a_timeout_counts_only_if_its_thread_has_not_run_meanwhile(void **state)
{
    char text[128];
    (void)state;
    start_waiter();
    watch_anew();
    snprintf(text, sizeof text, "%d 0x1 0x0 0x%llx 0x0 0x0 0x0 0x7ffc 0x7f2a\n", SYS_ppoll,
             (unsigned long long)(uintptr_t)&hour);
    answer_with((struct answer){.file = "syscall", .text = text},
                (struct answer){.file = "schedstat", .after = 1, .text = "1 2 3\n"});
    assert_int_equal(try(), IDLE_PROOF_BUSY);
    assert_false(idle_proof_is_foreign(rig.proof));
    assert_int_equal(idle_proof_stats(rig.proof)->foreign.seen, 0);
    answer_with((struct answer){.file = "syscall", .text = text}, (struct answer){0});
    assert_int_equal(try(), IDLE_PROOF_IDLE);
    assert_true(idle_proof_is_foreign(rig.proof));
}

/* ---- vfork ---- */

static const unsigned long long vfork_flags[11] = {CLONE_VFORK | CLONE_VM},
                                other_flags[11] = {CLONE_VM};

static void a_thread_in_state_D_waits_only_for_a_child_of_vfork(void **state)
{
    static const struct {
        long number;
        unsigned long long argument;
        bool is_wait;
    } cases[] = {
#ifdef SYS_vfork
        {SYS_vfork, OTHER, true},
#endif
        {SYS_clone, CLONE_VFORK | CLONE_VM | SIGCHLD, true},
        {SYS_clone, CLONE_VM | SIGCHLD, false},
        {SYS_clone3, (uintptr_t)vfork_flags, true},
        {SYS_clone3, (uintptr_t)other_flags, false},
        {SYS_clone3, CLONE_VFORK, false}, // no memory: it has ended
        {SYS_read, CLONE_VFORK, false},
        {SYS_execve, (uintptr_t)vfork_flags, false},
    };
    char text[128];
    (void)state;
    start_waiter();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "%ld 0x%llx 0x58 0x0 0x0 0x0 0x0 0x7ffc 0x7f2a\n",
                 cases[i].number, cases[i].argument);
        watch_anew();
        answer_with((struct answer){.file = "stat", .state = 'D'},
                    (struct answer){.file = "syscall", .text = text});
        for (int tries = 0; tries < 3; tries++)
            if ((try() == IDLE_PROOF_IDLE) != cases[i].is_wait)
                fail_msg("%zu: %s", i, text);
        if (!cases[i].is_wait)
            continue;
        // It has returned meanwhile and does something else.
        watch_anew();
        answer_with((struct answer){.file = "stat", .state = 'D'},
                    (struct answer){.file = "syscall", .text = text});
        answers[2] = (struct answer){
            .file = "syscall", .after = 1, .text = "1 0x1 0x2 0x3 0x0 0x0 0x0 0x7ffc 0x7f2a\n"};
        assert_int_equal(try(), IDLE_PROOF_BUSY);
        assert_false(idle_proof_stats(rig.proof)->has_unseen);
    }
}

/* ---- Ends ---- */

static void end_it(void)
{
    kill(rig.child, SIGKILL);
    waitpid(rig.child, NULL, 0);
}

static void a_thread_that_ends_while_it_is_read_was_busy(void **state)
{
    static const struct {
        const char *file;
        unsigned after;
    } moments[] = {{"children", 0}, {"stat", 0}, {"stat", 1}, {"schedstat", 0}, {"syscall", 0}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof moments / sizeof *moments; i++) {
        bool has_run = false, is_known = i % 2;
        const char *file = moments[i / 2].file;
        start_waiter();
        if (!is_known)
            watch_anew();
        answer_with((struct answer){.file = file, .after = moments[i / 2].after, .happens = end_it},
                    (struct answer){0});
        enum idle_proof_state first = try();
        machine_text = NULL;
        if (reads_of[0] > moments[i / 2].after && first != IDLE_PROOF_BUSY)
            fail_msg("%s, read %u", file, moments[i / 2].after);
        end_it();
        assert_true(becomes_idle(&has_run));
        assert_int_equal(idle_proof_process(rig.proof, 0), 0);
        assert_false(idle_proof_stats(rig.proof)->has_unseen);
        assert_int_equal(idle_proof_busy_ns(rig.proof), 0);
        idle_proof_destroy(rig.proof);
        rig.proof = NULL;
    }
}

/* ---- Files that may not be read ---- */

static void a_process_that_may_not_be_read_is_reported_and_believed_by_its_state(void **state)
{
    static const int reasons[] = {EPERM, EACCES};
    (void)state;
    start_waiter();
    for (size_t i = 0; i < 2; i++) {
        watch_anew();
        answer_with((struct answer){.file = "syscall", .reason = reasons[i]},
                    (struct answer){.file = "stat", .state = 'R'});
        assert_int_equal(try(), IDLE_PROOF_BUSY);
        // Also if it waits again in the second look.
        watch_anew();
        answer_with((struct answer){.file = "syscall", .reason = reasons[i]},
                    (struct answer){.file = "stat", .state = 'R'});
        answers[2] = (struct answer){.file = "stat", .after = 1, .state = 'S'};
        assert_int_equal(try(), IDLE_PROOF_BUSY);
        watch_anew();
        answer_with((struct answer){.file = "syscall", .reason = reasons[i]}, (struct answer){0});
        assert_int_equal(try(), IDLE_PROOF_IDLE);
        assert_true(idle_proof_stats(rig.proof)->has_unseen);
        assert_int_equal(try(), IDLE_PROOF_IDLE);
    }
    watch_anew();
    answer_with((struct answer){.file = "syscall", .reason = ESRCH}, (struct answer){0});
    assert_int_equal(try(), IDLE_PROOF_BUSY);
    assert_false(idle_proof_stats(rig.proof)->has_unseen);
}

/* The owner of /proc may refuse this, or the process belongs to another user. */
static void a_file_that_may_not_be_opened_is_reported_too(void **state)
{
    (void)state;
    start_waiter();
    watch_anew();
    machine_refuse((struct refusal){.call = CALL_OPEN, .after = 1, .reason = EACCES});
    assert_int_equal(try(), IDLE_PROOF_IDLE);
    assert_int_equal(machine_obey(), 1);
    assert_true(idle_proof_stats(rig.proof)->has_unseen);
}

static void the_name_of_a_process_that_is_gone_is_a_question_mark(void **state)
{
    char name[32];
    (void)state;
    start_waiter();
    end_it();
    idle_proof_read_name(rig.child, name);
    assert_string_equal(name, "?");
}

/* ---- The test of the machine ---- */

static void assert_does_not_work(const char *because)
{
    struct error error = {0};
    assert_false(idle_proof_test(&error));
    assert_string_equal(error.text, because);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // it has no child any more
}

static void a_machine_whose_proc_hides_or_shows_wrong_things_is_described(void **state)
{
    (void)state;
    answer_with((struct answer){.file = "syscall", .reason = EPERM}, (struct answer){0});
    assert_does_not_work("/proc does not say what a child waits for");
    answer_with((struct answer){.file = "syscall",
                                .text = "7 0x1 0x1 0xffffffff 0x0 0x0 0x0 0x7ffc 0x7f2a\n"},
                (struct answer){.file = "stat", .state = 'S'});
    answers[2] = (struct answer){.file = "schedstat", .text = "1 2 3\n"};
    assert_does_not_work("a process that ran looked as if it waited");
}

/* ptybot ends the waits of timers through shared descriptors. */
static void a_machine_that_does_not_share_descriptors_is_described(void **state)
{
    struct error error = {0};
    unsigned count = descriptor_count();
    (void)state;
    machine_refuse(
        (struct refusal){.call = CALL_SYSCALL, .request = SYS_pidfd_open, .reason = ENOSYS});
    assert_does_not_work("pidfd_getfd of a child: Function not implemented");
    machine_refuse(
        (struct refusal){.call = CALL_SYSCALL, .request = SYS_pidfd_getfd, .reason = EPERM});
    assert_does_not_work("pidfd_getfd of a child: Operation not permitted");
    // The child has closed that descriptor, which does no harm.
    machine_refuse(
        (struct refusal){.call = CALL_SYSCALL, .request = SYS_pidfd_getfd, .reason = EBADF});
    assert_true(idle_proof_test(&error));
    assert_int_equal(machine_obey(), 1);
    assert_true(idle_proof_test(&error));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(descriptor_count(), count);
}

/* A truncated list is not complete. */
static void children_beyond_the_room_for_their_list_let_no_proof_succeed(void **state)
{
    char blanks[4097];
    (void)state;
    start_waiter();
    memset(blanks, ' ', sizeof blanks);
    for (int missing = 1; missing >= 0; missing--) {
        blanks[4095 - missing] = '\0';
        watch_anew();
        answer_with((struct answer){.file = "children", .text = blanks}, (struct answer){0});
        assert_int_equal(try(), missing ? IDLE_PROOF_IDLE : IDLE_PROOF_BUSY);
        blanks[4095 - missing] = ' ';
    }
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(only_a_thread_in_a_state_of_waits_waits),
        TEST(a_thread_that_may_run_but_has_not_is_starved),
        TEST(a_thread_that_runs_in_one_of_two_looks_does_not_wait),
        TEST(a_thread_that_waited_for_a_processor_has_run_only_if_it_had_one),
        TEST(a_thread_that_is_about_to_end_does_not_wait),
        TEST(a_timeout_ends_a_wait_unless_there_is_none_or_it_is_zero),
        TEST(a_call_without_a_timeout_has_none),
        TEST(a_futex_has_a_timeout_only_where_it_waits),
        TEST(a_timeout_counts_only_if_its_thread_has_not_run_meanwhile),
        TEST(a_thread_in_state_D_waits_only_for_a_child_of_vfork),
        TEST(a_thread_that_ends_while_it_is_read_was_busy),
        TEST(a_process_that_may_not_be_read_is_reported_and_believed_by_its_state),
        TEST(a_file_that_may_not_be_opened_is_reported_too),
        TEST(the_name_of_a_process_that_is_gone_is_a_question_mark),
        TEST(children_beyond_the_room_for_their_list_let_no_proof_succeed),
        TEST(a_machine_that_does_not_share_descriptors_is_described),
        TEST(a_machine_whose_proc_hides_or_shows_wrong_things_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
