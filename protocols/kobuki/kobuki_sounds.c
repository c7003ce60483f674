/* The buzzer. Chosen: the notes of the melodies, which are nowhere published. */
#include "protocols/kobuki/kobuki_sounds.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* note = 1 / (f x 0.00000275) (protocol.rst, Sound; kobuki_core: command.hpp). */
static const double KOBUKI_NOTE_S = 0.00000275;

/* Range of the buzzer (kobuki_node: commit 7e7b84f0). */
static const double KOBUKI_SOUND_MIN_HZ = 72;
static const double KOBUKI_SOUND_MAX_HZ = 22017;

struct note {
    uint16_t hz, ms; /* hz 0: a rest; ms 0: the end */
};

static const struct note notes_on[] = {{523, 100}, {659, 100}, {784, 200}, {0, 0}};
static const struct note notes_off[] = {{784, 100}, {659, 100}, {523, 200}, {0, 0}};
static const struct note notes_recharge[] = {{880, 120}, {988, 120}, {1175, 240}, {0, 0}};
static const struct note notes_button[] = {{1760, 60}, {0, 0}};
static const struct note notes_error[] = {{220, 150}, {0, 50}, {220, 150}, {0, 0}};
static const struct note notes_start[] = {{659, 100}, {880, 100}, {1319, 200}, {0, 0}};
static const struct note notes_end[] = {{1319, 100}, {880, 100}, {659, 200}, {0, 0}};

static const struct note *const melodies[KOBUKI_MELODY_COUNT] = {
    [KOBUKI_MELODY_ON] = notes_on,
    [KOBUKI_MELODY_OFF] = notes_off,
    [KOBUKI_MELODY_RECHARGE] = notes_recharge,
    [KOBUKI_MELODY_BUTTON] = notes_button,
    [KOBUKI_MELODY_ERROR] = notes_error,
    [KOBUKI_MELODY_CLEANING_START] = notes_start,
    [KOBUKI_MELODY_CLEANING_END] = notes_end,
};

static void play_stop(struct kobuki_play *play)
{
    play->sequence = KOBUKI_MELODY_NONE;
    play->note = 0;
    play->hz = 0;
    play->until_us = ROBOT_NEVER;
}

void kobuki_sounds_reset(struct kobuki_play *play)
{
    memset(play, 0, sizeof *play);
    play_stop(play);
}

static void play_melody_note(struct kobuki_play *play, int64_t from_us)
{
    const struct note *note = &melodies[play->sequence][play->note];
    play->hz = note->hz;
    play->until_us = from_us + (int64_t)note->ms * 1000;
}

void kobuki_sounds_melody(struct kobuki_play *play, enum kobuki_melody melody, int64_t now_us)
{
    assert(melody >= 0 && melody < KOBUKI_MELODY_COUNT);
    play->sequence = melody;
    play->note = 0;
    play->started++;
    play_melody_note(play, now_us);
}

void kobuki_sounds_note(struct kobuki_play *play, uint16_t note, uint8_t duration, int64_t now_us)
{
    play_stop(play);
    play->started++;
    if (note > 0 && duration > 0) {
        double hz = 1.0 / (note * KOBUKI_NOTE_S);
        play->hz = fmax(KOBUKI_SOUND_MIN_HZ, fmin(KOBUKI_SOUND_MAX_HZ, hz));
        play->until_us = now_us + (int64_t)duration * 1000;
    }
}

void kobuki_sounds_next(struct kobuki_play *play)
{
    uint32_t next = play->note + 1;
    bool has_next = play->sequence != KOBUKI_MELODY_NONE && melodies[play->sequence][next].ms > 0;
    if (!has_next) {
        play_stop(play);
        return;
    }
    play->note = next;
    play_melody_note(play, play->until_us);
}
