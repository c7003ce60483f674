#include "sim/watch/wire_account.h"

#include <assert.h>
#include <string.h>

/* Size of a message struct; the same as in protocols/describe.c. */
enum { MESSAGE_MAX = 512 };

/* ---- Values ---- */

size_t wire_account_values(const struct wire_packet *packet)
{
    size_t count = 0;
    for (size_t i = 0; i < packet->field_count; i++)
        count += packet->fields[i].type == WIRE_CHAR ? 0 : packet->fields[i].count;
    return count < WIRE_ACCOUNT_VALUES ? count : WIRE_ACCOUNT_VALUES;
}

const struct wire_field *wire_account_field(const struct wire_packet *packet, size_t value,
                                            size_t *element)
{
    for (size_t i = 0; i < packet->field_count; i++) {
        const struct wire_field *field = &packet->fields[i];
        size_t count = field->type == WIRE_CHAR ? 0 : field->count;
        *element = value;
        if (value < count)
            return field;
        value -= count;
    }
    return NULL;
}

static void add_values(struct wire_account_packet *row, const void *message)
{
    for (size_t i = 0; i < wire_account_values(row->packet); i++) {
        size_t element = 0;
        const struct wire_field *field = wire_account_field(row->packet, i, &element);
        double value = wire_value(field, message, element);
        if (row->count == 1 || value < row->values[i].least)
            row->values[i].least = value;
        if (row->count == 1 || value > row->values[i].most)
            row->values[i].most = value;
    }
}

/* ---- Frames ---- */

static struct wire_account_packet *row_of(struct wire_account *account,
                                          const struct wire_packet *packet)
{
    for (size_t i = 0; i < account->packet_count; i++)
        if (account->packets[i].packet == packet)
            return &account->packets[i];
    assert(account->packet_count < WIRE_ACCOUNT_PACKETS);
    struct wire_account_packet *row = &account->packets[account->packet_count++];
    row->packet = packet;
    return row;
}

static bool is_whole(const struct wire_packet *packet, size_t size)
{
    return packet->repeat ? size >= packet->size : size == packet->size;
}

static void add_unknown(struct wire_account *account, uint8_t id)
{
    account->unknown_parts++;
    for (size_t i = 0; i < account->unknown_count; i++)
        if (account->unknown[i] == id)
            return;
    if (account->unknown_count < WIRE_ACCOUNT_IDS)
        account->unknown[account->unknown_count++] = id;
}

struct frame_visit {
    struct wire_account *account;
    bool is_refused; /* a part was refused */
};

static void add_part(void *user, const struct wire_packet *packet, uint8_t id, const uint8_t *body,
                     size_t size)
{
    struct frame_visit *visit = user;
    /* Aligned for any member of a message struct. */
    union {
        uint32_t align;
        uint8_t bytes[MESSAGE_MAX];
    } message;
    if (!packet) {
        add_unknown(visit->account, id);
        visit->is_refused = true;
        return;
    }
    struct wire_account_packet *row = row_of(visit->account, packet);
    assert(packet->struct_size <= sizeof message);
    if (!is_whole(packet, size)) {
        row->wrong_size = row->refused++ == 0 ? size : row->wrong_size;
        visit->is_refused = true;
        return;
    }
    row->count++;
    memset(&message, 0, sizeof message);
    if (wire_decode(packet, body, size, &message))
        add_values(row, &message);
}

static void add_sample(struct wire_account *account, const struct frame_piece *piece)
{
    for (unsigned cause = 0; cause < REFUSALS; cause++) {
        struct wire_sample *sample = &account->samples[cause];
        if (!(piece->causes & (1u << cause)) || sample->size > 0)
            continue;
        sample->at_us = piece->at_us;
        sample->size = piece->size < WIRE_ACCOUNT_SAMPLE ? piece->size : WIRE_ACCOUNT_SAMPLE;
        memcpy(sample->bytes, piece->bytes, sample->size);
    }
}

void wire_account_add(struct wire_account *account, const struct frame_piece *piece)
{
    if (account->last_us > 0 && piece->at_us - account->last_us > account->pause_us) {
        account->pause_us = piece->at_us - account->last_us;
        account->pause_from_us = account->last_us;
    }
    account->last_us = piece->at_us;
    if (!piece->is_good) {
        add_sample(account, piece);
        return;
    }
    struct frame_visit visit = {.account = account};
    robot_walk(account->type, account->channel, WIRE_TO_ROBOT, 0, piece->bytes, piece->size,
               add_part, &visit);
    account->refused_frames += visit.is_refused;
}

/* ---- The intended packet of refused bytes ---- */

struct guess {
    const struct wire_packet *first;
    bool is_right; /* all parts are known and complete */
};

static void look_at_part(void *user, const struct wire_packet *packet, uint8_t id,
                         const uint8_t *body, size_t size)
{
    struct guess *guess = user;
    (void)id, (void)body;
    guess->is_right = guess->is_right && packet && is_whole(packet, size);
    if (!guess->first)
        guess->first = packet;
}

static const struct wire_packet *packet_of(const struct wire_account *account, const uint8_t *bytes,
                                           size_t size)
{
    struct guess guess = {.is_right = true};
    bool is_frame = robot_walk(account->type, account->channel, WIRE_TO_ROBOT, 0, bytes, size,
                               look_at_part, &guess);
    return is_frame && guess.is_right ? guess.first : NULL;
}

/* Tries other values of the last byte, the position of the checksum. */
static const struct wire_packet *with_sum(const struct wire_account *account, uint8_t *bytes,
                                          size_t size, uint8_t *wanted)
{
    uint8_t found = bytes[size - 1];
    const struct wire_packet *packet = NULL;
    for (unsigned value = 0; value < 256 && !packet; value++) {
        bytes[size - 1] = *wanted = (uint8_t)value;
        packet = packet_of(account, bytes, size);
    }
    bytes[size - 1] = found;
    return packet;
}

/* Tries other values of one byte, with the matching checksum. */
static const struct wire_packet *with_byte(const struct wire_account *account, uint8_t *bytes,
                                           size_t size)
{
    for (size_t at = 0; at + 1 < size; at++) {
        uint8_t found = bytes[at], wanted;
        const struct wire_packet *packet = NULL;
        for (unsigned value = 0; value < 256 && !packet; value++) {
            bytes[at] = (uint8_t)value;
            packet = with_sum(account, bytes, size, &wanted);
        }
        bytes[at] = found;
        if (packet)
            return packet;
    }
    return NULL;
}

/* Tries other values of the length byte. */
static bool with_length(const struct wire_account *account, uint8_t *bytes, size_t size,
                        struct wire_mistake *mistake)
{
    const struct wire_framing *framing =
        robot_framing(account->type, account->channel, WIRE_TO_ROBOT);
    uint8_t sum;
    if (!framing || framing->length_at == 0 || size <= framing->length_at ||
        size < framing->length_extra || memcmp(bytes, framing->head, framing->head_size) != 0)
        return false;
    uint8_t *length = &bytes[framing->length_at], found = *length;
    *length = (uint8_t)(size - framing->length_extra);
    *mistake =
        (struct wire_mistake){with_sum(account, bytes, size, &sum), "length byte", found, *length};
    *length = found;
    return mistake->packet != NULL;
}

bool wire_account_meant(const struct wire_account *account, const struct wire_sample *sample,
                        struct wire_mistake *mistake)
{
    uint8_t bytes[WIRE_ACCOUNT_SAMPLE];
    memcpy(bytes, sample->bytes, sizeof bytes);
    for (size_t from = 0; from < sample->size; from++)
        for (size_t size = 2; size <= sample->size - from; size++) {
            *mistake = (struct wire_mistake){.byte = "checksum"};
            mistake->packet = with_sum(account, bytes + from, size, &mistake->wanted);
            mistake->found = bytes[from + size - 1];
            if (mistake->packet || with_length(account, bytes + from, size, mistake))
                return true;
        }
    return false;
}

const struct wire_packet *wire_account_misfit(const struct wire_account *account,
                                              const struct wire_sample *sample)
{
    enum { LONGEST = 16 }; /* chosen: a longer frame takes too long to try */
    uint8_t bytes[WIRE_ACCOUNT_SAMPLE];
    memcpy(bytes, sample->bytes, sizeof bytes);
    if (sample->size <= LONGEST)
        return with_byte(account, bytes, sample->size);
    /* The bytes may be several frames in a row. */
    const struct wire_packet *packet = NULL;
    for (size_t size = 2; size <= LONGEST && !packet; size++)
        packet = with_byte(account, bytes, size);
    return packet;
}
