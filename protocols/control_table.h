/* Devices whose interface is a table of numbers at addresses: servos of ROBOTIS and Feetech, and
 * boards that act like one. The fields of a packet are the table, so that its rows also feed
 * signals, decoded text and documents; the rows here add what a host may write and what that does.
 * Leaves out the frames, which belong to a protocol (dynamixel2.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/wire.h"

/* As the status of Dynamixel 2.0 has it. */
enum control_result {
    CONTROL_OK = 0,
    CONTROL_RANGE = 4,
    CONTROL_ACCESS = 7,
};

/* Properties of a field beyond place and type. Fields without a row can be written, and begin as 0.
 */
struct control_row {
    uint16_t address;
    bool is_read_only;
    uint8_t effect;     /* not 0: the bit of control_table_write that says that it was written */
    double initial;     /* as a number on the wire; and these */
    double least, most; /* both 0: any */
};

/* The fields follow each other from address 0 on; texts (WIRE_CHAR) are gaps, which read as 0. */
struct control_table {
    const struct wire_field *fields;
    size_t field_count;
    const struct control_row *rows;
    size_t row_count;
    enum wire_order order;
};

/* Sets each field in MESSAGE, the struct of the fields, to its initial number. */
void control_table_reset(const struct control_table *table, void *message);

/* Fills OUT with SIZE bytes from ADDRESS on. Only fields that lie inside entirely are there, all
 * else is 0, also behind the end of the table. */
void control_table_read(const struct control_table *table, const void *message, size_t address,
                        uint8_t *out, size_t size);

/* Writes the fields that lie inside entirely, and adds their effects as bits to EFFECTS. A field
 * that a row refuses keeps its value, and the last refusal is the result. */
enum control_result control_table_write(const struct control_table *table, void *message,
                                        size_t address, const uint8_t *bytes, size_t size,
                                        uint64_t *effects);
