#include "app/firmware/firmware_json.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "app/cli/terminal.h"
#include "base/array.h"
#include "base/text.h"
#include "protocols/process/process.h"

/* ---- Helpers ---- */

/* JSON null represents infinity, such as an endless distance, and NaN. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *numbers(const double *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, number(values[i]));
    return list;
}

static json_t *truths(const bool *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_boolean(values[i]));
    return list;
}

static json_t *hex(const uint8_t *bytes, size_t size)
{
    char *text = malloc(2 * size + 1);
    json_t *value = text ? json_stringn_nocheck(text, text_hex(bytes, size, text)) : NULL;
    free(text);
    return value;
}

/* Takes ownership of BODY. */
static char *write_line(json_t *body)
{
    char *line = body ? json_dumps(body, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(body);
    return line;
}

/* ---- The hello ---- */

static const char *const formats[] = {"json", "binary", NULL};

static json_t *texts(const char *const *words)
{
    json_t *list = json_array();
    for (; words && *words; words++)
        json_array_append_new(list, json_string(*words));
    return list;
}

static json_t *list_signals(const struct robot_type *type)
{
    json_t *list = json_array();
    for (size_t i = 0; i < type->signal_count; i++)
        if (process_signal_index(&type->signals[i]) >= 0)
            json_array_append_new(list, json_string(type->signals[i].name));
    return list;
}

static json_t *list_channels(const struct robot_type *type)
{
    json_t *list = json_array();
    for (size_t i = 0; i < type->channel_count; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:I, s:I}", "name", type->channels[i].name, "baud",
                                        (json_int_t)type->channels[i].baud, "frame_max",
                                        (json_int_t)type->channels[i].frame_max));
    return list;
}

/* NAME: the name in the first of COUNT rows, which are STRIDE bytes apart. */
static json_t *list_names(const void *name, size_t count, size_t stride)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list,
                              json_string(*(const char *const *)((const char *)name + i * stride)));
    return list;
}

/* LOW and HIGH: volts at the pin for a measured value of 0 and 1. */
static json_t *list_pins(const struct robot_program *program, const struct robot_body *body)
{
    json_t *list = json_array();
    for (size_t i = 0; i < program->pin_count; i++) {
        const struct pin *pin = &program->pins[i];
        bool is_battery = pin->kind == PIN_BATTERY;
        double low = is_battery ? body->battery_min_v : 0;
        double high = is_battery ? body->battery_max_v : 1;
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:i, s:f, s:f, s:f}", "pin", pin->name, "is",
                                        pin_kind_names[pin->kind], "of", (int)pin->index, "counts",
                                        pin->counts, "low", low * pin->scale + pin->zero_v, "high",
                                        high * pin->scale + pin->zero_v));
    }
    return list;
}

char *firmware_json_hello(const struct firmware_names *names, const char *robot)
{
    const struct robot_type *type = names->type;
    json_t *hello =
        json_pack("{s:i, s:o, s:s, s:o, s:i, s:o, s:o, s:o, s:o, s:o}", "ptybot_firmware",
                  PROCESS_FORMAT, "formats", texts(formats), "robot", robot, "channels",
                  list_channels(type), "wheels", (int)names->shape.wheel_count, "sensors",
                  list_names(&names->body->sensors[0].name, names->body->sensor_count,
                             sizeof(struct sensor_spec)),
                  "bumpers",
                  list_names(&names->body->bumpers[0].name, names->body->bumper_count,
                             sizeof(struct bumper_spec)),
                  "buttons", texts(type->buttons), "signals", list_signals(type), "commands",
                  list_names(type->commands, type->command_count, sizeof *type->commands));
    if (type->program && (type->program->avr || type->program->pin_count > 0)) {
        json_object_set_new(hello, "board", json_string(board_names[type->program->board]));
        json_object_set_new(hello, "pins", list_pins(type->program, names->body));
    }
    return write_line(hello);
}

/* If the process sends such a list, it must equal that of the body file. */
static bool check_list(const json_t *root, const char *key, json_t *wanted, struct error *error)
{
    const json_t *given = json_object_get(root, key);
    bool is_same = !given || json_equal(given, wanted);
    if (!is_same) {
        char *has = json_dumps(given, JSON_COMPACT | JSON_ENCODE_ANY);
        char *needs = json_dumps(wanted, JSON_COMPACT);
        error_set(error, "hello: %s is %.100s; the body file has %.100s", key, has ? has : "?",
                  needs ? needs : "?");
        free(has);
        free(needs);
    }
    json_decref(wanted);
    return is_same;
}

static bool check_hello(const struct firmware_names *names, const json_t *root, bool *is_binary,
                        struct error *error)
{
    const json_t *version = json_object_get(root, "ptybot_firmware");
    const char *format = json_string_value(json_object_get(root, "format"));
    if (!json_is_integer(version) || json_integer_value(version) != PROCESS_FORMAT)
        return error_set(error,
                         "hello: \"ptybot_firmware\" must be %d, the version of the messages that "
                         "this ptybot speaks",
                         PROCESS_FORMAT);
    if (!format)
        return error_set(error, "hello: \"format\" is missing; allowed: json, binary");
    *is_binary = strcmp(format, "binary") == 0;
    if (!*is_binary && strcmp(format, "json") != 0)
        return error_set(error, "hello: format '%.32s'; allowed: json, binary", format);
    return check_list(root, "signals", list_signals(names->type), error) &&
           check_list(root, "commands",
                      list_names(names->type->commands, names->type->command_count,
                                 sizeof(struct command_row)),
                      error);
}

static json_t *read_object(const char *line, size_t size, struct error *error)
{
    enum { SHOWN_MAX = 40 }; /* characters; chosen */
    json_error_t mistake;
    json_t *root = json_loadb(line, size, JSON_REJECT_DUPLICATES, &mistake);
    if (json_is_object(root))
        return root;
    error_set(error, "not a JSON object in one line: %s; '%.*s'", root ? "a list" : mistake.text,
              (int)(size < SHOWN_MAX ? size : SHOWN_MAX), line);
    json_decref(root);
    return NULL;
}

bool firmware_json_hello_read(const struct firmware_names *names, const char *line, size_t size,
                              bool *is_binary, struct error *error)
{
    json_t *root = read_object(line, size, error);
    bool is_good = root && check_hello(names, root, is_binary, error);
    json_decref(root);
    return is_good;
}

/* ---- A question ---- */

static json_t *put_sensors(const struct process_shape *shape, const struct robot_sensors *sensors)
{
    json_t *list = json_array();
    for (size_t i = 0; i < shape->sensor_count; i++) {
        const struct sensor_reading *at = &sensors->sensor[i];
        json_array_append_new(list, json_pack("[o, o, o, I]", number(at->distance_m),
                                              number(at->reflectance), number(at->level),
                                              (json_int_t)at->beams));
    }
    return list;
}

static json_t *put_channels(const struct process_shape *shape,
                            const struct process_question *question)
{
    json_t *list = json_array();
    for (size_t i = 0; i < shape->channel_count; i++) {
        const struct process_channel *at = &question->channels[i];
        json_array_append_new(list,
                              json_pack("{s:b, s:I, s:I, s:o}", "host", at->is_present != 0,
                                        "lines", (json_int_t)at->lines, "queued",
                                        (json_int_t)at->queued, "rx", hex(at->bytes, at->size)));
    }
    return list;
}

static json_t *put_commands(const struct firmware_names *names,
                            const struct process_question *question)
{
    json_t *list = json_array();
    for (size_t i = 0; i < question->command_count; i++) {
        const struct process_command *at = &question->commands[i];
        json_array_append_new(
            list, json_pack("{s:s, s:o}", "name", names->type->commands[at->index].name, "numbers",
                            numbers(at->numbers, names->type->commands[at->index].arg_count)));
    }
    return list;
}

/* A list of one number of each echo, at offset MEMBER. */
static json_t *echo_numbers(const struct robot_sight *sight, size_t member)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sight->echo_count; i++) {
        double value;
        memcpy(&value, (const char *)&sight->echoes[i] + member, sizeof value);
        json_array_append_new(list, number(value));
    }
    return list;
}

static json_t *put_sights(const struct firmware_names *names, const struct robot_sight *sights,
                          size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct robot_sight *at = &sights[i];
        const char *name = names->body->sensors[at->sensor].name;
        size_t size = (size_t)at->image.width * at->image.height * 3;
        json_t *one =
            at->echo_count > 0
                ? json_pack("{s:s, s:o, s:o, s:o}", "sensor", name, "distance_m",
                            echo_numbers(at, offsetof(struct robot_echo, distance_m)),
                            "reflectance",
                            echo_numbers(at, offsetof(struct robot_echo, reflectance)), "cosine",
                            echo_numbers(at, offsetof(struct robot_echo, cosine)))
                : json_pack("{s:s, s:i, s:i, s:o}", "sensor", name, "width", (int)at->image.width,
                            "height", (int)at->image.height, "rgb", hex(at->image.rgb, size));
        json_array_append_new(list, one);
    }
    return list;
}

char *firmware_json_question(const struct firmware_names *names,
                             const struct process_question *question,
                             const struct robot_sight *sights, size_t sight_count)
{
    const struct robot_sensors *sensors = &question->sensors;
    const struct process_shape *shape = &names->shape;
    size_t wheels = shape->wheel_count;
    json_t *body = json_pack(
        "{s:I, s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "time_us",
        (json_int_t)question->now_us, "power_us", (json_int_t)question->power_us, "start",
        question->is_start, "wheel_rad", numbers(sensors->wheel_rad, wheels), "wheel_rad_s",
        numbers(sensors->wheel_rad_s, wheels), "motor_a", numbers(sensors->motor_a, wheels),
        "wheel_dropped", truths(sensors->wheel_dropped, wheels), "sensors",
        put_sensors(shape, sensors), "channels", put_channels(shape, question), "commands",
        put_commands(names, question));
    json_t *rest = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I}", "steer_rad",
        number(sensors->steer_rad), "gyro_rad_s", numbers(sensors->gyro_rad_s, 3), "accel_m_s2",
        numbers(sensors->accel_m_s2, 3), "roll_rad", number(sensors->roll_rad), "pitch_rad",
        number(sensors->pitch_rad), "yaw_rad", number(sensors->yaw_rad), "field_ut",
        numbers(sensors->field_ut, 3), "temperature_c", number(sensors->temperature_c),
        "battery_charge", number(sensors->battery_charge), "charger", (json_int_t)sensors->charger,
        "bumpers", (json_int_t)sensors->bumpers, "buttons", (json_int_t)sensors->buttons);
    bool is_whole = body && rest && json_object_update(body, rest) == 0;
    json_decref(rest);
    if (is_whole && sight_count > 0)
        is_whole = json_object_set_new(body, "seen", put_sights(names, sights, sight_count)) == 0;
    if (is_whole)
        return write_line(body);
    json_decref(body);
    return NULL;
}

/* ---- An answer ---- */

/* The destination of an answer that is read. */
struct reading {
    const struct firmware_names *names;
    struct process_answer answer;
    uint8_t bytes[PROCESS_ANSWER_MAX]; /* bytes of its frames */
    size_t used;
    struct error *error;
};

static bool take_number(struct reading *self, const char *key, const json_t *value, double *out)
{
    if (!json_is_number(value))
        return error_set(self->error, "%s: a number was expected", key);
    *out = json_number_value(value);
    return true;
}

static bool take_list(struct reading *self, const char *key, const json_t *value, size_t count)
{
    return (json_is_array(value) && json_array_size(value) == count) ||
           error_set(self->error, "%s: a list of %zu was expected", key, count);
}

static bool take_motors(struct reading *self, const char *key, const json_t *value)
{
    size_t wheels = self->names->shape.wheel_count;
    bool is_good = take_list(self, key, value, wheels);
    for (size_t i = 0; is_good && i < wheels; i++)
        is_good =
            take_number(self, key, json_array_get(value, i), &self->answer.actuators.motor[i]);
    return is_good;
}

static bool take_free(struct reading *self, const char *key, const json_t *value)
{
    size_t wheels = self->names->shape.wheel_count;
    if (!take_list(self, key, value, wheels))
        return false;
    for (size_t i = 0; i < wheels; i++) {
        if (!json_is_boolean(json_array_get(value, i)))
            return error_set(self->error, "%s: true or false was expected", key);
        self->answer.actuators.motor_free[i] = json_is_true(json_array_get(value, i));
    }
    return true;
}

static bool take_bauds(struct reading *self, const char *key, const json_t *value)
{
    size_t channels = self->names->shape.channel_count;
    bool is_good = take_list(self, key, value, channels);
    for (size_t i = 0; is_good && i < channels; i++) {
        double baud = 0;
        is_good = take_number(self, key, json_array_get(value, i), &baud) &&
                  ((baud >= 0 && baud <= 1e8) ||
                   error_set(self->error, "%s: %g; allowed: 0 .. 1e8 bit/s", key, baud));
        self->answer.actuators.baud[i] = is_good ? (uint32_t)baud : 0;
    }
    return is_good;
}

/* Finds NAME in the list KNOWN. WHERE: the key that contains it; NULL: the answer itself. */
static bool find_name(const struct reading *self, const char *where, const char *kind,
                      const char *name, const char *const *known, uint32_t *number)
{
    for (*number = 0; known[*number]; ++*number)
        if (strcmp(known[*number], name) == 0)
            return true;
    return error_set(self->error, "%s%sunknown %s '%.64s'%s", where ? where : "", where ? ": " : "",
                     kind, name, TEXT_MEANT(text_nearest(known, name), NULL));
}

static bool check_object(const struct reading *self, const char *key, const json_t *value,
                         const char *example)
{
    return json_is_object(value) ||
           error_set(self->error, "%s: an object was expected, such as %s", key, example);
}

static bool take_sensor(struct reading *self, const char *key, const char *name, uint32_t *sensor)
{
    const struct robot_body *body = self->names->body;
    const char *known[ROBOT_SENSORS_MAX + 1] = {0};
    for (size_t i = 0; i < body->sensor_count; i++)
        known[i] = body->sensors[i].name;
    if (!name)
        return error_set(self->error, "%s: \"sensor\" is missing: its name in the body file", key);
    return find_name(self, key, "sensor", name, known, sensor);
}

static bool take_aims(struct reading *self, const char *key, const json_t *value)
{
    const char *name;
    json_t *at;
    if (!check_object(self, key, value, "{\"sonar\": 0.5}"))
        return false;
    json_object_foreach((json_t *)value, name, at)
    {
        uint32_t sensor = 0;
        if (!take_sensor(self, key, name, &sensor) ||
            !take_number(self, key, at, &self->answer.actuators.aim_rad[sensor]))
            return false;
    }
    return true;
}

static bool take_wait(struct reading *self, const char *key, const json_t *value)
{
    self->answer.wait_us = json_is_null(value) ? ROBOT_NEVER : json_integer_value(value);
    return json_is_null(value) || json_is_integer(value) ||
           error_set(self->error, "%s: a whole number or null was expected", key);
}

static bool take_signals(struct reading *self, const char *key, const json_t *value)
{
    const struct robot_type *type = self->names->type;
    const char *name, *known[PROCESS_SIGNALS_MAX + 1] = {0};
    json_t *at;
    for (size_t i = 0, count = 0; i < type->signal_count; i++)
        if (process_signal_index(&type->signals[i]) >= 0)
            known[count++] = type->signals[i].name;
    if (!check_object(self, key, value, "{\"speed\": 0.1}"))
        return false;
    json_object_foreach((json_t *)value, name, at)
    {
        uint32_t index, slot = self->answer.signal_count;
        if (!find_name(self, key, "signal", name, known, &index) ||
            !take_number(self, name, at, &self->answer.signals[slot].value))
            return false;
        self->answer.signals[slot].index = index;
        self->answer.signal_count++;
    }
    return true;
}

static bool take_frame(struct reading *self, uint32_t channel, const json_t *value)
{
    const char *text = json_string_value(value);
    size_t size = text ? json_string_length(value) / 2 : 0;
    struct process_answer *answer = &self->answer;
    if (!text || json_string_length(value) % 2 != 0)
        return error_set(self->error, "tx: bytes in hexadecimal were expected, such as \"4f4b\"");
    if (answer->frame_count == COUNT(answer->frames) || size > sizeof self->bytes - self->used)
        return error_set(self->error, "tx: too many bytes for one answer");
    uint8_t *bytes = self->bytes + self->used;
    for (size_t i = 0; i < size; i++) {
        int high = text_hex_digit(text[2 * i]), low = text_hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return error_set(self->error, "tx: '%.2s' is not a hexadecimal byte", text + 2 * i);
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    answer->frames[answer->frame_count++] =
        (struct process_frame){.channel = channel, .size = (uint32_t)size, .bytes = bytes};
    self->used += size;
    return true;
}

static bool take_tx(struct reading *self, const char *key, const json_t *value)
{
    const struct robot_type *type = self->names->type;
    const char *name, *known[ROBOT_CHANNELS_MAX + 1] = {0};
    json_t *at;
    for (size_t i = 0; i < type->channel_count; i++)
        known[i] = type->channels[i].name;
    if (!check_object(self, key, value, "{\"uart\": [\"4f4b\"]}"))
        return false;
    json_object_foreach((json_t *)value, name, at)
    {
        uint32_t channel;
        if (!find_name(self, key, "channel", name, known, &channel) ||
            (!json_is_array(at) && !take_frame(self, channel, at)))
            return false;
        for (size_t i = 0; i < json_array_size(at); i++)
            if (!take_frame(self, channel, json_array_get(at, i)))
                return false;
    }
    return true;
}

/* A key of one requested image or scan. */
static bool take_observation_key(struct reading *self, const char *key, const json_t *value,
                                 struct process_observation *observation)
{
    static const char *const known[] = {"sensor", "width", "rays", "from_rad", "to_rad", NULL};
    if (strcmp(key, "sensor") == 0)
        return take_sensor(self, "observe", json_string_value(value), &observation->sensor);
    if (strcmp(key, "from_rad") == 0)
        return take_number(self, "observe: from_rad", value, &observation->from_rad);
    if (strcmp(key, "to_rad") == 0)
        return take_number(self, "observe: to_rad", value, &observation->to_rad);
    bool is_width = strcmp(key, "width") == 0;
    if (is_width || strcmp(key, "rays") == 0) {
        *(is_width ? &observation->width : &observation->rays) = json_integer_value(value);
        return json_is_integer(value) ||
               error_set(self->error, "observe: %s: a whole number was expected", key);
    }
    uint32_t none;
    return find_name(self, "observe", "key", key, known, &none);
}

static bool take_observations(struct reading *self, const char *key, const json_t *value)
{
    struct process_answer *answer = &self->answer;
    if (!json_is_array(value) || json_array_size(value) > COUNT(answer->observations))
        return error_set(self->error,
                         "%s: a list of up to %d was expected, such as [{\"sensor\": \"eye\"}]",
                         key, PROCESS_OBSERVATIONS_MAX);
    for (size_t i = 0; i < json_array_size(value); i++) {
        json_t *one = json_array_get(value, i), *at;
        struct process_observation *observation =
            &answer->observations[answer->observation_count++];
        const char *name;
        if (!json_object_get(one, "sensor"))
            return take_sensor(self, key, NULL, &observation->sensor);
        json_object_foreach(one, name, at)
        {
            if (!take_observation_key(self, name, at, observation))
                return false;
        }
    }
    return true;
}

static const struct {
    const char *key;
    bool (*take)(struct reading *self, const char *key, const json_t *value);
    size_t number; /* without TAKE: offset of the value in the actuators */
} keys[] = {
    {"wait_us", .take = take_wait},
    {"motor", .take = take_motors},
    {"motor_free", .take = take_free},
    {"steer_rad", .number = offsetof(struct robot_actuators, steer_rad)},
    {"aim_rad", .take = take_aims},
    {"sound_hz", .number = offsetof(struct robot_actuators, sound_hz)},
    {"sound_level", .number = offsetof(struct robot_actuators, sound_level)},
    {"charge_rate_1_s", .number = offsetof(struct robot_actuators, charge_rate_1_s)},
    {"baud", .take = take_bauds},
    {"signals", .take = take_signals},
    {"tx", .take = take_tx},
    {"observe", .take = take_observations},
    {"look", .take = take_observations}, /* old name of observe, until the next release */
};

static bool take_key(struct reading *self, const char *key, const json_t *value)
{
    const char *known[COUNT(keys) + 1] = {0};
    uint32_t i;
    for (i = 0; i < COUNT(keys); i++)
        known[i] = keys[i].key;
    if (!find_name(self, NULL, "key", key, known, &i))
        return false;
    if (keys[i].take)
        return keys[i].take(self, key, value);
    void *number = (char *)&self->answer.actuators + keys[i].number;
    return take_number(self, key, value, number);
}

size_t firmware_json_answer(struct firmware_names *names, const char *line, size_t size,
                            struct robot_actuators *last, uint8_t out[PROCESS_ANSWER_MAX],
                            struct error *error)
{
    struct reading self = {.names = names, .error = error};
    json_t *root = read_object(line, size, error);
    const char *key;
    json_t *value;
    bool is_good = root != NULL;
    self.answer.actuators = *last;
    self.answer.wait_us = 1000;
    json_object_foreach(root, key, value)
    {
        is_good = is_good && take_key(&self, key, value);
    }
    if (json_object_get(root, "look") && !names->has_old_name) {
        names->has_old_name = true;
        terminal_say(
            "warning: the key \"look\" of a firmware's answer is now \"observe\"; the next "
            "release removes the old name");
    }
    json_decref(root);
    if (!is_good || !process_answer_check(&names->shape, &self.answer, error))
        return 0;
    *last = self.answer.actuators;
    size_t wrote = process_answer_write(&names->shape, &self.answer, out);
    if (wrote == 0)
        error_set(error, "the answer is too long");
    return wrote;
}
