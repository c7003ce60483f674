/* A robot whose firmware is a process of its own: it keeps what comes in between two questions,
 * puts it to the process, and does what that answers. Its tables are those of a body file. */
#pragma once

#include "protocols/process/process_message.h"

/* What types of body files are copied from. Signal 0 is the first of PROCESS_SIGNALS_MAX doubles in
 * a row, which the process sets; the others are of all such robots. There are
 * PROCESS_COMMANDS_MAX commands without a name or arguments: up to PROCESS_NUMBERS_MAX doubles, one
 * behind the other. It has no name, channels, body or looks. */
extern const struct robot_type process_type;

/* The place of a signal among those that the process sets; -1: it is none of them. */
int process_signal_index(const struct signal_row *row);

/* The shape of a type made of process_type, with this body. */
struct process_shape process_shape_of(const struct robot_type *type, const struct robot_body *body);
