/* Requests: stored until they are due, then executed and answered. */
#include "protocols/rplidar_a1/rplidar_a1_state.h"

#include <string.h>

#include "protocols/rplidar_a1/rplidar_a1_scan.h"

/* The serial number of a unit, which its owner has published. */
static const uint8_t serial_number[16] = {0xD8, 0xE0, 0xED, 0xF9, 0xC7, 0xE2, 0x9B, 0xD1,
                                          0xA7, 0xE3, 0x9E, 0xF2, 0x48, 0x33, 0x43, 0x1B};

static void answer(struct rplidar_state *state, const struct robot_tx *tx,
                   const struct wire_packet *packet, const void *message, const char *name)
{
    uint8_t bytes[RPLIDAR_ANSWER_MAX];
    tx_send(tx, 0, bytes, rplidar_answer(packet, message, name, bytes), &state->stats);
}

static void announce(struct rplidar_state *state, const struct robot_tx *tx,
                     const struct wire_packet *packet, size_t length)
{
    state->last.descriptor =
        (struct rplidar_descriptor){(uint32_t)length | UINT32_C(1) << 30, packet->id};
    answer(state, tx, &rplidar_descriptor_packet, &state->last.descriptor, NULL);
}

static void start_standard(struct rplidar_state *state, const struct robot_tx *tx, bool is_forced,
                           int64_t now_us)
{
    if (state->health == 2)
        return; // protection stop: only a reset leads out
    rplidar_begin_scan(state, RPLIDAR_SCANS_STANDARD, rplidar_modes[0].sample_us, now_us);
    state->is_forced = is_forced;
    announce(state, tx, &rplidar_node_packet, RPLIDAR_NODE_BYTES);
}

/* A firmware without a list of modes has only Express, also under its old number 0. */
static void start_express(struct rplidar_state *state, const struct robot_tx *tx, int64_t now_us)
{
    size_t id = state->last.express_scan.mode, known = rplidar_profile(state)->mode_count;
    if (!rplidar_profile(state)->has_express || state->health == 2 || id >= (known ? known : 2))
        return;
    const struct rplidar_mode *mode = &rplidar_modes[id == 0 ? 1 : id];
    bool is_ultra = mode->type == RPLIDAR_ULTRA;
    rplidar_begin_scan(state, is_ultra ? RPLIDAR_SCANS_ULTRA : RPLIDAR_SCANS_EXPRESS,
                       mode->sample_us, now_us);
    state->is_forced = false;
    announce(state, tx, is_ultra ? &rplidar_ultra_packet : &rplidar_express_packet,
             is_ultra ? RPLIDAR_ULTRA_BYTES : RPLIDAR_EXPRESS_BYTES);
}

/* Keys: SDK, rplidar_cmd.h (RPLIDAR_CONF_...). An unknown key gets no answer. */
static void send_conf(struct rplidar_state *state, const struct robot_tx *tx, uint32_t key,
                      size_t id)
{
    enum {
        SPEED = 1,
        COUNT_OF = 0x70,
        TIME = 0x71,
        RANGE = 0x74,
        TYPE = 0x75,
        TYPICAL = 0x7C,
        NAME = 0x7F
    };
    /* chosen: no capture has an answer with 600 rpm, but drivers work with it */
    enum { SPEED_RPM = 600, SPEED_PWM = 660 };
    const struct rplidar_profile *firmware = rplidar_profile(state);
    uint16_t typical = rplidar_typical(state);
    if (id >= firmware->mode_count)
        return;
    const struct rplidar_mode *mode = &rplidar_modes[id];
    if (key == COUNT_OF || key == TYPICAL) {
        state->last.conf_count = (struct rplidar_conf_count){
            key, key == TYPICAL ? typical : (uint16_t)firmware->mode_count};
        answer(state, tx, &rplidar_conf_count_packet, &state->last.conf_count, NULL);
    } else if (key == TYPE) {
        state->last.conf_type = (struct rplidar_conf_type){key, mode->type};
        answer(state, tx, &rplidar_conf_type_packet, &state->last.conf_type, NULL);
    } else if (key == NAME) {
        state->last.conf_name = (struct rplidar_conf_name){key};
        answer(state, tx, &rplidar_conf_name_packet, &state->last.conf_name, mode->name);
    } else if (key == TIME || key == RANGE || key == SPEED) {
        uint32_t range = wire_saturate_u16(state->options.optics.range_max_m * 256);
        uint32_t value = key == TIME    ? mode->sample_us * UINT32_C(256)
                         : key == RANGE ? range
                                        : SPEED_RPM | (uint32_t)SPEED_PWM << 16;
        state->last.conf_value = (struct rplidar_conf_value){key, value};
        answer(state, tx, &rplidar_conf_value_packet, &state->last.conf_value, NULL);
    }
}

static void send_info(struct rplidar_state *state, const struct robot_tx *tx)
{
    const struct rplidar_profile *firmware = rplidar_profile(state);
    state->last.info = (struct rplidar_info){.model = 0x18,
                                             .firmware_minor = firmware->minor,
                                             .firmware_major = 1,
                                             .hardware = firmware->hardware};
    memcpy(state->last.info.serial, serial_number, sizeof serial_number);
    answer(state, tx, &rplidar_info_packet, &state->last.info, NULL);
}

void rplidar_boot(struct rplidar_state *state, int64_t now_us)
{
    rplidar_stop(state);
    state->health = 0;
    state->health_code = 0;
    state->boot_until_us = now_us + (int64_t)(state->options.boot_s * 1e6) + 1;
    state->boots++;
}

/* The struct for the payload of a command; NULL: the command has none. */
static void *message_of(struct rplidar_state *state, const struct wire_packet *packet)
{
    if (packet == &rplidar_express_scan_packet)
        return &state->last.express_scan;
    if (packet == &rplidar_get_conf_packet)
        return &state->last.get_conf;
    if (packet == &rplidar_get_mode_conf_packet)
        return &state->last.get_mode_conf;
    if (packet == &rplidar_set_motor_packet)
        return &state->last.set_motor;
    return packet == &rplidar_get_board_packet ? &state->last.get_board : NULL;
}

static void obey(struct rplidar_state *state, const struct rplidar_request *request,
                 const struct robot_tx *tx, int64_t now_us)
{
    size_t size;
    const uint8_t *payload = rplidar_payload(request->bytes, &size);
    const struct wire_packet *packet = rplidar_request_find(request->bytes[1], size);
    void *message = message_of(state, packet);
    bool takes_pwm = state->options.motor == RPLIDAR_MOTOR_COMMAND;
    if (message)
        wire_decode(packet, payload, size, message);
    switch ((enum rplidar_command)request->bytes[1]) {
    case RPLIDAR_STOP:
        rplidar_stop(state);
        break;
    case RPLIDAR_RESET:
        rplidar_boot(state, now_us);
        break;
    case RPLIDAR_SCAN:
    case RPLIDAR_FORCE_SCAN:
        start_standard(state, tx, request->bytes[1] == RPLIDAR_FORCE_SCAN, now_us);
        break;
    case RPLIDAR_EXPRESS_SCAN:
        start_express(state, tx, now_us);
        break;
    case RPLIDAR_GET_INFO:
        send_info(state, tx);
        break;
    case RPLIDAR_GET_HEALTH:
        state->last.health = (struct rplidar_health){(uint8_t)state->health, state->health_code};
        answer(state, tx, &rplidar_health_packet, &state->last.health, NULL);
        break;
    case RPLIDAR_GET_RATES:
        state->last.rates =
            (struct rplidar_rates){rplidar_modes[0].sample_us, rplidar_modes[1].sample_us};
        if (rplidar_profile(state)->has_express)
            answer(state, tx, &rplidar_rates_packet, &state->last.rates, NULL);
        break;
    case RPLIDAR_GET_CONF:
        if (packet == &rplidar_get_conf_packet)
            send_conf(state, tx, state->last.get_conf.key, 0);
        else
            send_conf(state, tx, state->last.get_mode_conf.key, state->last.get_mode_conf.mode);
        break;
    case RPLIDAR_SET_MOTOR:
        state->pwm = takes_pwm ? state->last.set_motor.pwm : 0;
        rplidar_decide_motor(state);
        break;
    case RPLIDAR_GET_BOARD:
        state->last.board = (struct rplidar_word){1};
        if (takes_pwm)
            answer(state, tx, &rplidar_board_packet, &state->last.board, NULL);
        break;
    }
}

/* A request is executed after its turnaround time; while the firmware boots it waits. */
void rplidar_take_request(struct rplidar_state *state, size_t size, int64_t now_us)
{
    const uint8_t *bytes = state->framer.bytes;
    size_t payload_size;
    rplidar_payload(bytes, &payload_size);
    if (!rplidar_is_command(bytes[1])) {
        state->stats.unknown_ids++;
    } else if (!rplidar_request_find(bytes[1], payload_size)) {
        state->stats.bad_lengths++;
    } else if (state->request_count == RPLIDAR_REQUESTS_MAX) {
        state->lost_requests++;
    } else {
        struct rplidar_request *request = &state->requests[state->request_count++];
        *request = (struct rplidar_request){
            .due_us = now_us + (int64_t)(state->options.turnaround_s * 1e6), .size = (uint8_t)size};
        memcpy(request->bytes, bytes, size);
    }
}

void rplidar_run_requests(struct rplidar_state *state, const struct robot_tx *tx, int64_t now_us)
{
    while (state->request_count > 0 && state->requests[0].due_us <= now_us &&
           state->boot_until_us == 0) {
        struct rplidar_request first = state->requests[0];
        state->request_count--;
        memmove(state->requests, state->requests + 1,
                state->request_count * sizeof *state->requests);
        memset(&state->requests[state->request_count], 0, sizeof *state->requests);
        obey(state, &first, tx, now_us);
    }
}
