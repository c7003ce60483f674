/* A ring of bytes: first in, first out, compared with a queue that is a plain array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/ring.h"
#include "base/rng.h"
#include "tests/support/allocations.h"

static void what_goes_in_comes_out_in_order_round_and_round(void **state)
{
    (void)state;
    enum { ROUNDS = 400, LONGEST = 9 };
    for (size_t capacity = 1; capacity <= LONGEST - 2; capacity++) {
        struct byte_ring ring;
        assert_true(byte_ring_create(&ring, capacity));
        uint8_t put = 0, expected = 0;
        size_t held = 0;
        for (uint64_t round = 0; round < ROUNDS; round++) {
            uint8_t in[LONGEST], out[LONGEST];
            size_t wanted = (size_t)(rng_u64(capacity, 2 * round) % LONGEST);
            for (size_t i = 0; i < wanted; i++)
                in[i] = (uint8_t)(put + i);
            size_t taken = byte_ring_push(&ring, in, wanted);
            assert_int_equal(taken, wanted < capacity - held ? wanted : capacity - held);
            put = (uint8_t)(put + taken);
            held += taken;
            assert_int_equal(ring.size, held);

            wanted = (size_t)(rng_u64(capacity, 2 * round + 1) % LONGEST);
            memset(out, 0, sizeof out);
            size_t given = byte_ring_pop(&ring, out, wanted);
            assert_int_equal(given, wanted < held ? wanted : held);
            for (size_t i = 0; i < given; i++)
                assert_int_equal(out[i], expected++);
            held -= given;
        }
        byte_ring_destroy(&ring);
    }
}

static void a_piece_is_read_into_in_place_and_counts_when_it_is_committed(void **state)
{
    (void)state;
    struct byte_ring ring;
    uint8_t out[8];
    size_t room;
    assert_true(byte_ring_create(&ring, 5));
    assert_int_equal(byte_ring_push(&ring, "abcd", 4), 4);
    assert_int_equal(byte_ring_pop(&ring, out, 3), 3);

    uint8_t *piece = byte_ring_free_piece(&ring, &room); // up to the edge
    assert_int_equal(room, 1);
    *piece = 'e';
    assert_int_equal(ring.size, 1);
    byte_ring_commit(&ring, 1);
    piece = byte_ring_free_piece(&ring, &room); // up to the oldest byte
    assert_int_equal(room, 3);
    for (size_t i = 0; i < 3; i++)
        piece[i] = (uint8_t)('f' + i);
    byte_ring_commit(&ring, 3);
    byte_ring_free_piece(&ring, &room);
    assert_int_equal(room, 0);
    assert_int_equal(byte_ring_push(&ring, "i", 1), 0);
    assert_int_equal(byte_ring_pop(&ring, out, sizeof out), 5);
    assert_memory_equal(out, "defgh", 5);
    byte_ring_destroy(&ring);
}

static void an_empty_one_begins_anew(void **state)
{
    (void)state;
    struct byte_ring ring;
    uint8_t out[8];
    size_t room;
    assert_true(byte_ring_create(&ring, 5));
    const uint8_t *first = byte_ring_free_piece(&ring, &room);
    byte_ring_push(&ring, "abc", 3);
    byte_ring_pop(&ring, out, 3); // only a few pages of a large ring are ever used
    assert_ptr_equal(byte_ring_free_piece(&ring, &room), first);
    assert_int_equal(room, 5);

    byte_ring_push(&ring, "abcd", 4);
    byte_ring_pop(&ring, out, 2);
    byte_ring_pop(&ring, out, sizeof out);
    assert_ptr_equal(byte_ring_free_piece(&ring, &room), first);
    assert_int_equal(room, 5);
    assert_int_equal(byte_ring_pop(&ring, out, sizeof out), 0);
    byte_ring_destroy(&ring);
    assert_null(ring.bytes);
}

static void a_destroyed_ring_holds_no_memory(void **state)
{
    (void)state;
    struct byte_ring ring;
    size_t before = allocations_held;
    assert_true(byte_ring_create(&ring, 5));
    assert_int_equal(allocations_held, before + 1);
    byte_ring_destroy(&ring);
    assert_int_equal(allocations_held, before);
    allocations_end = 1;
    assert_false(byte_ring_create(&ring, 5));
    allocations_end = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_comes_out_in_order_round_and_round),
        cmocka_unit_test(a_piece_is_read_into_in_place_and_counts_when_it_is_committed),
        cmocka_unit_test(an_empty_one_begins_anew),
        cmocka_unit_test(a_destroyed_ring_holds_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
