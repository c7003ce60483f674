/* What a sketch and the core below it call of each other, in C. The functions are those of the
 * Arduino reference; what each costs in simulated time is in clients/arduino/core.c. */
#ifndef PTYBOT_ARDUINO_CORE_H
#define PTYBOT_ARDUINO_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the sketch. */
void setup(void);
void loop(void);

enum { CORE_SERIALS = 4, CORE_NO_BYTE = -1 };

/* NOLINTBEGIN(readability-identifier-naming): Arduino's names */
unsigned long millis(void);
unsigned long micros(void);
void delay(unsigned long ms);
void delayMicroseconds(unsigned int us);
void yield(void);

void pinMode(uint8_t pin, uint8_t mode);
void digitalWrite(uint8_t pin, uint8_t level);
int digitalRead(uint8_t pin);
int analogRead(uint8_t pin);
void analogReference(uint8_t mode);
void analogWrite(uint8_t pin, int value);
unsigned long pulseIn(uint8_t pin, uint8_t level, unsigned long timeout_us);
void tone(uint8_t pin, unsigned int frequency, unsigned long duration_ms);
void noTone(uint8_t pin);

int digitalPinToInterrupt(int pin);
void attachInterrupt(uint8_t number, void (*handler)(void), int mode);
void detachInterrupt(uint8_t number);
void interrupts(void);
void noInterrupts(void);
/* NOLINTEND(readability-identifier-naming) */

/* Serial, Serial1 ... by their numbers. core_serial_read: CORE_NO_BYTE where none has come. */
void core_serial_begin(unsigned number, unsigned long baud);
int core_serial_available(unsigned number);
int core_serial_room(unsigned number);
int core_serial_read(unsigned number, bool is_kept);
void core_serial_write(unsigned number, uint8_t byte);
void core_serial_flush(unsigned number);

/* Kept over resets of the robot, 0xff at the start of a run. SIZE bytes. */
uint8_t *core_eeprom(size_t *size);

/* A servo's pulse, of 20 ms; 0: none. */
void core_servo(uint8_t pin, unsigned us);

#ifdef __cplusplus
}
#endif

#endif
