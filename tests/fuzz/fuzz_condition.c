/* Any bytes as a condition on a running simulation of one robot of every type. It is parsed, or
 * rejected with the position of the error. All evaluations of a parsed condition agree, and its
 * negation never holds at the same time. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sim/sim.h"
#include "sim/verdict/condition.h"
#include "tests/support/all_types.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Runs some steps, so that signals have values. */
static const struct sim *running_sim(void)
{
    static struct sim *one;
    struct error error = {0};
    if (one)
        return one;
    const struct scene *scene = scene_of_all_types(&error); // exists as long as the program
    one = scene ? sim_create(scene, NULL, NULL, &error) : NULL;
    assert(one);
    for (int i = 0; i < 100; i++)
        sim_step(one);
    return one;
}

static void check_error(const struct error *error)
{
    const char *caret = strrchr(error->text, '^');
    assert(caret || strstr(error->text, "longer than"));
    assert(!caret || caret[1] == '\0');
}

static void check_judgment(const struct sim *sim, const struct condition *condition)
{
    char text[CONDITION_TEXT_MAX], opposite[CONDITION_TEXT_MAX + 16];
    struct condition_nearest nearest = {0};
    struct condition_margin margin;
    struct condition turned;
    bool holds = condition_holds(sim, condition);
    assert(condition->count > 0 && condition->count <= CONDITION_TERMS_MAX);
    assert(condition_watch(sim, condition, sim_now_us(sim), &nearest, &margin) == holds);
    assert(holds ? margin.margin >= 0 : margin.margin <= 0);
    assert(strlen(condition_describe(sim, condition, text, sizeof text)) < sizeof text);
    assert(strlen(condition_describe_nearest(sim, condition, &nearest, text, sizeof text)) <
           sizeof text);
    condition_refuse_live(sim, condition, NULL);
    snprintf(opposite, sizeof opposite, "not (%s)", condition->text);
    // One level longer and deeper than the original.
    if (condition_parse(sim, opposite, &turned, NULL))
        assert(!holds || !condition_holds(sim, &turned));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[2 * CONDITION_TEXT_MAX];
    struct condition condition;
    struct error error = {0};
    const struct sim *sim = running_sim();
    size_t kept = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, data, kept);
    text[kept] = '\0';
    bool is_good = condition_parse(sim, text, &condition, NULL);
    if (is_good)
        check_judgment(sim, &condition);
    // Searching for a similar name takes a hundred times as long as parsing.
    if (!is_good && kept % 16 == 0) {
        condition_parse(sim, text, &condition, &error);
        check_error(&error);
    }
    return 0;
}
