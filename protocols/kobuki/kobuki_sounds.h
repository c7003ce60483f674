/* The buzzer: notes and the seven melodies. */
#ifndef PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_SOUNDS_H
#define PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_SOUNDS_H

#include "protocols/kobuki/kobuki_state.h"

/* Numbers of sound_sequence (protocol.rst, Sound Sequence). */
enum kobuki_melody {
    KOBUKI_MELODY_NONE = -1,
    KOBUKI_MELODY_ON,
    KOBUKI_MELODY_OFF,
    KOBUKI_MELODY_RECHARGE,
    KOBUKI_MELODY_BUTTON,
    KOBUKI_MELODY_ERROR,
    KOBUKI_MELODY_CLEANING_START,
    KOBUKI_MELODY_CLEANING_END,
    KOBUKI_MELODY_COUNT,
};

void kobuki_sounds_reset(struct kobuki_play *play);

/* Plays a melody from its start, whatever plays now. */
void kobuki_sounds_melody(struct kobuki_play *play, enum kobuki_melody melody, int64_t now_us);

/* Plays one note for DURATION ms; NOTE as on the wire, 0: silence. */
void kobuki_sounds_note(struct kobuki_play *play, uint16_t note, uint8_t duration, int64_t now_us);

/* The note that plays has ended: the next one, or silence. */
void kobuki_sounds_next(struct kobuki_play *play);

#endif
