/* Connections that wait for their request: their maximum time, and the maximum number of
 * unauthorized ones. */
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "viewer/web/gate.h"

struct hall {
    struct doors doors;
    struct door *in[DOORS_MAX];
    int far[DOORS_MAX];
};

static void enter(struct hall *hall, size_t number, int64_t now_ms)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    hall->in[number] = doors_enter(&hall->doors, ends[0], now_ms);
    hall->far[number] = ends[1];
    assert_non_null(hall->in[number]);
}

/* As the server does once it finds a connection closed. */
static void leave(struct hall *hall, size_t number)
{
    close(hall->in[number]->fd);
    close(hall->far[number]);
    door_leave(hall->in[number]);
}

static bool is_shut(const struct hall *hall, size_t number)
{
    char byte;
    return recv(hall->far[number], &byte, 1, MSG_DONTWAIT) == 0;
}

static void a_request_has_ten_seconds_however_it_drips(void **state)
{
    (void)state;
    static struct hall hall;
    doors_init(&hall.doors);
    for (size_t i = 0; i < 3; i++)
        enter(&hall, i, 0);
    hall.in[1]->is_asked = hall.in[2]->is_asked = true;
    door_wait(hall.in[2], 5000);
    doors_shut_late(&hall.doors, 10000);
    assert_false(is_shut(&hall, 0));
    doors_shut_late(&hall.doors, 10001);
    assert_true(is_shut(&hall, 0));
    assert_false(is_shut(&hall, 1));
    assert_false(is_shut(&hall, 2));
    doors_shut_late(&hall.doors, 15001);
    assert_false(is_shut(&hall, 1));
    assert_true(is_shut(&hall, 2));
    for (size_t i = 0; i < 3; i++)
        leave(&hall, i);
}

static void strangers_push_out_strangers_and_no_known_client(void **state)
{
    (void)state;
    static struct hall hall;
    doors_init(&hall.doors);
    enter(&hall, 0, 0);
    hall.in[0]->is_known = true;
    for (size_t i = 1; i <= STRANGERS_MAX; i++)
        enter(&hall, i, (int64_t)i);
    assert_false(is_shut(&hall, 1));
    for (size_t i = STRANGERS_MAX + 1; i <= 3 * STRANGERS_MAX; i++) {
        size_t place = 1 + (i - 1) % STRANGERS_MAX;
        struct hall old = hall;
        enter(&hall, place, (int64_t)i);
        assert_true(is_shut(&old, place));
        leave(&old, place);
        assert_false(is_shut(&hall, 0));
    }
    doors_shut_late(&hall.doors, 5);
    assert_false(is_shut(&hall, 0));
    for (size_t i = 0; i <= STRANGERS_MAX; i++)
        leave(&hall, i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_has_ten_seconds_however_it_drips),
        cmocka_unit_test(strangers_push_out_strangers_and_no_known_client),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
