/* Draw lists as text: compares each scene of scenes/ with its golden file in tests/viewer/lists,
 * and checks that pictures show events. With PTYBOT_UPDATE_GOLDEN=1 in the environment, rewrites
 * the golden files. */
#define _GNU_SOURCE
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/viewer/draw_rig.h"
#include "viewer/draw/draw_scene.h"
#include "viewer/draw/theme.h"

static struct viewport viewport_on(const struct draw_rig *rig, uint32_t shows)
{
    struct viewport viewport = {
        .width_px = 1280, .height_px = 800, .shows = shows, .selected = VIEWPORT_NOBODY};
    viewport_fit(&viewport, rig->snapshot);
    return viewport;
}

/* The picture of a rig as text, which the caller frees. */
static char *text_of(const struct draw_rig *rig, const struct viewport *viewport)
{
    struct draw_list list = {0};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("# stands still\n", out);
    draw_static(&list, viewport, rig->snapshot);
    draw_list_write_text(&list, out);
    draw_list_clear(&list);
    fputs("# moves\n", out);
    draw_moving(&list, viewport, rig->snapshot);
    draw_list_write_text(&list, out);
    assert_false(list.is_short);
    draw_list_free(&list);
    fclose(out);
    return text;
}

static char *picture(const struct draw_rig *rig, uint32_t shows)
{
    struct viewport viewport = viewport_on(rig, shows);
    return text_of(rig, &viewport);
}

/* ---- Goldens ---- */

static bool check_scene(const char *name)
{
    struct draw_rig rig;
    draw_rig_open(&rig, name, 100);
    char *drawn = picture(&rig, SHOW_ALL);
    bool is_same = draw_rig_is_golden(name, drawn);
    free(drawn);
    draw_rig_close(&rig);
    return is_same;
}

static void each_scene_is_drawn_as_its_golden_says(void **state)
{
    (void)state;
    DIR *folder = opendir(PTYBOT_SOURCE_DIR "/scenes");
    size_t scenes = 0, wrong = 0;
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char name[256];
        const char *ending = strstr(entry->d_name, ".yaml");
        if (!ending)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(ending - entry->d_name), entry->d_name);
        scenes++;
        wrong += !check_scene(name);
    }
    closedir(folder);
    assert_true(scenes > 10);
    assert_int_equal(wrong, 0);
}

/* ---- Pictures show events ---- */

static size_t count(const char *text, const char *part)
{
    size_t found = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        found++;
    return found;
}

static void a_pressed_bumper_lights_up(void **state)
{
    (void)state;
    struct draw_rig rig;
    draw_rig_open(&rig, "kobuki_room", 100);
    char *before = picture(&rig, SHOW_ALL);
    draw_rig_do(&rig, "kobuki.press bumper=left for=5");
    draw_rig_run(&rig, 100);
    char *after = picture(&rig, SHOW_ALL);
    assert_int_equal(count(before, "stroke ff5a36ff"), 0);
    assert_int_equal(count(after, "stroke ff5a36ff"), 1);
    free(before);
    free(after);
    draw_rig_close(&rig);
}

static void light_that_is_seen_is_brighter(void **state)
{
    (void)state;
    struct draw_rig rig;
    draw_rig_open(&rig, "kobuki_dock", 100);
    char *unseen = picture(&rig, SHOW_ALL);
    draw_rig_do(&rig, "kobuki.place x=4.5 y=2 heading=0");
    draw_rig_run(&rig, 100);
    char *seen = picture(&rig, SHOW_ALL);
    /* The center of the near field as a polygon, with the alpha of light that no receiver sees,
     * then of light that a receiver sees. */
    assert_int_equal(count(unseen, "fill 009e7321"), 1);
    assert_int_equal(count(seen, "fill 009e7321"), 0);
    assert_int_equal(count(seen, "fill 009e7357"), 1);
    free(unseen);
    free(seen);
    draw_rig_close(&rig);
}

static void a_lifted_robot_says_so(void **state)
{
    (void)state;
    struct draw_rig rig;
    draw_rig_open(&rig, "kobuki_room", 100);
    draw_rig_do(&rig, "kobuki.lift for=5");
    draw_rig_run(&rig, 100);
    char *text = picture(&rig, SHOW_ALL);
    assert_int_equal(count(text, "kobuki · lifted"), 1);
    free(text);
    draw_rig_close(&rig);
}

static void what_is_solid_in_a_map_is_filled(void **state)
{
    (void)state;
    struct draw_rig rig;
    draw_rig_open(&rig, "kobuki_office", 0);
    char *whole = picture(&rig, 0);
    assert_int_equal(count(whole, " even\n"), 1);
    /* A border with a gap has no inside. */
    const struct snapshot *snapshot = rig.snapshot;
    struct snapshot_wall *walls = (void *)((char *)rig.snapshot + snapshot->walls.at);
    walls[0].is_border = 0;
    char *broken = picture(&rig, 0);
    assert_int_equal(count(broken, " even\n"), 0);
    free(whole);
    free(broken);
    draw_rig_close(&rig);
}

static void what_is_switched_off_is_not_drawn(void **state)
{
    (void)state;
    struct draw_rig rig;
    draw_rig_open(&rig, "kobuki_dock", 100);
    char *text = picture(&rig, 0);
    assert_int_equal(count(text, "\ntext "), 0);
    assert_int_equal(count(text, " dash "), 0);
    free(text);
    draw_rig_close(&rig);
}

static void the_selected_robot_has_a_ring(void **state)
{
    (void)state;
    struct draw_rig rig;
    draw_rig_open(&rig, "ten_kobukis", 0);
    struct viewport viewport = viewport_on(&rig, 0);
    char *without = text_of(&rig, &viewport);
    viewport.selected = 3;
    char *with = text_of(&rig, &viewport);
    assert_int_equal(count(with, "\ndisc "), count(without, "\ndisc ") + 2); // and its edge
    free(without);
    free(with);
    draw_rig_close(&rig);
}

static void a_robot_that_fails_has_a_badge_and_no_line_to_a_dock(void **state)
{
    (void)state;
    static const char *const deaf[] = {"kobuki.fault dock_center=stuck",
                                       "kobuki.fault dock_left=stuck",
                                       "kobuki.fault dock_right=dead", NULL};
    struct draw_rig rig;
    draw_rig_open(&rig, "kobuki_dock", 100);
    draw_rig_do(&rig, "kobuki.place x=4.5 y=2 heading=0");
    draw_rig_run(&rig, 100);
    char *before = picture(&rig, SHOW_ALL);
    for (size_t i = 0; deaf[i]; i++)
        draw_rig_do(&rig, deaf[i]);
    draw_rig_run(&rig, 100);
    char *after = picture(&rig, SHOW_ALL);
    /* The line from the dock to a receiver that sees it; the near center with the alpha of light
     * that a receiver sees. */
    assert_int_equal(count(before, "stroke 009e73e6 width 1.5"), 1);
    assert_int_equal(count(before, "fill 009e7357"), 1);
    assert_int_equal(count(before, "size 12.0 \"3\""), 0);
    assert_int_equal(count(after, "stroke 009e73e6 width 1.5"), 0);
    assert_int_equal(count(after, "fill 009e7357"), 0);
    assert_int_equal(count(after, "size 12.0 \"3\""), 1);
    draw_rig_do(&rig, "kobuki.heal");
    draw_rig_run(&rig, 100);
    char *healed = picture(&rig, SHOW_ALL);
    assert_int_equal(count(healed, "size 12.0 \"3\""), 0);
    assert_int_equal(count(healed, "stroke 009e73e6 width 1.5"), 1);
    free(before);
    free(after);
    free(healed);
    draw_rig_close(&rig);
}

/* The middle, baseline and half width of a name in the list: bold letters of 15 px. */
static bool next_name(const char **at, double *x_px, double *y_px, double *half_px)
{
    char name[64];
    while ((*at = strstr(*at, "\ntext "))) {
        const char *line = ++*at;
        if (sscanf(line, "text %lf,%lf center size 15.0 \"%63[^\"]\"", x_px, y_px, name) != 3)
            continue;
        *half_px = (double)strlen(name) * 15 * 0.5 / 2; /* less than its real width */
        return true;
    }
    return false;
}

static void names_hide_neither_robots_nor_each_other(void **state)
{
    (void)state;
    struct draw_rig rig;
    draw_rig_open(&rig, "ten_kobukis", 0);
    struct viewport viewport = viewport_on(&rig, SHOW_LABELS);
    struct snapshot_robot *robots = (void *)((char *)rig.snapshot + rig.snapshot->robots.at);
    for (uint32_t i = 0; i < rig.snapshot->robots.count; i++) /* a crowd, two rows */
        robots[i].pose = (struct snapshot_pose){3 + 0.45 * (i % 5), 3 + 0.4 * (i / 5), 0};
    viewport.selected = 7; /* of the second row, in the middle */
    char *text = text_of(&rig, &viewport);
    double x_px[10], y_px[10], half_px[10], radius_px = 0.175 * viewport.px_per_m;
    size_t names = 0;
    for (const char *at = text;
         names < 10 && next_name(&at, &x_px[names], &y_px[names], &half_px[names]);)
        names++;
    assert_in_range(names, 4, 10);
    assert_int_equal(count(text, "\"Kobuki 8\""), 1);
    for (size_t i = 0; i < names; i++) {
        for (size_t k = 0; k < i; k++)
            assert_true(fabs(x_px[i] - x_px[k]) > half_px[i] + half_px[k] ||
                        fabs(y_px[i] - y_px[k]) > 12);
        for (uint32_t k = 0; k < rig.snapshot->robots.count; k++) {
            struct viewport_point at =
                viewport_px(&viewport, robots[k].pose.x_m, robots[k].pose.y_m);
            assert_true(fabs(x_px[i] - at.x) > half_px[i] + radius_px ||
                        y_px[i] - at.y > radius_px + 9 || at.y - y_px[i] > radius_px - 2);
        }
    }
    free(text);
    draw_rig_close(&rig);
}

static void what_differs_has_another_color(void **state)
{
    (void)state;
    for (int name = THEME_LIGHT; name <= THEME_DARK; name++) {
        const struct theme *theme = theme_of((enum theme_name)name);
        const uint32_t colors[] = {theme->left,     theme->center,    theme->right, theme->trail,
                                   theme->odometry, theme->selection, theme->floor};
        for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
            for (size_t k = 0; k < i; k++)
                assert_int_not_equal(colors[i], colors[k]);
    }
}

/* ---- Words in the picture ---- */

static void a_zero_of_the_grid_has_no_minus(void **state)
{
    (void)state;
    struct draw_rig rig;
    draw_rig_open(&rig, "kobuki_room", 0);
    rig.snapshot->low.x_m = rig.snapshot->low.y_m = -0.3f;
    char *text = picture(&rig, SHOW_ALL);
    assert_non_null(strstr(text, "\"0\""));
    assert_null(strstr(text, "\"-0\""));
    free(text);
    draw_rig_close(&rig);
}

/* The picture of a scene as wide as a phone. */
static char *on_a_phone(const char *scene)
{
    struct draw_rig rig;
    draw_rig_open(&rig, scene, 100);
    struct viewport viewport = {
        .width_px = 390, .height_px = 460, .shows = SHOW_ALL, .selected = VIEWPORT_NOBODY};
    viewport_fit(&viewport, rig.snapshot);
    char *text = text_of(&rig, &viewport);
    draw_rig_close(&rig);
    return text;
}

static void the_legend_is_whole_on_a_phone(void **state)
{
    (void)state;
    static const char *const words[] = {"dock light:", "L left", "C center",
                                        "R right",     "near",   "far"};
    char *text = on_a_phone("kobuki_dock");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_non_null(strstr(text, words[i]));
    free(text);
}

/* Pixels from the top to a word of the legend. */
static double height_of(const char *text, const char *word)
{
    char quoted[32];
    double y_px = 0;
    snprintf(quoted, sizeof quoted, "\"%s\"", word);
    const char *at = strstr(text, quoted);
    assert_non_null(at);
    while (at > text && at[-1] != '\n')
        at--;
    assert_int_equal(sscanf(at, "text %*f,%lf", &y_px), 1);
    return y_px;
}

static void the_legend_takes_the_room_beside_a_short_scale(void **state)
{
    (void)state;
    struct draw_rig rig;
    draw_rig_open(&rig, "kobuki_dock", 100);
    struct viewport viewport = {
        .width_px = 700, .height_px = 300, .shows = SHOW_ALL, .selected = VIEWPORT_NOBODY};
    viewport_fit(&viewport, rig.snapshot);
    char *text = text_of(&rig, &viewport);
    assert_true(height_of(text, "dock light:") == height_of(text, "far"));
    free(text);
    // With two more keys the legend needs a second line, which contains only the light of the dock.
    struct snapshot_robot *robot = (void *)((char *)rig.snapshot + rig.snapshot->robots.at);
    robot->has_odometry = true;
    robot->odometry_trail.count = 2;
    text = text_of(&rig, &viewport);
    assert_true(height_of(text, "odometry") < height_of(text, "dock light:"));
    assert_true(height_of(text, "dock light:") == height_of(text, "far"));
    free(text);
    draw_rig_close(&rig);
}

static void title_and_clock_have_room_on_a_phone(void **state)
{
    (void)state;
    char *text = on_a_phone("create2_room"), title[80], clock[80];
    double x_px, y_px, size_px, right_px;
    const char *at = strstr(text, "\ntext 24.0,31.0");
    assert_non_null(at);
    assert_int_equal(
        sscanf(at, "\ntext %lf,%lf left size %lf \"%79[^\"]\"", &x_px, &y_px, &size_px, title), 4);
    at = strstr(at, "\ntext 366.0,");
    assert_int_equal(sscanf(at, "\ntext %lf,%*f right size %*f \"%79[^\"]\"", &right_px, clock), 2);
    assert_true(x_px + 0.6 * size_px * (double)strlen(title) <
                right_px - 9.7 * (double)strlen(clock));
    free(text);
}

static void the_depth_of_a_small_pit_does_not_spill(void **state)
{
    (void)state;
    struct draw_rig rig;
    draw_rig_open(&rig, "kobuki_room", 0);
    struct viewport viewport = viewport_on(&rig, SHOW_ALL);
    char *text = text_of(&rig, &viewport);
    assert_non_null(strstr(text, "\"0.3 m deep\""));
    free(text);
    viewport_zoom(&viewport, 0, 0, 0.3);
    text = text_of(&rig, &viewport);
    assert_null(strstr(text, "deep"));
    assert_non_null(strstr(text, "\"0.3 m\""));
    free(text);
    viewport_zoom(&viewport, 0, 0, 0.1);
    text = text_of(&rig, &viewport);
    assert_null(strstr(text, "\"0.3 m"));
    free(text);
    draw_rig_close(&rig);
}

/* ---- The viewport ---- */

static void zooming_keeps_the_point_under_the_pointer(void **state)
{
    (void)state;
    struct draw_rig rig;
    draw_rig_open(&rig, "kobuki_room", 0);
    struct viewport viewport = viewport_on(&rig, 0);
    double x_m, y_m;
    viewport_m(&viewport, 200, 600, &x_m, &y_m);
    viewport_zoom(&viewport, 200, 600, 3);
    struct viewport_point at = viewport_px(&viewport, x_m, y_m);
    assert_true(at.x > 199.999 && at.x < 200.001 && at.y > 599.999 && at.y < 600.001);
    /* Without a limit the zoom would lose the picture. */
    for (int i = 0; i < 100; i++)
        viewport_zoom(&viewport, 200, 600, 10);
    assert_true(viewport.px_per_m <= 20000);
    draw_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_scene_is_drawn_as_its_golden_says),
        cmocka_unit_test(a_pressed_bumper_lights_up),
        cmocka_unit_test(light_that_is_seen_is_brighter),
        cmocka_unit_test(a_lifted_robot_says_so),
        cmocka_unit_test(what_is_solid_in_a_map_is_filled),
        cmocka_unit_test(what_is_switched_off_is_not_drawn),
        cmocka_unit_test(the_selected_robot_has_a_ring),
        cmocka_unit_test(a_robot_that_fails_has_a_badge_and_no_line_to_a_dock),
        cmocka_unit_test(names_hide_neither_robots_nor_each_other),
        cmocka_unit_test(what_differs_has_another_color),
        cmocka_unit_test(a_zero_of_the_grid_has_no_minus),
        cmocka_unit_test(the_legend_is_whole_on_a_phone),
        cmocka_unit_test(the_legend_takes_the_room_beside_a_short_scale),
        cmocka_unit_test(title_and_clock_have_room_on_a_phone),
        cmocka_unit_test(the_depth_of_a_small_pit_does_not_spill),
        cmocka_unit_test(zooming_keeps_the_point_under_the_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
