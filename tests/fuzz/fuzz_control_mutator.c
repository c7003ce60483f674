/* Mutates lines to the control socket with the table of its methods. */
#include "app/control/methods.h"
#include "base/array.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/words.h"

/* A value that a parameter may have, or an invalid one. */
static void parameter(struct dice *dice, struct writer *to)
{
    static const char *const values[] = {"1",
                                         "0",
                                         "-1",
                                         "1e308",
                                         "null",
                                         "true",
                                         "[]",
                                         "\"\"",
                                         "0.5",
                                         "{}",
                                         "1000",
                                         "9007199254740993",
                                         "\"signals\"",
                                         "\"robots\"",
                                         "\"commands\"",
                                         "\"options\"",
                                         "\"links\"",
                                         "[\"world.time_s\"]",
                                         "[\"kobuki.x_m\",7]",
                                         "{\"kobuki.uart\":0}",
                                         "{\"a\":1}",
                                         "\"\\u0000\""};
    uint64_t kind = roll(dice, 4);
    if (kind > 1) {
        writer_text(to, values[roll(dice, COUNT(values))]);
        return;
    }
    writer_char(to, '"');
    if (kind)
        words_command(dice, to);
    else
        words_condition(dice, to);
    writer_char(to, '"');
}

static void request(struct dice *dice, struct writer *to)
{
    size_t count = 0;
    while (methods[count].name)
        count++;
    const struct rpc_method *method = &methods[roll(dice, count)];
    writer_text(to, "{\"jsonrpc\":\"2.0\",");
    writer_text(to, roll(dice, 8) ? "\"id\":1," : "");
    writer_text(to, "\"method\":\"");
    writer_text(to, method->name);
    writer_text(to, "\",\"params\":{");
    bool is_next = false;
    for (const char *const *one = method->params; *one; one++) {
        if (roll(dice, 3) == 0)
            continue;
        writer_text(to, is_next ? ",\"" : "\"");
        writer_text(to, *one);
        writer_text(to, "\":");
        parameter(dice, to);
        is_next = true;
    }
    writer_text(to, "}}");
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    if (mutate_plainly(seed))
        return LLVMFuzzerMutate(data, size, max);
    return words_mutate(request, parameter, data, size, max, rng_u64(seed, 1));
}
