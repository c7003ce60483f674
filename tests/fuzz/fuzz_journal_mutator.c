/* Mutates journals by whole lines, as a recorder writes them. */
#include <stdio.h>

#include "protocols/registry.h"
#include "sim/record/journal.h"
#include "tests/fuzz/frame_maker.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/words.h"

enum { CHECK_SIZE = 9 }; /* of a line: its check and a space, which the fuzz body adds */

static size_t payload(struct dice *dice, enum journal_kind kind, uint8_t bytes[FRAME_MADE_MAX])
{
    struct writer to = writer_begin((char *)bytes, FRAME_MADE_MAX);
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    const struct robot_type *type = types[roll(dice, count)];
    if (kind == JOURNAL_BYTES || kind == JOURNAL_ANSWER)
        return frame_make(type, 0, WIRE_TO_ROBOT, roll(dice, UINT64_MAX), bytes);
    if (kind == JOURNAL_COMMAND)
        words_command(dice, &to);
    else if (kind == JOURNAL_TEXT)
        words_scene_line(dice, &to);
    else if (kind == JOURNAL_TYPE)
        writer_text(&to, type->name);
    else
        words_value(dice, &to);
    return writer_end(&to);
}

static void line(struct dice *dice, struct writer *to)
{
    static struct journal_writer writer;
    uint8_t bytes[FRAME_MADE_MAX];
    enum journal_kind kind = (enum journal_kind)roll(dice, JOURNAL_KINDS);
    struct journal_entry entry = {.kind = kind,
                                  .step = (int64_t)roll(dice, 300),
                                  .index = roll(dice, 4),
                                  .number = roll(dice, 2) ? roll(dice, 4) : roll(dice, 1 << 20),
                                  .hash = roll(dice, UINT64_MAX),
                                  .bytes = bytes,
                                  .size = payload(dice, kind, bytes)};
    size_t size = journal_write(&writer, &entry);
    if (size > CHECK_SIZE + 1) // without its newline, too
        writer_chars(to, writer.line + CHECK_SIZE, size - CHECK_SIZE - 1);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    if (mutate_plainly(seed))
        return LLVMFuzzerMutate(data, size, max);
    return words_mutate(line, words_value, data, size, max, rng_u64(seed, 1));
}
