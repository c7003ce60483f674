#include "clients/avr/wiring.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TURN_RAD = 6.283185307179586;
static const double PIN_MAX_V = 5;
/* An ultrasonic sensor HC-SR04 (data sheet, ElecFreaks): after eight cycles of 40 kHz the echo pin
 * rises (together about 450 us, chosen). It stays high for the travel time of the sound, or for 38
 * ms without an echo. The range is 4 m. Speed of sound: 343 m/s at 20 C. */
static const int64_t SONAR_DELAY_NS = 450000, SONAR_NOTHING_NS = 38000000;
static const double SONAR_RANGE_M = 4, SOUND_NS_M = 1e9 / 343;

/* The library Servo of Arduino: 544 us are 0 degrees, 2400 us are 180. */
static const double SERVO_MIDDLE_US = 1472, SERVO_RAD_US = 3.141592653589793 / (2400 - 544);
/* Speed controllers of model vehicles: 1 to 2 ms, stop at 1.5 ms. Chosen: a dead band of 50 us
 * around 1.5 ms, and a stop after 0.1 s without a pulse. */
static const double ESC_MIDDLE_US = 1500, ESC_HALF_US = 500, ESC_STILL_US = 50;
static const int64_t ESC_SILENCE_NS = 100000000;
/* A rotor follows its steps without a jump of its speed, so that the wheel does not slip. Chosen:
 * it does not slip with steps of 5.6 degrees. */
static const double STEPPER_LAG_S = 0.03;

/* ---- Pins and channels ---- */

int wiring_number(enum pin_board board, const char *name)
{
    static const int first_analog[] = {
        [BOARD_UNO] = 14, [BOARD_NANO] = 14, [BOARD_LEONARDO] = 18, [BOARD_MEGA] = 54};
    return name[0] == 'A' ? first_analog[board] + atoi(name + 1) : atoi(name);
}

/* The index of WORD in a NULL-terminated list, or LEAST if it is not in the list. */
static int place(const char *const *words, const char *word, int least)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return least;
}

/* The channel of Serial (0), Serial1 ...: the wired one, or the channel of the same number if no
 * serial port is wired. */
static int find_channel(const struct wiring *self, unsigned serial)
{
    bool is_named = false;
    for (size_t i = 0; i < self->row_count; i++) {
        if (self->rows[i].kind != PIN_SERIAL)
            continue;
        is_named = true;
        if ((unsigned)atoi(self->rows[i].row->name + strlen("Serial")) == serial)
            return (int)self->rows[i].row->of;
    }
    unsigned count = ptybot_firmware_senses(self->firmware)->channel_count;
    return is_named || serial >= count ? WIRING_NONE : (int)serial;
}

/* The pin of this kind that belongs to part OF. */
static int find(const struct wiring *self, enum pin_kind kind, unsigned of)
{
    for (size_t i = 0; i < self->row_count; i++)
        if (self->rows[i].kind == kind && self->rows[i].row->of == of)
            return self->rows[i].pin;
    return WIRING_NONE;
}

static void add_part(struct wiring *self, const struct ptybot_pin *row, enum pin_kind kind, int pin)
{
    if (kind == PIN_ENCODER_A && self->encoder_count < WIRING_PARTS)
        self->encoders[self->encoder_count++] =
            (struct wiring_encoder){.a = pin,
                                    .b = find(self, PIN_ENCODER_B, row->of),
                                    .wheel = row->of,
                                    .counts_rad = row->counts / TURN_RAD};
    if (kind == PIN_ECHO && self->sonar_count < WIRING_PARTS)
        self->sonars[self->sonar_count++] = (struct wiring_sonar){
            .trigger = find(self, PIN_TRIGGER, row->of), .echo = pin, .sensor = row->of};
}

void wiring_init(struct wiring *self, struct ptybot_firmware *firmware)
{
    memset(self, 0, sizeof *self);
    self->firmware = firmware;
    self->board = (enum pin_board)place(board_names, ptybot_firmware_board(firmware), BOARD_UNO);
    const struct ptybot_pin *pins = ptybot_firmware_pins(firmware, &self->row_count);
    for (size_t i = 0; i < self->row_count; i++) {
        enum pin_kind kind = (enum pin_kind)place(pin_kind_names, pins[i].kind, PIN_SERIAL);
        bool is_bus = kind == PIN_SERIAL || kind == PIN_MPU6050;
        int pin = is_bus ? WIRING_NONE : wiring_number(self->board, pins[i].name);
        self->rows[i].pin = pin;
        self->rows[i].kind = kind;
        self->rows[i].row = &pins[i];
        if (kind >= PIN_ECHO && kind <= PIN_BUTTON)
            self->is_wired[pin] = true;
    }
    for (size_t i = 0; i < self->row_count; i++)
        add_part(self, self->rows[i].row, self->rows[i].kind, self->rows[i].pin);
    for (unsigned i = 0; i < WIRING_SERIALS; i++)
        self->serials[i].channel = find_channel(self, i);
}

/* ---- Inputs ---- */

static void set_phase(struct wiring *self, const struct wiring_encoder *encoder)
{
    int64_t phase = encoder->count & 3;
    if (encoder->a >= 0)
        self->level[encoder->a] = phase == 1 || phase == 2;
    if (encoder->b >= 0)
        self->level[encoder->b] = phase == 2 || phase == 3;
}

/* Calculates the time of the next count. The wheel turns at constant speed within the span. */
static void plan(const struct wiring *self, struct wiring_encoder *encoder)
{
    double edge = (double)(encoder->end > encoder->start ? encoder->count + 1 : encoder->count);
    int64_t last = (int64_t)floor(encoder->end);
    encoder->next = INT64_MAX;
    if (last == encoder->count)
        return;
    double share = (edge - encoder->start) / (encoder->end - encoder->start);
    encoder->next = self->from + (int64_t)(share * (double)(self->to - self->from));
}

static double measured(const struct ptybot_senses *now, enum pin_kind kind, unsigned of)
{
    return kind == PIN_BATTERY    ? now->battery_charge
           : kind == PIN_DISTANCE ? now->sensors[of].distance_m
           : kind == PIN_CURRENT  ? now->sensors[of].level
                                  : now->sensors[of].reflectance;
}

/* Whether row I is a switch whose level differs from the last question (a pressed switch is
 * low). */
static bool has_switched(const struct wiring *self, size_t i)
{
    const struct ptybot_senses *now = ptybot_firmware_senses(self->firmware);
    enum pin_kind kind = self->rows[i].kind;
    uint32_t pressed = kind == PIN_BUMPER ? now->bumpers : now->buttons;
    return (kind == PIN_BUMPER || kind == PIN_BUTTON) &&
           self->level[self->rows[i].pin] == (pressed >> self->rows[i].row->of & 1);
}

/* Voltages are sampled once per question. */
static void sample(struct wiring *self)
{
    const struct ptybot_senses *now = ptybot_firmware_senses(self->firmware);
    for (size_t i = 0; i < self->row_count; i++) {
        const struct ptybot_pin *row = self->rows[i].row;
        enum pin_kind kind = self->rows[i].kind;
        int pin = self->rows[i].pin;
        if (pin_is_analog(kind)) {
            double volts = row->low_v + measured(now, kind, row->of) * (row->high_v - row->low_v);
            self->volts[pin] = fmin(fmax(volts, 0), PIN_MAX_V); /* an infinite distance: 5 V */
        }
    }
}

struct change {
    int64_t at;
    const int *pin; /* pin of a switch */
    struct wiring_encoder *encoder;
    struct wiring_sonar *sonar;
    struct wiring_serial *serial;
};

/* Time of the next byte: bytes arrive without gaps, the last one at the end of the span. */
static int64_t arrival(const struct wiring *self, const struct wiring_serial *serial)
{
    if (serial->passed == serial->size)
        return INT64_MAX;
    int64_t at = self->to - (int64_t)(serial->size - 1 - serial->passed) * serial->byte_ns;
    return at > self->from ? at : self->from;
}

static struct change earliest(struct wiring *self)
{
    struct change first = {.at = INT64_MAX};
    for (size_t i = 0; i < self->row_count; i++)
        if (has_switched(self, i))
            first = (struct change){.at = self->from, .pin = &self->rows[i].pin};
    for (size_t i = 0; i < self->encoder_count; i++)
        if (self->encoders[i].next < first.at)
            first = (struct change){.at = self->encoders[i].next, .encoder = &self->encoders[i]};
    for (size_t i = 0; i < self->sonar_count; i++) {
        struct wiring_sonar *sonar = &self->sonars[i];
        int64_t at = sonar->rise < sonar->fall ? sonar->rise : sonar->fall;
        if (at < first.at)
            first = (struct change){.at = at, .sonar = sonar};
    }
    for (size_t i = 0; i < WIRING_SERIALS; i++) {
        int64_t at = arrival(self, &self->serials[i]);
        if (at < first.at)
            first = (struct change){.at = at, .serial = &self->serials[i]};
    }
    return first;
}

void wiring_start(struct wiring *self)
{
    const struct ptybot_senses *now = ptybot_firmware_senses(self->firmware);
    self->from = self->to = 0;
    memset(self->duty, 0, sizeof self->duty);
    memset(self->rise, 0, sizeof self->rise);
    memset(self->pulse_ns, 0, sizeof self->pulse_ns);
    memset(self->steps, 0, sizeof self->steps);
    memset(self->turned_rad, 0, sizeof self->turned_rad);
    memset(self->turned_rad_s, 0, sizeof self->turned_rad_s);
    for (size_t i = 0; i < self->encoder_count; i++) {
        struct wiring_encoder *encoder = &self->encoders[i];
        encoder->end = now->wheel_rad[encoder->wheel] * encoder->counts_rad;
        encoder->count = (int64_t)floor(encoder->end);
        set_phase(self, encoder);
    }
    for (size_t i = 0; i < self->sonar_count; i++) {
        self->sonars[i].rise = self->sonars[i].fall = INT64_MAX;
        self->level[self->sonars[i].echo] = false;
    }
    for (size_t i = 0; i < WIRING_SERIALS; i++)
        self->serials[i].byte_ns = 0;
    for (size_t i = 0; i < self->row_count; i++)
        if (has_switched(self, i))
            self->level[self->rows[i].pin] = !self->level[self->rows[i].pin];
    wiring_take(self);
}

void wiring_take(struct wiring *self)
{
    const struct ptybot_senses *now = ptybot_firmware_senses(self->firmware);
    self->from = self->to;
    self->to = (now->time_us - now->power_us) * 1000;
    for (size_t i = 0; i < self->encoder_count; i++) {
        struct wiring_encoder *encoder = &self->encoders[i];
        encoder->start = encoder->end;
        encoder->end = now->wheel_rad[encoder->wheel] * encoder->counts_rad;
        plan(self, encoder);
    }
    for (size_t i = 0; i < WIRING_SERIALS; i++) {
        struct wiring_serial *serial = &self->serials[i];
        serial->passed = 0;
        serial->size = serial->channel < 0 ? 0 : now->channels[serial->channel].size;
        serial->came = serial->size > 0 ? now->channels[serial->channel].bytes : NULL;
    }
    sample(self);
}

/* ---- Events ---- */

int64_t wiring_next(struct wiring *self)
{
    return earliest(self).at;
}

/* Counts one step of the encoder. Returns the pin that changes: the two pins never change
 * together. */
static int turn(struct wiring *self, struct wiring_encoder *encoder)
{
    bool was_high = encoder->a >= 0 && self->level[encoder->a];
    encoder->count += encoder->end > encoder->start ? 1 : -1;
    set_phase(self, encoder);
    plan(self, encoder);
    return encoder->a >= 0 && self->level[encoder->a] != was_high ? encoder->a : encoder->b;
}

/* The rising edge of the echo pin, then the falling edge. */
static int echo(struct wiring *self, struct wiring_sonar *sonar)
{
    bool is_rise = sonar->rise < sonar->fall;
    *(is_rise ? &sonar->rise : &sonar->fall) = INT64_MAX;
    self->level[sonar->echo] = is_rise;
    return sonar->echo;
}

struct wiring_event wiring_happen(struct wiring *self)
{
    struct wiring_event event = {.pin = WIRING_NONE, .serial = WIRING_NONE};
    struct change change = earliest(self);
    if (change.encoder)
        event.pin = turn(self, change.encoder);
    else if (change.sonar)
        event.pin = echo(self, change.sonar);
    else if (change.pin) {
        event.pin = *change.pin;
        self->level[event.pin] = !self->level[event.pin];
    } else
        event.serial = (int)(change.serial - self->serials);
    if (change.serial)
        event.byte = change.serial->came[change.serial->passed++];
    return event;
}

/* ---- Outputs ---- */

static void rise(struct wiring *self, int pin, int64_t now)
{
    self->rise[pin] = now;
    for (size_t i = 0; i < self->row_count; i++) {
        if (self->rows[i].kind != PIN_STEP || self->rows[i].pin != pin)
            continue;
        int direction = find(self, PIN_DIRECTION, self->rows[i].row->of);
        self->steps[self->rows[i].row->of] += direction < 0 || self->duty[direction] > 0.5 ? 1 : -1;
    }
}

void wiring_set(struct wiring *self, int pin, double duty, int64_t now)
{
    const struct ptybot_senses *senses = ptybot_firmware_senses(self->firmware);
    bool is_falling = self->duty[pin] > 0.5 && duty <= 0.5;
    if (self->duty[pin] <= 0.5 && duty > 0.5)
        rise(self, pin, now);
    if (is_falling)
        self->pulse_ns[pin] = now - self->rise[pin];
    self->duty[pin] = duty;
    for (size_t i = 0; is_falling && i < self->sonar_count; i++) {
        struct wiring_sonar *sonar = &self->sonars[i];
        if (sonar->trigger != pin || sonar->rise != INT64_MAX || sonar->fall != INT64_MAX)
            continue;
        double distance_m = senses->sensors[sonar->sensor].distance_m;
        bool is_heard = distance_m < SONAR_RANGE_M;
        sonar->rise = now + SONAR_DELAY_NS;
        sonar->fall =
            sonar->rise + (is_heard ? (int64_t)(2 * distance_m * SOUND_NS_M) : SONAR_NOTHING_NS);
    }
}

static double duty_of(const struct wiring *self, enum pin_kind kind, unsigned wheel, double least)
{
    int pin = find(self, kind, wheel);
    return pin >= 0 ? self->duty[pin] : least;
}

void wiring_set_baud(struct wiring *self, unsigned number, uint32_t baud)
{
    struct wiring_serial *serial = &self->serials[number];
    serial->byte_ns = baud > 0 ? INT64_C(10000000000) / baud : 0;
    if (serial->channel >= 0)
        ptybot_firmware_deeds(self->firmware)->baud[serial->channel] = baud;
}

/* Sends the bytes in frames that fit the channel. */
static void send_frame(struct wiring *self, struct wiring_serial *serial)
{
    size_t most = WIRING_FRAME_MAX;
    if (serial->channel >= 0)
        most = ptybot_firmware_frame_max(self->firmware, (unsigned)serial->channel);
    for (size_t done = 0; serial->channel >= 0 && done < serial->used; done += most) {
        size_t size = serial->used - done < most ? serial->used - done : most;
        ptybot_firmware_send(self->firmware, (unsigned)serial->channel, serial->sent + done, size);
    }
    serial->used = 0;
}

void wiring_send(struct wiring *self, unsigned number, uint8_t byte)
{
    struct wiring_serial *serial = &self->serials[number];
    if (serial->used == WIRING_FRAME_MAX)
        send_frame(self, serial);
    serial->sent[serial->used++] = byte;
}

/* Angle of the servo at this pin, counter-clockwise. */
static double servo_rad(const struct wiring *self, size_t row)
{
    const struct ptybot_pin *pin = self->rows[row].row;
    int64_t pulse_ns = self->pulse_ns[self->rows[row].pin];
    double us = (double)pulse_ns * 1e-3 - SERVO_MIDDLE_US;
    return pulse_ns > 0 ? us * SERVO_RAD_US * (pin->high_v - pin->low_v) : 0;
}

static double esc_duty(const struct wiring *self, int pin)
{
    double us = (double)self->pulse_ns[pin] * 1e-3 - ESC_MIDDLE_US;
    bool is_still = self->pulse_ns[pin] == 0 || fabs(us) < ESC_STILL_US ||
                    self->to - self->rise[pin] > ESC_SILENCE_NS;
    return is_still ? 0 : fmax(-1, fmin(1, us / ESC_HALF_US));
}

/* The speed that a stepper needs for the steps that came; counts of ROW: for a turn. */
static double stepper_rad_s(struct wiring *self, const struct ptybot_pin *row)
{
    double left_rad =
        (double)self->steps[row->of] * TURN_RAD / row->counts - self->turned_rad[row->of];
    double *rad_s = &self->turned_rad_s[row->of], span_s = (double)(self->to - self->from) * 1e-9;
    *rad_s += (left_rad / STEPPER_LAG_S - 2 * *rad_s) * span_s / STEPPER_LAG_S;
    self->turned_rad[row->of] += *rad_s * span_s;
    return *rad_s;
}

/* Sets the outputs of servos, speed controllers and steppers. */
static void act_pulses(struct wiring *self, struct ptybot_deeds *deeds)
{
    for (size_t i = 0; i < self->row_count; i++) {
        const struct ptybot_pin *row = self->rows[i].row;
        if (self->rows[i].kind == PIN_STEP)
            deeds->motor[row->of] = stepper_rad_s(self, row);
        else if (self->rows[i].kind == PIN_ESC)
            deeds->motor[row->of] =
                esc_duty(self, self->rows[i].pin) * (row->high_v < row->low_v ? -1 : 1);
        else if (self->rows[i].kind == PIN_STEERING)
            deeds->steer_rad = servo_rad(self, i);
        else if (self->rows[i].kind == PIN_SERVO)
            deeds->aim_rad[row->of] = servo_rad(self, i);
    }
}

void wiring_act(struct wiring *self)
{
    struct ptybot_deeds *deeds = ptybot_firmware_deeds(self->firmware);
    unsigned wheels = ptybot_firmware_senses(self->firmware)->wheel_count;
    for (unsigned i = 0; i < wheels; i++) {
        double bridge = duty_of(self, PIN_FORWARD, i, 0) - duty_of(self, PIN_BACKWARD, i, 0);
        if (find(self, PIN_DIRECTION, i) >= 0)
            bridge = duty_of(self, PIN_DIRECTION, i, 0) > 0.5 ? 1 : -1;
        deeds->motor[i] = bridge * duty_of(self, PIN_ENABLE, i, 1);
    }
    act_pulses(self, deeds);
    for (size_t i = 0; i < self->row_count; i++)
        if (self->rows[i].kind == PIN_SIGNAL)
            ptybot_firmware_signal(self->firmware, self->rows[i].row->of,
                                   self->duty[self->rows[i].pin]);
    for (size_t i = 0; i < WIRING_SERIALS; i++)
        send_frame(self, &self->serials[i]);
}
