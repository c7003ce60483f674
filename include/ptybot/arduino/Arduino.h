/* Arduino for the PC, for robots of ptybot: sketches compile unmodified by `ptybot arduino`.
 * docs/own-robot.md says what differs from an AVR: the widths of int, long and double; registers,
 * which are not there; what a call costs. */
#ifndef PTYBOT_ARDUINO_H
#define PTYBOT_ARDUINO_H

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../arduino_core.h"
#include "WString.h"
#include "avr/interrupt.h"
#include "avr/pgmspace.h"

#define ARDUINO_PTYBOT 1
#ifndef F_CPU
#define F_CPU 16000000L
#endif

typedef bool boolean;
typedef uint8_t byte;
typedef uint16_t word;

#define LOW  0
#define HIGH 1

#define INPUT        0
#define OUTPUT       1
#define INPUT_PULLUP 2

#define CHANGE  1
#define FALLING 2
#define RISING  3

#define DEFAULT  1
#define EXTERNAL 0

#define PI         3.1415926535897932384626433832795
#define HALF_PI    1.5707963267948966192313216916398
#define TWO_PI     6.283185307179586476925286766559
#define DEG_TO_RAD 0.017453292519943295769236907684886
#define RAD_TO_DEG 57.295779513082320876798154814105

/* The numbers of the pins that are printed A0 ... */
#if defined ARDUINO_AVR_MEGA2560
#define PTYBOT_FIRST_ANALOG 54
#elif defined ARDUINO_AVR_LEONARDO
#define PTYBOT_FIRST_ANALOG 18
#else
#define PTYBOT_FIRST_ANALOG 14
#endif
enum : uint8_t {
    A0 = PTYBOT_FIRST_ANALOG,
    A1,
    A2,
    A3,
    A4,
    A5,
    A6,
    A7,
    A8,
    A9,
    A10,
    A11,
    A12,
    A13,
    A14,
    A15
};
#define LED_BUILTIN 13

#ifndef min
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#endif
#undef abs
#undef round
#define abs(x)                    ((x) > 0 ? (x) : -(x))
#define round(x)                  ((x) >= 0 ? (long)((x) + 0.5) : (long)((x)-0.5))
#define constrain(x, low, high)   ((x) < (low) ? (low) : ((x) > (high) ? (high) : (x)))
#define radians(deg)              ((deg)*DEG_TO_RAD)
#define degrees(rad)              ((rad)*RAD_TO_DEG)
#define sq(x)                     ((x) * (x))
#define lowByte(w)                ((uint8_t)((w)&0xff))
#define highByte(w)               ((uint8_t)((w) >> 8))
#define bit(b)                    (1UL << (b))
#define _BV(b)                    (1 << (b))
#define bitRead(value, b)         (((value) >> (b)) & 1)
#define bitSet(value, b)          ((value) |= (1UL << (b)))
#define bitClear(value, b)        ((value) &= ~(1UL << (b)))
#define bitToggle(value, b)       ((value) ^= (1UL << (b)))
#define bitWrite(value, b, is_on) ((is_on) ? bitSet(value, b) : bitClear(value, b))

inline long map(long x, long in_low, long in_high, long out_low, long out_high)
{
    return (x - in_low) * (out_high - out_low) / (in_high - in_low) + out_low;
}

inline void tone(uint8_t pin, unsigned int frequency)
{
    tone(pin, frequency, 0);
}
inline unsigned long pulseIn(uint8_t pin, uint8_t level)
{
    return pulseIn(pin, level, 1000000UL);
}
inline unsigned long pulseInLong(uint8_t pin, uint8_t level, unsigned long timeout_us = 1000000UL)
{
    return pulseIn(pin, level, timeout_us);
}

/* The numbers of avr-libc, so that a sketch draws the same ones: Park and Miller. */
inline uint32_t &ptybot_random_state()
{
    static uint32_t state = 1;
    return state;
}
inline void randomSeed(unsigned long seed)
{
    if (seed != 0)
        ptybot_random_state() = (uint32_t)seed;
}
inline long random(long end)
{
    uint32_t &state = ptybot_random_state();
    state = (uint32_t)((uint64_t)state * 16807 % 2147483647);
    return end == 0 ? 0 : (long)state % end;
}
inline long random(long begin, long end)
{
    return begin >= end ? begin : begin + random(end - begin);
}

#include "HardwareSerial.h"

#endif
