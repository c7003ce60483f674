/* simavr: https://github.com/buserror/simavr, version 1.6 of Debian 12. */
#include "clients/avr/chip.h"
#include "clients/avr/mpu6050.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <simavr/avr_adc.h>
#include <simavr/avr_extint.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_timer.h>
#include <simavr/avr_twi.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <simavr/sim_hex.h>

enum { RUN_CYCLES = 16000 }; /* cycles without a check of timers, if none is due: chosen, 1 ms */
enum { PINS_OF_CHIP = 72, SERIALS = 4, CLOCK_HZ = 16000000, CYCLES_US = 16 };
/* Range of addresses in bytes: 16 bits for data, 24 bits for program memory, and one more page for
 * a word at the end. */
enum { DATA_REACH = (1 << 16) + 4096, FLASH_REACH = (1 << 24) + 4096 };
enum { EECR_AT = 0x3f, EEMPE_EEPE = 6, EEPE = 2, SPL_AT = 0x5d }; /* all three data sheets */
enum { ANALOGS = 16, ADCSRB_AT = 0x7b, ADMUX_AT = 0x7c, OCR4C_AT = 0xd1 }; /* data sheets */

/* Boards: from ArduinoCore-avr, variants. `ports`: port and bit of each pin from 0 on, then A0 ...;
 * `timers`: pins with a timer output. Timer registers: data sheets of the three chips, which have
 * them at the same addresses. */
static const struct board_row {
    const char *mcu, *ports, *timers;
} rows[] = {
    [BOARD_UNO] = {"atmega328p", "D0D1D2D3D4D5D6D7B0B1B2B3B4B5C0C1C2C3C4C5",
                   "3:2B 5:0B 6:0A 9:1A 10:1B 11:2A"},
    [BOARD_NANO] = {"atmega328p", "D0D1D2D3D4D5D6D7B0B1B2B3B4B5C0C1C2C3C4C5-6-7",
                    "3:2B 5:0B 6:0A 9:1A 10:1B 11:2A"},
    [BOARD_LEONARDO] = {"atmega32u4", "D2D3D1D0D4C6D7E6B4B5B6B7D6C7B3B1B2B0F7F6F5F4F1F0",
                        "3:0B 5:3A 6:4D 9:1A 10:1B 11:0A 13:4A"},
    [BOARD_MEGA] = {"atmega2560",
                    "E0E1E4E5G5E3H3H4H5H6B4B5B6B7J1J0H1H0D3D2D1D0A0A1A2A3A4A5A6A7C7C6C5C4C3C2C1C0"
                    "D7G2G1G0L7L6L5L4L3L2L1L0B3B2B1B0F0F1F2F3F4F5F6F7K0K1K2K3K4K5K6K7",
                    "2:3B 3:3C 4:0B 5:3A 6:4A 7:4B 8:4C 9:2B 10:2A 11:1A 12:1B 13:0A 44:5C 45:5B "
                    "46:5A"},
};

/* First register of each timer: TCCRnA. From there, 16-bit timers have OCRnA at 8 and ICRn at 6;
 * 8-bit timers have OCRnA at 3. */
static const uint16_t timer_at[] = {0x44, 0x80, 0xb0, 0x90, 0xa0, 0x120};

struct pin_of_chip {
    struct chip *chip;
    char port; /* '-': not connected */
    int bit;
    int timer;  /* -1: none */
    int output; /* 0: A */
};

struct chip {
    avr_t *avr;
    struct chip_ear ear;
    enum pin_board board;
    avr_cycle_count_t start;
    uint16_t ram_end;
    struct mpu6050 *mpu6050; /* NULL: none */
    struct pin_of_chip pins[PINS_OF_CHIP];
    int pin_count;
    uint32_t analog_mv[ANALOGS];    /* voltages at the channels of the ADC */
    avr_extint_t *interrupts;       /* of the chip */
    avr_irq_t *edges[EXTINT_COUNT]; /* interrupts of their pins; NULL: none */
    avr_twi_t *twi;
    avr_ioport_external_t held[26]; /* external levels at the pins of each port */
    struct serial_of_chip {
        struct chip *chip;
        unsigned number;
        avr_irq_t *irq; /* NULL: the chip has no such UART */
        avr_uart_t *uart;
        avr_io_write_t set_baud; /* simavr's original function */
    } serials[SERIALS];
};

/* ---- Log ---- */

/* Prints errors of simavr without its terminal colors. */
static void say(avr_t *avr, const int level, const char *format, va_list words)
{
    char text[512];
    (void)avr;
    vsnprintf(text, sizeof text, format, words);
    for (const char *at = text; level == LOG_ERROR && *at; at++) {
        if (*at == '\033')
            at += strcspn(at, "m");
        else
            fputc(*at, stderr);
        if (*at == '\0')
            break;
    }
}

static int64_t now_of(const struct chip *self)
{
    return (int64_t)(self->avr->cycle - self->start) * 1000 / CYCLES_US;
}

static void sleep_no_time(avr_t *avr, avr_cycle_count_t cycles)
{
    (void)avr, (void)cycles; /* simulated time advances independently */
}

/* The first peripheral of this kind, starting with IO; NULL: none. */
static void *find_io(avr_io_t *io, const char *kind)
{
    while (io && !(io->kind && strcmp(io->kind, kind) == 0))
        io = io->next;
    return io;
}

/* ---- Ports ---- */

static avr_ioport_state_t port_state(const struct chip *self, const struct pin_of_chip *pin)
{
    avr_ioport_state_t state = {0};
    if (pin->port != '-')
        avr_ioctl(self->avr, (uint32_t)AVR_IOCTL_IOPORT_GETSTATE(pin->port), &state);
    return state;
}

static bool is_output(const struct chip *self, const struct pin_of_chip *pin)
{
    unsigned directions = (unsigned)port_state(self, pin).ddr;
    return directions >> pin->bit & 1u;
}

static void hear_pin(avr_irq_t *irq, uint32_t value, void *context)
{
    struct pin_of_chip *pin = context;
    struct chip *self = pin->chip;
    (void)irq;
    if (is_output(self, pin))
        self->ear.level(self->ear.context, (int)(pin - self->pins), value & 1, now_of(self));
}

static void hear_byte(avr_irq_t *irq, uint32_t value, void *context)
{
    (void)irq;
    const struct serial_of_chip *serial = context;
    serial->chip->ear.byte(serial->chip->ear.context, serial->number, (uint8_t)value);
}

static avr_irq_t *irq_of(const struct chip *self, const struct pin_of_chip *pin)
{
    return avr_io_getirq(self->avr, (uint32_t)AVR_IOCTL_IOPORT_GETIRQ(pin->port), pin->bit);
}

static void find_timers(struct chip *self, const char *text)
{
    char output;
    for (int pin, timer, used; sscanf(text, "%d:%1d%c%n", &pin, &timer, &output, &used) == 3;
         text += used) {
        self->pins[pin].timer = timer;
        self->pins[pin].output = output - 'A';
    }
}

static void connect_pins(struct chip *self)
{
    for (const char *at = rows[self->board].ports; *at; at += 2)
        self->pins[self->pin_count++] =
            (struct pin_of_chip){.chip = self, .port = at[0], .bit = at[1] - '0', .timer = -1};
    find_timers(self, rows[self->board].timers);
}

/* simavr 1.6 always counts a parity bit in each byte: 11 bits instead of 10. */
static void set_baud(avr_t *avr, avr_io_addr_t at, uint8_t value, void *context)
{
    struct serial_of_chip *serial = context;
    serial->set_baud(avr, at, value, serial->uart);
    serial->uart->cycles_per_byte -= serial->uart->cycles_per_byte / 11;
}

static void teach_serials(struct chip *self)
{
    avr_uart_t *uart = find_io(self->avr->io_port, "uart");
    for (; uart; uart = find_io(uart->io.next, "uart")) {
        struct serial_of_chip *serial = &self->serials[uart->name - '0'];
        avr_io_addr_t at = AVR_DATA_TO_IO(uart->ubrrl.reg);
        serial->uart = uart;
        serial->set_baud = self->avr->io[at].w.c;
        self->avr->io[at].w.c = set_baud;
        self->avr->io[at].w.param = serial;
    }
}

static void connect_serials(struct chip *self)
{
    for (unsigned i = 0; i < SERIALS; i++) {
        char name = (char)('0' + i);
        uint32_t flags = 0; /* no output to the terminal, and no sleep */
        self->serials[i].chip = self;
        self->serials[i].number = i;
        self->serials[i].irq =
            avr_io_getirq(self->avr, (uint32_t)AVR_IOCTL_UART_GETIRQ(name), UART_IRQ_INPUT);
        avr_irq_t *out =
            avr_io_getirq(self->avr, (uint32_t)AVR_IOCTL_UART_GETIRQ(name), UART_IRQ_OUTPUT);
        avr_ioctl(self->avr, (uint32_t)AVR_IOCTL_UART_SET_FLAGS(name), &flags);
        if (out)
            avr_irq_register_notify(out, hear_byte, &self->serials[i]);
    }
}

/* simavr 1.6 does not know phase-correct PWM, which the Arduino core sets on all timers but the
 * first: such a timer would overflow at each count. Here it runs as fast PWM with the same top
 * value, which overflows twice as often as the real timer. */
static void teach_timers(struct chip *self)
{
    static const avr_timer_wgm_t by_icr = {.kind = avr_timer_wgm_pwm, .top = avr_timer_wgm_reg_icr};
    static const avr_timer_wgm_t by_ocr = {.kind = avr_timer_wgm_pwm,
                                           .top = avr_timer_wgm_reg_ocra};
#define FIXED(bits)                                                                                \
    {                                                                                              \
        .kind = avr_timer_wgm_fc_pwm, .size = (bits)                                               \
    }
    static const avr_timer_wgm_t fixed[] = {FIXED(8), FIXED(9), FIXED(10)};
    avr_timer_t *timer = find_io(self->avr->io_port, "timer");
    for (; timer; timer = find_io(timer->io.next, "timer")) {
        bool is_small = timer->name == '0' || timer->name == '2';
        const avr_timer_wgm_t *modes[16] = {[1] = &fixed[0]};
        modes[2] = is_small ? NULL : &fixed[1];
        modes[3] = is_small ? NULL : &fixed[2];
        modes[5] = is_small ? &by_ocr : NULL;
        modes[8] = modes[10] = is_small ? NULL : &by_icr;
        modes[9] = modes[11] = is_small ? NULL : &by_ocr;
        for (int i = 0; i < 16; i++)
            if (modes[i] && timer->wgm_op[i].kind == avr_timer_wgm_none)
                timer->wgm_op[i] = *modes[i];
    }
}

/* ---- External interrupts: simavr 1.6 treats those of an ATmega2560 as level-triggered, and checks
 * in each cycle whether they are low. Therefore their pins are not connected to simavr's
 * interrupts. ---- */

/* Modes: 0 low, 1 any change, 2 falling, 3 rising (data sheets, ISCn1:0). */
static void hear_edge(avr_irq_t *irq, uint32_t value, void *context)
{
    struct chip *self = context;
    for (int i = 0; i < EXTINT_COUNT; i++) {
        avr_regbit_t *isc = self->interrupts->eint[i].isc;
        int mode = avr_regbit_get(self->avr, isc[0]) | avr_regbit_get(self->avr, isc[1]) << 1;
        if (self->edges[i] == irq && value != irq->value && (mode == 1 || (mode == 3) == value))
            avr_raise_interrupt(self->avr, &self->interrupts->eint[i].vector);
    }
}

static void find_interrupts(struct chip *self)
{
    self->interrupts = find_io(self->avr->io_port, "extint");
    for (int i = 0; self->interrupts && i < EXTINT_COUNT; i++) {
        uint32_t port = self->interrupts->eint[i].port_ioctl;
        if (port == 0)
            continue;
        self->edges[i] = avr_io_getirq(self->avr, port, self->interrupts->eint[i].port_pin);
        avr_irq_register_notify(self->edges[i], hear_edge, self);
    }
}

static void take_interrupts(struct chip *self)
{
    for (int i = 0; i < EXTINT_COUNT; i++)
        if (self->edges[i])
            avr_unconnect_irq(self->edges[i],
                              avr_io_getirq(self->avr, AVR_IOCTL_EXTINT_GETIRQ(), i));
}

/* ---- The ADC: simavr 1.6 has room for eight voltages. Voltages A8 to A15 of an ATmega2560 replace
 * the others during their conversion. ---- */

static void convert(avr_irq_t *irq, uint32_t value, void *context)
{
    const struct chip *self = context;
    const uint8_t *data = self->avr->data;
    unsigned low = data[ADMUX_AT] & 7u; /* and MUX5 (in ADCSRB) */
    unsigned high = self->board == BOARD_MEGA ? data[ADCSRB_AT] & 8u : 0;
    (void)irq, (void)value;
    avr_raise_irq(avr_io_getirq(self->avr, AVR_IOCTL_ADC_GETIRQ, (int)(ADC_IRQ_ADC0 + low)),
                  self->analog_mv[high | low]);
}

static void keep(avr_t *avr, avr_io_addr_t at, uint8_t value, void *context)
{
    (void)context;
    avr->data[at] = value; /* ADCSRB: simavr 1.6 does not store writes to it */
}

static void connect_adc(struct chip *self)
{
    avr_irq_t *begins = avr_io_getirq(self->avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_OUT_TRIGGER);
    avr_irq_register_notify(begins, convert, self);
    avr_register_io_write(self->avr, ADCSRB_AT, keep, self);
    avr_adc_t *adc = find_io(self->avr->io_port, "adc");
    for (int i = 0; adc && i < 64; i++)
        if (adc->muxmode[i].kind == ADC_MUX_SINGLE)
            adc->muxmode[i].src &= 7;
}

/* ---- The EEPROM: in simavr 1.6 writing a byte takes no time ---- */

static avr_cycle_count_t finish_byte(avr_t *avr, avr_cycle_count_t when, void *context)
{
    (void)when, (void)context;
    avr->data[EECR_AT] &= (uint8_t)~EEPE;
    return 0;
}

/* Writing a byte takes 3.3 ms (data sheets: 26,368 cycles of the 8 MHz RC oscillator). */
static void write_byte(avr_t *avr, avr_io_addr_t at, uint8_t value, void *context)
{
    bool is_busy = avr_cycle_timer_status(avr, finish_byte, context) > 0;
    if (is_busy || (value & EEMPE_EEPE) == EEMPE_EEPE)
        avr->data[at] |= EEPE;
    if (!is_busy && (value & EEMPE_EEPE) == EEMPE_EEPE)
        avr_cycle_timer_register_usec(avr, 3300, finish_byte, context);
}

/* ---- The I2C bus ---- */

static void hear_bus(avr_irq_t *irq, uint32_t value, void *context)
{
    avr_twi_msg_irq_t message = {.u.v = value};
    const struct chip *self = context;
    avr_irq_t *reply = avr_io_getirq(self->avr, AVR_IOCTL_TWI_GETIRQ(0), TWI_IRQ_INPUT);
    struct mpu6050 *device = self->mpu6050;
    uint8_t address = (uint8_t)message.u.twi.addr, kind = (uint8_t)message.u.twi.msg;
    (void)irq;
    if (kind & TWI_COND_START) /* simavr 1.6 reports an address without ACK as data */
        self->twi->state &= (uint8_t)~TWI_COND_WRITE;
    if (device && kind & TWI_COND_START)
        mpu6050_select(device, address);
    if (!device || !device->is_selected)
        return;
    if (kind & TWI_COND_WRITE)
        mpu6050_write(device, (uint8_t)message.u.twi.data);
    if (kind & (TWI_COND_START | TWI_COND_WRITE))
        avr_raise_irq(reply, avr_twi_irq_msg(TWI_COND_ACK, address, 1));
    if (kind & TWI_COND_READ)
        avr_raise_irq(reply, avr_twi_irq_msg(TWI_COND_READ, address, mpu6050_read(device)));
    if (kind & TWI_COND_STOP)
        device->is_selected = false;
}

static void connect_bus(struct chip *self)
{
    self->twi = find_io(self->avr->io_port, "twi");
    avr_irq_register_notify(avr_io_getirq(self->avr, AVR_IOCTL_TWI_GETIRQ(0), TWI_IRQ_OUTPUT),
                            hear_bus, self);
}

void chip_attach_mpu6050(struct chip *self, struct mpu6050 *device)
{
    self->mpu6050 = device;
    mpu6050_reset(device);
}

/* ---- The firmware ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), least = strlen(end);
    return size >= least && strcasecmp(text + size - least, end) == 0;
}

/* simavr accepts an ELF file of any machine, and ends the process if the file is too large. */
static bool is_elf_of_avr(const char *path)
{
    enum { MACHINE_AT = 18, MACHINE_AVR = 83 };
    uint8_t head[MACHINE_AT + 2] = {0};
    FILE *file = fopen(path, "rb");
    size_t got = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    return got == sizeof head && memcmp(head, "\177ELF", 4) == 0 &&
           head[MACHINE_AT] == MACHINE_AVR && head[MACHINE_AT + 1] == 0;
}

static bool fits(const struct chip *self, const char *path, size_t end)
{
    if (end <= (size_t)self->avr->flashend + 1)
        return true;
    fprintf(stderr, "%s: has %zu bytes; an %s holds %u\n", path, end, rows[self->board].mcu,
            (unsigned)self->avr->flashend + 1);
    return false;
}

static bool load_hex(struct chip *self, const char *path)
{
    uint32_t size = 0, start = 0;
    uint8_t *bytes = read_ihex_file(path, &size, &start);
    bool is_good = bytes && fits(self, path, (size_t)start + size);
    if (is_good) {
        avr_loadcode(self->avr, bytes, size, start);
        self->avr->codeend = start + size;
    } else if (!bytes)
        fprintf(stderr, "%s: cannot be read as Intel HEX\n", path);
    free(bytes);
    return is_good;
}

static bool load_elf(struct chip *self, const char *path)
{
    const char *mcu = rows[self->board].mcu;
    elf_firmware_t firmware = {0};
    if (!is_elf_of_avr(path) || elf_read_firmware(path, &firmware) != 0) {
        fprintf(stderr, "%s: cannot be read as an ELF file for an AVR\n", path);
        return false;
    }
    if (*firmware.mmcu && strcmp(firmware.mmcu, mcu) != 0) {
        fprintf(stderr, "%s: is for an %s; the board %s of the body file has an %s\n", path,
                firmware.mmcu, board_names[self->board], mcu);
        return false;
    }
    if (!fits(self, path, (size_t)firmware.flashbase + firmware.flashsize))
        return false;
    // Ignores the requests of the file to simavr: trace files and command registers.
    avr_load_firmware(self->avr, &(elf_firmware_t){.frequency = CLOCK_HZ,
                                                   .flash = firmware.flash,
                                                   .flashbase = firmware.flashbase,
                                                   .flashsize = firmware.flashsize,
                                                   .datasize = firmware.datasize,
                                                   .bsssize = firmware.bsssize,
                                                   .eeprom = firmware.eeprom,
                                                   .eesize = firmware.eesize,
                                                   .fuse = firmware.fuse,
                                                   .fusesize = firmware.fusesize,
                                                   .lockbits = firmware.lockbits});
    return true;
}

/* simavr 1.6 checks neither the stack pointer nor addresses of the program memory. Therefore all
 * memory that they can reach must exist. */
static bool widen(uint8_t **memory, size_t size, size_t reach)
{
    uint8_t *wide = calloc(1, reach);
    if (!wide)
        return false;
    memcpy(wide, *memory, size);
    free(*memory);
    *memory = wide;
    return true;
}

struct chip *chip_open(enum pin_board board, const char *path, const struct chip_ear *ear)
{
    struct chip *self = calloc(1, sizeof *self);
    avr_global_logger_set(say);
    if (self)
        self->avr = avr_make_mcu_by_name(rows[board].mcu);
    if (!self || !self->avr) {
        fprintf(stderr, "simavr makes no %s\n", rows[board].mcu);
        free(self);
        return NULL;
    }
    self->ear = *ear;
    self->board = board;
    avr_init(self->avr);
    if (!widen(&self->avr->data, (size_t)self->avr->ramend + 1, DATA_REACH) ||
        !widen(&self->avr->flash, (size_t)self->avr->flashend + 1, FLASH_REACH)) {
        fprintf(stderr, "not enough memory for an %s\n", rows[board].mcu);
        free(self);
        return NULL;
    }
    self->avr->frequency = CLOCK_HZ;
    self->avr->vcc = self->avr->avcc = self->avr->aref = 5000; /* mV */
    self->avr->sleep = sleep_no_time;
    if (!(ends_with(path, ".hex") ? load_hex : load_elf)(self, path)) {
        free(self);
        return NULL;
    }
    teach_timers(self);
    find_interrupts(self);
    connect_pins(self);
    connect_serials(self);
    teach_serials(self);
    connect_adc(self);
    connect_bus(self);
    avr_register_io_write(self->avr, EECR_AT, write_byte, self);
    self->ram_end = self->avr->ramend;
    self->avr->ramend = UINT16_MAX; /* simavr would stop; a chip reads a number */
    return self;
}

/* ---- Running ---- */

void chip_reset(struct chip *self, int64_t now)
{
    avr_t *avr = self->avr;
    avr_cycle_timer_cancel(avr, finish_byte, self);
    avr_reset(avr);
    avr->data[SPL_AT] = (uint8_t)self->ram_end;
    avr->data[SPL_AT + 1] = (uint8_t)(self->ram_end >> 8);
    take_interrupts(self);
    if (self->board == BOARD_LEONARDO)
        avr->data[OCR4C_AT] = 0xff; /* its initial value, which simavr 1.6 does not set */
    memset(avr->data + avr->ioend + 1, 0, (size_t)DATA_REACH - avr->ioend - 1);
    self->start = avr->cycle - (avr_cycle_count_t)(now * CYCLES_US / 1000);
}

/* An empty timer: without one, simavr runs up to its next timer at least. */
static avr_cycle_count_t wake(avr_t *avr, avr_cycle_count_t when, void *context)
{
    (void)avr, (void)when, (void)context;
    return 0;
}

bool chip_run(struct chip *self, int64_t until)
{
    avr_t *avr = self->avr;
    avr_cycle_count_t end = self->start + (avr_cycle_count_t)(until * CYCLES_US / 1000);
    avr->run_cycle_limit = RUN_CYCLES;    /* simavr sets it to 1 at a reset */
    if ((int64_t)(end - avr->cycle) <= 0) /* also true during start-up */
        return true;
    avr_cycle_timer_register(avr, end - avr->cycle, wake, self);
    while (avr->cycle < end && avr->state != cpu_Done && avr->state != cpu_Crashed)
        avr_run(avr);
    if (avr->state == cpu_Done) /* sleeps forever */
        avr->cycle = end;
    if (avr->state == cpu_Crashed)
        fprintf(stderr, "the %s has crashed at address %05x\n", rows[self->board].mcu, avr->pc);
    return avr->state != cpu_Crashed;
}

/* ---- Inputs and outputs ---- */

/* The level is held, so that a pull-up does not override it. */
void chip_set_level(struct chip *self, int number, bool is_high)
{
    const struct pin_of_chip *pin = &self->pins[number];
    if (number >= self->pin_count || pin->port == '-')
        return;
    avr_ioport_external_t *held = &self->held[pin->port - 'A'];
    held->name = (unsigned long)pin->port & 0x7fu;
    held->mask = (held->mask | 1u << pin->bit) & 0xff;
    held->value = (is_high ? held->value | 1u << pin->bit : held->value & ~(1u << pin->bit)) & 0xff;
    avr_ioctl(self->avr, (uint32_t)AVR_IOCTL_IOPORT_SET_EXTERNAL(pin->port), held);
    if (!is_output(self, pin))
        avr_raise_irq(irq_of(self, pin), is_high);
}

void chip_listen(struct chip *self, int number)
{
    if (number < self->pin_count && self->pins[number].port != '-')
        avr_irq_register_notify(irq_of(self, &self->pins[number]), hear_pin, &self->pins[number]);
}

/* The channel of the ADC is the bit of the port; port K has the upper eight channels. */
void chip_set_volts(struct chip *self, int number, double volts)
{
    const struct pin_of_chip *pin = &self->pins[number];
    if (number < self->pin_count)
        self->analog_mv[pin->bit + (pin->port == 'K' ? 8 : 0)] = (uint32_t)(volts * 1000 + 0.5);
}

void chip_receive(struct chip *self, unsigned serial, uint8_t byte)
{
    if (self->serials[serial].irq)
        avr_raise_irq(self->serials[serial].irq, byte);
}

static unsigned word_at(const uint8_t *data, size_t at)
{
    return data[at] | (unsigned)data[at + 1] << 8;
}

/* The duty cycle of a compare output; -1: the timer does not drive it. */
static double pwm_of_8_bits(const uint8_t *data, int output)
{
    unsigned mode = (data[0] & 3u) | (data[1] >> 1 & 4u), com = data[0] >> (6 - 2 * output) & 3u;
    double top = mode & 4 ? data[3] : 255, level = data[3 + output];
    if (com < 2 || !(mode & 1))
        return -1;
    double duty = (mode & 2) ? (level + 1) / (top + 1) : level / (top > 0 ? top : 1);
    duty = duty > 1 ? 1 : duty;
    return com == 3 ? 1 - duty : duty;
}

static double pwm_of_16_bits(const uint8_t *data, int output)
{
    enum { NONE = 0, BY_OCR = 1, BY_ICR = 2 };
    static const unsigned tops[16] = {NONE,   255,    511,    1023,   NONE, 255,  511,    1023,
                                      BY_ICR, BY_OCR, BY_ICR, BY_OCR, NONE, NONE, BY_ICR, BY_OCR};
    unsigned mode = (data[0] & 3u) | (data[1] >> 1 & 12u), com = data[0] >> (6 - 2 * output) & 3u;
    bool is_fast = (mode >= 5 && mode <= 7) || mode >= 14;
    double level = word_at(data, 8 + 2 * (size_t)output), top = tops[mode];
    if (com < 2 || tops[mode] == NONE)
        return -1;
    if (tops[mode] == BY_OCR || tops[mode] == BY_ICR)
        top = word_at(data, tops[mode] == BY_OCR ? 8 : 6);
    double duty = is_fast ? (level + 1) / (top + 1) : level / (top > 0 ? top : 1);
    duty = duty > 1 ? 1 : duty;
    return com == 3 ? 1 - duty : duty;
}

/* Timer 4 of an ATmega32U4: outputs A (COM4A1 of TCCR4A) and D (COM4D1 of TCCR4C); TOP is OCR4C. */
static double pwm_of_10_bits(const uint8_t *data, int output)
{
    bool is_a = output == 0;
    double top = data[OCR4C_AT], level = data[is_a ? 0xcf : 0xd2];
    if (!(is_a ? data[0xc0] & 0x80 : data[0xc2] & 0x08))
        return -1;
    return level < top ? level / top : 1;
}

static double pwm_of(const struct chip *self, const struct pin_of_chip *pin)
{
    const uint8_t *data = self->avr->data;
    if (pin->timer < 0)
        return -1;
    if (pin->timer == 4 && self->board == BOARD_LEONARDO)
        return pwm_of_10_bits(data, pin->output);
    bool is_small = pin->timer == 0 || pin->timer == 2;
    return (is_small ? pwm_of_8_bits : pwm_of_16_bits)(data + timer_at[pin->timer], pin->output);
}

double chip_duty(const struct chip *self, int number)
{
    const struct pin_of_chip *pin = &self->pins[number];
    avr_ioport_state_t state = port_state(self, pin);
    unsigned high = (unsigned)state.port;
    if (number >= self->pin_count)
        return 0;
    double duty = is_output(self, pin) ? pwm_of(self, pin) : -1; /* an input pin has a pull-up */
    return duty >= 0 ? duty : high >> pin->bit & 1u;
}

uint32_t chip_baud(const struct chip *self, unsigned serial)
{
    static const uint32_t usual[] = {1200,   2400,   4800,    9600,   14400,  19200,
                                     28800,  38400,  57600,   76800,  115200, 230400,
                                     250000, 500000, 1000000, 2000000};
    static const uint16_t control_at[] = {0xc0, 0xc8, 0xd0, 0x130}; /* UCSRnA, data sheets */
    const uint8_t *at = self->avr->data + control_at[serial];
    bool is_on = at[1] & 0x18, is_double = at[0] & 2; /* RXEN, TXEN; U2X */
    unsigned divider = (is_double ? 8 : 16) * ((word_at(at, 4) & 0xfff) + 1);
    double baud = (double)CLOCK_HZ / divider;
    if (!is_on || !self->serials[serial].irq)
        return 0;
    /* 115200 is set as 117647; report the rate that drivers use. */
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (baud > usual[i] * 0.97 && baud < usual[i] * 1.03)
            return usual[i];
    return (uint32_t)baud;
}
