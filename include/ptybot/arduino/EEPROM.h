/* The EEPROM of a board: kept over resets of the robot, empty (0xff) at the start of a run. */
#ifndef PTYBOT_ARDUINO_EEPROM_H
#define PTYBOT_ARDUINO_EEPROM_H

#include "../arduino_core.h"

class EEPROMClass
{
  public:
    uint8_t read(int at) { return *byte_at(at); }
    void write(int at, uint8_t value) { *byte_at(at) = value; }
    void update(int at, uint8_t value) { *byte_at(at) = value; }
    uint8_t &operator[](int at) { return *byte_at(at); }
    uint16_t length()
    {
        size_t size;
        core_eeprom(&size);
        return (uint16_t)size;
    }
    template <typename T> T &get(int at, T &value)
    {
        for (size_t i = 0; i < sizeof value; i++)
            ((uint8_t *)&value)[i] = read(at + (int)i);
        return value;
    }
    template <typename T> const T &put(int at, const T &value)
    {
        for (size_t i = 0; i < sizeof value; i++)
            write(at + (int)i, ((const uint8_t *)&value)[i]);
        return value;
    }

  private:
    /* Addresses wrap, as those of the real one do. */
    static uint8_t *byte_at(int at)
    {
        size_t size;
        uint8_t *bytes = core_eeprom(&size);
        return bytes + ((size_t)at & (size - 1));
    }
};
static EEPROMClass EEPROM __attribute__((unused));

#endif
