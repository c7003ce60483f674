/* The panel as lists of shapes: its display of faults and of many robots, and that it leaves room
 * in a small window. With PTYBOT_UPDATE_GOLDEN=1 in the environment, the tests rewrite the golden
 * files.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/commands/fault_commands.h"
#include "tests/support/check.h"
#include "tests/viewer/draw_rig.h"
#include "viewer/model/actions.h"
#include "viewer/model/overlay.h"
#include "viewer/panel/panel.h"
#include "viewer/panel/signal_text.h"
#include "viewer/window/panel_draw.h"

struct panel_rig {
    struct draw_rig draw;
    struct view view;
};

static void rows_free(struct rows *rows)
{
    free(rows->row);
    free(rows->text);
}

static void look(struct panel_rig *rig, int ms)
{
    draw_rig_run(&rig->draw, ms);
    view_set_snapshot(&rig->view, rig->draw.snapshot);
}

static void open_rig(struct panel_rig *rig, const char *scene, double width_px, double height_px)
{
    draw_rig_open(&rig->draw, scene, 0);
    view_init(&rig->view);
    view_resize(&rig->view, width_px, height_px);
    look(rig, 100);
}

/* What DRAW makes of the view as text, which the caller frees. */
static char *text_of(struct panel_rig *rig, void (*draw)(struct draw_list *, struct view *))
{
    struct draw_list list = {0};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    draw(&list, &rig->view);
    draw_list_write_text(&list, out);
    fclose(out);
    draw_list_free(&list);
    return text;
}

/* The start of a word after FROM; NULL: not found. */
static const char *word_after(const char *from, const char *word)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\"", word);
    return from ? strstr(from, quoted) : NULL;
}

static void faults_and_what_is_to_come_are_on_a_page(void **state)
{
    (void)state;
    struct panel_rig rig;
    open_rig(&rig, "kobuki_faults", 1280, 800);
    draw_rig_do(&rig.draw, "kobuki.fault cliff_left=dead for=9");
    draw_rig_do(&rig.draw, "kobuki.fault uart=drop rate=0.05 direction=to_host");
    look(&rig, 100);
    action_run(&rig.view, ACTION_TAB, TAB_FAULTS);
    action_run(&rig.view, ACTION_FAULT_PART, 0);
    action_run(&rig.view, ACTION_FAULT_KIND, 0);
    char *text = text_of(&rig, panel_draw);
    assert_non_null(word_after(text, "2 faults"));
    const char *wire = word_after(text, "uart");
    assert_non_null(word_after(wire, "drop 5 % to host"));
    assert_non_null(word_after(wire, "until healed"));
    assert_non_null(word_after(word_after(text, "cliff_left"), "8.9 s left"));
    assert_non_null(word_after(text, "Coming in the timeline"));
    assert_true(draw_rig_is_golden("panel_faults", text));
    free(text);
    draw_rig_close(&rig.draw);
}

/* The row of a form with that label. */
static const struct row *field_of(const struct rows *rows, const char *label)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->row[i].kind == ROW_FIELD &&
            strcmp(rows_text(rows, rows->row[i].label), label) == 0)
            return &rows->row[i];
    return NULL;
}

static void a_fault_is_a_form_with_sliders_words_and_units(void **state)
{
    (void)state;
    struct panel_rig rig;
    struct rows rows = {0};
    open_rig(&rig, "kobuki_faults", 1280, 800);
    action_run(&rig.view, ACTION_FAULT_PART, 0);
    action_run(&rig.view, ACTION_FAULT_KIND, 0);
    panel_faults(&rig.view, &rows);
    const struct row *rate = field_of(&rows, "rate"), *duration = field_of(&rows, "for");
    const struct row *direction = field_of(&rows, "direction");
    assert_true(rate && duration && direction);
    assert_true(rate->has_slider && duration->has_slider && !direction->has_slider);
    assert_string_equal(rows_text(&rows, rate->value), "0.05");
    assert_string_equal(rows_text(&rows, duration->unit), "s");
    assert_string_equal(rows_text(&rows, duration->hint), "until healed");
    assert_string_equal(rows_text(&rows, direction->choices), "both to_host to_robot");
    action_run(&rig.view, ACTION_FAULT_SLIDE, rate->number * ACTION_SLIDE_KEY + FAULT_MENU_STEPS);
    action_run(&rig.view, ACTION_FAULT_SLIDE, direction->number * ACTION_SLIDE_KEY + 2);
    action_run(&rig.view, ACTION_FAULT_VALUE, duration->number);
    action_letters(&rig.view, "1");
    action_letters(&rig.view, "29");
    assert_true(action_typing_key(&rig.view, KEY_BACKSPACE));
    assert_true(action_typing_key(&rig.view, KEY_ENTER));
    assert_false(action_typing_key(&rig.view, 'h'));
    action_run(&rig.view, ACTION_FAULT, 0);
    assert_string_equal(outbox_take(&rig.view.outbox),
                        "kobuki.fault uart=drop rate=1 for=12 direction=to_robot");
    rows_free(&rows);
    draw_rig_close(&rig.draw);
}

static void each_argument_of_a_fault_has_its_field(void **state)
{
    (void)state;
    struct panel_rig rig;
    struct sim_fault_info info;
    open_rig(&rig, "kobuki_faults", 1280, 800);
    for (uint32_t kind = 0; sim_fault_info(kind, &info); kind++) {
        struct fault_argument list[FAULT_MENU_KEYS];
        size_t count = 0, wanted = 0;
        for (const char *at = info.arguments; (at = strchr(at, '=')); at++)
            wanted++;
        // At both ends of a slider the value is one that the command takes.
        for (uint32_t step = 0; step <= FAULT_MENU_STEPS; step += FAULT_MENU_STEPS) {
            for (uint32_t key = 0; key < FAULT_MENU_KEYS; key++)
                fault_menu_slide(&rig.view.faults, key, step);
            count = fault_menu_arguments(&rig.view.faults, rig.view.snapshot, kind, list);
            assert_int_equal(count, wanted);
            for (size_t i = 0; i < count; i++)
                for (size_t k = 0; k < FAULT_ARGS && !*list[i].key->words; k++)
                    if (strcmp(fault_rows[k].key, list[i].key->name) == 0) {
                        assert_true(atof(list[i].value) >= fault_rows[k].min);
                        assert_true(atof(list[i].value) <= fault_rows[k].max);
                    }
        }
    }
    draw_rig_close(&rig.draw);
}

/* The order of the names of all ten robots in the roster, from the top; 0: the name is missing. */
static size_t names_of(struct panel_rig *rig, char order[64])
{
    char *text = text_of(rig, panel_draw), *at = text;
    size_t count = 0;
    *order = '\0';
    while ((at = strstr(at, "\"Kobuki "))) {
        at += strlen("\"Kobuki ");
        snprintf(order + strlen(order), 64 - strlen(order), "%d ", atoi(at));
        count++;
    }
    free(text);
    return count;
}

static void all_robots_can_be_sorted_filtered_and_clicked(void **state)
{
    (void)state;
    char order[64];
    struct panel_rig rig;
    open_rig(&rig, "ten_kobukis", 1280, 800);
    draw_rig_do(&rig.draw, "kobuki3.fault battery=low");
    draw_rig_do(&rig.draw, "kobuki7.fault uart=stall for=60");
    draw_rig_do(&rig.draw, "kobuki9.unplug what=uart");
    look(&rig, 100);
    action_run(&rig.view, ACTION_TAB, TAB_ROSTER);
    assert_int_equal(names_of(&rig, order), 10);
    assert_string_equal(order, "1 2 3 4 5 6 7 8 9 10 ");
    char *text = text_of(&rig, panel_draw);
    assert_true(draw_rig_is_golden("panel_roster", text));
    free(text);
    action_run(&rig.view, ACTION_SORT, ROSTER_NAME);
    names_of(&rig, order);
    assert_string_equal(order, "10 9 8 7 6 5 4 3 2 1 ");
    action_run(&rig.view, ACTION_SORT, ROSTER_BATTERY);
    names_of(&rig, order);
    assert_string_equal(order, "3 1 2 4 5 6 7 8 9 10 ");
    action_run(&rig.view, ACTION_SORT, ROSTER_LINK);
    action_run(&rig.view, ACTION_SORT, ROSTER_LINK);
    names_of(&rig, order);
    assert_string_equal(order, "9 1 2 3 4 5 6 7 8 10 ");
    action_run(&rig.view, ACTION_FILTER, ROSTER_FAILING);
    assert_int_equal(names_of(&rig, order), 1);
    assert_string_equal(order, "7 ");
    action_run(&rig.view, ACTION_SELECT, 6);
    text = text_of(&rig, panel_draw);
    assert_non_null(word_after(text, "Kobuki 7"));
    assert_non_null(word_after(text, "Robots"));
    free(text);
    draw_rig_close(&rig.draw);
}

static void the_panel_of_one_robot_stays_without_a_selection(void **state)
{
    (void)state;
    struct panel_rig rig;
    open_rig(&rig, "kobuki_room", 1280, 800);
    action_run(&rig.view, ACTION_ESCAPE, 0);
    assert_null(view_robot(&rig.view));
    assert_true(view_has_panel(&rig.view));
    char *text = text_of(&rig, panel_draw);
    assert_non_null(word_after(text, "1 robot"));
    free(text);
    action_run(&rig.view, ACTION_PANEL, 0);
    assert_false(view_has_panel(&rig.view));
    action_run(&rig.view, ACTION_PANEL, 0);
    assert_true(view_has_panel(&rig.view));
    action_run(&rig.view, ACTION_TAB, TAB_SIGNALS);
    assert_non_null(view_robot(&rig.view));
    assert_int_equal(view_tab(&rig.view), TAB_SIGNALS);
    draw_rig_close(&rig.draw);
}

/* ---- Signals ---- */

/* The value of the entry with that label on the page of signals; "": there is none. */
static const char *value_of(struct panel_rig *rig, struct rows *rows, const char *label)
{
    rows_clear(rows);
    panel_signals(&rig->view, rows);
    for (size_t i = 0; i < rows->count; i++)
        if (rows->row[i].kind == ROW_ENTRY &&
            strcmp(rows_text(rows, rows->row[i].label), label) == 0)
            return rows_text(rows, rows->row[i].value);
    return "";
}

static uint32_t number_of(const struct panel_rig *rig, const char *name)
{
    const struct snapshot *snapshot = rig->view.snapshot;
    uint32_t number = 0;
    while (strcmp(snapshot_text(snapshot, signal_of(snapshot, number)->name), name) != 0)
        assert_true(++number < snapshot->values.count);
    return number;
}

static void values_have_units_bits_and_turns(void **state)
{
    (void)state;
    struct panel_rig rig;
    struct rows rows = {0};
    char text[64];
    open_rig(&rig, "kobuki_room", 1280, 800);
    draw_rig_do(&rig.draw, "kobuki.place x=3.1416 y=2 heading=715.86");
    draw_rig_do(&rig.draw, "kobuki.press bumper=center for=5");
    draw_rig_do(&rig.draw, "kobuki.press bumper=left for=5");
    look(&rig, 100);
    action_type(&rig.view, ACTION_FIND_SIGNAL, 0, "b");
    assert_string_equal(value_of(&rig, &rows, "basic.bumper"), "6 center, left");
    action_type(&rig.view, ACTION_FIND_SIGNAL, 0, "");
    assert_string_equal(value_of(&rig, &rows, "x_m"), "3.142 m");
    assert_string_equal(value_of(&rig, &rows, "heading_deg"), "-4.14 deg +2 turns");
    assert_string_equal(value_of(&rig, &rows, "power"), "on");
    signal_text(rig.view.snapshot, number_of(&rig, "kobuki.sound_sequence.number"), 4, text,
                sizeof text);
    assert_string_equal(text, "4 error");
    signal_number_text(1.416703297, "V", text, sizeof text);
    assert_string_equal(text, "1.417 V");
    rows_free(&rows);
    draw_rig_close(&rig.draw);
}

static void signals_are_searched_and_pinned(void **state)
{
    (void)state;
    struct panel_rig rig;
    struct rows rows = {0};
    open_rig(&rig, "kobuki_room", 1280, 800);
    assert_string_equal(value_of(&rig, &rows, "inputs.digital_input"), "");
    size_t all = rows.count;
    action_type(&rig.view, ACTION_FIND_SIGNAL, 0, "GYRO");
    assert_string_not_equal(value_of(&rig, &rows, "gyro_angle_deg"), "");
    assert_string_not_equal(value_of(&rig, &rows, "gyro.frame_id"), ""); // of a closed group
    assert_string_equal(value_of(&rig, &rows, "x_m"), "");
    assert_true(rows.count < all);
    uint32_t number = number_of(&rig, "kobuki.x_m");
    action_run(&rig.view, ACTION_PIN, number);
    assert_string_not_equal(value_of(&rig, &rows, "kobuki.x_m"), "");
    action_run(&rig.view, ACTION_PIN, number);
    assert_string_equal(value_of(&rig, &rows, "kobuki.x_m"), "");
    rows_free(&rows);
    draw_rig_close(&rig.draw);
}

static void signals_of_a_unit_share_a_plot_with_a_cursor(void **state)
{
    (void)state;
    static const char *const names[] = {"kobuki.x_m", "kobuki.heading_deg", "kobuki.y_m"};
    struct panel_rig rig;
    open_rig(&rig, "kobuki_room", 1280, 800);
    action_run(&rig.view, ACTION_TAB, TAB_SIGNALS);
    for (size_t i = 0; i < 3; i++)
        action_run(&rig.view, ACTION_PLOT, number_of(&rig, names[i]));
    look(&rig, 1000);
    draw_rig_do(&rig.draw, "kobuki.place x=1.25 y=2.5 heading=0");
    look(&rig, 100);
    char *text = text_of(&rig, panel_draw);
    const char *first = word_after(text, "10 s");
    assert_non_null(word_after(word_after(text, "kobuki.x_m"), "1.250 m"));
    assert_true(word_after(text, "kobuki.y_m") < first);
    assert_true(word_after(text, "kobuki.heading_deg") > first);
    const char *second = word_after(first + 1, "10 s");
    assert_non_null(second);
    assert_null(word_after(second + 1, "10 s"));
    free(text);
    // The curves begin after 48 pixels; a tenth of their width is a second.
    double room_px = view_room_px(&rig.view);
    rig.view.mouse_x_px = room_px + 16 + 48 + 292 * 0.95;
    rig.view.mouse_y_px = VIEW_TOOLBAR_PX + 180;
    text = text_of(&rig, panel_draw);
    assert_non_null(word_after(text, "-0.50 s"));
    assert_non_null(word_after(word_after(text, "kobuki.x_m"), "3 m"));
    free(text);
    draw_rig_close(&rig.draw);
}

/* ---- Small windows ---- */

static void a_narrow_window_folds_the_panel_until_it_is_wanted(void **state)
{
    (void)state;
    struct panel_rig rig;
    open_rig(&rig, "kobuki_room", 1280, 800);
    assert_true(view_has_panel(&rig.view));
    assert_true(VIEW_PANEL_PX * 3 <= 1280);
    view_resize(&rig.view, 800, 600);
    assert_false(view_has_panel(&rig.view));
    action_run(&rig.view, ACTION_PANEL, 0);
    assert_true(view_has_panel(&rig.view));
    view_resize(&rig.view, 820, 600);
    assert_true(view_has_panel(&rig.view));
    action_run(&rig.view, ACTION_PANEL, 0);
    assert_false(view_has_panel(&rig.view));
    view_resize(&rig.view, 1280, 800);
    draw_rig_close(&rig.draw);
    open_rig(&rig, "kobuki_room", 800, 600);
    assert_false(view_has_panel(&rig.view));
    view_resize(&rig.view, 1280, 800);
    assert_true(view_has_panel(&rig.view));
    draw_rig_close(&rig.draw);
}

static void the_help_is_whole_in_a_small_window(void **state)
{
    (void)state;
    struct panel_rig rig;
    open_rig(&rig, "kobuki_room", 800, 600);
    action_run(&rig.view, ACTION_PANEL, 0);
    action_run(&rig.view, ACTION_HELP, 0);
    char *text = text_of(&rig, overlay_draw);
    size_t words = 0;
    for (const char *at = text; (at = strstr(at, "text ")); at += 5) {
        double x_px, y_px, size_px;
        char word[80];
        if (sscanf(at, "text %lf,%lf left size %lf \"%79[^\"]\"", &x_px, &y_px, &size_px, word) !=
            4)
            continue;
        assert_true(x_px > 0 && x_px + 0.55 * size_px * (double)strlen(word) < 800);
        assert_true(y_px > 10 && y_px < 600 - VIEW_TOOLBAR_PX - 4);
        words++;
    }
    assert_true(words > 60);
    free(text);
    draw_rig_close(&rig.draw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_and_what_is_to_come_are_on_a_page),
        cmocka_unit_test(a_fault_is_a_form_with_sliders_words_and_units),
        cmocka_unit_test(each_argument_of_a_fault_has_its_field),
        cmocka_unit_test(all_robots_can_be_sorted_filtered_and_clicked),
        cmocka_unit_test(values_have_units_bits_and_turns),
        cmocka_unit_test(signals_are_searched_and_pinned),
        cmocka_unit_test(signals_of_a_unit_share_a_plot_with_a_cursor),
        cmocka_unit_test(the_panel_of_one_robot_stays_without_a_selection),
        cmocka_unit_test(a_narrow_window_folds_the_panel_until_it_is_wanted),
        cmocka_unit_test(the_help_is_whole_in_a_small_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
