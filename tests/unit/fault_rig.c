#include "tests/unit/fault_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct record clean, faulty;

void record_on(struct rig *rig, struct record *record, double seconds)
{
    for (int64_t end = sim_now_us(rig->sim) + (int64_t)(seconds * 1e6);
         sim_now_us(rig->sim) < end;) {
        const uint8_t *bytes;
        size_t size;
        sim_step(rig->sim);
        while (sim_output(rig->sim, rig->channel, &bytes, &size)) {
            assert_true(record->size + size <= BYTES_MAX && record->count < CHUNKS_MAX);
            memcpy(record->bytes + record->size, bytes, size);
            record->chunks[record->count].start = record->size;
            record->chunks[record->count].size = size;
            record->chunks[record->count++].at_us = sim_now_us(rig->sim);
            record->size += size;
        }
    }
}

void run_into(struct record *record, const char *command)
{
    struct rig rig = rig_open(NULL);
    memset(record, 0, sizeof *record);
    if (command)
        rig_do(&rig, command);
    record_on(&rig, record, 10);
    rig_close(&rig);
}

struct rig compare(const char *command)
{
    struct rig rig = rig_open(NULL);
    run_into(&clean, NULL);
    memset(&faulty, 0, sizeof faulty);
    rig_do(&rig, command);
    record_on(&rig, &faulty, 10);
    assert_true(clean.count > 490 && clean.size > 35000);
    return rig;
}

bool is_within(const struct record *a, const struct record *b)
{
    size_t at = 0;
    for (size_t i = 0; i < b->size && at < a->size; i++)
        at += b->bytes[i] == a->bytes[at];
    return at == a->size;
}

bool is_a_head(const struct record *head, const struct record *whole)
{
    return head->size <= whole->size && memcmp(head->bytes, whole->bytes, head->size) == 0;
}

static unsigned bits(unsigned byte)
{
    unsigned sum = 0;
    for (; byte; byte >>= 1)
        sum += byte & 1;
    return sum;
}

size_t count_flips(const struct record *a, const struct record *b)
{
    size_t flips = 0;
    assert_int_equal(a->size, b->size);
    for (size_t i = 0; i < a->size; i++) {
        unsigned changed = bits(a->bytes[i] ^ b->bytes[i]);
        assert_true(changed <= 1);
        flips += changed;
    }
    return flips;
}
