/* Plays the sounds of the robots on the computer's loudspeaker. */
#pragma once

#include <stdbool.h>

#include "sim/watch/snapshot.h"

struct sound;

/* NULL if there is no audio device; the functions below then do nothing. */
struct sound *sound_open(void);
void sound_close(struct sound *sound);

/* Plays the present tones of the robots of a snapshot. */
void sound_play(struct sound *sound, const struct snapshot *snapshot, bool is_muted);
