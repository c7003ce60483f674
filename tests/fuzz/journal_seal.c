#include "tests/fuzz/journal_seal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sim/record/journal.h"

char *journal_seal(const uint8_t *data, size_t size, size_t *sealed)
{
    size_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    char *text = malloc(size + 32 + lines * 10);
    if (!text)
        abort();
    size_t used = (size_t)sprintf(text, "%s%d\n", JOURNAL_MAGIC, JOURNAL_FORMAT);
    uint64_t check = hash_bytes(HASH_START, text, used);
    for (size_t at = 0; at < size;) {
        const uint8_t *newline = memchr(data + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline + 1 - data) - at : size - at;
        check = hash_bytes(check, data + at, length);
        used += (size_t)sprintf(text + used, "%08" PRIx32 " ", (uint32_t)(check ^ check >> 32));
        memcpy(text + used, data + at, length);
        used += length;
        at += length;
    }
    *sealed = used;
    return text;
}
