/* Conditions on signals: their syntax, the errors for invalid ones, and when they are true. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "sim/parse/scene_parse.h"
#include "sim/state/state.h"
#include "sim/step/create.h"
#include "sim/verdict/condition.h"
#include "tests/support/all_types.h"
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

static void numbers_are_written_as_everywhere(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool holds; /* x_m is 2 */
    } rows[] = {
        {"kobuki.x_m == 2e0", true},      {"kobuki.x_m == 2E+0", true},
        {"kobuki.x_m == 20e-1", true},    {"kobuki.x_m == 200E-2", true},
        {"kobuki.x_m == .2e1", true},     {"kobuki.x_m == 2.", true},
        {"kobuki.x_m == +2", true},       {"kobuki.x_m == 3-1", true},
        {"kobuki.x_m == 1+1", true},      {"kobuki.x_m*1e1-0.5e+1 == 15", true},
        {"kobuki.x_m == 20e-2", false},   {"kobuki.x_m == -2", false},
        {"kobuki.x_m == 1e-1+1.9", true}, {"-kobuki.x_m == -2e0", true},
        {"kobuki.x_m == .2e+1", true},    {"kobuki.x_m == .2E+1+0", true},
        {"kobuki.x_m == .002e3", true},   {"kobuki.x_m*.5e-1 == 1e-1", true},
    };
    struct simulation self = simulation_open(room, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (holds(self.sim, rows[i].text) != rows[i].holds)
            fail_msg("%s", rows[i].text);
    simulation_close(&self);
}

/* A number with this many digits: zeros with a 2 at the end. */
static bool parses_digits(const struct sim *sim, size_t digits, bool *holds)
{
    char text[256];
    struct condition condition;
    struct error error = {0};
    int used = snprintf(text, sizeof text, "kobuki.x_m == ");
    memset(text + used, '0', digits);
    snprintf(text + used + digits - 1, sizeof text - (size_t)used - digits, "2");
    bool is_good = condition_parse(sim, text, &condition, &error);
    if (!is_good && !strstr(error.text, "found '00"))
        fail_msg("said: %s", error.text);
    *holds = is_good && condition_holds(sim, &condition);
    return is_good;
}

static void a_number_counts_whole_or_is_refused(void **state)
{
    (void)state;
    struct simulation self = simulation_open(room, NULL);
    size_t accepted = 0;
    for (size_t digits = 1; digits < 200; digits++) {
        bool holds;
        if (!parses_digits(self.sim, digits, &holds))
            continue;
        accepted++;
        assert_true(holds);
    }
    assert_in_range(accepted, 20, 198);
    simulation_close(&self);
}

/* A sign belongs to the preceding e only within a number. */
static void a_minus_behind_a_name_is_an_operator(void **state)
{
    (void)state;
    static const char names[] = "world: {size: {x: 6, y: 6}}\n"
                                "robots:\n"
                                "- {name: a1, type: kobuki, pose: {x: 2, y: 3}}\n"
                                "- {name: e2e, type: kobuki, pose: {x: 4, y: 3}}\n";
    static const char *const hold[] = {
        "a1.charge-1 == a1.charge - 1",
        "e2e.charge-1 == e2e.charge - 1",
        "a1.charge+1 > a1.charge",
        "e2e.charge+2e-1 > e2e.charge",
    };
    struct simulation self = simulation_open(names, NULL);
    for (size_t i = 0; i < COUNT(hold); i++)
        if (!holds(self.sim, hold[i]))
            fail_msg("%s does not hold", hold[i]);
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
    // A signal in parentheses is also the signal itself.
    assert_true(holds(self.sim, "(cobot.model) == tracked"));
    assert_true(holds(self.sim, "((kobuki.lifted)) != true"));
    assert_true(holds(self.sim, "( cobot.model ) == tracked and (kobuki.lifted) == false"));
    simulation_close(&self);
}

static void a_condition_reports_each_of_its_values_once(void **state)
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
    wanted = "abs(kobuki.x_m - cobot.x_m) < 1 or 2 * kobuki.x_m == kobuki.y_m";
    assert_true(condition_parse(self.sim, wanted, &condition, &error));
    assert_string_equal(condition_describe(self.sim, &condition, text, sizeof text),
                        "kobuki.x_m = 2 m, cobot.x_m = 5 m, kobuki.y_m = 3 m, "
                        "abs(kobuki.x_m - cobot.x_m) = 3, 2 * kobuki.x_m = 4");
    simulation_close(&self);
}

/* ---- Or, not, parentheses ---- */

/* T is true, F is false, and N compares a value that is not a number. */
static bool holds_of(const struct sim *sim, const char *shape)
{
    char text[CONDITION_TEXT_MAX] = "";
    for (; *shape; shape++) {
        const char *part = *shape == 'T'   ? "kobuki.x_m == 2"
                           : *shape == 'F' ? "kobuki.x_m == 3"
                           : *shape == 'N' ? "cobot.x_m == 3"
                           : *shape == '&' ? " and "
                           : *shape == '|' ? " or "
                           : *shape == '!' ? "not "
                                           : NULL;
        char own[2] = {*shape, '\0'};
        strcat(text, part ? part : own);
    }
    return holds(sim, text);
}

static void or_binds_less_than_and_and_not_more(void **state)
{
    (void)state;
    static const char *const hold[] = {
        "T|F",   "F|T",   "T|T",   "T|F&F", "F&F|T",    "F&(F|T)|T", "(T|F)&T",
        "!F",    "!!T",   "!F&T",  "!F|F",  "!(T&F)",   "!(F|F)",    "T&!F",
        "!(!T)", "((T))", "F|F|T", "!T|T",  "!(F|F&T)", "T&(F|T)&T", "!(T&(F|!T))",
    };
    static const char *const fail[] = {
        "F|F", "(T|F)&F", "T&F|F", "F&T|T&F", "!T", "!T&F", "!(T|F)", "!!F", "!F&F", "!(F|T&T)",
    };
    struct simulation self = simulation_open(room, NULL);
    for (size_t i = 0; i < sizeof hold / sizeof hold[0]; i++)
        if (!holds_of(self.sim, hold[i]))
            fail_msg("%s does not hold", hold[i]);
    for (size_t i = 0; i < sizeof fail / sizeof fail[0]; i++)
        if (holds_of(self.sim, fail[i]))
            fail_msg("%s holds", fail[i]);
    simulation_close(&self);
}

static void a_value_that_is_no_number_decides_nothing_either_way(void **state)
{
    (void)state;
    static const char *const hold[] = {"N|T", "T|N", "!(N&F)", "!(F&N)", "N&N|T"};
    static const char *const fail[] = {"N",      "!N",   "!!N",    "N&T", "T&N", "N|F",   "F|N",
                                       "!(N|F)", "N|!N", "!(N&T)", "N&F", "F&N", "!(N|T)"};
    struct simulation self = simulation_open(room, NULL);
    self.sim->robots[1].pose.x_m = NAN;
    for (size_t i = 0; i < sizeof hold / sizeof hold[0]; i++)
        if (!holds_of(self.sim, hold[i]))
            fail_msg("%s does not hold", hold[i]);
    for (size_t i = 0; i < sizeof fail / sizeof fail[0]; i++)
        if (holds_of(self.sim, fail[i]))
            fail_msg("%s holds", fail[i]);
    simulation_close(&self);
}

static void not_turns_each_comparison_over(void **state)
{
    (void)state;
    static const char *const ops[] = {"==", "!=", "<", "<=", ">", ">="};
    struct simulation self = simulation_open(room, NULL);
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        for (int number = 1; number <= 3; number++) {
            char plain[64], turned[80];
            snprintf(plain, sizeof plain, "kobuki.x_m %s %d", ops[i], number);
            snprintf(turned, sizeof turned, "not %s", plain);
            assert_true(holds(self.sim, plain) != holds(self.sim, turned));
        }
    simulation_close(&self);
}

/* ---- Arithmetic ---- */

static void signals_are_compared_with_signals(void **state)
{
    (void)state;
    static const char *const hold[] = {
        "kobuki.x_m < cobot.x_m",
        "cobot.x_m > kobuki.x_m",
        "3 > kobuki.x_m",
        "abs(kobuki.x_m - cobot.x_m) == 3",
        "abs(kobuki.x_m - cobot.x_m) < 3.05",
        "abs(cobot.x_m - kobuki.x_m) == 3",
        "kobuki.x_m - cobot.x_m == -3",
        "-kobuki.x_m == -2",
        "kobuki.x_m + 1 == 3",
        "cobot.x_m - kobuki.x_m - 1 == 2",
        "10 / kobuki.x_m / cobot.x_m == 1",
        "1 + kobuki.x_m * cobot.x_m == 11",
        "(1 + kobuki.x_m) * cobot.x_m == 15",
        "-(kobuki.x_m - cobot.x_m) == +3",
        "kobuki.x_m*1e-1 == 0.2",
        "kobuki.x_m == 20e-1",
        "kobuki.x_m -1 == 1",
        "kobuki.x_m == -1 + 3",
        "(kobuki.x_m) == (2)",
        "((kobuki.x_m == 2))",
        "kobuki.x_m * 1000 > cobot.heading_deg",
        "kobuki.collisions < kobuki.x_m",
    };
    struct simulation self = simulation_open(room, NULL);
    for (size_t i = 0; i < sizeof hold / sizeof hold[0]; i++)
        if (!holds(self.sim, hold[i]))
            fail_msg("%s does not hold", hold[i]);
    simulation_close(&self);
}

static void what_is_computed_of_no_number_is_no_number(void **state)
{
    (void)state;
    static const char *const fail[] = {
        "abs(kobuki.x_m) < 5",
        "abs(kobuki.x_m) != 5",
        "abs(kobuki.x_m - cobot.x_m) >= 0",
        "not abs(kobuki.x_m - cobot.x_m) > 1",
        "kobuki.x_m == kobuki.x_m",
        "-kobuki.x_m < 5",
        "0 * kobuki.x_m == 0",
        "0 / cobot.heading_deg == 0",
    };
    struct simulation self = simulation_open(room, NULL);
    self.sim->robots[0].pose.x_m = NAN;
    self.sim->robots[1].pose.heading_rad = 0;
    for (size_t i = 0; i < sizeof fail / sizeof fail[0]; i++)
        if (holds(self.sim, fail[i]))
            fail_msg("%s holds", fail[i]);
    simulation_close(&self);
}

/* ---- Closest value ---- */

static const char *nearest_of(struct sim *sim, const char *wanted, const double *xs, size_t count,
                              char text[CONDITION_TEXT_MAX])
{
    struct condition condition;
    struct condition_nearest nearest = {0};
    struct condition_margin margin;
    struct error error = {0};
    assert_true(condition_parse(sim, wanted, &condition, &error));
    for (size_t i = 0; i < count; i++) {
        sim->robots[0].pose.x_m = xs[i];
        assert_int_equal(condition_watch(sim, &condition, (int64_t)i * 500000, &nearest, &margin),
                         condition_holds(sim, &condition));
    }
    return condition_describe_nearest(sim, &condition, &nearest, text, CONDITION_TEXT_MAX);
}

static void the_margin_is_that_of_the_comparison_that_decides(void **state)
{
    (void)state;
    static const struct {
        const char *wanted;
        double margin, closest;
    } rows[] = {
        {"kobuki.x_m < 5", 3, 2},
        {"kobuki.x_m > 5", -3, 2},
        {"kobuki.x_m >= 2", 0, 2},
        {"kobuki.x_m > 2", 0, 2},
        {"kobuki.x_m == 2.5", -0.5, 2},
        {"kobuki.x_m != 2.5", 0.5, 2},
        {"not kobuki.x_m < 5", -3, 2},
        {"abs(kobuki.x_m - 6) < 5", 1, 4},
        {"kobuki.x_m < 5 and kobuki.x_m * 2 < 4.5", 0.5, 4},
        {"kobuki.x_m * 2 < 4.5 and kobuki.x_m < 5", 0.5, 4},
        {"kobuki.x_m > 5 or kobuki.x_m * 2 > 4.5", -0.5, 4},
        {"kobuki.x_m * 2 > 4.5 or kobuki.x_m > 5", -0.5, 4},
        {"kobuki.charging == false and kobuki.x_m < 5", 3, 2},
        {"kobuki.charging == false", INFINITY, 0},
        {"kobuki.charging == true", -INFINITY, 0},
        {"kobuki.charging == true or kobuki.x_m > 5", -3, 2},
    };
    struct simulation self = simulation_open(room, NULL);
    self.sim->robots[0].pose.x_m = 2;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct condition condition;
        struct condition_margin margin;
        struct error error = {0};
        if (!condition_parse(self.sim, rows[i].wanted, &condition, &error))
            fail_msg("%s: %s", rows[i].wanted, error.text);
        assert_int_equal(condition_gauge(self.sim, &condition, 7, &margin),
                         condition_holds(self.sim, &condition));
        if (margin.margin != rows[i].margin || margin.closest != rows[i].closest)
            fail_msg("%s: %g at %g", rows[i].wanted, margin.margin, margin.closest);
        assert_false(signbit(margin.margin) && margin.margin == 0);
        assert_int_equal(margin.at_us, 7);
    }
    simulation_close(&self);
}

static void the_nearest_value_is_reported_with_its_time(void **state)
{
    (void)state;
    static const double xs[] = {1, NAN, 3, 2.5, 3, 1}, none[] = {NAN, NAN};
    static const struct {
        const char *wanted, *says;
    } rows[] = {
        {"kobuki.x_m > 4", "closest: kobuki.x_m = 3 m at 1 s"},
        {"4 < kobuki.x_m", "closest: kobuki.x_m = 3 m at 1 s"},
        {"kobuki.x_m < 0.5", "closest: kobuki.x_m = 1 m at 0 s"},
        {"kobuki.x_m == 2.6", "closest: kobuki.x_m = 2.5 m at 1.5 s"},
        {"not kobuki.x_m <= 4", "closest: kobuki.x_m = 3 m at 1 s"},
        {"kobuki.x_m > cobot.x_m", "closest: kobuki.x_m = 3 m, cobot.x_m = 5 m at 1 s"},
        {"abs(kobuki.x_m - cobot.x_m) < 1", "closest: abs(kobuki.x_m - cobot.x_m) = 2 at 1 s"},
        {"kobuki.x_m > 4 and kobuki.y_m == 3", "closest: kobuki.x_m = 3 m at 1 s"},
        {"kobuki.x_m > 2 and kobuki.x_m < 2",
         "each comparison was true at some time, but not all at the same time"},
        {"kobuki.x_m > 4 or kobuki.x_m < 0",
         "closest: kobuki.x_m = 3 m at 1 s; closest: kobuki.x_m = 1 m at 0 s"},
        {"cobot.model == tracked", ""},
        {"kobuki.y_m != 3", ""},
        {"kobuki.x_m > 2", ""},
    };
    struct simulation self = simulation_open(room, NULL);
    char text[CONDITION_TEXT_MAX];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(
            nearest_of(self.sim, rows[i].wanted, xs, sizeof xs / sizeof xs[0], text), rows[i].says);
    assert_string_equal(nearest_of(self.sim, "abs(kobuki.x_m - 1) < 4", none, 2, text),
                        "abs(kobuki.x_m - 1) < 4 never had a value");
    simulation_close(&self);
}

static const struct {
    const char *text, *says;
} no_conditions[] = {
    {"", "found nothing instead of a signal; allowed: SIGNAL OP NUMBER"},
    {"-3 < 4", "found a comparison of numbers, which never changes"},
    {"kobuki.baterry_v > 15",
     "there is no signal 'kobuki.baterry_v'; did you mean 'kobuki.battery_v'"},
    {"kobuki.time_s > 15", "there is no signal 'kobuki.time_s'; did you mean 'world.time_s'"},
    {"x > 15", "there is no signal 'x'; `ptybot list signals` lists all signals"},
    {"kobuki.x_m", "found nothing after kobuki.x_m; allowed: == != < <= > >="},
    {"kobuki.x_m = 1", "found '=' after kobuki.x_m; allowed: =="},
    {"kobuki.x_m =< 1", "found '=<' after kobuki.x_m"},
    {"kobuki.x_m is 1", "found 'is' after kobuki.x_m"},
    {"kobuki.x_m > ", "found nothing to compare kobuki.x_m with; allowed: a number in m"},
    {"kobuki.x_m > 1m", "found '1m' to compare kobuki.x_m with"},
    {"kobuki.x_m > nan", "found 'nan'"},
    {"kobuki.x_m > 0x10", "found '0x10'"},
    {"kobuki.x_m > true", "found 'true'"},
    {"kobuki.x_m > 1e999", "found '1e999'"},
    {"kobuki.lifted == up", "allowed: a number without its unit, true, false, or a signal"},
    {"cobot.model == traced", "did you mean 'tracked'? allowed: "},
    {"tracked == cobot.model", "there is no signal 'tracked'"},
    {"-cobot.model == tracked", "there is no signal 'tracked'"},
    {"abs(cobot.model) == tracked", "there is no signal 'tracked'"},
    {"cobot.model + 0 == tracked", "there is no signal 'tracked'"},
    {"kobuki.x_m > 1e", "found '1e' to compare"},
    {"kobuki.x_m > 1e-", "found '1e' to compare"},
    {"cobot.model == (tracked)", "there is no signal 'tracked'"},
    {"cobot.model == tracked + 1", "found a word instead of a number or a signal"},
    {"kobuki.x_m > 1 m", "found 'm' after a comparison; allowed: and, or, or nothing"},
    {"kobuki.x_m > 1 and", "found nothing instead of a signal"},
    {"kobuki.x_m > 1, kobuki.y_m > 1", "found ',' after a comparison"},
    {"kobuki.x_m > 1 kobuki.y_m > 1", "found 'kobuki.y_m' after a comparison"},
    {"1 < kobuki.x_m < 3", "found '<' after a comparison; allowed: and, or, or nothing"},
    {"(kobuki.x_m > 1", "found nothing after a comparison; allowed: and, or, )"},
    {"(kobuki.x_m + 1 > 1 and kobuki.x_m", "found nothing after kobuki.x_m"},
    {"kobuki.x_m > 1)", "found ')' after a comparison; allowed: and, or, or nothing"},
    {"(kobuki.x_m", "found nothing in parentheses; allowed: ), =="},
    {"()", "found ')' instead of a signal"},
    {"not kobuki.x_m", "found nothing after kobuki.x_m"},
    {"kobuki.x_m and kobuki.y_m > 1", "found 'and' after kobuki.x_m"},
    {"kobuki.x_m > 1 and kobuki.y_m", "found nothing after kobuki.y_m"},
    {"kobuki.x_m + (kobuki.y_m > 1) > 2", "found a comparison instead of a number or a signal"},
    {"abs(kobuki.x_m > 1)", "found a comparison instead of a number or a signal"},
    {"abs kobuki.x_m > 1", "found 'kobuki.x_m' after abs; allowed: ("},
    {"-(kobuki.x_m > 1)", "found a comparison instead of a number or a signal"},
    {"kobuki.x_m > not 1", "found nothing after 1"},
    {"kobuki.x_m - kobuki.heading_deg > 1", "found deg instead of m; give a factor"},
    {"abs(kobuki.x_m - 1) > kobuki.heading_deg", "found deg instead of m"},
    {"kobuki.x_m & 1", "found '&' after kobuki.x_m"},
    {"kobuki.x_m > 1 && kobuki.y_m > 1", "found '&&' after a comparison"},
    {"! kobuki.x_m > 1", "found '!' instead of a signal"},
};

static void what_is_no_condition_is_refused_with_a_remedy(void **state)
{
    (void)state;
    struct simulation self = simulation_open(room, NULL);
    for (size_t i = 0; i < sizeof no_conditions / sizeof no_conditions[0]; i++) {
        struct condition condition;
        struct error error = {0};
        if (condition_parse(self.sim, no_conditions[i].text, &condition, &error))
            fail_msg("'%s' was accepted", no_conditions[i].text);
        if (!strstr(error.text, no_conditions[i].says))
            fail_msg("'%s' said: %s", no_conditions[i].text, error.text);
    }
    simulation_close(&self);
}

static void the_place_of_an_error_is_under_a_caret(void **state)
{
    (void)state;
    static const struct {
        const char *text, *ends;
    } wrong[] = {
        {"kobuki.x_m is 1", "\n  kobuki.x_m is 1\n             ^"},
        {"", "\n  \n  ^"},
        {"kobuki.x_m >", "\n  kobuki.x_m >\n              ^"},
        {"abs(kobuki.x_m - 2) < 1 or kobuki.xx > 1",
         "\n  abs(kobuki.x_m - 2) < 1 or kobuki.xx > 1\n                             ^"},
        {"kobuki.x_m > \xc3\xa9\x1b 1 ?", "\n  kobuki.x_m > \xc3\xa9? 1 ?\n               ^"},
        {"kobuki.x_m > 1 and kobuki.x_m > 2 and kobuki.x_m > 3 and kobuki.x_m > x and kobuki.x_m > "
         "5",
         "\n  > 2 and kobuki.x_m > 3 and kobuki.x_m > x and kobuki.x_m > 5\n"
         "                                          ^"},
    };
    struct simulation self = simulation_open(room, NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct condition condition;
        struct error error = {0};
        assert_false(condition_parse(self.sim, wrong[i].text, &condition, &error));
        size_t size = strlen(error.text), wanted = strlen(wrong[i].ends);
        if (size < wanted || strcmp(error.text + size - wanted, wrong[i].ends) != 0)
            fail_msg("said: %s", error.text);
    }
    simulation_close(&self);
}

static void no_word_of_a_signal_is_one_of_the_language(void **state)
{
    (void)state;
    struct error error = {0};
    struct scene *scene = scene_of_all_types(&error);
    struct sim *sim = sim_create(scene, NULL, NULL, &error);
    assert_non_null(sim);
    for (size_t i = 0; i < sim_signal_count(sim); i++) {
        const struct sim_signal info = sim_signal_info(sim, i);
        assert_non_null(strchr(info.name, '.'));
        for (size_t w = 0; info.names && info.names[w]; w++) {
            char text[CONDITION_TEXT_MAX];
            struct condition condition;
            snprintf(text, sizeof text, "%s == %s and %s != %s", info.name, info.names[w],
                     info.name, info.names[w]);
            if (!condition_parse(sim, text, &condition, &error))
                fail_msg("%s", error.text);
        }
    }
    sim_destroy(sim);
    scene_destroy(scene);
}

static void signals_of_packets_report_whose_word_they_are(void **state)
{
    (void)state;
    struct error error = {0};
    struct scene *scene = scene_of_all_types(&error);
    struct sim *sim = sim_create(scene, NULL, NULL, &error);
    char asked[256], told[256];
    assert_non_null(sim);
    size_t set = sim_signal_find(sim, "diff_board.set_parameters.ko");
    size_t is = sim_signal_find(sim, "diff_board.parameters.ko");
    assert_true(set != SIZE_MAX && is != SIZE_MAX);
    const struct sim_signal set_info = sim_signal_info(sim, set),
                            is_info = sim_signal_info(sim, is);
    assert_string_equal(sim_signal_meaning(&set_info, asked, sizeof asked),
                        "value requested by the driver: divisor of the three gains");
    assert_string_equal(sim_signal_meaning(&is_info, told, sizeof told),
                        "last value sent by the robot: divisor of the three gains");
    sim_destroy(sim);
    scene_destroy(scene);
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

    snprintf(text, sizeof text, "kobuki.x_m > 1");
    for (size_t i = 0; i < CONDITION_CODE_MAX; i++)
        strcat(text, "+1");
    assert_false(condition_parse(self.sim, text, &condition, &error));
    assert_non_null(strstr(error.text, "more than 96 numbers, signals and operators"));
    simulation_close(&self);
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    static const char *const openers[] = {"(", "not ", "-", "abs("};
    struct simulation self = simulation_open(room, NULL);
    for (size_t i = 0; i < sizeof openers / sizeof openers[0]; i++) {
        char text[CONDITION_TEXT_MAX] = "";
        struct condition condition;
        struct error error = {0};
        for (size_t j = 0; j < CONDITION_DEPTH_MAX; j++)
            strcat(text, openers[i]);
        strcat(text, "kobuki.x_m > 1");
        assert_false(condition_parse(self.sim, text, &condition, &error));
        assert_non_null(strstr(error.text, "nested more than 16 deep"));
    }
    assert_true(holds(self.sim, "((((((((((((kobuki.x_m > 1))))))))))))"));
    simulation_close(&self);
}

/* Parses a value that is nested in OPENER this many times. */
static bool parse_nested(const struct sim *sim, const char *opener, size_t times,
                         struct condition *value)
{
    char text[CONDITION_TEXT_MAX] = "";
    struct error error = {0};
    for (size_t i = 0; i < times; i++)
        strcat(text, opener);
    strcat(text, "kobuki.x_m");
    for (size_t i = 0; i < times && strchr(opener, '('); i++)
        strcat(text, ")");
    bool is_good = condition_parse_value(sim, text, value, &error);
    assert_true(is_good || strstr(error.text, "nested more than 16 deep"));
    return is_good;
}

static void what_is_nested_as_deep_as_allowed_has_its_value(void **state)
{
    (void)state;
    static const struct {
        const char *opener;
        size_t levels;
        double each; /* amount that each opener adds to x_m, which is 2 */
    } rows[] = {{"(", 1, 0}, {"abs(", 1, 0}, {"1+(", 2, 1}};
    struct simulation self = simulation_open(room, NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct condition value;
        size_t times = 0;
        // The whole expression is the first level.
        for (; 1 + times * rows[i].levels <= CONDITION_DEPTH_MAX; times++) {
            if (!parse_nested(self.sim, rows[i].opener, times, &value))
                fail_msg("%s, %zu times, was refused", rows[i].opener, times);
            double wanted = 2 + (double)times * rows[i].each;
            assert_true(condition_value(self.sim, &value) == wanted);
        }
        assert_false(parse_nested(self.sim, rows[i].opener, times, &value));
    }
    simulation_close(&self);
}

/* Rows that the run adds to a simulation. */
struct pace {
    double late_s, estimate_x_m;
};

static void a_signal_that_is_live_is_refused_where_it_stands(void **state)
{
    (void)state;
    static const struct signal_row signals[] = {
        SIGNAL_ROW("late_s", pace, late_s, "s", "late"),
        SIGNAL_ROW("estimate_x_m", pace, estimate_x_m, "m", "given by a command"),
    };
    static const struct {
        const char *text;
        size_t column; /* column of the caret; SIZE_MAX: accepted */
    } rows[] = {
        {"world.late_s > 0", 0},
        {"kobuki.x_m > 1 and world.late_s > 0", 19},
        {"kobuki.x_m > 1 or not (abs(world.late_s) > 0)", 27},
        {"kobuki.x_m > 1 and world.time_s > 0", SIZE_MAX},
        {"kobuki.x_m > world.estimate_x_m", SIZE_MAX},
    };
    struct pace pace = {0};
    const struct run_rows run = {
        .world_signals = signals, .world_signal_count = COUNT(signals), .world = &pace};
    struct error error = {0};
    struct scene *scene = scene_parse(room, strlen(room), "room.yaml", &error);
    struct sim *sim = sim_create(scene, NULL, &run, &error);
    assert_non_null(sim);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct condition condition;
        char place[160];
        if (!condition_parse(sim, rows[i].text, &condition, &error))
            fail_msg("%s", error.text);
        bool is_good = condition_refuse_live(sim, &condition, &error);
        assert_int_equal(is_good, rows[i].column == SIZE_MAX);
        if (is_good)
            continue;
        snprintf(place, sizeof place, "\n  %s\n  %*s", rows[i].text, (int)rows[i].column + 1, "^");
        if (strncmp(error.text, "world.late_s depends on", 23) != 0 || !strstr(error.text, place))
            fail_msg("said: %s", error.text);
    }
    sim_destroy(sim);
    scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_comparison_holds_on_its_side_of_a_number),
        cmocka_unit_test(numbers_are_written_as_everywhere),
        cmocka_unit_test(a_number_counts_whole_or_is_refused),
        cmocka_unit_test(a_minus_behind_a_name_is_an_operator),
        cmocka_unit_test(terms_hold_only_together),
        cmocka_unit_test(no_comparison_holds_of_a_value_that_is_no_number),
        cmocka_unit_test(words_stand_for_the_numbers_that_a_signal_names),
        cmocka_unit_test(a_condition_reports_each_of_its_values_once),
        cmocka_unit_test(or_binds_less_than_and_and_not_more),
        cmocka_unit_test(a_value_that_is_no_number_decides_nothing_either_way),
        cmocka_unit_test(not_turns_each_comparison_over),
        cmocka_unit_test(signals_are_compared_with_signals),
        cmocka_unit_test(what_is_computed_of_no_number_is_no_number),
        cmocka_unit_test(the_margin_is_that_of_the_comparison_that_decides),
        cmocka_unit_test(the_nearest_value_is_reported_with_its_time),
        cmocka_unit_test(the_place_of_an_error_is_under_a_caret),
        cmocka_unit_test(no_word_of_a_signal_is_one_of_the_language),
        cmocka_unit_test(signals_of_packets_report_whose_word_they_are),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(what_is_nested_as_deep_as_allowed_has_its_value),
        cmocka_unit_test(a_signal_that_is_live_is_refused_where_it_stands),
        cmocka_unit_test(what_is_no_condition_is_refused_with_a_remedy),
        cmocka_unit_test(long_texts_and_many_terms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
