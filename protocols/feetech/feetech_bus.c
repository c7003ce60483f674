/* From requests to replies. The manual does not say how firmware treats three cases. Chosen: if a
 * servo is missing in a sync read, the others answer; replies to a broadcast come by rising id;
 * addresses outside the table read as 0. */
#include <string.h>

#include "base/array.h"
#include "base/rng.h"
#include "protocols/feetech/feetech_state.h"

#define REBOOT_US 800000 /* second-hand: pages on the STS table */
#define LEAST_US  100    /* "below 50 counts as 100 us", the same */
#define DELAY_US  2      /* a count of register 7 */

static const uint32_t bauds[] = {1000000, 500000, 250000, 128000, 115200, 76800, 57600, 38400};

struct bus {
    struct feetech_state *state;
    const struct robot_sensors *sensors;
    int64_t now_us;
};

/* The bus has the rate of its first servo; those with another one hear garbage. */
static bool hears(const struct bus *bus, size_t i)
{
    const struct feetech_servo *servos = bus->state->servos;
    return feetech_has_power(bus->sensors, i) && servos[i].deaf_until_us <= bus->now_us &&
           servos[i].table.baud == servos[0].table.baud;
}

/* ---- Replies ---- */

/* Whether a fault of status packets hits this packet. */
static bool is_hit(const struct bus *bus, size_t i, enum servo_fault_kind kind)
{
    struct feetech_servo *servo = &bus->state->servos[i];
    const struct servo_fault *fault = &bus->sensors->servo[i];
    if (fault->kind != kind)
        return false;
    if (servo->fault_key != fault->key) {
        servo->fault_key = fault->key;
        servo->fault_hits = 0;
    }
    bool is_over = fault->count > 0 && servo->fault_hits >= fault->count;
    bool is_one = !is_over && rng_uniform(fault->key, servo->packets) < fault->rate;
    servo->fault_hits += is_one;
    bus->state->fault_packets += is_one;
    return is_one;
}

/* Takes a place for a reply; NULL: there is none, or a fault has lost it. */
static struct feetech_reply *take_place(const struct bus *bus, size_t i)
{
    struct feetech_state *state = bus->state;
    size_t slot = 0;
    state->servos[i].packets++;
    if (is_hit(bus, i, SERVO_LOST))
        return NULL;
    while (slot < FEETECH_REPLIES_MAX && state->replies[slot].due_us != 0)
        slot++;
    state->stats.overruns += slot == FEETECH_REPLIES_MAX;
    return slot < FEETECH_REPLIES_MAX ? &state->replies[slot] : NULL;
}

static void reply_as(const struct bus *bus, size_t i, uint8_t id, uint8_t error,
                     const uint8_t *bytes, size_t size, int64_t later_us)
{
    struct feetech_reply *reply = take_place(bus, i);
    if (!reply)
        return;
    int64_t delay_us = bus->state->servos[i].table.return_delay * DELAY_US;
    reply->due_us = bus->now_us + (delay_us > LEAST_US ? delay_us : LEAST_US) + later_us;
    reply->size = feetech_status(id, error, bytes, size, reply->bytes);
    if (is_hit(bus, i, SERVO_DAMAGED))
        reply->bytes[reply->size - 1] ^= 1;
    if (is_hit(bus, i, SERVO_LATE))
        reply->due_us += (int64_t)(bus->sensors->servo[i].amount * 1000);
}

static void reply(const struct bus *bus, size_t i, const uint8_t *bytes, size_t size)
{
    const struct feetech_table *table = &bus->state->servos[i].table;
    reply_as(bus, i, table->id, table->status, bytes, size, 0);
}

void feetech_bus_send(struct feetech_state *state, const struct robot_tx *tx, int64_t now_us)
{
    for (size_t i = 0; i < FEETECH_REPLIES_MAX; i++) {
        struct feetech_reply *reply = &state->replies[i];
        if (reply->due_us == 0 || reply->due_us > now_us)
            continue;
        bool is_sent = tx_frame(tx, 0, reply->bytes, reply->size);
        state->stats.sent += is_sent;
        state->stats.overruns += !is_sent;
        state->status.servo = reply->bytes[2];
        state->status.error = reply->bytes[4];
        memset(reply, 0, sizeof *reply);
    }
}

/* ---- Requests ---- */

struct request {
    uint8_t id, instruction;
    const uint8_t *bytes;
    size_t size;
};

/* Two servos at once: a bit is 0 where one of them sends 0. The second servo is as from the
 * factory, and its shaft is in the middle. */
static void join_twin(const struct bus *bus, size_t i, uint8_t address, size_t count)
{
    struct feetech_reply *last = NULL;
    for (size_t k = 0; k < FEETECH_REPLIES_MAX; k++)
        if (bus->state->replies[k].due_us != 0)
            last = &bus->state->replies[k];
    struct feetech_table twin;
    uint8_t data[FEETECH_DATA_MAX], frame[FEETECH_FRAME_MAX];
    feetech_factory(bus->state, i, &twin);
    twin.id = bus->state->servos[i].table.id;
    twin.present_position = (uint16_t)(feetech_model(bus->state, i)->steps / 2);
    control_table_read(feetech_table_of(bus->state, i), &twin, address, data, count);
    size_t size = feetech_status(twin.id, 0, data, count, frame);
    for (size_t k = 0; last && k < size; k++)
        last->bytes[k] &= frame[k];
    bus->state->fault_packets++;
}

/* Reads and answers. */
static void read_range(const struct bus *bus, size_t i, uint8_t address, size_t count)
{
    uint8_t data[FEETECH_DATA_MAX];
    struct feetech_table table = bus->state->servos[i].table;
    bus->state->stats.bad_lengths += count > sizeof data;
    if (count > sizeof data)
        return;
    if (bus->sensors->servo[i].kind == SERVO_FOREIGN) {
        table.model = 2825;     // STS3250: huggingface/lerobot: motors/feetech/tables.py
        table.firmware_minor--; // users of lerobot have both 3.9 and 3.10: its issues 532, 1010
    }
    control_table_read(feetech_table_of(bus->state, i), &table, address, data, count);
    reply(bus, i, data, count);
    if (bus->sensors->servo[i].kind == SERVO_TWIN)
        join_twin(bus, i, address, count);
}

static void do_action(const struct bus *bus, size_t i)
{
    struct feetech_servo *servo = &bus->state->servos[i];
    if (servo->stored_size > 0)
        feetech_servo_write(bus->state, i, servo->stored[0], servo->stored + 1,
                            servo->stored_size - 1);
    servo->stored_size = 0;
    memset(servo->stored, 0, sizeof servo->stored);
}

/* Instructions that are acknowledged. Returns whether there was such an instruction. */
static bool change(const struct bus *bus, size_t i, const struct request *request)
{
    struct feetech_servo *servo = &bus->state->servos[i];
    const uint8_t *bytes = request->bytes;
    size_t size = request->size;
    switch (request->instruction) {
    case FEETECH_WRITE:
        bus->state->stats.bad_lengths += size < 2;
        if (size >= 2)
            feetech_servo_write(bus->state, i, bytes[0], bytes + 1, size - 1);
        return size >= 2;
    case FEETECH_REG_WRITE:
        memcpy(servo->stored, bytes, size);
        servo->stored_size = (uint32_t)size;
        return true;
    case FEETECH_ACTION:
        do_action(bus, i);
        return true;
    case FEETECH_RESTORE:
        feetech_servo_restore(bus->state, i);
        return true;
    case FEETECH_RESET_TURNS:
        servo->turns_steps += 4096.0 * (int)(wire_signed(servo->table.present_position, 15) / 4096);
        return true;
    case FEETECH_CALIBRATE:
        feetech_servo_calibrate(bus->state, i, size >= 2 ? bytes[0] | bytes[1] << 8 : 2048);
        return true;
    default:
        bus->state->stats.unknown_ids++;
        return false;
    }
}

static void obey_one(const struct bus *bus, size_t i, const struct request *request)
{
    struct feetech_servo *servo = &bus->state->servos[i];
    uint8_t id = servo->table.id, level = servo->table.response_level, error = servo->table.status;
    bool is_all = request->id == FEETECH_BROADCAST;
    switch (request->instruction) {
    case FEETECH_PING:
        reply(bus, i, NULL, 0);
        break;
    case FEETECH_READ:
        bus->state->stats.bad_lengths += request->size != 2;
        if (request->size == 2 && !is_all)
            read_range(bus, i, request->bytes[0], request->bytes[1]);
        break;
    case FEETECH_REBOOT:
        feetech_servo_boot(bus->state, i);
        servo->deaf_until_us = bus->now_us + REBOOT_US;
        break;
    default:
        if (!change(bus, i, request) || is_all || level == 0)
            break;
        bool is_eeprom = request->instruction == FEETECH_WRITE &&
                         request->bytes[0] < FEETECH_EEPROM && servo->table.lock == 0;
        reply_as(bus, i, id, error, NULL, 0,
                 is_eeprom ? (int64_t)(bus->state->options.eeprom_s * 1e6) : 0);
    }
}

/* A list: ids, or each id with COUNT bytes. */
static void obey_list(const struct bus *bus, const struct request *request)
{
    bool is_read = request->instruction == FEETECH_SYNC_READ;
    bool is_good = request->size > 2 && request->id == FEETECH_BROADCAST;
    size_t each = is_read || !is_good ? 1 : 1 + (size_t)request->bytes[1];
    bus->state->stats.bad_lengths += !is_good || (request->size - 2) % each != 0;
    for (size_t at = 2; is_good && at + each <= request->size; at += each) {
        for (size_t i = 0; i < bus->state->count; i++) {
            if (bus->state->servos[i].table.id != request->bytes[at] || !hears(bus, i))
                continue;
            if (!is_read)
                feetech_servo_write(bus->state, i, request->bytes[0], request->bytes + at + 1,
                                    each - 1);
            else if (!feetech_model(bus->state, i)->is_scs)
                read_range(bus, i, request->bytes[0], request->bytes[1]);
        }
    }
}

static void obey(const struct bus *bus, const struct request *request)
{
    if (request->instruction == FEETECH_SYNC_READ || request->instruction == FEETECH_SYNC_WRITE) {
        obey_list(bus, request);
        return;
    }
    size_t order[ROBOT_SERVOS_MAX], count = 0; // by rising id
    for (size_t i = 0; i < bus->state->count; i++) {
        uint8_t id = bus->state->servos[i].table.id;
        if ((request->id != id && request->id != FEETECH_BROADCAST) || !hears(bus, i))
            continue;
        size_t at = count++;
        for (; at > 0 && bus->state->servos[order[at - 1]].table.id > id; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (size_t k = 0; k < count; k++)
        obey_one(bus, order[k], request);
}

/* For signals. */
static void note(struct feetech_state *state, const struct request *request)
{
    for (size_t i = 0; i < FEETECH_REQUESTS; i++) {
        if (feetech_packets[i]->id != request->instruction)
            continue;
        state->requests[i].servo = request->id;
        state->requests[i].address = request->size > 0 ? request->bytes[0] : 0;
        state->requests[i].count = request->size > 1 ? request->bytes[1] : 0;
    }
}

uint32_t feetech_bus_baud(const struct feetech_state *state)
{
    return bauds[state->servos[0].table.baud % COUNT(bauds)];
}

void feetech_bus_serve(struct feetech_state *state, const struct robot_sensors *sensors,
                       int64_t now_us)
{
    const struct bus bus = {state, sensors, now_us};
    uint8_t frame[FEETECH_FRAME_MAX];
    for (size_t i = 0; i < state->count; i++)
        if (state->servos[i].deaf_until_us == ROBOT_NEVER && feetech_has_power(sensors, i))
            state->servos[i].deaf_until_us = now_us + REBOOT_US; // plugged in again
    for (size_t size; (size = feetech_pop(&state->parser, frame)) > 0;) {
        const struct request request = {frame[2], frame[4], frame + 5, size - 6};
        note(state, &request);
        obey(&bus, &request);
    }
}
