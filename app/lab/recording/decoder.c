/* Decodes recordings with one splitter for each line and direction. */
#include "app/lab/recording/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "protocols/registry.h"

struct decoder_line {
    const struct robot_type *type;
    unsigned channel;
    struct wire_splitter splitters[2]; /* indexed by enum wire_direction */
    struct wire_promises promises;
    struct wire_index index;
};

struct decoder {
    const struct robot_type *type;
    unsigned channel;
    size_t current; /* line of the last block */
    enum wire_direction direction;
    bool is_data;
    struct decoder_line *lines[CAPTURE_INTERFACES_MAX]; /* NULL: no bytes so far */
};

struct decoder *decoder_create(const struct robot_type *type, unsigned channel)
{
    struct decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder) {
        decoder->type = type;
        decoder->channel = channel;
    }
    return decoder;
}

void decoder_destroy(struct decoder *decoder)
{
    for (size_t i = 0; decoder && i < CAPTURE_INTERFACES_MAX; i++) {
        for (int way = 0; way < 2 && decoder->lines[i]; way++)
            wire_splitter_close(&decoder->lines[i]->splitters[way]);
        free(decoder->lines[i]);
    }
    free(decoder);
}

/* ---- Robot type of a line ---- */

/* Finds `TYPE` and, after one of the SEPARATORS, `CHANNEL`. Ignores the rest of the text. */
static bool find_type(const char *text, const char *separators, const struct robot_type **type,
                      unsigned *channel)
{
    size_t count, length = strcspn(text, separators);
    const struct robot_type *const *types = registry_types(&count);
    for (size_t i = 0; i < count; i++) {
        if (strncmp(types[i]->name, text, length) != 0 || types[i]->name[length] != '\0')
            continue;
        const char *rest = text + length + (text[length] != '\0');
        size_t word = strcspn(rest, " .,");
        *type = types[i];
        *channel = 0;
        for (unsigned c = 0; c < types[i]->channel_count; c++)
            if (strncmp(types[i]->channels[c].name, rest, word) == 0 &&
                types[i]->channels[c].name[word] == '\0')
                *channel = c;
        return true;
    }
    return false;
}

bool decoder_find_type(const struct capture_interface *interface, const struct robot_type **type,
                       unsigned *channel)
{
    return find_type(interface->description, " ,", type, channel) ||
           find_type(interface->name, ".", type, channel);
}

static bool open_line(struct decoder *decoder, struct decoder_line **opened,
                      const struct capture_interface *interface)
{
    struct decoder_line *line = *opened = calloc(1, sizeof *line);
    if (!line)
        return false;
    line->type = decoder->type;
    line->channel = decoder->channel;
    decoder_find_type(interface, &line->type, &line->channel);
    if (line->type)
        wire_index_make(&line->index, line->type->packets);
    for (int way = 0; way < 2; way++) {
        const struct wire_framing *framing =
            line->type ? line->type->channels[line->channel].frames[way] : NULL;
        if (!wire_splitter_open(&line->splitters[way], framing, CAPTURE_RUN_MAX))
            return false;
        if (line->type)
            wire_splitter_join(&line->splitters[way], (enum wire_direction)way, &line->promises,
                               line->type->packets);
    }
    return true;
}

/* ---- Blocks ---- */

bool decoder_push(struct decoder *decoder, const struct capture_block *block,
                  const struct capture_interface *interface)
{
    struct decoder_line **line = &decoder->lines[block->interface];
    decoder->is_data = capture_is_data(block);
    if (!decoder->is_data)
        return true;
    if (!*line && !open_line(decoder, line, interface))
        return decoder->is_data = false;
    decoder->current = block->interface;
    decoder->direction = block->kind == CAPTURE_TO_HOST ? WIRE_TO_HOST : WIRE_TO_ROBOT;
    wire_splitter_push(&(*line)->splitters[decoder->direction], block->bytes, block->size,
                       block->time_ns);
    return true;
}

static bool take(struct decoder *decoder, size_t index, enum wire_direction direction, bool is_end,
                 struct decoded *decoded)
{
    struct decoder_line *line = decoder->lines[index];
    *decoded = (struct decoded){
        .interface = index, .type = line->type, .channel = line->channel, .direction = direction};
    return wire_splitter_next(&line->splitters[direction], is_end, &decoded->piece);
}

bool decoder_next(struct decoder *decoder, struct decoded *decoded)
{
    return decoder->is_data && take(decoder, decoder->current, decoder->direction, false, decoded);
}

bool decoder_rest(struct decoder *decoder, struct decoded *decoded)
{
    for (size_t i = 0; i < CAPTURE_INTERFACES_MAX; i++)
        for (int way = 0; way < 2; way++)
            if (decoder->lines[i] && take(decoder, i, (enum wire_direction)way, true, decoded))
                return true;
    return false;
}

bool decoder_walk(const struct decoder *decoder, const struct decoded *decoded, wire_visit *visit,
                  void *user)
{
    const struct wire_piece *piece = &decoded->piece;
    const struct robot_type *type = decoded->type;
    if (!type || piece->kind != WIRE_PIECE_FRAME)
        return false;
    const struct wire_framing *framing = robot_framing(type, decoded->channel, decoded->direction);
    if (piece->promised != 0)
        return wire_promised_walk(framing, type->packets, piece->promised, piece->bytes,
                                  piece->size, visit, user);
    return wire_index_walk(&decoder->lines[decoded->interface]->index, framing, type->packets,
                           decoded->direction, piece->bytes, piece->size, visit, user);
}
