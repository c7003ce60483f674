/* Pulses of a servo: their share of 20 ms is the duty of the pin, which a signal can show. */
#ifndef PTYBOT_ARDUINO_SERVO_H
#define PTYBOT_ARDUINO_SERVO_H

#include "../arduino_core.h"

class Servo
{
  public:
    uint8_t attach(int pin_, int low_us_ = 544, int high_us_ = 2400)
    {
        pin = pin_;
        low_us = low_us_;
        high_us = high_us_;
        core_servo((uint8_t)pin, (unsigned)us);
        return 0;
    }
    void detach()
    {
        core_servo((uint8_t)pin, 0);
        pin = -1;
    }
    bool attached() const { return pin >= 0; }
    /* Degrees, or from 544 on microseconds. */
    void write(int value)
    {
        value = value < 0 ? 0 : value;
        writeMicroseconds(value >= 544 ? value
                                       : low_us + (value < 180 ? value : 180) *
                                                      (long)(high_us - low_us) / 180);
    }
    void writeMicroseconds(long value)
    {
        us = value;
        if (pin >= 0)
            core_servo((uint8_t)pin, (unsigned)us);
    }
    int read() const
    {
        return (int)(((us - low_us) * 180 + (high_us - low_us) / 2) / (high_us - low_us));
    }
    int readMicroseconds() const { return (int)us; }

  private:
    int pin = -1;
    long low_us = 544, high_us = 2400, us = 1500;
};

#endif
