/* The messages between a robot and a process that is its firmware, as lines of JSON: the hello,
 * which both forms begin with, and each question and answer for a process that chose JSON.
 * docs/reference/firmware-messages.md has every key. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "protocols/process/process_message.h"
#include "protocols/robot.h"

/* What both sides know after the hello. */
struct firmware_names {
    const struct robot_type *type;
    const struct robot_body *body;
    struct process_shape shape;
    bool has_old_name; /* an answer used an old key, which has been reported */
};

/* The first line to the process, without its newline; the caller frees it. NULL: no memory. */
char *firmware_json_hello(const struct firmware_names *names, const char *robot);

/* Its first line. IS_BINARY: what follows is packed. False, with what is wrong. */
bool firmware_json_hello_read(const struct firmware_names *names, const char *line, size_t size,
                              bool *is_binary, struct error *error);

/* A question and what goes with it as a line without its newline; the caller frees it. NULL: no
 * memory. */
char *firmware_json_question(const struct firmware_names *names,
                             const struct process_question *question,
                             const struct robot_sight *sights, size_t sight_count);

/* An answer, in its packed form in OUT. LAST is what it leaves out of its actuators, and becomes
 * this one's. Returns the size; 0, with what is wrong in ERROR. */
size_t firmware_json_answer(struct firmware_names *names, const char *line, size_t size,
                            struct robot_actuators *last, uint8_t out[PROCESS_ANSWER_MAX],
                            struct error *error);
