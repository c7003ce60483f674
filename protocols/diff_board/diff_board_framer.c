/* Frames of the PIBOT protocol. Source of the parser's behavior: the vendor's firmware
 * (gskywolf/MoBot_Arduino: lib/Transport). Leaves out what the bodies mean. */
#include "protocols/diff_board/diff_board_framer.h"

#include <assert.h>
#include <string.h>

#include "protocols/checksum.h"

static const uint8_t DIFF_BOARD_HEADER = 0x5A;

/* ---- Receiving ---- */

static void framer_start(struct diff_board_framer *framer)
{
    memset(framer, 0, sizeof *framer);
    framer->wait = DIFF_BOARD_WAIT_ID;
    framer->sum = DIFF_BOARD_HEADER;
}

static void framer_sum(struct diff_board_framer *framer, uint8_t byte)
{
    framer->sum = (uint8_t)(framer->sum + byte);
}

bool diff_board_framer_push(struct diff_board_framer *framer, uint8_t byte, unsigned ids,
                            struct robot_stats *stats)
{
    switch (framer->wait) {
    case DIFF_BOARD_WAIT_HEADER:
        if (byte == DIFF_BOARD_HEADER)
            framer_start(framer);
        else
            stats->noise_bytes++;
        return false;
    case DIFF_BOARD_WAIT_ID:
        framer->id = byte;
        framer_sum(framer, byte);
        framer->wait = byte < ids ? DIFF_BOARD_WAIT_LENGTH : DIFF_BOARD_WAIT_HEADER;
        stats->unknown_ids += byte >= ids; /* not taken for a header, even if it is 5A */
        return false;
    case DIFF_BOARD_WAIT_LENGTH:
        framer->length = byte;
        framer_sum(framer, byte);
        framer->wait = byte > 0 ? DIFF_BOARD_WAIT_BODY : DIFF_BOARD_WAIT_SUM;
        return false;
    case DIFF_BOARD_WAIT_BODY:
        framer->body[framer->used++] = byte;
        framer_sum(framer, byte);
        framer->wait = framer->used < framer->length ? DIFF_BOARD_WAIT_BODY : DIFF_BOARD_WAIT_SUM;
        return false;
    default:
        framer->wait = DIFF_BOARD_WAIT_HEADER;
        stats->frames += byte == framer->sum;
        stats->bad_frames += byte != framer->sum;
        return byte == framer->sum;
    }
}

/* ---- Whole frames ---- */

bool diff_board_frame_body(const uint8_t *frame, size_t size, const uint8_t **body,
                           size_t *body_size)
{
    if (size < DIFF_BOARD_FRAME_EXTRA || frame[0] != DIFF_BOARD_HEADER ||
        size != (size_t)frame[2] + DIFF_BOARD_FRAME_EXTRA ||
        checksum_sum(frame, size - 1) != frame[size - 1])
        return false;
    *body = frame + DIFF_BOARD_FRAME_HEAD;
    *body_size = frame[2];
    return true;
}

size_t diff_board_frame_make(const struct wire_packet *packet, const void *message,
                             uint8_t out[DIFF_BOARD_REPLY_MAX])
{
    size_t body = wire_size(packet);
    assert(body + DIFF_BOARD_FRAME_EXTRA <= DIFF_BOARD_REPLY_MAX);
    out[0] = DIFF_BOARD_HEADER;
    out[1] = packet->id;
    out[2] = (uint8_t)body;
    if (message)
        wire_encode(packet, message, out + DIFF_BOARD_FRAME_HEAD);
    size_t size = DIFF_BOARD_FRAME_HEAD + body;
    out[size] = checksum_sum(out, size);
    return size + 1;
}
