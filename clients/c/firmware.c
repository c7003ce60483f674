/* A firmware in C: the packed messages of docs/reference/firmware-messages.md. */
#define _GNU_SOURCE
#include "include/ptybot/firmware.h"

#include <errno.h>
#include <jansson.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "include/ptybot/firmware_page.h"

enum { VERSION = 2, ANSWER_MAX = 16384, LINE_MAX_BYTES = 1 << 16 };

struct ptybot_firmware {
    int socket;
    struct ptybot_firmware_page *page; /* NULL: all messages use the socket */
    uint32_t asked;                    /* number of the last question in the page */
    bool has_question;
    char board[16];
    unsigned pin_count;
    struct ptybot_pin pins[PTYBOT_PINS_MAX];
    size_t frame_max[PTYBOT_CHANNELS_MAX];
    struct ptybot_senses senses;
    struct ptybot_deeds deeds;
    uint32_t signal_count, frame_count;
    size_t signals_size, frames_size; /* size of the packed data so far */
    uint8_t signals[ANSWER_MAX / 2], frames[ANSWER_MAX];
    uint32_t observation_count;
    struct observation {
        uint32_t sensor, width, rays;
        double from_rad, to_rad;
    } observations[PTYBOT_OBSERVATIONS_MAX];
    struct ptybot_sight seen[PTYBOT_SENSORS_MAX];
    bool has_seen[PTYBOT_SENSORS_MAX];
    struct ptybot_echo *rays; /* rays of all scans in the question */
    uint8_t *question;
    size_t question_room;
    uint8_t answer[2 * ANSWER_MAX];
};

/* ---- Numbers, little-endian ---- */

static void put_u32(uint8_t **at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        *(*at)++ = (uint8_t)(value >> 8 * i);
}

static void put_u64(uint8_t **at, uint64_t value)
{
    put_u32(at, (uint32_t)value);
    put_u32(at, (uint32_t)(value >> 32));
}

static void put_f64(uint8_t **at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u64(at, bits);
}

static uint32_t get_u32(const uint8_t **at)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value |= (uint32_t) * (*at)++ << 8 * i;
    return value;
}

static int64_t get_i64(const uint8_t **at)
{
    uint64_t low = get_u32(at);
    return (int64_t)(low | (uint64_t)get_u32(at) << 32);
}

static double get_f64(const uint8_t **at)
{
    int64_t bits = get_i64(at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void get_f64s(const uint8_t **at, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = get_f64(at);
}

/* ---- The socket ---- */

static bool receive(int socket, void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = recv(socket, (char *)bytes + done, size - done, 0);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool send_all(int socket, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t sent = send(socket, (const char *)bytes + done, size - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        done += sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

/* ---- The first message ---- */

static unsigned count_of(const json_t *hello, const char *key, unsigned most)
{
    size_t count = json_array_size(json_object_get(hello, key));
    return count < most ? (unsigned)count : most;
}

/* Reads byte by byte, because bytes after the line belong to the next message. */
static json_t *receive_line(int socket)
{
    static char line[LINE_MAX_BYTES];
    size_t used = 0;
    json_error_t mistake;
    while (used < sizeof line && receive(socket, &line[used], 1) && line[used] != '\n')
        used++;
    return json_loadb(line, used, 0, &mistake);
}

static void copy_text(char *to, size_t size, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    snprintf(to, size, "%s", text ? text : "");
}

static void read_pins(struct ptybot_firmware *self, const json_t *hello)
{
    const json_t *pins = json_object_get(hello, "pins"), *channels;
    copy_text(self->board, sizeof self->board, hello, "board");
    self->pin_count = count_of(hello, "pins", PTYBOT_PINS_MAX);
    for (unsigned i = 0; i < self->pin_count; i++) {
        const json_t *from = json_array_get(pins, i);
        struct ptybot_pin *pin = &self->pins[i];
        copy_text(pin->name, sizeof pin->name, from, "pin");
        copy_text(pin->kind, sizeof pin->kind, from, "is");
        pin->of = (unsigned)json_integer_value(json_object_get(from, "of"));
        pin->counts = json_number_value(json_object_get(from, "counts"));
        pin->low_v = json_number_value(json_object_get(from, "low"));
        pin->high_v = json_number_value(json_object_get(from, "high"));
    }
    channels = json_object_get(hello, "channels");
    for (unsigned i = 0; i < self->senses.channel_count; i++)
        self->frame_max[i] =
            (size_t)json_integer_value(json_object_get(json_array_get(channels, i), "frame_max"));
}

static bool greet(struct ptybot_firmware *self)
{
    static const char reply[] = "{\"ptybot_firmware\":2,\"format\":\"binary\"}\n";
    json_t *hello = receive_line(self->socket);
    json_int_t version = json_integer_value(json_object_get(hello, "ptybot_firmware"));
    json_int_t wheels = json_integer_value(json_object_get(hello, "wheels"));
    self->senses.wheel_count = wheels < PTYBOT_WHEELS_MAX ? (unsigned)wheels : PTYBOT_WHEELS_MAX;
    self->senses.sensor_count = count_of(hello, "sensors", PTYBOT_SENSORS_MAX);
    self->senses.channel_count = count_of(hello, "channels", PTYBOT_CHANNELS_MAX);
    read_pins(self, hello);
    json_decref(hello);
    if (version != VERSION)
        fprintf(stderr, "ptybot speaks version %d of the messages, this firmware %d\n",
                (int)version, VERSION);
    return version == VERSION && send_all(self->socket, reply, sizeof reply - 1);
}

static void open_page(struct ptybot_firmware *self)
{
    const char *number = getenv("PTYBOT_FIRMWARE_PAGE");
    int file = number ? (int)strtol(number, NULL, 10) : -1;
    void *page = mmap(NULL, sizeof *self->page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED)
        return;
    self->page = page;
    self->page->is_used = 1;
}

struct ptybot_firmware *ptybot_firmware_open(void)
{
    const char *number = getenv("PTYBOT_FIRMWARE_FD");
    struct ptybot_firmware *self = number ? calloc(1, sizeof *self) : NULL;
    if (!self) {
        fprintf(stderr,
                "this program is a firmware: start it from a body file, `firmware: {run: ...}`\n");
        return NULL;
    }
    self->socket = (int)strtol(number, NULL, 10);
    open_page(self);
    if (greet(self))
        return self;
    ptybot_firmware_close(self);
    return NULL;
}

void ptybot_firmware_close(struct ptybot_firmware *self)
{
    if (!self)
        return;
    close(self->socket);
    if (self->page)
        munmap(self->page, sizeof *self->page);
    free(self->question);
    free(self->rays);
    free(self);
}

/* ---- A question ---- */

static void read_body(struct ptybot_senses *to, const uint8_t **at)
{
    unsigned wheels = to->wheel_count;
    get_f64s(at, to->wheel_rad, wheels);
    get_f64s(at, to->wheel_rad_s, wheels);
    get_f64s(at, to->motor_a, wheels);
    for (unsigned i = 0; i < wheels; i++)
        to->wheel_dropped[i] = get_u32(at) != 0;
    to->steer_rad = get_f64(at);
    get_f64s(at, to->gyro_rad_s, 3);
    get_f64s(at, to->accel_m_s2, 3);
    to->roll_rad = get_f64(at);
    to->pitch_rad = get_f64(at);
    to->yaw_rad = get_f64(at);
    get_f64s(at, to->field_ut, 3);
    to->temperature_c = get_f64(at);
    to->battery_charge = get_f64(at);
    to->charger = get_u32(at);
    to->bumpers = get_u32(at);
    to->buttons = get_u32(at);
}

/* Returns the end of the question. */
static const uint8_t *read_question(struct ptybot_senses *to, const uint8_t *at)
{
    to->time_us = get_i64(&at);
    to->power_us = get_i64(&at);
    to->is_start = get_u32(&at) != 0;
    read_body(to, &at);
    for (unsigned i = 0; i < to->sensor_count; i++) {
        to->sensors[i].distance_m = get_f64(&at);
        to->sensors[i].reflectance = get_f64(&at);
        to->sensors[i].level = get_f64(&at);
        to->sensors[i].beams = get_u32(&at);
    }
    for (unsigned i = 0; i < to->channel_count; i++) {
        to->channels[i].has_host = get_u32(&at) != 0;
        to->channels[i].lines = get_u32(&at);
        to->channels[i].queued = get_u32(&at);
        to->channels[i].size = get_u32(&at);
        to->channels[i].bytes = at;
        at += to->channels[i].size;
    }
    to->order_count = get_u32(&at);
    for (unsigned i = 0; i < to->order_count && i < PTYBOT_ORDERS_MAX; i++) {
        to->orders[i].index = get_u32(&at);
        get_f64s(&at, to->orders[i].numbers, 4);
    }
    return at;
}

/* Pictures stay in the question; rays are unpacked. */
static void read_sights(struct ptybot_firmware *self, const uint8_t *at)
{
    struct ptybot_echo *ray = self->rays;
    for (uint32_t count = get_u32(&at); count > 0; count--) {
        uint32_t sensor = get_u32(&at) % PTYBOT_SENSORS_MAX;
        struct ptybot_sight *seen = &self->seen[sensor];
        self->has_seen[sensor] = true;
        *seen = (struct ptybot_sight){.width = get_u32(&at), .height = get_u32(&at)};
        seen->ray_count = get_u32(&at);
        seen->rgb = at;
        at += (size_t)seen->width * seen->height * 3;
        seen->rays = ray;
        for (unsigned i = 0; i < seen->ray_count; i++, ray++) {
            ray->distance_m = get_f64(&at);
            ray->reflectance = get_f64(&at);
            ray->cosine = get_f64(&at);
        }
    }
}

/* Makes room for a question of SIZE bytes, and for the largest number of rays that it can
 * contain. */
static bool make_room(struct ptybot_firmware *self, size_t size)
{
    if (size <= self->question_room)
        return true;
    free(self->question);
    free(self->rays);
    self->question = malloc(size);
    self->rays = malloc(size);
    self->question_room = self->question && self->rays ? size : 0;
    return self->question_room > 0;
}

/* Waits for the question after number ASKED. */
static void await(struct ptybot_firmware_page *page, uint32_t asked)
{
    __atomic_store_n(&page->waits, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&page->asked, __ATOMIC_SEQ_CST) == asked)
        syscall(SYS_futex, &page->asked, FUTEX_WAIT, asked, NULL, NULL, 0);
    page->waits = 0;
}

/* The next question up to its pictures and scans; SIZE includes them. NULL: ptybot has ended. */
static const uint8_t *receive_body(struct ptybot_firmware *self, size_t *size)
{
    struct ptybot_firmware_page *page = self->page;
    uint8_t head[4];
    const uint8_t *at = page ? page->question : head;
    if (!page && !receive(self->socket, head, sizeof head))
        return NULL;
    if (page)
        await(page, self->asked++);
    *size = get_u32(&at);
    if (page)
        return *size > 0 ? at : NULL;
    bool has_come = make_room(self, *size) && receive(self->socket, self->question, *size);
    return has_come ? self->question : NULL;
}

static bool receive_question(struct ptybot_firmware *self)
{
    size_t size;
    const uint8_t *body = receive_body(self, &size);
    if (!body)
        return false;
    const uint8_t *at = read_question(&self->senses, body);
    size -= (size_t)(at - body);
    memset(self->has_seen, 0, sizeof self->has_seen);
    if (size > 0 && self->page) {
        if (!make_room(self, size) || !receive(self->socket, self->question, size))
            return false;
        at = self->question;
    }
    if (size > 0)
        read_sights(self, at);
    if (self->senses.is_start)
        self->deeds = (struct ptybot_deeds){.wait_us = 1000};
    return true;
}

/* ---- An answer ---- */

/* Absent if nothing is requested. */
static void put_observations(struct ptybot_firmware *self, uint8_t **at)
{
    if (self->observation_count > 0)
        put_u32(at, self->observation_count);
    for (uint32_t i = 0; i < self->observation_count; i++) {
        const struct observation *observation = &self->observations[i];
        put_u32(at, observation->sensor);
        put_u32(at, observation->width);
        put_u32(at, observation->rays);
        put_f64(at, observation->from_rad);
        put_f64(at, observation->to_rad);
    }
    self->observation_count = 0;
}

static bool send_answer(struct ptybot_firmware *self)
{
    const struct ptybot_deeds *deeds = &self->deeds;
    uint8_t *at = self->answer + 4, *head = self->answer;
    put_u64(&at, (uint64_t)deeds->wait_us);
    for (unsigned i = 0; i < self->senses.wheel_count; i++) {
        put_f64(&at, deeds->motor[i]);
        put_u32(&at, deeds->motor_free[i]);
    }
    put_f64(&at, deeds->steer_rad);
    for (unsigned i = 0; i < self->senses.sensor_count; i++)
        put_f64(&at, deeds->aim_rad[i]);
    put_f64(&at, deeds->sound_hz);
    put_f64(&at, deeds->sound_level);
    put_f64(&at, deeds->charge_rate_1_s);
    for (unsigned i = 0; i < self->senses.channel_count; i++)
        put_u32(&at, deeds->baud[i]);
    put_u32(&at, self->signal_count);
    memcpy(at, self->signals, self->signals_size);
    at += self->signals_size;
    put_u32(&at, self->frame_count);
    memcpy(at, self->frames, self->frames_size);
    at += self->frames_size;
    put_observations(self, &at);
    put_u32(&head, (uint32_t)(at - self->answer - 4));
    self->signal_count = self->frame_count = 0;
    self->signals_size = self->frames_size = 0;
    if (!self->page)
        return send_all(self->socket, self->answer, (size_t)(at - self->answer));
    memcpy(self->page->answer, self->answer, (size_t)(at - self->answer));
    __atomic_store_n(&self->page->answered, self->asked, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &self->page->answered, FUTEX_WAKE, 1, NULL, NULL, 0);
    return true;
}

bool ptybot_firmware_ask(struct ptybot_firmware *self)
{
    if (self->has_question && !send_answer(self))
        return false;
    self->has_question = receive_question(self);
    return self->has_question;
}

const struct ptybot_senses *ptybot_firmware_senses(const struct ptybot_firmware *self)
{
    return &self->senses;
}

struct ptybot_deeds *ptybot_firmware_deeds(struct ptybot_firmware *self)
{
    return &self->deeds;
}

const struct ptybot_pin *ptybot_firmware_pins(const struct ptybot_firmware *self, size_t *count)
{
    *count = self->pin_count;
    return self->pins;
}

const char *ptybot_firmware_board(const struct ptybot_firmware *self)
{
    return self->board;
}

size_t ptybot_firmware_frame_max(const struct ptybot_firmware *self, unsigned channel)
{
    return channel < self->senses.channel_count ? self->frame_max[channel] : 0;
}

bool ptybot_firmware_send(struct ptybot_firmware *self, unsigned channel, const void *bytes,
                          size_t size)
{
    enum { HEAD = 8, REST = 2048 }; /* largest size of an answer without its frames */
    if (size == 0 || self->signals_size + self->frames_size + HEAD + size + REST > ANSWER_MAX)
        return false;
    uint8_t *at = self->frames + self->frames_size;
    put_u32(&at, channel);
    put_u32(&at, (uint32_t)size);
    memcpy(at, bytes, size);
    self->frames_size += HEAD + size;
    self->frame_count++;
    return true;
}

bool ptybot_firmware_signal(struct ptybot_firmware *self, unsigned index, double value)
{
    enum { SIZE = 12, MOST = 64 };
    if (self->signal_count == MOST)
        return false;
    uint8_t *at = self->signals + self->signals_size;
    put_u32(&at, index);
    put_f64(&at, value);
    self->signals_size += SIZE;
    self->signal_count++;
    return true;
}

static bool add_observation(struct ptybot_firmware *self, struct observation observation)
{
    if (self->observation_count == PTYBOT_OBSERVATIONS_MAX)
        return false;
    self->observations[self->observation_count++] = observation;
    return true;
}

bool ptybot_firmware_camera_image(struct ptybot_firmware *self, unsigned sensor, unsigned width)
{
    return add_observation(self, (struct observation){.sensor = sensor, .width = width});
}

bool ptybot_firmware_look(struct ptybot_firmware *self, unsigned sensor, unsigned width)
{
    return ptybot_firmware_camera_image(self, sensor, width);
}

bool ptybot_firmware_scan(struct ptybot_firmware *self, unsigned sensor, unsigned rays,
                          double from_rad, double to_rad)
{
    return add_observation(self, (struct observation){sensor, 0, rays, from_rad, to_rad});
}

const struct ptybot_sight *ptybot_firmware_seen(const struct ptybot_firmware *self, unsigned sensor)
{
    return sensor < PTYBOT_SENSORS_MAX && self->has_seen[sensor] ? &self->seen[sensor] : NULL;
}
