/* Melodies and tones. Chosen: the notes of the melodies, which only stand for those of the robot.
 */
#include "protocols/epuck2/epuck2_sounds.h"

#include <string.h>

struct note {
    uint16_t hz, ms; /* hz 0: a rest; ms 0: the end */
};

static const struct note notes_mario[] = {{1319, 125}, {1047, 125}, {1319, 125}, {1568, 250},
                                          {0, 125},    {784, 250},  {0, 0}};
static const struct note notes_underworld[] = {{262, 125}, {523, 125}, {220, 125}, {440, 125},
                                               {233, 125}, {466, 250}, {0, 0}};
static const struct note notes_starwars[] = {{440, 350}, {349, 250}, {523, 100}, {440, 350},
                                             {0, 100},   {349, 250}, {0, 0}};
static const struct note *const melodies[EPUCK2_SOUND_COUNT] = {
    [EPUCK2_SOUND_MARIO] = notes_mario,
    [EPUCK2_SOUND_UNDERWORLD] = notes_underworld,
    [EPUCK2_SOUND_STARWARS] = notes_starwars,
};

static void stop(struct epuck2_play *play)
{
    play->melody = EPUCK2_SOUND_NONE;
    play->note = 0;
    play->hz = 0;
    play->until_us = ROBOT_NEVER;
}

void epuck2_sounds_reset(struct epuck2_play *play)
{
    memset(play, 0, sizeof *play);
    stop(play);
}

static void play_note(struct epuck2_play *play, int64_t from_us)
{
    const struct note *note = &melodies[play->melody][play->note];
    play->hz = note->hz;
    play->until_us = from_us + (int64_t)note->ms * 1000;
}

/* A tone goes on until something else is wanted; a melody that plays ends its note first. */
static int64_t start(struct epuck2_play *play, uint8_t sound, int64_t now_us)
{
    if (!melodies[sound]) {
        play->started += play->melody != sound;
        stop(play);
        play->melody = sound;
        play->hz = sound == EPUCK2_SOUND_4_KHZ ? 4000 : 10000;
        return now_us;
    }
    int64_t free_us =
        play->until_us != ROBOT_NEVER && play->until_us > now_us ? play->until_us : now_us;
    play->melody = sound;
    play->started++;
    play->note = 0;
    play_note(play, free_us);
    return free_us;
}

int64_t epuck2_sounds_obey(struct epuck2_play *play, uint8_t bits, int64_t now_us)
{
    int64_t free_us = now_us;
    /* The firmware tests bit after bit, so the last one is heard. */
    for (uint8_t sound = EPUCK2_SOUND_MARIO; sound < EPUCK2_SOUND_COUNT; sound++) {
        bool is_last = (bits & 0x1f) >> sound == 0;
        if ((bits >> (sound - 1) & 1) != 0 && is_last)
            free_us = start(play, sound, now_us);
    }
    if ((bits & EPUCK2_SOUND_STOP) != 0) {
        stop(play);
        return now_us;
    }
    return free_us;
}

void epuck2_sounds_next(struct epuck2_play *play)
{
    uint32_t next = play->note + 1;
    if (play->melody == EPUCK2_SOUND_NONE || !melodies[play->melody] ||
        melodies[play->melody][next].ms == 0) {
        stop(play);
        return;
    }
    play->note = next;
    play_note(play, play->until_us);
}
