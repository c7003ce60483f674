/* LEDs. Approximated: an RGB LED that is lit at all shows its full color. */
#include "protocols/epuck2/epuck2_lamps.h"

enum { EPUCK2_PERCENT_MAX = 100 }; /* above that the firmware leaves a channel as it is */

void epuck2_lamps_rgb(struct epuck2_lamps *lamps, unsigned led, const uint8_t percent[3])
{
    for (int i = 0; i < 3; i++)
        if (percent[i] <= EPUCK2_PERCENT_MAX)
            lamps->rgb[led][i] = percent[i];
}

void epuck2_lamps_obey(struct epuck2_state *state, const struct epuck2_command *command)
{
    struct epuck2_lamps *lamps = &state->lamps;
    const uint8_t known = 0x0f | EPUCK2_LED_BODY | EPUCK2_LED_FRONT;
    lamps->leds = command->leds & known;
    epuck2_lamps_rgb(lamps, EPUCK2_RGB_LED2, command->led2);
    epuck2_lamps_rgb(lamps, EPUCK2_RGB_LED4, command->led4);
    epuck2_lamps_rgb(lamps, EPUCK2_RGB_LED6, command->led6);
    epuck2_lamps_rgb(lamps, EPUCK2_RGB_LED8, command->led8);
}

void epuck2_lamps_switch(struct epuck2_lamps *lamps, uint8_t leds, int action)
{
    unsigned lit = lamps->leds;
    lit = action == 0 ? lit & ~(unsigned)leds : action == 1 ? lit | leds : lit ^ leds;
    lamps->leds = (uint8_t)lit;
}

/* Chosen: the RGB LEDs, whose numbers are odd, are lit in red. */
void epuck2_lamps_ring(struct epuck2_lamps *lamps, int number, int action)
{
    for (int i = 0; i < 8; i++) {
        if (number != i && number != 8)
            continue;
        if (i % 2 == 0) {
            epuck2_lamps_switch(lamps, (uint8_t)(1u << i / 2), action);
            continue;
        }
        uint8_t *rgb = lamps->rgb[i / 2];
        bool is_on = action == 1 || (action == 2 && rgb[0] == 0);
        rgb[0] = is_on ? EPUCK2_PERCENT_MAX : 0;
        rgb[1] = rgb[2] = 0;
    }
}

static uint8_t color_of(const uint8_t rgb[3])
{
    unsigned mix = (rgb[0] > 0 ? 1u : 0) | (rgb[1] > 0 ? 2u : 0) | (rgb[2] > 0 ? 4u : 0);
    return (uint8_t)(mix == 0 ? 0 : 1u << mix);
}

void epuck2_lamps_update(struct epuck2_state *state, int64_t now_us)
{
    struct epuck2_lamps *lamps = &state->lamps;
    if (state->options.has_status_lamp) {
        uint8_t *led2 = lamps->rgb[EPUCK2_RGB_LED2];
        led2[0] = 0;
        led2[1] = state->stream.phase == EPUCK2_WAITING ? EPUCK2_PERCENT_MAX : 0;
        led2[2] = now_us < lamps->sending_until_us ? EPUCK2_PERCENT_MAX : 0;
    }
    for (unsigned i = 0; i < EPUCK2_RGB_COUNT; i++)
        lamps->color[i] = color_of(lamps->rgb[i]);
}
