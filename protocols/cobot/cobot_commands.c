/* Frames and letters become wanted motions; the last one of either channel rules. */
#include "protocols/cobot/cobot_commands.h"

#include "protocols/cobot/cobot_motion.h"

/* Speeds of the letters (vendor firmware). What the letters a and b do to a robot under way, and
 * that they end at 0, is chosen. */
static const int32_t COBOT_PHONE_START_MM_S = 350;
static const int32_t COBOT_PHONE_STEP_MM_S = 50;
static const int32_t COBOT_PHONE_MAX_MM_S = 800;
static const int32_t COBOT_PHONE_STRAFE_MM_S = 300;
static const int32_t COBOT_PHONE_PIVOT = 200; /* 2.00 rad/s; Ackermann: as far as it steers */

void cobot_commands_reset(struct cobot_state *state)
{
    state->phone.speed_mm_s = COBOT_PHONE_START_MM_S;
    state->phone.letter = 0;
}

/* ---- Letters ---- */

static void phone_faster(struct cobot_phone *phone, int32_t step_mm_s)
{
    int32_t speed = phone->speed_mm_s + step_mm_s;
    phone->speed_mm_s = speed < 0 ? 0 : speed > COBOT_PHONE_MAX_MM_S ? COBOT_PHONE_MAX_MM_S : speed;
}

/* The motion that a letter means. */
static struct cobot_command phone_command(const struct cobot_phone *phone, uint8_t letter)
{
    switch (letter) {
    case '3':
        return (struct cobot_command){.turn = COBOT_PHONE_PIVOT};
    case '4':
        return (struct cobot_command){.turn = -COBOT_PHONE_PIVOT};
    case '6':
        return (struct cobot_command){.x_mm_s = phone->speed_mm_s};
    case '7':
        return (struct cobot_command){.x_mm_s = -phone->speed_mm_s};
    case '8':
        return (struct cobot_command){.y_mm_s = COBOT_PHONE_STRAFE_MM_S};
    case '9':
        return (struct cobot_command){.y_mm_s = -COBOT_PHONE_STRAFE_MM_S};
    default: /* 0 and 5 */
        return (struct cobot_command){0};
    }
}

static void run_letter(struct cobot_state *state, enum cobot_channel channel, uint8_t letter)
{
    struct cobot_phone *phone = &state->phone;
    if (!cobot_letter_is_known(letter)) {
        state->stats[channel].noise_bytes++;
        return;
    }
    state->stats[channel].frames++;
    state->last.letter.letter = letter;
    cobot_motion_heard(state);
    if (letter == 'a' || letter == 'b') {
        phone_faster(phone, letter == 'a' ? COBOT_PHONE_STEP_MM_S : -COBOT_PHONE_STEP_MM_S);
        if (phone->letter != '6' && phone->letter != '7')
            return;
    } else {
        phone->letter = letter;
    }
    cobot_motion_command(state, phone_command(phone, phone->letter));
}

/* ---- Frames ---- */

/* Any sign byte but 0 means minus (the vendor's driver tests > 0). */
static int32_t signed_value(uint8_t sign, uint16_t magnitude)
{
    return sign != 0 ? -(int32_t)magnitude : (int32_t)magnitude;
}

static void run_frame(struct cobot_state *state, enum cobot_channel channel,
                      const struct cobot_part *part)
{
    struct robot_stats *stats = &state->stats[channel];
    struct cobot_move *motion = &state->last.motion;
    stats->frames++;
    if (part->function != cobot_motion_packet.id) {
        stats->unknown_ids++;
    } else if (wire_decode(&cobot_motion_packet, part->data, part->size, motion)) {
        state->phone.letter = 0;
        cobot_motion_command(state, (struct cobot_command){
                                        .x_mm_s = signed_value(motion->x_sign, motion->x),
                                        .y_mm_s = signed_value(motion->y_sign, motion->y),
                                        .turn = signed_value(motion->turn_sign, motion->turn),
                                    });
    } else {
        stats->bad_lengths++;
        if (state->options.watchdog_feed == COBOT_FEED_VALID)
            return;
    }
    cobot_motion_heard(state);
}

static void run_bad_frame(struct cobot_state *state, enum cobot_channel channel)
{
    state->stats[channel].bad_frames++;
    if (state->options.watchdog_feed == COBOT_FEED_ANY)
        cobot_motion_heard(state);
}

void cobot_commands_byte(struct cobot_state *state, enum cobot_channel channel, uint8_t byte)
{
    bool is_phone = channel == COBOT_BLUETOOTH;
    if (is_phone && state->options.bluetooth == COBOT_BLUETOOTH_LETTERS) {
        run_letter(state, channel, byte);
        return;
    }
    struct cobot_framer *framer = &state->framer[channel];
    struct cobot_part part;
    enum cobot_found found;
    cobot_framer_push(framer, byte);
    while ((found = cobot_framer_next(framer, &part)) != COBOT_FOUND_NOTHING)
        if (found == COBOT_FOUND_FRAME)
            run_frame(state, channel, &part);
        else if (found == COBOT_FOUND_BAD_FRAME)
            run_bad_frame(state, channel);
        else if (is_phone && state->options.bluetooth == COBOT_BLUETOOTH_BOTH)
            run_letter(state, channel, part.function);
        else
            state->stats[channel].noise_bytes++;
}
