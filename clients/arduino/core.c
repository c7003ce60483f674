/* The core of Arduino for the PC: below a sketch, above the messages of a firmware. A sketch runs
 * in simulated time: each call costs some, and where the span that ptybot has told is used up it
 * waits for the next. So it is up to a millisecond behind: what it does in a span takes effect at
 * its end.
 *
 * The sketch runs in a child. A power-on ends that and starts another from this process, whose
 * memory no sketch has touched. */
#define _GNU_SOURCE
#include "include/ptybot/arduino_core.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clients/arduino/wiring.h"

/* What a call costs, in ns; chosen: rounded from an ATmega328P at 16 MHz, whose functions take some
 * tens to a hundred cycles; the conversion of the ADC is 13 cycles of 125 kHz (data sheet). */
enum {
    COST_LOOP = 1000,
    COST_TIME = 2000,
    COST_PIN = 4000,
    COST_PWM = 8000,
    COST_ADC = 112000,
    COST_SERIAL = 2000,
    COST_INTERRUPT = 3000,
    COST_EDGE_LOOP = 1000, /* of pulseIn between two looks */
};

enum {
    SPAN_US = 1000,
    SERIAL_BUFFER = 64, /* bytes, in each direction: HardwareSerial.h */
    EEPROM_MAX = 4096,
    INTERRUPTS = 8,
    AGAIN = 77, /* the child's exit code: power-on */
    MODE_INPUT = 0,
    MODE_OUTPUT = 1,
    MODE_PULLUP = 2,
    ON_CHANGE = 1, /* the modes of attachInterrupt */
    ON_FALLING = 2,
    ON_RISING = 3,
};

struct serial {
    int64_t free_at; /* when the last byte has left */
    uint8_t inbox[SERIAL_BUFFER];
    unsigned first, count;
};

struct interrupt {
    void (*handler)(void); /* NULL: not attached */
    int mode;
    bool is_pending;
};

/* Beyond the end of the child. */
struct kept {
    struct ptybot_senses senses; /* of the power-on */
    uint8_t eeprom[EEPROM_MAX];
};

static struct ptybot_firmware *firmware;
static struct kept *kept;
static struct wiring wiring;
static struct serial serials[CORE_SERIALS];
static struct interrupt attached[INTERRUPTS];
static int64_t now; /* ns since power-on */
static uint8_t modes[WIRING_PINS];
static bool latch[WIRING_PINS]; /* what was written */
static bool is_interruptible = true, is_in_handler, is_any_pending;
static bool has_sound_end;
static int64_t sound_end;

/* ArduinoCore-avr: variants, digitalPinToInterrupt and digitalPinHasPWM. */
static const int interrupt_pins[][INTERRUPTS] = {
    [BOARD_UNO] = {2, 3, -1, -1, -1, -1, -1, -1},
    [BOARD_NANO] = {2, 3, -1, -1, -1, -1, -1, -1},
    [BOARD_LEONARDO] = {3, 2, 0, 1, 7, -1, -1, -1},
    [BOARD_MEGA] = {2, 3, 21, 20, 19, 18, -1, -1},
};
static const uint64_t pwm_pins[] = {
    [BOARD_UNO] = 0xe68,
    [BOARD_NANO] = 0xe68,
    [BOARD_LEONARDO] = 0x2e68,
    [BOARD_MEGA] = 0x700000003ffc,
};
static const size_t eeprom_sizes[] = {
    [BOARD_UNO] = 1024, [BOARD_NANO] = 1024, [BOARD_LEONARDO] = 1024, [BOARD_MEGA] = 4096};

/* ---- Questions ---- */

/* The span is used up: what was done goes out, what was meanwhile comes in. Ends the process with
 * the run, or where the robot was switched off and on. */
static void exchange(void)
{
    struct ptybot_deeds *deeds = ptybot_firmware_deeds(firmware);
    if (has_sound_end && now >= sound_end)
        noTone(0);
    wiring_act(&wiring);
    deeds->wait_us = SPAN_US;
    if (!ptybot_firmware_ask(firmware))
        _exit(EXIT_SUCCESS);
    if (ptybot_firmware_senses(firmware)->is_start) {
        kept->senses = *ptybot_firmware_senses(firmware);
        _exit(AGAIN);
    }
    wiring_take(&wiring);
}

/* ---- Time ---- */

/* Bytes for a port that was not begun, or that has no room, are lost. */
static void receive(unsigned number, uint8_t byte)
{
    struct serial *serial = &serials[number];
    if (wiring.serials[number].byte_ns > 0 && serial->count < SERIAL_BUFFER - 1)
        serial->inbox[(serial->first + serial->count++) % SERIAL_BUFFER] = byte;
}

static void change(int pin)
{
    for (int i = 0; i < INTERRUPTS; i++) {
        struct interrupt *interrupt = &attached[i];
        bool is_high = pin >= 0 && wiring.level[pin];
        bool is_meant =
            interrupt->mode == ON_CHANGE || interrupt->mode == (is_high ? ON_RISING : ON_FALLING);
        if (interrupt->handler && is_meant && interrupt_pins[wiring.board][i] == pin)
            interrupt->is_pending = is_any_pending = true;
    }
}

static void take_events(void)
{
    while (wiring_next(&wiring) <= now) {
        struct wiring_event event = wiring_happen(&wiring);
        if (event.serial >= 0)
            receive((unsigned)event.serial, event.byte);
        else
            change(event.pin);
    }
}

static void pass(int64_t ns);

static void serve_interrupts(void)
{
    if (!is_any_pending || !is_interruptible || is_in_handler)
        return;
    for (int i = 0; i < INTERRUPTS && is_interruptible; i++) {
        if (!attached[i].is_pending)
            continue;
        attached[i].is_pending = false;
        is_in_handler = true;
        pass(COST_INTERRUPT);
        if (attached[i].handler)
            attached[i].handler();
        is_in_handler = false;
        i = -1; /* the first has precedence */
    }
    is_any_pending = !is_interruptible; /* where a handler has left them off */
}

/* Lets so much time go by: levels change, bytes come, handlers run, which take time of their own.
 */
static void pass(int64_t ns)
{
    while (ns > 0) {
        while (now >= wiring.to)
            exchange();
        int64_t stop = wiring_next(&wiring);
        stop = stop < wiring.to ? stop : wiring.to;
        stop = stop < now + ns ? stop : now + ns;
        if (stop > now) {
            ns -= stop - now;
            now = stop;
        }
        take_events();
        serve_interrupts();
    }
}

unsigned long millis(void)
{
    pass(COST_TIME);
    return (uint32_t)(now / 1000000);
}

unsigned long micros(void)
{
    pass(COST_TIME);
    return (uint32_t)(now / 1000);
}

void delay(unsigned long ms)
{
    pass((int64_t)ms * 1000000);
}

void delayMicroseconds(unsigned int us)
{
    pass((int64_t)us * 1000);
}

void yield(void)
{
    pass(COST_LOOP);
}

/* ---- Pins ---- */

static void put_out(uint8_t pin, double duty)
{
    wiring_set(&wiring, pin, modes[pin] == MODE_OUTPUT ? duty : 0, now);
}

void pinMode(uint8_t pin, uint8_t mode)
{
    pass(COST_PIN);
    if (pin >= WIRING_PINS)
        return;
    modes[pin] = mode;
    if (mode != MODE_OUTPUT)
        latch[pin] = mode == MODE_PULLUP;
    put_out(pin, latch[pin]);
}

void digitalWrite(uint8_t pin, uint8_t level)
{
    pass(COST_PIN);
    if (pin >= WIRING_PINS)
        return;
    latch[pin] = level != 0;
    put_out(pin, latch[pin]);
}

/* An open input reads its pull-up, which digitalWrite switches. */
int digitalRead(uint8_t pin)
{
    pass(COST_PIN);
    if (pin >= WIRING_PINS)
        return 0;
    return wiring.is_wired[pin] && modes[pin] != MODE_OUTPUT ? wiring.level[pin] : latch[pin];
}

int analogRead(uint8_t pin)
{
    pass(COST_ADC);
    int first = wiring_number(wiring.board, "A0"), number = pin < first ? pin + first : pin;
    return number < WIRING_PINS ? (int)(wiring.volts[number] / 5 * 1023 + 1e-9) : 0;
}

void analogReference(uint8_t mode)
{
    (void)mode; /* 5 V always */
}

void analogWrite(uint8_t pin, int value)
{
    pass(COST_PWM);
    if (pin >= WIRING_PINS)
        return;
    bool has_pwm = pwm_pins[wiring.board] >> pin & 1;
    modes[pin] = MODE_OUTPUT;
    latch[pin] = value >= 128;
    if (value <= 0 || value >= 255 || !has_pwm)
        put_out(pin, value >= (has_pwm ? 255 : 128));
    else
        put_out(pin, value / 255.0);
}

unsigned long pulseIn(uint8_t pin, uint8_t level, unsigned long timeout_us)
{
    int64_t end = now + (int64_t)timeout_us * 1000, began = -1;
    bool wanted = level != 0;
    if (pin >= WIRING_PINS)
        return 0;
    for (int step = 0; step < 3; step++) { /* a pulse that has begun is none; one; its end */
        bool is_awaited = step == 1 ? wanted : !wanted;
        while (wiring.level[pin] != is_awaited && now < end)
            pass(COST_EDGE_LOOP);
        if (now >= end)
            return 0;
        began = step == 1 ? now : began;
    }
    return (unsigned long)((now - began) / 1000);
}

void tone(uint8_t pin, unsigned int frequency, unsigned long duration_ms)
{
    (void)pin;
    pass(COST_PWM);
    ptybot_firmware_deeds(firmware)->sound_hz = frequency;
    ptybot_firmware_deeds(firmware)->sound_level = 0.5; /* chosen */
    has_sound_end = duration_ms > 0;
    sound_end = now + (int64_t)duration_ms * 1000000;
}

void noTone(uint8_t pin)
{
    (void)pin;
    has_sound_end = false;
    ptybot_firmware_deeds(firmware)->sound_hz = ptybot_firmware_deeds(firmware)->sound_level = 0;
}

void core_servo(uint8_t pin, unsigned us)
{
    pass(COST_PWM);
    if (pin >= WIRING_PINS)
        return;
    modes[pin] = MODE_OUTPUT;
    put_out(pin, us / 20000.0);
}

/* ---- Interrupts ---- */

int digitalPinToInterrupt(int pin)
{
    for (int i = 0; i < INTERRUPTS; i++)
        if (interrupt_pins[wiring.board][i] == pin && pin >= 0)
            return i;
    fprintf(stderr, "pin %d has no interrupt on a board %s\n", pin, board_names[wiring.board]);
    return -1;
}

void attachInterrupt(uint8_t number, void (*handler)(void), int mode)
{
    pass(COST_PIN);
    if (number < INTERRUPTS)
        attached[number] = (struct interrupt){.handler = handler, .mode = mode};
}

void detachInterrupt(uint8_t number)
{
    attachInterrupt(number, NULL, 0);
}

void interrupts(void)
{
    is_interruptible = true;
    serve_interrupts();
}

void noInterrupts(void)
{
    is_interruptible = false;
}

/* ---- Serial ---- */

void core_serial_begin(unsigned number, unsigned long baud)
{
    pass(COST_SERIAL);
    serials[number].count = 0;
    wiring_set_baud(&wiring, number, (uint32_t)baud);
}

int core_serial_available(unsigned number)
{
    pass(COST_SERIAL);
    return (int)serials[number].count;
}

static int64_t waiting_ns(const struct serial *serial)
{
    return serial->free_at > now ? serial->free_at - now : 0;
}

int core_serial_room(unsigned number)
{
    int64_t byte_ns = wiring.serials[number].byte_ns;
    pass(COST_SERIAL);
    return byte_ns == 0 ? 0 : SERIAL_BUFFER - 1 - (int)(waiting_ns(&serials[number]) / byte_ns);
}

int core_serial_read(unsigned number, bool is_kept)
{
    struct serial *serial = &serials[number];
    pass(COST_SERIAL);
    if (serial->count == 0)
        return CORE_NO_BYTE;
    int byte = serial->inbox[serial->first];
    serial->first = is_kept ? serial->first : (serial->first + 1) % SERIAL_BUFFER;
    serial->count -= !is_kept;
    return byte;
}

/* Waits where the buffer is full, as the real one does. */
void core_serial_write(unsigned number, uint8_t byte)
{
    struct serial *serial = &serials[number];
    int64_t byte_ns = wiring.serials[number].byte_ns, full_ns = (SERIAL_BUFFER - 1) * byte_ns;
    pass(COST_SERIAL);
    if (byte_ns == 0)
        return;
    if (waiting_ns(serial) > full_ns)
        pass(waiting_ns(serial) - full_ns);
    serial->free_at = now + waiting_ns(serial) + byte_ns;
    wiring_send(&wiring, number, byte);
}

void core_serial_flush(unsigned number)
{
    pass(waiting_ns(&serials[number]) + COST_SERIAL);
}

uint8_t *core_eeprom(size_t *size)
{
    pass(COST_TIME);
    *size = eeprom_sizes[wiring.board];
    return kept->eeprom;
}

/* ---- Life ---- */

static _Noreturn void run(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    wiring_start(&wiring);
    setup();
    for (;;) {
        loop();
        pass(COST_LOOP);
    }
}

/* One life of the sketch. Returns at a power-on; else ends this process as the child ended. */
static void live(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        run();
    if (child < 0 || waitpid(child, &status, 0) != child)
        exit(EXIT_FAILURE);
    if (WIFEXITED(status) && WEXITSTATUS(status) == AGAIN)
        return;
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    exit(WEXITSTATUS(status));
}

int main(void)
{
    firmware = ptybot_firmware_open();
    kept = mmap(NULL, sizeof *kept, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!firmware || kept == MAP_FAILED)
        return EXIT_FAILURE;
    memset(kept->eeprom, 0xff, sizeof kept->eeprom);
    wiring_init(&wiring, firmware);
    if (!ptybot_firmware_ask(firmware))
        return EXIT_SUCCESS;
    for (;;) {
        live();
        /* The question that has ended the child was asked of this process, too; its bytes were the
         * child's. */
        struct ptybot_senses *senses = (struct ptybot_senses *)ptybot_firmware_senses(firmware);
        *senses = kept->senses;
        for (unsigned i = 0; i < senses->channel_count; i++)
            senses->channels[i].size = 0;
    }
}
