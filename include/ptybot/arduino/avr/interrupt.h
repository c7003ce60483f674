/* Interrupts on and off. There are no vectors: attachInterrupt. */
#ifndef PTYBOT_ARDUINO_AVR_INTERRUPT_H
#define PTYBOT_ARDUINO_AVR_INTERRUPT_H

#include "../../arduino_core.h"

#define sei() interrupts()
#define cli() noInterrupts()

#endif
