/* Conditions on signals: what they may look like, what is said of wrong ones, when they hold. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/state/state.h"
#include "sim/verdict/condition.h"
#include "tests/support/simulation.h"

static const char room[] = "world: {size: {x: 6, y: 6}}\n"
                           "robots:\n"
                           "- {name: kobuki, type: kobuki, pose: {x: 2, y: 3}}\n"
                           "- {name: cobot, type: cobot, pose: {x: 5, y: 5}, links: []}\n";

static bool holds(const struct sim *sim, const char *text)
{
    struct condition condition;
    struct error error = {0};
    if (!condition_parse(sim, text, &condition, &error))
        fail_msg("%s: %s", text, error.text);
    return condition_holds(sim, &condition);
}

static void each_comparison_holds_on_its_side_of_a_number(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        bool less, equal, more; /* with x_m = 2 against 3, 2 and 1 */
    } rows[] = {
        {"==", false, true, false}, {"!=", true, false, true}, {"<", true, false, false},
        {"<=", true, true, false},  {">", false, false, true}, {">=", false, true, true},
    };
    struct simulation self = simulation_open(room, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "kobuki.x_m %s 3", rows[i].op);
        assert_int_equal(holds(self.sim, text), rows[i].less);
        snprintf(text, sizeof text, "kobuki.x_m%s2", rows[i].op);
        assert_int_equal(holds(self.sim, text), rows[i].equal);
        snprintf(text, sizeof text, " kobuki.x_m  %s 1e0 ", rows[i].op);
        assert_int_equal(holds(self.sim, text), rows[i].more);
    }
    simulation_close(&self);
}

static void terms_hold_only_together(void **state)
{
    (void)state;
    struct simulation self = simulation_open(room, NULL);
    assert_true(holds(self.sim, "kobuki.x_m == 2 and kobuki.y_m == 3"));
    assert_false(holds(self.sim, "kobuki.x_m == 2 and kobuki.y_m == 2"));
    assert_false(holds(self.sim, "kobuki.x_m == 1 and kobuki.y_m == 3"));
    assert_true(holds(self.sim, "kobuki.x_m > -1 and kobuki.x_m < 5 and kobuki.y_m >= 3"));
    simulation_close(&self);
}

static void no_comparison_holds_of_a_value_that_is_no_number(void **state)
{
    (void)state;
    static const char *const ops[] = {"==", "!=", "<", "<=", ">", ">="};
    struct simulation self = simulation_open(room, NULL);
    self.sim->robots[0].pose.x_m = NAN;
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "kobuki.x_m %s 2", ops[i]);
        assert_false(holds(self.sim, text));
    }
    simulation_close(&self);
}

static void words_stand_for_the_numbers_that_a_signal_names(void **state)
{
    (void)state;
    const char *const tracked[] = {"cobot.model=tracked", NULL};
    struct simulation self = simulation_open(room, tracked);
    assert_true(holds(self.sim, "cobot.model == tracked"));
    assert_false(holds(self.sim, "cobot.model == mecanum"));
    assert_true(holds(self.sim, "kobuki.lifted == false"));
    assert_true(holds(self.sim, "kobuki.uart.cts == true"));
    simulation_close(&self);
}

static void a_condition_tells_each_of_its_values_once(void **state)
{
    (void)state;
    struct simulation self = simulation_open(room, NULL);
    struct condition condition;
    struct error error = {0};
    char text[CONDITION_TEXT_MAX], small[8];
    const char *wanted = "kobuki.x_m > 1 and cobot.model != tracked and kobuki.x_m < 3 and "
                         "kobuki.collisions == 0";
    assert_true(condition_parse(self.sim, wanted, &condition, &error));
    assert_string_equal(condition_describe(self.sim, &condition, text, sizeof text),
                        "kobuki.x_m = 2 m, cobot.model = mecanum, kobuki.collisions = 0");
    assert_string_equal(condition_describe(self.sim, &condition, small, sizeof small), "kobuki.");
    simulation_close(&self);
}

static void what_is_no_condition_is_refused_with_a_remedy(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"", "found nothing where a signal belongs; allowed: SIGNAL OP NUMBER"},
        {"-3 < 4", "found '-3' where a signal belongs"},
        {"kobuki.baterry_v > 15",
         "there is no signal 'kobuki.baterry_v'; did you mean kobuki.battery_v"},
        {"x > 15", "there is no signal 'x'; `ptybot list signals` shows all"},
        {"kobuki.x_m", "found nothing after kobuki.x_m; allowed: == != < <= > >="},
        {"kobuki.x_m = 1", "found '=' after kobuki.x_m; allowed: =="},
        {"kobuki.x_m =< 1", "found '=<' after kobuki.x_m"},
        {"kobuki.x_m is 1", "found 'is' after kobuki.x_m"},
        {"kobuki.x_m > ", "found nothing to compare kobuki.x_m with; allowed: a number in m"},
        {"kobuki.x_m > 1m", "found '1m' to compare kobuki.x_m with"},
        {"kobuki.x_m > nan", "found 'nan'"},
        {"kobuki.x_m > 0x10", "found '0x10'"},
        {"kobuki.x_m > true", "found 'true'"},
        {"kobuki.lifted == up", "allowed: a number, true or false"},
        {"cobot.model == traced", "did you mean tracked? allowed: "},
        {"kobuki.x_m > 1 m", "found 'm' after a comparison; allowed: and, or nothing"},
        {"kobuki.x_m > 1 or kobuki.y_m > 1", "found 'or' after a comparison"},
        {"kobuki.x_m > 1 and", "found nothing where a signal belongs"},
        {"kobuki.x_m > 1, kobuki.y_m > 1", "found ',' after a comparison"},
        {"(kobuki.x_m > 1)", "where a signal belongs"},
    };
    struct simulation self = simulation_open(room, NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct condition condition;
        struct error error = {0};
        if (condition_parse(self.sim, wrong[i].text, &condition, &error))
            fail_msg("'%s' was accepted", wrong[i].text);
        if (!strstr(error.text, wrong[i].says))
            fail_msg("'%s' said: %s", wrong[i].text, error.text);
    }
    simulation_close(&self);
}

static void long_texts_and_many_terms_are_refused(void **state)
{
    (void)state;
    struct simulation self = simulation_open(room, NULL);
    struct condition condition;
    struct error error = {0};
    static char text[4000];
    memset(text, 'x', sizeof text - 1);
    assert_false(condition_parse(self.sim, text, &condition, &error));

    text[0] = '\0';
    for (size_t i = 0; i < CONDITION_TERMS_MAX; i++)
        strcat(text, i ? " and kobuki.x_m > 1" : "kobuki.x_m > 1");
    assert_true(condition_parse(self.sim, text, &condition, &error));
    assert_int_equal(condition.count, CONDITION_TERMS_MAX);
    strcat(text, " and kobuki.x_m > 1");
    assert_false(condition_parse(self.sim, text, &condition, &error));
    assert_non_null(strstr(error.text, "more than 16 comparisons"));
    simulation_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_comparison_holds_on_its_side_of_a_number),
        cmocka_unit_test(terms_hold_only_together),
        cmocka_unit_test(no_comparison_holds_of_a_value_that_is_no_number),
        cmocka_unit_test(words_stand_for_the_numbers_that_a_signal_names),
        cmocka_unit_test(a_condition_tells_each_of_its_values_once),
        cmocka_unit_test(what_is_no_condition_is_refused_with_a_remedy),
        cmocka_unit_test(long_texts_and_many_terms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
