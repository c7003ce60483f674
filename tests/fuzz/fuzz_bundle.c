/* Any bytes as the bundle of a replay page: rejected with a reason, or run to its end or for a
 * while, with all requests of a page. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "app/replay/player.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    STEPS = 100, /* chosen: long enough for every kind of entry, so that no input is slow */
    TURNS = 3,
};

static void look(void)
{
    const uint8_t *snapshot = player_snapshot();
    assert(snapshot && player_snapshot_size() > 0);
    player_update();
    assert(player_marks() && player_program() && strlen(player_hash()) == 16);
    for (uint32_t i = 0; i < player_signal_count(); i++)
        assert(*player_signal_name(i) != '\0');
    assert(player_values() && isfinite(player_now_s()) && player_length_s() >= 0);
    for (uint32_t i = 0; i < 3; i++)
        assert(player_wire(i));
}

static void do_command(const char *command)
{
    char *room = player_room((uint32_t)strlen(command));
    assert(room);
    for (size_t i = 0; command[i]; i++)
        room[i] = command[i];
    assert(player_do((uint32_t)strlen(command)) == (*player_reason() == '\0'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *room = player_room((uint32_t)size);
    assert(room);
    if (size > 0)
        memcpy(room, data, size);
    if (!player_open((uint32_t)size)) {
        assert(*player_reason() != '\0');
    } else {
        bool is_over = false;
        for (int i = 0; i < TURNS && !is_over; i++) {
            look();
            is_over = player_run(STEPS) < STEPS;
            assert(!is_over || player_is_over());
        }
        look();
        do_command("world.pause");
        assert(player_speed() > 0 && (player_is_paused() || !player_is_paused()));
    }
    player_close();
    return 0;
}
