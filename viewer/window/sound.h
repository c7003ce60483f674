/* The sounds of the robots, through the machine's loudspeaker. */
#ifndef PTYBOT_VIEWER_WINDOW_SOUND_H
#define PTYBOT_VIEWER_WINDOW_SOUND_H

#include <stdbool.h>

#include "sim/watch/snapshot.h"

struct sound;

/* NULL where there is no loudspeaker: then all is silent, and the others do nothing. */
struct sound *sound_open(void);
void sound_close(struct sound *sound);

/* What the robots play now. */
void sound_play(struct sound *sound, const struct snapshot *snapshot, bool is_muted);

#endif
