/* Kinds of blocks, and the RTAC header. */
#include "app/record/capture.h"

#include "base/array.h"

const char *capture_kind_name(enum capture_kind kind)
{
    static const char *const names[CAPTURE_KINDS] = {
        [CAPTURE_STATUS] = "status",
        [CAPTURE_TO_ROBOT] = "to robot", // words: off note-start
        [CAPTURE_TO_HOST] = "to host",   // words: off note-start
        [CAPTURE_TX_END] = "end to robot",
        [CAPTURE_RX_END] = "end to host",
        [CAPTURE_DATA_LOST] = "data lost",
        [CAPTURE_COMPLETE] = "complete",
        [CAPTURE_FRAMING_ERROR] = "framing error",
        [CAPTURE_PARITY_ERROR] = "parity error",
        [CAPTURE_BREAK] = "break",
        [CAPTURE_OVERFLOW] = "overflow",
    };
    return names[kind];
}

/* Bits of the byte of control lines (tcpdump.org/linktypes/LINKTYPE_RTAC_SERIAL.html). */
static const struct {
    uint8_t bit;
    enum modem_line line;
} line_bits[] = {
    {0x01, MODEM_CTS}, {0x02, MODEM_DCD}, {0x04, MODEM_DSR},
    {0x08, MODEM_RTS}, {0x10, MODEM_DTR}, {0x20, MODEM_RI},
};

static void put_u32_big(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (24 - 8 * i));
}

void capture_rtac_write(const struct capture_block *block, uint8_t out[CAPTURE_RTAC_SIZE])
{
    put_u32_big(out, (uint32_t)(block->time_ns / 1000000000));
    put_u32_big(out + 4, (uint32_t)(block->time_ns % 1000000000 / 1000));
    out[8] = (uint8_t)block->kind;
    out[9] = 0;
    for (size_t i = 0; i < COUNT(line_bits); i++)
        if (block->lines & line_bits[i].line)
            out[9] = (uint8_t)(out[9] | line_bits[i].bit);
    out[10] = out[11] = 0; // reserved
}

bool capture_rtac_read(const uint8_t *bytes, size_t size, struct capture_block *block)
{
    if (size < CAPTURE_RTAC_SIZE || bytes[8] >= CAPTURE_KINDS)
        return false;
    enum capture_kind kind = bytes[8];
    block->lines = 0;
    for (size_t i = 0; i < COUNT(line_bits); i++)
        if (bytes[9] & line_bits[i].bit)
            block->lines |= line_bits[i].line;
    block->bytes = bytes + CAPTURE_RTAC_SIZE;
    block->size = size - CAPTURE_RTAC_SIZE;
    // Other programs write the bytes with the start or with the end of a transmission.
    if (kind == CAPTURE_TX_END && block->size > 0)
        kind = CAPTURE_TO_ROBOT;
    if (kind == CAPTURE_RX_END && block->size > 0)
        kind = CAPTURE_TO_HOST;
    block->kind = kind;
    // Bytes may follow the header of an event, but no line carried them.
    if (!capture_is_data(block)) {
        block->bytes = NULL;
        block->size = 0;
    }
    return true;
}
