/* How long ptybot polls for the next step of a page before it sleeps. The test stops the clock. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "include/ptybot/step_page.h"
#include "tests/unit/control_rig.h"

enum { US = 1000, SOON_US = 200, LOOK_US = 100 };

static struct ptybot_step_page *page;
static size_t page_size;
static int64_t clock_ns; /* 0: the real time */
static unsigned looks;
static void (*at_look)(void); /* action of the client after a poll by ptybot */

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
int clock_gettime(clockid_t clock, struct timespec *out)
{
    if (clock_ns == 0 || clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, out);
    if (page->is_awake) {
        looks++;
        if (at_look)
            at_look();
    }
    *out = (struct timespec){.tv_sec = clock_ns / 1000000000, .tv_nsec = clock_ns % 1000000000};
    return 0;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

static int set_up_page(void **state)
{
    set_up(state);
    struct fixture *f = *state;
    f->live.pace.is_lockstep = true;
    int fd = dial(f);
    json_t *reply = ask(f, fd,
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"version\","
                        "\"params\":{\"step_page\":true}}");
    const char *path;
    json_int_t size;
    assert_int_equal(json_unpack(reply, "{s:{s:{s:s, s:I}}}", "result", "step_page", "path", &path,
                                 "size", &size),
                     0);
    int file = open(path, O_RDWR | O_CLOEXEC);
    page_size = (size_t)size;
    page = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    close(file);
    json_decref(reply);
    clock_ns = INT64_C(1000000000);
    looks = 0;
    at_look = NULL;
    return 0;
}

static int tear_down_page(void **state)
{
    clock_ns = 0;
    munmap(page, page_size);
    return tear_down(state);
}

static void request(void)
{
    page->ms = 1;
    page->asked = page->answered + 1;
}

/* ptybot waits, and the client requests a step after this number of microseconds. */
static void step_after(struct fixture *f, int64_t us)
{
    assert_false(control_stay_awake(f->control));
    assert_int_equal(page->is_awake, 0);
    clock_ns += us * US;
    request();
    turn(f);
    assert_int_equal(page->answered, page->asked);
}

static void ask_at_third_look(void)
{
    if (looks == 3)
        request();
}

static void pass_time(void)
{
    clock_ns += INT64_C(25) * US;
}

/* At the last poll, before ptybot reports that it sleeps. */
static void ask_at_the_end(void)
{
    clock_ns += (int64_t)LOOK_US * US;
    request();
}

static void a_step_soon_after_the_last_one_needs_no_wake_up(void **state)
{
    struct fixture *f = *state;
    step_after(f, SOON_US - 1);
    assert_int_equal(looks, 0); /* it did not know yet */
    at_look = ask_at_third_look;
    assert_true(control_stay_awake(f->control));
    assert_int_equal(looks, 3);
    assert_int_equal(page->is_awake, 0);
    turn(f);
    assert_int_equal(page->answered, 2);
    assert_true(page->time_us == 2000);
    looks = 0;
    assert_true(control_stay_awake(f->control)); /* and so on */
}

static void a_step_at_the_last_moment_is_seen(void **state)
{
    struct fixture *f = *state;
    step_after(f, 1);
    at_look = ask_at_the_end;
    assert_true(control_stay_awake(f->control));
    assert_int_equal(looks, 1);
    at_look = NULL;
    turn(f);
    assert_int_equal(page->answered, 2);
}

static void nobody_looks_for_a_client_that_takes_its_time(void **state)
{
    struct fixture *f = *state;
    at_look = pass_time;
    for (int i = 0; i < 5; i++)
        step_after(f, SOON_US);
    assert_false(control_stay_awake(f->control));
    assert_int_equal(looks, 0);
}

/* Number of steps until ptybot has polled again. */
static int steps_to_look(struct fixture *f)
{
    looks = 0;
    for (int steps = 1;; steps++) {
        bool is_asked = control_stay_awake(f->control);
        clock_ns += US;
        if (!is_asked)
            request();
        turn(f);
        assert_int_equal(page->answered, page->asked);
        if (looks > 0)
            return steps;
    }
}

/* With one processor, the client cannot run while ptybot polls. */
static void looks_in_vain_become_rare_and_others_frequent(void **state)
{
    struct fixture *f = *state;
    at_look = pass_time;
    step_after(f, 1);
    for (int i = 0; i < 12; i++) {
        assert_int_equal(steps_to_look(f), i < 10 ? 1 << i : 1024);
        assert_int_equal(looks, LOOK_US / 25);
    }
    at_look = ask_at_the_end; /* the step was late: the processor ran another program meanwhile */
    assert_int_equal(steps_to_look(f), 1024);
    at_look = ask_at_third_look;
    assert_int_equal(steps_to_look(f), 1024);
    for (int i = 1; i < 3; i++)
        assert_int_equal(steps_to_look(f), 1); /* as long as polling helps */
    at_look = pass_time;
    assert_int_equal(steps_to_look(f), 1);
    assert_int_equal(steps_to_look(f), 2 * (1023 * 3 / 4 * 3 / 4 * 3 / 4) + 2);
}

static void nobody_looks_while_a_step_waits_for_bytes(void **state)
{
    struct fixture *f = *state;
    step_after(f, 1);
    page->links[0].wanted = 10;
    request();
    turn(f);
    assert_int_equal(page->answered, 1);
    assert_false(control_stay_awake(f->control));
    assert_int_equal(looks, 0);
}

int main(void)
{
#define PAGE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_page, tear_down_page)
    const struct CMUnitTest tests[] = {
        PAGE_TEST(a_step_soon_after_the_last_one_needs_no_wake_up),
        PAGE_TEST(a_step_at_the_last_moment_is_seen),
        PAGE_TEST(nobody_looks_for_a_client_that_takes_its_time),
        PAGE_TEST(looks_in_vain_become_rare_and_others_frequent),
        PAGE_TEST(nobody_looks_while_a_step_waits_for_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
