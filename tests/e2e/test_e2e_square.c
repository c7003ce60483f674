/* The demo: a driver program that uses only the Kobuki protocol drives a square. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/test_stage.h"

/* The driver's odometry at the end, relative to the robot's start. */
struct belief {
    double x_m, y_m, heading_deg;
};

/* The number after WORD, searched from *AT on; moves *AT past WORD. */
static double number_behind(const char **at, const char *word)
{
    char *end;
    *at = *at ? strstr(*at, word) : NULL;
    if (!*at)
        return 0;
    double value = strtod(*at + strlen(word), &end);
    *at = end;
    return value;
}

static struct belief read_belief(const char *said)
{
    const char *at = strstr(said, "By its odometry");
    struct belief belief;
    belief.x_m = number_behind(&at, " x ");
    belief.y_m = number_behind(&at, " y ");
    belief.heading_deg = number_behind(&at, " heading ");
    if (!at)
        fail_msg("the host said: %s", said);
    return belief;
}

/* Signal NAME in the last row of a log of signals. */
static double last_value(const char *log, const char *name)
{
    const char *end = log + strlen(log) - 1, *row = memrchr(log, '\n', (size_t)(end - log));
    const char *column = strstr(log, name);
    assert_non_null(column);
    for (; column > log; column--)
        if (*column == ',')
            row = strchr(row + 1, ',');
    return strtod(row + 1, NULL);
}

/* In virtual time, since late commands make the square larger. */
static void the_demo_host_drives_a_square_and_knows_where_it_is(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--out", "out", "--", "sh", "-c",
                              "exec " PTYBOT_HOSTS_DIR "/kobuki_square $PTYBOT_PORT_KOBUKI"),
                     0);
    test_stage_said(stage, "\nheld: ");
    char *said = folder_read(&stage->folder, "out/host.log");
    char *log = folder_read(&stage->folder, "out/signals.csv");
    struct belief belief = read_belief(said);
    assert_non_null(strstr(said, "hardware 1.0.4 with firmware 1.2.0"));
    assert_non_null(strstr(said, "factory gains P 100, I 0.1, D 2"));
    assert_non_null(strstr(said, "Turn 4 of 4"));
    assert_non_null(strstr(said, " 0 of them damaged, 0 stray bytes, 0 parts unknown"));

    /* Back near the start, and near the pose by odometry: 3 cm and 3 degrees are chosen, several
     * times the result of the vendor's square test. */
    double x_m = last_value(log, ",kobuki.x_m,") - 10, y_m = last_value(log, ",kobuki.y_m,") - 10;
    double turned_deg = last_value(log, ",kobuki.heading_deg,");
    print_message("true x %.3f m, y %.3f m, heading %.2f deg; believed %.3f, %.3f, %.2f\n", x_m,
                  y_m, turned_deg, belief.x_m, belief.y_m, belief.heading_deg);
    assert_true(hypot(belief.x_m, belief.y_m) < 0.15);
    assert_true(hypot(x_m - belief.x_m, y_m - belief.y_m) < 0.03);
    assert_true(fabs(turned_deg - 360) < 6);
    assert_true(fabs(turned_deg - belief.heading_deg) < 3);
    free(said);
    free(log);
}

static void the_demo_host_stops_and_reports_when_it_hits_something(void **state)
{
    struct stage *stage = *state;
    struct program host;
    folder_write(&stage->folder, "wall.yaml",
                 "name: A wall ahead\n"
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots:\n"
                 "  - {name: kobuki, type: kobuki, pose: {x: 3.3, y: 2}, links: [{pty: %s}]}\n",
                 stage->port);
    stage_run(stage, "wall.yaml", (const char *const[]){"--speed", "4", NULL});
    const char *const words[] = {PTYBOT_HOSTS_DIR "/kobuki_square", stage->port, NULL};
    assert_int_equal(program_run(&host, &stage->folder, "host", words), 1);
    assert_true(program_has_said(&host, "The bumper is pressed (center)"));
    assert_true(stage_get(stage, "kobuki.collisions") >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(the_demo_host_drives_a_square_and_knows_where_it_is),
        STAGED(the_demo_host_stops_and_reports_when_it_hits_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
