/* Mutates recordings according to their file formats: whole new files of either format and byte
 * order, blocks with correct sizes, options, RTAC and usbmon packets, and single numbers in
 * them. */
#include <string.h>

#include "app/lab/recording/usb_serial.h"
#include "app/record/capture.h"
#include "app/record/pcapng.h"
#include "base/array.h"
#include "protocols/registry.h"
#include "tests/fuzz/dice.h"
#include "tests/fuzz/frame_maker.h"
#include "tests/fuzz/mutator.h"

enum {
    MADE_MAX = BYTES_INSERT_MAX,
    BLOCKS_MAX = 64, /* of a file, that are considered */
    PCAP_HEADER = 24,
    PCAP_RECORD = 16,
};

/* The output; data without room is left out. */
struct maker {
    struct dice *dice;
    bool is_big_endian;
    uint8_t bytes[MADE_MAX];
    size_t used;
};

static uint64_t one_of(struct dice *dice, const uint64_t *values, size_t count)
{
    return values[roll(dice, count)];
}

static void put_at(struct maker *maker, size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++, value >>= 8)
        maker->bytes[at + (maker->is_big_endian ? size - 1 - i : i)] = (uint8_t)value;
}

static void put(struct maker *maker, uint64_t value, size_t size)
{
    if (maker->used + size > MADE_MAX)
        return;
    put_at(maker, maker->used, value, size);
    maker->used += size;
}

static void put_bytes(struct maker *maker, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        put(maker, ((const uint8_t *)bytes)[i], 1);
}

static void put_any(struct maker *maker, uint64_t size)
{
    for (; size > 0; size--)
        put(maker, roll(maker->dice, 256), 1);
}

static void put_padding(struct maker *maker)
{
    while (maker->used % 4 != 0 && maker->used < MADE_MAX)
        put(maker, 0, 1);
}

/* A number of 16 or 32 bits as in such files, or near an edge value. */
static uint64_t edge(struct dice *dice)
{
    static const uint64_t edges[] = {
        0,       1,        2,        3,          4,          6,          8,         11,     12,
        16,      20,       24,       48,         64,         128,        255,       511,    512,
        513,     189,      220,      250,        0x7FFF,     0x8000,     0xFFFC,    0xFFFF, 0x10000,
        0xFFFFC, 0x100000, 0x100004, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFC, 0xFFFFFFFF};
    return roll(dice, 4) ? one_of(dice, edges, COUNT(edges)) : roll(dice, UINT64_C(1) << 32);
}

/* ---- Content of packets ---- */

/* A frame of a robot, usually of the robot named by put_text_option. */
static void put_frame(struct maker *maker, enum wire_direction direction)
{
    uint8_t frame[FRAME_MADE_MAX];
    struct dice *dice = maker->dice;
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    const struct robot_type *type =
        roll(dice, 4) ? registry_find("kobuki") : types[roll(dice, count)];
    put_bytes(maker, frame, frame_make(type, 0, direction, roll(dice, UINT64_MAX), frame));
}

static void put_rtac(struct maker *maker)
{
    uint64_t kind = roll(maker->dice, CAPTURE_KINDS + 1);
    put(maker, roll(maker->dice, 1 << 20), 4);
    put(maker, roll(maker->dice, 1000000), 4);
    put(maker, kind, 1);
    put(maker, roll(maker->dice, 256), 1);
    put(maker, 0, 2);
    if ((kind == CAPTURE_TO_ROBOT || kind == CAPTURE_TO_HOST) && roll(maker->dice, 4))
        put_frame(maker, kind == CAPTURE_TO_HOST ? WIRE_TO_HOST : WIRE_TO_ROBOT);
    else
        put_any(maker, roll(maker->dice, 40));
}

/* A request of a driver to an adapter; eight bytes. */
static void put_setup(struct maker *maker)
{
    static const uint64_t kinds[] = {0x40, 0x41, 0xC0, 0x80}, requests[] = {0, 1, 3, 7, 0x1E};
    put(maker, one_of(maker->dice, kinds, COUNT(kinds)), 1);
    put(maker, one_of(maker->dice, requests, COUNT(requests)), 1);
    put(maker, roll(maker->dice, 2) ? roll(maker->dice, 4) : roll(maker->dice, 1 << 16), 2);
    put(maker, roll(maker->dice, 2) ? roll(maker->dice, 6) : roll(maker->dice, 1 << 16), 2);
    put(maker, roll(maker->dice, 8), 2);
}

/* Data of an FTDI chip: each packet of 64 or 512 bytes begins with two status bytes. */
static void put_ftdi(struct maker *maker)
{
    size_t step = roll(maker->dice, 4) ? 64 : 512;
    for (uint64_t packets = 1 + roll(maker->dice, 3); packets > 0; packets--) {
        put(maker, 0x01 | roll(maker->dice, 16) << 4, 1);
        put(maker, roll(maker->dice, 4) ? 0x60 : roll(maker->dice, 256), 1);
        put_any(maker, packets > 1 ? step - 2 : roll(maker->dice, step - 1));
    }
}

static void put_descriptor(struct maker *maker)
{
    static const uint64_t vendors[] = {0x0403, 0x10C4, 0x1A86};
    static const uint8_t head[] = {18, 1, 0, 2, 0, 0, 0, 8};
    put_bytes(maker, head, sizeof head);
    uint64_t vendor = one_of(maker->dice, vendors, COUNT(vendors));
    put(maker, vendor & 0xFF, 1);
    put(maker, vendor >> 8, 1);
    put_any(maker, 8);
}

/* From Documentation/usb/usbmon.rst: struct usbmon_packet. */
static void put_usbmon(struct maker *maker, unsigned linktype)
{
    static const uint64_t types[] = {'S', 'C', 'E'};
    bool is_control = roll(maker->dice, 3) == 0;
    put(maker, roll(maker->dice, UINT64_MAX), 8);
    put(maker, one_of(maker->dice, types, COUNT(types)), 1);
    put(maker, is_control ? 2 : roll(maker->dice, 4) ? 3 : roll(maker->dice, 4), 1);
    put(maker, (roll(maker->dice, 2) ? 0x80 : 0) | roll(maker->dice, is_control ? 1 : 9), 1);
    put(maker, roll(maker->dice, 4), 1); // the device; its bus
    put(maker, 1 + roll(maker->dice, 2), 2);
    put(maker, roll(maker->dice, 2) ? 0 : '-', 1);
    put(maker, 0, 1);
    put(maker, roll(maker->dice, 1 << 30), 8);
    put(maker, roll(maker->dice, 1000000), 4);
    put(maker, 0, 4);
    put(maker, 64, 4);
    put(maker, 64, 4);
    put_setup(maker);
    if (linktype == USB_SERIAL_LINKTYPE_MMAP)
        put_any(maker, 16);
    uint64_t kind = roll(maker->dice, 4);
    if (kind == 0)
        put_any(maker, roll(maker->dice, 64));
    else if (is_control)
        put_descriptor(maker);
    else
        put_ftdi(maker);
}

static void put_data(struct maker *maker, unsigned linktype)
{
    if (linktype == CAPTURE_RTAC_LINKTYPE)
        put_rtac(maker);
    else if (linktype == USB_SERIAL_LINKTYPE || linktype == USB_SERIAL_LINKTYPE_MMAP)
        put_usbmon(maker, linktype);
    else
        put_any(maker, roll(maker->dice, 40));
}

static unsigned any_linktype(struct dice *dice)
{
    static const uint64_t types[] = {CAPTURE_RTAC_LINKTYPE, CAPTURE_RTAC_LINKTYPE,
                                     USB_SERIAL_LINKTYPE, USB_SERIAL_LINKTYPE_MMAP, 1};
    return (unsigned)one_of(dice, types, COUNT(types));
}

/* ---- Blocks of pcapng ---- */

/* An option with its length, which is sometimes wrong. */
static void put_option(struct maker *maker, unsigned code, const void *bytes, size_t size)
{
    put(maker, code, 2);
    put(maker, roll(maker->dice, 40) ? size : edge(maker->dice) & 0xFFFF, 2);
    put_bytes(maker, bytes, size);
    put_padding(maker);
}

static void put_text_option(struct maker *maker, unsigned code)
{
    static const char *const texts[] = {"kobuki.uart",
                                        "kobuki uart",
                                        "",
                                        "line0",
                                        "a\"\\\n\x80",
                                        "115200 baud",
                                        "9600 baud; x",
                                        "0 baud",
                                        "99999999999 baud",
                                        "../x",
                                        "usb1.2",
                                        ".",
                                        " "};
    const char *text = texts[roll(maker->dice, COUNT(texts))];
    put_option(maker, code, text, strlen(text));
}

static void put_number_option(struct maker *maker, unsigned code, uint64_t value, size_t size)
{
    put(maker, code, 2);
    put(maker, size, 2);
    put(maker, value, size);
    put_padding(maker);
}

static void put_interface_options(struct maker *maker)
{
    static const uint64_t resolutions[] = {0, 3, 6, 9, 10, 17, 18, 20, 63, 127, 128, 138, 188, 255};
    static const uint64_t offsets[] = {0, 1, 1000000000, 1000000001, UINT64_MAX, INT64_MAX};
    static const uint64_t speeds[] = {0, 9600, 115200, 0xFFFFFFFF, UINT64_MAX};
    struct dice *dice = maker->dice;
    for (uint64_t left = roll(dice, 5); left > 0; left--)
        switch (roll(dice, 6)) {
        case 0:
            put_text_option(maker, PCAPNG_INTERFACE_NAME);
            break;
        case 1:
            put_text_option(maker, PCAPNG_INTERFACE_DESCRIPTION);
            break;
        case 2:
            put_number_option(maker, PCAPNG_INTERFACE_RESOLUTION,
                              one_of(dice, resolutions, COUNT(resolutions)), 1);
            break;
        case 3:
            put_number_option(maker, PCAPNG_INTERFACE_OFFSET, one_of(dice, offsets, COUNT(offsets)),
                              8);
            break;
        case 4:
            put_number_option(maker, PCAPNG_INTERFACE_SPEED, one_of(dice, speeds, COUNT(speeds)),
                              8);
            break;
        default:
            put_text_option(maker, (unsigned)roll(dice, 16));
            break;
        }
    if (roll(dice, 4))
        put(maker, PCAPNG_OPTION_END, 4);
}

static void put_packet(struct maker *maker, unsigned type, unsigned linktype)
{
    struct dice *dice = maker->dice;
    size_t interfaces = type == PCAPNG_PACKET ? 4 : 2;
    put(maker, roll(dice, 8) ? roll(dice, 2) : edge(dice), interfaces);
    if (type == PCAPNG_OLD_PACKET)
        put(maker, 0, 2);
    put(maker, roll(dice, 8) ? roll(dice, 4) : edge(dice), 4);
    put(maker, edge(dice), 4);
    size_t length_at = maker->used;
    put(maker, 0, 4);
    put(maker, edge(dice), 4);
    size_t from = maker->used;
    put_data(maker, linktype);
    if (length_at + 4 <= MADE_MAX)
        put_at(maker, length_at, roll(dice, 40) ? maker->used - from : edge(dice), 4);
    put_padding(maker);
    if (roll(dice, 2))
        put_text_option(maker, PCAPNG_COMMENT);
}

/* A whole block; LINKTYPE is that of the interface for its packet. */
static void put_block(struct maker *maker, unsigned type, unsigned linktype)
{
    struct dice *dice = maker->dice;
    size_t from = maker->used;
    put(maker, type, 4);
    put(maker, 0, 4);
    if (type == PCAPNG_SECTION) {
        put(maker, PCAPNG_MAGIC, 4);
        put(maker, roll(dice, 20) ? 1 : 2, 2);
        put(maker, 0, 2);
        put(maker, UINT64_MAX, 8);
        if (roll(dice, 2))
            put_text_option(maker, PCAPNG_SECTION_PROGRAM);
    } else if (type == PCAPNG_INTERFACE) {
        put(maker, linktype, 2);
        put(maker, 0, 2);
        put(maker, 0, 4);
        put_interface_options(maker);
    } else if (type == PCAPNG_PACKET || type == PCAPNG_OLD_PACKET) {
        put_packet(maker, type, linktype);
    } else {
        put_any(maker, roll(dice, 32));
    }
    put_padding(maker);
    if (maker->used + 4 > MADE_MAX) { // no incomplete block
        maker->used = from;
        return;
    }
    put(maker, maker->used + 4 - from, 4);
    put_at(maker, from + 4, maker->used - from, 4);
}

static unsigned any_block(struct dice *dice)
{
    static const uint64_t types[] = {PCAPNG_PACKET,  PCAPNG_PACKET,        PCAPNG_PACKET,
                                     PCAPNG_PACKET,  PCAPNG_INTERFACE,     PCAPNG_OLD_PACKET,
                                     PCAPNG_SECTION, PCAPNG_SIMPLE_PACKET, 5};
    return (unsigned)one_of(dice, types, COUNT(types));
}

/* ---- pcap ---- */

static void put_pcap_header(struct maker *maker, unsigned linktype)
{
    put(maker, roll(maker->dice, 2) ? PCAP_MAGIC_MICRO : PCAP_MAGIC_NANO, 4);
    put(maker, 2, 2);
    put(maker, 4, 2);
    put(maker, 0, 8);
    put(maker, 262144, 4);
    put(maker, linktype, 4);
}

static void put_record(struct maker *maker, unsigned linktype)
{
    struct dice *dice = maker->dice;
    size_t from = maker->used;
    put(maker, roll(dice, 4) ? roll(dice, 100) : edge(dice), 4);
    put(maker, roll(dice, 4) ? roll(dice, 1000000) : edge(dice), 4);
    put(maker, 0, 8);
    put_data(maker, linktype);
    size_t size = maker->used - from - PCAP_RECORD;
    if (maker->used < from + PCAP_RECORD) {
        maker->used = from;
        return;
    }
    put_at(maker, from + 8, roll(dice, 40) ? size : edge(dice), 4);
    put_at(maker, from + 12, size, 4);
}

/* ---- An existing file ---- */

/* The positions of its blocks, or of its records after the header. */
struct layout {
    bool is_pcapng, is_big_endian;
    unsigned linktype; /* of the last interface */
    size_t count;
    struct {
        size_t at, size;
    } blocks[BLOCKS_MAX];
};

static uint32_t number(const struct layout *layout, const uint8_t *bytes, size_t size)
{
    uint32_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | bytes[layout->is_big_endian ? i : size - 1 - i];
    return value;
}

/* The size of the block at AT; 0: there is none. */
static size_t block_size(struct layout *layout, const uint8_t *data, size_t size, size_t at)
{
    if (size - at < (layout->is_pcapng ? 12 : PCAP_RECORD))
        return 0;
    if (!layout->is_pcapng) {
        uint32_t length = number(layout, data + at + 8, 4);
        return length > size - at - PCAP_RECORD ? 0 : PCAP_RECORD + length;
    }
    if (number(layout, data + at, 4) == PCAPNG_SECTION)
        layout->is_big_endian = data[at + 8] == PCAPNG_MAGIC >> 24;
    uint32_t type = number(layout, data + at, 4), whole = number(layout, data + at + 4, 4);
    if (type == PCAPNG_INTERFACE)
        layout->linktype = number(layout, data + at + 8, 2);
    return whole < 12 || whole % 4 != 0 || whole > size - at ? 0 : whole;
}

static bool look(const uint8_t *data, size_t size, struct layout *layout)
{
    *layout = (struct layout){.linktype = CAPTURE_RTAC_LINKTYPE};
    if (size < PCAP_HEADER)
        return false;
    layout->is_pcapng = number(layout, data, 4) == PCAPNG_SECTION;
    if (!layout->is_pcapng) {
        layout->is_big_endian = data[0] == PCAP_MAGIC_MICRO >> 24;
        layout->linktype = number(layout, data + 20, 2);
    }
    size_t at = layout->is_pcapng ? 0 : PCAP_HEADER;
    for (; layout->count < BLOCKS_MAX && at < size; layout->count++) {
        size_t whole = block_size(layout, data, size, at);
        if (whole == 0)
            break;
        layout->blocks[layout->count].at = at;
        layout->blocks[layout->count].size = whole;
        at += whole;
    }
    return layout->count > 0;
}

/* ---- Changes ---- */

static size_t new_file(struct maker *maker, uint8_t *data, size_t max)
{
    struct dice *dice = maker->dice;
    unsigned linktype = any_linktype(dice);
    bool is_pcapng = roll(dice, 3) > 0;
    maker->is_big_endian = roll(dice, 3) == 0;
    if (is_pcapng) {
        put_block(maker, PCAPNG_SECTION, 0);
        put_block(maker, PCAPNG_INTERFACE, linktype);
    } else {
        put_pcap_header(maker, linktype);
    }
    for (uint64_t left = roll(dice, 12); left > 0; left--)
        if (is_pcapng)
            put_block(maker, any_block(dice), linktype);
        else
            put_record(maker, linktype);
    size_t size = maker->used < max ? maker->used : max;
    memcpy(data, maker->bytes, size);
    return size;
}

/* Replaces one number of a block: two or four bytes, aligned. */
static void change_number(struct maker *maker, uint8_t *block, size_t size)
{
    size_t width = roll(maker->dice, 2) ? 2 : 4, at = roll(maker->dice, size / width) * width;
    bool is_head = roll(maker->dice, 2) && size >= 32;
    at = is_head ? roll(maker->dice, 32 / width) * width : at;
    put_at(maker, 0, edge(maker->dice), width);
    memcpy(block + at, maker->bytes, width);
}

/* Changes bytes in a pcapng block, and makes its sizes correct again. */
static size_t change_body(struct maker *maker, const uint8_t *block, size_t size)
{
    enum { FRAME = 12 };
    if (size > MADE_MAX / 2)
        return 0;
    memcpy(maker->bytes, block, size - 4);
    maker->used = 8 + LLVMFuzzerMutate(maker->bytes + 8, size - FRAME, MADE_MAX / 2);
    put_padding(maker);
    put(maker, maker->used + 4, 4);
    put_at(maker, 4, maker->used, 4);
    return maker->used;
}

static size_t replace(uint8_t *data, size_t size, size_t max, size_t at, size_t old,
                      const struct maker *maker)
{
    if (size - old + maker->used > max)
        return size;
    memmove(data + at, data + at + old, size - at - old);
    return bytes_insert(data, size - old, max, at, maker->bytes, maker->used);
}

static size_t change_file(struct maker *maker, const struct layout *layout, uint8_t *data,
                          size_t size, size_t max)
{
    enum { MAKE, DOUBLE, DROP, NUMBER, BODY, KINDS };
    struct dice *dice = maker->dice;
    size_t one = (size_t)roll(dice, layout->count), two = (size_t)roll(dice, layout->count);
    size_t at = layout->blocks[one].at, length = layout->blocks[one].size;
    size_t behind = layout->blocks[two].at + layout->blocks[two].size;
    maker->is_big_endian = layout->is_big_endian;
    switch (roll(dice, KINDS)) {
    case DOUBLE:
        return bytes_insert(data, size, max, behind, data + at, length);
    case DROP:
        return replace(data, size, max, at, length, maker);
    case NUMBER:
        change_number(maker, data + at, length);
        return size;
    case BODY:
        if (layout->is_pcapng && change_body(maker, data + at, length) > 0)
            return replace(data, size, max, at, length, maker);
        break;
    default:
        break;
    }
    maker->used = 0;
    unsigned linktype = roll(dice, 8) ? layout->linktype : any_linktype(dice);
    if (layout->is_pcapng)
        put_block(maker, any_block(dice), linktype);
    else
        put_record(maker, linktype);
    return replace(data, size, max, behind, 0, maker);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct maker maker;
    struct dice dice = {.seed = rng_u64(seed, 1)};
    struct layout layout;
    if (mutate_plainly(seed))
        return LLVMFuzzerMutate(data, size, max);
    maker.dice = &dice;
    maker.used = 0;
    maker.is_big_endian = false;
    return look(data, size, &layout) && roll(&dice, 8) > 0
               ? change_file(&maker, &layout, data, size, max)
               : new_file(&maker, data, max);
}
