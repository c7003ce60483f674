/* Replies of the control socket as lines and tables for people and shell scripts. */
#ifndef PTYBOT_APP_CONTROL_CTL_PRINT_H
#define PTYBOT_APP_CONTROL_CTL_PRINT_H

#include <jansson.h>
#include <stdbool.h>

/* Each returns the exit code of the program; WHAT is the last word of the command line. */

/* One line `name value unit` each; a value that is not finite is `-`. */
int ctl_print_signals(const json_t *result, const char *what);
int ctl_print_totals(const json_t *result, const char *what);
/* The values, and when; EXIT_CODE_FAILED where the condition does not hold. */
int ctl_print_waited(const json_t *result, const char *what);
/* A table; WHAT says of what. */
int ctl_print_list(const json_t *result, const char *what);
int ctl_print_nothing(const json_t *result, const char *what);

/* One line `time_s name value` for each signal of a notification. False: nobody reads it. */
bool ctl_print_watched(const json_t *params);

#endif
