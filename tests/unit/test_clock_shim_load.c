/* What the clock shim makes of its environment: the factor, the origin and the shared memory. Each
 * test starts this file again with the library, and gets the time that it sees. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "pty/shim/clock_shm.h"
#include "tests/support/check.h"
#include "tests/support/warped.h"

#define SECOND_NS INT64_C(1000000000)

/* A look at the clock between two at the kernel's. */
struct look {
    int64_t before_ns, now_ns, after_ns, date_ns;
};

static int tell(void)
{
    struct look look = {.before_ns = warped_real_ns(CLOCK_MONOTONIC)};
    look.now_ns = warped_now_ns(CLOCK_MONOTONIC);
    look.after_ns = warped_real_ns(CLOCK_MONOTONIC);
    look.date_ns = warped_now_ns(CLOCK_REALTIME);
    return write(1, &look, sizeof look) == sizeof look ? 0 : 1;
}

/* Each may be NULL. */
static struct look look_with(const char *factor, const char *origin, const char *page)
{
    struct look look;
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        if (factor)
            setenv("PTYBOT_WARP", factor, 1);
        if (origin)
            setenv("PTYBOT_WARP_ORIGIN", origin, 1);
        if (page)
            setenv("PTYBOT_WARP_PAGE", page, 1);
        setenv("LD_PRELOAD", PTYBOT_CLOCK, 1);
        execl("/proc/self/exe", "test", "tell", NULL);
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &look, sizeof look), sizeof look);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return look;
}

static void assert_is_real(struct look look)
{
    assert_true(look.now_ns >= look.before_ns && look.now_ns <= look.after_ns);
}

static void a_factor_from_a_thousandth_to_a_thousand_counts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double factor;
    } factors[] = {{"0.001", 0.001}, {"2.5", 2.5}, {"1e3", 1000}};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        struct look look = look_with(factors[i].text, "1:1", NULL);
        assert_true((double)look.now_ns >= (double)look.before_ns * factors[i].factor - 1000);
        assert_true((double)look.now_ns <= (double)look.after_ns * factors[i].factor + 1000);
    }
    static const char *const wrong[] = {"0.000999", "1000.1", "1e4", "2.5x", " ", "-2", "nan"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_is_real(look_with(wrong[i], "1:1", NULL));
    assert_is_real(look_with(NULL, "1:1", NULL));
}

static void both_clocks_begin_at_the_origin(void **state)
{
    (void)state;
    char origin[64];
    int64_t now_ns = warped_real_ns(CLOCK_MONOTONIC);
    snprintf(origin, sizeof origin, "%lld:%lld", (long long)now_ns,
             2000000000 * (long long)SECOND_NS);
    struct look look = look_with("1", origin, NULL);
    assert_in_range(look.now_ns, look.before_ns - 1, look.after_ns + 1);
    int64_t date_ns = look.date_ns - 2000000000 * SECOND_NS + now_ns;
    assert_in_range(date_ns, look.now_ns, warped_real_ns(CLOCK_MONOTONIC) + 1);
}

/* Then time begins as the program starts. */
static void a_wrong_origin_does_not_count(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",    "x",    "1",    "1:",   "1:x", "0:1",
                                        "1:0", "-1:1", "1:-1", "1:1x", "1 1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int64_t from_ns = warped_real_ns(CLOCK_MONOTONIC);
        struct look look = look_with("1000", wrong[i], NULL);
        assert_true(look.now_ns >= look.before_ns);
        assert_true(look.now_ns <= from_ns + (look.after_ns - from_ns) * 1000);
    }
}

/* That of a held run may be later than the clock of the machine, and time would wait for it. */
static void an_origin_without_its_shared_memory_does_not_count(void **state)
{
    (void)state;
    const char *origin = "9000000000000000000:9000000000000000000";
    struct look look = look_with("1", origin, "/dev/shm/there-is-no-such-file");
    assert_in_range(look.now_ns, look.before_ns - 1, look.after_ns + 1);
}

enum { STOPPED_S = 12345 };

/* Makes shared memory with a stopped clock. */
static struct clock_shm *make_page(char path[64])
{
    snprintf(path, 64, "/dev/shm/unit-load-%ld", (long)getpid());
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(ftruncate(file, sizeof(struct clock_shm)), 0);
    struct clock_shm *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    close(file);
    page->courses[0] = (struct clock_course){
        .real_ns = 1, .warped_ns = STOPPED_S * SECOND_NS, .until_ns = 1, .factor = 1};
    page->version = CLOCK_SHM_VERSION;
    page->magic = CLOCK_SHM_MAGIC;
    return page;
}

static bool is_followed(const char *path)
{
    return look_with("1", NULL, path).now_ns == STOPPED_S * SECOND_NS;
}

static void only_shared_memory_that_fits_is_followed(void **state)
{
    (void)state;
    char path[64], link_path[80];
    struct clock_shm *page = make_page(path);
    assert_true(is_followed(path));
    assert_int_equal(page->programs, 1);
    page->magic++;
    assert_false(is_followed(path));
    page->magic--;
    page->version--;
    assert_false(is_followed(path));
    page->version++;
    snprintf(link_path, sizeof link_path, "%s.link", path);
    assert_int_equal(symlink(path, link_path), 0);
    assert_false(is_followed(link_path));
    unlink(link_path);
    assert_false(is_followed(link_path));
    assert_true(is_followed(path));
    assert_int_equal(page->programs, 2);
    assert_int_equal(truncate(path, sizeof *page - 1), 0);
    assert_false(is_followed(path));
    unlink(path);
    munmap(page, sizeof *page);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return tell();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_factor_from_a_thousandth_to_a_thousand_counts),
        cmocka_unit_test(both_clocks_begin_at_the_origin),
        cmocka_unit_test(a_wrong_origin_does_not_count),
        cmocka_unit_test(an_origin_without_its_shared_memory_does_not_count),
        cmocka_unit_test(only_shared_memory_that_fits_is_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
