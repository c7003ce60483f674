/* Devices whose interface is a table of numbers at addresses: servos of ROBOTIS and Feetech, and
 * boards with the same interface. The fields of a packet are the table, so its rows also feed
 * signals, decoded text and documents. The rows in this file add access rights and effects of
 * writing. Frames belong to a protocol (dynamixel2.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/wire.h"

/* Error numbers of a status frame of Dynamixel 2.0. */
enum control_result {
    CONTROL_OK = 0,
    CONTROL_RANGE = 4,
    CONTROL_ACCESS = 7,
};

/* Properties of a field in addition to address and type. Fields without a row are writable and
 * begin as 0. */
struct control_row {
    uint16_t address;
    bool is_read_only;
    uint8_t effect;     /* not 0: the bit that control_table_write sets when the field is written */
    double initial;     /* initial, least and most are numbers on the wire */
    double least, most; /* both 0: any number */
};

/* Fields follow each other from address 0 on. Texts (WIRE_CHAR) are gaps, which read as 0. */
struct control_table {
    const struct wire_field *fields;
    size_t field_count;
    const struct control_row *rows;
    size_t row_count;
    enum wire_order order;
};

/* Sets each field in MESSAGE, the struct of the fields, to its initial value. */
void control_table_reset(const struct control_table *table, void *message);

/* Fills OUT with SIZE bytes from ADDRESS on. Fields that are only partly inside the range, and
 * bytes after the end of the table, read as 0. */
void control_table_read(const struct control_table *table, const void *message, size_t address,
                        uint8_t *out, size_t size);

/* Writes the fields that are completely inside the range, and sets their effect bits in EFFECTS. A
 * field whose row rejects the value keeps its value. The result is that of the last rejection. */
enum control_result control_table_write(const struct control_table *table, void *message,
                                        size_t address, const uint8_t *bytes, size_t size,
                                        uint64_t *effects);
