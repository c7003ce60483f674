/* The loudspeaker. */
#ifndef PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_SOUNDS_H
#define PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_SOUNDS_H

#include "protocols/epuck2/epuck2_state.h"

/* In the order of the bits of a command. */
enum epuck2_melody {
    EPUCK2_SOUND_NONE,
    EPUCK2_SOUND_MARIO,
    EPUCK2_SOUND_UNDERWORLD,
    EPUCK2_SOUND_STARWARS,
    EPUCK2_SOUND_4_KHZ,
    EPUCK2_SOUND_10_KHZ,
    EPUCK2_SOUND_COUNT,
};

void epuck2_sounds_reset(struct epuck2_play *play);

/* Obeys the sound byte of a command. Returns when the polling thread is free again: a melody that
 * starts anew first waits for the note that plays to end. */
int64_t epuck2_sounds_obey(struct epuck2_play *play, uint8_t bits, int64_t now_us);

/* Goes on to the next note, at its time. */
void epuck2_sounds_next(struct epuck2_play *play);

#endif
