/* Bytes of tests, written as on the wire: "ff ff 01". */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes the bytes to BYTES, which has room for them; returns how many. */
static inline size_t from_hex(const char *hex, uint8_t *bytes)
{
    size_t size = 0;
    unsigned byte;
    int taken;
    for (; sscanf(hex, "%2x%n", &byte, &taken) == 1; hex += taken)
        bytes[size++] = (uint8_t)byte;
    return size;
}
