/* Receiving and answering over the serial line. Approximated: the loop continues to read while its
 * answer is still being sent. */
#include "protocols/epuck2/epuck2_sercom.h"

#include <string.h>

#include "protocols/epuck2/epuck2_sercom_commands.h"

static const char welcome[] = "\f\aWELCOME to the SerCom protocol on e-Puck\r\n"
                              "the EPFL education robot type \"H\" for help\r\n";
static const char calibrated[] = "k, Calibration finished\r\n";

static const int64_t EPUCK2_PICTURE_US = 60000; /* chosen: time until the camera's next frame */

/* Allows the present answers to be sent, unless the protocol waits for something. */
static void release(struct epuck2_sercom *sercom, int64_t now_us)
{
    sercom->ready_size = sercom->answer_size;
    if (sercom->waiting == EPUCK2_WAIT_NOTHING && sercom->ready_size > 0)
        sercom->due_us = now_us;
}

void epuck2_sercom_reset(struct epuck2_state *state, bool has_booted, int64_t now_us)
{
    struct epuck2_sercom *sercom = &state->sercom;
    memset(sercom, 0, sizeof *sercom);
    sercom->due_us = ROBOT_NEVER;
    sercom->picture_at = -1;
    sercom->camera_mode = 1; /* RGB565 */
    sercom->camera_width = sercom->camera_height = 40;
    sercom->camera_zoom = 8;
    sercom->camera_x = (640 - 40 * 8) / 2;
    sercom->camera_y = (480 - 40 * 8) / 2;
    if (has_booted)
        return;
    epuck2_sercom_add(state, welcome, sizeof welcome - 1);
    release(sercom, now_us);
}

/* ---- Reading ---- */

static void begin(struct epuck2_state *state, uint8_t byte)
{
    struct epuck2_sercom *sercom = &state->sercom;
    if (byte == 0 || byte == '\r' || byte == '\n') {
        state->stats[EPUCK2_SERIAL].noise_bytes++;
        return;
    }
    sercom->reading = EPUCK2_READING_LINE;
    sercom->bytes[0] = byte;
    sercom->used = 1;
}

/* Takes a byte of a batch between two commands: the code of a command, or the end of the batch. */
static void take_code(struct epuck2_state *state, uint8_t byte, int64_t now_us)
{
    struct epuck2_sercom *sercom = &state->sercom;
    if (byte == 0) {
        sercom->reading = EPUCK2_READING_NOTHING;
        if (sercom->picture_at >= 0) {
            sercom->wants_picture = true;
            epuck2_sercom_wait(state, EPUCK2_WAIT_PICTURE, now_us + EPUCK2_PICTURE_US);
        }
        release(sercom, now_us);
        return;
    }
    uint8_t code = (uint8_t)(0x100 - byte);
    int needed = epuck2_sercom_arguments(code);
    sercom->reading = EPUCK2_READING_CODE;
    if (needed < 0) {
        state->stats[EPUCK2_SERIAL].unknown_ids++;
        return;
    }
    sercom->code = code;
    sercom->used = 0;
    sercom->needed = (uint8_t)needed;
    sercom->reading = EPUCK2_READING_ARGUMENTS;
}

static void end_line(struct epuck2_state *state, int64_t now_us)
{
    struct epuck2_sercom *sercom = &state->sercom;
    sercom->bytes[sercom->used] = '\0';
    sercom->reading = EPUCK2_READING_NOTHING;
    epuck2_sercom_line(state, (const char *)sercom->bytes, now_us);
    memset(sercom->bytes, 0, sizeof sercom->bytes);
    sercom->used = 0;
    release(sercom, now_us);
}

static void take_line(struct epuck2_state *state, uint8_t byte, int64_t now_us)
{
    struct epuck2_sercom *sercom = &state->sercom;
    if (byte == '\r' || byte == '\n')
        end_line(state, now_us);
    else if (sercom->used < EPUCK2_LINE_MAX - 1)
        sercom->bytes[sercom->used++] = byte;
    else
        state->stats[EPUCK2_SERIAL].noise_bytes++;
}

static void end_arguments(struct epuck2_state *state, int64_t now_us)
{
    struct epuck2_sercom *sercom = &state->sercom;
    state->stats[EPUCK2_SERIAL].frames++;
    sercom->reading = EPUCK2_READING_CODE;
    epuck2_sercom_binary(state, sercom->code, sercom->bytes, now_us);
    memset(sercom->bytes, 0, sizeof sercom->bytes);
    sercom->used = 0;
}

static void take(struct epuck2_state *state, uint8_t byte, int64_t now_us)
{
    struct epuck2_sercom *sercom = &state->sercom;
    switch (sercom->reading) {
    case EPUCK2_READING_LINE:
        take_line(state, byte, now_us);
        break;
    case EPUCK2_READING_ARGUMENTS:
        sercom->bytes[sercom->used++] = byte;
        break;
    case EPUCK2_READING_CODE:
        take_code(state, byte, now_us);
        break;
    default:
        if (byte >= 0x80)
            take_code(state, byte, now_us);
        else
            begin(state, byte);
    }
    if (sercom->reading == EPUCK2_READING_ARGUMENTS && sercom->used == sercom->needed)
        end_arguments(state, now_us);
}

void epuck2_sercom_rx(struct epuck2_state *state, const uint8_t *bytes, size_t size, int64_t now_us)
{
    struct epuck2_sercom *sercom = &state->sercom;
    for (size_t i = 0; i < size; i++)
        if (sercom->waiting == EPUCK2_WAIT_NOTHING)
            take(state, bytes[i], now_us);
        else if (sercom->held_size < EPUCK2_HELD_MAX)
            sercom->held[sercom->held_size++] = bytes[i];
        else
            state->stats[EPUCK2_SERIAL].noise_bytes++;
}

/* ---- Answering ---- */

/* Mode, width and height, then the pixels. */
static size_t picture(const struct epuck2_state *state, const struct robot_image *image,
                      uint8_t *out)
{
    const struct epuck2_sercom *sercom = &state->sercom;
    const struct epuck2_crop crop = {.width = sercom->camera_width,
                                     .height = sercom->camera_height,
                                     .zoom = sercom->camera_zoom,
                                     .x = sercom->camera_x,
                                     .y = sercom->camera_y,
                                     .is_gray = sercom->camera_mode == 0};
    out[0] = (uint8_t)sercom->camera_mode;
    out[1] = (uint8_t)sercom->camera_width;
    out[2] = (uint8_t)sercom->camera_height;
    return 3 + epuck2_image_crop(image, state->options.camera_gain, &crop, out + 3);
}

static void end_wait(struct epuck2_state *state)
{
    struct epuck2_sercom *sercom = &state->sercom;
    if (sercom->waiting == EPUCK2_WAIT_CALIBRATION)
        epuck2_sercom_add(state, calibrated, sizeof calibrated - 1);
    if (sercom->reading == EPUCK2_READING_NOTHING)
        sercom->ready_size = sercom->answer_size;
    sercom->waiting = EPUCK2_WAIT_NOTHING;
}

static void flush(struct epuck2_state *state, const struct robot_image *image,
                  const struct robot_tx *tx)
{
    struct epuck2_sercom *sercom = &state->sercom;
    uint8_t frame[EPUCK2_SERCOM_FRAME_MAX];
    size_t ready = sercom->ready_size;
    size_t size = 0;
    if (sercom->picture_at >= 0 && (size_t)sercom->picture_at <= ready) {
        size_t before = (size_t)sercom->picture_at;
        memcpy(frame, sercom->answer, before);
        size = before + picture(state, image, frame + before);
        memcpy(frame + size, sercom->answer + before, ready - before);
        size += ready - before;
        sercom->picture_at = -1;
    } else {
        memcpy(frame, sercom->answer, ready);
        size = ready;
    }
    sercom->answer_size = (uint16_t)(sercom->answer_size - ready);
    memmove(sercom->answer, sercom->answer + ready, sercom->answer_size);
    memset(sercom->answer + sercom->answer_size, 0, ready);
    sercom->ready_size = 0;
    if (size > 0)
        tx_send(tx, EPUCK2_SERIAL, frame, size, &state->stats[EPUCK2_SERIAL]);
}

void epuck2_sercom_send(struct epuck2_state *state, const struct robot_image *image,
                        const struct robot_tx *tx, int64_t now_us)
{
    struct epuck2_sercom *sercom = &state->sercom;
    uint8_t held[EPUCK2_HELD_MAX];
    size_t held_size = sercom->held_size;
    end_wait(state);
    sercom->due_us = ROBOT_NEVER;
    flush(state, image, tx);
    memcpy(held, sercom->held, held_size);
    memset(sercom->held, 0, held_size);
    sercom->held_size = 0;
    epuck2_sercom_rx(state, held, held_size, now_us);
}
