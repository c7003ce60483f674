/* The ring of LEDs, the body LED and the front LED. */
#ifndef PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_LAMPS_H
#define PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_LAMPS_H

#include "protocols/epuck2/epuck2_state.h"

/* Takes over what a command wants. */
void epuck2_lamps_obey(struct epuck2_state *state, const struct epuck2_command *command);

/* Sets one RGB LED in percent; a channel above 100 stays as it is. */
void epuck2_lamps_rgb(struct epuck2_lamps *lamps, unsigned led, const uint8_t percent[3]);

/* For the serial protocol. ACTION: 0 off, 1 on, 2 the other way. */
void epuck2_lamps_switch(struct epuck2_lamps *lamps, uint8_t leds, int action);
/* LED numbers 0..7 around the ring, 8: all. */
void epuck2_lamps_ring(struct epuck2_lamps *lamps, int number, int action);

/* LED2 as the status lamp of the WiFi firmware, and the colors that are seen. */
void epuck2_lamps_update(struct epuck2_state *state, int64_t now_us);

#endif
