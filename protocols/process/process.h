/* A robot whose firmware is a separate process. Between two questions it stores input. It sends
 * this input to the process in a question and executes the answer. Its tables come from a body
 * file. */
#pragma once

#include "protocols/process/process_message.h"

/* The template for types of body files. Signal 0 is the first of PROCESS_SIGNALS_MAX consecutive
 * doubles, which the process sets; the other signals are common to all such robots. There are
 * PROCESS_COMMANDS_MAX commands without a name or arguments. Their arguments are up to
 * PROCESS_NUMBERS_MAX consecutive doubles. The template has no name, channels, body or
 * appearance. */
extern const struct robot_type process_type;

/* Index of a signal among those that the process sets; -1: the process does not set it. */
int process_signal_index(const struct signal_row *row);

/* The shape of a type that was made from process_type with this body. */
struct process_shape process_shape_of(const struct robot_type *type, const struct robot_body *body);
