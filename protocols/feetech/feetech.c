/* The bus, from requests to replies, and the robot types. The manual does not describe three cases.
 * Chosen: if a servo is missing in a sync read, the others answer; replies to a broadcast come in
 * ascending order of the ids; addresses outside the table read as 0. */
#include "protocols/feetech/feetech.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/rng.h"
#include "protocols/feetech/feetech_state.h"

#define STEP_US   1000
#define REBOOT_US 800000 /* second-hand: web pages about the STS table */
#define DELAY_US  2      /* unit of register 7 */

/* ---- The packets ---- */

struct data_byte {
    uint8_t data;
};
static const struct wire_field byte_fields[] = {WIRE_FIELD(data_byte, data, 1, "", "")};
#define BYTES(to, words)                                                                           \
    WIRE_PACKET("data", 0, to, WIRE_LITTLE_ENDIAN, 1, byte_fields, data_byte, .note = words,       \
                .is_bytes = true)
static const struct wire_packet data_byte =
    BYTES(WIRE_TO_ROBOT, "data from the address on; of a list: ids, or id and data of each");
static const struct wire_packet value_byte = BYTES(WIRE_TO_HOST, "data, from the address on");

/* Requests have the first three, four or five of these fields. */
static const struct wire_field request_fields[] = {
    WIRE_FIELD(feetech_request, servo, 1, "", "id; 254: all"),
    WIRE_FIELD(feetech_request, length, 1, "", "bytes behind it"),
    WIRE_FIELD(feetech_request, instruction, 1, "", ""),
    WIRE_FIELD(feetech_request, address, 1, "", ""),
    WIRE_FIELD(feetech_request, count, 1, "B", ""),
};
static const struct wire_field answer_fields[] = {
    WIRE_FIELD(feetech_answer, servo, 1, "", "id"),
    WIRE_FIELD(feetech_answer, length, 1, "", "bytes behind it"),
    WIRE_FIELD(feetech_answer, error, 1, "", "health, as the register status; not a result"),
};

#define REQUEST(label, number, count_of, words, ...)                                               \
    {                                                                                              \
        .name = label, .id = FEETECH_##number, .direction = WIRE_TO_ROBOT, .size = count_of,       \
        .fields = request_fields, .field_count = count_of,                                         \
        .struct_size = sizeof(struct feetech_request), .note = words, __VA_ARGS__                  \
    }
#define OF(id, behind, number, from, size)                                                         \
    WIRE_EXAMPLE(feetech_request, id, behind, FEETECH_##number, from, size)
#define LIST(text)                                                                                 \
    .repeat = &data_byte, .example_elements = text, .example_element_count = sizeof text - 1
static const struct wire_packet request_packets[] = {
    REQUEST("ping", PING, 3, "each servo answers, also to 254", OF(1, 2, PING, 0, 0)),
    REQUEST("read", READ, 5, "the answer has the bytes", OF(1, 4, READ, 56, 2)),
    REQUEST("write", WRITE, 4, "sets registers", OF(1, 5, WRITE, 42, 0), LIST("\x00\x08")),
    REQUEST("reg_write", REG_WRITE, 4, "sets registers at the next action",
            OF(1, 5, REG_WRITE, 42, 0), LIST("\x00\x08")),
    REQUEST("action", ACTION, 3, "does what reg_write has stored", OF(254, 2, ACTION, 0, 0)),
    REQUEST("restore", RESTORE, 3, "factory values, but for the id", OF(1, 2, RESTORE, 0, 0)),
    REQUEST("reboot", REBOOT, 3, "without an answer; 800 ms of silence", OF(1, 2, REBOOT, 0, 0)),
    REQUEST("reset_turns", RESET_TURNS, 3, "forgets whole turns", OF(1, 2, RESET_TURNS, 0, 0)),
    REQUEST("calibrate", CALIBRATE, 3, "this place becomes 2048, or the number in two bytes",
            OF(1, 4, CALIBRATE, 0, 0), LIST("\x00\x08")),
    REQUEST("sync_read", SYNC_READ, 5,
            "a list of ids: each answers with count bytes, in this order",
            OF(254, 6, SYNC_READ, 56, 2), LIST("\x01\x02")),
    REQUEST("sync_write", SYNC_WRITE, 5, "a list of ids, each with count bytes; without an answer",
            OF(254, 10, SYNC_WRITE, 42, 2), LIST("\x01\x00\x08\x02\x00\x04")),
};
static const struct wire_packet status_packet =
    WIRE_PACKET("status", 0, WIRE_TO_HOST, WIRE_LITTLE_ENDIAN, 3, answer_fields, feetech_answer,
                .has_no_id = true, .note = "the answer of one servo", .repeat = &value_byte,
                .example_elements = "\x18\x05", .example_element_count = 2,
                WIRE_EXAMPLE(feetech_answer, .servo = 1, .length = 4));

#define AT(number) &request_packets[number]
static const struct wire_packet *const packets[] = {
    AT(0), AT(1), AT(2), AT(3),  AT(4),          AT(5), AT(6),
    AT(7), AT(8), AT(9), AT(10), &status_packet, NULL,
};
static const struct robot_answer answers[] = {
    {"status", "ping"},      {"status", "read"}, {"status", "write"},
    {"status", "sync_read"}, {NULL, NULL},
};

#define FRAMES                                                                                     \
    .head = {0xFF, 0xFF}, .head_size = 2, .length_at = 3, .length_min = 2,                         \
    .length_max = UINT8_MAX, .length_extra = 4, .check = WIRE_CHECK_SUM_NOT, .check_from = 2,      \
    .id_at = 4, .body_at = 2
static const struct wire_framing framings[] = {
    [WIRE_TO_HOST] = {FRAMES, .only = &status_packet},
    [WIRE_TO_ROBOT] = {FRAMES},
};

/* ---- Options ---- */

static const char *const roles[] = {"follower", "leader", NULL};

#define COMMON_ROWS(of_model, volts)                                                               \
    ROW_CHOICE("model", feetech_options, model, servo_models, of_model, "kind of servo"),          \
        ROW_NUMBER("supply_v", feetech_options, supply_v, "V", 0, 26, volts,                       \
                   "voltage of the supply without load"),                                          \
        ROW_NUMBER("supply_ohm", feetech_options, supply_ohm, "ohm", 0, 10, "0",                   \
                   "resistance of supply and cables: the voltage sags with the current"),          \
        ROW_BOOL("echo", feetech_options, has_echo, "false",                                       \
                 "a half-duplex adapter with tied lines: requests come back")

static const struct option_row bare_rows[] = {
    ROW_INTEGER("servos", feetech_options, servos, "", 1, 16, "1", "servos, with ids from 1 on"),
    COMMON_ROWS("sts3215", "7.4"),
};
static const struct option_row arm_rows[] = {
    ROW_CHOICE("role", feetech_options, role, roles, "follower",
               "gears of the arm: a leader is moved by hand (move_joint)"),
    COMMON_ROWS("sts3215", "5"),
};
static const struct option_row lekiwi_rows[] = {COMMON_ROWS("sts3215_12v", "12")};

/* ---- Signals and commands ---- */

static const struct signal_row signal_rows[] = {
    SIGNAL_ROW("supply_v", feetech_state, supply_v, "V", "voltage at the servos"),
    SIGNAL_ROW("current_a", feetech_state, current_a, "A", "current of all servos"),
    SIGNAL_ROW("out_of_range", feetech_state, out_of_range, "",
               "values outside the range of a register"),
    SIGNAL_ROW("ignored", feetech_state, ignored, "", "writes to registers that are read only"),
    SIGNAL_ROW("fault_packets", feetech_state, fault_packets, "",
               "status packets that a fault has hit"),
    SIGNAL_ROW("boots", feetech_state, boots, "", "power-ons"),
};

static const struct signal_row servo_rows[] = {
    SIGNAL_ROW("angle_deg", feetech_servo, angle_rad, "deg", "ground truth: angle of the shaft",
               .scale = 1 / ANGLE_RAD_DEG),
    SIGNAL_ROW("speed_deg_s", feetech_servo, speed_rad_s, "deg/s",
               "ground truth: speed of the shaft", .scale = 1 / ANGLE_RAD_DEG),
    SIGNAL_ROW("current_a", feetech_servo, current_a, "A", "current of the motor"),
    SIGNAL_ROW("reach_m", feetech_servo, reach_m, "m",
               "horizontal distance of the end of its link"),
    SIGNAL_ROW("height_m", feetech_servo, height_m, "m",
               "height of the end of its link, above the shoulder"),
};

#define HEARD(i)                                                                                   \
    {                                                                                              \
        &request_packets[i], offsetof(struct feetech_state, requests[i])                           \
    }
static const struct signal_mirror mirrors[] = {
    HEARD(0), HEARD(1), HEARD(2),  HEARD(3),
    HEARD(4), HEARD(5), HEARD(6),  HEARD(7),
    HEARD(8), HEARD(9), HEARD(10), {&status_packet, offsetof(struct feetech_state, status)},
};

struct move_args {
    char servo[32];
    double to_rad, over_s;
};
static const struct option_row move_rows[] = {
    ROW_TEXT("servo", move_args, servo, NULL, "name of a servo"),
    ROW_ANGLE("to", move_args, to_rad, "deg", -3600, 3600, NULL, "angle of its shaft"),
    ROW_NUMBER("over", move_args, over_s, "s", 0.001, 1000, "1", "time that it takes"),
};

static bool move_joint(void *memory, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us;
    struct feetech_state *state = memory;
    const struct move_args *args = data;
    for (size_t i = 0; i < state->count; i++) {
        const struct servo_spec *spec = &state->specs[i];
        struct feetech_servo *servo = &state->servos[i];
        if (strcmp(spec->name, args->servo) != 0 || spec->axis == SERVO_WHEEL)
            continue;
        servo->hand_rad = args->to_rad;
        if (spec->low_rad < spec->high_rad)
            servo->hand_rad = number_between(args->to_rad, spec->low_rad, spec->high_rad);
        servo->hand_rad_s = fabs(servo->hand_rad - servo->angle_rad) / args->over_s;
        return true;
    }
    return error_set(error, "servo: there is no joint '%s'", args->servo);
}

static const struct command_row command_rows[] = {
    COMMAND_ROW("move_joint", move_rows, move_args, move_joint,
                "turn a joint by hand, against the servo if need be"),
};

/* ---- Replies ---- */

static const uint32_t bauds[] = {1000000, 500000, 250000, 128000, 115200, 76800, 57600, 38400};

/* A request together with its bus. */
struct bus {
    struct feetech_state *state;
    const struct robot_sensors *sensors;
    int64_t now_us;
    uint8_t id, instruction;
    const uint8_t *bytes;
    size_t size;
};

/* The bus has the baud rate of its first servo. Servos with another rate cannot decode the
 * bytes. */
static bool hears(const struct bus *bus, size_t i)
{
    const struct feetech_servo *servos = bus->state->servos;
    return bus->sensors->servo[i].kind != SERVO_ABSENT && servos[i].deaf_until_us <= bus->now_us &&
           servos[i].table.baud == servos[0].table.baud;
}

/* Whether a fault of status packets affects the next packet. */
static bool is_hit(const struct bus *bus, size_t i)
{
    struct feetech_servo *servo = &bus->state->servos[i];
    const struct servo_fault *fault = &bus->sensors->servo[i];
    if (servo->fault_key != fault->key)
        servo->hits = 0;
    servo->fault_key = fault->key;
    bool is_one = fault->kind >= SERVO_LOST && fault->kind <= SERVO_LATE &&
                  (fault->count == 0 || servo->hits < fault->count) &&
                  rng_uniform(fault->key, ++servo->packets) < fault->rate;
    servo->hits += is_one;
    bus->state->fault_packets += is_one;
    return is_one;
}

static void reply(const struct bus *bus, size_t i, const uint8_t *bytes, size_t size,
                  bool is_damaged)
{
    struct feetech_state *state = bus->state;
    const struct feetech_table *table = &state->servos[i].table;
    struct feetech_reply *reply = state->replies, *end = reply + FEETECH_REPLIES_MAX;
    enum servo_fault_kind fault = is_hit(bus, i) ? bus->sensors->servo[i].kind : SERVO_GOOD;
    uint8_t body[3 + FEETECH_DATA_MAX] = {table->id, 0, table->status};
    while (reply < end && reply->size != 0)
        reply++;
    state->stats.overruns += reply == end;
    if (fault == SERVO_LOST || reply == end)
        return;
    if (size > 0)
        memcpy(body + 3, bytes, size);
    reply->size =
        wire_frame_wrap(&framings[WIRE_TO_HOST], &status_packet, body, size + 3, reply->bytes);
    wire_decode(&status_packet, reply->bytes + 2, 3, &state->status);
    if (fault == SERVO_DAMAGED || is_damaged)
        reply->bytes[reply->size - 1] ^= 1;
    reply->due_us = bus->now_us + table->return_delay * (int64_t)DELAY_US;
    if (fault == SERVO_LATE)
        reply->due_us += (int64_t)(bus->sensors->servo[i].amount * 1000);
}

static void send_due(struct feetech_state *state, const struct robot_tx *tx, int64_t now_us)
{
    for (size_t i = 0; i < FEETECH_REPLIES_MAX; i++) {
        struct feetech_reply *reply = &state->replies[i];
        if (reply->size == 0 || reply->due_us > now_us)
            continue;
        bool is_sent = tx_frame(tx, 0, reply->bytes, reply->size);
        state->stats.sent += is_sent;
        state->stats.overruns += !is_sent;
        reply->size = 0;
    }
}

/* ---- Requests ---- */

/* Reads registers and sends the answer. */
static void read_range(const struct bus *bus, size_t i)
{
    uint8_t data[FEETECH_DATA_MAX];
    bool is_long = bus->bytes[1] > sizeof data;
    bus->state->stats.bad_lengths += is_long;
    if (is_long)
        return;
    bool is_good = feetech_servo_read(bus->state, i, bus->sensors->servo[i].kind, bus->bytes[0],
                                      data, bus->bytes[1]);
    bus->state->fault_packets += !is_good;
    reply(bus, i, data, bus->bytes[1], !is_good);
}

static void obey_one(const struct bus *bus, size_t i)
{
    struct feetech_state *state = bus->state;
    struct feetech_servo *servo = &state->servos[i];
    const uint8_t *bytes = bus->bytes;
    bool is_mute = bus->id == FEETECH_BROADCAST || servo->table.response_level == 0;
    bool is_plain = bus->instruction != FEETECH_READ && bus->instruction != FEETECH_REBOOT;
    if (bus->instruction == FEETECH_PING || (is_plain && !is_mute))
        reply(bus, i, NULL, 0, false); // with the id and the status of before
    switch (bus->instruction) {
    case FEETECH_READ:
        if (bus->id != FEETECH_BROADCAST)
            read_range(bus, i);
        break;
    case FEETECH_WRITE:
        feetech_servo_write(state, i, bytes[0], bytes + 1, bus->size - 1);
        break;
    case FEETECH_REG_WRITE:
        memcpy(servo->stored, bytes, bus->size);
        servo->stored_size = (uint32_t)bus->size;
        break;
    case FEETECH_ACTION:
        if (servo->stored_size > 0)
            feetech_servo_write(state, i, servo->stored[0], servo->stored + 1,
                                servo->stored_size - 1);
        servo->stored_size = 0;
        break;
    case FEETECH_RESTORE:
        feetech_servo_restore(state, i);
        break;
    case FEETECH_REBOOT:
        feetech_servo_boot(state, i);
        servo->deaf_until_us = bus->now_us + REBOOT_US;
        break;
    case FEETECH_RESET_TURNS:
        servo->turns_steps += 4096.0 * (int)(wire_signed(servo->table.present_position, 15) / 4096);
        break;
    case FEETECH_CALIBRATE:
        feetech_servo_calibrate(state, i, bus->size >= 2 ? bytes[0] | bytes[1] << 8 : 2048);
        break;
    }
}

/* Executes a request with a list: of ids, or of ids with COUNT bytes each. */
static void obey_list(const struct bus *bus)
{
    const struct feetech_servo *servos = bus->state->servos;
    bool is_read = bus->instruction == FEETECH_SYNC_READ;
    size_t each = is_read ? 1 : 1 + (size_t)bus->bytes[1];
    bus->state->stats.bad_lengths += (bus->size - 2) % each != 0;
    for (const uint8_t *at = bus->bytes + 2; at + each <= bus->bytes + bus->size; at += each) {
        for (size_t i = 0; i < bus->state->count; i++) {
            bool is_meant = servos[i].table.id == *at && hears(bus, i);
            if (is_meant && !is_read)
                feetech_servo_write(bus->state, i, bus->bytes[0], at + 1, each - 1);
            else if (is_meant && servos[i].table.byte_order == 0) // not an SCS servo
                read_range(bus, i);
        }
    }
}

static void obey(const struct bus *bus)
{
    bool is_all = bus->id == FEETECH_BROADCAST;
    bool is_list = bus->instruction >= FEETECH_SYNC_READ;
    if (is_list && is_all)
        obey_list(bus);
    for (unsigned id = 0; id < FEETECH_BROADCAST && !is_list; id++) // by rising id
        for (size_t i = 0; i < bus->state->count; i++)
            if (bus->state->servos[i].table.id == id && (is_all || id == bus->id) && hears(bus, i))
                obey_one(bus, i);
}

/* Removes SIZE received bytes from AT on. */
static void take(struct feetech_state *state, size_t at, size_t size)
{
    state->received -= size;
    memmove(state->rx + at, state->rx + at + size, state->received - at);
    memset(state->rx + state->received, 0, size);
}

/* Takes a byte, and splits the bytes into frames. After the head of a bad frame, it searches for
 * another frame. */
static void push(struct feetech_state *state, uint8_t byte)
{
    const struct wire_framing *framing = &framings[WIRE_TO_ROBOT];
    state->rx[state->received++] = byte;
    while (state->good < state->received) {
        const uint8_t *at = state->rx + state->good;
        size_t left = state->received - state->good, whole = wire_frame_size(framing, at, left);
        bool is_noise = at[0] != 0xFF || (left > 1 && at[1] != 0xFF) || (left > 2 && at[2] == 0xFF);
        if (!is_noise && (left < 4 || left < whole))
            break; // it is not whole yet
        bool is_good = !is_noise && wire_frame_is_good(framing, at, whole);
        state->stats.noise_bytes += is_noise;
        state->stats.bad_frames += !is_noise && !is_good;
        state->stats.frames += is_good;
        bool has_room = state->good + whole + FEETECH_FRAME_MAX <= sizeof state->rx;
        state->stats.overruns += is_good && !has_room;
        if (is_good && has_room)
            state->good += whole;
        else
            take(state, state->good, is_good ? whole : is_noise ? 1 : 2);
    }
}

/* Executes the waiting requests. */
static void serve(struct feetech_state *state, const struct robot_sensors *sensors,
                  const struct robot_tx *tx, int64_t now_us)
{
    uint8_t frame[FEETECH_FRAME_MAX];
    bool has_echo = state->options.has_echo;
    for (size_t i = 0; i < state->count; i++) {
        has_echo |= sensors->servo[i].kind == SERVO_ECHO;
        if (state->servos[i].deaf_until_us == ROBOT_NEVER && sensors->servo[i].kind != SERVO_ABSENT)
            state->servos[i].deaf_until_us = now_us + REBOOT_US; // plugged in again
    }
    for (size_t kind = 0; state->good > 0; kind = 0) {
        size_t size = 4 + (size_t)state->rx[3];
        memcpy(frame, state->rx, size);
        state->good -= size;
        take(state, 0, size);
        const struct bus bus = {state, sensors, now_us, frame[2], frame[4], frame + 5, size - 6};
        if (has_echo)
            state->stats.sent += tx_frame(tx, 0, frame, size);
        while (kind < COUNT(request_packets) && request_packets[kind].id != bus.instruction)
            kind++;
        if (kind == COUNT(request_packets))
            state->stats.unknown_ids++;
        else if (!wire_decode(&request_packets[kind], frame + 2, size - 3, &state->requests[kind]))
            state->stats.bad_lengths++;
        else
            obey(&bus);
    }
}

/* ---- The interface of a robot type ---- */

static const struct channel_spec channels[] = {
    {.name = "bus",
     .baud = 1000000, /* memory table: register 6 */
     .frame_max = FEETECH_FRAME_MAX,
     .device = "/dev/ttyACM0", /* lerobot: LeKiwiConfig */
     .frames = {&framings[WIRE_TO_HOST], &framings[WIRE_TO_ROBOT]},
     .framing = "`FF FF`, id, length, instruction or error, parameters, and the inverted sum of "
                "all bytes behind the `FF FF`. The length counts the bytes behind it"},
};

static int64_t feetech_reset(void *memory, const struct robot_start *from)
{
    struct feetech_state *state = memory;
    memset(state, 0, sizeof *state);
    const struct robot_type *type = from->type;
    option_copy(type->options, type->option_count, from->options, &state->options);
    state->count = from->body->servo_count;
    memcpy(state->specs, from->body->servos, sizeof state->specs);
    size_t size = state->count * FEETECH_EEPROM;
    bool is_kept = from->storage && from->storage->size == size;
    state->storage.size = (uint32_t)size;
    if (is_kept)
        memcpy(state->storage.bytes, from->storage->bytes, size);
    for (size_t i = 0; i < state->count; i++) {
        if (!is_kept)
            feetech_servo_make(state, i);
        feetech_servo_boot(state, i);
        state->servos[i].temperature_c = 25;
    }
    state->storage.is_dirty = is_kept && from->storage->is_dirty;
    state->stepped_us = from->now_us;
    state->supply_v = state->options.supply_v;
    state->boots = 1;
    return from->now_us + STEP_US;
}

static int64_t feetech_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                          int64_t now_us)
{
    (void)channel;
    struct feetech_state *state = memory;
    for (size_t i = 0; i < size; i++)
        push(state, bytes[i]);
    return now_us;
}

static int64_t feetech_tick(void *memory, const struct robot_sensors *sensors,
                            struct robot_actuators *actuators, const struct robot_tx *tx,
                            int64_t now_us)
{
    struct feetech_state *state = memory;
    feetech_servos_step(state, sensors, now_us);
    serve(state, sensors, tx, now_us);
    send_due(state, tx, now_us);
    for (size_t i = 0; i < state->count; i++) {
        const struct servo_spec *spec = &state->specs[i];
        const struct feetech_servo *servo = &state->servos[i];
        if (spec->axis != SERVO_WHEEL)
            continue;
        actuators->motor[spec->wheel] = servo->speed_rad_s * (spec->is_reversed ? -1 : 1);
        actuators->motor_free[spec->wheel] = servo->table.torque_enable == 0;
    }
    actuators->baud[0] = bauds[state->servos[0].table.baud];
    return now_us + STEP_US;
}

#define TYPE(label, words, of_body, rows, of_looks)                                                \
    {                                                                                              \
        .name = label, .title = words, .folder = "feetech", .guide = "feetech",                    \
        .channels = channels, .channel_count = 1, .options = rows, .option_count = COUNT(rows),    \
        .options_size = sizeof(struct feetech_options), .signals = signal_rows,                    \
        .signal_count = COUNT(signal_rows), .mirrors = mirrors, .mirror_count = COUNT(mirrors),    \
        .servo_packet = &feetech_registers,                                                        \
        .servo_offset = offsetof(struct feetech_state, servos),                                    \
        .servo_size = sizeof(struct feetech_servo), .servo_signals = servo_rows,                   \
        .servo_signal_count = COUNT(servo_rows), ROBOT_COMMANDS, .appearance = &of_looks,          \
        .packets = packets, .answers = answers, .state_size = sizeof(struct feetech_state),        \
        .stats_offset = offsetof(struct feetech_state, stats),                                     \
        .storage_offset = offsetof(struct feetech_state, storage),                                 \
        .boots_offset = offsetof(struct feetech_state, boots), .body = of_body,                    \
        ROBOT_FUNCTIONS(feetech)                                                                   \
    }
const struct robot_type sts3215_type =
    TYPE("sts3215", "Feetech STS3215 servos", feetech_bare_body, bare_rows, feetech_bare_looks);
const struct robot_type so100_type =
    TYPE("so100", "SO-100 arm", feetech_so100_body, arm_rows, feetech_arm_looks);
const struct robot_type so101_type =
    TYPE("so101", "SO-101 arm", feetech_so101_body, arm_rows, feetech_arm_looks);
const struct robot_type lekiwi_type =
    TYPE("lekiwi", "LeKiwi", feetech_lekiwi_body, lekiwi_rows, feetech_lekiwi_looks);
