/* The checksums of the robots' frames. Two loops; nothing here is worth a table. */
#include "protocols/checksum.h"

uint8_t checksum_xor(const uint8_t *bytes, size_t size)
{
    uint8_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = (uint8_t)(value ^ bytes[i]);
    return value;
}

uint8_t checksum_sum(const uint8_t *bytes, size_t size)
{
    uint8_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = (uint8_t)(value + bytes[i]);
    return value;
}
