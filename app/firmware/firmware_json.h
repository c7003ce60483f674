/* The messages between a robot and a process that is its firmware, as lines of JSON: the hello, the
 * first message of both forms, and each question and answer for a process that has chosen JSON.
 * docs/reference/firmware-messages.md describes every key. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "protocols/process/process_message.h"
#include "protocols/robot.h"

/* The data that both sides know after the hello. */
struct firmware_names {
    const struct robot_type *type;
    const struct robot_body *body;
    struct process_shape shape;
    bool has_old_name; /* an answer used an old key, which has been reported */
};

/* Returns the first line to the process, without its newline; the caller frees it. NULL: no
 * memory. */
char *firmware_json_hello(const struct firmware_names *names, const char *robot);

/* Reads the first line of the process. IS_BINARY: packed messages follow. False, with the reason in
 * ERROR. */
bool firmware_json_hello_read(const struct firmware_names *names, const char *line, size_t size,
                              bool *is_binary, struct error *error);

/* Returns a question and its images and scans as a line without its newline; the caller frees it.
 * NULL: no memory. */
char *firmware_json_question(const struct firmware_names *names,
                             const struct process_question *question,
                             const struct robot_sight *sights, size_t sight_count);

/* Converts an answer to its packed form in OUT. LAST has the values of actuators that the answer
 * leaves out, and gets the values of this answer. Returns the size; 0, with the reason in ERROR. */
size_t firmware_json_answer(struct firmware_names *names, const char *line, size_t size,
                            struct robot_actuators *last, uint8_t out[PROCESS_ANSWER_MAX],
                            struct error *error);
