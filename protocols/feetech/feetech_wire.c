#include "protocols/feetech/feetech_wire.h"

#include <string.h>

#include "base/array.h"

/* ---- The control tables ---- */

#define STEP_DEG                      (360.0 / 4096)
#define ROW(member, scale, unit, ...) WIRE_FIELD(feetech_table, member, scale, unit, __VA_ARGS__)
#define PLAIN(member, ...)            ROW(member, 1, "", __VA_ARGS__)

/* Addresses 0 to 47, and 56 on: the same in both families. */
#define FIRST_ROWS                                                                                 \
    PLAIN(firmware_major, "read only"), PLAIN(firmware_minor, "read only"),                        \
        PLAIN(byte_order, "read only; 0: low byte first, 1: high byte first"),                     \
        PLAIN(model, "read only; 777: STS3215"), PLAIN(id, ""),                                    \
        PLAIN(baud, "0: 1000000, 1: 500000, 2: 250000, 3: 128000, 4: 115200, 5: 76800, 6: 57600, " \
                    "7: 38400"),                                                                   \
        ROW(return_delay, 2, "us", ""), PLAIN(response_level, "0: only ping and read; 1: all"),    \
        PLAIN(min_position, "steps; both 0: several turns"), PLAIN(max_position, "steps"),         \
        ROW(max_temperature, 1, "C", ""), ROW(max_voltage, 0.1, "V", ""),                          \
        ROW(min_voltage, 0.1, "V", ""), ROW(max_torque, 0.1, "%", "copied to torque_limit"),       \
        PLAIN(phase, "bit 2: unit of the velocity, 1 step/s, else 50; bit 3: velocity 0 is the "   \
                     "highest; bit 4: several turns"),                                             \
        PLAIN(unload_condition, "bits as status"), PLAIN(led_condition, "bits as status"),         \
        PLAIN(p, ""), PLAIN(d, ""), PLAIN(i, ""), ROW(start_force, 0.1, "%", ""),                  \
        PLAIN(cw_dead_zone, "steps"), PLAIN(ccw_dead_zone, "steps"),                               \
        ROW(protection_current, 6.5, "mA", ""), PLAIN(angular_resolution, ""),                     \
        PLAIN(homing_offset, "steps; present position = real one - this", .sign_bit = 11),         \
        PLAIN(mode, "0: position, 1: velocity, 2: PWM, 3: steps"),                                 \
        ROW(protective_torque, 1, "%", "torque limit during an overload"),                         \
        ROW(protection_time, 10, "ms", "time of the load that makes an overload"),                 \
        ROW(overload_torque, 1, "%", "load that is an overload"), PLAIN(velocity_p, ""),           \
        ROW(overcurrent_time, 10, "ms", ""), PLAIN(velocity_i, ""),                                \
        PLAIN(torque_enable, "0: off, 1: on, 2: damping; 128: this place becomes 2048"),           \
        ROW(acceleration, 100, "steps/s2", "0: no limit"),                                         \
        PLAIN(goal_position, "steps; mode 3: from here", .sign_bit = 15),                          \
        ROW(goal_time, 0.1, "%", "mode 2: duty; SCS: time to the goal, ms", .sign_bit = 10),       \
        PLAIN(goal_velocity, "steps/s", .sign_bit = 15)

#define LAST_ROWS                                                                                  \
    PLAIN(present_position, "steps", .sign_bit = 15),                                              \
        PLAIN(present_velocity, "steps/s", .sign_bit = 15),                                        \
        ROW(present_load, 0.1, "%", "duty of the motor", .sign_bit = 10),                          \
        ROW(present_voltage, 0.1, "V", ""), ROW(present_temperature, 1, "C", ""),                  \
        PLAIN(registered, "1: a write waits for the action"),                                      \
        PLAIN(status, "bits: 0 voltage, 1 encoder, 2 temperature, 3 current, 5 overload"),         \
        PLAIN(moving, ""), PLAIN(goal_copy, "goal position"),                                      \
        ROW(present_current, 6.5, "mA", "", .sign_bit = 15),                                       \
        PLAIN(goal_position_2, "goal position"), WIRE_ARRAY(feetech_table, gap73, 1, "", ""),      \
        PLAIN(moving_threshold, ""), PLAIN(dts, ""), PLAIN(velocity_unit, ""), PLAIN(hts, ""),     \
        PLAIN(max_velocity, ""), PLAIN(max_acceleration, "kept; no effect"),                       \
        PLAIN(acceleration_multiplier, "")

static const struct wire_field sts_fields[] = {
    FIRST_ROWS,
    ROW(torque_limit, 0.1, "%", "max_torque at power-on"),
    WIRE_ARRAY(feetech_table, gap50, 1, "", ""),
    PLAIN(lock, "1: writes below 40 last until power-off; 0: for good"),
    LAST_ROWS,
};
static const struct wire_field scs_fields[] = {
    FIRST_ROWS,
    PLAIN(lock, "1: writes below 40 last until power-off; 0: for good"),
    WIRE_ARRAY(feetech_table, gap49, 1, "", ""),
    LAST_ROWS,
};

#define READ_ONLY(at, number)                                                                      \
    {                                                                                              \
        .address = at, .is_read_only = true, .initial = number                                     \
    }
#define SET(at, number, low, high)                                                                 \
    {                                                                                              \
        .address = at, .initial = number, .least = low, .most = high                               \
    }
#define ACT(at, number, high, of)                                                                  \
    {                                                                                              \
        .address = at, .effect = FEETECH_EFFECT_##of, .initial = number, .most = high              \
    }
/* Defaults and ranges of the memory table; firmware and lock as users of lerobot have them. */
#define COMMON_CELLS                                                                               \
    READ_ONLY(0, 3), READ_ONLY(1, 10), READ_ONLY(3, 777), ACT(5, 1, 253, ID), SET(6, 0, 0, 7),     \
        SET(8, 1, 0, 1), SET(13, 70, 0, 100), SET(14, 80, 0, 254), SET(15, 40, 0, 254),            \
        SET(16, 1000, 0, 1000), SET(18, 12, 0, 254), SET(19, 44, 0, 254), SET(20, 47, 0, 254),     \
        SET(21, 32, 0, 254), SET(22, 32, 0, 254), SET(24, 16, 0, 1000), SET(26, 1, 0, 32),         \
        SET(27, 1, 0, 32), SET(28, 500, 0, 511), SET(30, 1, 1, 128), SET(33, 0, 0, 3),             \
        SET(34, 20, 0, 100), SET(35, 200, 0, 254), SET(36, 80, 0, 100), SET(37, 10, 0, 100),       \
        SET(38, 200, 0, 254), SET(39, 10, 0, 254), ACT(40, 0, 128, TORQUE),                        \
        {.address = 42, .effect = FEETECH_EFFECT_GOAL}, READ_ONLY(56, 0), READ_ONLY(58, 0),        \
        READ_ONLY(60, 0), READ_ONLY(62, 0), READ_ONLY(63, 0), READ_ONLY(64, 0), READ_ONLY(65, 0),  \
        READ_ONLY(66, 0), READ_ONLY(67, 0), READ_ONLY(69, 0), READ_ONLY(71, 0)
static const struct control_row sts_rows[] = {
    COMMON_CELLS,           READ_ONLY(2, 0),        SET(9, 0, 0, 4095),
    SET(11, 4095, 0, 4095), SET(48, 1000, 0, 1000), SET(55, 1, 0, 1),
};
static const struct control_row scs_rows[] = {
    COMMON_CELLS, READ_ONLY(2, 1), SET(9, 0, 0, 1023), SET(11, 1023, 0, 1023), SET(48, 1, 0, 1),
};
const struct control_table feetech_sts = {sts_fields,      COUNT(sts_fields),  sts_rows,
                                          COUNT(sts_rows), WIRE_LITTLE_ENDIAN, true};
const struct control_table feetech_scs = {scs_fields,      COUNT(scs_fields), scs_rows,
                                          COUNT(scs_rows), WIRE_BIG_ENDIAN,   true};

const struct wire_packet feetech_registers =
    WIRE_PACKET("registers", 0, WIRE_TO_HOST, WIRE_LITTLE_ENDIAN, 87, sts_fields, feetech_table,
                .has_no_id = true, .note = "control table of an STS3215; at = address");

/* ---- The packets ---- */

struct byte {
    uint8_t byte;
};
static const struct wire_field byte_fields[] = {WIRE_FIELD(byte, byte, 1, "", "")};
#define BYTES(to, words)                                                                           \
    WIRE_PACKET("byte", 0, to, WIRE_LITTLE_ENDIAN, 1, byte_fields, byte, .note = words,            \
                .is_byte = true)
static const struct wire_packet data_byte =
    BYTES(WIRE_TO_ROBOT, "data from the address on; of a list: ids, or id and data of each");
static const struct wire_packet value_byte = BYTES(WIRE_TO_HOST, "data, from the address on");

#define SERVO_ROW   WIRE_FIELD(feetech_request, servo, 1, "", "id; 254: all")
#define ADDRESS_ROW WIRE_FIELD(feetech_request, address, 1, "", "")
static const struct wire_field servo_fields[] = {SERVO_ROW};
static const struct wire_field address_fields[] = {SERVO_ROW, ADDRESS_ROW};
static const struct wire_field range_fields[] = {SERVO_ROW, ADDRESS_ROW,
                                                 WIRE_FIELD(feetech_request, count, 1, "B", "")};
static const struct wire_field answer_fields[] = {
    WIRE_FIELD(feetech_answer, servo, 1, "", "id"),
    WIRE_FIELD(feetech_answer, error, 1, "", "health, as the register status; not a result"),
};

/* Their fields are 1, 2 or 3 bytes. */
#define REQUEST(label, number, rows, words, example_of, ...)                                       \
    const struct wire_packet feetech_##label =                                                     \
        WIRE_PACKET(#label, FEETECH_##number, WIRE_TO_ROBOT, WIRE_LITTLE_ENDIAN, COUNT(rows),      \
                    rows, feetech_request, .note = words,                                          \
                    .example = &(const struct feetech_request)example_of, __VA_ARGS__)
#define OF(id, from, size)                                                                         \
    {                                                                                              \
        id, from, size                                                                             \
    }
#define LIST(text)                                                                                 \
    .repeat = &data_byte, .example_elements = text, .example_element_count = sizeof text - 1
#define NO_LIST .repeat = NULL

REQUEST(ping, PING, servo_fields, "each servo answers, also to 254", OF(1, 0, 0), NO_LIST);
REQUEST(read, READ, range_fields, "the answer has the bytes", OF(1, 56, 2), NO_LIST);
REQUEST(write, WRITE, address_fields, "sets registers", OF(1, 42, 0), LIST("\x00\x08"));
REQUEST(reg_write, REG_WRITE, address_fields, "sets registers at the next action", OF(1, 42, 0),
        LIST("\x00\x08"));
REQUEST(action, ACTION, servo_fields, "does what reg_write has stored", OF(254, 0, 0), NO_LIST);
REQUEST(restore, RESTORE, servo_fields, "factory values, but for the id", OF(1, 0, 0), NO_LIST);
REQUEST(reboot, REBOOT, servo_fields, "without an answer; 800 ms of silence", OF(1, 0, 0), NO_LIST);
REQUEST(reset_turns, RESET_TURNS, servo_fields, "forgets whole turns", OF(1, 0, 0), NO_LIST);
REQUEST(calibrate, CALIBRATE, servo_fields, "this place becomes 2048, or the number in two bytes",
        OF(1, 0, 0), LIST("\x00\x08"));
REQUEST(sync_read, SYNC_READ, range_fields,
        "a list of ids: each answers with count bytes, in this order", OF(254, 56, 2),
        LIST("\x01\x02"));
REQUEST(sync_write, SYNC_WRITE, range_fields,
        "a list of ids, each with count bytes; without an answer", OF(254, 42, 2),
        LIST("\x01\x00\x08\x02\x00\x04"));

const struct wire_packet feetech_status_packet =
    WIRE_PACKET("status", 0, WIRE_TO_HOST, WIRE_LITTLE_ENDIAN, 2, answer_fields, feetech_answer,
                .has_no_id = true, .note = "the answer of one servo", .repeat = &value_byte,
                .example_elements = "\x18\x05", .example_element_count = 2,
                WIRE_EXAMPLE(feetech_answer, .servo = 1));

const struct wire_packet *const feetech_packets[] = {
    &feetech_ping,
    &feetech_read,
    &feetech_write,
    &feetech_reg_write,
    &feetech_action,
    &feetech_restore,
    &feetech_reboot,
    &feetech_reset_turns,
    &feetech_calibrate,
    &feetech_sync_read,
    &feetech_sync_write,
    &feetech_status_packet,
    NULL,
};
const struct robot_answer feetech_answers[] = {{"status", "ping"},
                                               {"status", "read"},
                                               {"status", "write"},
                                               {"status", "sync_read"},
                                               {NULL, NULL}};

#define FRAMES                                                                                     \
    .head = {0xFF, 0xFF}, .head_size = 2, .length_at = 3, .length_min = 2,                         \
    .length_max = UINT8_MAX, .length_extra = FEETECH_HEAD, .check = WIRE_CHECK_SUM_INVERTED,       \
    .check_from = 2, .id_at = 4, .device_at = 2, .has_devices = true
const struct wire_framing feetech_framing[] = {
    [WIRE_TO_HOST] = {FRAMES, .only = &feetech_status_packet, .body_at = 4},
    [WIRE_TO_ROBOT] = {FRAMES, .body_at = 5},
};

/* ---- Receiving ---- */

static void take(uint8_t *bytes, uint32_t *used, size_t size)
{
    *used -= (uint32_t)size;
    memmove(bytes, bytes + size, *used);
    memset(bytes + *used, 0, size);
}

/* Bytes at the front that cannot begin a frame. */
static size_t noise(const struct feetech_parser *parser)
{
    const uint8_t *at = parser->frame;
    size_t size = 0, used = parser->used;
    while (size < used && (at[size] != 0xFF || (size + 1 < used && at[size + 1] != 0xFF) ||
                           (size + 2 < used && at[size + 2] == 0xFF)))
        size++;
    return size;
}

static void enqueue(struct feetech_parser *parser, size_t size, struct robot_stats *stats)
{
    stats->frames++;
    if (parser->waiting + size > sizeof parser->queue) {
        stats->overruns++;
        return;
    }
    memcpy(parser->queue + parser->waiting, parser->frame, size);
    parser->waiting += (uint32_t)size;
}

/* Removes a whole frame, or bytes that cannot begin one. False: it needs more bytes. */
static bool take_front(struct feetech_parser *parser, struct robot_stats *stats)
{
    size_t junk = noise(parser);
    stats->noise_bytes += junk;
    take(parser->frame, &parser->used, junk);
    if (parser->used < FEETECH_HEAD)
        return false;
    size_t length = parser->frame[3], size = FEETECH_HEAD + length;
    if (length >= 2 && parser->used < size)
        return false;
    bool is_good =
        length >= 2 && parser->frame[size - 1] == 0xFF - wire_sum(parser->frame + 2, size - 3);
    if (is_good)
        enqueue(parser, size, stats);
    stats->bad_frames += !is_good;
    take(parser->frame, &parser->used, is_good ? size : 2);
    return true;
}

void feetech_push(struct feetech_parser *parser, const uint8_t *bytes, size_t size,
                  struct robot_stats *stats)
{
    for (size_t i = 0; i < size; i++) {
        parser->frame[parser->used++] = bytes[i];
        while (take_front(parser, stats))
            ;
    }
}

size_t feetech_pop(struct feetech_parser *parser, uint8_t frame[FEETECH_FRAME_MAX])
{
    size_t size = parser->waiting > 0 ? (size_t)FEETECH_HEAD + parser->queue[3] : 0;
    memcpy(frame, parser->queue, size);
    take(parser->queue, &parser->waiting, size);
    return size;
}

size_t feetech_status(uint8_t id, uint8_t error, const uint8_t *bytes, size_t size,
                      uint8_t out[FEETECH_FRAME_MAX])
{
    const uint8_t head[] = {0xFF, 0xFF, id, (uint8_t)(size + 2), error};
    memcpy(out, head, sizeof head);
    if (size > 0)
        memcpy(out + sizeof head, bytes, size);
    out[sizeof head + size] = (uint8_t)~wire_sum(out + 2, size + 3);
    return sizeof head + size + 1;
}
